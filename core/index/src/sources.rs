//! The index of a currency, from its sources.

use crate::{Index, Indices, book_median, book_price, price};
use alloc::vec::Vec;
use buttonwood_book::Orders;
use buttonwood_model::{AccountId, CurrencyId, Product, Side, Symbol, SymbolId, Time};
use buttonwood_num::{Money, Price};
use core::fmt::Debug;

/// Says which accounts are of one group, and whose orders are bound: beyond what their group may lose with open advances (D-181) they never
/// fill, so they are no offers.
pub trait Bound: Debug {
    /// Whether an account's orders are.
    fn is_bound(&self, account: AccountId) -> bool;

    /// All accounts whose orders are.
    fn bound_accounts(&self) -> Vec<AccountId> {
        Vec::new()
    }

    /// The accounts of an account's group, in the order of their ids; none of a house account.
    fn members(&self, _account: AccountId) -> &[AccountId] {
        &[]
    }

    /// Counts orders that a command has read.
    fn note_looks(&self, _orders: usize) {}
}

/// Everything that an index is computed from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// Pins and feeds.
    pub indices: &'a Indices,
    /// Every symbol.
    pub symbols: &'a [Symbol],
    /// Every live order.
    pub orders: &'a Orders,
    /// The currency of dollar books.
    pub dollar: Option<CurrencyId>,
    /// How many sources an index needs (D-38).
    pub needed: usize,
    /// How many dollars of other groups must rest on each side of a book that is a source of a reference (D-179).
    pub depth: Money,
    /// Whose orders are bound.
    pub bound: &'a dyn Bound,
    /// The time of the command.
    pub time: Time,
}

impl Sources<'_> {
    /// Whether an account's order is an offer that the house may go by, for a client whose group has the accounts `own`, in the order of
    /// their ids: it is another group's, and not bound.
    pub fn is_offer(&self, account: AccountId, own: &[AccountId]) -> bool {
        own.binary_search(&account).is_err() && !self.bound.is_bound(account)
    }

    /// The index of a currency in dollars, if it is fresh: its pin, or the median of its own dollar book and of the fresh prices of
    /// feeds.
    pub fn index(&self, currency: CurrencyId) -> Option<Money> {
        self.indices.pin(currency).or_else(|| self.unpinned(currency))
    }

    /// The index of a currency as it is without a pin.
    pub fn unpinned(&self, currency: CurrencyId) -> Option<Money> {
        let feeds = self.indices.fresh(currency, self.time);
        let fresh: Vec<Money> = self.of_book(currency).into_iter().chain(feeds).collect();
        price::index(&fresh, self.needed)
    }

    /// The indices that differ from those taken last. A currency without an index keeps its last price. `pin` replaces the pin of a
    /// currency.
    pub fn changed(&self, pin: Option<(CurrencyId, Option<Money>)>) -> Vec<(CurrencyId, Index)> {
        let latest = self.indices.latest();
        let taken = self.indices.indexed().filter_map(|currency| {
            let price = match pin {
                Some((of, price)) if of == currency => price.or_else(|| self.unpinned(currency)),
                _ => self.index(currency),
            };
            let before = latest.index(currency);
            let index = match price {
                Some(price) => Index { price, is_fresh: true },
                None => Index { is_fresh: false, ..before? },
            };
            (before != Some(index)).then_some((currency, index))
        });
        taken.collect()
    }

    /// The price of a currency's own dollar book: its middle while bid and ask are near each other, so that the index does not jump with
    /// the side that trades (D-288).
    fn of_book(&self, currency: CurrencyId) -> Option<Money> {
        let place = self.symbols.iter().position(|symbol| self.is_dollar_book(symbol, currency))?;
        let [bid, ask, last] = self.top(SymbolId::from_index(place), self.symbols.get(place)?);
        book_price(bid, ask, last)
    }

    /// Whether a symbol is the book of a currency against the dollar.
    pub(crate) fn is_dollar_book(&self, symbol: &Symbol, currency: CurrencyId) -> bool {
        symbol.product == Product::Spot && symbol.base == currency && Some(symbol.quote) == self.dollar
    }

    /// The median of a book's best bid, best ask and last trade; none if it has none of them.
    pub fn median(&self, id: SymbolId, symbol: &Symbol) -> Option<Money> {
        let [bid, ask, last] = self.top(id, symbol);
        book_median(bid, ask, last)
    }

    /// A book's best bid, best ask and last trade, as far as it has them.
    fn top(&self, id: SymbolId, symbol: &Symbol) -> [Option<Money>; 3] {
        let book = self.orders.book(id);
        let value = |price: Price| symbol.grid.value(Money::ONE, price);
        let [bid, ask] = [Side::Buy, Side::Sell].map(|side| book.side(side).best().map(value));
        [bid, ask, self.orders.last(id).map(value)]
    }
}
