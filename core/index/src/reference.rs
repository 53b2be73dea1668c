//! The reference: the index where the house pays by it, so that a client cannot move it alone (D-179).
//!
//! The own book of a currency is a source only while enough dollars of other groups rest on each side. Its median then is that of
//! their orders: the last trade counts only between their best bid and their best ask, so two accounts of one group cannot move it
//! beyond these.

use crate::{Sources, book_median, price};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId, Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price};
use core::cell::RefCell;

/// The most price levels of a side that are read.
pub const LEVELS_MAX: usize = 1_000;
/// The most resting orders of a side that are read. A wall of small orders so costs no other client's time.
pub const ORDERS_MAX: usize = 2_500;

/// The references of currencies for one client, each found once in a command: finding one reads a book.
#[derive(Debug, Default)]
pub struct References(RefCell<Vec<(CurrencyId, Option<Money>)>>);

impl References {
    /// As [`Sources::reference`]; a client's group stays the same.
    pub fn of(&self, sources: Sources<'_>, currency: CurrencyId, own: &[AccountId]) -> Option<Money> {
        let known = self.0.borrow().iter().find(|(of, _)| *of == currency).map(|(_, found)| *found);
        known.unwrap_or_else(|| {
            let found = sources.reference(currency, own);
            self.0.borrow_mut().push((currency, found));
            found
        })
    }
}

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
        let mut left = ORDERS_MAX;
        let best = self.found_best((id, symbol, side), own, &mut left);
        self.bound.note_looks(ORDERS_MAX.saturating_sub(left));
        best
    }

    /// The same, as long as orders are left that may be read.
    fn found_best(
        &self,
        (id, symbol, side): (SymbolId, &Symbol, Side),
        own: &[AccountId],
        left: &mut usize,
    ) -> Option<Price> {
        let (mut best, mut dollars) = (None, Money::ZERO);
        for price in self.orders.book(id).side(side).prices().take(LEVELS_MAX) {
            for slot in self.orders.queue(id, side, price) {
                *left = left.checked_sub(1)?;
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
