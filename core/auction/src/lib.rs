//! Call auctions: their times, and the one price at which all orders trade.
//!
//! This room has the times of a symbol's auctions ([`Schedule`], [`Auctions`]) and finds the price of an auction
//! ([`uncross`]). `trading` decides which orders take part and how much each trades at the price.
//!
//! Clauses: `AUCT-003`, `AUCT-004`, `AUCT-007`.
#![no_std]
extern crate alloc;

mod auctions;
mod finding;
mod schedule;
mod uncross;

pub use auctions::{Auctions, Due, Settling};
pub use finding::{Collar, Finding};
pub use schedule::{Schedule, ScheduleError};
pub use uncross::{Clearing, Step, uncross};
