//! Reference prices: for each currency one index, in dollars.
//!
//! An index is the price that an operator pinned, or the median of the currency's own dollar book and the fresh prices of feeds, if
//! those are as many sources as are needed. A book whose bid and ask are near counts with their middle (D-288). Every product reads it
//! here: marks, premiums, spot margin, collateral, instant orders and advances. Indices are taken with the marks; what accounts hold is
//! valued at the latest.
//!
//! The reference is the same for what the house pays by it: there a book counts only as far as other groups made it. The house
//! lends by the lower of the two.
//! Marks read the plain index, since D-177 and D-178 bound what they move.
//!
//! Clauses: `PERP-012`; decisions D-38, D-179. Not here: the mark of a contract (`margin`), and when marks are taken (`perp`).
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

mod feeds;
mod indices;
mod latest;
mod lending;
mod price;
mod reference;
mod sources;

pub use feeds::{FRESH, FeedPrices, NAME_MAX};
pub use indices::Indices;
pub use latest::{Index, Latest};
pub use price::{book_median, book_price, median};
pub use reference::{LEVELS_MAX, ORDERS_MAX, References};
pub use sources::{Bound, Sources};
