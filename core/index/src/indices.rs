//! The state of the room: pins, the prices of feeds, the indices that were taken last, and what they depend on.

use crate::feeds::Feeds;
use crate::{FeedPrices, Index, Latest, price};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_model::{CurrencyId, Product, Symbol, SymbolId, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The knowledge of prices apart from the books.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Indices {
    pins: BTreeMap<CurrencyId, Money>,
    feeds: Feeds,
    latest: Latest,
    /// Since when books or feeds say more than the prices that were taken.
    changed: Option<Time>,
    /// Whether a book that a price depends on changed in the command that is being applied.
    #[serde(skip)]
    touched: bool,
    /// The currencies that have an index. Derived from the rooms that read one.
    #[serde(skip)]
    indexed: BTreeSet<CurrencyId>,
    /// By symbol: whether an index or a mark depends on its book. Derived.
    #[serde(skip)]
    sources: Vec<bool>,
}

/// Derived fields do not count.
impl PartialEq for Indices {
    fn eq(&self, other: &Self) -> bool {
        (&self.pins, &self.feeds, &self.latest, self.changed)
            == (&other.pins, &other.feeds, &other.latest, other.changed)
    }
}

impl Indices {
    /// The price that the index of a currency is pinned to, in dollars.
    pub fn pin(&self, currency: CurrencyId) -> Option<Money> {
        self.pins.get(&currency).copied()
    }

    /// Pins the index of a currency, or returns it to its sources.
    pub fn set_pin(&mut self, currency: CurrencyId, price: Option<Money>) {
        match price {
            Some(price) => self.pins.insert(currency, price),
            None => self.pins.remove(&currency),
        };
    }

    /// Takes prices of a feed. Prices that differ make new indices due.
    pub fn take(&mut self, prices: &FeedPrices, time: Time) {
        if self.feeds.take(prices, time) {
            self.note_change(time);
        }
    }

    /// When the next price of a feed goes stale.
    pub fn stale_at(&self) -> Option<Time> {
        self.feeds.stale_at()
    }

    /// The median of the fresh prices that feeds have of a currency; none without any.
    pub fn of_feeds(&self, currency: CurrencyId, now: Time) -> Option<Money> {
        let fresh: Vec<Money> = self.fresh(currency, now).collect();
        price::index(&fresh, 1)
    }

    /// The prices of a currency that are fresh.
    pub(crate) fn fresh(&self, currency: CurrencyId, now: Time) -> impl Iterator<Item = Money> {
        self.feeds.fresh(currency, now)
    }

    /// The index of each currency as it was taken last.
    pub fn latest(&self) -> &Latest {
        &self.latest
    }

    /// Takes new indices, at a time. Nothing has changed since, and the prices of feeds that are stale are dropped.
    pub fn take_latest(&mut self, new: impl IntoIterator<Item = (CurrencyId, Index)>, time: Time) {
        self.latest.take(new);
        self.feeds.drop_stale(time);
        (self.changed, self.touched) = (None, false);
    }

    /// Since when books or feeds say more than the prices that were taken.
    pub fn changed(&self) -> Option<Time> {
        self.changed
    }

    /// Notes that indices are to be taken again: a source changed, or a room reads the index of another currency.
    pub fn note_change(&mut self, time: Time) {
        self.changed.get_or_insert(time);
    }

    /// Notes that a symbol's book changed.
    #[inline]
    pub fn touch(&mut self, symbol: SymbolId) {
        self.touched |= self.sources.get(symbol.index()).copied().unwrap_or_default();
    }

    /// Notes the time of the command that was applied, if it changed a book that a price depends on.
    #[inline]
    pub fn note_time(&mut self, time: Time) {
        if self.touched {
            self.touched = false;
            self.note_change(time);
        }
    }

    /// The currencies that have an index, in the order of their ids.
    pub fn indexed(&self) -> impl Iterator<Item = CurrencyId> {
        self.indexed.iter().copied()
    }

    /// Notes the currencies that have an index, and the symbols: an index depends on the currency's dollar book, a mark on the book of
    /// its contract too. A spot symbol that was listed last is looked at alone where no other currency has an index now.
    pub fn note_sources(
        &mut self,
        indexed: BTreeSet<CurrencyId>,
        symbols: &[Symbol],
        dollar: Option<CurrencyId>,
    ) {
        let is_source = |symbol: &Symbol| match symbol.product {
            Product::Swap => true,
            Product::Contract => false,
            Product::Spot => Some(symbol.quote) == dollar && indexed.contains(&symbol.base),
        };
        let is_next = self.indexed == indexed && symbols.len() == self.sources.len() + 1;
        match symbols.last().filter(|_| is_next) {
            Some(last) => self.sources.push(is_source(last)),
            None => self.sources = symbols.iter().map(is_source).collect(),
        }
        self.indexed = indexed;
    }
}
