//! Every live order, and the indices that lead to one: by id, by client id, by account.

use crate::index::Index;
use crate::link::Neighbours;
use crate::order::Derived;
use crate::texts::Texts;
use crate::{Book, Entry, Link, NewOrder, Order, Traded};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, ClientId, Held, OrderId, Side, Slab, Slot, SymbolId, Time};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_planted::{Bug, planted};
use serde::{Deserialize, Serialize};

/// An account's live orders: an index of them by client id, and how many there are on each side.
///
/// One index serves both questions an account has, which are its orders and which has this client id: entering an order
/// and removing it touch one bucket and no other order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Own {
    #[serde(skip)]
    index: Index,
    count: [u32; 2],
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count
    }
}

impl Own {
    fn len(&self) -> usize {
        self.count.iter().map(|count| AccountId(*count).index()).sum()
    }
}

/// Buckets of the smallest index by id, and of an account's.
const BY_ID_MIN: usize = 1_024;
const OWN_MIN: usize = 4;

/// Live orders of all symbols. Books and hash indices are derived: a restored value calls [`Orders::reindex`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Orders {
    /// Keys the hash of client ids, so that no client can choose colliding ones.
    key: u64,
    slab: Slab<Order>,
    /// How each order entered, by its slot.
    entries: Vec<Entry>,
    /// What orders on the book have traded, if anything.
    traded: Slab<Traded>,
    /// What the one order that is not on the book has traded: the one that entered last.
    #[serde(skip)]
    taken: Traded,
    #[serde(skip)]
    near: Neighbours,
    texts: Texts,
    own: Vec<Own>,
    last: Vec<Option<Price>>,
    /// The slots of each queue in their order, only while stored.
    queues: Vec<Slot>,
    #[serde(skip)]
    books: Vec<Book>,
    #[serde(skip)]
    by_id: Index,
}

impl PartialEq for Orders {
    fn eq(&self, other: &Self) -> bool {
        (&self.slab, &self.entries, &self.traded, &self.texts, &self.own)
            == (&other.slab, &other.entries, &other.traded, &other.texts, &other.own)
            && self.in_queues().eq(other.in_queues())
            && self.books.iter().map(|book| book.last).eq(other.books.iter().map(|book| book.last))
    }
}

impl Orders {
    /// Sets the key of the client id index; before the first order only.
    pub fn set_key(&mut self, key: u64) {
        self.key = key;
    }

    /// Makes room for one more symbol.
    pub fn list_symbol(&mut self) {
        self.books.push(Book::default());
    }

    /// Makes room for the orders of accounts up to this one.
    pub fn open_account(&mut self, account: AccountId) {
        self.own.resize(self.own.len().max(account.index() + 1), Own::default());
    }

    /// A symbol's book.
    ///
    /// # Panics
    /// When the symbol is not listed.
    pub fn book(&self, symbol: SymbolId) -> &Book {
        self.books.get(symbol.index()).expect("a listed symbol has a book")
    }

    fn book_mut(&mut self, symbol: SymbolId) -> &mut Book {
        self.books.get_mut(symbol.index()).expect("a listed symbol has a book")
    }

    /// The orders at a price, oldest first.
    pub fn queue(&self, symbol: SymbolId, side: Side, price: Price) -> impl Iterator<Item = Slot> {
        self.book(symbol).queue(&self.near, side, price)
    }

    /// Every order on the books, queue by queue.
    fn in_queues(&self) -> impl Iterator<Item = Slot> {
        self.books.iter().flat_map(move |book| {
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
    /// When no order ever lay there.
    pub fn entry(&self, slot: Slot) -> &Entry {
        self.entries.get(slot.index()).expect("every order has an entry")
    }

    /// What a live order has traded.
    pub fn traded(&self, slot: Slot) -> Traded {
        let order = &self.slab[slot];
        if !order.is_booked() {
            return self.taken;
        }
        order.traded.get().map_or_else(Traded::default, |at| self.traded[at])
    }

    /// Whether a younger order queues behind this one at its price.
    pub fn has_younger(&self, slot: Slot) -> bool {
        !self.near.of(slot).next.is_none()
    }

    /// Where the next order will lie.
    pub fn next_slot(&self) -> Slot {
        self.slab.next_slot()
    }

    /// Live orders.
    pub fn len(&self) -> usize {
        self.slab.len()
    }

    /// Whether no order lives.
    pub fn is_empty(&self) -> bool {
        self.slab.is_empty()
    }

    /// A live order by its id.
    pub fn find(&self, id: OrderId) -> Option<Slot> {
        self.by_id.candidates(id.0, |slot| self.slab[slot].by_id.0).find(|slot| self.slab[*slot].id == id)
    }

    /// The newest live order of the account with this client id (ORD-068).
    pub fn find_client_id(&self, account: AccountId, client_id: &ClientId) -> Option<Slot> {
        let text = client_id.as_bytes();
        let hash = hash_client_id(self.key, account, text);
        let own = self.own.get(account.index())?;
        own.index
            .candidates(u64::from(hash), |slot| self.near.of(slot).chained)
            .filter(|slot| {
                let order = &self.slab[*slot];
                order.client_hash == hash && self.texts.equals(self.entry(*slot).text, order.text_len, text)
            })
            .max_by_key(|slot| {
                let id = self.slab[*slot].id.0;
                if planted(Bug::ClientIdOldest) { u64::MAX - id } else { id }
            })
    }

    /// The client id of a live order.
    pub fn client_id(&self, slot: Slot) -> Option<ClientId> {
        let order = &self.slab[slot];
        self.texts.read(self.entry(slot).text, order.text_len)
    }

    /// The account's live orders, newest first.
    pub fn of_account(&self, account: AccountId) -> impl Iterator<Item = (Slot, &Order)> {
        let mut slots: Vec<Slot> = self.in_any_order(account).map(|(slot, _)| slot).collect();
        slots.sort_unstable_by_key(|slot| core::cmp::Reverse(self.slab[*slot].id));
        slots.into_iter().map(|slot| (slot, &self.slab[slot]))
    }

    /// The account's live orders, in an order that means nothing: a decision may count them or look for one, but not
    /// depend on which comes first.
    pub fn in_any_order(&self, account: AccountId) -> impl Iterator<Item = (Slot, &Order)> {
        let own = self.own.get(account.index());
        own.into_iter()
            .flat_map(|own| own.index.slots(|slot| self.near.of(slot).chained))
            .map(|slot| (slot, &self.slab[slot]))
    }

    /// How many live orders the account has, over all symbols.
    #[inline]
    pub fn count_of(&self, account: AccountId) -> u32 {
        self.own.get(account.index()).map_or(0, |own| own.count.iter().sum())
    }

    /// How many live orders the account has on a side, over all symbols.
    pub fn count(&self, account: AccountId, side: Side) -> u32 {
        self.own.get(account.index()).and_then(|own| own.count.get(side.index())).copied().unwrap_or(0)
    }

    /// Enters an order that is not yet on the book, and that no index leads to: it may trade at once and be gone before
    /// anybody asks for it. Its client id is among `texts`.
    pub fn insert(&mut self, new: &NewOrder, texts: &[u8], placed: Time) -> Slot {
        self.taken = Traded::default();
        self.write(new, texts, placed)
    }

    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn write(&mut self, new: &NewOrder, texts: &[u8], placed: Time) -> Slot {
        let slot = match self.slab.retake() {
            Some(slot) => slot,
            None => self.grow(),
        };
        // Field by field, in place: moving a whole order there costs more than everything else here.
        let order = &mut self.slab[slot];
        order.remaining = new.qty;
        order.price = new.price;
        order.id = new.id;
        order.account = new.account;
        order.symbol = new.symbol;
        order.maker_rate = new.maker_rate;
        order.taker_rate = new.taker_rate;
        order.side = new.side;
        order.held = Held::NONE;
        order.traded = Link::NONE;
        let entry = self.entries.get_mut(slot.index()).expect("every order has an entry");
        entry.placed = placed;
        entry.session = new.session;
        entry.kind = new.kind;
        entry.option = new.option;
        if let Some(text) = new.client_id.of(texts) {
            self.texts.store(text, &mut entry.text);
            order.text_len = u8::try_from(text.len()).expect("client order ids are short");
            order.client_hash = hash_client_id(self.key, new.account, text);
        } else {
            order.text_len = 0;
            // Any number does: it only says which bucket the order lies in.
            order.client_hash = spread(new.id);
        }
        slot
    }

    /// Takes a place that no order has had, when every other one is taken.
    #[cold]
    fn grow(&mut self) -> Slot {
        let Self { slab, near, by_id, .. } = self;
        if by_id.is_full(slab.len()) {
            for head in by_id.widen(BY_ID_MIN) {
                let mut at = head;
                while let Some(slot) = at.get() {
                    let order = &mut slab[slot];
                    at = order.by_id.0;
                    order.by_id = Derived(by_id.push(order.id.0, slot));
                }
            }
        }
        let slot = slab.take(Order::blank);
        self.entries.push(Entry::BLANK);
        near.reach(slot);
        slot
    }

    /// Enters an order that rests at once, last in the queue of its price; `held` is where its reserve lies.
    #[inline]
    pub fn insert_booked(&mut self, new: &NewOrder, texts: &[u8], placed: Time, held: Held) -> Slot {
        let slot = self.write(new, texts, placed);
        self.book_order(slot, held);
        slot
    }

    /// Puts what is left of an order on the book, last in the queue of its price; `held` is where its reserve lies.
    pub fn book_rest(&mut self, slot: Slot, held: Held) {
        self.book_order(slot, held);
        let Traded { qty, notional } = self.taken;
        if qty > Qty::ZERO {
            self.note_traded(slot, qty, notional);
        }
    }

    /// Puts an order on the book, last in the queue of its price; `held` is where its reserve lies.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn book_order(&mut self, slot: Slot, held: Held) {
        let Self { slab, near, by_id, own, books, .. } = self;
        let Order { account, side, .. } = slab[slot];
        let own = own.get_mut(account.index()).expect("the account is open");
        if own.index.is_full(own.len()) {
            own.widen(slab, near);
        }
        if let Some(count) = own.count.get_mut(side.index()) {
            *count += 1;
        }
        let order = &mut slab[slot];
        order.held = held;
        let chained = order.enter_indices(slot, by_id, own);
        order.queue_up(slot, books, near, chained);
    }

    /// Counts an execution on the order that entered last and is not on the book.
    #[inline]
    pub fn fill_entered(&mut self, slot: Slot, qty: Qty, notional: Money) {
        self.slab[slot].remaining -= qty;
        self.taken.add(qty, notional);
    }

    /// Counts an execution on an order on the book and returns what remains.
    #[inline]
    pub fn fill(&mut self, slot: Slot, qty: Qty, notional: Money) -> Qty {
        let order = &mut self.slab[slot];
        order.remaining -= qty;
        let remaining = order.remaining;
        // An order that is done leaves with this fill: nobody asks what it traded.
        if remaining > Qty::ZERO {
            self.note_traded(slot, qty, notional);
            if planted(Bug::PriorityLost) {
                self.requeue(slot);
            }
        }
        remaining
    }

    /// Notes what an order that stays on the book has traded.
    #[inline(never)]
    fn note_traded(&mut self, slot: Slot, qty: Qty, notional: Money) {
        let order = &mut self.slab[slot];
        let at = match order.traded.get() {
            Some(at) => at,
            None => {
                let at = self.traded.take(Traded::default);
                self.traded[at] = Traded::default();
                order.traded = Link::to(at);
                at
            }
        };
        self.traded[at].add(qty, notional);
    }

    /// Puts an order behind those at its price: what none may suffer (see [`Bug::PriorityLost`]).
    fn requeue(&mut self, slot: Slot) {
        let Self { slab, near, books, .. } = self;
        let order = &mut slab[slot];
        let own = near.of(slot);
        let book = books.get_mut(order.symbol.index()).expect("a listed symbol has a book");
        book.unlink(near, order.side, order.price, order.rung.0, own);
        order.queue_up(slot, books, near, own.chained);
    }

    /// Remembers what the last trade of a symbol printed at.
    pub fn print(&mut self, symbol: SymbolId, price: Price) {
        self.book_mut(symbol).last = Some(price);
    }

    /// Forgets an order; one on the book leaves that and every index.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn remove(&mut self, slot: Slot) {
        let order = &self.slab[slot];
        let Order { text_len, traded, .. } = *order;
        if order.is_booked() {
            self.leave_book(slot);
        }
        if Texts::is_far(text_len) {
            self.texts.free(self.entry(slot).text, text_len);
        }
        if let Some(traded) = traded.get() {
            self.traded.free(traded);
        }
        self.slab.free(slot);
    }

    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn leave_book(&mut self, slot: Slot) {
        let Self { slab, near, by_id, own, books, .. } = self;
        let Order { id, account, symbol, side, price, client_hash, rung, by_id: after_by_id, .. } =
            slab[slot];
        let beside = near.of(slot);
        let book = books.get_mut(symbol.index()).expect("a listed symbol has a book");
        book.unlink(near, side, price, rung.0, beside);
        if let Some(before) = by_id.remove(id.0, slot, after_by_id.0, |slot| slab[slot].by_id.0) {
            slab[before].by_id = after_by_id;
        }
        let own = own.get_mut(account.index()).expect("the account is open");
        let after = beside.chained;
        let before = own.index.remove(u64::from(client_hash), slot, after, |slot| near.of(slot).chained);
        if let Some(before) = before {
            near.beside(Link::to(before)).chained = after;
        }
        if let Some(count) = own.count.get_mut(side.index()) {
            *count -= 1;
        }
    }

    /// Writes down what the derived parts hold that the stored ones do not, before the value is stored.
    pub fn prepare_to_store(&mut self) {
        self.last = self.books.iter().map(|book| book.last).collect();
        self.queues = self.in_queues().collect();
    }

    /// Rebuilds books and indices after a restore.
    pub fn reindex(&mut self) {
        let last = core::mem::take(&mut self.last);
        self.books = last.into_iter().map(Book::after).collect();
        let mut queues = core::mem::take(&mut self.queues);
        if planted(Bug::QueuesReversed) {
            queues.reverse();
        }
        self.by_id = Index::default();
        // As many as were live at once may be so again.
        self.by_id.widen(self.slab.places().count().max(BY_ID_MIN));
        for own in &mut self.own {
            own.index = Index::default();
            own.index.widen(own.len().max(OWN_MIN));
        }
        if let Some((last, _)) = self.slab.places().last() {
            self.near.reach(last);
        }
        let Self { slab, near, by_id, own, books, .. } = self;
        for slot in queues {
            let order = &mut slab[slot];
            let own = own.get_mut(order.account.index()).expect("the account is open");
            let chained = order.enter_indices(slot, by_id, own);
            order.queue_up(slot, books, near, chained);
        }
    }
}

impl Order {
    /// Enters an order into both indices; returns which comes after it in its bucket of its account.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn enter_indices(&mut self, slot: Slot, by_id: &mut Index, own: &mut Own) -> Link {
        self.by_id = Derived(by_id.push(self.id.0, slot));
        own.index.push(u64::from(self.client_hash), slot)
    }

    /// Puts an order last in the queue of its price.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn queue_up(&mut self, slot: Slot, books: &mut [Book], near: &mut Neighbours, chained: Link) {
        let book = books.get_mut(self.symbol.index()).expect("a listed symbol has a book");
        self.rung = Derived(book.link(near, self.side, self.price, slot, chained));
    }
}

impl Own {
    #[cold]
    fn widen(&mut self, slab: &Slab<Order>, near: &mut Neighbours) {
        for head in self.index.widen(OWN_MIN) {
            let mut at = head;
            while let Some(slot) = at.get() {
                let own = near.beside(Link::to(slot));
                at = own.chained;
                own.chained = self.index.push(u64::from(slab[slot].client_hash), slot);
            }
        }
    }
}

/// The low half of an order's id.
fn spread(id: OrderId) -> u32 {
    u32::try_from(id.0 & u64::from(u32::MAX)).unwrap_or(0)
}

/// Folds two words into one: the high half of a product mixed into its low half.
fn fold(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * 0x9E37_79B9_7F4A_7C15;
    let [low, high] =
        [product, product >> 64].map(|half| u64::try_from(half & u128::from(u64::MAX)).unwrap_or(0));
    high ^ low
}

#[inline]
fn hash_client_id(key: u64, account: AccountId, text: &[u8]) -> u32 {
    let start = fold(key, u64::from(account.0));
    // The most frequent length without counting.
    let hash = match text.as_chunks::<8>() {
        ([first, second], []) => fold(fold(start, u64::from_le_bytes(*first)), u64::from_le_bytes(*second)),
        (words, rest) => hash_words(start, words, rest),
    };
    u32::try_from(hash >> 32).unwrap_or(0)
}

#[inline(never)]
fn hash_words(start: u64, words: &[[u8; 8]], rest: &[u8]) -> u64 {
    let hash = words.iter().fold(start, |hash, word| fold(hash, u64::from_le_bytes(*word)));
    if rest.is_empty() {
        return hash;
    }
    let mut word = [0; 8];
    if let Some(place) = word.get_mut(..rest.len()) {
        place.copy_from_slice(rest);
    }
    fold(hash, u64::from_le_bytes(word))
}

#[cfg(test)]
mod tests;
