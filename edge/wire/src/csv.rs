//! Past orders, trades and candles as lines of CSV (quoted as in RFC 4180, each ended by a line feed): a table of columns each, with the names of the fields of the JSON.
//!
//! Amounts are exact decimals. A field that the JSON leaves out is empty. Fields that are the same in every row, such as
//! `exchange`, have no column.

use crate::market::FRAME_NAMES;
use crate::order::{option_name, push_trade_price, reason_name, side_name, type_name};
use crate::time::iso_millis;
use buttonwood_engine::{About, BreakKind, State};
use buttonwood_model::{AccountId, ClientId, OrderKind, Side, Symbol, SymbolId, TradeId};
use buttonwood_num::{MONEY_DECIMALS, push_u64};
use buttonwood_views::history::{Line, OrderRow, Part, PublicTrade, TradeRow};
use buttonwood_views::{Candle, FRAMES, Frame};

/// A column: its name, and how a row's value in it is written.
type Column<R> = (&'static str, fn(&mut Vec<u8>, &State, &R));

/// The columns of a kind of row.
#[derive(Clone, Copy, Debug)]
pub struct Columns<R: 'static>(&'static [Column<R>]);

impl<R> Columns<R> {
    /// Appends the line with the columns' names.
    pub fn push_head(&self, out: &mut Vec<u8>) {
        for (place, (name, _)) in self.0.iter().enumerate() {
            separate(out, place);
            out.extend_from_slice(name.as_bytes());
        }
        out.extend_from_slice(b"\n");
    }

    /// Appends a row's line. The state has the names of symbols, currencies and accounts.
    pub fn push_row(&self, out: &mut Vec<u8>, state: &State, row: &R) {
        for (place, (_, write)) in self.0.iter().enumerate() {
            separate(out, place);
            write(out, state, row);
        }
        out.extend_from_slice(b"\n");
    }
}

/// A candle of a symbol.
#[derive(Clone, Copy, Debug)]
pub struct CandleRow {
    /// The symbol.
    pub symbol: SymbolId,
    /// How long the candle is.
    pub frame: Frame,
    /// The candle.
    pub candle: Candle,
}

/// Closed orders.
pub const ORDERS: Columns<OrderRow> = Columns(&[
    ("group", |out, state, row| group(out, state, row.order.account)),
    ("account", |out, state, row| account(out, state, row.order.account)),
    ("order_id", |out, _, row| push_u64(out, row.order.id.0)),
    ("client_order_id", |out, _, row| client_id(out, row.order.client_id.as_ref())),
    ("symbol", |out, state, row| text(out, &listed(state, row.order.symbol).name)),
    ("price", |out, state, row| {
        if matches!(row.order.kind, OrderKind::Limit | OrderKind::StopLimit) {
            listed(state, row.order.symbol).grid.push_price(out, row.order.price);
        }
    }),
    ("avg_execution_price", |out, state, row| {
        let (notional, executed) = (row.order.notional, row.order.executed());
        listed(state, row.order.symbol).grid.push_average(out, notional, executed);
    }),
    ("side", |out, _, row| text(out, side_name(row.order.side))),
    ("type", |out, _, row| text(out, type_name(&row.order))),
    ("options", |out, _, row| text(out, row.order.option.map_or("", option_name))),
    ("timestamp", |out, _, row| push_u64(out, row.order.placed.seconds())),
    ("timestampms", |out, _, row| push_u64(out, row.order.placed.millis())),
    ("closed_timestampms", |out, _, row| push_u64(out, row.closed.millis())),
    ("is_cancelled", |out, _, row| flag(out, row.order.reason.is_some())),
    ("reason", |out, _, row| text(out, row.order.reason.map_or("", reason_name))),
    ("executed_amount", |out, state, row| {
        listed(state, row.order.symbol).grid.push_qty(out, row.order.executed());
    }),
    ("remaining_amount", |out, state, row| {
        if row.order.kind != OrderKind::MarketSpend {
            listed(state, row.order.symbol).grid.push_qty(out, row.order.remaining);
        }
    }),
    ("original_amount", |out, state, row| {
        if row.order.kind != OrderKind::MarketSpend {
            listed(state, row.order.symbol).grid.push_qty(out, row.order.original);
        }
    }),
    ("stop_price", |out, state, row| {
        if let Some(stop) = row.order.stop {
            listed(state, row.order.symbol).grid.push_price(out, stop);
        }
    }),
]);

/// The parts of accounts in trades.
pub const TRADES: Columns<TradeRow> = Columns(&[
    ("group", |out, state, row| group(out, state, row.account)),
    ("account", |out, state, row| account(out, state, row.account)),
    ("symbol", |out, state, row| text(out, &listed(state, row.symbol).name)),
    ("price", |out, state, row| push_trade_price(out, &listed(state, row.symbol).grid, row)),
    ("amount", |out, state, row| listed(state, row.symbol).grid.push_qty(out, row.qty)),
    ("timestamp", |out, _, row| push_u64(out, row.time.seconds())),
    ("timestampms", |out, _, row| push_u64(out, row.time.millis())),
    ("type", |out, _, row| text(out, if row.side == Side::Buy { "Buy" } else { "Sell" })),
    ("aggressor", |out, _, row| flag(out, row.part == Part::Taker)),
    ("fee_currency", |out, state, row| {
        let quote = state.currency(listed(state, row.symbol).quote);
        text(out, quote.map_or("", |currency| &currency.code));
    }),
    ("fee_amount", |out, _, row| row.fee.push_floored(out, MONEY_DECIMALS)),
    ("tid", |out, _, row| push_u64(out, row.trade.0)),
    ("order_id", |out, _, row| push_u64(out, row.order.0)),
    ("client_order_id", |out, _, row| client_id(out, row.client_id.as_ref())),
    ("is_auction_fill", |out, _, row| flag(out, row.part == Part::Auction)),
    ("is_clearing_fill", |out, _, row| flag(out, row.part == Part::Clearing)),
    ("break", |out, state, row| text(out, broken(state, row.symbol, row.trade).map_or("", BreakKind::name))),
    ("outcome", |out, _, row| {
        if row.symbol.is_contract() {
            text(out, row.claim.name());
        }
    }),
]);

/// Public trades.
pub const PUBLIC_TRADES: Columns<PublicTrade> = Columns(&[
    ("symbol", |out, state, row| text(out, &listed(state, row.symbol).name)),
    ("timestamp", |out, _, row| push_u64(out, row.time.seconds())),
    ("timestampms", |out, _, row| push_u64(out, row.time.millis())),
    ("tid", |out, _, row| push_u64(out, row.trade.0)),
    ("price", |out, state, row| listed(state, row.symbol).grid.push_price(out, row.price)),
    ("amount", |out, state, row| listed(state, row.symbol).grid.push_qty(out, row.qty)),
    ("type", |out, _, row| text(out, row.taker.map_or("auction", side_name))),
    ("broken", |out, state, row| flag(out, broken(state, row.symbol, row.trade).is_some())),
]);

/// A line of the statement of an account.
#[derive(Clone, Copy, Debug)]
pub struct StatementRow {
    /// The account.
    pub account: AccountId,
    /// The line.
    pub line: Line,
}

/// The changes of balances.
pub const STATEMENT: Columns<StatementRow> = Columns(&[
    ("group", |out, state, row| group(out, state, row.account)),
    ("account", |out, state, row| account(out, state, row.account)),
    ("entry_id", |out, _, row| push_u64(out, row.line.id)),
    ("timestamp", |out, _, row| push_u64(out, row.line.time.seconds())),
    ("timestampms", |out, _, row| push_u64(out, row.line.time.millis())),
    ("date", |out, _, row| out.extend_from_slice(iso_millis(row.line.time).as_bytes())),
    ("currency", |out, state, row| {
        text(out, state.currency(row.line.currency).map_or("", |currency| &currency.code));
    }),
    ("amount", |out, _, row| row.line.amount.push_floored(out, MONEY_DECIMALS)),
    ("balance", |out, _, row| row.line.balance.push_floored(out, MONEY_DECIMALS)),
    ("cause", |out, _, row| text(out, row.line.cause.name())),
    ("order_id", |out, _, row| {
        if let About::Order(order) | About::Trade(order, _) = row.line.about {
            push_u64(out, order.0);
        }
    }),
    ("tid", |out, _, row| {
        if let About::Trade(_, trade) | About::Clearing(_, trade) = row.line.about {
            push_u64(out, trade.0);
        }
    }),
    ("eid", |out, _, row| {
        if let About::Transfer(eid) = row.line.about {
            push_u64(out, eid);
        }
    }),
    ("clearing_id", |out, _, row| {
        if let About::Clearing(code, _) = row.line.about {
            text(out, code.as_str());
        }
    }),
    ("transaction_id", |out, _, row| {
        if let About::Staking(code) = row.line.about {
            text(out, code.as_str());
        }
    }),
    ("symbol", |out, state, row| {
        if let About::Contract(contract) = row.line.about {
            text(out, &listed(state, contract).name);
        }
    }),
]);

/// Candles.
pub const CANDLES: Columns<CandleRow> = Columns(&[
    ("symbol", |out, state, row| text(out, &listed(state, row.symbol).name)),
    ("time_frame", |out, _, row| text(out, frame_name(row.frame))),
    ("time", |out, _, row| push_u64(out, row.candle.start.millis())),
    ("open", |out, state, row| listed(state, row.symbol).grid.push_price(out, row.candle.open)),
    ("high", |out, state, row| listed(state, row.symbol).grid.push_price(out, row.candle.high)),
    ("low", |out, state, row| listed(state, row.symbol).grid.push_price(out, row.candle.low)),
    ("close", |out, state, row| listed(state, row.symbol).grid.push_price(out, row.candle.close)),
    ("volume", |out, state, row| listed(state, row.symbol).grid.push_qty(out, row.candle.volume)),
]);

fn separate(out: &mut Vec<u8>, place: usize) {
    if place > 0 {
        out.push(b',');
    }
}

fn listed(state: &State, symbol: SymbolId) -> &Symbol {
    state.symbol(symbol).expect("a row's symbol is listed")
}

fn broken(state: &State, symbol: SymbolId, trade: TradeId) -> Option<BreakKind> {
    state.floor().breaks.of(symbol, trade)
}

fn account(out: &mut Vec<u8>, state: &State, id: AccountId) {
    text(out, state.access().account(id).map_or("", |account| &account.short_name));
}

fn group(out: &mut Vec<u8>, state: &State, id: AccountId) {
    let access = state.access();
    let group = access.account(id).and_then(|account| access.group(account.group?));
    text(out, group.map_or("", |group| &group.name));
}

fn client_id(out: &mut Vec<u8>, client_id: Option<&ClientId>) {
    text(out, client_id.map_or("", ClientId::as_str));
}

fn frame_name(frame: Frame) -> &'static str {
    let place = FRAMES.iter().position(|known| *known == frame);
    place.and_then(|place| FRAME_NAMES.get(place)).map_or("", |[name, _]| *name)
}

fn flag(out: &mut Vec<u8>, value: bool) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Appends a text, in quotation marks where it holds a character that separates values.
fn text(out: &mut Vec<u8>, value: &str) {
    if !value.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
        return out.extend_from_slice(value.as_bytes());
    }
    out.push(b'"');
    out.extend_from_slice(value.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name with a comma, a quotation mark or the end of a line stays one value.
    #[test]
    fn texts_stay_one_value() {
        let written = |value: &str| {
            let mut out = Vec::new();
            text(&mut out, value);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written("primary"), "primary");
        assert_eq!(written("a,b"), "\"a,b\"");
        assert_eq!(written("the \"A\" book"), "\"the \"\"A\"\" book\"");
        assert_eq!(written("two\nlines"), "\"two\nlines\"");
    }
}
