//! Funding: the differences of each minute, the hour's amount, and what a position pays.
//!
//! Clauses: `PERP-016` to `PERP-018`; decisions D-49, D-50. Not here: clocks, hours, and who is paid.

use crate::price::TWELFTH_DECIMAL;
use buttonwood_num::{Money, Round, mul_div};
use serde::{Deserialize, Serialize};

/// Minutes of an hour, the period of a funding amount.
pub const MINUTES: u32 = 60;

/// Values of a minute, and hours of a day, by which the mean is divided.
const VALUES: i128 = 4;
const HOURS: i128 = 24;

/// The amount is at most 50 parts of 10,000 of the mark.
const CAP: i128 = 50;
const PARTS: i128 = 10_000;

/// The differences (median of the perpetual's book − index) of a minute. Each is in dollars for one unit of base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minute {
    open: Money,
    high: Money,
    low: Money,
    close: Money,
}

impl Minute {
    /// A minute that begins with a difference in force, or in which the first one is taken.
    pub fn new(difference: Money) -> Self {
        Self { open: difference, high: difference, low: difference, close: difference }
    }

    /// A mark took another difference.
    pub fn take(&mut self, difference: Money) {
        self.high = self.high.max(difference);
        self.low = self.low.min(difference);
        self.close = difference;
    }

    /// The last difference, with which the next minute begins.
    pub fn close(&self) -> Money {
        self.close
    }

    /// open + high + low + close: four times the mean of the minute, so that nothing is rounded. It saturates at the ends of money.
    pub fn sum(&self) -> Money {
        [self.open, self.high, self.low, self.close].into_iter().fold(Money::ZERO, saturating_add)
    }
}

/// The sum; at the end of the range beyond it.
fn saturating_add(one: Money, other: Money) -> Money {
    Money::from_units(one.units().saturating_add(other.units()))
}

/// The funding amount of `minutes` minutes, in dollars for one unit of base: the mean of the minutes ÷ 24, rounded half even at 12
/// decimals, and then kept within 0.5 % of the mark (cut to 12 decimals) in either direction. `sums` are those of [`Minute::sum`]; a
/// minute that is missing counts zero. Zero for no minutes.
pub fn amount(sums: impl IntoIterator<Item = Money>, minutes: u32, mark: Money) -> Money {
    let sum = sums.into_iter().fold(Money::ZERO, saturating_add);
    let divisor = VALUES * HOURS * i128::from(minutes) * TWELFTH_DECIMAL.units();
    let steps = mul_div(sum.units(), 1, divisor, Round::HalfEven).unwrap_or(0);
    let cap = mul_div(mark.units(), CAP, PARTS * TWELFTH_DECIMAL.units(), Round::Down).unwrap_or(0).max(0);
    // The sum was divided by more than a step, so this cannot overflow.
    Money::from_units(steps.clamp(-cap, cap).saturating_mul(TWELFTH_DECIMAL.units()))
}

/// What a position pays, negative if it receives: quantity × amount. Exact for quantities of up to 7 decimals, otherwise rounded
/// towards zero. `None` beyond the range of money.
pub fn payment(quantity: Money, amount: Money) -> Option<Money> {
    quantity.times(amount, Round::Cut)
}

#[cfg(test)]
mod tests;
