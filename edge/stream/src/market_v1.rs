//! `/v1/marketdata/{symbol}` and `/v1/multimarketdata` (EVT-016 to EVT-019, facts T§10).
//!
//! All that one command does to one symbol is one frame.

use crate::book::{Book, Tops};
use crate::frame::{Frame, Waits};
use crate::topic::V1Options;
use crate::watched::{Change, Market};
use buttonwood_model::{Side, Time};
use buttonwood_num::{Price, Qty};
use buttonwood_views::history::PublicTrade;
use buttonwood_views::{AuctionTold, Level, Moved};
use buttonwood_wire::contract::Shape as _;
use buttonwood_wire::market::auction_figures;
use buttonwood_wire::{Json, json};
use std::sync::Arc;

/// Bits of a command's number in an event id; the rest parts what the command did.
const PLACE_BITS: u32 = 17;
/// The place of a first frame, behind all that a command does.
const LAST_PLACE: u64 = (1 << PLACE_BITS) - 1;

/// The frame of what a command did; none if the reader sees nothing of it. `tops` are the best levels before and after.
pub(crate) fn frame(
    market: &Market,
    options: V1Options,
    change: &Change<'_>,
    tops: (Tops, Tops),
) -> Option<Arc<Frame>> {
    let place = u64::try_from(change.place).unwrap_or(LAST_PLACE).min(LAST_PLACE - 1);
    let mut count = 0;
    let object = json::object(256, |json| {
        json.plain("type", "update");
        json.number("eventId", change.stamp.seq.0 << PLACE_BITS | place);
        json.number("timestamp", change.stamp.time.seconds());
        json.number("timestampms", change.stamp.time.millis());
        json.field("events", |json| {
            json.list(|json| {
                let mut events = Events { market, options, json, count: 0 };
                events.write(change, tops);
                count = events.count;
            });
        });
    });
    (count > 0).then(|| Frame::of(object, Waits::Behind))
}

/// The first frame as of a command: the whole book, or its best levels.
pub(crate) fn first(market: &Market, options: V1Options, book: &Book, at: u64) -> Arc<Frame> {
    // Of several symbols, those with higher numbers come later.
    let place = (LAST_PLACE / 2).saturating_add(u64::from(market.id.0)).min(LAST_PLACE);
    let object = json::object(4_096, |json| {
        json.plain("type", "update");
        json.number("eventId", at << PLACE_BITS | place);
        // An empty book has no event that names it (D-284).
        if options.has(V1Options::NAMED) {
            json.plain("symbol", &market.upper);
        }
        json.field("events", |json| {
            json.list(|json| {
                let mut events = Events { market, options, json, count: 0 };
                let is_top = options.has(V1Options::TOP_OF_BOOK);
                let limit = if is_top { 1 } else { usize::MAX };
                for side in [Side::Sell, Side::Buy] {
                    for (price, qty) in book.best(side, limit) {
                        if is_top { events.top(side, price, qty) } else { events.initial(side, price, qty) }
                    }
                }
            });
        });
    });
    Frame::of(object, Waits::Behind)
}

/// The events of a frame in progress.
struct Events<'a> {
    market: &'a Market,
    options: V1Options,
    json: &'a mut Json,
    count: usize,
}

impl Events<'_> {
    fn write(&mut self, change: &Change<'_>, (before, now): (Tops, Tops)) {
        let is_top = self.options.has(V1Options::TOP_OF_BOOK);
        for happening in &change.happenings {
            happening.trade().into_iter().for_each(|trade| self.trade(trade));
            happening.level().filter(|_| !is_top).into_iter().for_each(|level| self.change(level));
            happening.auction().into_iter().for_each(|told| self.auction(told));
        }
        if is_top {
            for (side, before, now) in [(Side::Buy, before[0], now[0]), (Side::Sell, before[1], now[1])] {
                match (before, now) {
                    (before, now) if before == now => {}
                    (_, Some((price, qty))) => self.top(side, price, qty),
                    (Some((price, _)), None) => self.top(side, price, Qty::ZERO),
                    (None, None) => {}
                }
            }
        }
    }

    /// Whether the reader sees a side.
    fn sees(&self, side: Side) -> bool {
        self.options.has(match side {
            Side::Buy => V1Options::BIDS,
            Side::Sell => V1Options::OFFERS,
        })
    }

    fn initial(&mut self, side: Side, price: Price, qty: Qty) {
        if self.sees(side) {
            self.level(side, price, qty, "initial", Some(("", qty)));
        }
    }

    fn top(&mut self, side: Side, price: Price, qty: Qty) {
        if self.sees(side) {
            self.level(side, price, qty, "top-of-book", None);
        }
    }

    fn change(&mut self, level: &Level) {
        if !self.sees(level.side) {
            return;
        }
        let (reason, sign) = match level.why {
            Moved::Placed => ("place", ""),
            Moved::Traded => ("trade", "-"),
            Moved::Cancelled => ("cancel", "-"),
        };
        self.level(level.side, level.price, level.now, reason, Some((sign, level.by)));
    }

    fn auction(&mut self, told: &AuctionTold) {
        if !self.options.has(V1Options::AUCTIONS) {
            return;
        }
        self.count += 1;
        let (market, is_named) = (self.market, self.options.has(V1Options::NAMED));
        self.json.object(|json| {
            auction(json, market, told);
            if is_named {
                json.plain("symbol", &market.upper);
            }
        });
    }

    fn level(&mut self, side: Side, price: Price, qty: Qty, reason: &str, delta: Option<(&str, Qty)>) {
        self.count += 1;
        let market = self.market;
        let grid = &market.symbol.grid;
        let is_named = self.options.has(V1Options::NAMED);
        self.json.object(|json| {
            json.plain("type", "change");
            json.plain("side", side_name(side));
            json.decimal("price", |out| grid.push_price(out, price));
            json.decimal("remaining", |out| grid.push_qty(out, qty));
            if let Some((sign, by)) = delta {
                json.decimal("delta", |out| {
                    out.extend_from_slice(sign.as_bytes());
                    grid.push_qty(out, by);
                });
            }
            json.plain("reason", reason);
            if is_named {
                json.plain("symbol", &market.upper);
            }
        });
    }

    fn trade(&mut self, trade: &PublicTrade) {
        if !self.options.has(V1Options::TRADES) {
            return;
        }
        self.count += 1;
        let market = self.market;
        let grid = &market.symbol.grid;
        let is_named = self.options.has(V1Options::NAMED);
        self.json.object(|json| {
            json.plain("type", "trade");
            json.number("tid", trade.trade.0);
            json.decimal("price", |out| grid.push_price(out, trade.price));
            json.decimal("amount", |out| grid.push_qty(out, trade.qty));
            json.plain("makerSide", trade.taker.map_or("auction", |taker| side_name(taker.opposite())));
            if is_named {
                json.plain("symbol", &market.upper);
            }
        });
    }
}

/// Writes the fields of an event of an auction (facts T§10.1).
pub(crate) fn auction(json: &mut Json, market: &Market, told: &AuctionTold) {
    let result = match told {
        AuctionTold::Open(schedule) => {
            json.plain("type", "auction_open");
            json.number("auction_open_ms", schedule.opening().millis());
            json.number("auction_time_ms", schedule.time.millis());
            let first = schedule.next_indication(Time(0)).unwrap_or(schedule.time);
            json.number("first_indicative_ms", first.millis());
            json.number("last_cancel_time_ms", schedule.last_cancel().millis());
            return;
        }
        AuctionTold::Result(result) => result,
    };
    let figures = auction_figures(&market.symbol.grid, result);
    let [kind, price, quantity] = if result.is_indicative {
        ["auction_indicative", "indicative_price", "indicative_quantity"]
    } else {
        ["auction_result", "auction_price", "auction_quantity"]
    };
    json.plain("type", kind);
    json.number("eid", result.stamp.seq.0);
    json.plain("result", if result.finding.price.is_some() { "success" } else { "failure" });
    json.number("time_ms", result.stamp.time.millis());
    json.field("highest_bid_price", |json| figures.bid.write(json));
    json.field("lowest_ask_price", |json| figures.ask.write(json));
    json.field("collar_price", |json| figures.collar.write(json));
    json.field(price, |json| figures.price.write(json));
    json.field(quantity, |json| figures.qty.write(json));
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Buy => "bid",
        Side::Sell => "ask",
    }
}
