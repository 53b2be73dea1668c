//! `GET /v1/auction/{symbol}`: where a symbol's auctions stand (AUCT-008, AUCT-010).

use crate::app::App;
use crate::call::Asked;
use crate::json::{self, Json};
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_model::Time;
use buttonwood_num::{Grid, Price};
use buttonwood_views::AuctionResult;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/auction/{symbol}", answer);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Reply> {
    let id = super::symbol(app, asked)?;
    let now = app.now();
    let (auctions, last, told) = {
        let views = app.exchange.views();
        let auctions = views.state().auctions(id).cloned();
        let last = views.auctions().newest(id).find(|result| !result.is_indicative).copied();
        let told = views.auctions().newest(id).next().filter(|result| result.is_indicative).copied();
        (auctions, last, told)
    };
    let grid = &app.listed.symbol(id).grid;
    let body = json::object(512, |json| {
        let Some(auctions) = auctions else { return };
        let schedule = auctions.schedule();
        if let Some(schedule) = schedule.filter(|schedule| now < schedule.opening()) {
            json.number("closed_until_ms", schedule.opening().millis());
        }
        if let Some(last) = last {
            json.number("last_auction_eid", last.stamp.seq.0);
            found(json, grid, &last, &LAST);
        }
        // What was told of one that was called off, or moved, is told no more.
        let first = schedule.and_then(|schedule| schedule.next_indication(Time(0)));
        if let Some(told) = told.filter(|told| first.is_some_and(|first| first <= told.stamp.time)) {
            found(json, grid, &told, &TOLD);
        }
        if let Some(schedule) = schedule {
            let update = auctions.next_indication().unwrap_or(schedule.time);
            json.number("next_update_ms", update.millis());
            json.number("next_auction_ms", schedule.time.millis());
        }
    });
    Ok(Reply::json(body))
}

/// The names of what an auction found: price, quantity, best bid, best ask, collar.
pub(super) type Names = [&'static str; 5];

const LAST: Names = [
    "last_auction_price",
    "last_auction_quantity",
    "last_highest_bid_price",
    "last_lowest_ask_price",
    "last_collar_price",
];
const TOLD: Names = [
    "most_recent_indicative_price",
    "most_recent_indicative_quantity",
    "most_recent_highest_bid_price",
    "most_recent_lowest_ask_price",
    "most_recent_collar_price",
];

/// Writes what an auction found, or would find, under these names; what there is not is 0.
pub(super) fn found(json: &mut Json, grid: &Grid, result: &AuctionResult, names: &Names) {
    let [price, qty, bid, ask, collar] = *names;
    let finding = &result.finding;
    price_or_zero(json, grid, price, finding.price);
    json.decimal(qty, |out| grid.push_qty(out, finding.qty));
    price_or_zero(json, grid, bid, finding.bid);
    price_or_zero(json, grid, ask, finding.ask);
    json.decimal(collar, |out| match finding.collar {
        Some(collar) => grid.push_half_ticks(out, collar.half_ticks()),
        None => out.push(b'0'),
    });
}

fn price_or_zero(json: &mut Json, grid: &Grid, name: &str, price: Option<Price>) {
    json.decimal(name, |out| match price {
        Some(price) => grid.push_price(out, price),
        None => out.push(b'0'),
    });
}
