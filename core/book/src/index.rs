//! A hash index whose buckets are chains through the orders themselves.
//!
//! It holds one link per bucket and nothing else: no tombstones to sweep, no keys to copy, and a removal touches only
//! the orders of one bucket. There are at least as many buckets as orders, so a chain has one or two links.

use crate::Link;
use alloc::vec::Vec;
use buttonwood_model::Slot;

/// Heads of the chains. The caller knows how many orders there are, how one is hashed, and how its chain continues.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    heads: Vec<Link>,
}

impl Index {
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        reason = "masked to the number of buckets"
    )]
    fn place(&self, hash: u64) -> usize {
        hash as usize & self.heads.len().wrapping_sub(1)
    }

    /// The slots in the bucket of a hash; `next` returns the next link of a chain.
    pub(crate) fn candidates(&self, hash: u64, next: impl Fn(Slot) -> Link) -> impl Iterator<Item = Slot> {
        let first = self.heads.get(self.place(hash)).and_then(|head| head.get());
        core::iter::successors(first, move |slot| next(*slot).get())
    }

    /// Every slot, bucket by bucket.
    pub(crate) fn slots<'a>(
        &'a self,
        next: impl Fn(Slot) -> Link + Copy + 'a,
    ) -> impl Iterator<Item = Slot> + 'a {
        self.heads
            .iter()
            .flat_map(move |head| core::iter::successors(head.get(), move |slot| next(*slot).get()))
    }

    /// The head of the bucket of a hash.
    #[inline]
    pub(crate) fn head(&self, hash: u64) -> Option<&Link> {
        self.heads.get(self.place(hash))
    }

    /// Inserts a slot at the front of its bucket; returns the link that the slot must store.
    pub(crate) fn push(&mut self, hash: u64, slot: Slot) -> Link {
        let place = self.place(hash);
        let head = self.heads.get_mut(place).expect("the index has room: see `is_full`");
        core::mem::replace(head, Link::to(slot))
    }

    /// Removes a slot from its bucket; `after` is its next link. If another slot comes before it, returns that slot,
    /// which must store `after` instead. `next` returns the next link of a chain.
    pub(crate) fn remove(
        &mut self,
        hash: u64,
        slot: Slot,
        after: Link,
        next: impl Fn(Slot) -> Link,
    ) -> Option<Slot> {
        let place = self.place(hash);
        let head = self.heads.get_mut(place).expect("a slot in the index has a bucket");
        if *head == Link::to(slot) {
            *head = after;
            return None;
        }
        core::iter::successors(head.get(), |at| next(*at).get()).find(|at| next(*at) == Link::to(slot))
    }

    /// Whether `len` slots fill the index.
    pub(crate) fn is_full(&self, len: usize) -> bool {
        len >= self.heads.len()
    }

    /// Empties the index and doubles its buckets, or makes as many as `least` orders need; returns the old heads.
    pub(crate) fn widen(&mut self, least: usize) -> Vec<Link> {
        let buckets = (self.heads.len() * 2).max(least.next_power_of_two());
        core::mem::replace(&mut self.heads, alloc::vec![Link::NONE; buckets])
    }
}
