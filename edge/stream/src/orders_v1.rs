//! Events of orders of the first generation (EVT-003 to EVT-011, facts T§9, Q-590).

use crate::frame::{EventText, Kinds};
use buttonwood_engine::OrderState;
use buttonwood_model::{CancelReason, ClientId, ExecutionOption, OrderKind, Side, SymbolId, Time};
use buttonwood_num::{Decimal, MONEY_DECIMALS, Money};
use buttonwood_views::history::Part;
use buttonwood_views::{AccountEvent, OrderEvent, OrderFill, RefusedEvent, Step};
use buttonwood_wire::order::{option_name, reason_name, side_name, type_of};
use buttonwood_wire::{Json, Names, json};
use std::sync::Arc;

/// Why a cancel is refused: it comes too late before an auction (D-158).
const TOO_LATE: &str = "IneligibleTiming";

/// Who placed an order, as its events name it.
#[derive(Clone, Debug)]
pub(crate) struct Placer {
    /// The key.
    pub(crate) session: Arc<str>,
    /// The account, for a reader of several.
    pub(crate) account: Option<Arc<str>>,
}

/// Words an event.
pub(crate) fn event(names: &Names, event: &AccountEvent, placer: Placer) -> Arc<EventText> {
    match event {
        AccountEvent::Order(event) => of_order(names, event, placer),
        AccountEvent::Refused(event) => rejected(names, event, placer),
    }
}

fn of_order(names: &Names, event: &OrderEvent, placer: Placer) -> Arc<EventText> {
    let kind = match event.step {
        Step::Accepted => "accepted",
        Step::Booked => "booked",
        Step::Filled(_) => "fill",
        Step::Cancelled(_) => "cancelled",
        Step::CancelRejected => "cancel_rejected",
        Step::Closed => "closed",
    };
    let reason = match event.step {
        Step::Cancelled(reason) => Some(reason_name(reason)),
        Step::CancelRejected => Some(TOO_LATE),
        Step::Accepted | Step::Booked | Step::Filled(_) | Step::Closed => None,
    };
    let text = json::object(640, |json| {
        json.plain("type", kind);
        json.number_text("order_id", event.order.id.0);
        json.number_text("event_id", event.id.0);
        order(json, names, &event.order, &placer, (event.time, event.is_live()));
        if event.spend > Money::ZERO {
            json.decimal("total_spend", |out| event.spend.push_floored(out, MONEY_DECIMALS));
        }
        if let Some(reason) = reason {
            json.plain("reason", reason);
        }
        if is_asked_for(event.step) {
            json.number_text("cancel_command_id", event.id.seq().0);
        }
        if let Step::Filled(fill) = &event.step {
            json.object_field("fill", |json| self::fill(json, names, &event.order, fill));
        }
    });
    whole(names, (event.id.0, kind), event.order.symbol, placer, text)
}

/// Whether a command asked for the cancel: it has the number of the command in the journal, the same after every replay.
fn is_asked_for(step: Step) -> bool {
    matches!(step, Step::Cancelled(CancelReason::Requested) | Step::CancelRejected)
}

/// Words the event of an order that a rule refused: figures are as its client sent them, and nothing of it was executed.
fn rejected(names: &Names, event: &RefusedEvent, placer: Placer) -> Arc<EventText> {
    let order = &event.order;
    let figure = |decimal: Decimal| move |out: &mut Vec<u8>| decimal.push(out);
    let text = json::object(512, |json| {
        json.plain("type", "rejected");
        json.number_text("order_id", order.id.0);
        json.number_text("event_id", event.id.0);
        let terms = Terms {
            client_id: order.client_id.as_ref(),
            symbol: order.symbol,
            side: order.side,
            kind: order.kind,
            option: order.option,
        };
        head(json, names, &terms, &placer, event.time);
        state_flags(json, false, false);
        json.plain("avg_execution_price", "0");
        json.plain("executed_amount", "0");
        if let Some(qty) = order.qty {
            json.decimal("remaining_amount", figure(qty));
            json.decimal("original_amount", figure(qty));
        }
        let others = [("total_spend", order.spend), ("price", order.price), ("stop_price", order.stop)];
        for (name, decimal) in others {
            if let Some(decimal) = decimal {
                json.decimal(name, figure(decimal));
            }
        }
        json.plain("reason", order.reason.name());
    });
    whole(names, (event.id.0, "rejected"), order.symbol, placer, text)
}

/// Words a live order as it stands.
pub(crate) fn initial(names: &Names, state: &OrderState, placer: Placer) -> Arc<EventText> {
    let text = json::object(512, |json| {
        json.plain("type", "initial");
        json.number_text("order_id", state.id.0);
        order(json, names, state, &placer, (state.placed, true));
    });
    whole(names, (0, "initial"), state.symbol, placer, text)
}

fn whole(
    names: &Names,
    (id, kind): (u64, &str),
    symbol: SymbolId,
    placer: Placer,
    mut text: Vec<u8>,
) -> Arc<EventText> {
    text.pop();
    Arc::new(EventText {
        id,
        kind: Kinds::named(kind).unwrap_or(Kinds(0)),
        symbol: names.symbol(symbol).name.to_ascii_lowercase(),
        session: placer.session,
        text,
    })
}

/// The terms of an order that every event has.
struct Terms<'a> {
    client_id: Option<&'a ClientId>,
    symbol: SymbolId,
    side: Side,
    kind: OrderKind,
    option: Option<ExecutionOption>,
}

/// Writes the placer, the terms and the time.
fn head(json: &mut Json, names: &Names, terms: &Terms<'_>, placer: &Placer, time: Time) {
    if let Some(account) = &placer.account {
        json.field("account_name", |json| json.text_item(account));
    }
    json.plain("api_session", &placer.session);
    if let Some(client_id) = terms.client_id {
        json.plain("client_order_id", client_id.as_str());
    }
    json.plain("symbol", &names.symbol(terms.symbol).name.to_ascii_lowercase());
    json.plain("side", side_name(terms.side));
    if let Some(option) = terms.option {
        json.plain("behavior", option_name(option));
    }
    json.plain("order_type", type_of(terms.kind, terms.side, terms.option));
    json.number_text("timestamp", time.seconds());
    json.number("timestampms", time.millis());
}

fn state_flags(json: &mut Json, is_live: bool, is_cancelled: bool) {
    json.flag("is_live", is_live);
    json.flag("is_cancelled", is_cancelled);
    json.flag("is_hidden", false);
}

/// Writes the fields that all events of an order that entered have.
fn order(json: &mut Json, names: &Names, state: &OrderState, placer: &Placer, (time, is_live): (Time, bool)) {
    let grid = &names.symbol(state.symbol).grid;
    let terms = Terms {
        client_id: state.client_id.as_ref(),
        symbol: state.symbol,
        side: state.side,
        kind: state.kind,
        option: state.option,
    };
    head(json, names, &terms, placer, time);
    state_flags(json, is_live, state.reason.is_some());
    json.decimal("avg_execution_price", |out| grid.push_average(out, state.notional, state.executed()));
    json.decimal("executed_amount", |out| grid.push_qty(out, state.executed()));
    if state.kind != OrderKind::MarketSpend {
        json.decimal("remaining_amount", |out| grid.push_qty(out, state.remaining));
        json.decimal("original_amount", |out| grid.push_qty(out, state.original));
    }
    if matches!(state.kind, OrderKind::Limit | OrderKind::StopLimit) {
        json.decimal("price", |out| grid.push_price(out, state.price));
    }
    if let Some(stop) = state.stop {
        json.decimal("stop_price", |out| grid.push_price(out, stop));
    }
}

fn fill(json: &mut Json, names: &Names, state: &OrderState, fill: &OrderFill) {
    let symbol = names.symbol(state.symbol);
    json.number_text("trade_id", fill.trade.0);
    json.plain("liquidity", liquidity(fill.part));
    json.decimal("price", |out| match fill.part {
        Part::OffBook(price) => price.push_floored(out, MONEY_DECIMALS),
        Part::Maker | Part::Taker | Part::Auction | Part::Clearing => symbol.grid.push_price(out, fill.price),
    });
    json.decimal("amount", |out| symbol.grid.push_qty(out, fill.qty));
    json.decimal("fee", |out| fill.fee.push_floored(out, MONEY_DECIMALS));
    json.plain("fee_currency", &names.currency(symbol.quote).code);
}

/// The part of an order in a trade; that of a trade off the book is a taker's.
fn liquidity(part: Part) -> &'static str {
    match part {
        Part::Maker => "Maker",
        Part::Taker | Part::OffBook(_) | Part::Clearing => "Taker",
        Part::Auction => "Auction",
    }
}

#[cfg(test)]
mod tests;
