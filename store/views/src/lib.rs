//! Read models: they answer queries, follow the journal, and can be rebuilt from it (INV-READ-1).
//!
//! [`history`] keeps closed orders, trades and [`OrderEvent`]s in log files, [`Tape`] the data of the tickers, [`Candles`] prices by interval,
//! [`TradeVolumes`] what each account traded by day, [`Depth`] the visible levels of the books, [`Conversion`] converts amounts
//! at last prices, [`reserves`] the proof of reserves. None of them knows the engine; a [`Fold`] turns its events into calls of these, and [`Views`]
//! answers queries.

mod auctions;
mod bars;
mod breaks;
mod candles;
mod conversion;
mod depth;
mod fold;
pub mod history;
mod order_event;
pub mod reserves;
mod tape;
mod told;
mod views;
mod volumes;

pub use auctions::{AuctionResult, AuctionResults, RESULTS_KEPT};
pub use bars::Bars;
pub use breaks::Records;
pub use candles::{Candle, Candles, FRAMES, Frame};
pub use conversion::Conversion;
pub use depth::Depth;
pub use fold::{Counted, Fold, Sink};
pub use order_event::{AccountEvent, EventId, OrderChange, OrderEvent, OrderFill, RefusedEvent, Step};
pub use tape::{Day, Move, Sums, Tape, Window};
pub use told::{AuctionTold, Happening, Level, Moved, PositionPaid, Removed, Told};
pub use views::{Found, Known, Views};
pub use volumes::{ByRole, Fills, TradeVolume, TradeVolumes, VOLUME_DAYS};
