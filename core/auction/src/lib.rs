//! Call auctions: when they are, and the one price at which everybody trades.
//!
//! What takes part, and who gets what at the price, is decided where orders are (`spot`); here are the times of a symbol's
//! auctions ([`Schedule`], [`Auctions`]) and the price that an auction finds ([`uncross`]).
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
