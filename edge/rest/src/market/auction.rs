//! `GET /v1/auction/{symbol}`: the state of a symbol's auctions (AUCT-008, AUCT-010).

use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Time;
use buttonwood_num::Grid;
use buttonwood_views::AuctionResult;
use buttonwood_wire::contract::DecimalText;
use buttonwood_wire::market::auction_figures;
use buttonwood_wire::{answer, json};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/auction/{symbol}", answer)
    .about("Reads when a symbol's next auction is, and the result of the last one.")
    .gives::<Auction>();

answer! {
    /// The state of a symbol's auctions; empty without auctions.
    struct Auction {
        /// When the next auction takes orders, in milliseconds; absent once it does.
        closed_until_ms: Option<u64>,
        /// The event of the last auction.
        last_auction_eid: Option<u64>,
        /// The price of the last auction; 0 if it found none.
        last_auction_price: Option<DecimalText>,
        /// The quantity that the last auction traded.
        last_auction_quantity: Option<DecimalText>,
        /// The best bid in the last auction.
        last_highest_bid_price: Option<DecimalText>,
        /// The best ask in the last auction.
        last_lowest_ask_price: Option<DecimalText>,
        /// The collar of the last auction.
        last_collar_price: Option<DecimalText>,
        /// The price of the newest indication; 0 if there was none.
        most_recent_indicative_price: Option<DecimalText>,
        /// The quantity of the newest indication.
        most_recent_indicative_quantity: Option<DecimalText>,
        /// The best bid in the newest indication.
        most_recent_highest_bid_price: Option<DecimalText>,
        /// The best ask in the newest indication.
        most_recent_lowest_ask_price: Option<DecimalText>,
        /// The collar of the newest indication.
        most_recent_collar_price: Option<DecimalText>,
        /// When the next indication is, in milliseconds, or else the auction.
        next_update_ms: Option<u64>,
        /// When the next auction is, in milliseconds.
        next_auction_ms: Option<u64>,
    }
}

impl Auction {
    const NONE: Self = Self {
        closed_until_ms: None,
        last_auction_eid: None,
        last_auction_price: None,
        last_auction_quantity: None,
        last_highest_bid_price: None,
        last_lowest_ask_price: None,
        last_collar_price: None,
        most_recent_indicative_price: None,
        most_recent_indicative_quantity: None,
        most_recent_highest_bid_price: None,
        most_recent_lowest_ask_price: None,
        most_recent_collar_price: None,
        next_update_ms: None,
        next_auction_ms: None,
    };

    /// The same with the last auction's result.
    fn with_last(self, grid: &Grid, result: &AuctionResult) -> Self {
        let figures = auction_figures(grid, result);
        Self {
            last_auction_eid: Some(result.stamp.seq.0),
            last_auction_price: Some(figures.price),
            last_auction_quantity: Some(figures.qty),
            last_highest_bid_price: Some(figures.bid),
            last_lowest_ask_price: Some(figures.ask),
            last_collar_price: Some(figures.collar),
            ..self
        }
    }

    /// The same with the newest indication.
    fn with_indication(self, grid: &Grid, result: &AuctionResult) -> Self {
        let figures = auction_figures(grid, result);
        Self {
            most_recent_indicative_price: Some(figures.price),
            most_recent_indicative_quantity: Some(figures.qty),
            most_recent_highest_bid_price: Some(figures.bid),
            most_recent_lowest_ask_price: Some(figures.ask),
            most_recent_collar_price: Some(figures.collar),
            ..self
        }
    }
}

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
    let mut answer = Auction::NONE;
    if let Some(auctions) = auctions {
        let schedule = auctions.schedule();
        if let Some(schedule) = schedule {
            let opening = schedule.opening();
            answer.closed_until_ms = (now < opening).then(|| opening.millis());
            answer.next_update_ms = Some(auctions.next_indication().unwrap_or(schedule.time).millis());
            answer.next_auction_ms = Some(schedule.time.millis());
        }
        if let Some(last) = last {
            answer = answer.with_last(grid, &last);
        }
        // The indication of an auction that was cancelled or moved is left out.
        let first = schedule.and_then(|schedule| schedule.next_indication(Time(0)));
        if let Some(result) = indicated.filter(|result| first.is_some_and(|first| first <= result.stamp.time))
        {
            answer = answer.with_indication(grid, &result);
        }
    }
    Ok(Reply::json(json::body(&answer)))
}
