//! The product's own core, journal, sequencer and views in one thread, with a simulated clock and a faulty disk.
//!
//! A [`life`] is a long run of random traders with faults and crashes at any call. A [`sweep`] records one short run
//! and recovers from every state that a power cut at any call could leave. An observer that only follows the journal,
//! with a naive exchange, checks both. One seed is one run.
//!
//! A [`treasury`] pays withdrawals and credits deposits on simulated chains, over crashes, and compares them with the chains.
//!
//! [`perps`] trades perpetuals at high leverage, over crashes inside funding and inside liquidations, and has a naive model judge it.
//!
//! [`margin`] does the same with accounts that buy with borrowed dollars, over crashes inside liquidations.
//!
//! [`offbook`] settles trades off the book and accrues interest of stakes, over crashes inside both.
//!
//! [`predictions`] trades contracts of events, resolves, voids and pays them, over crashes inside payouts, refunds and snapshots.
//!
//! [`identity`] signs in, grants, refreshes in races, revokes and changes roles, over crashes.
//!
//! [`streams`] reads books and order events over sockets of slow and fast clients, over crashes and resumes.
//!
//! An [`adversary`] searches for what people who trade with themselves could take from the house.
//!
//! Laws: INV-HOUSE, INV-DEP-1, INV-WD-1 to 7, INV-ACK-1, INV-ACK-2, INV-JRN-1, INV-JRN-2, INV-DET-1, INV-READ-3, INV-PERP-1 to 8, INV-CLR-1, INV-STK-1, INV-PRED-1 to 5, INV-AUTH-1, -4 to -6, and those of the ledger and the books.
//! Not here: real kernels and real disks.

pub mod adversary;
mod check;
mod dice;
pub mod disk;
pub mod identity;
pub mod life;
pub mod margin;
mod memory;
pub mod offbook;
pub mod perps;
pub mod predictions;
mod rot;
mod scene;
mod secrets;
mod statement;
pub mod streams;
pub mod sweep;
pub mod treasury;
pub mod trial;

pub use check::Finding;
