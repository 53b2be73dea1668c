//! The stored parts of the orders, and the parts derived from them.

use super::Orders;
use super::books::Books;
use super::change::BY_ID_MIN;
use super::hash::hash_client_id;
use super::own::OWN_MIN;
use super::renamed::Renamed;
use crate::index::Index;
use alloc::vec::Vec;
use buttonwood_model::{ClientId, SessionId, Slot};

impl PartialEq for Orders {
    fn eq(&self, other: &Self) -> bool {
        (&self.slab, &self.entries, &self.traded, &self.texts, &self.own, &self.last)
            == (&other.slab, &other.entries, &other.traded, &other.texts, &other.own, &other.last)
            && self.in_queues().eq(other.in_queues())
    }
}

impl Orders {
    /// Copies what only the derived parts hold into the stored ones, before the value is stored.
    pub fn prepare_to_store(&mut self) {
        self.queues = self.in_queues().collect();
    }

    /// Rebuilds books and indices after a restore.
    pub fn reindex(&mut self) {
        self.books = Books::default();
        let queues = core::mem::take(&mut self.queues);
        self.by_id = Index::default();
        // Room for as many orders as were live at once before.
        self.by_id.widen(self.slab.places().count().max(BY_ID_MIN));
        for own in &mut self.own {
            own.index = Index::default();
            own.index.widen(own.len().max(OWN_MIN));
        }
        if let Some((last, _)) = self.slab.places().last() {
            self.near.reach(last);
        }
        // Freed slots count too, which costs a look and changes no answer.
        self.exchange_rests = self.entries.iter().any(|entry| entry.session == SessionId::EXCHANGE);
        let lost = queues.iter().chain(&self.untriggered).filter(|slot| self.has_lost_name(**slot));
        let lost: Vec<Slot> = lost.copied().collect();
        self.renamed = Renamed::default();
        for slot in lost {
            let (account, id) = (self.get(slot).account, self.get(slot).id);
            self.renamed.note(account, id, |_| true);
        }
        let Self { slab, near, by_id, own, books, untriggered, .. } = self;
        for slot in queues {
            let order = &mut slab[slot];
            let own = own.get_mut(order.account.index()).expect("the account is open");
            let chained = order.enter_indices(slot, by_id, own);
            order.queue_up(slot, books.entered_by(order), near, chained);
        }
        for slot in &*untriggered {
            let order = &mut slab[*slot];
            let own = own.get_mut(order.account.index()).expect("the account is open");
            near.chain(*slot, order.enter_indices(*slot, by_id, own));
        }
    }

    /// Whether a live order has a client id that does not find it.
    fn has_lost_name(&self, slot: Slot) -> bool {
        let order = self.get(slot);
        let hash = |text: ClientId| hash_client_id(self.key, order.account, text.as_bytes());
        self.client_id(slot).is_some_and(|text| hash(text) != order.client_hash)
    }
}
