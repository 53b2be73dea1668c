//! When open redemptions will be paid under the present terms.

use crate::redeem::Redemption;
use crate::{PairId, Staking};
use alloc::collections::BTreeMap;
use buttonwood_model::{AccountId, Day, Time};
use buttonwood_num::Money;

/// More days than any redemption waits for: beyond them the answer is the last of these.
const DAYS_MAX: u64 = 1_000_000;

/// How far the payments of a queue have come.
struct Payments {
    /// The time of the last one.
    time: Time,
    /// What may still be paid on its day.
    left: Money,
    /// What is paid on a day at most.
    most: Money,
}

impl Payments {
    /// The time at which an amount that is due at a time is paid in full, after all before it.
    fn pay(&mut self, due: Time, amount: Money) -> Time {
        let start = self.time.max(due);
        let mut day = Day::of(start);
        if day > Day::of(self.time) {
            self.left = self.most;
        }
        self.time = start;
        if amount > self.left {
            let missing = amount.units().saturating_sub(self.left.units());
            let most = self.most.units().max(1);
            let days = missing.div_euclid(most) + i128::from(missing.rem_euclid(most) > 0);
            let last = missing - (days - 1) * most;
            self.left = Money::from_units(most - last);
            day = day.plus(u64::try_from(days).unwrap_or(u64::MAX).min(DAYS_MAX));
            self.time = day.start();
        } else {
            self.left = self.left.checked_sub(amount).unwrap_or(Money::ZERO);
        }
        self.time
    }
}

impl Staking {
    /// The open redemptions of an account, each with the time at which its last part is paid if the terms stay as they are (D-100). It walks
    /// through the queues of the account's pairs.
    pub fn expected_of(&self, account: AccountId, now: Time) -> impl Iterator<Item = (&Redemption, Time)> {
        let mut times: BTreeMap<(PairId, u64), Time> = BTreeMap::new();
        let mut last = None;
        for redemption in self.open_of(account) {
            if last != Some(redemption.pair) {
                last = Some(redemption.pair);
                self.expect_queue(redemption.pair, account, now, &mut times);
            }
        }
        self.open_of(account)
            .map(move |row| (row, times.get(&(row.pair, row.number)).copied().unwrap_or(row.due)))
    }

    /// Adds the times at which an account's redemptions of a pair are paid.
    fn expect_queue(
        &self,
        id: PairId,
        account: AccountId,
        now: Time,
        times: &mut BTreeMap<(PairId, u64), Time>,
    ) {
        let Some(pair) = self.pair(id) else { return };
        let mut payments =
            pair.terms.per_day.map(|most| Payments { time: now, left: pair.allowance(now), most });
        for row in self.queue_of(id) {
            let time = match &mut payments {
                Some(payments) => payments.pay(row.due, row.left()),
                None => row.due.max(now),
            };
            if row.account == account {
                times.insert((id, row.number), time);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = Day::MICROS;

    fn money(units: i128) -> Money {
        Money::from_units(units)
    }

    /// Ten a day: what does not fit goes on at midnight, and idle days are lost.
    #[test]
    fn payments_follow_the_days_maximum() {
        let mut payments = Payments { time: Time(DAY + 7), left: money(4), most: money(10) };
        for (due, amount, paid) in [
            (5, 3, DAY + 7),
            (DAY + 9, 1, DAY + 9),
            (DAY + 9, 1, 2 * DAY),
            (DAY + 9, 9, 2 * DAY),
            (2 * DAY + 5, 20, 4 * DAY),
            (4 * DAY + 1, 5, 5 * DAY),
            (9 * DAY + 1, 10, 9 * DAY + 1),
            (9 * DAY + 1, 11, 11 * DAY),
        ] {
            assert_eq!(payments.pay(Time(due), money(amount)), Time(paid), "{due} {amount}");
        }
        let mut payments = Payments { time: Time(0), left: money(0), most: money(1) };
        assert_eq!(payments.pay(Time(0), Money::MAX), Day(DAYS_MAX).start());
    }
}
