//! An order as it is after a command, for the reply.

use crate::{Event, Floor};
use buttonwood_book::NewOrder;
use buttonwood_model::{
    AccountId, CancelReason, Claim, ClientId, ExecutionOption, OrderId, OrderKind, SessionId, Side, Slot,
    SymbolId, Time,
};
use buttonwood_num::{Money, Price, Qty};

/// The order that a decision concerns. The full [`OrderState`] is built later, by the replying thread, from
/// the events and the state before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Its id.
    pub id: OrderId,
    /// Its slot, if it is cancelled; none for an order that enters, which is in the command's events.
    pub kept: Option<Slot>,
}

/// One order, live or closed, with everything that its owner may see (ORD-001).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderState {
    /// Its id.
    pub id: OrderId,
    /// The account that owns it.
    pub account: AccountId,
    /// The key that placed it.
    pub session: SessionId,
    /// The symbol that it trades.
    pub symbol: SymbolId,
    /// The side of the book that it is on.
    pub side: Side,
    /// The outcome that it is about; [`Claim::Yes`] for products without outcomes. Its prices are those of the book all the same.
    pub claim: Claim,
    /// Limit or market.
    pub kind: OrderKind,
    /// Its execution option.
    pub option: Option<ExecutionOption>,
    /// Its limit; zero for market orders.
    pub price: Price,
    /// Its original quantity.
    pub original: Qty,
    /// Its remaining quantity.
    pub remaining: Qty,
    /// Executed so far, in quote currency.
    pub notional: Money,
    /// The quantity of its trades that were broken in full (ORD-023): neither executed nor remaining.
    pub broken: Qty,
    /// When it entered.
    pub placed: Time,
    /// Why it was cancelled, if it was.
    pub reason: Option<CancelReason>,
    /// Its client id.
    pub client_id: Option<ClientId>,
    /// Its stop price; none but for a stop-limit order.
    pub stop: Option<Price>,
}

/// Whether the command cancelled the order. It may have cancelled others.
fn is_cancelled<'a>(id: OrderId, mut events: impl Iterator<Item = &'a Event>) -> bool {
    events.any(|event| matches!(event, Event::Cancelled { order, .. } if *order == id))
}

impl OrderState {
    /// A live order.
    pub fn live(floor: &Floor, slot: Slot) -> Self {
        floor.breaks.correct(Self::with_broken(floor, slot))
    }

    /// A live order as if no trade had been broken: what the history records, since its rows never change.
    pub fn with_broken(floor: &Floor, slot: Slot) -> Self {
        let orders = &floor.orders;
        let (order, entry, traded) = (orders.get(slot), orders.entry(slot), orders.traded(slot));
        Self {
            id: order.id,
            account: order.account,
            session: entry.session,
            symbol: order.symbol,
            side: order.side(),
            claim: order.class().claim(),
            kind: entry.kind,
            option: entry.option,
            price: order.price,
            original: order.remaining + traded.qty,
            remaining: order.remaining,
            notional: traded.notional,
            broken: Qty::ZERO,
            placed: entry.placed,
            reason: None,
            client_id: orders.client_id(slot),
            stop: floor.stops.price(order.id),
        }
    }

    /// An order that enters at `placed`, before any other event.
    fn entered(order: &NewOrder, texts: &[u8], placed: Time) -> Self {
        Self {
            id: order.id,
            account: order.account,
            session: order.session,
            symbol: order.symbol,
            side: order.class.side(),
            claim: order.class.claim(),
            kind: order.kind,
            option: order.option,
            price: order.price,
            original: order.qty,
            remaining: order.qty,
            notional: Money::ZERO,
            broken: Qty::ZERO,
            placed,
            reason: None,
            client_id: order.client_id.of(texts).map(ClientId::copied),
            stop: None,
        }
    }

    /// The order of a decision as its owner sees it after the command's events, which `events` walks, at `time`. `floor` is the state before them.
    ///
    /// # Panics
    /// When the events do not follow from the floor.
    pub fn after<'a, E: Iterator<Item = &'a Event>>(
        decided: Decided,
        events: impl Fn() -> E,
        texts: &[u8],
        time: Time,
        floor: &Floor,
    ) -> Self {
        let Decided { id, kept } = decided;
        let Some(slot) = kept else {
            let entered = Self::of_events(id, events(), texts, time, floor);
            return entered.expect("a placed order is in its command's events");
        };
        // A cancel of an order that waits for an auction may have been rejected (AUCT-003).
        let is_cancelled = is_cancelled(id, events());
        Self { reason: is_cancelled.then_some(CancelReason::Requested), ..Self::live(floor, slot) }
    }

    /// The order `id` that a command entered at `placed`, after all of the command's events; none if they do
    /// not enter it. A command may enter several orders. `floor` is the state before these events.
    ///
    /// # Panics
    /// When the events do not follow from the floor.
    fn of_events<'a>(
        id: OrderId,
        events: impl Iterator<Item = &'a Event>,
        texts: &[u8],
        placed: Time,
        floor: &Floor,
    ) -> Option<Self> {
        let mut found: Option<Self> = None;
        // Whether a fill is of this order: the one that entered last.
        let mut is_taking = false;
        for event in events {
            match (event, &mut found) {
                (Event::Placed(order) | Event::Rested { order, .. }, _) => {
                    is_taking = order.id == id;
                    if is_taking {
                        found = Some(Self::entered(order, texts, placed));
                    }
                }
                (Event::Filled { maker, qty, .. }, Some(taker)) if is_taking => {
                    let grid = &floor.symbols.get(taker.symbol).expect("an order's symbol is listed").grid;
                    let price = floor.orders.get(*maker).price;
                    taker.remaining -= *qty;
                    taker.notional +=
                        grid.notional(price, *qty).expect("a fill is no larger than its resting order");
                }
                (Event::Suspended { stop, .. }, Some(entered)) if is_taking => entered.stop = Some(*stop),
                (Event::Triggered { .. }, _) => is_taking = false,
                (Event::Cancelled { reason, order, .. }, Some(taker)) if *order == id => {
                    taker.reason = Some(*reason);
                }
                (
                    Event::Filled { .. }
                    | Event::Crossed { .. }
                    | Event::Booked { .. }
                    | Event::Suspended { .. }
                    | Event::Completed
                    | Event::Cancelled { .. }
                    | Event::CancelRejected { .. },
                    _,
                ) => {}
            }
        }
        found
    }

    /// Whether it is live: a quantity remains, and it was not cancelled (ORD-007).
    pub fn is_live(&self) -> bool {
        self.reason.is_none() && self.remaining > Qty::ZERO
    }

    /// The executed quantity, without broken trades.
    pub fn executed(&self) -> Qty {
        self.original - self.remaining - self.broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::{Desk, Held, OrderClass, RatesId, TradeId};

    fn order(id: u64) -> NewOrder {
        NewOrder {
            id: OrderId(id),
            price: Price::from_ticks(1),
            qty: Qty::from_hundredths(700),
            account: AccountId(1),
            session: SessionId(1),
            symbol: SymbolId(0),
            class: OrderClass::new(Side::Buy, Claim::Yes, Desk::new(0)),
            kind: OrderKind::Limit,
            option: None,
            rates: RatesId(0),
            client_id: buttonwood_model::TextRef::default(),
        }
    }

    /// A command may cancel other orders than the one that its answer is about.
    #[test]
    fn a_cancel_of_another_order_is_not_of_this_one() {
        let event = Event::Cancelled { slot: Slot(0), reason: CancelReason::Requested, order: OrderId(5) };
        let is_cancelled = |id| is_cancelled(OrderId(id), [event].iter());
        assert!(is_cancelled(5) && !is_cancelled(6));
    }

    /// A command may enter several orders: entries, fills and cancels of the others do not count.
    #[test]
    fn events_of_other_orders_are_not_of_this_one() {
        let rests = |id| Event::Rested { order: order(id), held: Held(0), amount: Money::ZERO };
        let cancelled =
            |id| Event::Cancelled { slot: Slot(0), reason: CancelReason::Requested, order: OrderId(id) };
        let zero = Money::ZERO;
        let filled = Event::Filled {
            maker: Slot(0),
            trade: TradeId(9),
            qty: Qty::from_hundredths(1),
            maker_fee: zero,
            taker_fee: zero,
        };
        let events = [
            cancelled(1),
            rests(2),
            Event::Placed(order(3)),
            cancelled(2),
            Event::Placed(order(4)),
            filled,
            Event::Completed,
        ];
        let of = |id| OrderState::of_events(OrderId(id), events.iter(), &[], Time(5), &Floor::default());
        let entered = |id| OrderState::entered(&order(id), &[], Time(5));
        assert_eq!(of(2), Some(OrderState { reason: Some(CancelReason::Requested), ..entered(2) }));
        assert_eq!((of(3), of(1)), (Some(entered(3)), None));
    }
}
