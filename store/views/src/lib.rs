//! Read models: they answer queries, follow the journal, and can be rebuilt from it (INV-READ-1).
//!
//! [`history`] keeps closed orders and trades in log files, [`Tape`] the data of the tickers, [`Candles`] prices by interval, [`Depth`] the visible
//! levels of the books. None of them knows the engine; a [`Fold`] turns its events into calls of these, and [`Views`]
//! answers queries.

mod auctions;
mod candles;
mod depth;
mod fold;
pub mod history;
mod tape;
mod views;

pub use auctions::{AuctionResult, AuctionResults, RESULTS_KEPT};
pub use candles::{Candle, Candles, FRAMES, Frame};
pub use depth::Depth;
pub use fold::{Counted, Fold, Sink};
pub use tape::{Day, Move, Tape};
pub use views::{Found, Views};
