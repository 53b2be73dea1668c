//! `GET /v2/ticker/{symbol}`: the day's prices, hour by hour (MKT-008 to MKT-010).

use crate::app::App;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Side;
use buttonwood_wire::{json, market};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v2/ticker/{symbol}", answer);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let id = asked.symbol(app)?;
    let now = app.now();
    let (bid, ask, day, changes) = {
        let views = app.exchange.views();
        let best = |side| views.depth().best(id, side).map(|(price, _)| price);
        (best(Side::Buy), best(Side::Sell), views.tape().day(id, now), views.tape().changes(id, now))
    };
    let symbol = app.names.symbol(id);
    let grid = &symbol.grid;
    let body = json::object(512, |json| {
        json.plain("symbol", &symbol.name.to_ascii_uppercase());
        market::price(json, grid, "open", day.map(|day| day.open));
        market::price(json, grid, "high", day.map(|day| day.high));
        market::price(json, grid, "low", day.map(|day| day.low));
        market::price(json, grid, "close", day.map(|day| day.last));
        json.array_field("changes", changes, |json, price| {
            json.decimal_item(|out| grid.push_price(out, price));
        });
        market::price(json, grid, "bid", bid);
        market::price(json, grid, "ask", ask);
    });
    Ok(Reply::json(body))
}
