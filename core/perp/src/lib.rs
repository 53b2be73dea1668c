//! The perpetual desk: positions, index and mark, and what an account may add to its risk.
//!
//! An order holds no money. It counts in the live quantities of its account's row, and the desk admits it if the account's
//! figures allow it. A fill moves no base currency: it changes the positions of both accounts, and what they realise is
//! settled with the house account `clearing`, which is minus the cost of all open positions.
//!
//! Clauses: `PERP-001` to `PERP-012`. Not here: everything else about an order (`trading`), who may send what (`access`).
#![no_std]
extern crate alloc;

mod collateral;
mod command;
mod deleveraging;
mod depth;
mod desk;
pub mod feeds;
mod figures;
pub mod funding;
mod insurance;
mod laws;
pub mod liquidation;
pub mod off_book;
mod preview;
mod prices;
mod room;
mod settlement;
mod state;

pub use buttonwood_risk::{Leverage, Position, deleverage::Score, liquidation::Fund};
pub use collateral::{COLLATERAL_MAX, Counted};
pub use command::{Command, Infrequent, Reject, decide, evolve};
pub use desk::{
    DESK, Plan, RULES, Refusal, affords, covers, fees, hold, passes, release, reserve, rest, settle,
};
pub use figures::Figures;
pub use laws::BrokenLaw;
pub use preview::{After, after};
pub use prices::{Contract, Marked};
pub use state::{Perps, Risk, Row};
