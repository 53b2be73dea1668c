//! The queue of redemptions, with running totals: a sum over a part of a queue needs no walk through it.
//!
//! Redemptions of a pair with the same redemption time fall due in the order of their requests. So for each redemption time the entries are in
//! the order of the queue, and the total of each is that of the entry before it and its own amount. Payments take from the front, so the
//! difference of two totals stays what is owed between them. A total that passes the range wraps around; differences do not change by that.

use crate::{PairId, Redemption, Staking};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use buttonwood_model::Time;
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The totals, by pair, redemption time in microseconds, due time and number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QueueTotals(BTreeMap<(PairId, u64, Time, u64), u128>);

/// The key of a redemption.
fn key(row: &Redemption) -> (PairId, u64, Time, u64) {
    (row.pair, row.due.0.saturating_sub(row.requested.0), row.due, row.number)
}

impl QueueTotals {
    fn add(&mut self, row: &Redemption) {
        let (pair, wait, due, number) = key(row);
        let before = self.0.range((pair, wait, Time(0), 0)..(pair, wait, due, number)).next_back();
        let total = before.map_or(0, |(_, total)| *total).wrapping_add(row.amount.units().unsigned_abs());
        self.0.insert((pair, wait, due, number), total);
    }
}

impl Staking {
    /// Adds a redemption that is not paid in full.
    pub(crate) fn enqueue(&mut self, row: Redemption) {
        self.queue_totals.add(&row);
        self.open.insert((row.account, row.pair, row.number), row.due);
        self.queue.insert((row.pair, row.due, row.number), row);
    }

    /// Takes out a redemption that is paid.
    pub(crate) fn dequeue(&mut self, row: &Redemption) {
        self.queue_totals.0.remove(&key(row));
        self.open.remove(&(row.account, row.pair, row.number));
        self.queue.remove(&(row.pair, row.due, row.number));
    }

    /// The longest redemption time among the open redemptions of a pair, in microseconds; 0 without one.
    pub(crate) fn longest_wait(&self, id: PairId) -> u64 {
        let own = self.queue_totals.0.range((id, 0, Time(0), 0)..=(id, u64::MAX, Time(u64::MAX), u64::MAX));
        own.map(|((_, wait, ..), _)| *wait).next_back().unwrap_or(0)
    }

    /// Gives the open redemptions of a pair with a longer redemption time this one, in microseconds. Returns those that it changed, in the order
    /// of their requests.
    pub(crate) fn shorten(&mut self, id: PairId, wait: u64) -> Vec<Redemption> {
        let key = |wait| (id, wait, Time(0), 0);
        let longer =
            self.queue_totals.0.range(key(wait.saturating_add(1))..=(id, u64::MAX, Time(u64::MAX), u64::MAX));
        let places: Vec<_> = longer.map(|((pair, _, due, number), _)| (*pair, *due, *number)).collect();
        let rows = places.iter().filter_map(|place| self.queue.get(place).copied());
        let mut rows: Vec<Redemption> = rows.collect();
        rows.sort_unstable_by_key(|row| row.number);
        for row in &mut rows {
            self.dequeue(row);
            row.due = row.requested.plus(wait);
        }
        // The others with this redemption time may have been requested in between.
        let same = self.queue_totals.0.range(key(wait)..key(wait.saturating_add(1)));
        let places: Vec<_> = same.map(|((pair, _, due, number), _)| (*pair, *due, *number)).collect();
        let others = places.iter().filter_map(|place| self.queue.get(place).copied());
        let mut all: Vec<Redemption> = others.chain(rows.iter().copied()).collect();
        all.sort_unstable_by_key(|row| row.number);
        for row in &all {
            self.queue_totals.0.remove(&self::key(row));
        }
        for row in all {
            self.enqueue(row);
        }
        rows
    }

    /// The amount that redemptions of a pair are owed, up to a place of its queue: a due time and a number.
    pub(crate) fn owed_up_to(&self, id: PairId, (time, number): (Time, u64)) -> Money {
        let totals = &self.queue_totals.0;
        let (mut sum, mut from) = (Money::ZERO, 0);
        while let Some((&(pair, wait, due, first), begin)) = totals.range((id, from, Time(0), 0)..).next()
            && pair == id
        {
            let last = totals.range((id, wait, Time(0), 0)..=(id, wait, time, number)).next_back();
            if let Some((_, end)) = last {
                let front = self.queue.get(&(id, due, first)).map_or(Money::ZERO, Redemption::left);
                let rest = i128::try_from(end.wrapping_sub(*begin)).unwrap_or(i128::MAX);
                sum = sum.capped_add(front).capped_add(Money::from_units(rest));
            }
            let Some(next) = wait.checked_add(1) else { break };
            from = next;
        }
        sum
    }
}
