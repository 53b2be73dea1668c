//! The percentage that a simple rate yields in a year of daily compounding (STK-004), rounded to 2 decimals.
//!
//! `(1 + rate ÷ 3,650,000)³⁶⁵ − 1`, for a rate in basis points. It is compared as whole numbers of some 15,000 bits, so that the rounded figure
//! is exact for every rate; no float is involved.

use std::cmp::Ordering;

/// Days of a year.
const DAYS: usize = 365;
/// One, in the unit of a day's rate: 10,000 basis points × 365 days × 10⁶, since rates have six decimals.
const ONE: u64 = 10_000 * 365 * 1_000_000;
/// One, in hundredths of a percent.
const WHOLE: u64 = 10_000;
/// More hundredths of a percent than any rate of a term yields.
const MOST: u64 = 1 << 40;

/// The yield in hundredths of a percent, half rounded up, of a rate in millionths of a basis point.
pub(super) fn hundredths(rate: u64) -> u64 {
    let (grown, unit) = (Natural::power(ONE.saturating_add(rate)), Natural::power(ONE));
    // The largest `sum` with `2 × 10,000 × grown ≥ (2 × sum − 1) × unit`.
    let twice = grown.times(2 * WHOLE);
    let (mut low, mut high) = (WHOLE, MOST);
    while low + 1 < high {
        let middle = low.midpoint(high);
        if twice.compare(&unit.times(2 * middle - 1)) == Ordering::Less {
            high = middle;
        } else {
            low = middle;
        }
    }
    low - WHOLE
}

/// A natural number: its words, the lowest first, the highest not zero.
struct Natural(Vec<u64>);

impl Natural {
    /// The 365th power of a number.
    fn power(base: u64) -> Self {
        (0..DAYS).fold(Self(vec![1]), |power, _| power.times(base))
    }

    fn times(&self, factor: u64) -> Self {
        let mut carry = 0;
        let mut product: Vec<u64> = Vec::with_capacity(self.0.len() + 1);
        for word in &self.0 {
            let wide = u128::from(*word) * u128::from(factor) + carry;
            let low = wide & u128::from(u64::MAX);
            product.push(u64::try_from(low).unwrap_or(u64::MAX));
            carry = wide >> 64;
        }
        product.extend(u64::try_from(carry).ok().filter(|carry| *carry > 0));
        Self(product)
    }

    fn compare(&self, other: &Self) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of the facts, and others computed apart with 60 decimals.
    #[test]
    fn yields_are_rounded_exactly() {
        for (rate, expected) in [
            (0, 0),
            (1, 0),
            (228_019_700, 231),
            (540_000_000, 555),
            (365_000_000, 372),
            (730_000_000, 757),
            (10_000_000_000, 17_146),
            (100_000_000_000, 192_528_327),
            // The last rate below a half, and the first from it on.
            (499_987, 0),
            (499_988, 1),
            (539_712_061, 554),
            (539_712_062, 555),
        ] {
            assert_eq!(hundredths(rate), expected, "{rate}");
        }
    }
}
