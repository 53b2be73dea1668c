//! The checks.

use crate::{Rooms, Worth};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;

/// Why an amount may not leave an account. The variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// The account owes the house for a returned advance (D-167).
    Debt,
    /// Less than the amount is available beyond the advances in its currency.
    TooLittle,
    /// The group would be worth less than its advances (D-181).
    Advances,
}

/// The amounts that may leave accounts, as of now.
#[derive(Clone, Copy, Debug)]
pub struct Leave<'a> {
    /// Every balance.
    pub ledger: &'a Ledger,
    /// The money that the rooms keep in accounts.
    pub rooms: &'a dyn Rooms,
}

/// A group with an advance or a debt of a returned one.
#[derive(Clone, Debug)]
struct Group {
    /// The own money of each account beyond its loans, in dollars; may be negative.
    own: Vec<(AccountId, Money)>,
    /// Advances and debts; none if an advance has no price and is not where it came.
    needed: Option<Money>,
}

/// The amounts that may leave one account.
#[derive(Clone, Debug)]
pub struct Free<'a> {
    leave: Leave<'a>,
    account: AccountId,
    is_in_debt: bool,
    group: Option<Group>,
}

impl Free<'_> {
    /// The amount of a currency that may leave, as [`Leave::free`].
    pub fn free(&self, currency: CurrencyId) -> Money {
        if self.is_in_debt {
            return Money::ZERO;
        }
        let own = self.leave.own(self.account, currency);
        let most = self.group.as_ref().and_then(|group| self.leave.most(group, self.account, currency));
        most.map_or(own, |most| most.min(own))
    }
}

impl<'a> Leave<'a> {
    /// The amount that may leave the account: its available balance without advances (BAL-005), no more than its product and the
    /// advances of its group let go, and nothing while it owes for a returned one.
    pub fn free(&self, account: AccountId, currency: CurrencyId) -> Money {
        self.of(account).free(currency)
    }

    /// The amounts that may leave an account, for any number of currencies: its group is summed once.
    pub fn of(self, account: AccountId) -> Free<'a> {
        let is_in_debt = !self.rooms.debts(account).is_empty();
        let group = if is_in_debt { None } else { self.group(account) };
        Free { leave: self, account, is_in_debt, group }
    }

    /// Whether an amount may leave an account, for another account `to` of its group or for good.
    ///
    /// # Errors
    /// [`Short`].
    pub fn check(
        &self,
        account: AccountId,
        (currency, amount): (CurrencyId, Money),
        to: Option<AccountId>,
    ) -> Result<(), Short> {
        if !self.rooms.debts(account).is_empty() {
            return Err(Short::Debt);
        }
        if self.own(account, currency) < amount {
            return Err(Short::TooLittle);
        }
        let Some(group) = self.group(account) else { return Ok(()) };
        let is_covered = match to {
            Some(to) => group.covers_move((account, to), self.rooms.worth(account, currency).of(amount)),
            None => self.most(&group, account, currency).is_none_or(|most| amount <= most),
        };
        if is_covered { Ok(()) } else { Err(Short::Advances) }
    }

    /// Whether an account may convert an amount into another currency: its product must let go what it gives (D-165), except for
    /// `dollar`, which repays what it owes. The available balance is the conversion's own check.
    pub fn may_convert(
        &self,
        account: AccountId,
        (currency, amount): (CurrencyId, Money),
        (gets, dollar): (CurrencyId, Option<CurrencyId>),
    ) -> bool {
        Some(gets) == dollar || self.rooms.most(account, currency).is_none_or(|most| amount <= most)
    }

    /// The amount that the account itself lets go: available without the advances in the currency, as far as its product lets go.
    fn own(&self, account: AccountId, currency: CurrencyId) -> Money {
        let available = self.ledger.balance(account, currency).available;
        let advanced = self.rooms.bound(account, currency).advanced;
        let own = if advanced >= available { Money::ZERO } else { available - advanced };
        self.rooms.most(account, currency).map_or(own, |most| most.min(own))
    }

    /// The sums of the account's group; none if it has neither advances nor debts of returned ones.
    fn group(&self, account: AccountId) -> Option<Group> {
        let members = self.rooms.group_in_advance(account);
        if members.is_empty() {
            return None;
        }
        let mut group = Group { own: Vec::new(), needed: Some(Money::ZERO) };
        // A currency counts the same for all members.
        let mut worths: BTreeMap<CurrencyId, Worth> = BTreeMap::new();
        let mut worth =
            |currency| *worths.entry(currency).or_insert_with(|| self.rooms.worth(account, currency));
        for member in members {
            let mut assets = Money::ZERO;
            for (currency, balance) in self.ledger.balances_of(member) {
                let (of_rows, worth) = (self.rooms.bound(member, currency), worth(currency));
                // Money that transfers hold is on its way out.
                let stays = balance.total().checked_sub(of_rows.held).unwrap_or(Money::ZERO);
                assets = assets.capped_add(worth.of(stays));
                let needed = match worth {
                    // It counts nothing, and what is there of the advance covers it.
                    Worth::Nothing if of_rows.advanced <= stays => Some(Money::ZERO),
                    Worth::Nothing => None,
                    Worth::Dollar | Worth::Index(_) => Some(worth.of(of_rows.advanced)),
                };
                group.need(needed);
            }
            for (currency, owed) in self.rooms.debts(member) {
                group.need(Some(worth(currency).of(owed)));
            }
            let own = assets.checked_sub(self.rooms.liabilities(member)).unwrap_or(Money::ZERO);
            group.own.push((member, own));
        }
        Some(group)
    }

    /// The most of a currency that may leave an account for good; none if its group's advances do not bound that.
    fn most(&self, group: &Group, account: AccountId, currency: CurrencyId) -> Option<Money> {
        let Some(needed) = group.needed else { return Some(Money::ZERO) };
        let (mut others, mut own) = (Money::ZERO, Money::ZERO);
        for (member, worth) in &group.own {
            if *member == account {
                own = *worth;
            } else {
                others = others.capped_add((*worth).max(Money::ZERO));
            }
        }
        let stays = needed.checked_sub(others).unwrap_or(Money::ZERO);
        if stays <= Money::ZERO {
            return None;
        }
        let spare = own.checked_sub(stays).unwrap_or(Money::ZERO);
        if spare.is_negative() {
            return Some(Money::ZERO);
        }
        self.rooms.worth(account, currency).most_within(spare)
    }
}

impl Group {
    fn need(&mut self, more: Option<Money>) {
        self.needed = self.needed.zip(more).map(|(needed, more)| needed.capped_add(more));
    }

    /// Whether advances and debts stay covered when this many dollars move from one account to another one.
    fn covers_move(&self, (from, to): (AccountId, AccountId), value: Money) -> bool {
        let mut sum = Money::ZERO;
        for (member, own) in &self.own {
            let after = match *member {
                member if member == from => own.checked_sub(value).unwrap_or(Money::ZERO),
                member if member == to => own.capped_add(value),
                _ => *own,
            };
            sum = sum.capped_add(after.max(Money::ZERO));
        }
        self.needed.is_some_and(|needed| sum >= needed)
    }
}

#[cfg(test)]
mod tests;
