//! Trades of orders, the ends that nobody asked for, and stops that entered the book.

use super::news::News;
use super::{MOST, Read, unread};
use crate::calls::average::average;
use crate::calls::forced::Liquidated;
use buttonwood_engine::{OrderState, State};
use buttonwood_gate::Refusal;
use buttonwood_model::{AccountId, CancelReason, OrderId, OrderKind, Product, SessionId, Symbol, Time};
use buttonwood_num::{Money, Qty, Round};
use buttonwood_rest::App;
use buttonwood_views::history::Part;
use buttonwood_views::{AccountEvent, OrderEvent, OrderFill, Step};
use buttonwood_wire::answers::SideName;
use buttonwood_wire::contract::{DecimalText, Digits};
use buttonwood_wire::order::{reason_name, side_name};
use buttonwood_wire::prediction_order::OwnOrder;
use std::collections::BTreeMap;

/// The trades of one order that are told together.
struct Fills {
    event: OrderEvent,
    qty: Qty,
    value: Money,
    fee: Money,
    trades: u64,
}

impl Fills {
    fn of(event: &OrderEvent) -> Self {
        Self { event: *event, qty: Qty::ZERO, value: Money::ZERO, fee: Money::ZERO, trades: 0 }
    }

    fn add(&mut self, event: &OrderEvent, fill: &OrderFill, symbol: &Symbol) {
        let value = match fill.part {
            Part::OffBook(price) => symbol.grid.base(fill.qty).and_then(|base| base.times(price, Round::Cut)),
            Part::Maker | Part::Taker | Part::Auction | Part::Clearing => {
                symbol.grid.notional(fill.price, fill.qty)
            }
        };
        self.event = *event;
        self.qty += fill.qty;
        self.value = self.value.capped_add(value.unwrap_or(Money::ZERO));
        self.fee = self.fee.capped_add(fill.fee);
        self.trades += 1;
    }
}

/// The newest news of orders; those after the event with the number `known` are new.
pub(super) async fn read(app: &App, account: AccountId, known: u64) -> Result<Read, Refusal> {
    let events = app.exchange.newest_order_events(account, MOST).await.map_err(|fault| unread(&fault))?;
    let more = events.len() >= MOST && events.first().is_some_and(|event| event.id().0 > known);
    let last = events.last().map_or(0, |event| event.id().0);
    let views = app.exchange.views();
    let state = views.state();
    let mut liquidated = Liquidated::default();
    let mut rows = Vec::new();
    let mut fills: BTreeMap<(bool, OrderId), Fills> = BTreeMap::new();
    let own = events.iter().filter_map(|event| match event {
        AccountEvent::Order(event) => Some(event),
        // Whoever sent it has its refusal.
        AccountEvent::Refused(_) => None,
    });
    for event in own {
        liquidated.note(&event.order, event.time);
        let Some(symbol) = state.symbol(event.order.symbol) else { continue };
        let is_new = event.id.0 > known;
        match event.step {
            Step::Filled(fill) => {
                let key = (is_new, event.order.id);
                fills.entry(key).or_insert_with(|| Fills::of(event)).add(event, &fill, symbol);
            }
            Step::Cancelled(reason) if is_told(&event.order, reason) => {
                rows.extend(ended(state, event, reason, is_new));
            }
            Step::Accepted | Step::Booked | Step::Cancelled(_) | Step::CancelRejected | Step::Closed => {}
        }
    }
    let of_fills = fills.iter().filter_map(|((is_new, _), fills)| fill(state, fills, &liquidated, *is_new));
    rows.extend(of_fills);
    rows.extend(stops(state, account));
    Ok(Read { last, rows, more })
}

/// Whoever cancelled an order knows of it, and the rest of a forced order is no order of the user's.
fn is_told(order: &OrderState, reason: CancelReason) -> bool {
    reason != CancelReason::Requested && order.session != SessionId::EXCHANGE
}

/// The facts that all news of an order have, in the view of its own outcome.
fn about(state: &State, order: &OrderState, at: Time, blank: News) -> Option<News> {
    let symbol = state.symbol(order.symbol)?;
    let is_contract = order.symbol.is_contract();
    let own = if is_contract { Some(OwnOrder::of(symbol, order, at)?) } else { None };
    let (side, price, stop) =
        own.map_or((order.side, order.price, order.stop), |own| (own.side, own.price, own.stop));
    let code = |id| state.currency(id).map(|currency| currency.code.clone());
    let decimal = |price| DecimalText::of(|out| symbol.grid.push_price(out, price));
    let is_limit = matches!(order.kind, OrderKind::Limit | OrderKind::StopLimit);
    Some(News {
        symbol: Some(symbol.name.to_ascii_uppercase()),
        base: if is_contract { Some("contracts".to_owned()) } else { code(symbol.base) },
        currency: code(symbol.quote),
        side: Some(SideName(side_name(side))),
        outcome: is_contract.then(|| order.claim.name().to_owned()),
        order_id: Some(Digits(order.id.0)),
        price: is_limit.then(|| decimal(price)),
        stop: stop.map(decimal),
        ..blank
    })
}

fn fill(state: &State, fills: &Fills, liquidated: &Liquidated, is_new: bool) -> Option<News> {
    let event = &fills.event;
    let symbol = state.symbol(event.order.symbol)?;
    let forced = liquidated.why(&event.order, symbol, event.time);
    let blank = News::blank(format!("e{}", event.id.0), event.time.millis(), is_new, "fill");
    Some(News {
        amount: Some(DecimalText::of(|out| symbol.grid.push_qty(out, fills.qty))),
        price: Some(average(symbol, fills.value, fills.qty)),
        fee: Some(DecimalText::exact(fills.fee)),
        trades: Some(fills.trades),
        is_whole: Some(event.order.remaining == Qty::ZERO),
        left: forced.is_some().then(|| DecimalText::exact(left(state, &event.order, symbol))),
        forced,
        ..about(state, &event.order, event.time, blank)?
    })
}

/// The position in a perpetual, or the balance of a currency, that an account has now.
fn left(state: &State, order: &OrderState, symbol: &Symbol) -> Money {
    if symbol.product == Product::Swap {
        state.perps().row(order.account, order.symbol).position.quantity
    } else {
        state.ledger().balance(order.account, symbol.base).total()
    }
}

fn ended(state: &State, event: &OrderEvent, reason: CancelReason, is_new: bool) -> Option<News> {
    let symbol = state.symbol(event.order.symbol)?;
    let blank = News::blank(format!("e{}", event.id.0), event.time.millis(), is_new, "ended");
    Some(News {
        amount: Some(DecimalText::of(|out| symbol.grid.push_qty(out, event.order.remaining))),
        reason: Some(reason_name(reason).to_owned()),
        ..about(state, &event.order, event.time, blank)?
    })
}

/// The live orders whose stop price was reached: no event tells of it. They have no number among the events, so a page knows by their ids
/// which of them it has shown.
fn stops(state: &State, account: AccountId) -> Vec<News> {
    let floor = state.floor();
    let live = state.orders().in_any_order(account).filter_map(|(slot, order)| {
        let entered = floor.stops.entered(order.id).filter(|entered| *entered > Time(0))?;
        let order = OrderState::live(floor, slot);
        let symbol = state.symbol(order.symbol)?;
        let blank = News::blank(format!("s{}", order.id.0), entered.millis(), true, "stop");
        let amount = Some(DecimalText::of(|out| symbol.grid.push_qty(out, order.remaining)));
        Some(News { amount, ..about(state, &order, entered, blank)? })
    });
    live.take(MOST).collect()
}
