//! Watched balances. A change of one is found when it happens, so that no walk over all balances is needed.
//!
//! Those of accounts that owe money are watched for whether something is available; those that an agreed trade lacks money in are watched
//! for rises to the amount that it needs. The tables are derived and not stored: after a restore, who watches a balance calls [`Ledger::watch`] or
//! [`Ledger::watch_rises`] again.

use super::Ledger;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, AssetId};
use buttonwood_num::Money;

/// Which balances are watched.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    /// How often the balance at each place is watched.
    watchers: Vec<u32>,
    /// The sum of them, and of those of rises.
    count: u32,
    /// The watched balances of which something is available.
    funded: BTreeSet<(AccountId, AssetId)>,
    rises: Rises,
}

/// Which balances are watched for rises.
#[derive(Clone, Debug, Default)]
struct Rises {
    /// The amount from which each balance is of interest. It may never have been used.
    levels: BTreeMap<(AccountId, AssetId), Money>,
    /// The same by place; more than any balance for one that is not watched.
    places: Vec<Money>,
    /// Those that have changed and of which as much is available.
    risen: BTreeSet<(AccountId, AssetId)>,
}

impl Rises {
    fn set_place(&mut self, place: usize, level: Option<Money>) {
        if place >= self.places.len() {
            self.places.resize(place + 1, Money::MAX);
        }
        if let Some(at) = self.places.get_mut(place) {
            *at = level.unwrap_or(Money::MAX);
        }
    }
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

    /// Watches a balance for rises of its available part to an amount or beyond it; replaces an earlier amount. Without an amount it is not
    /// watched any more. The account may never have had a balance in the asset.
    pub fn watch_rises(&mut self, account: AccountId, asset: impl Into<AssetId>, level: Option<Money>) {
        let key = (account, asset.into());
        let before = match level {
            Some(level) => self.watch.rises.levels.insert(key, level),
            None => self.watch.rises.levels.remove(&key),
        };
        let count = self.watch.count.saturating_sub(u32::from(before.is_some()));
        self.watch.count = count.saturating_add(u32::from(level.is_some()));
        if level.is_none() {
            self.watch.rises.risen.remove(&key);
        }
        if let Some(place) = self.place(account, key.1) {
            self.watch.rises.set_place(place, level);
        }
    }

    /// Whether a balance that is watched for rises has changed and has the amount, since [`Ledger::take_risen`].
    #[inline]
    pub fn has_risen(&self) -> bool {
        !self.watch.rises.risen.is_empty()
    }

    /// The balances that have risen since the last call, by account and asset.
    pub fn take_risen(&mut self) -> BTreeSet<(AccountId, AssetId)> {
        core::mem::take(&mut self.watch.rises.risen)
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

    /// A balance that was watched for rises before its first use has this place now.
    pub(super) fn note_place(&mut self, account: AccountId, asset: AssetId, place: usize) {
        if let Some(level) = self.watch.rises.levels.get(&(account, asset)).copied() {
            self.watch.rises.set_place(place, Some(level));
        }
    }

    /// Notes what is available of a balance, if it is watched.
    pub(super) fn note_watched(&mut self, place: usize) {
        let owes = self.watch.watchers.get(place).is_some_and(|watchers| *watchers > 0);
        let level = self.watch.rises.places.get(place).copied().unwrap_or(Money::MAX);
        let (Some(owner), Some(balance)) = (self.owners.get(place), self.balances.get(place)) else { return };
        let available = balance.available;
        let rises = available >= level;
        if !owes && !rises {
            return;
        }
        let key = (owner.account, owner.asset);
        if rises {
            self.watch.rises.risen.insert(key);
        }
        if owes && available > Money::ZERO {
            self.watch.funded.insert(key);
        } else if owes {
            self.watch.funded.remove(&key);
        }
    }
}
