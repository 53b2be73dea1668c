//! What staking must show: lists of changes of stakes, of redemptions and of rates, from which every figure is added up anew.

use crate::naive::month_of;
use buttonwood_engine::staking::{Accrued, Paid, Provider, Redeemed, Terms};
use buttonwood_model::{AccountId, CurrencyId, Day, Time};
use buttonwood_num::Money;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

const DAY: u64 = 86_400;
/// Units in one of a currency.
pub(super) const ONE: i128 = 10_i128.pow(19);

/// The second at which a day of staking ends: 20:00 of the UTC day with its number.
fn end_of(day: u64) -> u64 {
    day * DAY + 20 * 3_600
}

/// The last day that has ended at a second.
fn ended_by(second: u64) -> Option<u64> {
    (0..=second / DAY).rev().find(|day| end_of(*day) <= second)
}

/// A reason to refuse a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Kind,
    OtherTerms,
    Pair,
    Amount,
    Halted,
    Paused,
    Funds,
    Price,
    Limit,
    Staked,
    Open,
}

/// The stake of an account with a pair.
#[derive(Clone, Debug, Default)]
struct Stake {
    /// Seconds, and by how much the stake changed then.
    changes: Vec<(u64, i128)>,
    /// The seconds at which all was redeemed.
    emptied: Vec<u64>,
    interest: i128,
    /// Whether the account was closed.
    is_over: bool,
}

impl Stake {
    fn staked(&self) -> i128 {
        self.changes.iter().map(|(_, by)| by).sum()
    }

    fn before(&self, second: u64) -> i128 {
        self.changes.iter().filter(|(at, _)| *at < second).map(|(_, by)| by).sum()
    }

    /// The interest of a day at a rate.
    fn interest_of(&self, day: u64, rate: u64) -> i128 {
        if self.is_over {
            return 0;
        }
        let (begin, end) = (end_of(day).saturating_sub(DAY), end_of(day));
        let own = self.changes.iter().filter(|(at, _)| *at < end);
        let seconds: BigInt = own.map(|(at, by)| BigInt::from(*by) * (end - (*at).max(begin))).sum();
        let year = BigInt::from(10_000_u64 * 1_000_000) * (365 * DAY);
        i128::try_from(seconds * rate / year).unwrap()
    }

    /// The first second from the end of a day on at which all was redeemed.
    fn emptied_after(&self, day: u64) -> Option<u64> {
        self.emptied.iter().copied().find(|at| *at >= end_of(day))
    }

    /// Whether the interest of a day joins the stake.
    fn joins(&self, day: u64) -> bool {
        self.before(end_of(day)) > 0 && self.emptied_after(day).is_none()
    }

    /// Adds the interest of a day: it is staked from the day's end until all is redeemed (D-95, D-98), but not if it repays a debt.
    /// Returns whether it still is.
    fn pay(&mut self, day: u64, amount: i128, owes: bool) -> bool {
        let joins = self.joins(day) && !owes;
        self.interest += amount;
        if self.before(end_of(day)) > 0 && (joins || !owes || !self.joins(day)) {
            self.changes.push((end_of(day), amount));
            if let Some(at) = self.emptied_after(day) {
                self.changes.push((at, -amount));
            }
        }
        joins
    }
}

/// A redemption that is not paid in full.
#[derive(Clone, Copy, Debug)]
struct Open {
    requested: u64,
    due: u64,
    number: u64,
    account: AccountId,
    left: i128,
}

/// A day that is being paid.
#[derive(Clone, Debug)]
struct UnderWay {
    day: u64,
    paid: BTreeSet<AccountId>,
}

/// A pair of a provider and a currency.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) provider: Provider,
    pub(super) currency: CurrencyId,
    /// All terms, and when they were set.
    terms: Vec<(u64, Terms)>,
    stakes: BTreeMap<AccountId, Stake>,
    /// Who staked in which month, in units of dollars times units of coins.
    used: Vec<(AccountId, u64, BigInt)>,
    queue: Vec<Open>,
    /// What was paid out on each UTC day.
    paid_out: BTreeMap<Day, i128>,
    /// The first day that was not paid.
    next: u64,
    under_way: Option<UnderWay>,
}

impl Pair {
    pub(super) fn terms(&self) -> Terms {
        self.terms.last().unwrap().1
    }

    /// The rate of a day: the last that was set before it began, or the pair's first (D-97).
    fn rate(&self, day: u64) -> u64 {
        let begin = end_of(day).saturating_sub(DAY);
        let before = self.terms.iter().rev().find(|(at, _)| *at < begin);
        before.unwrap_or(&self.terms[0]).1.rate.0
    }

    /// The interest of a day of every account that has any. A closed account gets none.
    fn day(&self, day: u64) -> BTreeMap<AccountId, i128> {
        let rate = self.rate(day);
        let all = self.stakes.iter().map(|(account, stake)| (*account, stake.interest_of(day, rate)));
        all.filter(|(_, interest)| *interest > 0).collect()
    }

    /// What the day under way has not paid yet.
    fn reserved(&self) -> i128 {
        let Some(UnderWay { day, paid }) = &self.under_way else { return 0 };
        self.day(*day).iter().filter(|(account, _)| !paid.contains(account)).map(|(_, left)| left).sum()
    }

    fn staked(&self, account: AccountId) -> i128 {
        self.stakes.get(&account).map_or(0, Stake::staked)
    }

    fn owed(&self, account: AccountId) -> i128 {
        self.queue.iter().filter(|open| open.account == account).map(|open| open.left).sum()
    }

    /// What the terms of now allow to be paid out.
    fn allowance(&self, now: Time) -> i128 {
        let paid = self.paid_out.get(&Day::of(now)).copied().unwrap_or(0);
        self.terms().per_day.map_or(i128::MAX, |most| (most.units() - paid).max(0))
    }

    /// A shorter wait holds for redemptions that are open too.
    fn shorten(&mut self, wait: u64) {
        for open in &mut self.queue {
            open.due = open.due.min(open.requested + wait * Time::SECOND);
        }
    }

    fn has_due(&self, now: Time) -> bool {
        self.queue.iter().any(|open| open.due <= now.0)
    }

    /// What is paid at once of a redemption that is requested now.
    fn paid_at_once(&self, amount: i128, now: Time) -> i128 {
        let is_first = self.terms().wait == 0 && !self.has_due(now);
        if is_first { amount.min(self.allowance(now)) } else { 0 }
    }

    /// What may still be staked in the month, in units of dollars times units of coins.
    fn room(&self, account: AccountId, now: Time) -> BigInt {
        let own = self.used.iter().filter(|(of, month, _)| (*of, *month) == (account, month_of(now)));
        let used: BigInt = own.map(|(.., value)| value).sum();
        BigInt::from(self.terms().limit.units()) * ONE - used
    }
}

/// Every figure.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    pub(super) pairs: Vec<Pair>,
    available: BTreeMap<(AccountId, CurrencyId), i128>,
    rewards: BTreeMap<CurrencyId, i128>,
    /// What accounts owe for returned advances; more than nothing.
    debts: BTreeMap<(AccountId, CurrencyId), i128>,
    /// The last trade and the index of a coin, in dollars.
    pub(super) prices: BTreeMap<CurrencyId, [Option<i128>; 2]>,
    pub(super) halted: bool,
    pub(super) closed: BTreeSet<AccountId>,
    last: u64,
    /// Days that were paid late, and redemptions that were paid later than at once.
    pub(super) late: u64,
    pub(super) paid_later: u64,
    /// Interest that joined a stake, and interest that went to a balance.
    pub(super) interest: [u64; 2],
}

impl Books {
    pub(super) fn available(&self, account: AccountId, currency: CurrencyId) -> i128 {
        self.available.get(&(account, currency)).copied().unwrap_or(0)
    }

    /// Adds to a balance; what comes in repays a debt first.
    pub(super) fn add(&mut self, account: AccountId, currency: CurrencyId, units: i128) {
        let place = (account, currency);
        let owed = self.debts.get(&place).copied().unwrap_or(0);
        let repaid = units.clamp(0, owed);
        *self.available.entry(place).or_default() += units - repaid;
        if repaid == owed {
            self.debts.remove(&place);
        } else {
            self.debts.insert(place, owed - repaid);
        }
    }

    /// An advance is taken back; the account owes what is missing.
    pub(super) fn take_back(&mut self, account: AccountId, currency: CurrencyId, units: i128) {
        let taken = self.available(account, currency).min(units);
        *self.available.entry((account, currency)).or_default() -= taken;
        if taken < units {
            *self.debts.entry((account, currency)).or_default() += units - taken;
        }
    }

    pub(super) fn debt(&self, account: AccountId, currency: CurrencyId) -> i128 {
        self.debts.get(&(account, currency)).copied().unwrap_or(0)
    }

    /// What must be redeemed of the stakes of an account that owes, by pair: up to the debt, less what redemptions owe already (D-167).
    pub(super) fn to_recover(&self, account: AccountId, currency: CurrencyId) -> Vec<(usize, i128)> {
        let own = (0..self.pairs.len()).filter(|at| self.pairs[*at].currency == currency);
        let coming: i128 = own.clone().map(|at| self.pairs[at].owed(account)).sum();
        let mut needed = (self.debt(account, currency) - coming).max(0);
        let of_pair = own.map(|at| {
            let amount = self.pairs[at].staked(account).min(needed);
            needed -= amount;
            (at, amount)
        });
        of_pair.filter(|(_, amount)| *amount > 0).collect()
    }

    pub(super) fn staked(&self, pair: usize, account: AccountId) -> i128 {
        self.pairs[pair].staked(account)
    }

    pub(super) fn interest(&self, pair: usize, account: AccountId) -> i128 {
        self.pairs[pair].stakes.get(&account).map_or(0, |stake| stake.interest)
    }

    pub(super) fn find(&self, provider: Provider, currency: CurrencyId) -> Option<usize> {
        self.pairs.iter().position(|pair| (pair.provider, pair.currency) == (provider, currency))
    }

    pub(super) fn set_terms(&mut self, provider: Provider, currency: CurrencyId, terms: Terms, now: Time) {
        let second = now.seconds();
        if let Some(at) = self.find(provider, currency) {
            self.pairs[at].terms.push((second, terms));
            self.pairs[at].shorten(terms.wait);
            return;
        }
        self.pairs.push(Pair {
            provider,
            currency,
            terms: vec![(second, terms)],
            stakes: BTreeMap::new(),
            used: Vec::new(),
            queue: Vec::new(),
            paid_out: BTreeMap::new(),
            next: ended_by(second).map_or(0, |day| day + 1),
            under_way: None,
        });
    }

    /// Whether an account has a stake, or is owed a redemption or the interest of a day that has ended.
    pub(super) fn is_in_use(&self, account: AccountId, now: Time) -> bool {
        self.pairs.iter().any(|pair| {
            let ended = ended_by(now.seconds()).map_or(0, |day| day + 1);
            let paid = |day| {
                pair.under_way.as_ref().is_some_and(|way| way.day == day && way.paid.contains(&account))
            };
            let waits = (pair.next..ended).any(|day| pair.day(day).contains_key(&account) && !paid(day));
            pair.staked(account) > 0 || pair.owed(account) > 0 || waits
        })
    }

    pub(super) fn close(&mut self, account: AccountId) {
        self.closed.insert(account);
        for pair in &mut self.pairs {
            pair.stakes.entry(account).or_default().is_over = true;
        }
    }

    pub(super) fn fund(&mut self, currency: CurrencyId, units: i128) {
        *self.rewards.entry(currency).or_default() += units;
    }

    /// The price at which a stake counts: the last trade's, or the index where it is higher (D-101).
    fn price(&self, currency: CurrencyId) -> Option<i128> {
        self.prices.get(&currency).and_then(|[last, index]| (*last).max(*index))
    }

    /// What is against a stake with a pair.
    pub(super) fn against_stake(&self, at: usize, account: AccountId, amount: i128, now: Time) -> Vec<Why> {
        let pair = &self.pairs[at];
        let price = self.price(pair.currency);
        let owes = self.debts.keys().any(|(debtor, _)| *debtor == account);
        let is_beyond = |price: i128| BigInt::from(amount) * price > pair.room(account, now);
        let all = [
            (amount <= 0, Why::Amount),
            (pair.terms().paused, Why::Paused),
            (self.available(account, pair.currency) < amount || owes, Why::Funds),
            (price.is_none(), Why::Price),
            (price.is_some_and(is_beyond), Why::Limit),
        ];
        all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, why)| why).collect()
    }

    pub(super) fn stake(&mut self, at: usize, account: AccountId, amount: i128, now: Time) {
        let currency = self.pairs[at].currency;
        let value = BigInt::from(amount) * self.price(currency).unwrap();
        self.add(account, currency, -amount);
        let pair = &mut self.pairs[at];
        pair.used.push((account, month_of(now), value));
        pair.stakes.entry(account).or_default().changes.push((now.seconds(), amount));
    }

    /// The most that may be staked now without going beyond the limit of the month.
    pub(super) fn room(&self, at: usize, account: AccountId, now: Time) -> Option<i128> {
        let price = self.price(self.pairs[at].currency)?;
        i128::try_from(self.pairs[at].room(account, now) / price).ok()
    }

    /// What is against a redemption.
    pub(super) fn against_unstake(&self, at: usize, account: AccountId, amount: i128, now: Time) -> Vec<Why> {
        let pair = &self.pairs[at];
        let waits = pair.paid_at_once(amount, now) < amount;
        let open = pair.queue.iter().filter(|open| open.account == account).count();
        let all = [
            (amount <= 0, Why::Amount),
            (pair.staked(account) < amount, Why::Staked),
            (waits && open >= 100, Why::Open),
        ];
        all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, why)| why).collect()
    }

    /// A redemption that got a number. Returns what is paid at once.
    pub(super) fn unstake(
        &mut self,
        at: usize,
        (account, amount): (AccountId, i128),
        number: u64,
        now: Time,
    ) -> i128 {
        let pair = &mut self.pairs[at];
        let (at_once, currency) = (pair.paid_at_once(amount, now), pair.currency);
        let stake = pair.stakes.get_mut(&account).unwrap();
        stake.changes.push((now.seconds(), -amount));
        if stake.staked() == 0 {
            stake.emptied.push(now.seconds());
        }
        if at_once < amount {
            let due = now.plus(pair.terms().wait * Time::SECOND).0;
            pair.queue.push(Open { requested: now.0, due, number, account, left: amount - at_once });
            // In the order of the requests: none falls due before one that was requested earlier.
            assert!(pair.queue.is_sorted_by_key(|open| (open.due, open.number)), "{:?}", pair.queue);
        }
        *pair.paid_out.entry(Day::of(now)).or_default() += at_once;
        self.add(account, currency, at_once);
        at_once
    }

    /// A redemption that an account did not ask for: it owes, and the debt needs it.
    pub(super) fn forced(&mut self, event: &Redeemed, now: Time) -> Result<(), String> {
        let at = usize::from(event.pair.0);
        let (account, amount) = (event.account, event.amount.units());
        let expected = self.to_recover(account, self.pairs[at].currency);
        self.number(event.number)?;
        if expected.first() != Some(&(at, amount)) {
            return Err(format!("{event:?}, expected {expected:?}"));
        }
        let paid = self.unstake(at, (account, amount), event.number, now);
        if event.paid.units() == paid { Ok(()) } else { Err(format!("{event:?} pays {paid}")) }
    }

    /// The number of a transaction is new.
    pub(super) fn number(&mut self, number: u64) -> Result<(), String> {
        if number <= self.last {
            return Err(format!("transaction {number} comes after {}", self.last));
        }
        self.last = number;
        Ok(())
    }

    /// What `staking_rewards` has beyond the days under way.
    fn free(&self, currency: CurrencyId) -> i128 {
        let own = self.pairs.iter().filter(|pair| pair.currency == currency);
        self.rewards.get(&currency).copied().unwrap_or(0) - own.map(Pair::reserved).sum::<i128>()
    }

    /// A step of an accrual: of the next day, which has ended, is paid whole, and pays each account once what it earned.
    pub(super) fn accrued(&mut self, event: &Accrued, now: Time) -> Result<(), String> {
        let (at, day) = (usize::from(event.pair.0), event.day);
        if end_of(day) > now.seconds() {
            return Err(format!("day {day} is paid at {now:?}"));
        }
        self.begin(at, day, now)?;
        let expected = self.pairs[at].day(day);
        for (number, row) in event.numbered() {
            self.number(number)?;
            let amount = row.amount.units();
            if expected.get(&row.account) != Some(&amount) {
                return Err(format!("{row:?} of day {day}, expected {:?}", expected.get(&row.account)));
            }
            let pair = &mut self.pairs[at];
            let currency = pair.currency;
            if !pair.under_way.as_mut().unwrap().paid.insert(row.account) {
                return Err(format!("{row:?} of day {day} is paid twice"));
            }
            let owes = self.debts.contains_key(&(row.account, currency));
            let to_stake = pair.stakes.get_mut(&row.account).unwrap().pay(day, amount, owes);
            if row.to_stake != to_stake {
                return Err(format!("{row:?} of day {day}, expected to stake: {to_stake}"));
            }
            *self.rewards.entry(currency).or_default() -= amount;
            self.interest[usize::from(!to_stake)] += 1;
            if !to_stake {
                self.add(row.account, currency, amount);
            }
        }
        if event.is_last {
            self.end(at, day, &expected)?;
        }
        let rate = self.pairs[at].rate(day);
        if event.rate.0 == rate { Ok(()) } else { Err(format!("{event:?}, expected rate {rate}")) }
    }

    fn begin(&mut self, at: usize, day: u64, now: Time) -> Result<(), String> {
        let pair = &self.pairs[at];
        if let Some(UnderWay { day: begun, .. }) = pair.under_way {
            return if begun == day { Ok(()) } else { Err(format!("day {day} is paid inside day {begun}")) };
        }
        if day < pair.next || (pair.next..day).any(|left_out| !pair.day(left_out).is_empty()) {
            return Err(format!("day {day} is paid, and day {} is the next", pair.next));
        }
        let (needed, free) = (pair.day(day).values().sum::<i128>(), self.free(pair.currency));
        if needed > free {
            return Err(format!("day {day} is paid for {needed} of {free}"));
        }
        self.late += u64::from(ended_by(now.seconds()) > Some(day));
        self.pairs[at].under_way = Some(UnderWay { day, paid: BTreeSet::new() });
        Ok(())
    }

    fn end(&mut self, at: usize, day: u64, expected: &BTreeMap<AccountId, i128>) -> Result<(), String> {
        let pair = &mut self.pairs[at];
        let done = pair.under_way.take().unwrap().paid;
        pair.next = day + 1;
        match expected.keys().find(|account| !done.contains(account)) {
            Some(account) => Err(format!("{account:?} is left out of day {day}")),
            None => Ok(()),
        }
    }

    /// Payments of redemptions: the first of the queue, as far as they are due and the day's maximum allows it.
    pub(super) fn paid(&mut self, event: &Paid, now: Time) -> Result<(), String> {
        let at = usize::from(event.pair.0);
        for row in &event.rows {
            let pair = &mut self.pairs[at];
            let allowance = pair.allowance(now);
            let first = pair.queue.first_mut().ok_or("nothing is to be paid")?;
            let amount = first.left.min(allowance);
            let expected = (first.number, first.account, amount, amount == first.left);
            let got = (row.number, row.account, row.amount.units(), row.is_last);
            if got != expected || amount == 0 || first.due > now.0 {
                return Err(format!("{row:?} is paid at {now:?}, the first is {first:?}, of which {amount}"));
            }
            first.left -= amount;
            pair.queue.retain(|open| open.left > 0);
            *pair.paid_out.entry(Day::of(now)).or_default() += amount;
            let currency = pair.currency;
            self.add(row.account, currency, amount);
            self.paid_later += 1;
        }
        Ok(())
    }

    /// When the open redemptions of a pair are paid in full if its terms stay as they are, by number: none of those behind one that takes more
    /// than some years (D-100).
    pub(super) fn expected(&self, at: usize, now: Time) -> BTreeMap<u64, Time> {
        let pair = &self.pairs[at];
        let most = pair.terms().per_day.map_or(i128::MAX, Money::units);
        let (mut time, mut left, mut all) = (now, pair.allowance(now), BTreeMap::new());
        for open in &pair.queue {
            let due = time.max(Time(open.due));
            if Day::of(due) > Day::of(time) {
                left = most;
            }
            time = due;
            let mut owed = open.left;
            while owed > left {
                (owed, left, time) = (owed - left, most, Day::of(time).plus(1).start());
                if time > now.plus(2_000 * Day::MICROS) {
                    return all;
                }
            }
            left -= owed;
            all.insert(open.number, time);
        }
        all
    }

    /// Nothing that is due at a time is left: no redemption, and no day but those that `staking_rewards` cannot pay.
    pub(super) fn settled(&mut self, now: Time) -> Result<(), String> {
        for (account, currency) in self.debts.keys() {
            let left = self.to_recover(*account, *currency);
            if !left.is_empty() {
                return Err(format!("{account:?} owes {currency:?} and has stakes: {left:?}"));
            }
        }
        for at in 0..self.pairs.len() {
            let pair = &self.pairs[at];
            if pair.has_due(now) && pair.allowance(now) > 0 {
                return Err(format!("of pair {at} a redemption is left: {:?}", pair.queue.first()));
            }
            let ended = ended_by(now.seconds()).map_or(0, |day| day + 1);
            let first = (pair.next..ended).find(|day| !pair.day(*day).is_empty());
            if let Some(UnderWay { day, .. }) = pair.under_way {
                return Err(format!("day {day} is paid in part"));
            }
            let needed = first.map_or(0, |day| pair.day(day).values().sum());
            let free = self.free(pair.currency);
            if first.is_some() && needed <= free {
                return Err(format!("day {first:?} of pair {at} waits for {needed}, and {free} is there"));
            }
            self.pairs[at].next = first.unwrap_or(ended).max(self.pairs[at].next);
        }
        Ok(())
    }

    /// What the first day of a pair that waits lacks.
    pub(super) fn lacks(&self, at: usize) -> i128 {
        let pair = &self.pairs[at];
        (pair.day(pair.next).values().sum::<i128>() - self.free(pair.currency)).max(0)
    }

    /// What the two house accounts must have of a currency.
    pub(super) fn houses(&self, currency: CurrencyId) -> [Money; 2] {
        let own = self.pairs.iter().filter(|pair| pair.currency == currency);
        let sum = |pair: &Pair| {
            let staked: i128 = pair.stakes.values().map(Stake::staked).sum();
            staked + pair.queue.iter().map(|open| open.left).sum::<i128>()
        };
        let rewards = self.rewards.get(&currency).copied().unwrap_or(0);
        [own.map(sum).sum(), rewards].map(Money::from_units)
    }

    /// What an account has staked, is owed and has earned with a pair.
    pub(super) fn figures(&self, at: usize, account: AccountId) -> [Money; 3] {
        let pair = &self.pairs[at];
        [pair.staked(account), pair.owed(account), self.interest(at, account)].map(Money::from_units)
    }
}
