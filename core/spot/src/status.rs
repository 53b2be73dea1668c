//! What a change of a symbol's status does to its orders.

use crate::{Event, Market};
use buttonwood_model::{CancelReason, Outbox, Side, SymbolId, SymbolStatus};
use buttonwood_planted::{Bug, planted};

/// Closing a symbol cancels its live orders (SYM-028); no other change touches any.
pub fn decide<E: From<Event>>(
    market: Market<'_>,
    symbol: SymbolId,
    status: SymbolStatus,
    out: &mut Outbox<E>,
) {
    if status != SymbolStatus::Closed {
        return;
    }
    let book = market.pit.orders.book(symbol);
    crate::auction::abandon(market, symbol, CancelReason::MarketClosed, out);
    for side in [Side::Buy, Side::Sell] {
        if side == Side::Sell && planted(Bug::ClosingLeavesAsks) {
            continue;
        }
        for price in book.side(side).prices() {
            for slot in market.pit.orders.queue(symbol, side, price) {
                let order = market.pit.orders.get(slot).id;
                out.push(Event::Cancelled { slot, reason: CancelReason::MarketClosed, order });
            }
        }
    }
}
