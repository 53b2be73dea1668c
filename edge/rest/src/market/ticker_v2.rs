//! `GET /v2/ticker/{symbol}`: the day's prices, hour by hour (MKT-008 to MKT-010).

use crate::app::App;
use crate::call::Asked;
use crate::json;
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_model::Side;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v2/ticker/{symbol}", answer);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Reply> {
    let id = super::symbol(app, asked)?;
    let now = app.now();
    let (bid, ask, day, changes) = {
        let views = app.exchange.views();
        let best = |side| views.depth().best(id, side).map(|(price, _)| price);
        (best(Side::Buy), best(Side::Sell), views.tape().day(id, now), views.tape().changes(id, now))
    };
    let symbol = app.listed.symbol(id);
    let grid = &symbol.grid;
    let body = json::object(512, |json| {
        json.plain("symbol", &symbol.name.to_ascii_uppercase());
        super::price(json, grid, "open", day.map(|day| day.open));
        super::price(json, grid, "high", day.map(|day| day.high));
        super::price(json, grid, "low", day.map(|day| day.low));
        super::price(json, grid, "close", day.map(|day| day.last));
        json.array_field("changes", changes, |json, price| {
            json.decimal_item(|out| grid.push_price(out, price));
        });
        super::price(json, grid, "bid", bid);
        super::price(json, grid, "ask", ask);
    });
    Ok(Reply::json(body))
}
