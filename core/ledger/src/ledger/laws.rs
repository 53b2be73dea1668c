//! What is true of all balances, and of every entry.

use super::Ledger;
use crate::{House, Posting};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;

/// What [`Ledger::broken_law`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenLaw {
    /// The currency's balances do not sum to zero.
    NotBalanced(CurrencyId),
    /// The account owes the currency.
    BelowZero(AccountId, CurrencyId),
}

impl Ledger {
    /// The first currency whose balances do not sum to zero, or the first account below zero: none, ever
    /// (INV-LEDGER-2, INV-LEDGER-3).
    pub fn broken_law(&self) -> Option<BrokenLaw> {
        let mut sums: Vec<Money> = alloc::vec![Money::ZERO; usize::from(self.currencies)];
        for (balance, owner) in self.balances.iter().zip(&self.owners) {
            let below = balance.held.is_negative() || balance.available.is_negative();
            if below && owner.account != House::Source.account() {
                return Some(BrokenLaw::BelowZero(owner.account, owner.currency));
            }
            if let Some(sum) = sums.get_mut(owner.currency.index()) {
                *sum += balance.total();
            }
        }
        let unbalanced = sums.iter().position(|sum| *sum != Money::ZERO)?;
        Some(BrokenLaw::NotBalanced(CurrencyId::from_index(unbalanced)))
    }
}

/// Whether the amounts sum to zero in each currency; an entry names two currencies at most.
pub(super) fn is_balanced(entry: &[Posting]) -> bool {
    let Some(first) = entry.first() else { return true };
    let mut sums = (Money::ZERO, Money::ZERO);
    let mut second = None;
    for posting in entry {
        if posting.currency == first.currency {
            sums.0 += posting.amount;
        } else if *second.get_or_insert(posting.currency) == posting.currency {
            sums.1 += posting.amount;
        } else {
            return false;
        }
    }
    sums == (Money::ZERO, Money::ZERO)
}
