//! Price-time matching of one incoming order.
//!
//! Reads the book and writes nothing: the caller turns the fills into events, and only those are applied. A live
//! match and a replayed one therefore cannot differ.
//!
//! Clauses: `ORD-046`, `ORD-047`. Not here: which orders may enter, how far they may reach, who pays what.

use crate::Orders;
use alloc::vec::Vec;
use buttonwood_model::{Side, Slot, SymbolId};
use buttonwood_num::{Price, Qty};

/// A planned execution against one resting order, at that order's price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The resting order.
    pub maker: Slot,
    /// Its price: the maker was here first, so its price stands (ORD-046).
    pub price: Price,
    /// How much.
    pub qty: Qty,
}

/// Plans the fills of an order of `qty` on `side` into `fills`, a buffer the writer reuses: best price first, then
/// oldest first (ORD-047), no worse than `limit`. `want` says how much to take at each price given what is left, so
/// that an order that spends money instead of taking quantity walks the same path. Returns what is left.
pub fn plan(
    orders: &Orders,
    symbol: SymbolId,
    side: Side,
    limit: Option<Price>,
    mut want: impl FnMut(Price, Qty) -> Qty,
    fills: &mut Vec<Fill>,
) {
    fills.clear();
    let ladder = orders.book(symbol).side(side.opposite());
    let mut next = ladder.best();
    while let Some(price) = next {
        if limit.is_some_and(|limit| !ladder.reaches(price, limit)) {
            return;
        }
        for maker in orders.queue(symbol, side.opposite(), price) {
            let open = orders.get(maker).remaining;
            let qty = want(price, open);
            if qty > Qty::ZERO {
                fills.push(Fill { maker, price, qty });
            }
            if qty < open {
                return;
            }
        }
        next = ladder.worse_than(price);
    }
}
