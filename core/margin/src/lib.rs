//! Credit and risk, below the desks: tables and pure sums that several products need.
//!
//! Not here: orders, commands and events. The desks decide, and this room computes.

#![no_std]

extern crate alloc;

mod loans;

pub use loans::Loans;
