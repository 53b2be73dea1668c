//! The own money of groups with open advances (D-266): while it covers the advances and debts, nothing that the group gives up counts.
//!
//! Own money is the sum of D-181 (b), over the group's accounts of what each has beyond its loans, without what orders and transfers hold:
//! that may be on its way out. It is found once for a plan, and each deal of the plan takes from it what the deal loses.

use crate::Desks;
use alloc::collections::{BTreeMap, BTreeSet};
use buttonwood_leave::Worth;
use buttonwood_model::{AccountId, CurrencyId, GroupId, LOOKS_OF_COMMAND};
use buttonwood_num::Money;

/// Accounts and balances that are read for a group's own money, and orders for the references of its currencies: beyond that many, what was
/// not read counts nothing. The last reference may read 5,000 more (D-257).
pub(crate) const ROWS_MAX: usize = LOOKS_OF_COMMAND / 4;

/// The part of a group's own money that a deal takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Take {
    /// In dollars, at most, without the fee.
    pub(crate) amount: Money,
    pub(crate) account: AccountId,
    /// Whether all of the account's money is bound from then on: it has a position of a perpetual.
    pub(crate) binds: bool,
}

/// The own money of a group before a command, in dollars.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    /// Of each account, above zero.
    accounts: BTreeMap<AccountId, Money>,
    /// Of all of them.
    sum: Money,
    /// The group's advances and debts.
    needed: Money,
}

/// The part of a group's own money that the deals of a command take.
#[derive(Clone, Debug, Default)]
struct Taken {
    amount: Money,
    bound: BTreeSet<AccountId>,
    own: Option<Own>,
}

/// The own money of each group that takes part in a command, found when it is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spares(BTreeMap<GroupId, Taken>);

impl Spares {
    /// Whether a group's own money covers its advances and debts after one more deal. `find` computes the money before the command.
    pub(crate) fn cover(&mut self, group: GroupId, take: Take, find: impl FnOnce() -> Own) -> bool {
        let Taken { amount, bound, own } = self.0.entry(group).or_default();
        let own = own.get_or_insert_with(|| find().without(bound));
        let sum = if take.binds { own.sum_without(take.account) } else { own.sum };
        let left = sum.checked_sub(amount.capped_add(take.amount));
        left.is_some_and(|left| left >= own.needed)
    }

    /// Notes that a deal is done.
    pub(crate) fn note(&mut self, group: GroupId, take: Take) {
        let taken = self.0.entry(group).or_default();
        taken.amount = taken.amount.capped_add(take.amount);
        if take.binds
            && taken.bound.insert(take.account)
            && let Some(own) = &mut taken.own
        {
            own.bind(take.account);
        }
    }
}

impl Own {
    fn new(accounts: BTreeMap<AccountId, Money>, needed: Money) -> Self {
        let sum = accounts.values().fold(Money::ZERO, |sum, money| sum.capped_add(*money));
        Self { accounts, sum, needed }
    }

    /// The same without the accounts that are bound.
    fn without(mut self, bound: &BTreeSet<AccountId>) -> Self {
        self.accounts.retain(|account, _| !bound.contains(account));
        Self::new(self.accounts, self.needed)
    }

    /// The sum once an account is bound. It is added anew, since a sum at the edge of the range says nothing of its parts.
    fn sum_without(&self, bound: AccountId) -> Money {
        if !self.accounts.contains_key(&bound) {
            return self.sum;
        }
        let free = self.accounts.iter().filter(|(account, _)| **account != bound);
        free.fold(Money::ZERO, |sum, (_, money)| sum.capped_add(*money))
    }

    fn bind(&mut self, account: AccountId) {
        self.sum = self.sum_without(account);
        self.accounts.remove(&account);
    }
}

impl Desks {
    /// The own money of a group; `worth` says what its currencies count.
    pub(crate) fn own_money(&self, group: GroupId, mut worth: impl FnMut(CurrencyId) -> Worth) -> Own {
        let (mut accounts, mut rows) = (BTreeMap::new(), 0);
        for account in self.members_of(group) {
            let mut sum = Money::ZERO;
            rows += 1;
            for (currency, balance) in self.ledger.balances_of(*account) {
                rows += 1;
                if balance.available > Money::ZERO && rows <= ROWS_MAX {
                    sum = sum.capped_add(worth(currency).of(balance.available));
                }
            }
            let money = sum.checked_sub(self.liabilities(*account)).unwrap_or(Money::ZERO);
            if money > Money::ZERO {
                accounts.insert(*account, money);
            }
            if rows > ROWS_MAX {
                break;
            }
        }
        self.looks.note(rows);
        let needed = self.advances.of(group).map_or(Money::ZERO, |open| open.amount.capped_add(open.owed()));
        Own::new(accounts, needed)
    }

    /// The loans of an account. Collateral of positions or live orders of perpetuals covers no advance, since funding and losses are paid
    /// out of it: such an account has nothing of its own.
    pub(crate) fn liabilities(&self, account: AccountId) -> Money {
        let borrowed = self.spot_margin.owed(account);
        let Some(gusd) = self.ledger.gusd().filter(|_| self.is_derivatives(account)) else { return borrowed };
        if self.perps.is_active(account) {
            return Money::MAX;
        }
        borrowed.capped_add(self.perps.owed(account, gusd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: GroupId = GroupId(3);

    fn dollars(amount: i128) -> Money {
        Money::from_units(amount * Money::ONE.units())
    }

    /// Deals take from the own money until no more than the advances is left; the last unit counts, and a position binds its account.
    #[test]
    fn deals_take_what_is_spare() {
        let [ann, bob] = [AccountId(8), AccountId(9)];
        let own = || Own::new(BTreeMap::from([(ann, dollars(70)), (bob, dollars(50))]), dollars(20));
        let take = |amount, account, binds| Take { amount, account, binds };
        let mut spares = Spares::default();
        assert!(spares.cover(GROUP, take(dollars(100), ann, false), own));
        assert!(!spares.cover(GROUP, take(dollars(100) + Money::from_units(1), ann, false), own));
        spares.note(GROUP, take(dollars(15), bob, false));
        assert!(spares.cover(GROUP, take(dollars(85), ann, false), own));
        assert!(!spares.cover(GROUP, take(dollars(86), ann, false), own));
        assert!(spares.cover(GROUP, take(dollars(15), ann, true), own), "bob has 50, of which 15 are gone");
        assert!(!spares.cover(GROUP, take(dollars(16), ann, true), own));
        spares.note(GROUP, take(Money::ZERO, bob, true));
        assert!(spares.cover(GROUP, take(dollars(35), ann, false), own));
        assert!(!spares.cover(GROUP, take(Money::ZERO, ann, true), own), "nothing is free");
    }
}
