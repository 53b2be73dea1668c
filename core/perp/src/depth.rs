//! The depth of the books: how much rests at each price, so that a premium reads prices and not orders (D-177).
//!
//! A thousand small orders at one price cost a premium as much as one. The sums are derived from the live orders.

use crate::{DESK, Perps};
use alloc::collections::BTreeMap;
use buttonwood_model::{Product, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price};
use buttonwood_trading::{Floor, Live};

/// The sum at each price of each side of the books of contracts, in the base currency; none is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Depth(BTreeMap<(SymbolId, Side, Price), Money>);

impl Depth {
    /// Counts an order that begins to rest. A stop order that waits is on no book.
    pub(crate) fn add(&mut self, live: Live<'_>) {
        if live.order.is_untriggered() {
            return;
        }
        let left = live.grid().base(live.order.remaining).unwrap_or(Money::ZERO);
        let sum = self.0.entry(key(live)).or_default();
        *sum = sum.capped_add(left);
    }

    /// Takes a part of a live order out.
    pub(crate) fn take(&mut self, live: Live<'_>, base: Money) {
        if live.order.is_untriggered() {
            return;
        }
        if let Some(sum) = self.0.get_mut(&key(live)) {
            *sum = sum.checked_sub(base).unwrap_or(Money::ZERO);
            if *sum <= Money::ZERO {
                self.0.remove(&key(live));
            }
        }
    }

    /// The prices of a side with their sums, best price first.
    pub(crate) fn of(&self, symbol: SymbolId, side: Side) -> impl Iterator<Item = (Price, Money)> {
        let [lowest, highest] = [0, u64::MAX].map(|ticks| (symbol, side, Price::from_ticks(ticks)));
        let mut levels = self.0.range(lowest..=highest).map(|((.., price), sum)| (*price, *sum));
        core::iter::from_fn(move || if side == Side::Buy { levels.next_back() } else { levels.next() })
    }

    /// The sums of all live orders of the contracts.
    pub(crate) fn counted(floor: &Floor, symbols: &[Symbol]) -> Self {
        let mut depth = Self::default();
        let listed = (0..).map(SymbolId).zip(symbols);
        for (id, _) in listed.filter(|(_, symbol)| symbol.product == Product::Swap) {
            for side in [Side::Buy, Side::Sell] {
                let prices = floor.orders.book(id).side(side).prices();
                let slots = prices.flat_map(|price| floor.orders.queue(id, side, price));
                let live = slots.map(|slot| floor.live(slot));
                live.filter(|live| live.desk() == DESK).for_each(|live| depth.add(live));
            }
        }
        depth
    }
}

fn key(live: Live<'_>) -> (SymbolId, Side, Price) {
    (live.order.symbol, live.order.side(), live.order.price)
}

impl Perps {
    /// Counts the depth of the books again, after a restore.
    pub fn note_depth(&mut self, floor: &Floor, symbols: &[Symbol]) {
        self.depth = Depth::counted(floor, symbols);
    }
}
