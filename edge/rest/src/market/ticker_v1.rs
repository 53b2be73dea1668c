//! `GET /v1/pubticker/{symbol}`: best prices, last trade, the day's volume (MKT-003 to MKT-007).

use crate::app::App;
use crate::call::Asked;
use crate::json;
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_gate::quoted;
use buttonwood_model::Side;
use buttonwood_num::{MONEY_DECIMALS, Money, Qty};
use http::StatusCode;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/pubticker/{symbol}", answer);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Reply> {
    let name = asked.parameter;
    // Plain text, as clients of this old path know it (facts T§2.3).
    let unknown = || {
        let message = format!("Data for symbol {} is not yet available", quoted(name));
        Reply::text(StatusCode::NOT_FOUND, message)
    };
    let id = asked.symbol(app).ok_or_else(unknown)?;
    let now = app.now();
    let (bid, ask, day) = {
        let views = app.exchange.views();
        (views.depth().best(id, Side::Buy), views.depth().best(id, Side::Sell), views.tape().day(id, now))
    };
    let symbol = app.listed.symbol(id);
    let grid = &symbol.grid;
    let (base, quote) = day.map_or((Qty::ZERO, Money::ZERO), |day| (day.base, day.quote));
    let body = json::object(192, |json| {
        super::price(json, grid, "bid", bid.map(|(price, _)| price));
        super::price(json, grid, "ask", ask.map(|(price, _)| price));
        super::price(json, grid, "last", day.map(|day| day.last));
        json.object_field("volume", |json| {
            json.decimal(&app.listed.currency(symbol.base).code, |out| grid.push_qty(out, base));
            json.decimal(&app.listed.currency(symbol.quote).code, |out| {
                quote.push_floored(out, MONEY_DECIMALS);
            });
            json.number("timestamp", now.millis());
        });
    });
    Ok(Reply::json(body))
}
