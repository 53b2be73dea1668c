//! The effect of a symbol's new status on its orders.

use crate::auction::waiting;
use crate::cancel::STEP;
use crate::{Event, Floor};
use buttonwood_model::{CancelReason, Outbox, Side, Slot, SymbolId, SymbolStatus};

/// Closing a symbol cancels its live orders (SYM-028), the first of them in this step; no other change affects orders.
pub fn decide<E: From<Event>>(floor: &Floor, symbol: SymbolId, status: SymbolStatus, out: &mut Outbox<E>) {
    if status == SymbolStatus::Closed {
        for slot in live(floor, symbol).take(STEP) {
            let order = floor.orders.get(slot).id;
            out.push(Event::Cancelled { slot, reason: CancelReason::MarketClosed, order });
        }
    }
}

/// Whether a symbol has a live order that its closing cancels.
pub(crate) fn is_live(floor: &Floor, symbol: SymbolId) -> bool {
    live(floor, symbol).next().is_some()
}

/// The live orders of a symbol that its closing cancels, in this order.
fn live(floor: &Floor, symbol: SymbolId) -> impl Iterator<Item = Slot> {
    let sides = || [Side::Buy, Side::Sell].into_iter();
    let resting = sides().flat_map(move |side| {
        let prices = floor.orders.book(symbol).side(side).prices();
        prices.flat_map(move |price| floor.orders.queue(symbol, side, price))
    });
    sides()
        .flat_map(move |side| waiting(floor, symbol, side))
        .chain(floor.stops.of_symbol(symbol))
        .chain(resting)
}
