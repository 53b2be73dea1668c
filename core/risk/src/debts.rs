//! The debts of accounts for returned advances of banks, in dollars: they count as borrowed in every figure of a desk (D-181).
//!
//! Derived from the debts that other rooms keep, so it is in no snapshot. Not here: how such a debt arises and is repaid.

use alloc::collections::BTreeMap;
use buttonwood_model::AccountId;
use buttonwood_num::Money;
use core::ops::Bound;

/// The debts of a desk's accounts.
#[derive(Clone, Debug, Default)]
pub struct Debts {
    /// Always above zero.
    owed: BTreeMap<AccountId, Money>,
}

impl Debts {
    /// Whether no account has such a debt.
    pub fn is_empty(&self) -> bool {
        self.owed.is_empty()
    }

    /// The debt of an account; zero without one.
    pub fn of(&self, account: AccountId) -> Money {
        self.owed.get(&account).copied().unwrap_or(Money::ZERO)
    }

    /// Notes what an account owes from now on.
    pub fn note(&mut self, account: AccountId, debt: Money) {
        if debt > Money::ZERO {
            self.owed.insert(account, debt);
        } else {
            self.owed.remove(&account);
        }
    }

    /// The accounts with a debt, after one or from the first, by their ids.
    pub fn after(&self, account: Option<AccountId>) -> impl Iterator<Item = AccountId> {
        let from = account.map_or(Bound::Unbounded, Bound::Excluded);
        self.owed.range((from, Bound::Unbounded)).map(|(account, _)| *account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// A debt is what was noted last, and one of nothing is none.
    #[test]
    fn a_debt_is_what_was_noted_last() {
        let mut debts = Debts::default();
        for (account, owed) in [(3, 5), (1, 7), (3, 6), (1, 0), (9, 1)] {
            debts.note(AccountId(account), Money::from_units(owed));
        }
        assert_eq!([1, 3, 9].map(|account| debts.of(AccountId(account)).units()), [0, 6, 1]);
        assert!(debts.after(None).eq([AccountId(3), AccountId(9)]));
        assert_eq!(debts.after(Some(AccountId(3))).collect::<Vec<_>>(), [AccountId(9)]);
        debts.note(AccountId(3), Money::ZERO);
        debts.note(AccountId(9), Money::ZERO);
        assert!(debts.is_empty());
    }
}
