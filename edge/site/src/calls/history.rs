//! The closed orders of the chosen account, with why they ended: `/site/history`. Those of contracts have a call of the interface.

use super::average::average;
use super::caller::Caller;
use super::forced::{ForcedName, why};
use super::interface::{chosen, held};
use buttonwood_call::{App, Later};
use buttonwood_engine::Breaks;
use buttonwood_gate::{Reason, Refusal, missing_role};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Roles, Symbol, SymbolId};
use buttonwood_num::{MONEY_DECIMALS, Qty};
use buttonwood_views::history::{Limit, Part, PastOrder, TradeRow};
use buttonwood_wire::answers::SideName;
use buttonwood_wire::contract::{DecimalText, Digits, InQuery, Query, Text, Whole};
use buttonwood_wire::field::{bad_query, busy};
use buttonwood_wire::order::{reason_name, side_name, type_name};
use buttonwood_wire::{answer, json, request, words};

/// Orders of an answer at most.
const MOST: u64 = 500;
/// Orders of an answer whose page does not say how many.
const USUAL: u64 = 50;
/// Trades of all orders of an answer at most.
const TRADES_MAX: usize = 5_000;

request! {
    /// Which closed orders.
    struct Asked in InQuery {
        /// Orders of this symbol alone.
        symbol: Text,
        /// How many at most, up to 500.
        limit: Whole,
    }
}

words! {
    /// How an order ended.
    struct EndName: "filled", "cancelled"
}

answer! {
    /// A trade of an order.
    struct Fill {
        /// Its id.
        tid: u64,
        /// When, in milliseconds.
        at: u64,
        /// The price.
        price: DecimalText,
        /// The quantity.
        amount: DecimalText,
        /// The fee, in the quote currency.
        fee: DecimalText,
    }
}

answer! {
    /// A closed order.
    struct Closed {
        /// Its id.
        order_id: Digits,
        /// Its symbol.
        symbol: String,
        /// Its side.
        side: SideName,
        /// Its type, as in `/v1/orders`.
        kind as "type": String,
        /// Its limit; left out for a market order.
        price: Option<DecimalText>,
        /// Its stop price.
        stop: Option<DecimalText>,
        /// Its original quantity.
        amount: DecimalText,
        /// The part of it that traded.
        executed: DecimalText,
        /// The average price of that; left out if nothing traded.
        average_price: Option<DecimalText>,
        /// The currency of price and fees.
        currency: String,
        /// How it ended.
        state: EndName,
        /// Why it was cancelled.
        reason: Option<String>,
        /// Why the exchange itself placed it.
        forced: Option<ForcedName>,
        /// When it was placed, in milliseconds.
        placed: u64,
        /// When it ended, in milliseconds.
        ended as "closed": u64,
        /// Its trades, the newest first.
        fills: Vec<Fill>,
    }
}

answer! {
    /// Closed orders of an account.
    struct History {
        /// The newest, the one placed last first.
        orders: Vec<Closed>,
        /// Whether there are older ones.
        more: bool,
    }
}

/// It takes a trader or an auditor, as the list of the interface.
pub(super) fn list<'a>(caller: &'a Caller<'a>, query: Query<'a>) -> Later<'a> {
    Box::pin(async move {
        let held = held(caller)?;
        let needed = Roles::of(&[Role::Trader, Role::Auditor]);
        if !held.roles.allows(needed) {
            return Err(missing_role("your user", held.roles, needed));
        }
        let (account, app) = (chosen(&held)?, caller.app);
        let asked = Asked::of(query);
        let symbol = asked.symbol().map(|name| symbol(app, name)).transpose()?;
        let limit = asked.limit()?.unwrap_or(USUAL);
        let rows = usize::try_from(limit).ok().filter(|rows| (1..=MOST).contains(&limit) && *rows > 0);
        let rows = rows
            .ok_or_else(|| bad_query("limit", "from 1 to 500", query.value("limit").unwrap_or_default()))?;
        // One more tells whether there are older ones.
        let page = Limit { rows: rows + 1, most: rows + 1 };
        let read = app.exchange.query_history(move |past| {
            let read = past.orders(account, symbol, None, page, TRADES_MAX)?;
            // A page ends early where its orders have too many trades.
            let more = read.len() > rows || past.count_orders(account, symbol, read.len() + 1)? > read.len();
            Ok((read, more))
        });
        let (read, more) = read.await.map_err(|fault| {
            tracing::error!(%fault, "history cannot be read");
            busy("A part of the history that this list needs is damaged")
        })?;
        let breaks = app.exchange.views().state().floor().breaks.clone();
        let orders = read.iter().take(rows).map(|past| closed(app, past, &breaks)).collect();
        Ok(Reply::json(json::body(&History { orders, more })))
    })
}

fn symbol(app: &App, name: &str) -> Result<SymbolId, Refusal> {
    let found = app.names.find_symbol(name).map(|(id, _)| id);
    found.ok_or_else(|| bad_query("symbol", "a listed symbol", name).with_reason(Reason::InvalidSymbol))
}

fn closed(app: &App, past: &PastOrder, breaks: &Breaks) -> Closed {
    let order = breaks.correct(past.row.order);
    let symbol = app.names.symbol(order.symbol);
    let price = |price| DecimalText::of(|out| symbol.grid.push_price(out, price));
    let executed = order.executed();
    Closed {
        order_id: Digits(order.id.0),
        symbol: symbol.name.clone(),
        side: SideName(side_name(order.side)),
        kind: type_name(&order).to_owned(),
        price: (order.price.ticks() > 0).then(|| price(order.price)),
        stop: order.stop.map(price),
        amount: qty(symbol, order.original),
        executed: qty(symbol, executed),
        average_price: (executed > Qty::ZERO).then(|| average(symbol, order.notional, executed)),
        currency: app.names.currency(symbol.quote).code.clone(),
        state: EndName(if order.reason.is_some() { "cancelled" } else { "filled" }),
        reason: order.reason.map(|reason| reason_name(reason).to_owned()),
        forced: why(&order, symbol, past.trades.first().map(|trade| trade.trade)),
        placed: order.placed.millis(),
        ended: past.row.closed.millis(),
        fills: past.trades.iter().map(|trade| fill(symbol, trade)).collect(),
    }
}

fn fill(symbol: &Symbol, trade: &TradeRow) -> Fill {
    let price = DecimalText::of(|out| match trade.part {
        Part::OffBook(price) => price.push_floored(out, MONEY_DECIMALS),
        Part::Maker | Part::Taker | Part::Auction | Part::Clearing => {
            symbol.grid.push_price(out, trade.price);
        }
    });
    Fill {
        tid: trade.trade.0,
        at: trade.time.millis(),
        price,
        amount: qty(symbol, trade.qty),
        fee: DecimalText::exact(trade.fee),
    }
}

fn qty(symbol: &Symbol, qty: Qty) -> DecimalText {
    DecimalText::of(|out| symbol.grid.push_qty(out, qty))
}
