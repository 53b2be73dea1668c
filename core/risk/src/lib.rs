//! Credit and risk, below the desks: tables and pure sums that several products need, and the [`machine`] of their liquidations.
//!
//! Amounts are [`Money`](buttonwood_num::Money) in units of 10⁻¹⁹. A sum is exact, or its documentation states its rounding. No
//! input panics: what is beyond the range of money is `None` or the result that refuses.
//!
//! Not here: orders, commands and events. The desks decide, and this room computes.

#![no_std]
#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unreachable
    )
)]

extern crate alloc;

pub mod admission;
mod collateral;
mod debts;
pub mod deleverage;
mod figures;
pub mod funding;
mod interest;
mod leverage;
pub mod liquidation;
mod loans;
pub mod machine;
mod position;
pub mod price;
#[cfg(test)]
mod rational;
pub mod spot;

pub use collateral::{Collateral, Seized};
pub use debts::Debts;
pub use figures::{Free, Holding, LiquidationPoint, Sums};
pub use interest::HourlyRate;
pub use leverage::Leverage;
pub use loans::{Loans, give};
pub use position::{Applied, Position};
