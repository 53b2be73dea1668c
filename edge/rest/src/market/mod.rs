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

use buttonwood_call::Face;

/// The endpoints.
pub(crate) const FACE: Face = Face {
    routes: &[
        symbols::ROUTE,
        details::ALL,
        details::ROUTE,
        book::ROUTE,
        trades::ROUTE,
        ticker_v1::ROUTE,
        ticker_v2::ROUTE,
        candles::ROUTE,
        candles::DERIVATIVES,
        price_feed::ROUTE,
        fee_promotions::ROUTE,
        auction::ROUTE,
        auction_history::ROUTE,
        fx_rate::ROUTE,
    ],
    ..Face::NONE
};
