//! Connects the chains, simulated or at real nodes, with the exchange (XFER-010, XFER-019 to 021, INV-DEP-1, INV-WD-1 to 4).
//!
//! One thread has a chain, a watcher and a payer for each network in use. Whatever they report is journaled by commands of the exchange
//! itself, which change nothing when they repeat. A transaction is sent only after its bytes are durable. Nothing but the chains' own
//! files is kept here: after a crash, watcher and payer are restored from the exchange's state.
//!
//! Control calls reach the thread by [`Chains`]. Each first lets the exchange send what it owes to the chain, and is answered once
//! everything that the chain shows is journaled.

mod backend;
mod bump;
mod call;
mod desk;
mod host;
mod keys;
mod link;
mod node;
mod patient;
mod payments;
mod stepped;
mod thread;
mod translate;
mod treasury;
mod wallet;

pub use call::{Chains, Failed, Shown, Work};
pub use desk::Wallets;
pub use host::Host;
pub use node::{NodeFault, Nodes};
pub use stepped::SteppedDriver;
pub use thread::Driver;
