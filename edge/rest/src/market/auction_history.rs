//! `GET /v1/auction/{symbol}/history`: the results of auctions (AUCT-009, AUCT-010).

use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_num::{Grid, Qty};
use buttonwood_views::AuctionResult;
use buttonwood_wire::contract::{DecimalText, Flag, InQuery, PageRows, Timestamp};
use buttonwood_wire::market::auction_figures;
use buttonwood_wire::{answer, json, request, words};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/auction/{symbol}/history", answer)
    .about("Lists the results of a symbol's auctions, the newest first.")
    .takes::<Results>()
    .gives::<Vec<PastAuction>>();

request! {
    /// Which results.
    pub(crate) struct Results in InQuery {
        /// How many results at most; more than 500 are 500.
        limit_auction_results: PageRows,
        /// Whether indications are listed too.
        include_indicative: Flag<true>,
        /// Results after this time, in seconds or milliseconds.
        timestamp: Timestamp,
        /// Another name of `timestamp`.
        since: Timestamp,
    }
}

words! {
    /// Whether an auction found a price.
    struct Success: "success", "failure"
}

words! {
    /// Whether it was an auction or an indication.
    struct EventType: "auction", "indicative"
}

answer! {
    /// The result of an auction or an indication.
    struct PastAuction {
        /// The number of the auction.
        auction_id: u64,
        /// The price; 0 if there was none.
        auction_price: DecimalText,
        /// The quantity that traded.
        auction_quantity: DecimalText,
        /// The best bid.
        highest_bid_price: DecimalText,
        /// The best ask.
        lowest_ask_price: DecimalText,
        /// The collar.
        collar_price: DecimalText,
        /// The quantity that would have traded beyond the collar, if any.
        unmatched_collar_quantity: Option<DecimalText>,
        /// The event.
        eid: u64,
        /// Whether there was a price.
        auction_result: Success,
        /// When it was, in seconds.
        timestamp: u64,
        /// When it was, in milliseconds.
        timestampms: u64,
        /// Whether it was an auction or an indication.
        event_type: EventType,
    }
}

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let id = asked.symbol(app)?;
    let request = Results::of(asked.query);
    let rows = request.limit_auction_results()?.rows;
    let with_indicative = request.include_indicative()?;
    // An overridden parameter must be readable too: its sender expects it to count (TYPE-016).
    let (since, alias) = (request.timestamp()?, request.since()?);
    let since = since.or(alias);
    let results: Vec<_> = {
        let views = app.exchange.views();
        let newest = views.auctions().newest(id).take_while(|result| {
            // From the first millisecond on, that one included (TYPE-015).
            since.is_none_or(|since| since == 0 || result.stamp.time.millis() > since)
        });
        newest.filter(|result| with_indicative || !result.is_indicative).take(rows).copied().collect()
    };
    let grid = &app.names.symbol(id).grid;
    let results: Vec<_> = results.iter().map(|result| past(grid, result)).collect();
    Ok(Reply::json(json::body(&results)))
}

fn past(grid: &Grid, result: &AuctionResult) -> PastAuction {
    let figures = auction_figures(grid, result);
    let beyond = result.finding.beyond;
    PastAuction {
        auction_id: result.number,
        auction_price: figures.price,
        auction_quantity: figures.qty,
        highest_bid_price: figures.bid,
        lowest_ask_price: figures.ask,
        collar_price: figures.collar,
        unmatched_collar_quantity: (beyond > Qty::ZERO)
            .then(|| DecimalText::of(|out| grid.push_qty(out, beyond))),
        eid: result.stamp.seq.0,
        auction_result: Success(if result.finding.price.is_none() { "failure" } else { "success" }),
        timestamp: result.stamp.time.seconds(),
        timestampms: result.stamp.time.millis(),
        event_type: EventType(if result.is_indicative { "indicative" } else { "auction" }),
    }
}
