//! The reference: the index where the house pays by it, so that a client cannot move it alone (D-179).
//!
//! The own book of a currency is a source only while enough dollars of other groups rest on each side. Its median then is that of
//! their orders: the last trade counts only between their best bid and their best ask, so two accounts of one group cannot move it
//! beyond these.

use crate::{Sources, book_median, price};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price};

/// The most resting orders of a side that are read.
const ORDERS_MAX: usize = 10_000;

impl Sources<'_> {
    /// The dollars of one unit of a currency, if its index is fresh, for a client whose group has the accounts `own`, in the order of
    /// their ids. A dollar is one dollar.
    pub fn reference(&self, currency: CurrencyId, own: &[AccountId]) -> Option<Money> {
        if self.is_dollar(currency) {
            return Some(Money::ONE);
        }
        self.indices.pin(currency).or_else(|| {
            let feeds = self.indices.fresh(currency, self.time);
            let fresh: Vec<Money> = self.of_deep_book(currency, own).into_iter().chain(feeds).collect();
            price::index(&fresh, self.needed)
        })
    }

    /// Whether a currency is the dollar, or one for which the issuer exchanges dollars one for one.
    pub fn is_dollar(&self, currency: CurrencyId) -> bool {
        let wraps = |symbol: &Symbol| symbol.wrap_enabled && self.is_dollar_book(symbol, currency);
        Some(currency) == self.dollar || self.symbols.iter().any(wraps)
    }

    /// The median of a currency's dollar book, as far as offers of other groups make it.
    fn of_deep_book(&self, currency: CurrencyId, own: &[AccountId]) -> Option<Money> {
        let place = self.symbols.iter().position(|symbol| self.is_dollar_book(symbol, currency))?;
        let (id, symbol) = (SymbolId::from_index(place), self.symbols.get(place)?);
        let value = |price: Price| symbol.grid.value(Money::ONE, price);
        let bid = self.best_of_others(id, symbol, Side::Buy, own).map(value)?;
        let ask = self.best_of_others(id, symbol, Side::Sell, own).map(value)?;
        book_median(Some(bid), Some(ask), self.orders.last(id).map(value))
    }

    /// The best offer of other groups on a side, if enough of their dollars rest there.
    fn best_of_others(&self, id: SymbolId, symbol: &Symbol, side: Side, own: &[AccountId]) -> Option<Price> {
        let (mut best, mut dollars, mut left) = (None, Money::ZERO, ORDERS_MAX);
        for price in self.orders.book(id).side(side).prices() {
            for slot in self.orders.queue(id, side, price) {
                left = left.checked_sub(1)?;
                let order = self.orders.get(slot);
                if self.is_offer(order.account, own) {
                    best = best.or(Some(price));
                    dollars = dollars.capped_add(symbol.grid.notional(price, order.remaining)?);
                }
                if dollars >= self.depth {
                    return best;
                }
            }
        }
        None
    }
}
