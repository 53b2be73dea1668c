//! When open redemptions will be paid under the present terms.

use crate::redeem::Redemption;
use crate::{PairId, Staking};
use alloc::vec::Vec;
use buttonwood_model::{AccountId, Day, Time};
use buttonwood_num::Money;

/// More days than any redemption waits for: beyond them the answer is the last of these.
const DAYS_MAX: u64 = 1_000_000;

/// The payments of a pair with a daily maximum, from today on.
struct Days<'a> {
    room: &'a Staking,
    pair: PairId,
    now: Time,
    /// The day that the payments have come to.
    day: Day,
    /// The sum of all payments before that day.
    paid: Money,
    /// The amount that may still be paid on that day.
    left: Money,
    /// The most that is paid on a day.
    most: Money,
}

impl Days<'_> {
    /// Goes on to the next day.
    fn end_day(&mut self) {
        let next = self.day.plus(1);
        let last = Time(next.start().0.saturating_sub(1));
        let due = self.room.owed_up_to(self.pair, (last, u64::MAX));
        self.paid = self.paid.capped_add(self.left).min(due);
        (self.day, self.left) = (next, self.most);
    }

    /// The time at which a redemption is paid in full. They must be asked for in the order in which they fall due.
    fn time_of(&mut self, row: &Redemption) -> Time {
        while self.day < Day::of(row.due) {
            self.end_day();
        }
        let until = self.room.owed_up_to(self.pair, (row.due, row.number)).units();
        let missing = until.saturating_sub(self.paid.capped_add(self.left).units());
        let most = self.most.units().max(1);
        let whole = missing.div_euclid(most) + i128::from(missing.rem_euclid(most) > 0);
        let days = if missing > 0 { u64::try_from(whole).unwrap_or(u64::MAX).min(DAYS_MAX) } else { 0 };
        self.day.plus(days).start().max(row.due).max(self.now)
    }
}

impl Staking {
    /// The open redemptions of an account, each with the time at which its last part is paid if the terms stay as they are (D-100).
    pub fn expected_of(&self, account: AccountId, now: Time) -> Vec<(&Redemption, Time)> {
        let mut own: Vec<&Redemption> = self.open_of(account).collect();
        own.sort_unstable_by_key(|row| (row.pair, row.due, row.number));
        let of_pairs = own.chunk_by(|one, next| one.pair == next.pair);
        of_pairs.flat_map(|rows| self.times_of(rows, now)).collect()
    }

    /// The times at which redemptions of a pair are paid.
    fn times_of<'a>(&self, rows: &[&'a Redemption], now: Time) -> Vec<(&'a Redemption, Time)> {
        let pair = rows.first().and_then(|row| Some((row.pair, self.pair(row.pair)?)));
        let days = pair.and_then(|(id, pair)| {
            let (day, left) = (Day::of(now), pair.allowance(now));
            Some(Days { room: self, pair: id, now, day, paid: Money::ZERO, left, most: pair.terms.per_day? })
        });
        match days {
            Some(mut days) => rows.iter().map(|row| (*row, days.time_of(row))).collect(),
            None => rows.iter().map(|row| (*row, row.due.max(now))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PairTerms, Provider, Terms};
    use buttonwood_model::CurrencyId;

    const DAY: u64 = Day::MICROS;
    const ANN: AccountId = AccountId(7);

    fn money(units: i128) -> Money {
        Money::from_units(units)
    }

    /// A room with a pair that pays out at most so much a day.
    fn room(per_day: i128) -> Staking {
        let mut room = Staking::default();
        let terms = Terms { per_day: Some(money(per_day)), ..Terms::default() };
        room.pair_or_new(&PairTerms { provider: Provider([0; 16]), currency: CurrencyId(0), terms }, 0);
        room
    }

    /// Adds a redemption that was requested at a time and takes so long.
    fn add(room: &mut Staking, number: u64, account: AccountId, (at, wait): (u64, u64), amount: i128) {
        let (amount, paid) = (money(amount), Money::ZERO);
        let (requested, due) = (Time(at), Time(at + wait));
        room.enqueue(Redemption { number, account, pair: PairId(0), amount, paid, requested, due });
    }

    /// Pays an amount from the front of the queue.
    fn pay(room: &mut Staking, now: Time, mut amount: Money) {
        while let Some(first) = room.first_of(PairId(0)).copied().filter(|first| first.due <= now) {
            let part = first.left().min(amount);
            let paid = Redemption { paid: first.paid.capped_add(part), ..first };
            amount = amount.checked_sub(part).unwrap();
            room.pair_mut(PairId(0)).unwrap().note_paid(now, part);
            if paid.left() > Money::ZERO {
                room.queue.insert((paid.pair, paid.due, paid.number), paid);
                return;
            }
            room.dequeue(&first);
        }
    }

    fn times(room: &Staking, now: u64) -> Vec<(u64, Time)> {
        let mut all: Vec<_> = room.expected_of(ANN, Time(now)).into_iter().collect();
        all.sort_unstable_by_key(|(row, _)| row.number);
        all.into_iter().map(|(row, time)| (row.number, time)).collect()
    }

    /// Ten a day: what does not fit goes on at midnight, and idle days are lost.
    #[test]
    fn payments_follow_the_days_maximum() {
        let mut room = room(10);
        let now = DAY + 7;
        room.pair_mut(PairId(0)).unwrap().note_paid(Time(now), money(6));
        let mut expected = Vec::new();
        for (number, (due, amount, paid)) in (1..).zip([
            (5, 3, DAY + 7),
            (DAY + 9, 1, DAY + 9),
            (DAY + 9, 1, 2 * DAY),
            (DAY + 9, 9, 2 * DAY),
            (2 * DAY + 5, 20, 4 * DAY),
            (4 * DAY + 1, 5, 5 * DAY),
            (9 * DAY + 1, 10, 9 * DAY + 1),
            (9 * DAY + 1, 11, 11 * DAY),
        ]) {
            add(&mut room, number, ANN, (0, due), amount);
            expected.push((number, Time(paid)));
        }
        assert_eq!(times(&room, now), expected);
        let mut room = self::room(1);
        add(&mut room, 1, ANN, (0, 0), i128::MAX);
        room.pair_mut(PairId(0)).unwrap().note_paid(Time(0), money(1));
        assert_eq!(times(&room, 0), [(1, Day(DAYS_MAX).start())]);
    }

    /// The same times by a walk through the whole queue.
    fn walk(room: &Staking, now: Time) -> Vec<(u64, Time)> {
        let pair = room.pair(PairId(0)).unwrap();
        let (mut day, mut left, most) = (Day::of(now), pair.allowance(now), pair.terms.per_day.unwrap());
        let mut all = Vec::new();
        for row in room.queue_of(PairId(0)) {
            if Day::of(row.due) > day {
                (day, left) = (Day::of(row.due), most);
            }
            let mut needed = row.left();
            while needed > left {
                needed = needed.checked_sub(left).unwrap();
                (day, left) = (day.plus(1), most);
            }
            left = left.checked_sub(needed).unwrap();
            if row.account == ANN {
                all.push((row.number, day.start().max(row.due).max(now)));
            }
        }
        all.sort_unstable();
        all
    }

    /// Random requests, changes of the redemption time, and payments: the totals say what the whole queue does.
    #[test]
    fn totals_say_what_a_walk_says() {
        let mut word = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = |below: u64| {
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
            word % below
        };
        let mut seen = 0;
        for _ in 0..100 {
            let mut room = room(i128::from(next(20) + 1));
            let (mut now, mut wait) = (DAY, 0);
            for number in 1..=60 {
                now += next(DAY / 4);
                if next(8) == 0 {
                    wait = next(4) * next(2 * DAY);
                    room.shorten(PairId(0), wait);
                    let numbers: Vec<_> = room.queue_of(PairId(0)).map(|row| row.number).collect();
                    assert!(numbers.is_sorted(), "as they were requested: {numbers:?}");
                }
                let account = AccountId(6 + u32::try_from(next(3)).unwrap());
                add(&mut room, number, account, (now, wait), i128::from(next(15) + 1));
                let allowance = room.pair(PairId(0)).unwrap().allowance(Time(now));
                if next(3) == 0 {
                    pay(&mut room, Time(now), allowance.min(money(i128::from(next(9) + 1))));
                }
                let found = times(&room, now);
                assert_eq!(found, walk(&room, Time(now)), "{number}");
                seen += found.len();
            }
        }
        assert!(seen > 10_000, "{seen}");
    }

    /// A read costs no walk through the queue: with one, this would take minutes.
    #[test]
    fn a_long_queue_costs_no_walk() {
        const MANY: u64 = 50_000;
        let mut room = room(10);
        for number in 1..=MANY {
            let account = if number == MANY { ANN } else { AccountId(1) };
            add(&mut room, number, account, (number, 0), 1);
        }
        let last = Time(DAY + MANY / 10 * DAY - DAY);
        for _ in 0..20_000 {
            assert_eq!(times(&room, DAY), [(MANY, last)]);
        }
    }
}
