//! Prefetches the memory of orders that upcoming commands need, in steps. Each step reads what the step before it
//! prefetched. The values found here are only hints.

#![expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]

use super::Orders;
use super::hash::hash_client_id;
use crate::Link;
use crate::ladder::Rung;
use buttonwood_model::{AccountId, Held, OrderId, Side, Slot, SymbolId, fetch};
use buttonwood_num::Price;
use core::hint::select_unpredictable;

/// The level that a new order may rest on.
#[derive(Clone, Copy, Debug)]
pub struct Resting {
    symbol: SymbolId,
    side: Side,
    rung: Rung,
}

impl Default for Resting {
    fn default() -> Self {
        Self { symbol: SymbolId(0), side: Side::Buy, rung: Rung::default() }
    }
}

impl Orders {
    /// Cancel, step 1: the head of the id's bucket.
    #[inline(always)]
    pub fn prefetch_id(&self, id: OrderId) {
        fetch(self.by_id.head(id.0));
    }

    /// Step 2: the order, its neighbours and its entry, which the next order to enter overwrites. Returns its slot,
    /// assuming that it is the first in its bucket.
    #[inline(always)]
    pub fn prefetch_order(&self, id: OrderId) -> Slot {
        let Some(slot) = self.by_id.head(id.0).and_then(|head| head.get()) else { return Slot(0) };
        fetch(self.slab.look(slot));
        fetch(self.near.row(Link::to(slot)));
        fetch(self.entries.get(slot.index()));
        slot
    }

    /// Step 3: the same of the next order in the bucket, if the first is not the one. Returns the slot, which may
    /// still be wrong.
    #[inline(always)]
    pub fn prefetch_chained(&self, id: OrderId, slot: Slot) -> Slot {
        let Some(order) = self.slab.look(slot) else { return Slot(0) };
        let chained = order.by_id.0.get().unwrap_or(slot);
        let slot = select_unpredictable(order.id == id, slot, chained);
        fetch(self.slab.look(slot));
        fetch(self.near.row(Link::to(slot)));
        fetch(self.entries.get(slot.index()));
        slot
    }

    /// Step 4: everything that the order links to. Returns the balance that it reserves from.
    #[inline(always)]
    pub fn prefetch_links(&self, slot: Slot) -> Held {
        let Some(order) = self.slab.look(slot) else { return Held::NONE };
        if let Some(own) = self.own.get(order.account.index()) {
            fetch(own.index.head(u64::from(order.client_hash)));
        }
        if let Some(beside) = self.near.row(Link::to(slot)) {
            fetch(self.near.row(beside.prev));
            fetch(self.near.row(beside.next));
        }
        if let Some(book) = self.books.look(order.symbol, order.is_auction_only()) {
            fetch(book.side(order.side()).at(order.rung.0));
        }
        order.held
    }

    /// Placement, step 1: the order's bucket in its account's index, and the level it may rest on.
    #[inline(always)]
    pub fn prefetch_level(
        &self,
        account: AccountId,
        symbol: SymbolId,
        side: Side,
        price: Price,
        client_id: &[u8],
    ) -> Resting {
        if let Some(own) = self.own.get(account.index()) {
            fetch(own.index.head(u64::from(hash_client_id(self.key, account, client_id))));
        }
        let Some(book) = self.books.look(symbol, false) else { return Resting::default() };
        let ladder = book.side(side);
        let rung = ladder.rung(price).unwrap_or_default();
        fetch(ladder.at(rung));
        Resting { symbol, side, rung }
    }

    /// Step 2: the last order in the queue of that level.
    #[inline(always)]
    pub fn prefetch_queue(&self, resting: Resting) {
        if let Some(book) = self.books.look(resting.symbol, false)
            && let Some(level) = book.side(resting.side).at(resting.rung)
        {
            fetch(self.near.row(level.tail));
        }
    }
}
