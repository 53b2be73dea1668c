//! `GET /v1/book/{symbol}`: visible levels (MKT-011 to MKT-015).

use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Side;
use buttonwood_wire::answers::Book;
use buttonwood_wire::contract::{InQuery, Whole};
use buttonwood_wire::field::PAGE;
use buttonwood_wire::{market, request};

/// Anybody.
pub(crate) const ROUTE: Route =
    Route::public_recalling("/v1/book/{symbol}", |app, asked| Box::pin(answer(app, asked)))
        .about("Reads the visible levels of a book.")
        .notes(&["The book of a contract of the prediction markets has the prices of yes."])
        .takes::<Levels>()
        .gives::<Book>();

request! {
    /// How much of a book.
    pub(crate) struct Levels in InQuery {
        /// How many levels of buy orders; 50 without it, and with 0 all.
        limit_bids: Whole,
        /// How many levels of sell orders; 50 without it, and with 0 all.
        limit_asks: Whole,
    }
}

/// Levels that are written without a pause: about half a millisecond.
const AT_ONCE: usize = 1_000;

async fn answer(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let id = asked.traded(app)?;
    let request = Levels::of(asked.query);
    let levels =
        |limit: Option<u64>| limit.map_or(PAGE, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let (bids_max, asks_max) = (levels(request.limit_bids()?), levels(request.limit_asks()?));
    let (bids, asks) = {
        let views = app.exchange.views();
        (views.depth().levels(id, Side::Buy, bids_max), views.depth().levels(id, Side::Sell, asks_max))
    };
    let grid = &app.names.symbol(id).grid;
    // The level's time is a placeholder for old clients: the current second (facts T§2.5).
    let seconds = app.now().seconds();
    let body = if bids.len() + asks.len() <= AT_ONCE {
        market::book(grid, &bids, &asks, seconds)
    } else {
        market::long_book(grid, &bids, &asks, seconds).await
    };
    Ok(Reply::json(body))
}
