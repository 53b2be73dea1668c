//! Applying events: the only place of this room that changes anything.

use crate::fees::freed;
use crate::{Event, Pit, hold_of};
use buttonwood_book::{NewOrder, Order, Orders};
use buttonwood_ledger::{Crossing, Maker, Taker, Trade};
use buttonwood_model::{ExecutionOption, Held, OrderId, Side, Slot, Symbol, SymbolId, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_planted::{Bug, planted};

/// Applies one event. [`Event::Placed`] sets where the order that the later events of its command are about lies.
/// Returns the number of the id counter that the event used, if any.
///
/// # Panics
/// When the event does not follow from the state: then the code or the journal is wrong, and nothing may go on.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub fn evolve(pit: &mut Pit, time: Time, event: &Event, texts: &[u8]) -> Option<u64> {
    match event {
        Event::Rested { order, held, amount } => {
            enter_resting(pit, order, *held, *amount, texts, time);
            Some(order.id.0)
        }
        Event::Placed(order) => {
            enter(pit, order, texts, time);
            Some(order.id.0)
        }
        Event::Filled { maker, trade, qty, maker_fee, taker_fee } => {
            settle(pit, *maker, qty, maker_fee, taker_fee);
            Some(trade.0)
        }
        Event::Crossed { buy, sell, trade, price, qty, fees } => {
            cross(pit, [*buy, *sell], *price, *qty, *fees);
            Some(trade.0)
        }
        Event::Booked { held, amount } => {
            rest(pit, *held, *amount);
            None
        }
        Event::Completed => {
            complete(pit);
            None
        }
        Event::Cancelled { slot, order: id, .. } => {
            cancel(pit, *slot, *id);
            None
        }
        Event::CancelRejected { .. } => None,
    }
}

// Each event is a function of its own. The two that nearly every command brings are part of the caller, which has what they
// need at hand; none pays for what the others need.

#[inline(never)]
fn remove(orders: &mut Orders, slot: Slot) {
    orders.remove(slot);
}

#[inline(never)]
fn complete(pit: &mut Pit) {
    let taking = pit.taking;
    assert!(pit.orders.get(taking).remaining == Qty::ZERO, "a completed order has nothing left");
    settle_taker(pit, taking);
    pit.orders.remove(taking);
}

#[inline(never)]
fn enter(pit: &mut Pit, order: &NewOrder, texts: &[u8], time: Time) {
    assert!(pit.ledger.is_settled(), "an order settles before the next one enters");
    pit.taking = pit.orders.insert(order, texts, time);
}

#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn enter_resting(pit: &mut Pit, order: &NewOrder, held: Held, amount: Money, texts: &[u8], time: Time) {
    let Pit { symbols, orders, ledger, taking, .. } = pit;
    if order.option != Some(ExecutionOption::AuctionOnly) {
        check_uncrossed(orders, order.symbol, order.side, order.price);
    }
    ledger.hold_at(held, || (order.account, symbol_of(symbols, order.symbol).paid_in(order.side)), amount);
    *taking = orders.insert_booked(order, texts, time, held);
}

#[inline(never)]
fn rest(pit: &mut Pit, held: Held, amount: Money) {
    settle_taker(pit, pit.taking);
    let Pit { symbols, orders, ledger, taking, .. } = pit;
    let order = orders.get(*taking);
    check_uncrossed(orders, order.symbol, order.side, order.price);
    ledger.hold_at(held, || (order.account, symbol_of(symbols, order.symbol).paid_in(order.side)), amount);
    orders.book_rest(*taking, held);
}

#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
fn cancel(pit: &mut Pit, slot: Slot, id: OrderId) {
    let Pit { symbols, orders, ledger, .. } = pit;
    let order = orders.get(slot);
    assert!(order.id == id, "the order lies where the decision found it");
    if !order.is_booked() {
        settle_taker(pit, slot);
    } else if !planted(Bug::HoldKept) {
        ledger.release(order.held, hold_of(&symbol_of(symbols, order.symbol).grid, order));
    }
    pit.orders.remove(slot);
}

/// What rests must not be what the other side would trade with (INV-MATCH-1).
#[inline]
fn check_uncrossed(orders: &Orders, symbol: SymbolId, side: Side, price: Price) {
    assert!(!orders.book(symbol).side(side.opposite()).meets(price), "a book is not crossed");
}

fn symbol_of(symbols: &[Symbol], id: SymbolId) -> &Symbol {
    symbols.get(id.index()).expect("an order's symbol is listed")
}

/// Has the maker of a fill pay and be paid, and notes what both have traded. Amounts stay in the event until they are needed.
#[inline(never)]
fn settle(pit: &mut Pit, maker: Slot, qty: &Qty, maker_fee: &Money, taker_fee: &Money) {
    let Pit { symbols, orders, ledger, taking, .. } = pit;
    let qty = *qty;
    let resting = orders.get(maker);
    let symbol = symbol_of(symbols, resting.symbol);
    let grid = &symbol.grid;
    let notional = grid.notional(resting.price, qty).expect("a fill is no larger than its resting order");
    ledger.settle_maker(&Trade {
        base: symbol.base,
        quote: symbol.quote,
        amount: grid.base(qty).expect("a fill is no larger than its resting order"),
        notional,
        maker: Maker {
            account: resting.account,
            side: resting.side,
            fee: *maker_fee,
            held: resting.held,
            freed: freed(grid, resting, qty),
        },
        taker_fee: *taker_fee,
    });
    let (id, price) = (resting.symbol, resting.price);
    orders.print(id, price);
    orders.fill_entered(*taking, qty, notional);
    if orders.fill(maker, qty, notional) == Qty::ZERO {
        remove(orders, maker);
    }
}

/// Has the buyer and the seller of an auction's trade pay out of their holds and be paid.
#[inline(never)]
fn cross(pit: &mut Pit, slots: [Slot; 2], price: Price, qty: Qty, [buyer_fee, seller_fee]: [Money; 2]) {
    let Pit { symbols, orders, ledger, auctions, .. } = pit;
    let [buy, sell] = slots.map(|slot| orders.get(slot));
    let id = buy.symbol;
    let symbol = symbol_of(symbols, id);
    let grid = &symbol.grid;
    let notional = grid.notional(price, qty).expect("a trade is no larger than its buyer's order");
    let party = |order: &Order, fee: Money| Maker {
        account: order.account,
        side: order.side,
        fee,
        held: order.held,
        freed: freed(grid, order, qty),
    };
    ledger.settle_crossing(&Crossing {
        base: symbol.base,
        quote: symbol.quote,
        amount: grid.base(qty).expect("a trade is no larger than its orders"),
        notional,
        buyer: party(buy, buyer_fee),
        seller: party(sell, seller_fee),
    });
    orders.print(id, price);
    auctions.get_mut(&id).expect("the symbol has an auction").note_settled(qty);
    for slot in slots {
        if orders.fill(slot, qty, notional) == Qty::ZERO {
            remove(orders, slot);
        }
    }
}

/// Has the order that entered pay for all of its fills, and be paid: at its last event, whichever that is.
#[inline(never)]
fn settle_taker(pit: &mut Pit, slot: Slot) {
    let Pit { symbols, orders, ledger, .. } = pit;
    if orders.traded(slot).qty == Qty::ZERO {
        return;
    }
    let order = orders.get(slot);
    let symbol = symbol_of(symbols, order.symbol);
    let (base, quote) = (symbol.base, symbol.quote);
    ledger.settle_taker(&Taker { account: order.account, side: order.side, base, quote });
}
