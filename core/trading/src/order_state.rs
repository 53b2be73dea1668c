//! An order as it stands after a command: what a receipt carries.

use crate::{Event, Floor};
use buttonwood_book::{NewOrder, Orders};
use buttonwood_model::{
    AccountId, CancelReason, ClientId, ExecutionOption, OrderId, OrderKind, SessionId, Side, Slot, SymbolId,
    Time,
};
use buttonwood_num::{Money, Price, Qty};

/// The order that a decision is about. Deciding does not tell it in full: whoever answers does, from the events and the
/// state before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Its id.
    pub id: OrderId,
    /// Where it lies, if it is cancelled; an order that enters is in its command's events.
    pub kept: Option<Slot>,
}

/// One order, live or closed, with all that its owner may see of it (ORD-001).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderState {
    /// Its id.
    pub id: OrderId,
    /// Whose it is.
    pub account: AccountId,
    /// The key that placed it.
    pub session: SessionId,
    /// What it trades.
    pub symbol: SymbolId,
    /// Which way.
    pub side: Side,
    /// Limit or market.
    pub kind: OrderKind,
    /// Its execution option.
    pub option: Option<ExecutionOption>,
    /// Its limit; zero for market orders.
    pub price: Price,
    /// Its whole quantity.
    pub original: Qty,
    /// What is left of it.
    pub remaining: Qty,
    /// Executed so far, in quote currency.
    pub notional: Money,
    /// When it entered.
    pub placed: Time,
    /// Why it was cancelled, if it was.
    pub reason: Option<CancelReason>,
    /// Its client id.
    pub client_id: Option<ClientId>,
}

impl OrderState {
    /// A live order.
    pub fn live(orders: &Orders, slot: Slot) -> Self {
        let (order, entry, traded) = (orders.get(slot), orders.entry(slot), orders.traded(slot));
        Self {
            id: order.id,
            account: order.account,
            session: entry.session,
            symbol: order.symbol,
            side: order.side(),
            kind: entry.kind,
            option: entry.option,
            price: order.price,
            original: order.remaining + traded.qty,
            remaining: order.remaining,
            notional: traded.notional,
            placed: entry.placed,
            reason: None,
            client_id: orders.client_id(slot),
        }
    }

    /// An order that a command at `placed` enters, before anything else happens to it.
    fn entered(order: &NewOrder, texts: &[u8], placed: Time) -> Self {
        Self {
            id: order.id,
            account: order.account,
            session: order.session,
            symbol: order.symbol,
            side: order.class.side(),
            kind: order.kind,
            option: order.option,
            price: order.price,
            original: order.qty,
            remaining: order.qty,
            notional: Money::ZERO,
            placed,
            reason: None,
            client_id: order.client_id.of(texts).map(ClientId::copied),
        }
    }

    /// The order that a command entered at `placed`, as the command's events leave it; none if they enter none. `floor`
    /// is what was before them.
    ///
    /// # Panics
    /// When the events do not follow from the floor.
    pub fn of_events<'a>(
        events: impl Iterator<Item = &'a Event>,
        texts: &[u8],
        placed: Time,
        floor: &Floor,
    ) -> Option<Self> {
        let mut told: Option<Self> = None;
        for event in events {
            match (event, &mut told) {
                (Event::Placed(order) | Event::Rested { order, .. }, _) => {
                    told = Some(Self::entered(order, texts, placed));
                }
                (Event::Filled { maker, qty, .. }, Some(taker)) => {
                    let grid =
                        &floor.symbols.get(taker.symbol.index()).expect("an order's symbol is listed").grid;
                    let price = floor.orders.get(*maker).price;
                    taker.remaining -= *qty;
                    taker.notional +=
                        grid.notional(price, *qty).expect("a fill is no larger than its resting order");
                }
                (Event::Cancelled { reason, order, .. }, Some(taker)) if *order == taker.id => {
                    taker.reason = Some(*reason);
                }
                (
                    Event::Filled { .. }
                    | Event::Crossed { .. }
                    | Event::Booked { .. }
                    | Event::Completed
                    | Event::Cancelled { .. }
                    | Event::CancelRejected { .. },
                    _,
                ) => {}
            }
        }
        told
    }

    /// Whether it is active: something remains and it was not cancelled (ORD-007).
    pub fn is_live(&self) -> bool {
        self.reason.is_none() && self.remaining > Qty::ZERO
    }

    /// What was executed.
    pub fn executed(&self) -> Qty {
        self.original - self.remaining
    }
}
