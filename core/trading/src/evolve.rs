//! Applies events. Only this file changes the floor.

use crate::{Crossing, Desks, Event, Execution, Floor, Reserve};
use buttonwood_book::{NewOrder, Order, Orders};
use buttonwood_model::{ExecutionOption, OrderId, Side, Slot, SymbolId, Time, TradeId};
use buttonwood_num::{Money, Price, Qty};

/// Applies one event. [`Event::Placed`] sets the taker, which the later events of its command concern.
/// Returns the value of the id counter that the event used, if any.
///
/// # Panics
/// When the event does not follow from the state: the code or the journal is wrong, and the exchange must
/// end.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub fn evolve<D: Desks>(
    floor: &mut Floor,
    desks: &mut D,
    time: Time,
    event: &Event,
    texts: &[u8],
) -> Option<u64> {
    match event {
        Event::Rested { order, held, amount } => {
            let reserve = Reserve { held: *held, amount: *amount };
            enter_resting(floor, desks, order, reserve, texts, time);
            Some(order.id.0)
        }
        Event::Placed(order) => {
            enter(floor, desks, order, texts, time);
            Some(order.id.0)
        }
        Event::Filled { maker, trade, qty, maker_fee, taker_fee } => {
            settle(floor, desks, time, (*maker, *trade), *qty, [maker_fee, taker_fee]);
            Some(trade.0)
        }
        Event::Crossed { buy, sell, trade, price, qty, fees } => {
            cross(floor, desks, time, ([*buy, *sell], *trade), *price, *qty, *fees);
            Some(trade.0)
        }
        Event::Booked { held, amount } => {
            rest(floor, desks, Reserve { held: *held, amount: *amount });
            None
        }
        Event::Suspended { stop, held, amount } => {
            suspend(floor, desks, *stop, Reserve { held: *held, amount: *amount });
            None
        }
        Event::Triggered { slot, order, priority } => {
            trigger(floor, desks, *slot, (*order, *priority), time);
            None
        }
        Event::Completed => {
            complete(floor, desks);
            None
        }
        Event::Cancelled { slot, order: id, .. } => {
            cancel(floor, desks, *slot, *id);
            None
        }
        Event::CancelRejected { .. } => None,
    }
}

// Each event has a function of its own, so that none pays for what the others need. The two most frequent
// ones are inlined into the caller.

#[inline(never)]
fn remove(floor: &mut Floor, slot: Slot) {
    floor.remove(slot);
}

#[inline(never)]
fn complete<D: Desks>(floor: &mut Floor, desks: &mut D) {
    let taking = floor.taking;
    assert!(floor.orders.get(taking).remaining == Qty::ZERO, "a completed order has nothing left");
    settle_taker(floor, desks, taking);
    floor.remove(taking);
}

#[inline(never)]
fn suspend<D: Desks>(floor: &mut Floor, desks: &mut D, stop: Price, reserve: Reserve) {
    let taking = floor.taking;
    floor.orders.suspend(taking, reserve.held);
    let Order { id, symbol, .. } = *floor.orders.get(taking);
    let class = floor.orders.get(taking).class();
    floor.stops.wait(symbol, class.side(), stop, id, taking);
    desks.hold(class.desk(), || floor.live(taking), reserve);
    if let Some(last) = floor.orders.last(symbol) {
        floor.stops.print(symbol, last);
    }
}

#[inline(never)]
fn trigger<D: Desks>(
    floor: &mut Floor,
    desks: &mut D,
    slot: Slot,
    (id, priority): (OrderId, OrderId),
    time: Time,
) {
    assert!(desks.is_settled(), "an order settles before the next one enters");
    assert!(floor.orders.get(slot).id == id, "the order lies where the decision found it");
    floor.stops.enter(floor.orders.get(slot).symbol, id, priority, time);
    desks.release(floor.live(slot));
    floor.orders.trigger(slot);
    floor.taking = slot;
}

#[inline(never)]
fn enter<D: Desks>(floor: &mut Floor, desks: &mut D, order: &NewOrder, texts: &[u8], time: Time) {
    assert!(desks.is_settled(), "an order settles before the next one enters");
    floor.taking = floor.orders.insert(order, texts, time);
}

#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn enter_resting<D: Desks>(
    floor: &mut Floor,
    desks: &mut D,
    order: &NewOrder,
    reserve: Reserve,
    texts: &[u8],
    time: Time,
) {
    if order.option != Some(ExecutionOption::AuctionOnly) {
        check_uncrossed(&floor.orders, order.symbol, order.class.side(), order.price);
    }
    floor.taking = floor.orders.insert_booked(order, texts, time, reserve.held);
    desks.touch(order.symbol);
    desks.hold(order.class.desk(), || floor.live(floor.taking), reserve);
}

#[inline(never)]
fn rest<D: Desks>(floor: &mut Floor, desks: &mut D, reserve: Reserve) {
    let taking = floor.taking;
    settle_taker(floor, desks, taking);
    let order = floor.orders.get(taking);
    check_uncrossed(&floor.orders, order.symbol, order.side(), order.price);
    desks.touch(order.symbol);
    floor.orders.book_rest(taking, reserve.held);
    desks.hold(floor.orders.get(taking).class().desk(), || floor.live(taking), reserve);
}

#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn cancel<D: Desks>(floor: &mut Floor, desks: &mut D, slot: Slot, id: OrderId) {
    let order = floor.orders.get(slot);
    assert!(order.id == id, "the order lies where the decision found it");
    if order.is_booked() {
        desks.touch(order.symbol);
        desks.release(floor.seen(order));
    } else {
        settle_taker(floor, desks, slot);
    }
    floor.remove(slot);
}

/// Asserts that an order that begins to rest does not cross the book (INV-MATCH-1).
#[inline]
fn check_uncrossed(orders: &Orders, symbol: SymbolId, side: Side, price: Price) {
    assert!(!orders.book(symbol).side(side.opposite()).meets(price), "a book is not crossed");
}

/// Settles the maker's side of a fill, and notes what both orders have traded. Fees are passed by reference,
/// so that they are read only where they are needed.
#[inline(never)]
fn settle<D: Desks>(
    floor: &mut Floor,
    desks: &mut D,
    time: Time,
    (slot, trade): (Slot, TradeId),
    qty: Qty,
    [maker_fee, taker_fee]: [&Money; 2],
) {
    let maker = floor.live(slot);
    let Order { symbol, price, .. } = *maker.order;
    let notional = maker.grid().notional(price, qty).expect("a fill is no larger than its resting order");
    let taker = floor.live(floor.taking);
    let accounts = [maker.order.account, taker.order.account];
    desks.touch(symbol);
    desks.settle_maker(&Execution { maker, taker, qty, notional, maker_fee, taker_fee });
    floor.count_volume(desks, time, (symbol, notional), accounts);
    floor.print(symbol, trade, price);
    let Floor { orders, taking, .. } = &mut *floor;
    orders.fill_entered(*taking, qty, notional);
    if orders.fill(slot, qty, notional) == Qty::ZERO {
        remove(floor, slot);
    }
}

/// Settles both sides of an auction's trade.
#[inline(never)]
fn cross<D: Desks>(
    floor: &mut Floor,
    desks: &mut D,
    time: Time,
    (slots, trade): ([Slot; 2], TradeId),
    price: Price,
    qty: Qty,
    fees: [Money; 2],
) {
    let [buy, sell] = slots.map(|slot| floor.live(slot));
    let symbol = buy.order.symbol;
    let notional = buy.grid().notional(price, qty).expect("a trade is no larger than its buyer's order");
    let accounts = [buy.order.account, sell.order.account];
    desks.touch(symbol);
    desks.settle_crossing(&Crossing { buy, sell, price, qty, notional, fees });
    floor.count_volume(desks, time, (symbol, notional), accounts);
    floor.print(symbol, trade, price);
    floor.auctions.get_mut(&symbol).expect("the symbol has an auction").note_settled(qty);
    for slot in slots {
        if floor.orders.fill(slot, qty, notional) == Qty::ZERO {
            remove(floor, slot);
        }
    }
}

/// Settles the taker's side for all of its fills, at its last event.
#[inline(never)]
fn settle_taker<D: Desks>(floor: &Floor, desks: &mut D, slot: Slot) {
    let traded = floor.orders.traded(slot);
    if traded.qty > Qty::ZERO {
        desks.settle_taker(floor.live(slot), traded);
    }
}
