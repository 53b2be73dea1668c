//! The oracle: a naive exchange written from the specification, and the dealer whose commands it and the core are
//! both given. For tests, fuzzing and simulation only; nothing of the product uses it.
//!
//! [`Exchange`] drives the core, [`Naive`] is what it is compared with, [`Dealer`] makes commands out of a seed or out of
//! bytes, [`step`] gives one command to both and says how they disagree.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what a test cannot do, fails it")]

mod compare;
mod counts;
mod dealer;
mod dice;
mod exchange;
mod naive;
mod worlds;

pub use compare::{agree, compare, step};
pub use dealer::Dealer;
pub use dice::Dice;
pub use exchange::{Exchange, Happening, caller, fees_account, next_auction, nonce};
pub use naive::Naive;
pub use worlds::{CALLS, DEEP, FINE, MAJORS, ODD, Range, World};
