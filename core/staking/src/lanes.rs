//! The queue of redemptions, with running totals: a sum over a part of a queue needs no walk through it.
//!
//! Redemptions of a pair with the same redemption time fall due in the order of their requests. They are a lane, in which the total of each is
//! that of the one before it and its own amount. Payments take from the front of each lane, so the difference of two totals stays what is owed
//! between them. A total that passes the range begins again from zero; differences do not change by that.

use crate::{PairId, Redemption, Staking};
use alloc::collections::BTreeMap;
use buttonwood_model::Time;
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// The totals, by pair, redemption time in microseconds, due time and number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lanes(BTreeMap<(PairId, u64, Time, u64), u128>);

/// The place of a redemption in its lane.
fn key(row: &Redemption) -> (PairId, u64, Time, u64) {
    (row.pair, row.due.0.saturating_sub(row.requested.0), row.due, row.number)
}

impl Lanes {
    fn add(&mut self, row: &Redemption) {
        let (pair, lane, due, number) = key(row);
        let before = self.0.range((pair, lane, Time(0), 0)..(pair, lane, due, number)).next_back();
        let total = before.map_or(0, |(_, total)| *total).wrapping_add(row.amount.units().unsigned_abs());
        self.0.insert((pair, lane, due, number), total);
    }
}

impl Staking {
    /// Adds a redemption that is not paid in full.
    pub(crate) fn enqueue(&mut self, row: Redemption) {
        self.lanes.add(&row);
        self.open.insert((row.account, row.pair, row.number), row.due);
        self.queue.insert((row.pair, row.due, row.number), row);
    }

    /// Takes out a redemption that is paid.
    pub(crate) fn dequeue(&mut self, row: &Redemption) {
        self.lanes.0.remove(&key(row));
        self.open.remove(&(row.account, row.pair, row.number));
        self.queue.remove(&(row.pair, row.due, row.number));
    }

    /// What the redemptions of a pair are owed, up to a place of its queue: a due time and a number.
    pub(crate) fn owed_up_to(&self, id: PairId, (time, number): (Time, u64)) -> Money {
        let mut sum = Money::ZERO;
        let mut lane = 0;
        while let Some((&(pair, of, due, first), begin)) = self.lanes.0.range((id, lane, Time(0), 0)..).next()
            && pair == id
        {
            let last = self.lanes.0.range((id, of, Time(0), 0)..=(id, of, time, number)).next_back();
            if let Some((_, end)) = last {
                let front = self.queue.get(&(id, due, first)).map_or(Money::ZERO, Redemption::left);
                let rest = i128::try_from(end.wrapping_sub(*begin)).unwrap_or(i128::MAX);
                sum = sum.capped_add(front).capped_add(Money::from_units(rest));
            }
            let Some(next) = of.checked_add(1) else { break };
            lane = next;
        }
        sum
    }
}
