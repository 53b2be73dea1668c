//! `GET /v1/pubticker/{symbol}`: best prices, last trade, the day's volume (MKT-003 to MKT-007).

use crate::app::App;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_gate::{Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::Side;
use buttonwood_num::{MONEY_DECIMALS, Money, Qty};
use buttonwood_wire::{json, market};
use http::StatusCode;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/pubticker/{symbol}", answer);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let name = asked.parameter;
    // Plain text, as clients of this old path know it (facts T§2.3).
    let Ok(id) = asked.symbol(app) else {
        let message = format!("Data for symbol {} is not yet available", quoted(name));
        return Ok(Reply::text(StatusCode::NOT_FOUND, message));
    };
    let now = app.now();
    let (bid, ask, day) = {
        let views = app.exchange.views();
        (views.depth().best(id, Side::Buy), views.depth().best(id, Side::Sell), views.tape().day(id, now))
    };
    let symbol = app.names.symbol(id);
    let grid = &symbol.grid;
    let (base, quote) = day.map_or((Qty::ZERO, Money::ZERO), |day| (day.base, day.quote));
    let body = json::object(192, |json| {
        market::price(json, grid, "bid", bid.map(|(price, _)| price));
        market::price(json, grid, "ask", ask.map(|(price, _)| price));
        market::price(json, grid, "last", day.map(|day| day.last));
        json.object_field("volume", |json| {
            json.decimal(&app.names.currency(symbol.base).code, |out| grid.push_qty(out, base));
            json.decimal(&app.names.currency(symbol.quote).code, |out| {
                quote.push_floored(out, MONEY_DECIMALS);
            });
            json.number("timestamp", now.millis());
        });
    });
    Ok(Reply::json(body))
}
