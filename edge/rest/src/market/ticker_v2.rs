//! `GET /v2/ticker/{symbol}`: the day's prices, hour by hour (MKT-008 to MKT-010).

use buttonwood_call::{App, Asked, Route, unread};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Side;
use buttonwood_wire::contract::{DecimalText, Nullable};
use buttonwood_wire::{answer, json, market};

/// Anybody.
pub(crate) const ROUTE: Route =
    Route::public_recalling("/v2/ticker/{symbol}", |app, asked| Box::pin(answer(app, asked)))
        .about("Reads the day's prices of a symbol, hour by hour.")
        .notes(&[
            "`open` is the price in force 24 hours ago, or the first price since. `high` and `low` are of \
             the trades that are less than 24 hours old. Without such a trade all prices are the last one \
             before. `changes` has prices at the end of whole minutes.",
            "The prices of a contract of the prediction markets are those of yes.",
        ])
        .gives::<Ticker>();

answer! {
    /// The prices of the past 24 hours.
    struct Ticker {
        /// The symbol, in upper case.
        symbol: String,
        /// The price 24 hours ago; without one, the first price since.
        open: Nullable<DecimalText>,
        /// The highest price of the past 24 hours.
        high: Nullable<DecimalText>,
        /// The lowest price of the past 24 hours.
        low: Nullable<DecimalText>,
        /// The price of the last trade.
        close: Nullable<DecimalText>,
        /// The prices at the end of each of the past 24 hours, the newest first.
        changes: Vec<DecimalText>,
        /// The best bid.
        bid: Nullable<DecimalText>,
        /// The best ask.
        ask: Nullable<DecimalText>,
    }
}

async fn answer(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let id = asked.traded(app)?;
    let now = app.now();
    let (bid, ask, sums, changes) = {
        let views = app.exchange.views();
        let best = |side| views.depth().best(id, side).map(|(price, _)| price);
        (best(Side::Buy), best(Side::Sell), views.tape().sums(id, now), views.tape().changes(id, now))
    };
    let begun = app.exchange.stretch(sums.and_then(|sums| sums.window.stretch())).await;
    let begun = begun.map_err(|fault| unread(&fault))?;
    let symbol = app.names.symbol(id);
    let grid = &symbol.grid;
    let day = sums.map(|sums| sums.day(begun.as_ref(), grid));
    let price = |price| market::price(grid, price);
    let change = |price| DecimalText::of(|out| grid.push_price(out, price));
    let ticker = Ticker {
        symbol: symbol.name.to_ascii_uppercase(),
        open: price(day.map(|day| day.open)),
        high: price(day.map(|day| day.high)),
        low: price(day.map(|day| day.low)),
        close: price(day.map(|day| day.last)),
        changes: changes.into_iter().map(change).collect(),
        bid: price(bid),
        ask: price(ask),
    };
    Ok(Reply::json(json::body(&ticker)))
}
