//! The market table: the symbols with a trade or an order, with their price and top of book.

use crate::market_page::Link;
use buttonwood_model::{Side, Symbol, SymbolId, Time};
use buttonwood_num::{Grid, Price};
use buttonwood_sequencer::Exchange;
use buttonwood_views::{Move, Views, Window};
use serde_json::{Value, json};

/// The figures of one symbol.
#[derive(Debug)]
struct Row {
    symbol: String,
    grid: Grid,
    window: Option<Window>,
    bid: Option<Price>,
    ask: Option<Price>,
}

/// Rows of symbol, last price, change, best bid and best ask; texts throughout, ready to show. The change is left out where
/// the history cannot be read.
pub(crate) async fn table(exchange: &Exchange) -> Value {
    let now = exchange.now();
    // Batches wait while the views are locked, so only the figures are read under the lock.
    let figures = rows(&exchange.views(), now);
    let mut rows = Vec::with_capacity(figures.len());
    for row in figures {
        let begun = exchange.stretch(row.window.and_then(|window| window.stretch())).await;
        let begun = begun.inspect_err(|fault| tracing::error!(%fault, "history cannot be read")).ok();
        let moved = row.window.zip(begun).map(|(window, begun)| window.moved(begun.as_ref()));
        rows.push(texts(&row, moved));
    }
    json!({ "now_ms": now.millis(), "rows": rows })
}

/// Links to the symbols with a trade or an order, and to those that `also` names.
pub(crate) fn links(views: &Views, now: Time, also: impl Fn(&Symbol) -> bool) -> Vec<Link> {
    let active: Vec<String> = rows(views, now).into_iter().map(|row| row.symbol).collect();
    let state = views.state();
    let listed = state.symbols().iter().filter(|symbol| active.contains(&symbol.name) || also(symbol));
    listed.map(|symbol| Link::of(state, symbol)).collect()
}

fn rows(views: &Views, now: Time) -> Vec<Row> {
    let row = |(id, symbol): (usize, &Symbol)| {
        let id = SymbolId::from_index(id);
        let window = views.tape().window(id, now);
        let best = |side| views.depth().best(id, side).map(|(price, _)| price);
        let (bid, ask) = (best(Side::Buy), best(Side::Sell));
        (window.is_some() || bid.is_some() || ask.is_some()).then(|| Row {
            symbol: symbol.name.clone(),
            grid: symbol.grid.clone(),
            window,
            bid,
            ask,
        })
    };
    views.state().symbols().iter().enumerate().filter_map(row).collect()
}

fn texts(row: &Row, moved: Option<Move>) -> Value {
    json!({
        "symbol": row.symbol,
        "last": shown(&row.grid, row.window.map(|window| window.last())),
        "change": moved.map_or_else(String::new, |moved| percent(moved.change())),
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
