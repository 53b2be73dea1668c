//! Foreign exchange rates: for each pair with the dollar, a history of rates and their providers.
//!
//! A rate is looked up by pair and time: the newest one that is not later. Rates are only added; one that was stored never
//! changes. The exchange offers no foreign exchange: the rates are for reference and for volumes in dollars.
//!
//! Clauses: `FX-002` to `FX-004`, `FX-008`.
#![no_std]
extern crate alloc;

mod command;
mod pair;
mod rate;
mod rates;

pub use command::{Command, Infrequent, NewRates, RATES_MAX, Reject, decide, evolve};
pub use pair::FxPair;
pub use rate::FxRate;
pub use rates::{Quote, Rates};
