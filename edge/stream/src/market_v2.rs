//! `/v2/marketdata` (EVT-020, EVT-021, facts T§11).

use crate::book::Book;
use crate::frame::{Difference, Frame, Waits, Words};
use crate::market_v1::auction;
use crate::watched::{Change, Market};
use buttonwood_engine::perp::funding::{HourAmount, next_hour};
use buttonwood_model::{Side, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_views::history::PublicTrade;
use buttonwood_views::{Candle, FRAMES, Views};
use buttonwood_wire::contract::{DecimalText, Integer};
use buttonwood_wire::order::side_name;
use buttonwood_wire::time::iso_millis;
use buttonwood_wire::{Json, frame, json};
use std::sync::Arc;

/// The names of time frames in feeds, each with the place of its frame in [`FRAMES`]. Answers echo the name (D-156).
pub(crate) const SPELLINGS: [(&str, usize); 10] = [
    ("1m", 0),
    ("5m", 1),
    ("15m", 2),
    ("30m", 3),
    ("1h", 4),
    ("1hr", 4),
    ("6h", 5),
    ("6hr", 5),
    ("1day", 6),
    ("1d", 6),
];

/// Words the changes of a symbol's levels.
pub(crate) fn words(market: &Arc<Market>) -> Words {
    let market = Arc::clone(market);
    Words(Arc::new(move |difference: &Difference| {
        json::object(256, |json| {
            json.plain("type", "l2_updates");
            json.plain("symbol", &market.upper);
            json.array_field("changes", &difference.levels, |json, level| change(json, &market, *level));
        })
    }))
}

/// The first frame of a symbol: its whole book and its newest trades.
pub(crate) fn first_l2(market: &Market, book: &Book) -> Arc<Frame> {
    let all = |side| book.best(side, usize::MAX).map(move |(price, qty)| (side, price, qty));
    let object = json::object(4_096, |json| {
        json.plain("type", "l2_updates");
        json.plain("symbol", &market.upper);
        json.array_field("changes", all(Side::Buy).chain(all(Side::Sell)), |json, level| {
            change(json, market, level);
        });
        json.array_field("trades", book.recent(), |json, trade| {
            json.object(|json| write_trade(json, market, trade));
        });
        json.array_field("auction_events", std::iter::empty::<()>(), |_, ()| {});
    });
    Frame::of(object, Waits::Behind)
}

/// The frames of a command's trades, and of what it did to an auction.
pub(crate) fn trades(market: &Market, change: &Change<'_>) -> Vec<Arc<Frame>> {
    let mut frames = Vec::new();
    for happening in &change.happenings {
        if let Some(told) = happening.auction() {
            let object = json::object(256, |json| {
                auction(json, market, told);
                json.plain("symbol", &market.upper);
            });
            frames.push(Frame::of(object, Waits::Behind));
        }
        if let Some(trade) = happening.trade() {
            let object = json::object(160, |json| write_trade(json, market, trade));
            frames.push(Frame::of(object, Waits::Behind));
        }
    }
    frames
}

fn write_trade(json: &mut Json, market: &Market, trade: &PublicTrade) {
    let grid = &market.symbol.grid;
    json.plain("type", "trade");
    json.plain("symbol", &market.upper);
    json.number("event_id", trade.trade.0);
    json.number("timestamp", trade.time.millis());
    json.decimal("price", |out| grid.push_price(out, trade.price));
    json.decimal("quantity", |out| grid.push_qty(out, trade.qty));
    json.plain("side", trade.taker.map_or("auction", side_name));
    json.number("tid", trade.trade.0);
}

fn change(json: &mut Json, market: &Market, (side, price, qty): (Side, Price, Qty)) {
    let grid = &market.symbol.grid;
    json.list(|json| {
        json.plain_item(side_name(side));
        json.decimal_item(|out| grid.push_price(out, price));
        json.decimal_item(|out| grid.push_qty(out, qty));
    });
}

/// The newest candles of a symbol, the newest first: all for a first frame, else those since a trade at `now`, mostly one.
pub(crate) fn candles(
    market: &Market,
    spelling: u8,
    views: &Views,
    now: Time,
    is_first: bool,
) -> Option<Arc<Frame>> {
    let (name, place) = SPELLINGS.get(usize::from(spelling))?;
    let frame = *FRAMES.get(*place)?;
    let mut candles = views.candles().newest(market.id, frame, now);
    if !is_first {
        // The views may know trades of later intervals already.
        let begin = frame.start_of(now);
        candles.retain(|candle| candle.start >= begin);
    }
    let object = json::object(4_096, |json| {
        json.plain("type", &format!("candles_{name}_updates"));
        json.plain("symbol", &market.upper);
        json.array_field("changes", &candles, |json, candle| bar(json, market, candle));
    });
    Some(Frame::of(object, if is_first { Waits::Behind } else { Waits::Instead }))
}

fn bar(json: &mut Json, market: &Market, candle: &Candle) {
    let grid = &market.symbol.grid;
    json.list(|json| {
        json.number_item(candle.start.millis());
        for price in [candle.open, candle.high, candle.low, candle.close] {
            json.exact_item(|out| grid.push_price(out, price));
        }
        json.exact_item(|out| grid.push_qty(out, candle.volume));
    });
}

/// The mark price of a perpetual contract at this time.
pub(crate) fn mark(market: &Market, mark: Money, time: Time) -> Arc<Frame> {
    let change = MarkChange { timestamp: nanos(time), mark_price: DecimalText::exact(mark) };
    let updates = MarkUpdates { symbol: market.upper.clone(), changes: vec![change] };
    Frame::of(json::body(&updates), Waits::Instead)
}

/// The funding of a perpetual contract: of an hour that was cut, or of the next full hour as it would be now.
pub(crate) fn funding(market: &Market, funding: HourAmount, is_realized: bool, time: Time) -> Arc<Frame> {
    let change = FundingChange {
        timestamp: nanos(time),
        funding_amount: DecimalText::exact(funding.amount),
        funding_date_time: iso_millis(funding.hour),
        funding_interval_in_minutes: Integer(60),
        is_realized,
    };
    let updates = FundingUpdates { symbol: market.upper.clone(), changes: vec![change] };
    Frame::of(json::body(&updates), if is_realized { Waits::Behind } else { Waits::Instead })
}

/// The funding of the next full hour, by its minutes so far.
pub(crate) fn estimate(market: &Market, views: &Views, time: Time) -> Arc<Frame> {
    let amount = views.state().perps().funding_estimate(market.id, time);
    funding(market, HourAmount { hour: next_hour(time), amount }, false, time)
}

frame! {
    /// The mark price of a perpetual contract.
    pub(crate) struct MarkUpdates as "type": "mark_price_updates" {
        symbol: String,
        changes: Vec<MarkChange>,
    }
}

frame! {
    /// A mark price.
    struct MarkChange {
        /// Nanoseconds.
        timestamp: Integer,
        mark_price: DecimalText,
    }
}

frame! {
    /// The funding of an hour of a perpetual contract.
    pub(crate) struct FundingUpdates as "type": "funding_amount_updates" {
        symbol: String,
        changes: Vec<FundingChange>,
    }
}

frame! {
    /// The funding of an hour.
    struct FundingChange {
        /// Nanoseconds.
        timestamp: Integer,
        funding_amount: DecimalText,
        /// The end of the hour.
        funding_date_time: String,
        funding_interval_in_minutes: Integer,
        /// Whether the hour is over; else the amount as it would be now.
        is_realized: bool,
    }
}

fn nanos(time: Time) -> Integer {
    Integer(time.0 * 1_000)
}
