//! All live orders, and their indices: by id, by client id, by account.

mod books;
mod change;
mod hash;
mod own;
mod prefetch;
mod renamed;
mod stored;

use crate::index::Index;
use crate::link::Neighbours;
use crate::texts::Texts;
use crate::{Book, Entry, Order, Traded};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use books::Books;
use buttonwood_model::{
    AccountId, ClientId, OrderId, SessionId, Side, Slab, Slot, SymbolId, SymbolTable, TradeId,
};
use buttonwood_num::Price;
use hash::hash_client_id;
use own::Own;
pub use prefetch::Resting;
use renamed::Renamed;
use serde::{Deserialize, Serialize};

/// Live orders of all symbols. Books and hash indices are derived: call [`Orders::reindex`] after a restore.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Orders {
    /// The key of the client id hash, so that no client can choose colliding ids.
    key: u64,
    slab: Slab<Order>,
    /// How each order entered, by slot.
    entries: Vec<Entry>,
    /// The trades of the orders on a book.
    traded: Slab<Traded>,
    /// The trades of the last entered order while it is not on a book.
    #[serde(skip)]
    taken: Traded,
    #[serde(skip)]
    near: Neighbours,
    texts: Texts,
    own: Vec<Own>,
    /// Each symbol's last trade, whose price is the reference of the price collar (D-32).
    last: SymbolTable<Print>,
    /// Stop orders that have not triggered: in the indices, on no book.
    untriggered: BTreeSet<Slot>,
    /// The slots of all queues, in order; only while stored.
    queues: Vec<Slot>,
    /// Whether an order of the exchange itself may rest; so long as none does, no cancel looks for one.
    #[serde(skip)]
    exchange_rests: bool,
    /// Live orders that their client id does not find.
    #[serde(skip)]
    renamed: Renamed,
    #[serde(skip)]
    books: Books,
    #[serde(skip)]
    by_id: Index,
}

/// A symbol's last trade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Print {
    /// The newest trade, broken or not; zero before the first.
    trade: TradeId,
    /// The price of the newest trade that is not void.
    price: Option<Price>,
}

impl Orders {
    /// Sets the key of the client id index; call it before the first order.
    pub fn set_key(&mut self, key: u64) {
        self.key = key;
    }

    /// Drops the books of a symbol that is done, and frees their memory.
    ///
    /// # Panics
    /// If the symbol has a live order.
    pub fn drop_books(&mut self, symbol: SymbolId) {
        self.books.drop_of(symbol);
    }

    /// Adds the account, and those before it.
    pub fn open_account(&mut self, account: AccountId) {
        self.own.resize(self.own.len().max(account.index() + 1), Own::default());
    }

    /// Stores a symbol's last trade and its price.
    #[inline]
    pub fn print(&mut self, symbol: SymbolId, trade: TradeId, price: Price) {
        let print = Print { trade, price: Some(price) };
        match self.last.get_mut(symbol) {
            Some(last) => *last = print,
            None => self.first_print(symbol, print),
        }
    }

    #[cold]
    fn first_print(&mut self, symbol: SymbolId, print: Print) {
        if let Some(last) = self.last.grown(symbol) {
            *last = print;
        }
    }

    /// Corrects the price of a symbol's last trade, after a trade was broken.
    pub fn correct_last(&mut self, symbol: SymbolId, price: Option<Price>) {
        if let Some(last) = self.last.get_mut(symbol) {
            last.price = price;
        }
    }

    /// A symbol's newest trade, broken or not; zero before the first.
    pub fn newest_trade(&self, symbol: SymbolId) -> TradeId {
        self.last.get(symbol).map_or(TradeId(0), |last| last.trade)
    }

    /// The price of a symbol's last trade that is not void.
    #[inline]
    pub fn last(&self, symbol: SymbolId) -> Option<Price> {
        self.last.get(symbol)?.price
    }

    /// A symbol's book; an empty one for a symbol that has had no order.
    #[inline]
    pub fn book(&self, symbol: SymbolId) -> &Book {
        self.books.continuous(symbol)
    }

    /// The orders at a price, oldest first.
    pub fn queue(&self, symbol: SymbolId, side: Side, price: Price) -> impl Iterator<Item = Slot> {
        self.book(symbol).queue(&self.near, side, price)
    }

    /// The orders that wait for a symbol's next auction (AUCT-001). They do not trade before it.
    pub fn auction(&self, symbol: SymbolId) -> &Book {
        self.books.auction(symbol)
    }

    /// The orders at a price that wait for a symbol's auction, oldest first.
    pub fn auction_queue(&self, symbol: SymbolId, side: Side, price: Price) -> impl Iterator<Item = Slot> {
        self.auction(symbol).queue(&self.near, side, price)
    }

    /// Whether any order of any symbol waits for an auction.
    #[inline]
    pub fn any_waits(&self) -> bool {
        self.books.any_waits()
    }

    /// Whether a live order was placed by the exchange itself, so that its owner cannot cancel it.
    #[inline]
    pub fn is_of_exchange(&self, slot: Slot) -> bool {
        self.exchange_rests && self.entry(slot).session == SessionId::EXCHANGE
    }

    /// All orders on the books, queue by queue.
    fn in_queues(&self) -> impl Iterator<Item = Slot> {
        self.books.all().flat_map(move |book| {
            [Side::Buy, Side::Sell].into_iter().flat_map(move |side| {
                book.side(side).prices().flat_map(move |price| book.queue(&self.near, side, price))
            })
        })
    }

    /// A live order.
    pub fn get(&self, slot: Slot) -> &Order {
        &self.slab[slot]
    }

    /// How a live order entered.
    ///
    /// # Panics
    /// If the slot never held an order.
    pub fn entry(&self, slot: Slot) -> &Entry {
        self.entries.get(slot.index()).expect("every order has an entry")
    }

    /// The trades of a live order.
    pub fn traded(&self, slot: Slot) -> Traded {
        let order = &self.slab[slot];
        if !order.is_booked() {
            return self.taken;
        }
        order.traded.get().map_or_else(Traded::default, |at| self.traded[at])
    }

    /// Whether a younger order is queued at the same price.
    pub fn has_younger(&self, slot: Slot) -> bool {
        !self.near.of(slot).next.is_none()
    }

    /// The slot of the next order.
    pub fn next_slot(&self) -> Slot {
        self.slab.next_slot()
    }

    /// Number of live orders.
    pub fn len(&self) -> usize {
        self.slab.len()
    }

    /// Whether there are no live orders.
    pub fn is_empty(&self) -> bool {
        self.slab.is_empty()
    }

    /// A live order by its id.
    pub fn find(&self, id: OrderId) -> Option<Slot> {
        self.by_id.candidates(id.0, |slot| self.slab[slot].by_id.0).find(|slot| self.slab[*slot].id == id)
    }

    /// The newest order of the account with this client id, if it is live (ORD-068, D-175): an older one is not meant, even where the
    /// newest is closed.
    pub fn find_client_id(&self, account: AccountId, client_id: &ClientId) -> Option<Slot> {
        let text = client_id.as_bytes();
        self.find_named(account, hash_client_id(self.key, account, text), text)
    }

    /// All live orders of the account with this client id: the one that it finds, and older ones.
    pub fn with_client_id(&self, account: AccountId, client_id: &ClientId) -> impl Iterator<Item = Slot> {
        let text = client_id.as_bytes();
        let older =
            self.renamed.of(account).filter_map(move |order| self.find(order)).filter(move |slot| {
                self.texts.equals(self.entry(*slot).text, self.get(*slot).text.len(), text)
            });
        self.find_client_id(account, client_id).into_iter().chain(older)
    }

    /// Another thing than an order got this client id: no order of the account is found by it any more (D-170, D-175).
    pub fn take_name(&mut self, account: AccountId, client_id: &ClientId) {
        if let Some(slot) = self.find_client_id(account, client_id) {
            self.forget_name(slot);
        }
    }

    /// The live order of the account that this client id finds.
    fn find_named(&self, account: AccountId, hash: u32, text: &[u8]) -> Option<Slot> {
        let own = self.own.get(account.index())?;
        own.index.candidates(u64::from(hash), |slot| self.near.of(slot).chained).find(|slot| {
            let order = &self.slab[*slot];
            order.client_hash == hash && self.texts.equals(self.entry(*slot).text, order.text.len(), text)
        })
    }

    /// The client id of a live order.
    pub fn client_id(&self, slot: Slot) -> Option<ClientId> {
        let order = &self.slab[slot];
        self.texts.read(self.entry(slot).text, order.text.len())
    }

    /// The account's live orders, newest first.
    pub fn of_account(&self, account: AccountId) -> impl Iterator<Item = (Slot, &Order)> {
        let mut slots: Vec<Slot> = self.in_any_order(account).map(|(slot, _)| slot).collect();
        slots.sort_unstable_by_key(|slot| core::cmp::Reverse(self.slab[*slot].id));
        slots.into_iter().map(|slot| (slot, &self.slab[slot]))
    }

    /// The account's live orders, in no particular order. A decision may count them or search them, but must not
    /// depend on the sequence.
    pub fn in_any_order(&self, account: AccountId) -> impl Iterator<Item = (Slot, &Order)> {
        let own = self.own.get(account.index());
        own.into_iter()
            .flat_map(|own| own.index.slots(|slot| self.near.of(slot).chained))
            .map(|slot| (slot, &self.slab[slot]))
    }

    /// Number of the account's live orders, over all symbols.
    #[inline]
    pub fn count_of(&self, account: AccountId) -> u32 {
        self.own.get(account.index()).map_or(0, |own| own.count.iter().sum())
    }

    /// Number of the account's live orders on a side, over all symbols.
    pub fn count(&self, account: AccountId, side: Side) -> u32 {
        self.own.get(account.index()).and_then(|own| own.count.get(side.index())).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
