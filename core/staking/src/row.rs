//! The stake of one account, and the days of it that are not paid yet.
//!
//! A day's interest follows from what was staked in each second of the day, whenever it is computed. So a row keeps, for each ended day that is
//! not paid and on which the stake changed, the sum of amounts times seconds. The interest of a day that waits counts as staked from its
//! 20:00 on, until everything is unstaked: then it leaves too, and is paid to the exchange balance (D-95, D-98).

use crate::day::{DAY, day_of, end_of, start_of};
use crate::pair::Ended;
use alloc::collections::VecDeque;
use buttonwood_num::{Money, Wide};
use serde::{Deserialize, Serialize};

/// The stake of an account with a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The amount that is staked now.
    pub(crate) amount: Money,
    /// The interest so far.
    pub(crate) total: Money,
    /// The day on which it changed last.
    day: u64,
    /// The second at which it changed last.
    at: u64,
    /// Amounts times seconds, from the day's begin to `at`.
    sum: Wide,
    /// The first second of the day at which all was unstaked.
    gone: Option<u64>,
    /// Earlier days that are not paid: the first that is not paid, and all others on which the stake changed.
    past: VecDeque<Past>,
}

/// An ended day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Past {
    day: u64,
    /// Amounts times seconds.
    sum: Wide,
    /// The first second at which all was unstaked.
    gone: Option<u64>,
    /// The amount at its end.
    left: Money,
}

impl Past {
    /// Adds interest that counts as staked from the day's begin. Returns whether it is still staked at the day's end.
    fn add(&mut self, interest: Money) -> bool {
        let until = self.gone.unwrap_or(end_of(self.day));
        self.sum = self.sum.plus(interest, until.saturating_sub(start_of(self.day)));
        if self.gone.is_some() {
            return false;
        }
        self.left = self.left.capped_add(interest);
        true
    }
}

impl Row {
    /// A row without a stake.
    pub(crate) fn new(seconds: u64, total: Money) -> Self {
        Self { day: day_of(seconds), at: seconds, total, ..Self::default() }
    }

    /// Counts what was staked until this second. The days that ended by then have an event before it.
    fn advance(&mut self, seconds: u64) {
        let day = day_of(seconds);
        if day > self.day {
            let sum = self.sum_to_end();
            self.past.push_back(Past { day: self.day, sum, gone: self.gone.take(), left: self.amount });
            (self.day, self.at, self.sum) = (day, start_of(day), Wide::ZERO);
        }
        self.sum = self.sum.plus(self.amount, seconds.saturating_sub(self.at));
        self.at = self.at.max(seconds);
    }

    /// Amounts times seconds of the day on which it changed last, to its end.
    fn sum_to_end(&self) -> Wide {
        self.sum.plus(self.amount, end_of(self.day).saturating_sub(self.at))
    }

    /// Adds a stake.
    pub(crate) fn stake(&mut self, amount: Money, seconds: u64) {
        self.advance(seconds);
        self.amount = self.amount.capped_add(amount);
    }

    /// Takes what is redeemed.
    pub(crate) fn unstake(&mut self, amount: Money, seconds: u64) {
        self.advance(seconds);
        self.amount = self.amount.checked_sub(amount).unwrap_or(Money::ZERO).max(Money::ZERO);
        if self.amount == Money::ZERO {
            self.gone.get_or_insert(seconds);
        }
    }

    /// Amounts times seconds of the first day that is not paid.
    pub(crate) fn sum_of(&self, day: u64) -> Wide {
        match self.past.front() {
            Some(past) if past.day == day => past.sum,
            None if self.day == day => self.sum_to_end(),
            // The stake began later.
            Some(_) | None => Wide::ZERO,
        }
    }

    /// Amounts times seconds of any day that is not paid, without the interest of days before it that are not paid either.
    fn sum_on(&self, day: u64) -> Wide {
        if day >= self.day {
            return if day == self.day { self.sum_to_end() } else { Wide::ZERO.plus(self.amount, DAY) };
        }
        match self.past.iter().rfind(|past| past.day <= day) {
            Some(past) if past.day == day => past.sum,
            Some(before) => Wide::ZERO.plus(before.left, DAY),
            None => Wide::ZERO,
        }
    }

    /// Whether one of the ended days will pay interest. The first that does needs none of an earlier day.
    pub(crate) fn waits_for(&self, ended: &VecDeque<Ended>) -> bool {
        ended.iter().any(|ended| ended.rate.interest(self.sum_on(ended.day)) != Some(Money::ZERO))
    }

    /// Whether the interest of the first day that is not paid joins the stake: it was not all unstaked at its end or later.
    pub(crate) fn joins(&self, day: u64) -> bool {
        match self.past.front() {
            Some(past) if past.day == day => {
                let later = self.past.iter().skip(1).map(|past| past.gone).chain([self.gone]);
                past.left > Money::ZERO && { later }.all(|gone| gone.is_none())
            }
            None if self.day == day => self.amount > Money::ZERO,
            Some(_) | None => false,
        }
    }

    /// Ends the first day that is not paid, with its interest, which joins the stake or was paid to the balance.
    pub(crate) fn pay(&mut self, day: u64, interest: Money, to_stake: bool) {
        self.total = self.total.capped_add(interest);
        // Interest that repaid a debt instead of joining the stake does not compound.
        let counts = to_stake || !self.joins(day);
        match self.past.front() {
            Some(past) if past.day == day => {
                let left = past.left;
                self.past.pop_front();
                let counts = counts && left > Money::ZERO;
                if counts {
                    self.compound(interest);
                }
                self.begin(day + 1, if counts { left.capped_add(interest) } else { left });
            }
            None if self.day == day => {
                if to_stake {
                    self.amount = self.amount.capped_add(interest);
                }
                (self.day, self.at, self.sum, self.gone) = (day + 1, end_of(day), Wide::ZERO, None);
            }
            Some(_) | None => {}
        }
    }

    /// Counts interest as staked from the end of the first day, until everything is unstaked.
    fn compound(&mut self, interest: Money) {
        for past in &mut self.past {
            if !past.add(interest) {
                return;
            }
        }
        let until = self.gone.unwrap_or(self.at);
        self.sum = self.sum.plus(interest, until.saturating_sub(start_of(self.day)));
        if self.gone.is_none() {
            self.amount = self.amount.capped_add(interest);
        }
    }

    /// Notes a day on which the stake did not change, if a later one is noted.
    fn begin(&mut self, day: u64, left: Money) {
        let next = self.past.front().map_or(self.day, |past| past.day);
        if next > day && left > Money::ZERO {
            let sum = Wide::ZERO.plus(left, DAY);
            self.past.push_front(Past { day, sum, gone: None, left });
        }
    }

    /// Whether nothing is staked and no day waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.amount == Money::ZERO && self.past.is_empty() && self.sum == Wide::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rate;

    const RATE: Rate = Rate(98_765_432_109);

    /// Pays the first day that waits.
    fn pay(row: &mut Row, day: u64) {
        let interest = RATE.interest(row.sum_of(day)).unwrap();
        let joins = row.joins(day);
        row.pay(day, interest, joins);
    }

    /// Whenever its days are paid, a row ends with the same stake and the same interest: random acts at random seconds, days that wait for
    /// random times, and others on which nothing happens.
    #[test]
    fn late_days_lead_to_the_same_stake() {
        let mut word = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = |below: u64| {
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
            word % below
        };
        for _ in 0..200 {
            let begin = end_of(20_000) + next(DAY);
            let [mut in_time, mut late] = [(); 2].map(|()| Row::new(begin, Money::ZERO));
            let (mut now, mut paid, mut paid_late) = (begin, day_of(begin), day_of(begin));
            for _ in 0..60 {
                now += next(2 * DAY) / (1 + next(40));
                while paid < day_of(now) {
                    pay(&mut in_time, paid);
                    paid += 1;
                }
                if next(5) == 0 {
                    for _ in 0..=next(4) {
                        if paid_late < day_of(now) {
                            pay(&mut late, paid_late);
                            paid_late += 1;
                        }
                    }
                }
                let third = Money::from_units(late.amount.units() / 3);
                for row in [&mut in_time, &mut late] {
                    if third > Money::ZERO && now % 2 == 0 {
                        row.unstake(third, now);
                    } else {
                        row.stake(Money::from_units(i128::from(now) << 40), now);
                    }
                }
            }
            while paid_late < paid {
                pay(&mut late, paid_late);
                paid_late += 1;
            }
            assert_eq!((&late, in_time.total > Money::ZERO), (&in_time, true));
        }
    }

    /// A row waits for the ended days that pay it interest: not for one before its stake, nor for one without a rate.
    #[test]
    fn a_row_waits_for_interest_only() {
        let begin = start_of(20_001);
        let mut row = Row::new(begin, Money::ZERO);
        row.stake(Money::ONE, begin);
        let ended = |days: &[(u64, Rate)]| {
            let all = days.iter().map(|(day, rate)| Ended { day: *day, rate: *rate, price: None });
            all.collect::<VecDeque<_>>()
        };
        assert!(!row.waits_for(&ended(&[(20_000, RATE)])), "the stake began later");
        assert!(!row.waits_for(&ended(&[(20_000, RATE), (20_001, Rate(0))])), "the day has no rate");
        assert!(row.waits_for(&ended(&[(20_000, RATE), (20_001, Rate(0)), (20_002, RATE)])));
        row.unstake(Money::ONE, begin + 2 * DAY);
        assert!(row.waits_for(&ended(&[(20_002, RATE)])), "it was staked that day");
        assert!(!row.waits_for(&ended(&[(20_003, RATE)])), "nothing was staked any more");
        for day in 20_001..20_003 {
            pay(&mut row, day);
        }
        assert!(!row.waits_for(&ended(&[(20_002, RATE)])), "it is paid");
    }

    /// A row without a stake goes once its last day is paid, and a day before it began pays nothing.
    #[test]
    fn a_row_begins_and_ends() {
        let begin = start_of(20_000) + 5;
        let mut row = Row::new(begin, Money::ZERO);
        row.stake(Money::ONE, begin);
        assert_eq!((row.sum_of(19_999), row.joins(19_999)), (Wide::ZERO, false));
        row.unstake(Money::ONE, begin + 9);
        assert!(!row.is_idle());
        assert_eq!(row.sum_of(20_000), Wide::ZERO.plus(Money::ONE, 9));
        pay(&mut row, 20_000);
        assert!(row.is_idle() && row.total > Money::ZERO);
    }
}
