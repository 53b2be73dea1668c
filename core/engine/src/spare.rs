//! The own money of groups with open advances (D-266): while it covers the advances and debts, nothing that the group gives up counts.
//!
//! Own money is the sum of D-181 (b), over the group's accounts of what each has beyond its loans, without what orders and transfers hold:
//! that may be on its way out. It is found once in a command, and each deal of the command takes from it what the deal loses.

use crate::Desks;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_leave::Worth;
use buttonwood_model::{AccountId, CurrencyId, GroupId};
use buttonwood_num::Money;

/// The part of a group's own money that a deal takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Take {
    /// In dollars, at most.
    pub(crate) amount: Money,
    pub(crate) account: AccountId,
    /// Whether all of the account's money is bound from then on: it has a position of a perpetual.
    pub(crate) binds: bool,
}

/// The own money of a group before a command, in dollars.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    /// Of each account, above zero.
    accounts: Vec<(AccountId, Money)>,
    /// The group's advances and debts.
    needed: Money,
}

/// The part of a group's own money that the deals of a command take.
#[derive(Clone, Debug, Default)]
struct Taken {
    amount: Money,
    bound: Vec<AccountId>,
    own: Option<Own>,
}

/// The own money of each group that takes part in a command, found when it is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spares(BTreeMap<GroupId, Taken>);

impl Spares {
    /// Whether a group's own money covers its advances and debts after one more deal. `find` computes the money before the command.
    pub(crate) fn cover(&mut self, group: GroupId, take: Take, find: impl FnOnce() -> Own) -> bool {
        let Taken { amount, bound, own } = self.0.entry(group).or_default();
        let own = own.get_or_insert_with(find);
        let is_bound =
            |account: &AccountId| bound.contains(account) || take.binds && *account == take.account;
        let free = own.accounts.iter().filter(|(account, _)| !is_bound(account));
        let sum = free.fold(Money::ZERO, |sum, (_, money)| sum.capped_add(*money));
        let left = sum.checked_sub(amount.capped_add(take.amount));
        left.is_some_and(|left| left >= own.needed)
    }

    /// Notes that a deal is done.
    pub(crate) fn note(&mut self, group: GroupId, take: Take) {
        let taken = self.0.entry(group).or_default();
        taken.amount = taken.amount.capped_add(take.amount);
        if take.binds && !taken.bound.contains(&take.account) {
            taken.bound.push(take.account);
        }
    }
}

impl Desks {
    /// The own money of a group; `worth` says what its currencies count.
    pub(crate) fn own_money(&self, group: GroupId, mut worth: impl FnMut(CurrencyId) -> Worth) -> Own {
        let members = self.members_of(group);
        let mut rows = members.len();
        let mut own = |account: &AccountId| {
            let mut sum = Money::ZERO;
            for (currency, balance) in self.ledger.balances_of(*account) {
                rows += 1;
                sum = sum.capped_add(worth(currency).of(balance.available));
            }
            let money = sum.checked_sub(self.liabilities(*account)).unwrap_or(Money::ZERO);
            (money > Money::ZERO).then_some((*account, money))
        };
        let accounts = members.iter().filter_map(&mut own).collect();
        self.looks.note(rows);
        let needed = self.advances.of(group).map_or(Money::ZERO, |open| open.amount.capped_add(open.owed()));
        Own { accounts, needed }
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
    use alloc::vec;

    const GROUP: GroupId = GroupId(3);

    fn dollars(amount: i128) -> Money {
        Money::from_units(amount * Money::ONE.units())
    }

    /// Deals take from the own money until no more than the advances is left; the last unit counts, and a position binds its account.
    #[test]
    fn deals_take_what_is_spare() {
        let [ann, bob] = [AccountId(8), AccountId(9)];
        let own = || Own { accounts: vec![(ann, dollars(70)), (bob, dollars(50))], needed: dollars(20) };
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
