//! The public streams of the newest socket (EVT-023, EVT-026, facts T§12.3). Update ids are numbers of commands (D-151).

use crate::book::Book;
use crate::frame::{Difference, Frame, Waits, Words};
use crate::watched::{Change, Market};
use buttonwood_model::{Side, Time};
use buttonwood_num::{Price, Qty};
use buttonwood_views::Happening;
use buttonwood_wire::Json;
use buttonwood_wire::json;
use std::sync::Arc;

/// Nanoseconds of a time.
fn nanos(time: Time) -> u64 {
    time.0 * 1_000
}

/// Words the changes of a symbol's levels.
pub(crate) fn words(market: &Arc<Market>) -> Words {
    let market = Arc::clone(market);
    Words(Arc::new(move |difference: &Difference| {
        let ids = (difference.after, difference.to);
        let side = |side| {
            difference.levels.iter().filter(move |level| level.0 == side).map(|level| (level.1, level.2))
        };
        depth_update(&market, difference.time, ids, side(Side::Buy), side(Side::Sell))
    }))
}

/// The first frame of a reader who wants a snapshot: the best levels of each side.
pub(crate) fn first_depth(market: &Market, book: &Book, limit: usize, now: Time) -> Arc<Frame> {
    let ids = (book.changed, book.changed);
    let (bids, asks) = (book.best(Side::Buy, limit), book.best(Side::Sell, limit));
    Frame::of(depth_update(market, now, ids, bids, asks), Waits::Behind)
}

fn depth_update(
    market: &Market,
    time: Time,
    (first, last): (u64, u64),
    bids: impl Iterator<Item = (Price, Qty)>,
    asks: impl Iterator<Item = (Price, Qty)>,
) -> Vec<u8> {
    json::object(256, |json| {
        json.plain("e", "depthUpdate");
        json.number("E", nanos(time));
        json.plain("s", &market.upper);
        json.number("U", first);
        json.number("u", last);
        json.array_field("b", bids, |json, level| pair(json, market, level));
        json.array_field("a", asks, |json, level| pair(json, market, level));
    })
}

/// The best levels of each side.
pub(crate) fn levels(market: &Market, book: &Book, limit: u8) -> Arc<Frame> {
    let limit = usize::from(limit);
    let object = json::object(512, |json| {
        json.number("lastUpdateId", book.changed);
        json.plain("symbol", &market.upper);
        json.array_field("bids", book.best(Side::Buy, limit), |json, level| pair(json, market, level));
        json.array_field("asks", book.best(Side::Sell, limit), |json, level| pair(json, market, level));
    });
    Frame::of(object, Waits::Instead)
}

/// The best level of each side and the last trade.
pub(crate) fn ticker(market: &Market, book: &Book, time: Time) -> Arc<Frame> {
    let grid = &market.symbol.grid;
    let [bid, ask] = book.tops();
    let object = json::object(192, |json| {
        json.number("u", book.changed);
        json.number("E", nanos(time));
        json.plain("s", &market.upper);
        for (price_name, qty_name, top) in [("b", "B", bid), ("a", "A", ask)] {
            match top {
                Some((price, qty)) => {
                    json.decimal(price_name, |out| grid.push_price(out, price));
                    json.decimal(qty_name, |out| grid.push_qty(out, qty));
                }
                None => {
                    json.plain(price_name, "0");
                    json.plain(qty_name, "0");
                }
            }
        }
        if let Some((price, qty)) = book.last() {
            json.decimal("c", |out| grid.push_price(out, price));
            json.decimal("C", |out| grid.push_qty(out, qty));
        }
    });
    Frame::of(object, Waits::Instead)
}

/// The frames of a command's trades. In an auction no side rested: `m` is false, since clients require the field (D-251, D-284).
pub(crate) fn trades(market: &Market, change: &Change<'_>) -> Vec<Arc<Frame>> {
    let grid = &market.symbol.grid;
    let mut frames = Vec::new();
    for happening in &change.happenings {
        let Happening::Trade(trade) = happening else { continue };
        let object = json::object(128, |json| {
            json.number("E", nanos(trade.time));
            json.plain("s", &market.upper);
            json.number("t", trade.trade.0);
            json.decimal("p", |out| grid.push_price(out, trade.price));
            json.decimal("q", |out| grid.push_qty(out, trade.qty));
            json.flag("m", trade.taker == Some(Side::Sell));
        });
        frames.push(Frame::of(object, Waits::Behind));
    }
    frames
}

fn pair(json: &mut Json, market: &Market, (price, qty): (Price, Qty)) {
    let grid = &market.symbol.grid;
    json.list(|json| {
        json.decimal_item(|out| grid.push_price(out, price));
        json.decimal_item(|out| grid.push_qty(out, qty));
    });
}
