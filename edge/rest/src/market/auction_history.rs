//! `GET /v1/auction/{symbol}/history`: what auctions came to (AUCT-009, AUCT-010).

use crate::app::App;
use crate::call::Asked;
use crate::route::Route;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_num::Qty;
use buttonwood_wire::field;
use buttonwood_wire::json;
use buttonwood_wire::market::{AuctionNames, auction_result};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/auction/{symbol}/history", answer);

const NAMES: AuctionNames =
    ["auction_price", "auction_quantity", "highest_bid_price", "lowest_ask_price", "collar_price"];

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let id = asked.symbol(app)?;
    let rows = match asked.query_number("limit_auction_results")? {
        Some(0) => return Err(field::bad_query("limit_auction_results", "at least 1", "0")),
        rows => field::page(rows).rows,
    };
    let with_indicative = asked.query_flag("include_indicative", true)?;
    let since = asked.query_since()?;
    let results: Vec<_> = {
        let views = app.exchange.views();
        let newest = views.auctions().newest(id).take_while(|result| {
            // From the first millisecond on, that one included (TYPE-015).
            since.is_none_or(|since| since == 0 || result.stamp.time.millis() > since)
        });
        newest.filter(|result| with_indicative || !result.is_indicative).take(rows).copied().collect()
    };
    let grid = &app.names.symbol(id).grid;
    let body = json::array(&results, |json, result| {
        json.object(|json| {
            json.number("auction_id", result.number);
            auction_result(json, grid, result, &NAMES);
            let beyond = result.finding.beyond;
            if beyond > Qty::ZERO {
                json.decimal("unmatched_collar_quantity", |out| grid.push_qty(out, beyond));
            }
            json.number("eid", result.stamp.seq.0);
            let failed = result.finding.price.is_none();
            json.plain("auction_result", if failed { "failure" } else { "success" });
            json.number("timestamp", result.stamp.time.seconds());
            json.number("timestampms", result.stamp.time.millis());
            json.plain("event_type", if result.is_indicative { "indicative" } else { "auction" });
        });
    });
    Ok(Reply::json(body))
}
