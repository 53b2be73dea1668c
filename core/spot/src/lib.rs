//! The cash desk: what a spot order reserves, what it costs, how its fills settle.
//!
//! A buy reserves quote currency, its worse fee included, a sell the base currency itself; a fill exchanges one for the other
//! and pays both fees to the house. Everything else about a spot order is the floor's (`trading`).
//!
//! Clauses: `ORD-044`, `ORD-048`, `ORD-049`, `TYPE-010`.
#![no_std]
extern crate alloc;

mod desk;
mod fees;

pub use desk::{
    DESK, RULES, affords, auction_fee, buy_with, fees, hold, release, reserve, reserved, rest,
    settle_crossing, settle_maker, settle_taker,
};
