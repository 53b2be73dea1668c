//! The market table: every open symbol with its names, price, change, volume and top of book.

use crate::trade::Link;
use buttonwood_engine::State;
use buttonwood_model::{Side, Symbol, SymbolId, SymbolStatus, Time};
use buttonwood_num::{Grid, Money, Price};
use buttonwood_sequencer::Exchange;
use buttonwood_views::{Move, Sums, Views};
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Places of a volume in dollars.
const CENTS: u8 = 2;

/// The figures of one symbol.
#[derive(Debug)]
struct Row {
    id: SymbolId,
    link: Link,
    grid: Grid,
    sums: Option<Sums>,
    bid: Option<Price>,
    ask: Option<Price>,
}

/// The figures of the past day.
#[derive(Clone, Copy, Debug, Default)]
struct Past {
    moved: Option<Move>,
    /// In the quote currency.
    volume: Money,
}

/// Rows of names, last price, change, volume in dollars, best bid and best ask, the largest volume first; texts throughout, ready to
/// show, and empty where there is no figure. The change is left out where the history cannot be read.
pub(crate) async fn table(exchange: &Exchange) -> Value {
    let now = exchange.now();
    // Batches wait while the views are locked, so only the figures are read under the lock.
    let figures = rows(&exchange.views(), now);
    let mut shown = Vec::with_capacity(figures.len());
    for row in figures {
        let past = past(exchange, &row).await;
        shown.push((row, past));
    }
    let mut shown = valued(&exchange.views(), now, shown);
    shown.sort_by_key(|(dollars, ..)| Reverse(*dollars));
    let rows: Vec<Value> =
        shown.iter().map(|(dollars, row, past)| texts(row, past.moved, *dollars)).collect();
    json!({ "now_ms": now.millis(), "rows": rows })
}

/// The past day of a symbol, whose first minute may be on disk.
async fn past(exchange: &Exchange, row: &Row) -> Past {
    let Some(sums) = row.sums else { return Past::default() };
    let begun = exchange.stretch(sums.window.stretch()).await;
    match begun.inspect_err(|fault| tracing::error!(%fault, "history cannot be read")) {
        Ok(begun) => Past {
            moved: Some(sums.window.moved(begun.as_ref())),
            volume: sums.day(begun.as_ref(), &row.grid).quote,
        },
        Err(_) => Past { moved: None, volume: sums.day(None, &row.grid).quote },
    }
}

/// The rows with their volumes in dollars.
fn valued(views: &Views, now: Time, rows: Vec<(Row, Past)>) -> Vec<(Money, Row, Past)> {
    let floor = views.state().floor();
    rows.into_iter().map(|(row, past)| (floor.dollars(now, row.id, past.volume), row, past)).collect()
}

/// The decimals of prices of each listed symbol, by its name in lower case, for pages that show prices of several.
pub(crate) fn decimals(state: &State) -> Value {
    let listed = state.symbols().iter();
    listed.map(|symbol| (symbol.name.to_ascii_lowercase(), json!(symbol.grid.tick_decimals()))).collect()
}

/// Links to the symbols with a trade or an order, and to those that `also` names.
pub(crate) fn links(views: &Views, now: Time, also: impl Fn(&Symbol) -> bool) -> Vec<Link> {
    let is_active = |id: SymbolId| {
        let has_orders = |side| views.depth().best(id, side).is_some();
        views.tape().window(id, now).is_some() || has_orders(Side::Buy) || has_orders(Side::Sell)
    };
    let state = views.state();
    let listed = state.symbols().iter().enumerate();
    let shown = listed.filter(|(at, symbol)| is_active(SymbolId::from_index(*at)) || also(symbol));
    shown.map(|(_, symbol)| Link::of(state, symbol)).collect()
}

fn rows(views: &Views, now: Time) -> Vec<Row> {
    let state = views.state();
    let row = |(at, symbol): (usize, &Symbol)| {
        let id = SymbolId::from_index(at);
        let best = |side| views.depth().best(id, side).map(|(price, _)| price);
        Row {
            id,
            link: Link::of(state, symbol),
            grid: symbol.grid.clone(),
            sums: views.tape().sums(id, now),
            bid: best(Side::Buy),
            ask: best(Side::Sell),
        }
    };
    let listed = state.symbols().iter().enumerate();
    listed.filter(|(_, symbol)| symbol.status != SymbolStatus::Closed).map(row).collect()
}

fn texts(row: &Row, moved: Option<Move>, dollars: Money) -> Value {
    let mut volume = Vec::new();
    if row.sums.is_some() {
        dollars.push_floored(&mut volume, CENTS);
    }
    json!({
        "symbol": row.link.symbol,
        "title": row.link.title,
        "name": row.link.name,
        "last": shown(&row.grid, row.sums.map(|sums| sums.window.last())),
        "change": moved.map_or_else(String::new, |moved| percent(moved.change())),
        "volume": String::from_utf8(volume).unwrap_or_default(),
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
