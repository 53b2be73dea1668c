//! The laws of all balances and of every entry.

use super::Ledger;
use crate::Posting;
use crate::balance::Owner;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_model::{AccountId, AssetId, CurrencyId};
use buttonwood_num::Money;

/// The law that [`Ledger::broken_law`] found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenLaw {
    /// The asset's balances do not sum to zero.
    NotBalanced(AssetId),
    /// The account's balance is negative.
    BelowZero(AccountId, AssetId),
}

impl Ledger {
    /// The first asset whose balances do not sum to zero, or else the first account below zero. There must never be
    /// one (INV-LEDGER-2, INV-LEDGER-3).
    pub fn broken_law(&self) -> Option<BrokenLaw> {
        let mut sums: Vec<Money> = alloc::vec![Money::ZERO; self.currencies.len()];
        let mut claims: BTreeMap<AssetId, Money> = BTreeMap::new();
        for (balance, owner) in self.balances.iter().zip(&self.owners) {
            let owes = balance.available.is_negative() && !self.may_be_negative(*owner);
            if owes || balance.held.is_negative() {
                return Some(BrokenLaw::BelowZero(owner.account, owner.asset));
            }
            match owner.asset.currency().and_then(|currency| sums.get_mut(currency.index())) {
                Some(sum) => *sum += balance.total(),
                None => *claims.entry(owner.asset).or_insert(Money::ZERO) += balance.total(),
            }
        }
        let currency = sums.iter().position(|sum| *sum != Money::ZERO);
        let unbalanced = currency.map(|at| CurrencyId::from_index(at).into());
        let claim = || claims.into_iter().find(|(_, sum)| *sum != Money::ZERO).map(|(asset, _)| asset);
        unbalanced.or_else(claim).map(BrokenLaw::NotBalanced)
    }

    /// Whether an available balance may go below zero: only those of house accounts opened with that right, and the claims that an
    /// escrow has issued.
    pub(super) fn may_be_negative(&self, Owner { account, asset }: Owner) -> bool {
        if account.is_escrow() {
            return asset.as_claim().is_some();
        }
        self.houses.iter().any(|house| house.account == account && house.may_be_negative)
    }
}

/// Whether the amounts sum to zero in each asset. The search is quadratic, since entries are short.
pub(super) fn is_balanced(entry: &[Posting]) -> bool {
    entry.iter().all(|posting| {
        let of_asset = entry.iter().filter(|other| other.asset == posting.asset);
        of_asset.map(|other| other.amount).sum::<Money>() == Money::ZERO
    })
}
