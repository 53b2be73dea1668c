//! Entering, booking, filling and removing orders.

use super::Orders;
use super::hash::{hash_client_id, spread};
use super::own::Own;
use crate::index::Index;
use crate::link::Neighbours;
use crate::order::{ClassBits, Derived, TextLen};
use crate::texts::Texts;
use crate::{Book, Entry, Link, NewOrder, Order, Traded};
use buttonwood_model::{AccountId, Held, SessionId, Slot, Time};
use buttonwood_num::{Money, Qty};

/// Buckets of the smallest index by id.
pub(super) const BY_ID_MIN: usize = 1_024;

impl Orders {
    /// Enters an order without putting it on a book or into an index: it may trade and close at once. Its client id
    /// is among `texts`.
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
        // Field by field, in place: moving a whole order here costs more than the rest of the function.
        let order = &mut self.slab[slot];
        order.remaining = new.qty;
        order.price = new.price;
        order.id = new.id;
        order.account = new.account;
        order.symbol = new.symbol;
        order.rates = new.rates;
        order.bits = ClassBits::entering(new.class);
        order.held = Held::NONE;
        order.traded = Link::NONE;
        let entry = self.entries.get_mut(slot.index()).expect("every order has an entry");
        entry.placed = placed;
        entry.session = new.session;
        entry.kind = new.kind;
        entry.option = new.option;
        if let Some(text) = new.client_id.of(texts) {
            self.texts.store(text, &mut entry.text);
            order.text = TextLen::new(text.len(), new.option);
            let hash = hash_client_id(self.key, new.account, text);
            order.client_hash = hash;
            self.supersede(new.account, hash, text);
        } else {
            order.text = TextLen::new(0, new.option);
            // Any number will do: it only selects the bucket.
            order.client_hash = spread(new.id);
        }
        slot
    }

    /// A client id means the newest order that had it, live or not (D-175). So an older one that is still live is found by it no more
    /// its place in the index is then that of an order without one, in snapshots too.
    #[inline]
    fn supersede(&mut self, account: AccountId, hash: u32, text: &[u8]) {
        let is_free = |own: &Own| own.index.head(u64::from(hash)).is_none_or(|head| head.is_none());
        if !self.own.get(account.index()).is_none_or(is_free)
            && let Some(older) = self.find_named(account, hash, text)
        {
            self.forget_name(older);
        }
    }

    #[cold]
    pub(super) fn forget_name(&mut self, slot: Slot) {
        let (account, id) = (self.get(slot).account, self.get(slot).id);
        let mut renamed = core::mem::take(&mut self.renamed);
        renamed.note(account, id, |id| self.find(id).is_some());
        self.renamed = renamed;
        let Self { slab, near, own, .. } = self;
        let order = &mut slab[slot];
        let Some(own) = own.get_mut(order.account.index()) else { return };
        let before = order.client_hash;
        let other = spread(order.id);
        order.client_hash = if other == before { !other } else { other };
        own.unlink(near, slot, before);
        near.beside(Link::to(slot)).chained = own.index.push(u64::from(order.client_hash), slot);
    }

    /// Takes a slot that no order has had, because all others are in use.
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

    /// Enters an order that rests at once, last in the queue of its price; `held` is the balance it reserves from.
    #[inline]
    pub fn insert_booked(&mut self, new: &NewOrder, texts: &[u8], placed: Time, held: Held) -> Slot {
        let slot = self.write(new, texts, placed);
        self.exchange_rests |= new.session == SessionId::EXCHANGE;
        self.book_order(slot, held);
        slot
    }

    /// Puts the rest of an entered order on the book, last in the queue of its price; `held` is the balance it
    /// reserves from.
    pub fn book_rest(&mut self, slot: Slot, held: Held) {
        self.exchange_rests |= self.entry(slot).session == SessionId::EXCHANGE;
        self.book_order(slot, held);
        let Traded { qty, notional } = self.taken;
        if qty > Qty::ZERO {
            self.note_traded(slot, qty, notional);
        }
    }

    /// Puts an order on its book, last in the queue of its price; `held` is the balance it reserves from.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn book_order(&mut self, slot: Slot, held: Held) {
        let chained = self.index_order(slot, held);
        let Self { slab, near, books, .. } = self;
        let order = &mut slab[slot];
        order.bits.book();
        order.queue_up(slot, books.entered_by(order), near, chained);
    }

    /// Keeps a stop order that entered last until it triggers: every index leads to it, and it is on no book. `held` is where
    /// its reserve lies.
    pub fn suspend(&mut self, slot: Slot, held: Held) {
        self.exchange_rests |= self.entry(slot).session == SessionId::EXCHANGE;
        let chained = self.index_order(slot, held);
        self.near.chain(slot, chained);
        self.slab[slot].bits.suspend();
        self.untriggered.insert(slot);
    }

    /// A stop order has triggered: no index leads to it, and it enters as if it came now.
    pub fn trigger(&mut self, slot: Slot) {
        self.leave_indices(slot);
        self.untriggered.remove(&slot);
        let order = &mut self.slab[slot];
        order.bits.trigger();
        order.held = Held::NONE;
        self.taken = Traded::default();
    }

    /// Enters an order into the indices; returns which comes after it in its bucket of its account.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn index_order(&mut self, slot: Slot, held: Held) -> Link {
        let Self { slab, near, by_id, own, .. } = self;
        let (account, side) = (slab[slot].account, slab[slot].side());
        let own = own.get_mut(account.index()).expect("the account is open");
        if own.index.is_full(own.len()) {
            own.widen(slab, near);
        }
        if let Some(count) = own.count.get_mut(side.index()) {
            *count += 1;
        }
        let order = &mut slab[slot];
        order.held = held;
        order.enter_indices(slot, by_id, own)
    }

    /// Records a fill of the order that entered last and is not on a book.
    #[inline]
    pub fn fill_entered(&mut self, slot: Slot, qty: Qty, notional: Money) {
        self.slab[slot].remaining -= qty;
        self.taken.add(qty, notional);
    }

    /// Records a fill of an order on the book and returns its open quantity.
    #[inline]
    pub fn fill(&mut self, slot: Slot, qty: Qty, notional: Money) -> Qty {
        let order = &mut self.slab[slot];
        order.remaining -= qty;
        let remaining = order.remaining;
        // A filled order leaves with this fill, so its trades are not needed.
        if remaining > Qty::ZERO {
            self.note_traded(slot, qty, notional);
        }
        remaining
    }

    /// Records a trade of an order that stays on the book.
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

    /// Removes an order; one on a book also leaves that book and every index.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn remove(&mut self, slot: Slot) {
        let order = &self.slab[slot];
        let Order { text, traded, .. } = *order;
        if order.is_untriggered() {
            self.leave_indices(slot);
            self.untriggered.remove(&slot);
        } else if order.is_booked() {
            self.leave_book(slot);
        }
        if Texts::is_far(text.len()) {
            self.texts.free(self.entry(slot).text, text.len());
        }
        if let Some(traded) = traded.get() {
            self.traded.free(traded);
        }
        self.slab.free(slot);
    }

    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn leave_book(&mut self, slot: Slot) {
        let Self { slab, near, books, .. } = self;
        let order = &slab[slot];
        let Order { symbol, price, rung, text, .. } = *order;
        let book = books.left_by(symbol, text.is_auction_only());
        let beside = near.of(slot);
        book.unlink(near, order.side(), price, rung.0, beside);
        self.leave_indices(slot);
    }

    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn leave_indices(&mut self, slot: Slot) {
        let Self { slab, near, by_id, own, .. } = self;
        let order = &slab[slot];
        let Order { id, account, client_hash, by_id: after_by_id, .. } = *order;
        let side = order.side();
        if let Some(before) = by_id.remove(id.0, slot, after_by_id.0, |slot| slab[slot].by_id.0) {
            slab[before].by_id = after_by_id;
        }
        let own = own.get_mut(account.index()).expect("the account is open");
        own.unlink(near, slot, client_hash);
        if let Some(count) = own.count.get_mut(side.index()) {
            *count -= 1;
        }
    }
}

impl Order {
    /// Inserts an order into both indices; returns the next order in its account's bucket.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub(super) fn enter_indices(&mut self, slot: Slot, by_id: &mut Index, own: &mut Own) -> Link {
        self.by_id = Derived(by_id.push(self.id.0, slot));
        own.index.push(u64::from(self.client_hash), slot)
    }

    /// Appends an order to the queue of its price.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub(super) fn queue_up(&mut self, slot: Slot, book: &mut Book, near: &mut Neighbours, chained: Link) {
        self.rung = Derived(book.link(near, self.side(), self.price, slot, chained));
    }
}
