//! `GET /v1/book/{symbol}`: visible levels (MKT-011 to MKT-015).

use crate::app::App;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Side;
use buttonwood_wire::field::PAGE;
use buttonwood_wire::market;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/book/{symbol}", answer);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let id = asked.symbol(app)?;
    let levels = |name| {
        let limit =
            asked.query_number(name)?.map_or(PAGE, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Ok::<_, Refusal>(limit)
    };
    let (bids_max, asks_max) = (levels("limit_bids")?, levels("limit_asks")?);
    let (bids, asks) = {
        let views = app.exchange.views();
        (views.depth().levels(id, Side::Buy, bids_max), views.depth().levels(id, Side::Sell, asks_max))
    };
    let grid = &app.names.symbol(id).grid;
    // The level's time is a placeholder for old clients: the current second (facts T§2.5).
    let seconds = app.now().seconds();
    Ok(Reply::json(market::book(grid, &bids, &asks, seconds)))
}
