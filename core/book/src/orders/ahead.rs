//! What commands that will be decided soon need of the orders: fetched, step by step, before they do. Each step reads what
//! the one before it had fetched, and nothing that is found here is relied upon.

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
    /// Of an order to be cancelled, first: what leads to it.
    #[inline(always)]
    pub fn foresee_id(&self, id: OrderId) {
        fetch(self.by_id.head(id.0));
    }

    /// Second: the order, its neighbours, and how it entered, which the next order to enter writes over. Returns where it lies,
    /// as far as can be told without looking there.
    #[inline(always)]
    pub fn foresee_order(&self, id: OrderId) -> Slot {
        let Some(slot) = self.by_id.head(id.0).and_then(|head| head.get()) else { return Slot(0) };
        fetch(self.slab.look(slot));
        fetch(self.near.row(Link::to(slot)));
        fetch(self.entries.get(slot.index()));
        slot
    }

    /// Third: the same of the one behind it in its bucket, if that is meant. Returns where the one that is meant lies.
    #[inline(always)]
    pub fn foresee_chained(&self, id: OrderId, slot: Slot) -> Slot {
        let Some(order) = self.slab.look(slot) else { return Slot(0) };
        let chained = order.by_id.0.get().unwrap_or(slot);
        let slot = select_unpredictable(order.id == id, slot, chained);
        fetch(self.slab.look(slot));
        fetch(self.near.row(Link::to(slot)));
        fetch(self.entries.get(slot.index()));
        slot
    }

    /// Fourth: all that it is linked to. Returns where its money is held.
    #[inline(always)]
    pub fn foresee_links(&self, slot: Slot) -> Held {
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

    /// Of an order to be placed, first: its bucket of its account, and the level it may rest on.
    #[inline(always)]
    pub fn foresee_level(
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

    /// Second: whom it will queue behind.
    #[inline(always)]
    pub fn foresee_queue(&self, resting: Resting) {
        if let Some(book) = self.books.look(resting.symbol, false)
            && let Some(level) = book.side(resting.side).at(resting.rung)
        {
            fetch(self.near.row(level.tail));
        }
    }
}
