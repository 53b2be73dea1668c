//! An account's live orders.

use crate::index::Index;
use crate::link::Neighbours;
use crate::{Link, Order};
use buttonwood_model::{AccountId, Slab, Slot};
use serde::{Deserialize, Serialize};

/// Buckets of the smallest index of an account.
pub(super) const OWN_MIN: usize = 4;

/// An account's live orders: an index by client id, and their number on each side.
///
/// One index both lists an account's orders and finds one by client id: entering or removing an order touches one
/// bucket and no other order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Own {
    #[serde(skip)]
    pub(super) index: Index,
    pub(super) count: [u32; 2],
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count
    }
}

impl Own {
    /// Number of orders, over all symbols.
    pub(super) fn len(&self) -> usize {
        self.count.iter().map(|count| AccountId(*count).index()).sum()
    }

    /// Removes an order from its bucket.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub(super) fn unlink(&mut self, near: &mut Neighbours, slot: Slot, hash: u32) {
        let after = near.of(slot).chained;
        let before = self.index.remove(u64::from(hash), slot, after, |slot| near.of(slot).chained);
        if let Some(before) = before {
            near.beside(Link::to(before)).chained = after;
        }
    }

    /// Widens the index.
    #[cold]
    pub(super) fn widen(&mut self, slab: &Slab<Order>, near: &mut Neighbours) {
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
