//! The effect of a symbol's new status on its orders.

use crate::{Event, Floor};
use buttonwood_model::{CancelReason, Outbox, Side, SymbolId, SymbolStatus};

/// Closing a symbol cancels its live orders (SYM-028); no other change affects orders.
pub fn decide<E: From<Event>>(floor: &Floor, symbol: SymbolId, status: SymbolStatus, out: &mut Outbox<E>) {
    if status != SymbolStatus::Closed {
        return;
    }
    let book = floor.orders.book(symbol);
    crate::auction::cancel_waiting(floor, symbol, CancelReason::MarketClosed, out);
    for slot in floor.stops.of_symbol(symbol) {
        let order = floor.orders.get(slot).id;
        out.push(Event::Cancelled { slot, reason: CancelReason::MarketClosed, order });
    }
    for side in [Side::Buy, Side::Sell] {
        for price in book.side(side).prices() {
            for slot in floor.orders.queue(symbol, side, price) {
                let order = floor.orders.get(slot).id;
                out.push(Event::Cancelled { slot, reason: CancelReason::MarketClosed, order });
            }
        }
    }
}
