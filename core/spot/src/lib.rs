//! Spot orders: which may enter, what they trade, what it costs, how they end.
//!
//! `place::decide` and `cancel::decide` read and refuse; [`evolve`] applies their events and cannot fail.
//!
//! Clauses: `AUCT-001` to `AUCT-007`, `ORD-024` to `ORD-063`, `SYM-005`, `SYM-022` to `SYM-028`, `TYPE-010`, `TYPE-011`.
#![no_std]
extern crate alloc;

pub mod auction;
pub mod cancel;
mod collar;
mod event;
mod evolve;
mod fees;
mod incoming;
mod market;
mod ordered;
pub mod place;
pub mod status;

pub use buttonwood_book::NewOrder;
pub use event::Event;
pub use evolve::evolve;
pub use fees::{FeeSchedule, hold_of};
pub use market::{Market, Pit, Planner};
pub use ordered::{Decided, OrderState};
