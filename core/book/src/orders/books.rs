//! The book that an order is on: its symbol's continuous one, or the one of its next auction.

use crate::{Book, Order};
use alloc::boxed::Box;
use buttonwood_model::{SymbolId, SymbolTable};

/// Two books for each symbol that has had an order, made when its first order enters.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    /// By symbol. A symbol without books takes one word.
    symbols: SymbolTable<Option<Box<Pair>>>,
    /// The book of all symbols that have none.
    empty: Book,
    /// Number of orders that wait for auctions, over all symbols.
    waiting: u32,
}

/// The books of a symbol.
#[derive(Clone, Debug, Default)]
struct Pair {
    /// Orders that trade continuously.
    continuous: Book,
    /// Orders that wait for the symbol's next auction.
    auction: Book,
}

impl Pair {
    #[inline]
    fn book(&self, is_auction_only: bool) -> &Book {
        if is_auction_only { &self.auction } else { &self.continuous }
    }

    #[inline]
    fn book_mut(&mut self, is_auction_only: bool) -> &mut Book {
        if is_auction_only { &mut self.auction } else { &mut self.continuous }
    }
}

impl Books {
    #[inline]
    pub(super) fn any_waits(&self) -> bool {
        self.waiting > 0
    }

    #[inline]
    fn pair(&self, symbol: SymbolId) -> Option<&Pair> {
        self.symbols.get(symbol)?.as_deref()
    }

    #[inline]
    pub(super) fn continuous(&self, symbol: SymbolId) -> &Book {
        self.pair(symbol).map_or(&self.empty, |pair| &pair.continuous)
    }

    pub(super) fn auction(&self, symbol: SymbolId) -> &Book {
        self.pair(symbol).map_or(&self.empty, |pair| &pair.auction)
    }

    /// All books: first the continuous ones, then those of auctions.
    pub(super) fn all(&self) -> impl Iterator<Item = &Book> {
        let pairs = || self.symbols.iter().filter_map(|(_, pair)| pair.as_deref());
        pairs().map(|pair| &pair.continuous).chain(pairs().map(|pair| &pair.auction))
    }

    /// One of a symbol's books, if it has any.
    #[inline]
    pub(super) fn look(&self, symbol: SymbolId, is_auction_only: bool) -> Option<&Book> {
        Some(self.pair(symbol)?.book(is_auction_only))
    }

    /// The book that an order is on.
    #[inline]
    pub(super) fn of(&mut self, symbol: SymbolId, is_auction_only: bool) -> &mut Book {
        let pair = self.symbols.get_mut(symbol).and_then(Option::as_deref_mut);
        pair.expect("a symbol with an order has books").book_mut(is_auction_only)
    }

    /// The book that an order enters, made if it is the symbol's first order.
    #[inline]
    pub(super) fn entered_by(&mut self, order: &Order) -> &mut Book {
        if order.is_auction_only() {
            self.waiting += 1;
        }
        if self.symbols.get(order.symbol).is_none_or(Option::is_none) {
            self.make(order.symbol);
        }
        self.of(order.symbol, order.is_auction_only())
    }

    #[cold]
    fn make(&mut self, symbol: SymbolId) {
        if let Some(pair) = self.symbols.grown(symbol) {
            *pair = Some(Box::default());
        }
    }

    /// Drops the books of a symbol that is done; a later order would make new ones.
    ///
    /// # Panics
    /// If an order is still on one.
    pub(super) fn drop_of(&mut self, symbol: SymbolId) {
        let Some(pair) = self.symbols.get_mut(symbol).and_then(Option::take) else { return };
        assert!(pair.continuous.is_empty() && pair.auction.is_empty(), "a symbol that is done has no orders");
    }

    /// The book that a leaving order is on.
    #[inline]
    pub(super) fn left_by(&mut self, symbol: SymbolId, is_auction_only: bool) -> &mut Book {
        if is_auction_only {
            self.waiting -= 1;
        }
        self.of(symbol, is_auction_only)
    }
}
