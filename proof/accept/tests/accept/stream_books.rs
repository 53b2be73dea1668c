//! Streams of market data, compared with REST to the last digit after orders, trades, cancels and an auction.

mod fast;
mod products;
mod v1;
mod v2;

use buttonwood_accept::{Exchange, Script, Value};
use std::collections::BTreeMap;

/// Orders and trades of the first minute.
const FIRST: &str = "
    counterparty sell btcusd 1 @ 30000 as A1
    counterparty sell btcusd 2.5 @ 30010.55 as A2
    broker sell btcusd 0.12345678 @ 30010.55 as A3
    trader buy btcusd 1.25 @ 30000 as B1
    trader buy btcusd 0.5 @ 29990.01 as B2
    broker sell btcusd 0.3 @ 29990.01 as A4
    counterparty sell ethusd 3 @ 2000
    trader buy ethusd 1 @ 2000
    trader cancel B2
    advance 61
";
/// Those after it, with an auction.
const SECOND: &str = "
    trader buy btcusd 1 at market
    counterparty cancel A2
    trader buy btcusd 0.5 @ 30010.55 fill-or-kill
    trader buy btcusd 0.2 @ 30010.55 immediate-or-cancel
    trader buy ethusd 0.5 @ 2000
    savings-trader buy btcusd 2 @ 29500
    savings-trader buy btcusd 1 @ 29500
    counterparty sell btcusd 0.3 @ 30600
    auction btcusd in 120
    load-000 buy btcusd 1 @ 31000 auction-only
    broker sell btcusd 0.5 @ 30500 auction-only
    advance 120
    trader buy btcusd 0.25 @ 27000.5
    counterparty sell btcusd 2.5 @ 29500
";
/// The last order, whose level ends the reading.
const END: &str = "
    counterparty sell btcusd 0.00123 @ 99999.99
";
const END_PRICE: &str = "99999.99";

/// A scenario that is run in parts.
fn scenario(x: &Exchange) -> Script<'_> {
    Script::new(x)
}

/// The levels of a side: quantities by prices, as they are written.
type Side = BTreeMap<String, String>;

/// A book: bids and asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Book {
    bids: Side,
    asks: Side,
}

impl Book {
    /// The whole book that REST shows.
    #[track_caller]
    fn of_rest(x: &Exchange, symbol: &str) -> Self {
        let book = x.get(&format!("/v1/book/{symbol}?limit_bids=0&limit_asks=0")).ok();
        let side = |name: &str| {
            let levels = book[name].as_array().expect("levels");
            levels.iter().map(|level| (text(&level["price"]), text(&level["amount"]))).collect()
        };
        Self { bids: side("bids"), asks: side("asks") }
    }

    /// Sets a level; zero removes it. Returns the quantity before.
    #[track_caller]
    fn set(&mut self, is_bid: bool, price: &Value, quantity: &Value) -> Option<String> {
        let side = if is_bid { &mut self.bids } else { &mut self.asks };
        if quantity == "0" { side.remove(&text(price)) } else { side.insert(text(price), text(quantity)) }
    }

    /// Whether the last order of a scenario is in it.
    fn is_at_end(&self) -> bool {
        self.asks.contains_key(END_PRICE)
    }
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// The public trades of a symbol, the oldest first.
#[track_caller]
fn trades(x: &Exchange, symbol: &str) -> Vec<Value> {
    let trades = x.get(&format!("/v1/trades/{symbol}?limit_trades=500")).ok();
    trades.as_array().expect("trades").iter().rev().cloned().collect()
}
