//! `GET /v1/book/{symbol}`: visible levels (MKT-011 to MKT-015).

use crate::app::App;
use crate::call::Asked;
use crate::field::PAGE;
use crate::json::{self, Json};
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_model::Side;
use buttonwood_num::{Grid, Price, Qty};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/book/{symbol}", answer);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Reply> {
    let id = super::symbol(app, asked)?;
    let levels = |name| {
        let limit =
            asked.query_number(name)?.map_or(PAGE, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Ok::<_, Reply>(limit)
    };
    let (bids_max, asks_max) = (levels("limit_bids")?, levels("limit_asks")?);
    let (bids, asks) = {
        let views = app.exchange.views();
        (views.depth().levels(id, Side::Buy, bids_max), views.depth().levels(id, Side::Sell, asks_max))
    };
    let grid = &app.listed.symbol(id).grid;
    // The level's time is a placeholder of old: the current second (facts T§2.5).
    let seconds = app.now().seconds();
    let body = json::object(96 * (bids.len() + asks.len()) + 32, |json| {
        json.array_field("bids", &bids, |json, level| entry(json, grid, *level, seconds));
        json.array_field("asks", &asks, |json, level| entry(json, grid, *level, seconds));
    });
    Ok(Reply::json(body))
}

fn entry(json: &mut Json, grid: &Grid, (price, qty): (Price, Qty), seconds: u64) {
    json.object(|json| {
        json.decimal("price", |out| grid.push_price(out, price));
        json.decimal("amount", |out| grid.push_qty(out, qty));
        json.number_text("timestamp", seconds);
    });
}
