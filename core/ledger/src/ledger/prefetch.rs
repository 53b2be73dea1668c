//! Prefetches the balances that upcoming commands need.

use super::Ledger;
use buttonwood_model::{AccountId, CurrencyId, Held, fetch};

/// A position in the index, which leads to a balance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry(usize);

impl Ledger {
    /// Step 1 for a balance that an order may reserve from: the entry of the index.
    #[inline]
    pub fn prefetch(&self, account: AccountId, currency: CurrencyId) -> Entry {
        let at = self.at(account, currency);
        fetch(self.index.get(at));
        Entry(at)
    }

    /// Step 2: the balance.
    #[inline]
    pub fn prefetch_balance(&self, entry: Entry) {
        if let Some(place) = self.index.get(entry.0) {
            fetch(self.balances.get(AccountId(place.wrapping_sub(1)).index()));
        }
    }

    /// The balance that an order reserves from.
    #[inline]
    pub fn prefetch_held(&self, held: Held) {
        fetch(self.balances.get(held.index()));
    }
}
