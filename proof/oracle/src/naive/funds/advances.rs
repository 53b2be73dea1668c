//! The losses of a group with advances of banks in its deals (D-181), and the credits that wait.

use super::super::reserve::int;
use super::Naive;
use buttonwood_engine::TransferStatus;
use buttonwood_model::{AccountId, CurrencyId, GroupId};
use buttonwood_num::{Money, Price, Qty, Round};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most open advances of a group: 25,000 dollars.
const LIMIT: i128 = 25_000 * 10_i128.pow(19);

/// The currencies that count a dollar each.
const DOLLARS: [&str; 4] = ["USD", "GUSD", "USDC", "USDT"];

/// The worth of each currency to a group, as of one moment.
pub(in crate::naive) struct Worths {
    dollars: Vec<bool>,
    indices: Vec<Option<Money>>,
}

/// The loss of a group in a deal, in dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::naive) struct Lost {
    /// At the whole index: what counts to the bound.
    pub(in crate::naive) amount: i128,
    /// Of what the group owns, where coins count nine tenths.
    taken: i128,
}

/// The group may not lose this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::naive) struct Beyond;

/// The losses in a deal or several, by group.
pub(in crate::naive) type Losses = BTreeMap<GroupId, Lost>;

/// The amount that each group with advances could still lose and pay them back.
pub(in crate::naive) type Spares = BTreeMap<GroupId, i128>;

impl Worths {
    pub(super) fn is_nothing(&self, currency: CurrencyId) -> bool {
        !self.dollars[currency.index()] && self.indices[currency.index()].is_none()
    }

    /// The full value of an amount.
    fn full(&self, currency: CurrencyId, amount: i128, round: Round) -> i128 {
        if self.dollars[currency.index()] {
            return amount;
        }
        let index = self.indices[currency.index()];
        index.map_or(0, |index| Money::from_units(amount).times(index, round).unwrap().units())
    }

    /// The value of an amount against advances: nine tenths of its index.
    pub(super) fn cautious(&self, currency: CurrencyId, amount: i128) -> i128 {
        let full = self.full(currency, amount, Round::Down);
        if self.dollars[currency.index()] { full } else { full * 9 / 10 }
    }
}

impl Naive {
    /// The worth of currencies to the group of an account.
    pub(in crate::naive) fn worths(&self, account: AccountId) -> Worths {
        let dollars = self.funds.codes.iter().map(|code| DOLLARS.contains(&code.as_str()));
        let currencies = (0..self.funds.codes.len()).map(CurrencyId::from_index);
        Worths {
            dollars: dollars.collect(),
            indices: currencies
                .map(|currency| self.reference(Some(account), currency).map(Money::from_units))
                .collect(),
        }
    }

    pub(super) fn group_of(&self, account: AccountId) -> Option<GroupId> {
        self.names.get(account.index())?.group
    }

    /// The debts of a group's accounts for returned advances, in dollars.
    fn group_owes(&self, group: GroupId) -> i128 {
        let of_group = |((account, currency), _): &(&(AccountId, CurrencyId), &i128)| {
            self.is_dollar(*currency) && self.group_of(*account) == Some(group)
        };
        self.funds.debts.iter().filter(of_group).map(|(_, owed)| *owed).sum()
    }

    pub(in crate::naive) fn is_dollar(&self, currency: CurrencyId) -> bool {
        DOLLARS.contains(&self.funds.codes[currency.index()].as_str())
    }

    /// The open advances and debts of a group in dollars; none if it has neither.
    fn open_advances(&self, group: GroupId) -> Option<i128> {
        let of_group = |row: &&super::Row| {
            row.is_bank_advance()
                && Some(row.currency) == self.dollar
                && self.group_of(row.account) == Some(group)
        };
        let amounts: Vec<i128> = self.funds.rows.iter().filter(of_group).map(|row| row.amount).collect();
        let owed = self.group_owes(group);
        (!amounts.is_empty() || owed > 0).then(|| amounts.iter().sum::<i128>() + owed)
    }

    /// Whether an account's group has open advances or debts of returned ones.
    pub(in crate::naive) fn has_advances(&self, account: AccountId) -> bool {
        self.group_of(account).is_some_and(|group| self.open_advances(group).is_some())
    }

    /// Whether a credit is advanced at once; none is while the group owes for a returned one.
    pub(super) fn fits(&self, account: AccountId, currency: CurrencyId, amount: i128) -> bool {
        let group = self.group_of(account);
        let open = group.and_then(|group| self.open_advances(group)).unwrap_or(0);
        let owed = group.map_or(0, |group| self.group_owes(group));
        Some(currency) == self.dollar && owed == 0 && open + amount <= LIMIT
    }

    /// An advance or a debt has ended: a group with neither has given up nothing, and what waits and fits is advanced.
    pub(super) fn after_advance(&mut self) {
        let groups: Vec<GroupId> = self.funds.given_up.keys().copied().collect();
        for group in groups {
            if self.open_advances(group).is_none() {
                self.funds.given_up.remove(&group);
            }
        }
        for at in 0..self.funds.rows.len() {
            let row = self.funds.rows[at].clone();
            if row.is_queued() && self.fits(row.account, row.currency, row.amount) {
                self.funds.rows[at].status = TransferStatus::Advanced;
                self.pay(AccountId(0), row.account, row.currency, row.amount);
            }
        }
    }

    /// The losses of both parties' groups in a trade, where they differ and have advances.
    pub(in crate::naive) fn lost(
        &self,
        worths: &HashMap<Option<GroupId>, Worths>,
        pair: usize,
        [buyer, seller]: [AccountId; 2],
        (price, qty): (Price, Qty),
    ) -> [Option<(GroupId, Lost)>; 2] {
        let pair = &self.pairs[pair];
        let base = int(qty) * pair.base_unit;
        let quote = i128::from(price.ticks()) * int(qty) * pair.quote_unit;
        let [base, quote] = [(pair.base, base), (pair.quote, quote)];
        if self.group_of(buyer) == self.group_of(seller) {
            return [None, None];
        }
        let by = |account, gives, gets| self.lost_by(&worths[&self.group_of(account)], account, gives, gets);
        [by(buyer, quote, base), by(seller, base, quote)]
    }

    /// The worth of currencies to every group.
    pub(in crate::naive) fn worths_of_all(&self) -> HashMap<Option<GroupId>, Worths> {
        if !self.funds.rows.iter().any(super::Row::is_bank_advance) && self.funds.debts.is_empty() {
            let none = || Worths { dollars: Vec::new(), indices: Vec::new() };
            return self.names.iter().map(|names| (names.group, none())).collect();
        }
        let accounts = (0..self.names.len()).map(AccountId::from_index);
        accounts.map(|account| (self.group_of(account), self.worths(account))).collect()
    }

    /// The loss of the account's group in a deal, if that has advances.
    pub(in crate::naive) fn lost_by(
        &self,
        worths: &Worths,
        account: AccountId,
        gives: (CurrencyId, i128),
        gets: (CurrencyId, i128),
    ) -> Option<(GroupId, Lost)> {
        let group = self.group_of(account)?;
        self.open_advances(group)?;
        let whole = worths.full(gives.0, gives.1, Round::Up) - worths.full(gets.0, gets.1, Round::Down);
        let cautious = worths.cautious(gives.0, gives.1) - worths.cautious(gets.0, gets.1);
        let amount = whole.max(0);
        Some((group, Lost { amount, taken: cautious.max(amount) }))
    }

    /// The dollars that each group with advances has available beyond them, all coins at nine tenths.
    pub(in crate::naive) fn spares(&self) -> Spares {
        let groups: BTreeSet<GroupId> = self.names.iter().filter_map(|names| names.group).collect();
        let spare = |group: GroupId| {
            let open = self.open_advances(group)?;
            let members = (0..self.names.len()).map(AccountId::from_index);
            let members: Vec<AccountId> =
                members.filter(|member| self.group_of(*member) == Some(group)).collect();
            let worths = self.worths(*members.first()?);
            let currencies = || (0..self.funds.codes.len()).map(CurrencyId::from_index);
            let own = |member: AccountId| -> i128 {
                let worth = |it| worths.cautious(it, self.available(member, it));
                currencies().map(worth).sum()
            };
            Some((group, members.into_iter().map(own).sum::<i128>() - open))
        };
        groups.into_iter().filter_map(spare).collect()
    }

    /// The part of a loss that counts after what is planned: nothing while the group has it to spare (D-266). An error if it may not lose that.
    pub(in crate::naive) fn judge_loss(
        &self,
        spares: &Spares,
        planned: &Losses,
        lost: Option<(GroupId, Lost)>,
    ) -> Result<Option<(GroupId, Lost)>, Beyond> {
        let Some((group, lost)) = lost else { return Ok(None) };
        let planned = planned.get(&group).copied().unwrap_or_default();
        let before = planned.amount + self.funds.given_up.get(&group).unwrap_or(&0);
        if lost.amount == 0 || planned.taken + lost.taken <= spares[&group] {
            return Ok(Some((group, Lost { amount: 0, ..lost })));
        }
        let open = self.open_advances(group).unwrap();
        if before + lost.amount <= open * 5 / 100 { Ok(Some((group, lost))) } else { Err(Beyond) }
    }

    pub(in crate::naive) fn note_lost(&mut self, losses: &Losses) {
        for (group, lost) in losses.iter().filter(|(_, lost)| lost.amount > 0) {
            *self.funds.given_up.entry(*group).or_default() += lost.amount;
        }
    }
}

/// Adds what a trade takes.
pub(in crate::naive) fn add(losses: &mut Losses, lost: [Option<(GroupId, Lost)>; 2]) {
    for (group, lost) in lost.into_iter().flatten() {
        let sum = losses.entry(group).or_default();
        sum.amount += lost.amount;
        sum.taken += lost.taken;
    }
}
