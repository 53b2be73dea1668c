//! The market table: the symbols with a trade or an order, with their price and top of book.

use buttonwood_model::{Side, Symbol, SymbolId, Time};
use buttonwood_num::{Grid, Price};
use buttonwood_sequencer::Exchange;
use buttonwood_views::Views;
use serde_json::{Value, json};

/// The figures of one symbol.
#[derive(Debug)]
struct Row {
    symbol: String,
    grid: Grid,
    last: Option<Price>,
    /// Hundredths of a percent.
    change: Option<i128>,
    bid: Option<Price>,
    ask: Option<Price>,
}

/// Rows of symbol, last price, change, best bid and best ask; texts throughout, ready to show.
pub(crate) fn table(exchange: &Exchange) -> Value {
    let now = exchange.now();
    // Batches wait while the views are locked, so only the figures are read under the lock.
    let figures = rows(&exchange.views(), now);
    let rows: Vec<Value> = figures.iter().map(texts).collect();
    json!({ "now_ms": now.millis(), "rows": rows })
}

fn rows(views: &Views, now: Time) -> Vec<Row> {
    let row = |(id, symbol): (usize, &Symbol)| {
        let id = SymbolId::from_index(id);
        let moved = views.tape().moved(id, now);
        let best = |side| views.depth().best(id, side).map(|(price, _)| price);
        let (bid, ask) = (best(Side::Buy), best(Side::Sell));
        (moved.is_some() || bid.is_some() || ask.is_some()).then(|| Row {
            symbol: symbol.name.clone(),
            grid: symbol.grid.clone(),
            last: moved.map(|moved| moved.last),
            change: moved.map(|moved| moved.change()),
            bid,
            ask,
        })
    };
    views.state().symbols().iter().enumerate().filter_map(row).collect()
}

fn texts(row: &Row) -> Value {
    json!({
        "symbol": row.symbol,
        "last": shown(&row.grid, row.last),
        "change": row.change.map_or_else(String::new, percent),
        "bid": shown(&row.grid, row.bid),
        "ask": shown(&row.grid, row.ask),
    })
}

fn shown(grid: &Grid, price: Option<Price>) -> String {
    let mut out = Vec::new();
    if let Some(price) = price {
        grid.push_price(&mut out, price);
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Hundredths of a percent with their sign.
fn percent(hundredths: i128) -> String {
    let sign = if hundredths < 0 { "-" } else { "+" };
    let size = hundredths.unsigned_abs();
    format!("{sign}{}.{:02} %", size / 100, size % 100)
}
