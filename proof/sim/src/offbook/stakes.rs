//! The naive model of staking: what is staked as a list of changes, from which the interest of each day is added up anew, and the queue of
//! redemptions (INV-STK-1).

use super::judge::Move;
use buttonwood_engine::staking::{Accrued, Infrequent, Interest, Paid, PairId, PairTerms, Redeemed, Staked};
use buttonwood_engine::{STAKING_POOL, STAKING_REWARDS, StakingCommand, State};
use buttonwood_model::{AccountId, CurrencyId, Time};
use buttonwood_num::Money;
use std::collections::{BTreeMap, BTreeSet};

const DAY: u64 = 86_400;

/// The second of a day at which its interest accrues.
const ACCRUES: u64 = 20 * 3_600;

/// Basis points of 100 % times the seconds of a year.
const WHOLE_YEAR: i128 = 10_000 * 365 * 86_400;

/// What the model has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StakeCounts {
    /// Stakes.
    pub stakes: u64,
    /// Redemptions.
    pub redemptions: u64,
    /// Payments of interest that joined a stake.
    pub joined: u64,
    /// Payments of interest to a balance.
    pub to_balance: u64,
    /// Days that were paid after the next one had ended.
    pub late: u64,
    /// Payments of redemptions after their request.
    pub paid: u64,
    /// Those of a part.
    pub parts: u64,
    /// Ends of halts.
    pub resumed: u64,
}

impl StakeCounts {
    /// Adds the figures of another run.
    pub(super) fn add(&mut self, other: &Self) {
        self.stakes += other.stakes;
        self.redemptions += other.redemptions;
        self.joined += other.joined;
        self.to_balance += other.to_balance;
        self.late += other.late;
        self.paid += other.paid;
        self.parts += other.parts;
        self.resumed += other.resumed;
    }

    /// All of them.
    pub fn all(&self) -> [u64; 8] {
        let Self { stakes, redemptions, joined, to_balance, late, paid, parts, resumed } = *self;
        [stakes, redemptions, joined, to_balance, late, paid, parts, resumed]
    }
}

/// The stake of an account.
#[derive(Debug, Default)]
struct Stake {
    /// By how much it changed, at which second. Interest counts from the end of its day.
    changes: Vec<(u64, i128)>,
    /// The seconds at which all of it was redeemed.
    gone: Vec<u64>,
    staked: i128,
}

impl Stake {
    /// The interest of the day between two seconds.
    fn interest(&self, [start, end]: [u64; 2], rate: i128) -> i128 {
        let before = self.changes.iter().filter(|(at, _)| *at < end);
        before.map(|(at, change)| change * i128::from(end - start.max(*at))).sum::<i128>() * rate / WHOLE_YEAR
    }

    /// What was staked just before a second.
    fn before(&self, end: u64) -> i128 {
        self.changes.iter().filter(|(at, _)| *at < end).map(|(_, change)| change).sum()
    }

    /// Pays interest at the end of a day. Whether it joins the stake.
    fn pay(&mut self, end: u64, interest: i128) -> bool {
        if self.before(end) == 0 {
            return false;
        }
        self.changes.push((end, interest));
        match self.gone.iter().find(|gone| **gone >= end) {
            // It counts until everything was redeemed, as if it had been paid in time.
            Some(gone) => {
                self.changes.push((*gone, -interest));
                false
            }
            None => {
                self.staked += interest;
                true
            }
        }
    }
}

/// A pool: a pair of a provider and a currency.
#[derive(Debug)]
struct Pool {
    terms: PairTerms,
    /// From which day on each rate counts.
    rates: Vec<(u64, i128)>,
    stakes: BTreeMap<AccountId, Stake>,
    /// What redemptions owe, in the order of their payment: when it is due, number, whom, how much.
    queue: BTreeMap<(Time, u64), (AccountId, i128)>,
    /// When each redemption was requested.
    requested: BTreeMap<u64, Time>,
    /// The UTC day of the last payment, and what was paid on it.
    paid: (u64, i128),
    /// The last day whose interest was paid.
    last_day: u64,
}

/// The day of staking of a time, by the UTC day on which it ends.
fn day_of(now: Time) -> u64 {
    (now.seconds() + DAY - ACCRUES) / DAY
}

/// The seconds at which a day begins and ends.
fn span(day: u64) -> [u64; 2] {
    [day * DAY + ACCRUES - DAY, day * DAY + ACCRUES]
}

impl Pool {
    fn rate(&self, day: u64) -> i128 {
        self.rates.iter().rfind(|(from, _)| *from <= day).map_or(0, |(_, rate)| *rate)
    }

    fn set(&mut self, now: Time, terms: PairTerms) {
        self.terms = terms;
        self.rates.push((day_of(now) + 1, basis_points(&terms)));
        // A shorter wait holds for those who wait too, so that redemptions are paid as they were asked for.
        for ((due, number), owed) in std::mem::take(&mut self.queue) {
            let asked = self.requested.get(&number).copied().unwrap_or(now);
            self.queue.insert((due.min(asked.plus(terms.terms.wait * Time::SECOND)), number), owed);
        }
    }

    /// What may still be paid today.
    fn allowance(&self, now: Time) -> i128 {
        let Some(most) = self.terms.terms.per_day else { return i128::MAX };
        let (day, paid) = self.paid;
        (most.units() - if day == now.seconds() / DAY { paid } else { 0 }).max(0)
    }

    fn note_paid(&mut self, now: Time, amount: i128) {
        let today = now.seconds() / DAY;
        let (day, paid) = self.paid;
        if amount > 0 {
            self.paid = (today, amount + if day == today { paid } else { 0 });
        }
    }

    /// The interest of each account for a day.
    fn interest(&self, day: u64) -> BTreeMap<AccountId, i128> {
        let rate = self.rate(day);
        let all = self.stakes.iter().map(|(account, stake)| (*account, stake.interest(span(day), rate)));
        all.filter(|(_, interest)| *interest > 0).collect()
    }

    fn owed(&self) -> i128 {
        let staked: i128 = self.stakes.values().map(|stake| stake.staked).sum();
        staked + self.queue.values().map(|(_, left)| left).sum::<i128>()
    }
}

fn basis_points(terms: &PairTerms) -> i128 {
    i128::from(terms.terms.rate.0 / 1_000_000)
}

/// All pools.
#[derive(Debug, Default)]
pub(super) struct Stakes {
    pools: Vec<Pool>,
    asked: BTreeSet<(AccountId, String)>,
    /// The house accounts of staking, and `source`.
    houses: Option<[AccountId; 3]>,
    pub(super) counts: StakeCounts,
}

impl Stakes {
    /// Judges an event of a command, which a client's account has sent unless the exchange has. Returns what moves.
    pub(super) fn note(
        &mut self,
        now: Time,
        (sender, command): (Option<AccountId>, &StakingCommand),
        event: &Infrequent,
        state: &State,
    ) -> Result<Vec<Move>, String> {
        let houses =
            [STAKING_POOL.name, STAKING_REWARDS.name, "source"].map(|name| state.ledger().house(name));
        let [Some(pool), Some(rewards), Some(source)] = houses else { return Ok(Vec::new()) };
        self.houses = Some([pool, rewards, source]);
        let shift = |[from, to]: [AccountId; 2], currency, amount: i128| {
            vec![(from, currency, -amount), (to, currency, amount)]
        };
        Ok(match event {
            Infrequent::TermsSet(terms) => {
                self.set(now, *terms);
                Vec::new()
            }
            Infrequent::Staked(staked) => {
                let currency = self.stake(now, (sender, command), staked)?;
                shift([staked.account, pool], currency, staked.amount.units())
            }
            Infrequent::Redeemed(redeemed) => {
                let currency = self.redeem(now, (sender, command), redeemed)?;
                shift([pool, redeemed.account], currency, redeemed.paid.units())
            }
            Infrequent::Paid(paid) => {
                let currency = self.pay(now, paid)?;
                let rows = paid.rows.iter();
                rows.flat_map(|row| shift([pool, row.account], currency, row.amount.units())).collect()
            }
            Infrequent::Accrued(accrued) => {
                let currency = self.accrue(now, accrued)?;
                let rows = accrued.rows.iter();
                let to = |row: &Interest| if row.to_stake { pool } else { row.account };
                rows.flat_map(|row| shift([rewards, to(row)], currency, row.amount.units())).collect()
            }
            Infrequent::Funded(currency, amount) => shift([source, rewards], *currency, amount.units()),
            Infrequent::DayEnded(_)
            | Infrequent::Counted(_)
            | Infrequent::KeySet(_)
            | Infrequent::Recovered(_)
            | Infrequent::Shortened(_)
            | Infrequent::Repeated(_) => Vec::new(),
        })
    }

    fn set(&mut self, now: Time, terms: PairTerms) {
        let is_it =
            |pool: &&mut Pool| (pool.terms.provider, pool.terms.currency) == (terms.provider, terms.currency);
        if let Some(pool) = self.pools.iter_mut().find(is_it) {
            return pool.set(now, terms);
        }
        self.pools.push(Pool {
            terms,
            rates: vec![(0, basis_points(&terms))],
            stakes: BTreeMap::new(),
            queue: BTreeMap::new(),
            requested: BTreeMap::new(),
            paid: (0, 0),
            last_day: day_of(now) - 1,
        });
    }

    fn pool(&mut self, pair: PairId) -> Result<&mut Pool, String> {
        self.pools.get_mut(usize::from(pair.0)).ok_or_else(|| "an unknown pool".to_owned())
    }

    /// A client id stands for one request.
    fn ask(&mut self, account: AccountId, client_id: &str) -> Result<(), String> {
        if client_id.is_empty() || self.asked.insert((account, client_id.to_owned())) {
            Ok(())
        } else {
            Err("a client id was used twice".into())
        }
    }

    fn stake(
        &mut self,
        now: Time,
        (sender, command): (Option<AccountId>, &StakingCommand),
        staked: &Staked,
    ) -> Result<CurrencyId, String> {
        let StakingCommand::Stake(request) = command else { return Err("nobody staked".into()) };
        self.ask(staked.account, &staked.client_id)?;
        self.counts.stakes += 1;
        let pool = self.pool(staked.pair)?;
        let is_asked = (request.provider, request.currency, request.amount)
            == (pool.terms.provider, pool.terms.currency, staked.amount);
        if !is_asked || sender != Some(staked.account) || pool.terms.terms.paused {
            return Err("the stake is not the one that was asked for".into());
        }
        let own = pool.stakes.entry(staked.account).or_default();
        own.changes.push((now.seconds(), staked.amount.units()));
        own.staked += staked.amount.units();
        Ok(pool.terms.currency)
    }

    fn redeem(
        &mut self,
        now: Time,
        (sender, command): (Option<AccountId>, &StakingCommand),
        redeemed: &Redeemed,
    ) -> Result<CurrencyId, String> {
        let StakingCommand::Unstake(request) = command else { return Err("nobody redeemed".into()) };
        self.ask(redeemed.account, &redeemed.client_id)?;
        self.counts.redemptions += 1;
        let pool = self.pool(redeemed.pair)?;
        let (amount, wait) = (redeemed.amount.units(), pool.terms.terms.wait);
        let is_asked = (request.provider, request.currency, request.amount)
            == (pool.terms.provider, pool.terms.currency, redeemed.amount);
        if !is_asked || sender != Some(redeemed.account) || redeemed.due != now.plus(wait * Time::SECOND) {
            return Err("the redemption is not the one that was asked for".into());
        }
        let is_first = pool.queue.keys().next().is_none_or(|(due, _)| *due > now);
        let at_once = if wait == 0 && is_first { amount.min(pool.allowance(now)) } else { 0 };
        if redeemed.paid.units() != at_once {
            return Err(format!("{at_once} units were to be paid at once"));
        }
        let own = pool.stakes.entry(redeemed.account).or_default();
        if own.staked < amount {
            return Err("more was redeemed than is staked".into());
        }
        own.staked -= amount;
        own.changes.push((now.seconds(), -amount));
        if own.staked == 0 {
            own.gone.push(now.seconds());
        }
        if at_once < amount {
            pool.requested.insert(redeemed.number, now);
            pool.queue.insert((redeemed.due, redeemed.number), (redeemed.account, amount - at_once));
        }
        pool.note_paid(now, at_once);
        Ok(pool.terms.currency)
    }

    fn pay(&mut self, now: Time, paid: &Paid) -> Result<CurrencyId, String> {
        let pool = self.pool(paid.pair)?;
        let mut parts = 0;
        for row in &paid.rows {
            let (key, (account, left)) =
                pool.queue.pop_first().ok_or("a redemption was paid that is not owed")?;
            let amount = left.min(pool.allowance(now));
            let is_due = key == (row.due, row.number) && row.due <= now && amount > 0;
            let is_equal = (row.account, row.amount) == (account, Money::from_units(amount));
            if !is_due || !is_equal || row.is_last != (amount == left) {
                return Err(format!("{row:?} was paid, where {amount} of {left} were due at {:?}", key.0));
            }
            if amount < left {
                pool.queue.insert(key, (account, left - amount));
                parts += 1;
            }
            pool.note_paid(now, amount);
        }
        let currency = pool.terms.currency;
        self.counts.paid += u64::try_from(paid.rows.len()).expect("a few rows");
        self.counts.parts += parts;
        Ok(currency)
    }

    fn accrue(&mut self, now: Time, accrued: &Accrued) -> Result<CurrencyId, String> {
        let mut counts = self.counts;
        let pool = self.pool(accrued.pair)?;
        let (day, [_, end]) = (accrued.day, span(accrued.day));
        let is_in_turn = day > pool.last_day && end <= now.seconds();
        let skipped = pool.last_day + 1..day;
        if !is_in_turn || { skipped }.any(|day| !pool.interest(day).is_empty()) {
            return Err(format!("day {day} is not the one after {}", pool.last_day));
        }
        let due = pool.interest(day);
        let rows = accrued.rows.iter().map(|row| (row.account, row.amount.units()));
        if !due.iter().map(|(account, amount)| (*account, *amount)).eq(rows) || !accrued.is_last {
            return Err(format!("the interest of day {day} is {due:?}"));
        }
        for row in &accrued.rows {
            let stake = pool.stakes.entry(row.account).or_default();
            if stake.pay(end, row.amount.units()) != row.to_stake {
                return Err(format!("the interest of {:?} goes elsewhere", row.account));
            }
            let count = if row.to_stake { &mut counts.joined } else { &mut counts.to_balance };
            *count += 1;
        }
        pool.last_day = day;
        counts.late += u64::from(!accrued.rows.is_empty() && end + DAY <= now.seconds());
        let currency = pool.terms.currency;
        self.counts = counts;
        Ok(currency)
    }

    /// The core must show the same stakes, and the pool must hold them.
    pub(super) fn agree(&self, state: &State) -> Result<(), String> {
        for (id, pool) in (0..).map(PairId).zip(&self.pools) {
            let differs = |(account, stake): (&AccountId, &Stake)| {
                state.staking().staked(*account, id).units() != stake.staked
            };
            if pool.stakes.iter().any(differs) {
                return Err("the core has other stakes".into());
            }
            let queue = state.staking().queue_of(id).map(|row| (row.number, row.left().units()));
            if !queue.eq(pool.queue.iter().map(|((_, number), (_, left))| (*number, *left))) {
                return Err("the core owes other redemptions".into());
            }
        }
        let Some([house, ..]) = self.houses else { return Ok(()) };
        for currency in self.pools.iter().map(|pool| pool.terms.currency) {
            let own = self.pools.iter().filter(|pool| pool.terms.currency == currency);
            if state.ledger().balance(house, currency).available.units() != own.map(Pool::owed).sum::<i128>()
            {
                return Err("`staking_pool` is not what is staked and owed".into());
            }
        }
        Ok(())
    }

    /// A day that has ended and is not paid though `staking_rewards` can pay it.
    pub(super) fn unfinished(&self, state: &State) -> Option<String> {
        let [_, rewards, _] = self.houses?;
        let today = day_of(state.stamp().time);
        let first_due = |pool: &Pool| {
            let day = (pool.last_day + 1..today).find(|day| !pool.interest(*day).is_empty())?;
            Some((day, pool.terms.currency, pool.interest(day).values().sum::<i128>()))
        };
        let is_payable = |(_, currency, due): &(u64, CurrencyId, i128)| {
            state.ledger().balance(rewards, *currency).available.units() >= *due
        };
        let (day, ..) = self.pools.iter().filter_map(first_due).find(is_payable)?;
        Some(format!("the interest of day {day} is not paid"))
    }
}
