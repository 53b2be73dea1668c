//! Exact numbers: integers only, with one type for each meaning.
//!
//! A [`Price`] counts ticks, a [`Qty`] hundredths of a lot, [`Money`] units of 10⁻¹⁹ of a currency. A symbol's
//! [`Grid`] multiplies them. Every product is exact; only fees and divisions round, and their documentation says how.
//!
//! Clauses: `TYPE-002`, `TYPE-003`, `TYPE-010`, `TYPE-019`, `TYPE-020`.
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

mod conversion;
mod decimal;
mod digits;
mod grid;
mod money;
mod price;
mod product;
mod qty;
mod rate;
mod wide;

pub use conversion::Ratio;
pub use decimal::{Decimal, DecimalError};
pub use digits::{push_fixed, push_trimmed, push_u64};
pub use grid::{Grid, GridError};
pub use money::{MONEY_DECIMALS, Money};
pub use price::Price;
pub use product::{Round, mul_div};
pub use qty::{HUNDREDTHS_PER_LOT, Qty};
pub use rate::Bps;
pub use wide::Wide;
