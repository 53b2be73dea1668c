//! Cancels of one order, of a session's orders, and of an account's orders (ORD-054 to ORD-063).

use crate::auction::{is_past_last_cancel, waiting};
use crate::connections::Open;
use crate::{Decided, Desks, Event, Floor, Market, Planner};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CancelReason, ClientId, OrderId, Outbox, SessionId, Side, Slot, SymbolId};
use core::cmp::Reverse;
use serde::{Deserialize, Serialize};

/// The most orders that one command cancels: a call with more of them takes several commands, so that each event has an id of its own.
pub const STEP: usize = 10_000;

/// Which order a call names (ORD-059).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderRef {
    /// By the exchange's id.
    Id(OrderId),
    /// By the client's id: the newest order that had it, if it is live (D-175).
    ClientId(ClientId),
}

impl OrderRef {
    /// The account's live order with this id. `None` also for another account's order (ORD-058).
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every cancel")]
    #[inline(always)]
    pub fn find(&self, floor: &Floor, account: AccountId) -> Option<Slot> {
        match self {
            Self::Id(id) => {
                let is_own = |slot: &Slot| floor.orders.get(*slot).account == account;
                floor.orders.find(*id).filter(is_own)
            }
            Self::ClientId(client_id) => floor.orders.find_client_id(account, client_id),
        }
    }
}

/// The effect on each order of a command that cancels many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Withdrawn {
    /// The orders that it cancelled, oldest first.
    pub cancelled: Vec<OrderId>,
    /// The orders that stay because they are too late to leave an auction (AUCT-003), oldest first.
    pub kept: Vec<OrderId>,
}

impl Withdrawn {
    /// Reads the orders from the command's events.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut withdrawn = Self::default();
        for event in events {
            match event {
                Event::Cancelled { order, .. } => withdrawn.cancelled.push(*order),
                Event::CancelRejected { order, .. } => withdrawn.kept.push(*order),
                Event::Rested { .. }
                | Event::Placed(_)
                | Event::Filled { .. }
                | Event::Crossed { .. }
                | Event::Booked { .. }
                | Event::Suspended { .. }
                | Event::Triggered { .. }
                | Event::Completed => {}
            }
        }
        withdrawn.cancelled.sort_unstable();
        withdrawn.kept.sort_unstable();
        withdrawn
    }
}

/// Cancels one live order of the listed symbols, or one of the contracts; `None` when the account has no such live order. It may have a
/// closed one (ORD-057).
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every cancel")]
#[inline(always)]
pub fn one<D, E: From<Event>>(
    market: Market<'_, D>,
    account: AccountId,
    order: &OrderRef,
    is_of_contract: bool,
    out: &mut Outbox<E>,
) -> Option<Decided> {
    let slot = order.find(market.floor, account)?;
    let live = market.floor.orders.get(slot);
    if live.symbol.is_contract() != is_of_contract {
        return None;
    }
    let id = live.id;
    out.push(requested(market, slot, id));
    Some(Decided { id, kept: Some(slot) })
}

/// Cancels every live order of the account for a reason of the exchange, newest first, also those that wait for an auction too late to
/// be cancelled by request.
pub fn forced<D: Desks, E: From<Event>>(
    market: Market<'_, D>,
    account: AccountId,
    reason: CancelReason,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) {
    for slot in newest_first(market, account, None, planner) {
        let order = market.floor.orders.get(*slot).id;
        out.push(Event::Cancelled { slot: *slot, reason, order });
    }
}

/// Cancels every live order of the account, or only those of one session, newest first.
pub fn many<D: Desks, E: From<Event>>(
    market: Market<'_, D>,
    account: AccountId,
    session: Option<SessionId>,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) {
    for slot in newest_first(market, account, session, planner) {
        let order = market.floor.orders.get(*slot).id;
        out.push(requested(market, *slot, order));
    }
}

/// Cancels the live orders that were placed over a connection, newest first.
pub fn tied<D, E: From<Event>>(market: Market<'_, D>, open: &Open, out: &mut Outbox<E>) {
    for (slot, order) in open.live(&market.floor.orders).rev() {
        out.push(requested(market, slot, order));
    }
}

/// Cancels live orders of an account, of a symbol, or of an account on a symbol, newest first, as an operator wishes: at most [`STEP`], and
/// of those that stay as many. Orders after `last` are left alone, so that the steps of one cancel share one set of orders.
pub fn chosen<D: Desks, E: From<Event>>(
    market: Market<'_, D>,
    (account, symbol): (Option<AccountId>, Option<SymbolId>),
    last: Option<OrderId>,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) {
    let orders = &market.floor.orders;
    let slots = &mut planner.slots;
    slots.clear();
    match (account, symbol) {
        (Some(account), symbol) => {
            let own = orders.in_any_order(account);
            let meant = own.filter(|(_, order)| symbol.is_none_or(|symbol| order.symbol == symbol));
            slots.extend(meant.map(|(slot, _)| slot));
        }
        (None, Some(symbol)) => slots.extend(on_symbol(market.floor, symbol)),
        (None, None) => {}
    }
    slots.retain(|slot| last.is_none_or(|last| orders.get(*slot).id <= last));
    slots.sort_unstable_by_key(|slot| orders.get(*slot).id);
    let (mut cancelled, mut kept) = (0, 0);
    for slot in slots.iter().rev() {
        let event = requested(market, *slot, orders.get(*slot).id);
        let count = if matches!(event, Event::Cancelled { .. }) { &mut cancelled } else { &mut kept };
        *count += 1;
        if *count <= STEP {
            out.push(event);
        }
    }
}

/// Cancels live orders of a symbol for a reason of the exchange, at most `most`. Returns whether it has more.
pub fn closed_out<E: From<Event>>(
    floor: &Floor,
    symbol: SymbolId,
    (reason, most): (CancelReason, usize),
    out: &mut Outbox<E>,
) -> bool {
    let mut slots = on_symbol(floor, symbol);
    for slot in slots.by_ref().take(most) {
        out.push(Event::Cancelled { slot, reason, order: floor.orders.get(slot).id });
    }
    slots.next().is_some()
}

/// Every live order on a symbol: on its book, waiting for its auction or for its stop price, or about to enter since a trade reached
/// that.
fn on_symbol(floor: &Floor, symbol: SymbolId) -> impl Iterator<Item = Slot> {
    let sides = [Side::Buy, Side::Sell].into_iter();
    let resting = sides.clone().flat_map(move |side| {
        let prices = floor.orders.book(symbol).side(side).prices();
        prices.flat_map(move |price| floor.orders.queue(symbol, side, price))
    });
    let waiting = sides.flat_map(move |side| waiting(floor, symbol, side));
    let due = floor.stops.due_of(symbol).filter_map(|order| floor.orders.find(order));
    resting.chain(waiting).chain(floor.stops.of_symbol(symbol)).chain(due)
}

/// The live orders of the account, or only those of one session, newest first.
fn newest_first<'a, D: Desks>(
    market: Market<'_, D>,
    account: AccountId,
    session: Option<SessionId>,
    planner: &'a mut Planner<D::Plan>,
) -> &'a [Slot] {
    let orders = &market.floor.orders;
    let slots = &mut planner.slots;
    slots.clear();
    let own = orders.in_any_order(account);
    let meant = own.filter(|(slot, _)| session.is_none_or(|session| orders.entry(*slot).session == session));
    slots.extend(meant.map(|(slot, _)| slot));
    slots.sort_unstable_by_key(|slot| Reverse(orders.get(*slot).id));
    slots
}

/// The event of a requested cancel: it is rejected if the order waits for an auction and it is too late, or if the exchange
/// itself placed the order.
#[inline]
fn requested<D>(market: Market<'_, D>, slot: Slot, order: OrderId) -> Event {
    if is_past_last_cancel(market, slot) || market.floor.orders.is_of_exchange(slot) {
        Event::CancelRejected { slot, order }
    } else {
        Event::Cancelled { slot, reason: CancelReason::Requested, order }
    }
}
