//! Which book an order is on: its symbol's continuous one, or that of its next auction.

use crate::{Book, Order};
use alloc::vec::Vec;
use buttonwood_model::SymbolId;

/// Two books for each symbol that has had an order; made when its first order enters.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    /// For each symbol where its books lie, plus one; 0 for a symbol without books.
    places: Vec<u32>,
    /// Where orders trade as they come.
    continuous: Vec<Book>,
    /// Where they wait for the symbol's next auction.
    auctions: Vec<Book>,
    /// Places of dropped books, to be taken again.
    free: Vec<u32>,
    /// The book of every symbol without one.
    empty: Book,
    /// How many orders wait for auctions, over all symbols.
    waiting: u32,
}

impl Books {
    pub(super) fn any_waits(&self) -> bool {
        self.waiting > 0
    }

    #[inline]
    fn place(&self, symbol: SymbolId) -> Option<usize> {
        let place = *self.places.get(symbol.index())?;
        Some(SymbolId(place.checked_sub(1)?).index())
    }

    #[inline]
    pub(super) fn continuous(&self, symbol: SymbolId) -> &Book {
        self.look(symbol, false).unwrap_or(&self.empty)
    }

    pub(super) fn auction(&self, symbol: SymbolId) -> &Book {
        self.look(symbol, true).unwrap_or(&self.empty)
    }

    /// Every book, symbol by symbol: the continuous ones, then those of auctions.
    pub(super) fn all(&self) -> impl Iterator<Item = &Book> {
        [false, true].into_iter().flat_map(move |is_auction| {
            (0..self.places.len())
                .filter_map(move |symbol| self.look(SymbolId::from_index(symbol), is_auction))
        })
    }

    /// The book that orders of a symbol are on, if it has one.
    #[inline]
    pub(super) fn look(&self, symbol: SymbolId, is_auction_only: bool) -> Option<&Book> {
        let books = if is_auction_only { &self.auctions } else { &self.continuous };
        books.get(self.place(symbol)?)
    }

    /// The book that an order is on.
    #[inline]
    pub(super) fn of(&mut self, symbol: SymbolId, is_auction_only: bool) -> &mut Book {
        let place = self.place(symbol).expect("a symbol with an order has books");
        let books = if is_auction_only { &mut self.auctions } else { &mut self.continuous };
        books.get_mut(place).expect("a place leads to books")
    }

    /// The book that an order enters; made when it is the symbol's first.
    #[inline]
    pub(super) fn entered_by(&mut self, order: &Order) -> &mut Book {
        if order.is_auction_only() {
            self.waiting += 1;
        }
        if self.place(order.symbol).is_none() {
            self.make(order.symbol);
        }
        self.of(order.symbol, order.is_auction_only())
    }

    #[cold]
    fn make(&mut self, symbol: SymbolId) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.continuous.push(Book::default());
            self.auctions.push(Book::default());
            SymbolId::from_index(self.continuous.len() - 1).0
        });
        self.places.resize(self.places.len().max(symbol.index() + 1), 0);
        if let Some(entry) = self.places.get_mut(symbol.index()) {
            *entry = place + 1;
        }
    }

    /// Drops the books of a symbol that is done; a later order would make new ones.
    ///
    /// # Panics
    /// When an order is still on one.
    pub(super) fn drop_of(&mut self, symbol: SymbolId) {
        let Some(place) = self.place(symbol) else { return };
        for books in [&mut self.continuous, &mut self.auctions] {
            let book = books.get_mut(place).expect("a place leads to books");
            assert!(book.is_empty(), "a symbol that is done has no orders");
            *book = Book::default();
        }
        if let Some(entry) = self.places.get_mut(symbol.index()) {
            *entry = 0;
        }
        self.free.push(SymbolId::from_index(place).0);
    }

    /// The book that an order leaves.
    #[inline]
    pub(super) fn left_by(&mut self, symbol: SymbolId, is_auction_only: bool) -> &mut Book {
        if is_auction_only {
            self.waiting -= 1;
        }
        self.of(symbol, is_auction_only)
    }
}
