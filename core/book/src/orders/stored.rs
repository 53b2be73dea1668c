//! The stored parts of the orders, and the parts derived from them.

use super::Orders;
use super::books::Books;
use super::change::BY_ID_MIN;
use super::hash::hash_client_id;
use super::own::OWN_MIN;
use super::renamed::Renamed;
use crate::index::Index;
use buttonwood_model::SessionId;

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
        let Self { slab, near, by_id, own, books, untriggered, entries, texts, renamed, key, .. } = self;
        *renamed = Renamed::default();
        for slot in queues.iter().chain(&*untriggered) {
            let order = &slab[*slot];
            let text = entries.get(slot.index()).and_then(|entry| texts.read(entry.text, order.text.len()));
            if text
                .is_some_and(|text| hash_client_id(*key, order.account, text.as_bytes()) != order.client_hash)
            {
                renamed.note(order.account, order.id, |_| true);
            }
        }
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
}
