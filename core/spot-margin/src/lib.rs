//! The margin desk: spot orders that buy with borrowed dollars, on accounts of kind margin.
//!
//! A margin order trades on the books of some coins against USD, where cash orders trade too. A margin buy reserves nothing: its
//! fill spends the dollars that are there and borrows the rest from the house account `lending`. Dollars that come in repay first. A
//! margin sell reserves what it sells, as a cash order does. The account's other orders are of the desk [`CASH`], which settles
//! them as cash orders and counts what they reserve.
//!
//! Clauses: `MARG-001` to `MARG-011`, `ORD-045`. Decisions D-56 to D-60. The sums are in `margin`. Not here: everything else about an
//! order (`trading`), holds and fees of cash orders (`spot`), who may send what (`access`).
#![no_std]
extern crate alloc;

mod account;
mod coins;
mod command;
mod conditions;
mod desk;
mod figures;
mod interest;
mod laws;
mod liquidation;
mod off_book;
mod plan;
mod preview;
mod room;
mod settle;
mod state;

pub use buttonwood_risk::HourlyRate;
pub use buttonwood_risk::spot::{Sums, Terms};
pub use coins::{COINS_MAX, Coin};
pub use command::{Command, Infrequent, Reject, decide, evolve};
pub use conditions::Conditions;
pub use desk::{
    CASH, DESK, Refusal, affords, auction_fee, buy_with, fees, is_of_room, reserve, reserved, rest,
};
pub use figures::Figures;
pub use laws::BrokenLaw;
pub use liquidation::forced_edge;
pub use off_book::TakenOver;
pub use plan::{Plan, covers, covers_crossing};
pub use preview::{available_after, judges_fills, now_and_after};
pub use settle::{hold, release, settle_crossing, settle_maker, settle_taker};
pub use state::SpotMargin;
