//! One symbol's two sides, and their queues.

use crate::Link;
use crate::ladder::{Ladder, Rung};
use crate::link::{Near, Neighbours};
use buttonwood_model::{Side, Slot};
use buttonwood_num::Price;

/// The resting orders of one symbol. The orders themselves are in the slab that all books share.
#[derive(Clone, Debug)]
pub struct Book {
    bids: Ladder,
    asks: Ladder,
}

impl Default for Book {
    fn default() -> Self {
        Self { bids: Ladder::new(Side::Buy), asks: Ladder::new(Side::Sell) }
    }
}

impl Book {
    /// Whether it has no orders.
    pub fn is_empty(&self) -> bool {
        self.bids.best().is_none() && self.asks.best().is_none()
    }

    /// The prices of one side.
    pub fn side(&self, side: Side) -> &Ladder {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }

    fn side_mut(&mut self, side: Side) -> &mut Ladder {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }

    /// The orders at a price, oldest first.
    pub(crate) fn queue(&self, near: &Neighbours, side: Side, price: Price) -> impl Iterator<Item = Slot> {
        let head = self.side(side).level(price).and_then(|level| level.head.get());
        core::iter::successors(head, |slot| near.of(*slot).next.get())
    }

    /// Appends an order to the queue of its price; returns the rung. `chained` is the next order in its account's
    /// bucket.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub(crate) fn link(
        &mut self,
        near: &mut Neighbours,
        side: Side,
        price: Price,
        slot: Slot,
        chained: Link,
    ) -> Rung {
        let (older, rung) = self.side_mut(side).append(price, slot);
        near.beside(older).next = Link::to(slot);
        *near.beside(Link::to(slot)) = Near { next: Link::NONE, prev: older, chained };
        rung
    }

    /// Removes an order with these neighbours from the queue of its price, which is on `rung`.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub(crate) fn unlink(&mut self, near: &mut Neighbours, side: Side, price: Price, rung: Rung, own: Near) {
        let Near { prev, next, .. } = own;
        near.beside(prev).next = next;
        near.beside(next).prev = prev;
        self.side_mut(side).shorten(price, rung, prev, next);
    }
}
