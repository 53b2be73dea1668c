//! `GET /v1/auction/{symbol}`: where a symbol's auctions stand (AUCT-008, AUCT-010).

use crate::app::App;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Time;
use buttonwood_wire::json;
use buttonwood_wire::market::{AuctionNames, auction_result};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/auction/{symbol}", answer);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let id = asked.symbol(app)?;
    let now = app.now();
    let (auctions, last, indicated) = {
        let views = app.exchange.views();
        let auctions = views.state().auctions(id).cloned();
        let last = views.auctions().newest(id).find(|result| !result.is_indicative).copied();
        let indicated = views.auctions().newest(id).next().filter(|result| result.is_indicative).copied();
        (auctions, last, indicated)
    };
    let grid = &app.names.symbol(id).grid;
    let body = json::object(512, |json| {
        let Some(auctions) = auctions else { return };
        let schedule = auctions.schedule();
        if let Some(schedule) = schedule.filter(|schedule| now < schedule.opening()) {
            json.number("closed_until_ms", schedule.opening().millis());
        }
        if let Some(last) = last {
            json.number("last_auction_eid", last.stamp.seq.0);
            auction_result(json, grid, &last, &LAST);
        }
        // The indication of an auction that was cancelled or moved is left out.
        let first = schedule.and_then(|schedule| schedule.next_indication(Time(0)));
        if let Some(result) = indicated.filter(|result| first.is_some_and(|first| first <= result.stamp.time))
        {
            auction_result(json, grid, &result, &INDICATED);
        }
        if let Some(schedule) = schedule {
            let update = auctions.next_indication().unwrap_or(schedule.time);
            json.number("next_update_ms", update.millis());
            json.number("next_auction_ms", schedule.time.millis());
        }
    });
    Ok(Reply::json(body))
}

const LAST: AuctionNames = [
    "last_auction_price",
    "last_auction_quantity",
    "last_highest_bid_price",
    "last_lowest_ask_price",
    "last_collar_price",
];
const INDICATED: AuctionNames = [
    "most_recent_indicative_price",
    "most_recent_indicative_quantity",
    "most_recent_highest_bid_price",
    "most_recent_lowest_ask_price",
    "most_recent_collar_price",
];
