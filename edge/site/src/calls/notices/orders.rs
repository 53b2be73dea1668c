//! Trades of orders, the ends that were not requested, and stops that entered the book.

use super::news::News;
use super::{MOST, ReadOf, unread};
use crate::calls::average::average;
use crate::calls::forced::why;
use buttonwood_call::App;
use buttonwood_engine::{OrderState, State};
use buttonwood_gate::Refusal;
use buttonwood_model::{
    AccountId, CancelReason, OrderId, OrderKind, Product, SessionId, Symbol, Time, TradeId,
};
use buttonwood_num::{Money, Qty, Round};
use buttonwood_views::history::{NewsBound, Part};
use buttonwood_views::{EventId, OrderEvent, OrderFill, Step};
use buttonwood_wire::answers::SideName;
use buttonwood_wire::contract::{DecimalText, Digits};
use buttonwood_wire::order::{reason_name, side_name};
use buttonwood_wire::prediction_order::OwnOrder;
use std::collections::BTreeMap;

/// The trades of one order that are one row.
struct Fills {
    event: OrderEvent,
    /// The newest of them.
    newest: TradeId,
    qty: Qty,
    value: Money,
    fee: Money,
    trades: u64,
}

impl Fills {
    fn of(event: &OrderEvent, fill: &OrderFill) -> Self {
        let (qty, value, fee) = (Qty::ZERO, Money::ZERO, Money::ZERO);
        Self { event: *event, newest: fill.trade, qty, value, fee, trades: 0 }
    }

    fn add(&mut self, event: &OrderEvent, fill: &OrderFill, symbol: &Symbol) {
        let value = match fill.part {
            Part::OffBook(price) => symbol.grid.base(fill.qty).and_then(|base| base.times(price, Round::Cut)),
            Part::Maker | Part::Taker | Part::Auction | Part::Clearing => {
                symbol.grid.notional(fill.price, fill.qty)
            }
        };
        (self.event, self.newest) = (*event, fill.trade);
        self.qty += fill.qty;
        self.value = self.value.capped_add(value.unwrap_or(Money::ZERO));
        self.fee = self.fee.capped_add(fill.fee);
        self.trades += 1;
    }
}

/// How much an answer reads of the events of one account.
pub(super) const OWN: NewsBound = NewsBound { accounts: 1, rows: 10_000, news: 1_000 };

/// The newest news of the orders of accounts after the event with the number `known`; all of them with `is_all`.
pub(super) async fn read(
    app: &App,
    accounts: Vec<AccountId>,
    (known, is_all): (u64, bool),
    bound: NewsBound,
) -> Result<ReadOf<(AccountId, News)>, Refusal> {
    let after = EventId(if is_all { 0 } else { known });
    let found = app.exchange.order_news(accounts, after, bound).await.map_err(|fault| unread(&fault))?;
    let views = app.exchange.views();
    let state = views.state();
    let mut rows = Vec::new();
    let mut fills: BTreeMap<(bool, OrderId), Fills> = BTreeMap::new();
    for event in &found.events {
        let account = event.order.account;
        let Some(symbol) = state.symbol(event.order.symbol) else { continue };
        let is_new = event.id.0 > known;
        match event.step {
            Step::Filled(fill) => {
                let key = (is_new, event.order.id);
                fills.entry(key).or_insert_with(|| Fills::of(event, &fill)).add(event, &fill, symbol);
            }
            Step::Cancelled(reason) if event.order.session != SessionId::EXCHANGE => {
                rows.extend(ended(state, event, reason, is_new).map(|row| (account, row)));
            }
            // The rest of an order of the exchange is no order of the user's.
            Step::Accepted | Step::Booked | Step::Cancelled(_) | Step::CancelRejected | Step::Closed => {}
        }
    }
    let of_fills = fills.iter().filter_map(|((is_new, _), fills)| {
        let account = fills.event.order.account;
        fill(state, fills, *is_new).map(|row| (account, row))
    });
    rows.extend(of_fills);
    rows.retain(|(_, row)| is_all || row.is_new);
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.at));
    let more = !found.is_whole || rows.len() > MOST;
    rows.truncate(MOST);
    Ok(ReadOf { last: found.last, rows, more })
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

fn fill(state: &State, fills: &Fills, is_new: bool) -> Option<News> {
    let event = &fills.event;
    let symbol = state.symbol(event.order.symbol)?;
    let forced = why(&event.order, symbol, Some(fills.newest));
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

/// The live orders whose stop price was reached: no event says so. They have no number among the events, so a page knows by their ids
/// which of them it has shown. Of the accounts' live orders `looked` are read; the second is whether some are left out.
pub(super) fn stops(app: &App, accounts: &[AccountId], looked: usize) -> (Vec<(AccountId, News)>, bool) {
    let views = app.exchange.views();
    let state = views.state();
    let floor = state.floor();
    let mut live = accounts.iter().flat_map(|account| {
        state.orders().in_any_order(*account).map(move |(slot, order)| (*account, slot, order.id))
    });
    let entered = live.by_ref().take(looked).filter_map(|(account, slot, id)| {
        let entered = floor.stops.entered(id).filter(|entered| *entered > Time(0))?;
        let order = OrderState::live(floor, slot);
        let symbol = state.symbol(order.symbol)?;
        let blank = News::blank(format!("s{}", order.id.0), entered.millis(), true, "stop");
        let amount = Some(DecimalText::of(|out| symbol.grid.push_qty(out, order.remaining)));
        Some((account, News { amount, ..about(state, &order, entered, blank)? }))
    });
    let rows = entered.take(MOST).collect();
    (rows, live.next().is_some())
}
