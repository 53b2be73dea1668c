//! Which book an order is on: its symbol's continuous one, or that of its next auction.

use crate::{Book, Order};
use alloc::vec::Vec;
use buttonwood_model::SymbolId;
use buttonwood_num::Price;

/// Two books for each symbol.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    /// Where orders trade as they come.
    continuous: Vec<Book>,
    /// Where they wait for the symbol's next auction.
    auctions: Vec<Book>,
    /// How many orders wait for auctions, over all symbols.
    waiting: u32,
}

impl Books {
    /// Books without orders, of symbols whose last trades printed at these prices.
    pub(super) fn after(last: Vec<Option<Price>>) -> Self {
        let auctions = last.iter().map(|_| Book::default()).collect();
        Self { continuous: last.into_iter().map(Book::after).collect(), auctions, waiting: 0 }
    }

    /// Makes room for one more symbol.
    pub(super) fn list_symbol(&mut self) {
        self.continuous.push(Book::default());
        self.auctions.push(Book::default());
    }

    pub(super) fn any_waits(&self) -> bool {
        self.waiting > 0
    }

    pub(super) fn continuous(&self, symbol: SymbolId) -> &Book {
        self.continuous.get(symbol.index()).expect("a listed symbol has a book")
    }

    pub(super) fn auction(&self, symbol: SymbolId) -> &Book {
        self.auctions.get(symbol.index()).expect("a listed symbol has a book of its auction")
    }

    /// The continuous books, symbol by symbol.
    pub(super) fn all_continuous(&self) -> impl Iterator<Item = &Book> {
        self.continuous.iter()
    }

    /// Every book.
    pub(super) fn all(&self) -> impl Iterator<Item = &Book> {
        self.continuous.iter().chain(&self.auctions)
    }

    /// The book that an order is on, if its symbol is listed.
    #[inline]
    pub(super) fn look(&self, symbol: SymbolId, is_auction_only: bool) -> Option<&Book> {
        let books = if is_auction_only { &self.auctions } else { &self.continuous };
        books.get(symbol.index())
    }

    /// The book that an order is on.
    #[inline]
    pub(super) fn of(&mut self, symbol: SymbolId, is_auction_only: bool) -> &mut Book {
        let books = if is_auction_only { &mut self.auctions } else { &mut self.continuous };
        books.get_mut(symbol.index()).expect("a listed symbol has a book")
    }

    /// The book that an order enters.
    #[inline]
    pub(super) fn entered_by(&mut self, order: &Order) -> &mut Book {
        if order.is_auction_only() {
            self.waiting += 1;
        }
        self.of(order.symbol, order.is_auction_only())
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
