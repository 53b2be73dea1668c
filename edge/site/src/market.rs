//! The symbols worth a look at the moment: those with a trade or an order, with their price and top of book.

use buttonwood_model::{Side, Symbol, SymbolId};
use buttonwood_num::Price;
use buttonwood_sequencer::Exchange;
use serde_json::{Value, json};

/// Rows of symbol, last price, change, best bid and best ask; texts throughout, ready to show.
pub(crate) fn table(exchange: &Exchange) -> Value {
    let now = exchange.now();
    let views = exchange.views();
    let rows: Vec<Value> = views
        .state()
        .symbols()
        .iter()
        .enumerate()
        .filter_map(|(id, symbol)| {
            let id = SymbolId::from_index(id);
            let day = views.tape().day(id, now);
            let best = |side| views.depth().best(id, side).map(|(price, _)| price);
            let (bid, ask) = (best(Side::Buy), best(Side::Sell));
            (day.is_some() || bid.is_some() || ask.is_some()).then(|| {
                json!({
                    "symbol": symbol.name,
                    "last": shown(symbol, day.map(|day| day.last)),
                    "change": day.map_or_else(String::new, |day| percent(day.change())),
                    "bid": shown(symbol, bid),
                    "ask": shown(symbol, ask),
                })
            })
        })
        .collect();
    json!({ "now_ms": now.millis(), "rows": rows })
}

fn shown(symbol: &Symbol, price: Option<Price>) -> String {
    let mut out = Vec::new();
    if let Some(price) = price {
        symbol.grid.push_price(&mut out, price);
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Hundredths of a percent with their sign.
fn percent(hundredths: i128) -> String {
    let sign = if hundredths < 0 { "-" } else { "+" };
    let size = hundredths.unsigned_abs();
    format!("{sign}{}.{:02} %", size / 100, size % 100)
}
