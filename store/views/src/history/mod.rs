//! History: closed orders and trades in append-only log files, found through links in the rows themselves.
//!
//! Memory holds a head for each chain, so it grows with accounts and symbols, and hardly with age: a chain of n rows
//! adds log n positions. The files need no sync of their own, since a replay of the journal appends a lost tail
//! again: [`History::open`] cuts every file to the length in its [`Index`].
//!
//! * every row is linked to the one before it of its account, and of its account and symbol (public trades: of its
//!   symbol), with a jump pointer for searches in O(log n): `chain`, `page`;
//! * closed orders, which are linked in the order of closing, hold the least id of a range of rows, for pages by the time of
//!   placing: `placed`;
//! * public trades hold the figures of the same range of rows together, for the sums of a stretch of time in O(log n):
//!   `stretch`;
//! * closed orders are linked in hash buckets by order id and by client order id: `bucket`, `table`;
//! * changes of balances beside trades are rows of their own; with the trades they are the statement of an account: `entry`, `statement`;
//! * the kinds of rows are listed in `kinds`, and the bytes of most follow from their fields: `packed`. Rows without links are read by the
//!   history's database, which answers for them;
//! * wraps and instant orders are rows of their own, in no list of the book: `converted`;
//! * events of orders are linked by account, for clients that missed some and for pages: `order_events`, `resume`, `order_news`;
//! * the trades of one order are linked by [`TradeRow::of_order`], whose newest position the caller keeps.
//!
//! Clauses: `ORD-068`, `ORD-070` to `ORD-077`, `ORD-080`, `MKT-016` to `MKT-022`; decision D-14.

mod bucket;
mod chain;
mod clearing;
mod codec;
mod converted;
mod copy;
mod entry;
mod fault;
mod files;
mod funding;
mod index;
mod kinds;
mod log;
mod order_events;
mod order_news;
mod packed;
mod page;
mod placed;
mod predictions;
mod proof;
mod query;
mod resume;
mod row;
mod scan;
mod staking;
mod statement;
mod stretch;
mod sums;
mod table;

pub use codec::Position;
pub use copy::copy;
pub use fault::Fault;
pub use files::{History, Syncer, formats};
pub use index::Index;
pub(crate) use kinds::record_room_event;
pub use kinds::rows::*;
pub use kinds::{Each, KINDS, Lengths, Row, RowKind, Scan};
pub use order_news::{NewsBound, OrderNews};
pub use page::Limit;
pub use placed::PastOrder;
pub use proof::Proof;
pub use query::{Look, Query, Since, TradesFrom};
pub use resume::Resumed;
pub use scan::{Rows, Statements};
pub use statement::{Change, EntriesFrom, Line, Lines, Numbered};
pub use stretch::{Stretch, Stretched, Traded};
pub use sums::{Sums, Unexplained};

#[cfg(test)]
mod tests;
