//! The list of the kinds of rows: one line a kind. The files, their lengths, scans, copies and proofs are composed of it, and what the history's
//! database is made from.
//!
//! A new kind goes at the end: a checkpoint stores the lengths in the order of the list.

use super::codec::{Damage, Position};
use super::fault::Fault;
use super::files::History;
use super::index::{HEADER, Index};
use super::log::Magic;
use super::scan::{Rows, check_rows};
use crate::fold::{Fold, Recorded, Sink};
use buttonwood_disk::Folder;
use buttonwood_engine::Infrequent;
use buttonwood_model::Stamp;
use serde::{Deserialize, Serialize};

/// The bytes of a row.
pub trait Stored: Sized {
    /// Links the row at `at` to those before it, and appends its body.
    fn put(&self, at: Position, index: &mut Index, out: &mut Vec<u8>);

    /// Reads the body of the row at `at`.
    ///
    /// # Errors
    /// [`Damage`] if the bytes are no row.
    fn take(at: Position, body: &[u8]) -> Result<Self, Damage>;
}

/// A row of a kind of the list.
pub trait RowKind: Stored + Copy + Into<Row> {
    /// Whether tables of the history's database are made from rows of the kind.
    const IN_TABLES: bool;

    /// The value of the kind.
    fn of<T>(each: &Each<T>) -> &T;

    /// The same, to change it.
    fn of_mut<T>(each: &mut Each<T>) -> &mut T;
}

/// Composes the kinds. A line has the kind's name, the name of its file without `.log`, and the words for its rows; its module, with the type of a row and the
/// types of its fields; the first bytes of the file, and the bytes per half of the newest rows that stay in memory; the room whose infrequent
/// events give its rows, if there is one (`Recorded`); and whether tables are made from it.
macro_rules! rows {
    (@in_tables) => { false };
    (@in_tables tables) => { true };
    ($($kind:ident, $each:ident, $words:literal: $module:ident::{$row:ident $(, $more:ident)*}, $magic:literal, $half:expr
        $(, from $room:ident)? $(=> $tables:ident)?;)+) => {
        /// The types of the rows and of their fields.
        pub(super) mod rows {
            $(pub use crate::history::$module::{$row $(, $more)*};)+
        }

        /// A row of any kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Row {
            $(
                #[doc = concat!("Of ", $words, ".")]
                $kind(rows::$row),
            )+
        }

        $(
            impl From<rows::$row> for Row {
                fn from(row: rows::$row) -> Self {
                    Self::$kind(row)
                }
            }

            impl RowKind for rows::$row {
                const IN_TABLES: bool = rows!(@in_tables $($tables)?);

                fn of<T>(each: &Each<T>) -> &T {
                    &each.$each
                }

                fn of_mut<T>(each: &mut Each<T>) -> &mut T {
                    &mut each.$each
                }
            }
        )+

        impl Row {
            /// The name of its kind.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$kind(_) => stringify!($each)),+ }
            }
        }

        /// Records an infrequent event before it is applied, if it is of a room that gives the rows of a kind.
        pub(crate) fn record_room_event(fold: &mut Fold, stamp: Stamp, event: &Infrequent, sink: &mut impl Sink) {
            $($(
                if let Infrequent::$room(event) = event {
                    event.record(fold, stamp, sink);
                }
            )?)+
        }

        /// The rows of every file, oldest first.
        #[derive(Debug)]
        pub struct Scan {
            $(
                #[doc = concat!("Those of ", $words, ".")]
                pub $each: Rows<rows::$row>,
            )+
        }

        impl Scan {
            /// Opens the files in a folder, each up to a length; `None` if a file is missing, too short, or one that a start
            /// would not use.
            ///
            /// # Errors
            /// [`Fault::Io`] if a file cannot be read.
            pub fn open(directory: &Folder, lengths: Lengths) -> Result<Option<Self>, Fault> {
                $(let $each = Rows::open(directory, FILES.$each, lengths.$each, rows::$row::take)?;)+
                Ok(Some(Self { $($each: match $each {
                    Some(rows) => rows,
                    None => return Ok(None),
                }),+ }))
            }

            /// The rows of a live history after these lengths. Rows that are not in the files yet are copied.
            pub(super) fn after(history: &History, from: Lengths) -> Self {
                Self { $($each: Rows::after(&history.logs.$each, from.$each, rows::$row::take)),+ }
            }

            /// Reads every row. `goes_on` is called after every few hundred rows, and ends the reading with `false`.
            ///
            /// # Errors
            /// [`Fault::Damaged`] for the first row that is none, [`Fault::Io`] if a file cannot be read.
            pub fn check(self, mut goes_on: impl FnMut() -> bool) -> Result<(), Fault> {
                $(check_rows(self.$each, &mut goes_on)?;)+
                Ok(())
            }

            /// The rows of all kinds, one kind after the other.
            pub fn all(self) -> impl Iterator<Item = Result<Row, Fault>> {
                std::iter::empty()$(.chain(self.$each.map(|row| row.map(Row::from))))+
            }

            /// The next row of a kind from which tables are made, one kind after the other.
            pub fn next_of_tables(&mut self) -> Option<Result<Row, Fault>> {
                $(
                    if rows::$row::IN_TABLES && let Some(row) = self.$each.next() {
                        return Some(row.map(Row::from));
                    }
                )+
                None
            }

            /// The bytes of the rows that are left, of each kind.
            pub fn left(&self) -> Each<u64> {
                Each { $($each: self.$each.left()),+ }
            }
        }

        /// A value for each kind of row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Each<T> {
            $(
                #[doc = concat!("For ", $words, ".")]
                pub $each: T,
            )+
        }

        /// The name of each kind.
        pub const KINDS: Each<&str> = Each { $($each: stringify!($each)),+ };

        /// Whether tables of the history's database are made from the kind.
        const IN_TABLES: Each<bool> = Each { $($each: rows::$row::IN_TABLES),+ };

        /// How many kinds there are.
        const COUNT: usize = [$(stringify!($each)),+].len();

        /// The name of each file, and its first bytes.
        pub(super) const FILES: Each<(&str, Magic)> = Each { $($each: (concat!(stringify!($each), ".log"), *$magic)),+ };

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
            type IntoIter = std::array::IntoIter<T, COUNT>;

            fn into_iter(self) -> Self::IntoIter {
                [$(self.$each),+].into_iter()
            }
        }
    };
}

/// The length of each file, including the header.
pub type Lengths = Each<u64>;

impl<T> Each<T> {
    /// The values of the kinds from which tables of the history's database are made.
    pub fn of_tables(self) -> impl Iterator<Item = T> {
        self.zip(IN_TABLES).into_iter().filter_map(|(value, is_in)| is_in.then_some(value))
    }
}

rows! {
    Trade, trades, "trades of accounts, by time": row::{TradeRow, Part, Settled}, b"BWtrade2", 11 << 20 => tables;
    Order, orders, "closed orders, by the time when they closed": row::{OrderRow}, b"BWorder3", 4 << 20;
    Public, public, "public trades, by time": row::{PublicTrade}, b"BWpubli2", 2 << 20 => tables;
    Funding, funding, "amounts of funding, and payments, by hour": funding::{FundingRow}, b"BWfundi1", 64 << 10, from Perp => tables;
    Entry, entries, "changes of balances beside trades, by time": entry::{EntryRow}, b"BWentry2", 1 << 20;
    Conversion, conversions, "wraps and instant orders, by time": converted::{ConversionRow}, b"BWconve1", 64 << 10, from Convert;
    Clearing, clearing, "closed clearing orders, by the time of closing": clearing::{ClearingRow, ClearingEnd}, b"BWclear1", 64 << 10, from Clearing
        => tables;
    Staking, staking, "stakes, interest and paid redemptions, by command": staking::{StakingRow, StakingKind}, b"BWstake1", 64 << 10, from Staking
        => tables;
    Prediction, predictions, "closed orders of contracts, positions that ended and sales of claims, by command":
        predictions::{PredictionRow, ClosedContractOrder, SettledPosition, Settlement, SoldClaims}, b"BWpredi2", 64 << 10, from Prediction
        => tables;
    OrderEvent, order_events, "events of orders, by id": order_events::{OrderEventRow, ClosedRow, RowStep}, b"BWevent1", 4 << 20;
}
