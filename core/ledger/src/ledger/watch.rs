//! Watched balances: those of accounts that owe money. A change of one is found when it happens, so that no walk over all debts is needed.
//!
//! The table is derived and not stored: after a restore, whoever watches a balance calls [`Ledger::watch`] again.

use super::Ledger;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, AssetId};
use buttonwood_num::Money;

/// Which balances are watched.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// How often the balance at each place is watched.
    watchers: Vec<u32>,
    /// The sum of them.
    count: u32,
    /// The watched balances of which something is available.
    funded: BTreeSet<(AccountId, AssetId)>,
}

impl Watch {
    /// Whether any balance is watched.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.count > 0
    }
}

impl Ledger {
    /// Watches a balance, once more if it is watched already.
    ///
    /// # Panics
    /// When the account never had a balance in the asset.
    pub fn watch(&mut self, account: AccountId, asset: impl Into<AssetId>) {
        let place = self.watched_place(account, asset.into());
        if place >= self.watch.watchers.len() {
            self.watch.watchers.resize(place + 1, 0);
        }
        self.count_watchers(place, |watchers| *watchers += 1);
        self.note_watched(place);
    }

    /// Ends one call of [`Ledger::watch`].
    ///
    /// # Panics
    /// When the balance is not watched.
    pub fn unwatch(&mut self, account: AccountId, asset: impl Into<AssetId>) {
        let asset = asset.into();
        let place = self.watched_place(account, asset);
        let left = self.count_watchers(place, |watchers| *watchers -= 1);
        if left == 0 {
            self.watch.funded.remove(&(account, asset));
        }
    }

    /// The watched balances of which something is available, by account and asset.
    pub fn funded(&self) -> impl Iterator<Item = (AccountId, AssetId)> {
        self.watch.funded.iter().copied()
    }

    fn watched_place(&self, account: AccountId, asset: AssetId) -> usize {
        self.place(account, asset).expect("a balance that is watched was used")
    }

    fn count_watchers(&mut self, place: usize, change: impl FnOnce(&mut u32)) -> u32 {
        let watchers = self.watch.watchers.get_mut(place).expect("the balance is watched");
        let before = *watchers;
        change(watchers);
        self.watch.count = self.watch.count - before + *watchers;
        *watchers
    }

    /// Notes whether something is available of a balance, if it is watched.
    pub(super) fn note_watched(&mut self, place: usize) {
        if self.watch.watchers.get(place).is_none_or(|watchers| *watchers == 0) {
            return;
        }
        let (Some(owner), Some(balance)) = (self.owners.get(place), self.balances.get(place)) else { return };
        let key = (owner.account, owner.asset);
        if balance.available > Money::ZERO {
            self.watch.funded.insert(key);
        } else {
            self.watch.funded.remove(&key);
        }
    }
}
