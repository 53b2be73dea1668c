//! The open advances of banks by group (D-75, D-181) and the debts of returned ones, in dollars, and what their groups have given up.
//!
//! Other rooms keep the rows of the advances and the debts; this table is what orders and conversions read of them. A debt stands in the
//! place of its advance, so a return changes nothing of what the group may do: else another account could give away the money the
//! moment that the bank takes it back. The table is empty while no group has either, and
//! then costs one check.

use alloc::collections::BTreeMap;
use buttonwood_model::{AccountId, Fingerprint, GroupId, RowHash};
use buttonwood_num::{Bps, Money, Round};
use serde::{Deserialize, Serialize};

/// The most open advances of a group, in dollars, until operators set another limit.
pub const LIMIT: Money = Money::from_units(25_000 * Money::ONE.units());
/// The part of its open advances that a group may give up.
pub const GIVEN_UP_MAX: Bps = Bps(500);
/// The whole, in basis points.
const WHOLE: i128 = 10_000;

/// A group's row, as fingerprints have it.
const ROW: RowHash = RowHash::of("advances");

/// The open advances and debts of every group that has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advances {
    groups: BTreeMap<GroupId, Open>,
    limit: Money,
    fingerprint: Fingerprint,
}

/// The open advances and debts of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// The sum of the advances, in dollars.
    pub amount: Money,
    /// The sum and the number of those of each account.
    accounts: BTreeMap<AccountId, (Money, u32)>,
    /// The group's losses against the index since it had neither.
    pub given_up: Money,
    /// The debts of each account for returned advances; always above zero.
    debts: BTreeMap<AccountId, Money>,
}

impl Default for Advances {
    fn default() -> Self {
        Self { groups: BTreeMap::new(), limit: LIMIT, fingerprint: Fingerprint::default() }
    }
}

impl Open {
    /// The open advances of an account of the group, in dollars.
    pub fn of_account(&self, account: AccountId) -> Money {
        self.accounts.get(&account).map_or(Money::ZERO, |(amount, _)| *amount)
    }

    /// The debts of the group's accounts for returned advances, in dollars.
    pub fn owed(&self) -> Money {
        self.debts.values().fold(Money::ZERO, |sum, owed| sum.capped_add(*owed))
    }

    /// The debts of an account for returned advances, in dollars.
    pub fn owed_by(&self, account: AccountId) -> Money {
        self.debts.get(&account).copied().unwrap_or(Money::ZERO)
    }

    /// Whether the group may give up this much more.
    pub fn may_give_up(&self, more: Money) -> bool {
        let most = self.amount.capped_add(self.owed()).mul_div(GIVEN_UP_MAX.get(), WHOLE, Round::Down);
        more == Money::ZERO || most.is_some_and(|most| self.given_up.capped_add(more) <= most)
    }
}

impl Advances {
    /// The part of a fingerprint that covers this table.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint.part("advances")
    }

    /// Adds a group's row, which has changed, to the fingerprint.
    fn note(&mut self, group: GroupId) {
        let mut row = ROW.word(group.0.into());
        if let Some(open) = self.groups.get(&group) {
            row = row.money(open.amount).money(open.given_up).money(open.owed());
        }
        self.fingerprint.add(row);
    }

    /// Whether no group has an open advance or a debt.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The groups that have open advances or debts.
    pub fn groups(&self) -> impl Iterator<Item = GroupId> {
        self.groups.keys().copied()
    }

    /// The open advances and debts of a group; none if it has neither.
    pub fn of(&self, group: GroupId) -> Option<&Open> {
        self.groups.get(&group)
    }

    /// The most open advances of a group, in dollars.
    pub fn limit(&self) -> Money {
        self.limit
    }

    /// Whether a further advance to a group fits; none does while the group owes for a returned one.
    pub fn fits(&self, group: GroupId, amount: Money) -> bool {
        let Some(open) = self.of(group) else { return amount <= self.limit };
        open.debts.is_empty() && open.amount.capped_add(amount) <= self.limit
    }

    /// Sets the most open advances of a group. Advances that are open stay.
    pub fn set_limit(&mut self, limit: Money) {
        self.limit = limit;
    }

    /// Adds an advance to an account of a group.
    pub fn add(&mut self, group: GroupId, account: AccountId, amount: Money) {
        let open = self.groups.entry(group).or_default();
        open.amount = open.amount.capped_add(amount);
        let (sum, count) = open.accounts.entry(account).or_default();
        *sum = sum.capped_add(amount);
        *count = count.saturating_add(1);
        self.note(group);
    }

    /// Notes what an account of a group owes for returned advances from now on, in dollars.
    pub fn note_debt(&mut self, group: GroupId, account: AccountId, owed: Money) {
        if owed > Money::ZERO {
            self.groups.entry(group).or_default().debts.insert(account, owed);
        } else if let Some(open) = self.groups.get_mut(&group) {
            open.debts.remove(&account);
            self.drop_empty(group);
        }
        self.note(group);
    }

    /// Takes out an advance that has cleared or was returned; a debt that it leaves is noted before.
    pub fn end(&mut self, group: GroupId, account: AccountId, amount: Money) {
        let Some(open) = self.groups.get_mut(&group) else { return };
        let Some((sum, count)) = open.accounts.get_mut(&account) else { return };
        open.amount = open.amount.checked_sub(amount).unwrap_or(Money::ZERO);
        *sum = sum.checked_sub(amount).unwrap_or(Money::ZERO);
        *count = count.saturating_sub(1);
        if *count == 0 {
            open.accounts.remove(&account);
        }
        self.drop_empty(group);
        self.note(group);
    }

    /// With the last advance and debt the group's account of what it gave up ends.
    fn drop_empty(&mut self, group: GroupId) {
        if self.groups.get(&group).is_some_and(|open| open.accounts.is_empty() && open.debts.is_empty()) {
            self.groups.remove(&group);
        }
    }

    /// Notes what a group has given up.
    pub fn note_given_up(&mut self, group: GroupId, amount: Money) {
        if let Some(open) = self.groups.get_mut(&group) {
            open.given_up = open.given_up.capped_add(amount);
            self.note(group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: GroupId = GroupId(3);
    const ANN: AccountId = AccountId(8);

    fn dollars(amount: i128) -> Money {
        Money::from_units(amount * Money::ONE.units())
    }

    /// Advances fit up to the limit, the last cent included, and what has ended makes room.
    #[test]
    fn advances_fit_up_to_the_limit() {
        let mut advances = Advances::default();
        assert!(advances.fits(GROUP, dollars(25_000)));
        advances.add(GROUP, ANN, dollars(20_000));
        assert!(advances.fits(GROUP, dollars(5_000)));
        assert!(!advances.fits(GROUP, dollars(5_000) + Money::from_units(1)));
        assert!(advances.fits(GroupId(4), dollars(25_000)));
        advances.set_limit(dollars(10_000));
        assert!(!advances.fits(GROUP, dollars(1)) && advances.of(GROUP).is_some());
        advances.end(GROUP, ANN, dollars(20_000));
        assert!(advances.fits(GROUP, dollars(10_000)) && !advances.fits(GROUP, dollars(10_001)));
    }

    /// A replay that notes another advance, loss, debt or end than the live run has another fingerprint (INV-LEDGER-7).
    #[test]
    fn a_row_that_differs_shows() {
        let after = |added: i128, given_up: i128, owed: i128, ended: i128| {
            let mut advances = Advances::default();
            advances.add(GROUP, ANN, dollars(added));
            advances.note_given_up(GROUP, dollars(given_up));
            advances.note_debt(GROUP, ANN, dollars(owed));
            advances.end(GROUP, ANN, dollars(ended));
            advances.fingerprint()
        };
        let live = after(600, 30, 5, 200);
        assert_eq!(after(600, 30, 5, 200), live);
        let others =
            [after(601, 30, 5, 200), after(600, 31, 5, 200), after(600, 30, 6, 200), after(600, 30, 5, 201)];
        assert!(!others.contains(&live));
    }

    /// A group may give up 5 % of its open advances; with the last of them the account of it ends.
    #[test]
    fn a_group_gives_up_a_twentieth() {
        let mut advances = Advances::default();
        advances.add(GROUP, ANN, dollars(600));
        advances.add(GROUP, ANN, dollars(400));
        let of = |advances: &Advances| advances.of(GROUP).unwrap().clone();
        assert!(of(&advances).may_give_up(dollars(50)) && !of(&advances).may_give_up(dollars(51)));
        advances.note_given_up(GROUP, dollars(30));
        assert!(of(&advances).may_give_up(dollars(20)) && !of(&advances).may_give_up(dollars(21)));
        advances.end(GROUP, ANN, dollars(600));
        assert_eq!((of(&advances).amount, of(&advances).given_up), (dollars(400), dollars(30)));
        // It is beyond its part now: what gives up nothing passes.
        assert!(of(&advances).may_give_up(Money::ZERO) && !of(&advances).may_give_up(Money::from_units(1)));
        advances.end(GROUP, ANN, dollars(400));
        assert!(advances.is_empty());
        advances.add(GROUP, ANN, dollars(100));
        assert_eq!(of(&advances).given_up, Money::ZERO);
    }
}
