//! Funds: money that enters the exchange, leaves it, or moves between accounts of a group.
//!
//! Each kind of movement is a module with commands, events and refusals of its own; [`Command`] composes them. Their common part
//! is the list of [`Transfer`]s: every movement is one or two rows, and a row holds its reserve, so that each held amount can be
//! explained line by line.
//!
//! Not here: chains and their keys (`edge/custody`), the formats of addresses (`edge/address`), who may call (`engine`, by roles).
#![no_std]
extern crate alloc;

pub mod address;
pub mod approval;
pub mod bank;
mod command;
pub mod custody;
pub mod debt;
pub mod deposit;
pub mod halt;
mod id;
pub mod internal;
pub mod limit;
pub mod network;
mod outlet;
pub mod reserves;
#[cfg(test)]
mod rig;
mod room;
mod sender;
mod state;
mod transfer;
pub mod withdrawal;

pub use address::{Addresses, DepositAddress};
pub use approval::{ApprovalScope, Approvals, Approved, EntryRef, Standing};
pub use bank::{Bank, Banks};
pub use buttonwood_leave::{ALL, Short};
pub use command::{Command, Infrequent, Reject, decide, evolve};
pub use deposit::{ChainBlock, Deposit, Deposits, Origin, OutputKey};
pub use halt::{Halts, Scope};
pub use id::{Eid, Uuid, code};
pub use limit::Limits;
pub use network::{Asset, Form, Network, NetworkId, NetworkKind, Networks};
pub use outlet::{Approval, Outlet};
pub use reserves::{Reserves, Wallet};
pub use room::UnequalRows;
pub use sender::{Made, Sender};
pub use state::{Funds, Pending};
pub use transfer::{Change, Kind, Method, NewTransfer, OnChain, Reference, Status, Transfer, Way};
pub use withdrawal::{Attempt, FeeTerms, Payment, Purpose, Withdrawals};
