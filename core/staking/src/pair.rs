//! The state of a pair.

use crate::day::accrual_time;
use crate::{Provider, Rate, Terms};
use alloc::collections::VecDeque;
use buttonwood_model::{AccountId, CurrencyId, Day, Time};
use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// A pair of a provider and a currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The provider.
    pub provider: Provider,
    /// The currency.
    pub currency: CurrencyId,
    /// The terms, as they are shown.
    pub terms: Terms,
    /// The day that runs.
    pub(crate) day: u64,
    /// The rate of the day that runs.
    pub(crate) running: Rate,
    /// The days that have ended and are not paid, in order.
    pub(crate) ended: VecDeque<Ended>,
    /// The progress of the first of them.
    pub(crate) work: Work,
    /// The UTC day of the last redemption, and what was paid on it.
    pub(crate) paid: (Day, Money),
    /// When the first ended day could go on after it had waited for money, or its last step after that.
    pub(crate) ready: Time,
    /// The last known dollar price of one coin: at the last stake or at the end of the last day.
    pub(crate) price: Option<Money>,
    /// When the terms were set. Redemptions that the terms before held back are due from then on.
    pub(crate) terms_set: Time,
}

/// A day that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The UTC day on which it ended, counted from 1970-01-01.
    pub day: u64,
    /// Its rate.
    pub rate: Rate,
    /// The dollar price of one coin at its end; none if there was none.
    pub price: Option<Money>,
}

/// The progress of a day's accrual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Work {
    /// Interest is added up: the last account that was counted, and the sum so far.
    Counting(Option<AccountId>, Money),
    /// The sum of all accounts, which is more than `staking_rewards` has.
    Short(Money),
    /// Interest is paid: the last account that was paid, and the part of the sum that is left.
    Paying(Option<AccountId>, Money),
    /// No day has ended, or its accrual has not begun.
    #[default]
    Idle,
}

impl Pair {
    /// The amount that may be paid out now.
    pub(crate) fn allowance(&self, now: Time) -> Money {
        let Some(most) = self.terms.per_day else { return Money::MAX };
        let (day, paid) = self.paid;
        if day == Day::of(now) {
            most.checked_sub(paid).unwrap_or(Money::ZERO).max(Money::ZERO)
        } else {
            most
        }
    }

    /// When a redemption that is due at a time is paid, as far as the day's maximum allows it.
    pub(crate) fn paid_from(&self, due: Time) -> Time {
        let (day, paid) = self.paid;
        let due = due.max(self.terms_set);
        let is_used_up = self.terms.per_day.is_some_and(|most| paid >= most);
        if is_used_up && Day::of(due) <= day { due.max(day.plus(1).start()) } else { due }
    }

    /// Notes what was paid out.
    pub(crate) fn note_paid(&mut self, now: Time, amount: Money) {
        let today = Day::of(now);
        let (day, paid) = self.paid;
        self.paid = (today, if day == today { paid.capped_add(amount) } else { amount });
    }

    /// Notes a price, if there was one.
    pub(crate) fn note_price(&mut self, price: Option<Money>) {
        self.price = price.filter(|price| *price > Money::ZERO).or(self.price);
    }

    /// The ended days whose interest is not paid, in order.
    pub fn waiting(&self) -> impl Iterator<Item = &Ended> {
        self.ended.iter()
    }

    /// The interest of the first ended day, of all accounts, if `staking_rewards` has less.
    pub fn needed(&self) -> Option<Money> {
        if let Work::Short(total) = self.work { Some(total) } else { None }
    }

    /// When the first ended day is due to go on: at its 20:00, or later if it had to wait. So a backlog of late days comes after all that fell
    /// due before the money came.
    pub(crate) fn step_time(&self) -> Option<Time> {
        Some(accrual_time(self.ended.front()?.day).max(self.ready))
    }

    /// Notes a step of the first ended day. All that falls due by the clock before the next step of a late day comes before it.
    pub(crate) fn note_step(&mut self, now: Time) {
        let is_late = self.ended.front().is_some_and(|ended| self.ready > accrual_time(ended.day));
        if is_late {
            self.ready = now;
        }
    }

    /// The part of `staking_rewards` that the day under way will still take.
    pub(crate) fn reserved(&self) -> Money {
        if let Work::Paying(_, left) = self.work { left } else { Money::ZERO }
    }
}
