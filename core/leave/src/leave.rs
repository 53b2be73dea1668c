//! The checks.

use crate::{Rooms, Worth};
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;
use buttonwood_ledger::Ledger;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::Money;
use core::cell::{Cell, RefCell};

/// The amount of a command that takes all that there is: its decision replaces it by an amount, so no event has it. No account can have so
/// much.
pub const ALL: Money = Money::MAX;

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
    /// The worth of each currency that the group has.
    worths: BTreeMap<CurrencyId, Worth>,
    /// The number of balances that were read.
    rows: usize,
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

    /// All of a currency that may leave an account, for another account `to` of its group or for good.
    ///
    /// # Errors
    /// [`Short`]: nothing may.
    pub fn all(
        &self,
        account: AccountId,
        currency: CurrencyId,
        to: Option<AccountId>,
    ) -> Result<Money, Short> {
        if !self.rooms.debts(account).is_empty() {
            return Err(Short::Debt);
        }
        let own = self.own(account, currency);
        if own <= Money::ZERO {
            return Err(Short::TooLittle);
        }
        if self.check(account, (currency, own), to).is_ok() {
            return Ok(own);
        }
        let free = self.free(account, currency);
        if free > Money::ZERO { Ok(free) } else { Err(Short::Advances) }
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
        let mut group = Group {
            own: Vec::new(),
            needed: Some(Money::ZERO),
            worths: BTreeMap::new(),
            rows: members.len(),
        };
        for member in members {
            let mut assets = Money::ZERO;
            for (currency, balance) in self.ledger.balances_of(member) {
                let of_rows = self.rooms.bound(member, currency);
                let worth = group.found_worth(self.rooms, account, currency);
                group.rows = group.rows.saturating_add(1);
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
                let worth = group.found_worth(self.rooms, account, currency);
                group.need(Some(worth.of(owed)));
            }
            let own = assets.checked_sub(self.rooms.liabilities(member)).unwrap_or(Money::ZERO);
            group.own.push((member, own));
        }
        self.rooms.note_looks(group.rows);
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
        let known = group.worths.get(&currency).copied();
        known.unwrap_or_else(|| self.rooms.worth(account, currency)).most_within(spare)
    }
}

impl Group {
    /// The worth of a currency, which counts the same for all members and is found once: an index reads a book.
    fn found_worth(&mut self, rooms: &dyn Rooms, member: AccountId, currency: CurrencyId) -> Worth {
        *self.worths.entry(currency).or_insert_with(|| rooms.worth(member, currency))
    }

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

/// The amounts that may leave accounts, each group summed and each balance read once, for a command that looks at many of them.
#[derive(Debug)]
pub struct Once<'a> {
    leave: Leave<'a>,
    groups: RefCell<BTreeMap<AccountId, Rc<Option<Group>>>>,
    free: RefCell<BTreeMap<(AccountId, CurrencyId), Money>>,
    rows: Cell<usize>,
}

impl<'a> Once<'a> {
    /// The amounts as they are now; the state must not change while this lives.
    pub fn new(leave: Leave<'a>) -> Self {
        Self { leave, groups: RefCell::default(), free: RefCell::default(), rows: Cell::new(0) }
    }

    /// The amount that may leave an account, as [`Leave::free`].
    pub fn free(&self, account: AccountId, currency: CurrencyId) -> Money {
        let key = (account, currency);
        if let Some(free) = self.free.borrow().get(&key) {
            return *free;
        }
        let free = self.found(account, currency);
        self.free.borrow_mut().insert(key, free);
        free
    }

    /// The number of balances and accounts that were read.
    pub fn rows(&self) -> usize {
        self.rows.get()
    }

    fn found(&self, account: AccountId, currency: CurrencyId) -> Money {
        self.count(1);
        if !self.leave.rooms.debts(account).is_empty() {
            return Money::ZERO;
        }
        let own = self.leave.own(account, currency);
        let group = self.group(account);
        let most = group.as_ref().as_ref().and_then(|group| self.leave.most(group, account, currency));
        most.map_or(own, |most| most.min(own))
    }

    fn group(&self, account: AccountId) -> Rc<Option<Group>> {
        if let Some(group) = self.groups.borrow().get(&account) {
            return Rc::clone(group);
        }
        let group = Rc::new(self.leave.group(account));
        let mut groups = self.groups.borrow_mut();
        groups.insert(account, Rc::clone(&group));
        if let Some(sums) = group.as_ref() {
            self.count(sums.rows);
            groups.extend(sums.own.iter().map(|(member, _)| (*member, Rc::clone(&group))));
        }
        group
    }

    fn count(&self, rows: usize) {
        self.rows.set(self.rows.get().saturating_add(rows));
    }
}

#[cfg(test)]
mod tests;
