//! What commands that will be decided soon need of the balances, fetched before they do.

use super::Ledger;
use buttonwood_model::{AccountId, CurrencyId, Held, fetch};

/// An entry of the index, which says where a balance lies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry(usize);

impl Ledger {
    /// Of what an order may reserve, first: what leads to the balance.
    #[inline]
    pub fn foresee(&self, account: AccountId, currency: CurrencyId) -> Entry {
        let at = self.at(account, currency);
        fetch(self.index.get(at));
        Entry(at)
    }

    /// Second: the balance.
    #[inline]
    pub fn foresee_balance(&self, entry: Entry) {
        if let Some(place) = self.index.get(entry.0) {
            fetch(self.balances.get(AccountId(place.wrapping_sub(1)).index()));
        }
    }

    /// Of what an order holds: the balance.
    #[inline]
    pub fn foresee_held(&self, held: Held) {
        fetch(self.balances.get(held.index()));
    }
}
