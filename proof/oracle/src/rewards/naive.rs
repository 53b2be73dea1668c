//! The figures of rewards, naively: lists of fills and scores, summed anew for each payout.

use buttonwood_engine::prediction::{LiquidityRow, Payment, Rebated, Rewarded, Scored};
use buttonwood_model::{AccountId, GroupId};
use buttonwood_num::Money;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const MINUTE: u64 = 60_000_000;
pub(super) const DAY: u64 = 1_440 * MINUTE;
/// A dollar, in the smallest units.
pub(super) const ONE: i128 = 10_000_000_000_000_000_000;
/// A cent.
const CENT: i128 = ONE / 100;

/// a × b ÷ whole, rounded down.
fn share(a: i128, b: i128, whole: i128) -> i128 {
    i128::try_from(BigInt::from(a) * BigInt::from(b) / BigInt::from(whole)).unwrap()
}

/// A fill of a maker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fill {
    pub(super) account: AccountId,
    pub(super) fee: i128,
    pub(super) volume: i128,
    /// The rate of rebates then.
    pub(super) bps: i128,
}

/// A resting order: its group and account, its price in cents of yes, hundredths of contracts, and since when it rests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resting {
    pub(super) group: u32,
    pub(super) account: u32,
    pub(super) price: i128,
    pub(super) size: i128,
    pub(super) since: u64,
}

/// The rebate of an account in a run, and the fees, volume and count of its fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Owed {
    pub(super) rebate: i128,
    pub(super) fees: i128,
    pub(super) volume: i128,
    pub(super) fills: u64,
}

/// The score of a group with an event.
#[derive(Clone, Debug, Default)]
struct Score {
    points: i128,
    minutes: BTreeSet<u64>,
    accounts: BTreeSet<u32>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scores {
    pools: BTreeMap<u32, i128>,
    groups: BTreeMap<u32, BTreeMap<u32, Score>>,
}

/// Rewards, and the two accounts of the house that pay them.
#[derive(Clone, Debug, Default)]
pub(super) struct Rewards {
    /// How far Eastern Time is behind.
    pub(super) offset: u64,
    pub(super) is_on: bool,
    pub(super) bps: i128,
    pub(super) spread: i128,
    pub(super) least: i128,
    pub(super) pools: BTreeMap<u32, i128>,
    /// The events that have a pool and trade, and since when.
    pub(super) open: BTreeMap<u32, u64>,
    pub(super) fills: Vec<Fill>,
    pub(super) next_run: Option<u64>,
    pub(super) run: BTreeMap<AccountId, Owed>,
    pub(super) unpaid: BTreeMap<AccountId, Owed>,
    pub(super) rebates: BTreeMap<AccountId, Vec<Owed>>,
    pub(super) fees: i128,
    pub(super) promo: i128,
    pub(super) days: BTreeMap<u64, Scores>,
    pub(super) least_of_day: i128,
    pub(super) pending: Vec<(AccountId, usize, i128)>,
    pub(super) rows: BTreeMap<AccountId, usize>,
    /// How many rebates were paid, and cut; snapshots; rewards that were paid, late, small, and lost for too few snapshots.
    pub(super) counts: [u64; 7],
}

impl Rewards {
    /// The next moment, so many minutes after a midnight.
    pub(super) fn next_at(&self, now: u64, minutes: u64) -> u64 {
        let at = (now - self.offset) / DAY * DAY + minutes * MINUTE + self.offset;
        if at > now { at } else { at + DAY }
    }

    pub(super) fn begin_run(&mut self, now: u64) -> Result<(), String> {
        if self.next_run != Some(now) {
            return Err(format!("rebates are paid now, expected at {:?}", self.next_run));
        }
        self.next_run = self.is_on.then(|| self.next_at(now, 17 * 60));
        let mut parts: BTreeMap<AccountId, i128> = BTreeMap::new();
        self.run = std::mem::take(&mut self.unpaid);
        for fill in std::mem::take(&mut self.fills) {
            *parts.entry(fill.account).or_default() += fill.fee * fill.bps;
            let owed = self.run.entry(fill.account).or_default();
            owed.fees += fill.fee;
            owed.volume += fill.volume;
            owed.fills += 1;
        }
        for (account, part) in parts {
            self.run.get_mut(&account).unwrap().rebate += part / 10_000;
        }
        Ok(())
    }

    pub(super) fn pay_rebates(&mut self, paid: &Rebated, now: u64) -> Result<(), String> {
        let got: Vec<_> = paid.rows.iter().map(|(account, amount)| (*account, amount.units())).collect();
        let mut expected = Vec::new();
        for (account, owed) in std::mem::take(&mut self.run) {
            let amount = owed.rebate.min(self.fees.max(0));
            self.fees -= amount;
            expected.push((account, amount));
            if amount < owed.rebate {
                self.counts[1] += 1;
                let rest = Owed { rebate: owed.rebate - amount, ..Owed::default() };
                self.unpaid.insert(account, if amount == 0 { owed } else { rest });
            }
            if amount > 0 {
                self.counts[0] += 1;
                self.rebates.entry(account).or_default().push(Owed { rebate: amount, ..owed });
            }
        }
        if self.next_run.is_none() && !self.unpaid.is_empty() {
            self.next_run = Some(self.next_at(now, 17 * 60));
        }
        if got == expected && paid.is_last {
            return Ok(());
        }
        Err(format!("rebates {got:?}, expected {expected:?}"))
    }

    /// The points of a contract, by group and account.
    pub(super) fn points(&self, sides: &[Vec<Resting>; 2], minute: u64) -> BTreeMap<(u32, u32), i128> {
        let best =
            |side: &Vec<Resting>| side.iter().find(|order| order.size >= 1_000).map(|order| order.price);
        let (Some(bid), Some(ask)) = (best(&sides[0]), best(&sides[1])) else { return BTreeMap::new() };
        let near = |price: i128| 200 * self.spread - 100 * (2 * price - bid - ask).abs();
        let scored = sides.each_ref().map(|side| {
            let mut used: BTreeMap<u32, i128> = BTreeMap::new();
            let mut points: BTreeMap<(u32, u32), i128> = BTreeMap::new();
            for order in side {
                if order.size < 1_000 || order.since + MINUTE > minute || near(order.price) <= 0 {
                    continue;
                }
                let used = used.entry(order.group).or_default();
                let size = order.size.min(25_000 - *used);
                *used += size;
                if size > 0 {
                    *points.entry((order.group, order.account)).or_default() +=
                        near(order.price).pow(2) * size;
                }
            }
            points
        });
        let mut sum: BTreeMap<(u32, u32), i128> = BTreeMap::new();
        for (key, points) in scored.iter().flatten() {
            let is_on = |side: &BTreeMap<(u32, u32), i128>| side.keys().any(|(group, _)| *group == key.0);
            *sum.entry(*key).or_default() += points * if scored.iter().all(is_on) { 3 } else { 2 };
        }
        sum
    }

    /// A snapshot of an event, whose points are these.
    pub(super) fn score(
        &mut self,
        scored: &Scored,
        points: &BTreeMap<(u32, u32), i128>,
        now: u64,
    ) -> Result<(), String> {
        let (event, minute) = (scored.event.0, scored.minute.0);
        let got: Vec<_> = scored.rows.iter().map(|(group, at, points)| ((group.0, at.0), *points)).collect();
        let expected: Vec<_> =
            points.iter().map(|(key, points)| (*key, u128::try_from(*points).unwrap())).collect();
        if got != expected || minute != now || scored.until.is_some() {
            return Err(format!("{event} scores {got:?} at {minute}, expected {expected:?} at {now}"));
        }
        self.counts[2] += 1;
        let day = self.days.entry((minute - 1 - self.offset) / DAY).or_default();
        day.pools.insert(event, self.pools[&event]);
        for ((group, account), points) in points {
            let score = day.groups.entry(*group).or_default().entry(event).or_default();
            score.points += points;
            score.minutes.insert(minute);
            score.accounts.insert(*account);
        }
        Ok(())
    }

    fn paid_at(&self, day: u64) -> u64 {
        (day + 1) * DAY + (17 * 60 + 30) * MINUTE + self.offset
    }

    /// Every day was paid in time.
    pub(super) fn is_done(&self, now: u64) -> Result<(), String> {
        let late = self.days.keys().find(|day| self.paid_at(**day) <= now);
        let run = self.next_run.filter(|run| *run <= now);
        if late.is_some() || run.is_some() {
            return Err(format!("day {late:?} or rebates of {run:?} are not paid"));
        }
        Ok(())
    }

    pub(super) fn begin_payout(&mut self, day: u64, now: u64) -> Result<(), String> {
        self.least_of_day = self.least;
        let is_affordable = self.pending.first().is_some_and(|(.., amount)| *amount <= self.promo);
        let is_due = if self.days.contains_key(&day) { self.paid_at(day) == now } else { is_affordable };
        if is_due { Ok(()) } else { Err(format!("day {day} is paid at {now}")) }
    }

    pub(super) fn pay_rewards(&mut self, paid: &Rewarded) -> Result<(), String> {
        let mut late = Vec::new();
        while let Some((account, place, amount)) = self.pending.first().copied() {
            if amount > self.promo {
                break;
            }
            self.promo -= amount;
            self.counts[4] += 1;
            late.push((account, place));
            self.pending.remove(0);
        }
        if paid.late != late || !paid.is_last {
            return Err(format!("late rewards {:?}, expected {late:?}", paid.late));
        }
        let day = self.days.remove(&paid.day.0).unwrap_or_default();
        let mut rows = paid.rows.iter();
        for events in day.groups.values() {
            let (shares, accounts) = Self::shares_of(&day, events);
            self.counts[6] += u64::from(shares.iter().all(|(_, part, ..)| *part == 0));
            let amount: i128 = shares.iter().map(|(.., amount)| amount).sum();
            let row = rows.next().ok_or("a row is missing")?;
            self.compare(row, &shares, amount)?;
            if !accounts.contains(&row.account.0) {
                return Err(format!("{row:?} is paid to one of others than {accounts:?}"));
            }
        }
        if rows.next().is_some() { Err("a row is of nobody".to_owned()) } else { Ok(()) }
    }

    /// The shares of a group: event, share, snapshots, amount. And the accounts that scored them.
    #[expect(clippy::type_complexity, reason = "a tuple of figures that are compared at once")]
    fn shares_of(
        day: &Scores,
        events: &BTreeMap<u32, Score>,
    ) -> (Vec<(u32, i128, u64, i128)>, BTreeSet<u32>) {
        let is_enough = |score: &Score| score.minutes.len() >= 720;
        let mut accounts = BTreeSet::new();
        let mut shares = Vec::new();
        for (event, score) in events {
            let others = day.groups.values().filter_map(|events| events.get(event));
            let all: i128 = others.filter(|score| is_enough(score)).map(|score| score.points).sum();
            let part = if is_enough(score) { share(score.points, ONE, all) } else { 0 };
            let amount = share(day.pools[event], part, ONE) / CENT * CENT;
            shares.push((*event, part, u64::try_from(score.minutes.len()).unwrap(), amount));
            accounts.extend(&score.accounts);
        }
        (shares, accounts)
    }

    fn compare(
        &mut self,
        row: &LiquidityRow,
        shares: &[(u32, i128, u64, i128)],
        amount: i128,
    ) -> Result<(), String> {
        let payment = if amount == 0 || amount < self.least_of_day {
            self.counts[5] += 1;
            Payment::Zero
        } else if self.pending.is_empty() && amount <= self.promo {
            self.counts[3] += 1;
            self.promo -= amount;
            Payment::Paid
        } else {
            Payment::Pending
        };
        let place = self.rows.entry(row.account).or_default();
        if payment == Payment::Pending {
            self.pending.push((row.account, *place, amount));
        }
        *place += 1;
        let got: Vec<_> = row
            .shares
            .iter()
            .map(|share| (share.event.0, share.share.units(), share.snapshots, share.amount.units()))
            .collect();
        if got == shares && row.amount == Money::from_units(amount) && row.payment == payment {
            return Ok(());
        }
        Err(format!("{row:?}, expected {shares:?}, {amount} and {payment:?}"))
    }
}

/// A group's number.
pub(super) fn number(group: Option<GroupId>) -> u32 {
    group.unwrap().0
}
