//! The cash desk: what a spot order reserves, what it costs, how its fills settle.
//!
//! A buy reserves quote currency, including the higher of its two possible fees; a sell reserves base
//! currency. A fill exchanges base for quote and pays both fees to the house; a full break reverses that.
//!
//! Not here: everything else about a spot order (`trading`).
//!
//! Clauses: `ORD-044`, `ORD-048`, `ORD-049`, `TYPE-010`.
#![no_std]
extern crate alloc;

mod desk;
mod fees;
mod preview;
mod void;

pub use desk::{
    DESK, RULES, affords, auction_fee, buy_with, fees, hold, needed, release, reserve, reserved, rest,
    settle_crossing, settle_maker, settle_taker,
};
pub use fees::freed;
pub use preview::{available_after, paid};
pub use void::{can_void, void};
