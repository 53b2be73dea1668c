//! Funding: the differences of each minute, the hour's amount, and what a position pays.
//!
//! Clauses: `PERP-016` to `PERP-018`; decisions D-49, D-50, D-177. Not here: clocks, hours, and who is paid.

use crate::price::TWELFTH_DECIMAL;
use buttonwood_num::{Bps, Money, Round, mul_div};
use serde::{Deserialize, Serialize};

/// Minutes of an hour, the period of a funding amount.
pub const MINUTES: u32 = 60;

/// Values of a minute, and hours of a day, by which the mean is divided.
const VALUES: i128 = 4;
const HOURS: i128 = 24;

/// The parts of a whole that a cap counts.
const PARTS: i128 = 10_000;

/// The operators' settings for the funding of every contract (D-177).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The largest amount of an hour, as a part of the mark.
    pub cap: Bps,
    /// How many dollars must rest on each side of a contract's book, so that its difference counts.
    pub depth: Money,
}

/// The greatest depth that can be set: a billion dollars.
const DEPTH_MAX: Money = Money::from_units(1_000_000_000 * Money::ONE.units());

impl Default for Terms {
    /// 0.05 % of the mark, and 1,000 dollars.
    fn default() -> Self {
        Self { cap: Bps(5), depth: Money::from_units(1_000 * Money::ONE.units()) }
    }
}

impl Terms {
    /// Whether they can be kept: a cap of at most the whole mark, and a depth above zero and of at most a billion dollars.
    pub fn are_valid(&self) -> bool {
        (0..=PARTS).contains(&self.cap.get()) && self.depth > Money::ZERO && self.depth <= DEPTH_MAX
    }
}

/// The differences (the perpetual's book less the index) of a minute. Each is in dollars for one unit of base.
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
/// decimals, and then kept within a part of the mark (cut to 12 decimals) in either direction. `sums` are those of [`Minute::sum`]; a
/// minute that is missing counts zero. Zero for no minutes.
pub fn amount(sums: impl IntoIterator<Item = Money>, minutes: u32, mark: Money, cap: Bps) -> Money {
    let sum = sums.into_iter().fold(Money::ZERO, saturating_add);
    let divisor = VALUES * HOURS * i128::from(minutes) * TWELFTH_DECIMAL.units();
    let steps = mul_div(sum.units(), 1, divisor, Round::HalfEven).unwrap_or(0);
    let cap =
        mul_div(mark.units(), cap.get(), PARTS * TWELFTH_DECIMAL.units(), Round::Down).unwrap_or(0).max(0);
    // The sum was divided by more than a step, so this cannot overflow.
    Money::from_units(steps.clamp(-cap, cap).saturating_mul(TWELFTH_DECIMAL.units()))
}

/// The payment of a position, negative if it receives: quantity × amount. Exact for quantities of up to 7 decimals, otherwise rounded
/// towards zero. `None` beyond the range of money.
pub fn payment(quantity: Money, amount: Money) -> Option<Money> {
    quantity.times(amount, Round::Cut)
}

#[cfg(test)]
mod tests;
