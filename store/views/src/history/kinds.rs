//! The list of the kinds of rows: one line a kind. The files, their lengths, copies and proofs are composed of it.
//!
//! A new kind goes at the end: a checkpoint stores the lengths in the order of the list.

use super::index::HEADER;
use super::log::Magic;
use serde::{Deserialize, Serialize};

/// Composes the kinds. A line has the name of the kind's file among all files, the words for its rows, the name of the file with its first
/// bytes, and the bytes per half of the newest rows that stay in memory.
macro_rules! rows {
    ($($each:ident, $words:literal: $file:literal, $magic:literal, $half:expr;)+) => {
        /// A value for each kind of row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Each<T> {
            $(
                #[doc = concat!("For ", $words, ".")]
                pub $each: T,
            )+
        }

        /// How many kinds there are.
        const KINDS: usize = [$(stringify!($each)),+].len();

        /// The name of each file, and its first bytes.
        pub(super) const FILES: Each<(&str, Magic)> = Each { $($each: ($file, *$magic)),+ };

        /// The bytes per half of the newest rows that stay in memory: at most twice this, so 44 MiB. At 90 bytes a row, the newest 50 trades
        /// of 2,500 equally busy accounts. Rows that only the database reads are few here. Of order events the newest 100,000 rows stay, for
        /// clients that reconnect.
        pub(super) const HALVES: Each<usize> = Each { $($each: $half),+ };

        impl Lengths {
            /// Those of files without rows.
            pub const fn empty() -> Self {
                Self { $($each: HEADER),+ }
            }
        }

        impl<T> Each<T> {
            /// Applies a function to the value of each kind, in the order of the list.
            pub fn map<U>(self, mut apply: impl FnMut(T) -> U) -> Each<U> {
                Each { $($each: apply(self.$each)),+ }
            }

            /// The same with a function that may fail; it ends with the first error.
            ///
            /// # Errors
            /// That of the function.
            pub fn try_map<U, E>(self, mut apply: impl FnMut(T) -> Result<U, E>) -> Result<Each<U>, E> {
                Ok(Each { $($each: apply(self.$each)?),+ })
            }

            /// Each value with the one of the same kind.
            pub fn zip<U>(self, other: Each<U>) -> Each<(T, U)> {
                Each { $($each: (self.$each, other.$each)),+ }
            }

            /// A reference to each value.
            pub const fn each_ref(&self) -> Each<&T> {
                Each { $($each: &self.$each),+ }
            }

            /// A mutable reference to each value.
            pub const fn each_mut(&mut self) -> Each<&mut T> {
                Each { $($each: &mut self.$each),+ }
            }
        }

        impl<T> IntoIterator for Each<T> {
            type Item = T;
            type IntoIter = std::array::IntoIter<T, KINDS>;

            fn into_iter(self) -> Self::IntoIter {
                [$(self.$each),+].into_iter()
            }
        }
    };
}

/// The length of each file, including the header.
pub type Lengths = Each<u64>;

rows! {
    trades, "trades of accounts, by time": "trades.log", b"BWtrade2", 11 << 20;
    orders, "closed orders, by the time when they closed": "orders.log", b"BWorder3", 4 << 20;
    public, "public trades, by time": "public.log", b"BWpubli2", 2 << 20;
    funding, "amounts of funding, and payments, by hour": "funding.log", b"BWfundi1", 64 << 10;
    entries, "changes of balances beside trades, by time": "entries.log", b"BWentry2", 1 << 20;
    conversions, "wraps and instant orders, by time": "conversions.log", b"BWconve1", 64 << 10;
    clearing, "closed clearing orders, by the time when they closed": "clearing.log", b"BWclear1", 64 << 10;
    staking, "transactions of staking and paid redemptions, in the order of the journal": "staking.log", b"BWstake1", 64 << 10;
    predictions, "closed orders of contracts, positions that ended and sales of claims, in the order of the journal":
        "predictions.log", b"BWpredi2", 64 << 10;
    order_events, "events of orders, in the order of their ids": "order_events.log", b"BWevent1", 4 << 20;
}
