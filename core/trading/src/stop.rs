//! Stop-limit orders (ORD-037 to ORD-042): they wait on no book, hold what they need, and enter as limit orders once the last
//! trade reaches their stop price.
//!
//! A trade that reaches stop prices makes their orders due, nearest stop price first and then oldest. Each due order enters by a
//! command of its own, a follow-up: so a chain of triggers of any length is a chain of small commands, and none other comes
//! between.

use crate::incoming::Incoming;
use crate::place::{Place, Placer, crosses};
use crate::{Desks, Event, Floor, Market, Planner, StopRule};
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use buttonwood_model::{
    CancelReason, OrderId, OrderKind, Outbox, Side, Slot, SymbolId, SymbolStatus, Time, TradeId,
};
use buttonwood_num::{Money, Price};
use serde::{Deserialize, Serialize};

/// Why a stop price is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopError {
    /// There is none, or the order has an execution option too (ORD-042).
    Missing,
    /// A buy's stop price is not where the product's rule wants it: not above its limit.
    Buy,
    /// A sell's stop price is not where the product's rule wants it: not below its limit.
    Sell,
    /// The limit is more than half the stop price away from it (ORD-040).
    TooFar,
}

/// Every live order that was placed with a stop price.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stops {
    live: BTreeMap<OrderId, Stop>,
    untriggered: BTreeMap<Key, Slot>,
    /// Those whose stop price a trade has reached, in the order in which they enter. A cancel leaves the order's place in the queue, which
    /// is passed over once it is the first: no cancel walks the queue.
    due: VecDeque<OrderId>,
    /// The same orders by symbol, without those that were cancelled.
    due_of: BTreeSet<(SymbolId, OrderId)>,
}

/// The stop price of an order, and the start of its place in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stop {
    price: Price,
    /// The order queues as if it had entered under this id: the next one at its trigger.
    priority: OrderId,
    /// When it entered; zero before.
    entered: Time,
}

/// Where an untriggered order stands: symbol, side, distance of the stop price from where no trade reaches it, id.
type Key = (SymbolId, Side, u64, OrderId);

fn key(symbol: SymbolId, side: Side, stop: Price, id: OrderId) -> Key {
    (symbol, side, reach(side, stop), id)
}

/// The smaller, the earlier a trade that moves towards the stop price reaches it.
fn reach(side: Side, stop: Price) -> u64 {
    match side {
        Side::Buy => stop.ticks(),
        Side::Sell => u64::MAX - stop.ticks(),
    }
}

impl Stops {
    /// Whether no live order has a stop price.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// The stop price of a live order, triggered or not.
    pub fn price(&self, id: OrderId) -> Option<Price> {
        self.live.get(&id).map(|stop| stop.price)
    }

    /// When a live order entered that was placed with a stop price.
    pub fn entered(&self, id: OrderId) -> Option<Time> {
        self.live.get(&id).map(|stop| stop.entered)
    }

    /// The order that enters next.
    #[inline]
    pub fn due(&self) -> Option<OrderId> {
        self.due.front().copied()
    }

    /// The orders of a symbol that a trade has reached and that have not entered.
    pub(crate) fn due_of(&self, symbol: SymbolId) -> impl Iterator<Item = OrderId> {
        self.due_of.range((symbol, OrderId(0))..=(symbol, OrderId(u64::MAX))).map(|(_, order)| *order)
    }

    /// The id that a live order queues under: its own, or that of its trigger.
    #[inline]
    pub(crate) fn priority(&self, id: OrderId) -> OrderId {
        self.live.get(&id).map_or(id, |stop| stop.priority)
    }

    /// Keeps an order until a trade reaches its stop price.
    pub(crate) fn wait(&mut self, symbol: SymbolId, side: Side, stop: Price, id: OrderId, slot: Slot) {
        self.live.insert(id, Stop { price: stop, priority: id, entered: Time(0) });
        self.untriggered.insert(key(symbol, side, stop, id), slot);
    }

    /// A trade printed: the orders whose stop price it reaches are due.
    #[inline]
    pub(crate) fn print(&mut self, symbol: SymbolId, last: Price) {
        if !self.untriggered.is_empty() {
            self.reach(symbol, last);
        }
    }

    #[cold]
    pub(crate) fn reach(&mut self, symbol: SymbolId, last: Price) {
        for side in [Side::Buy, Side::Sell] {
            let first = (symbol, side, 0, OrderId(0));
            let end = (symbol, side, reach(side, last), OrderId(u64::MAX));
            let reached: Vec<Key> = self.untriggered.range(first..=end).map(|(key, _)| *key).collect();
            for key in reached {
                self.untriggered.remove(&key);
                self.due.push_back(key.3);
                self.due_of.insert((symbol, key.3));
            }
        }
    }

    /// The order that is due enters, and queues behind every order with a smaller id than `priority`.
    ///
    /// # Panics
    /// When it is not the one that is due.
    pub(crate) fn enter(&mut self, symbol: SymbolId, id: OrderId, priority: OrderId, now: Time) {
        assert!(self.due.pop_front() == Some(id), "triggered orders enter in their order");
        self.due_of.remove(&(symbol, id));
        self.pass_cancelled();
        let stop = self.live.get_mut(&id).expect("an order that is due is live");
        (stop.priority, stop.entered) = (priority, now);
    }

    /// Forgets an order that is gone.
    #[cold]
    pub(crate) fn forget(&mut self, symbol: SymbolId, side: Side, id: OrderId) {
        let Some(stop) = self.live.remove(&id) else { return };
        if self.untriggered.remove(&key(symbol, side, stop.price, id)).is_none() {
            self.due_of.remove(&(symbol, id));
            self.pass_cancelled();
        }
    }

    /// Drops the orders at the front of the queue that are live no more.
    fn pass_cancelled(&mut self) {
        while self.due.pop_front_if(|first| !self.live.contains_key(first)).is_some() {}
    }

    /// Whether a symbol has untriggered orders.
    pub fn has_untriggered(&self, symbol: SymbolId) -> bool {
        self.of_symbol(symbol).next().is_some()
    }

    /// The untriggered orders of a symbol.
    pub(crate) fn of_symbol(&self, symbol: SymbolId) -> impl Iterator<Item = Slot> {
        let first = (symbol, Side::Buy, 0, OrderId(0));
        let end = (symbol, Side::Sell, u64::MAX, OrderId(u64::MAX));
        self.untriggered.range(first..=end).map(|(_, slot)| *slot)
    }
}

/// Checks an order's stop price against its limit, and by the rule of some products against the last price (ORD-038 to ORD-040, ORD-042).
pub(crate) fn check(place: &Place, rule: StopRule, last: Option<Price>) -> Result<(), StopError> {
    let (stop, price) = (place.stop.ticks(), place.price.ticks());
    if stop == 0 || place.option.is_some() {
        return Err(StopError::Missing);
    }
    if rule == StopRule::BetweenLastAndLimit {
        let last = last.map_or(stop, Price::ticks);
        return match place.side {
            Side::Buy if stop > price || last > stop => Err(StopError::Buy),
            Side::Sell if stop < price || last < stop => Err(StopError::Sell),
            Side::Buy | Side::Sell => Ok(()),
        };
    }
    match place.side {
        Side::Buy if stop > price => Err(StopError::Buy),
        Side::Sell if stop < price => Err(StopError::Sell),
        // Twice the distance is no more than the stop price.
        Side::Buy | Side::Sell if stop.abs_diff(price) > stop / 2 => Err(StopError::TooFar),
        Side::Buy | Side::Sell => Ok(()),
    }
}

/// Decides that the order which is due enters; false when another one is, or none.
pub fn decide<D: Desks, E: From<Event>>(
    market: Market<'_, D>,
    id: OrderId,
    planner: &mut Planner<D::Plan>,
    out: &mut Outbox<E>,
) -> bool {
    let Market { floor, .. } = market;
    let is_next = floor.stops.due() == Some(id) && floor.settling == 0;
    let (Some(slot), true) = (floor.orders.find(id), is_next) else { return false };
    let order = floor.orders.get(slot);
    let Some(symbol) = market.symbol(order.symbol) else { return false };
    let place = Place {
        symbol: order.symbol,
        side: order.side(),
        claim: order.class().claim(),
        kind: OrderKind::Limit,
        option: None,
        price: order.price,
        qty: order.remaining,
        spend: Money::ZERO,
        client_id: None,
        stop: Price::default(),
        margin: false,
    };
    let placer = Placer { account: order.account, session: floor.orders.entry(slot).session };
    let incoming = Incoming::triggered(market, placer, &place, symbol, slot);
    if !is_taken(symbol.status, market, &place) {
        incoming.emit_refused(CancelReason::MarketClosed, out);
        return true;
    }
    if incoming.enter(planner, out).is_err() {
        // More orders than one may trade with, or fees that round up beyond what it held.
        incoming.emit_refused(CancelReason::ExceedsPriceLimits, out);
    }
    true
}

/// Whether the symbol's status takes a limit order now (SYM-024 to SYM-027).
fn is_taken<D>(status: SymbolStatus, market: Market<'_, D>, place: &Place) -> bool {
    match status {
        SymbolStatus::Open | SymbolStatus::LimitOnly => true,
        SymbolStatus::Closed | SymbolStatus::CancelOnly => false,
        SymbolStatus::PostOnly => !crosses(market.floor.orders.book(place.symbol), place.side, place.price),
    }
}

impl Floor {
    /// A trade of the symbol printed at a price.
    #[inline]
    pub(crate) fn print(&mut self, symbol: SymbolId, trade: TradeId, price: Price) {
        self.orders.print(symbol, trade, price);
        self.stops.print(symbol, price);
    }

    /// Forgets an order that leaves.
    #[inline]
    pub(crate) fn remove(&mut self, slot: Slot) {
        if !self.stops.is_empty() {
            let order = self.orders.get(slot);
            self.stops.forget(order.symbol, order.side(), order.id);
        }
        self.orders.remove(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYMBOL: SymbolId = SymbolId(3);

    fn waiting(stops: &mut Stops, orders: impl Iterator<Item = u64>) {
        let slot = |id: u64| Slot(u32::try_from(id).unwrap_or_default());
        orders.for_each(|id| stops.wait(SYMBOL, Side::Buy, Price::from_ticks(10), OrderId(id), slot(id)));
    }

    /// A cancel leaves the order's place in the queue, so that it walks no queue. The orders that are left enter in their order, and an
    /// empty queue has no place left.
    #[test]
    fn a_cancel_of_a_due_order_passes_its_place() {
        let mut stops = Stops::default();
        waiting(&mut stops, 1..=6);
        stops.print(SYMBOL, Price::from_ticks(10));
        for gone in [3, 1, 6] {
            stops.forget(SYMBOL, Side::Buy, OrderId(gone));
        }
        assert_eq!(stops.due.len(), 5, "only the first place is dropped");
        assert_eq!(stops.due_of(SYMBOL).collect::<Vec<_>>(), [2, 4, 5].map(OrderId));
        assert_eq!(stops.due_of(SymbolId(4)).count(), 0);
        for next in [2, 4] {
            assert_eq!(stops.due(), Some(OrderId(next)));
            stops.enter(SYMBOL, OrderId(next), OrderId(10), Time(1));
        }
        assert_eq!(stops.due(), Some(OrderId(5)));
        stops.forget(SYMBOL, Side::Buy, OrderId(5));
        assert!(stops.due().is_none() && stops.due.is_empty() && stops.due_of.is_empty());
        // Those that entered are live without being due.
        stops.forget(SYMBOL, Side::Buy, OrderId(2));
        stops.forget(SYMBOL, Side::Buy, OrderId(4));
        assert!(stops.is_empty());
    }

    /// Every order of a long queue is cancelled, the newest first, without a walk over the queue for each.
    #[test]
    fn a_long_queue_is_cancelled_in_a_moment() {
        let mut stops = Stops::default();
        waiting(&mut stops, 1..=1_000_000);
        stops.print(SYMBOL, Price::from_ticks(10));
        (1..=1_000_000).rev().for_each(|id| stops.forget(SYMBOL, Side::Buy, OrderId(id)));
        assert!(stops.is_empty() && stops.due().is_none());
    }
}
