//! Public market data.

pub(crate) mod auction;
pub(crate) mod auction_history;
pub(crate) mod book;
pub(crate) mod candles;
pub(crate) mod details;
pub(crate) mod fee_promotions;
pub(crate) mod fx_rate;
pub(crate) mod price_feed;
pub(crate) mod symbols;
pub(crate) mod ticker_v1;
pub(crate) mod ticker_v2;
pub(crate) mod trades;
