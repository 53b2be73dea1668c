//! Rewards, recomputed from fills and scores: rebates are parts of the fees that makers paid, and a day's reward is a part of a pool (D-120).

use super::books::{Books, Houses, ONE, share};
use buttonwood_engine::prediction::{
    LiquidityRow, Payment, PoolShare, Rebated, RewardChange, Rewarded, Scored,
};
use buttonwood_engine::{State, prediction::eastern};
use buttonwood_model::{AccountId, Day, EventId, GroupId, SymbolId, Time};
use buttonwood_num::Money;
use std::collections::BTreeMap;

const CENT: i128 = ONE / 100;
const MINUTE: u64 = 60 * Time::SECOND;
/// When a day is paid: minutes after the next Eastern midnight.
const PAID_AT: u64 = 17 * 60 + 30;

/// How often something was paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RewardCounts {
    /// Rebates.
    pub rebates: u64,
    /// Snapshots in which somebody scored.
    pub scored: u64,
    /// Rewards for liquidity that were paid, waited since `promo` was short, came late, and were nothing.
    pub liquidity: [u64; 4],
}

impl RewardCounts {
    pub(super) fn add(&mut self, other: &Self) {
        self.rebates += other.rebates;
        self.scored += other.scored;
        self.liquidity.iter_mut().zip(other.liquidity).for_each(|(sum, more)| *sum += more);
    }
}

/// A part of the pool of an event: the share, how much of it, and in how many snapshots the group scored.
type Part = (EventId, (i128, i128, u64));

/// The score of a group with an event in a day.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    points: i128,
    snapshots: u64,
    latest: Time,
}

/// A day whose scores are not paid.
#[derive(Clone, Debug, Default)]
struct Scores {
    groups: BTreeMap<GroupId, BTreeMap<EventId, Score>>,
    pools: BTreeMap<EventId, i128>,
    /// The points of all that count, once the day is being paid, and what the pools have granted.
    totals: Option<BTreeMap<EventId, i128>>,
    granted: BTreeMap<EventId, i128>,
    least: i128,
}

/// The state of rewards.
#[derive(Clone, Debug, Default)]
pub(super) struct Rewards {
    is_on: bool,
    bps: i128,
    least: i128,
    pools: BTreeMap<EventId, i128>,
    /// The earnings of makers since the last rebates: fees × rate in basis points.
    accrued: BTreeMap<AccountId, i128>,
    runs: BTreeMap<Time, BTreeMap<AccountId, i128>>,
    /// Rebates that the account of fees could not pay.
    unpaid: BTreeMap<AccountId, i128>,
    /// The fees of makers while rewards were on, and the rebates that were paid.
    sums: [i128; 2],
    days: BTreeMap<Day, Scores>,
    /// The latest snapshot of each event, and how far it has come if it is not done.
    last: BTreeMap<EventId, (Time, Option<SymbolId>)>,
    pending: Vec<(AccountId, i128)>,
    paid_day: Option<Day>,
    pub(super) counts: RewardCounts,
}

impl Rewards {
    pub(super) fn new() -> Self {
        Self { bps: 5_000, least: ONE, ..Self::default() }
    }

    pub(super) fn set(&mut self, change: &RewardChange) {
        if !self.is_on && change.enabled == Some(true) {
            self.accrued.clear();
        }
        self.is_on = change.enabled.unwrap_or(self.is_on);
        self.bps = change.rebate_bps.map_or(self.bps, i128::from);
        self.least = change.min_payout.map_or(self.least, Money::units);
        if let Some(pools) = &change.pools {
            self.pools = pools.iter().map(|(event, pool)| (*event, pool.units())).collect();
        }
    }

    pub(super) fn note_fee(&mut self, maker: AccountId, fee: i128) {
        if self.is_on {
            *self.accrued.entry(maker).or_default() += fee * self.bps;
            self.sums[0] += fee;
        }
    }

    pub(super) fn begin_rebates(&mut self, now: Time) {
        let earned = std::mem::take(&mut self.accrued).into_iter();
        let mut run: BTreeMap<AccountId, i128> =
            earned.map(|(account, earned)| (account, earned / 10_000)).collect();
        for (account, rest) in std::mem::take(&mut self.unpaid) {
            *run.entry(account).or_default() += rest;
        }
        if !run.is_empty() {
            self.runs.insert(now, run);
        }
    }

    /// Each account is paid once in a run, the set part of its fees; the next run pays what is left.
    pub(super) fn rebate(&mut self, paid: &Rebated, books: &mut Books, houses: Houses) -> Result<(), String> {
        let left = self.runs.get_mut(&paid.run).ok_or("rebates of no run")?;
        for (account, amount) in &paid.rows {
            let owed = left.remove(account).ok_or_else(|| format!("{account:?} is owed no rebate"))?;
            let expected = owed.min(books.of(houses.fees, houses.dollar).max(0));
            if amount.units() != expected {
                return Err(format!("{account:?} has a rebate of {amount:?}, expected {expected}"));
            }
            if owed > expected {
                *self.unpaid.entry(*account).or_default() += owed - expected;
            }
            books.shift([houses.fees, *account], houses.dollar, expected);
            self.sums[1] += expected;
            self.counts.rebates += 1;
        }
        if paid.is_last && !left.is_empty() {
            return Err(format!("{left:?} have no rebate"));
        }
        if self.sums[1] > self.sums[0] {
            return Err(format!(
                "makers paid fees of {}, and have rebates of {}",
                self.sums[0], self.sums[1]
            ));
        }
        if paid.is_last {
            self.runs.remove(&paid.run);
        }
        Ok(())
    }

    /// A snapshot of an event, once for each full minute, or its next part.
    pub(super) fn score(&mut self, scored: &Scored, now: Time) -> Result<(), String> {
        let (event, minute) = (scored.event, scored.minute);
        let last = self.last.insert(event, (minute, scored.until));
        let is_new = last.is_none_or(|(last, part)| last < minute || last == minute && part.is_some());
        if !is_new || !minute.0.is_multiple_of(MINUTE) || minute > now || now.0 - minute.0 >= MINUTE {
            return Err(format!("{event:?} is scored for {minute:?} at {now:?}"));
        }
        let pool = *self.pools.get(&event).ok_or("an event without a pool is scored")?;
        let day = self.days.entry(eastern::day(Time(minute.0 - 1))).or_default();
        if day.totals.is_some() {
            return Err("a day is scored that was paid".into());
        }
        day.pools.insert(event, pool);
        for (group, _, points) in &scored.rows {
            let score = day.groups.entry(*group).or_default().entry(event).or_default();
            score.points += i128::try_from(*points).map_err(|_| "points beyond every range")?;
            score.snapshots += u64::from(score.latest < minute);
            score.latest = minute;
        }
        self.counts.scored += u64::from(!scored.rows.is_empty());
        Ok(())
    }

    pub(super) fn begin_payout(&mut self, day: Day, now: Time) -> Result<(), String> {
        if now < eastern::at(day.plus(1), PAID_AT) || self.paid_day.is_some_and(|paid| paid >= day) {
            return Err(format!("{day:?} is paid at {now:?}, after {:?}", self.paid_day));
        }
        self.paid_day = Some(day);
        let least = self.least;
        let scores = self.days.entry(day).or_default();
        let mut totals: BTreeMap<EventId, i128> = BTreeMap::new();
        for (event, score) in scores.groups.values().flatten() {
            if score.snapshots * 2 >= eastern::minutes(day) {
                *totals.entry(*event).or_default() += score.points;
            }
        }
        (scores.totals, scores.least) = (Some(totals), least);
        Ok(())
    }

    /// A step of the payout of a day: late rewards first, from `promo` alone.
    pub(super) fn reward(
        &mut self,
        paid: &Rewarded,
        (books, houses): (&mut Books, Houses),
        state: &State,
    ) -> Result<(), String> {
        for (account, _) in &paid.late {
            let (whom, amount) = if self.pending.is_empty() {
                return Err("a reward is paid late that is not pending".into());
            } else {
                self.pending.remove(0)
            };
            if whom != *account || amount > books.of(houses.promo, houses.dollar) {
                return Err(format!("{account:?} is paid before {whom:?}, or more than there is"));
            }
            books.shift([houses.promo, whom], houses.dollar, amount);
            self.counts.liquidity[2] += 1;
        }
        for row in &paid.rows {
            self.pay(paid.day, row, (books, houses), state)?;
        }
        if paid.is_last {
            let left = self.days.remove(&paid.day).is_some_and(|scores| !scores.groups.is_empty());
            return if left { Err(format!("{:?} leaves out groups", paid.day)) } else { Ok(()) };
        }
        Ok(())
    }

    fn pay(
        &mut self,
        day: Day,
        row: &LiquidityRow,
        (books, houses): (&mut Books, Houses),
        state: &State,
    ) -> Result<(), String> {
        let group = state.access().account(row.account).and_then(|account| account.group);
        let group = group.ok_or("an account without a group is rewarded")?;
        let scores = self.days.get_mut(&day).ok_or("a day without scores is paid")?;
        let events = scores.groups.remove(&group).ok_or_else(|| format!("{group:?} is owed nothing"))?;
        let mut amount = 0;
        for (event, expected) in scores.shares(&events, day)? {
            let got = row.shares.iter().find(|share| share.event == event);
            let got = got.map(|PoolShare { share, snapshots, amount, .. }| {
                (share.units(), amount.units(), *snapshots)
            });
            if got != Some(expected) {
                return Err(format!("{group:?} has {got:?}, expected {expected:?}"));
            }
            amount += expected.1;
        }
        let has = books.of(houses.promo, houses.dollar);
        // They are paid in their order: after one that waits the others wait too.
        let is_right = match row.payment {
            Payment::Zero => amount == 0 || amount < scores.least,
            Payment::Paid => amount > 0 && amount >= scores.least && amount <= has && self.pending.is_empty(),
            Payment::Pending => {
                amount > 0 && amount >= scores.least && (amount > has || !self.pending.is_empty())
            }
        };
        if row.amount.units() != amount || !is_right {
            return Err(format!("{row:?}: expected {amount} of {has}, pending are {:?}", self.pending));
        }
        match row.payment {
            Payment::Paid => {
                books.shift([houses.promo, row.account], houses.dollar, amount);
                self.counts.liquidity[0] += 1;
            }
            Payment::Pending => {
                self.pending.push((row.account, amount));
                self.counts.liquidity[1] += 1;
            }
            Payment::Zero => self.counts.liquidity[3] += 1,
        }
        Ok(())
    }

    /// Whether rebates or rewards are being paid.
    pub(super) fn is_paying(&self) -> bool {
        !self.runs.is_empty() || self.days.values().any(|scores| scores.totals.is_some())
    }
}

impl Scores {
    /// The parts of pools in whole cents, and the snapshots. A pool never grants more than it has.
    fn shares(&mut self, events: &BTreeMap<EventId, Score>, day: Day) -> Result<Vec<Part>, String> {
        let totals = self.totals.as_ref().ok_or("a day is paid that has not begun to be")?;
        let mut shares = Vec::new();
        for (event, Score { points, snapshots, .. }) in events {
            let pool = self.pools.get(event).copied().unwrap_or(0);
            let whole = totals.get(event).copied().unwrap_or(0);
            let counts = snapshots * 2 >= eastern::minutes(day) && whole > 0;
            let part = if counts { share(ONE, *points, whole) } else { 0 };
            let amount = share(pool, part, ONE) / CENT * CENT;
            let granted = self.granted.entry(*event).or_default();
            *granted += amount;
            if *granted > pool {
                return Err(format!("the pool of {event:?} grants {granted} of {pool}"));
            }
            shares.push((*event, (part, amount, *snapshots)));
        }
        Ok(shares)
    }
}
