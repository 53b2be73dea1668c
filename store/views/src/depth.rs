//! The public depth of the books: the summed remaining quantity at each price (INV-MATCH-14).
//!
//! Clauses: `MKT-005`, `MKT-011`, `MKT-013`, `MKT-014`. Not here: which orders are visible; the caller adds only those.

use buttonwood_model::{Side, SymbolId, SymbolTable};
use buttonwood_num::{Price, Qty};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Visible levels of every symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Depth {
    symbols: SymbolTable<Levels>,
}

/// Levels of one symbol; a level without quantity is not kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Levels {
    bids: BTreeMap<Price, Qty>,
    asks: BTreeMap<Price, Qty>,
}

impl Depth {
    /// Depth without any level.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the quantity of an order, or of a part of one, that now rests at a price. Returns what rests there now.
    pub fn add(&mut self, symbol: SymbolId, side: Side, price: Price, qty: Qty) -> Qty {
        if qty == Qty::ZERO {
            return self.side_mut(symbol, side).get(&price).copied().unwrap_or_default();
        }
        let level = self.side_mut(symbol, side).entry(price).or_default();
        *level += qty;
        *level
    }

    /// Removes the quantity of an order, or of a part of one, that no longer rests at a price. Returns what
    /// rests there now.
    ///
    /// # Panics
    /// If less than `qty` rests there: then depth and book differ.
    pub fn remove(&mut self, symbol: SymbolId, side: Side, price: Price, qty: Qty) -> Qty {
        let levels = self.side_mut(symbol, side);
        let resting = levels.get(&price).copied().unwrap_or_default();
        assert!(resting >= qty, "only what rests at a price is taken from it");
        if resting == qty {
            levels.remove(&price);
        } else {
            levels.insert(price, resting - qty);
        }
        resting - qty
    }

    /// How many levels a side has.
    pub fn count(&self, symbol: SymbolId, side: Side) -> usize {
        let levels = self.symbols.get(symbol);
        levels.map_or(0, |levels| match side {
            Side::Buy => levels.bids.len(),
            Side::Sell => levels.asks.len(),
        })
    }

    /// The best `limit` levels of a side, best first: bids descending, asks ascending (MKT-011). Zero means no limit
    /// (MKT-014).
    pub fn levels(&self, symbol: SymbolId, side: Side, limit: usize) -> Vec<(Price, Qty)> {
        let limit = if limit == 0 { usize::MAX } else { limit };
        self.best_first(symbol, side).take(limit).collect()
    }

    /// The best level of a side.
    pub fn best(&self, symbol: SymbolId, side: Side) -> Option<(Price, Qty)> {
        self.best_first(symbol, side).next()
    }

    fn best_first(&self, symbol: SymbolId, side: Side) -> impl Iterator<Item = (Price, Qty)> {
        let levels = self.symbols.get(symbol);
        let (bids, asks) = match side {
            Side::Buy => (levels.map(|levels| levels.bids.iter().rev()), None),
            Side::Sell => (None, levels.map(|levels| levels.asks.iter())),
        };
        let level = |(price, qty): (&Price, &Qty)| (*price, *qty);
        bids.into_iter().flatten().map(level).chain(asks.into_iter().flatten().map(level))
    }

    fn side_mut(&mut self, symbol: SymbolId, side: Side) -> &mut BTreeMap<Price, Qty> {
        let levels = self.symbols.grown(symbol).expect("the table grows to the symbol");
        match side {
            Side::Buy => &mut levels.bids,
            Side::Sell => &mut levels.asks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SYMBOL: SymbolId = SymbolId(3);

    fn price(ticks: u64) -> Price {
        Price::from_ticks(ticks)
    }

    fn qty(hundredths: u128) -> Qty {
        Qty::from_hundredths(hundredths)
    }

    #[test]
    fn an_unknown_symbol_has_no_levels() {
        let depth = Depth::new();
        assert_eq!(depth.best(SYMBOL, Side::Buy), None);
        assert!(depth.levels(SYMBOL, Side::Sell, 0).is_empty());
    }

    /// A contract with a high number takes no room among the listed symbols, and little among the contracts.
    #[test]
    fn a_contract_has_levels_of_its_own() {
        let (mut depth, contract) = (Depth::new(), SymbolId::contract(999_999));
        depth.add(contract, Side::Buy, price(40), qty(100));
        assert_eq!(depth.best(contract, Side::Buy), Some((price(40), qty(100))));
        assert_eq!((depth.symbols.listed().len(), depth.symbols.contracts().len()), (0, 1_000_000));
        assert!(size_of::<Levels>() <= 48);
    }

    #[test]
    #[should_panic(expected = "only what rests")]
    fn takes_no_more_than_rests() {
        let mut depth = Depth::new();
        depth.add(SYMBOL, Side::Buy, price(5), qty(1));
        depth.remove(SYMBOL, Side::Buy, price(5), qty(2));
    }

    proptest! {
        /// One entry a price with the summed amount, best first, capped on request. Proves MKT-011.
        #[test]
        fn sums_the_resting_orders(
            orders in prop::collection::vec((any::<bool>(), 1_u64..20, 1_u128..1_000), 0..60),
            gone in prop::collection::vec(any::<bool>(), 60),
            limit in 0_usize..25,
        ) {
            let side = |buy: bool| if buy { Side::Buy } else { Side::Sell };
            let mut depth = Depth::new();
            for (buy, ticks, amount) in &orders {
                depth.add(SYMBOL, side(*buy), price(*ticks), qty(*amount));
            }
            let mut live = Vec::new();
            for (order, gone) in orders.iter().zip(gone) {
                let (buy, ticks, amount) = *order;
                if gone {
                    depth.remove(SYMBOL, side(buy), price(ticks), qty(amount));
                } else {
                    live.push((buy, ticks, amount));
                }
            }
            for buy in [true, false] {
                let mut sums: BTreeMap<u64, u128> = BTreeMap::new();
                for (_, ticks, amount) in live.iter().filter(|order| order.0 == buy) {
                    *sums.entry(*ticks).or_default() += amount;
                }
                let mut expected: Vec<_> = sums.into_iter().map(|(ticks, sum)| (price(ticks), qty(sum))).collect();
                if buy {
                    expected.reverse();
                }
                prop_assert_eq!(depth.best(SYMBOL, side(buy)), expected.first().copied());
                expected.truncate(if limit == 0 { usize::MAX } else { limit });
                prop_assert_eq!(depth.levels(SYMBOL, side(buy), limit), expected);
            }
        }
    }
}
