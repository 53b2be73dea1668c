//! The private streams of the newest socket: orders, and reports (EVT-026, facts T§12.3).

use crate::frame::{Frame, Rows};
use buttonwood_call::{AccountRows, Report};
use buttonwood_model::{AccountId, Claim, ClientId, OrderId, OrderKind, Side, SymbolId, Time};
use buttonwood_num::{Decimal, MONEY_DECIMALS, Money, Qty};
use buttonwood_views::history::Part;
use buttonwood_views::{AccountEvent, OrderEvent, RefusedEvent, Step};
use buttonwood_wire::order::reason_name;
use buttonwood_wire::prediction_order::OwnOrder;
use buttonwood_wire::{Json, Names, json};
use std::sync::Arc;

/// Nanoseconds of a time.
fn nanos(time: Time) -> u64 {
    time.0 * 1_000
}

/// The status of an order after an event (D-149); none for an event without an update.
fn status(event: &OrderEvent) -> Option<&'static str> {
    match event.step {
        Step::Accepted => Some("NEW"),
        Step::Booked => Some("OPEN"),
        Step::Filled(_) if event.order.remaining == Qty::ZERO => Some("FILLED"),
        Step::Filled(_) => Some("PARTIALLY_FILLED"),
        Step::Cancelled(_) => Some("CANCELED"),
        Step::CancelRejected | Step::Closed => None,
    }
}

/// The terms of an order, as its updates show them.
struct Terms<'a> {
    time: Time,
    symbol: SymbolId,
    id: OrderId,
    client_id: Option<&'a ClientId>,
    side: Side,
    kind: OrderKind,
    claim: Claim,
}

/// Writes the terms of an order with its status.
fn head(json: &mut Json, names: &Names, terms: &Terms<'_>, status: &str) {
    json.plain("e", "orderUpdate");
    json.number("E", nanos(terms.time));
    json.plain("s", &names.symbol(terms.symbol).name.to_ascii_uppercase());
    json.number("i", terms.id.0);
    if let Some(client_id) = terms.client_id {
        json.plain("c", client_id.as_str());
    }
    json.plain("S", if terms.side == Side::Buy { "BUY" } else { "SELL" });
    json.plain("o", kind_name(terms.kind));
    json.plain("X", status);
    if terms.symbol.is_contract() {
        json.plain("O", outcome(terms.claim));
    }
}

/// The update of an event, under the event's id (Q-583); none where it has none. Orders of contracts are in the view of their own outcome.
pub(crate) fn order(names: &Names, event: &AccountEvent) -> Option<Arc<Frame>> {
    match event {
        AccountEvent::Order(event) => of_order(names, event),
        AccountEvent::Refused(event) => Some(rejected(names, event)),
    }
}

/// The update of an order that a rule refused, with its figures as its client sent them.
fn rejected(names: &Names, event: &RefusedEvent) -> Arc<Frame> {
    let RefusedEvent { id, time, order } = event;
    let terms = Terms {
        time: *time,
        symbol: order.symbol,
        id: order.id,
        client_id: order.client_id.as_ref(),
        side: order.side,
        kind: order.kind,
        claim: order.claim,
    };
    let object = json::object(320, |json| {
        head(json, names, &terms, "REJECTED");
        let figures = [("p", order.price), ("P", order.stop), ("q", order.qty)];
        for (name, figure) in figures {
            if let Some(figure) = figure.filter(|figure: &Decimal| !figure.is_zero()) {
                json.decimal(name, |out| figure.push(out));
            }
        }
        json.plain("r", order.reason.name());
        json.number("T", nanos(*time));
        json.number("u", id.0);
    });
    Frame::of_event(object, id.0)
}

fn of_order(names: &Names, event: &OrderEvent) -> Option<Arc<Frame>> {
    let status = status(event)?;
    let symbol = names.symbol(event.order.symbol);
    let grid = &symbol.grid;
    let is_contract = event.order.symbol.is_contract();
    let own = if is_contract { OwnOrder::of(symbol, &event.order, event.time) } else { None };
    let (side, price, stop) =
        own.as_ref().map_or((event.order.side, event.order.price, event.order.stop), |own| {
            (own.side, own.price, own.stop)
        });
    let is_limit = matches!(event.order.kind, OrderKind::Limit | OrderKind::StopLimit);
    let terms = Terms {
        time: event.time,
        symbol: event.order.symbol,
        id: event.order.id,
        client_id: event.order.client_id.as_ref(),
        side,
        kind: event.order.kind,
        claim: event.order.claim,
    };
    let object = json::object(384, |json| {
        head(json, names, &terms, status);
        if is_limit {
            json.decimal("p", |out| grid.push_price(out, price));
        }
        if let Some(stop) = stop {
            json.decimal("P", |out| grid.push_price(out, stop));
        }
        amounts(json, names, event);
        if let Step::Cancelled(reason) = event.step {
            json.plain("r", reason_name(reason));
        }
        json.number("T", nanos(event.time));
        json.number("u", event.id.0);
    });
    Some(Frame::of_event(object, event.id.0))
}

/// Writes what an order had, has left and has traded. Fields that are zero are left out.
fn amounts(json: &mut Json, names: &Names, event: &OrderEvent) {
    let (order, grid) = (&event.order, &names.symbol(event.order.symbol).grid);
    let mut qty = |name: &str, qty: Qty| {
        if qty > Qty::ZERO {
            json.decimal(name, |out| grid.push_qty(out, qty));
        }
    };
    if order.kind != OrderKind::MarketSpend {
        qty("q", order.original);
        qty("z", order.remaining);
    }
    let Step::Filled(fill) = &event.step else {
        qty("Z", order.executed());
        return;
    };
    qty("Z", fill.qty);
    json.decimal("L", |out| match fill.part {
        Part::OffBook(price) => price.push_floored(out, MONEY_DECIMALS),
        Part::Maker | Part::Taker | Part::Auction | Part::Clearing => grid.push_price(out, fill.price),
    });
    // A number, as in `@trade` (D-284).
    json.number("t", fill.trade.0);
    if fill.fee != Money::ZERO {
        json.decimal("n", |out| fill.fee.push_floored(out, MONEY_DECIMALS));
    }
    json.flag("m", fill.part == Part::Maker);
}

fn kind_name(kind: OrderKind) -> &'static str {
    match kind {
        OrderKind::Limit => "LIMIT",
        OrderKind::StopLimit => "STOP_LIMIT",
        OrderKind::Market | OrderKind::MarketSpend => "MARKET",
    }
}

fn outcome(claim: Claim) -> &'static str {
    match claim {
        Claim::Yes => "YES",
        Claim::No => "NO",
    }
}

/// A frame of a report as of a command, as `Report::schema` describes it.
pub(crate) fn report(report: &Report, account: AccountId, time: Time, rows: AccountRows) -> Arc<Frame> {
    let mut head = json::object(96, |json| {
        json.plain("e", report.frame);
        json.number("E", nanos(time));
        json.number("u", nanos(time));
        if report.names_account {
            json.number("A", account.0.into());
        }
    });
    head.pop();
    head.extend_from_slice(format!(",\"{}\":[", report.list).as_bytes());
    Rows { head, rows }.frame()
}
