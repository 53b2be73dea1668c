//! Sums of products that need 256 bits, such as amounts times seconds.

use crate::Money;
use crate::conversion::{divide, multiply};
use serde::{Deserialize, Serialize};

/// A sum of amounts, each times a whole number, in units of 10⁻¹⁹.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wide {
    high: u128,
    low: u128,
}

impl Wide {
    /// Nothing.
    pub const ZERO: Self = Self { high: 0, low: 0 };

    /// The sum with `amount` × `count`; an amount below zero counts as zero. It saturates at 2²⁵⁶ - 1.
    #[must_use]
    pub fn plus(self, amount: Money, count: u64) -> Self {
        let units = u128::try_from(amount.units()).unwrap_or(0);
        let (high, low) = multiply(units, u128::from(count));
        let (low, carries) = self.low.overflowing_add(low);
        let sum = self.high.checked_add(high).and_then(|sum| sum.checked_add(u128::from(carries)));
        sum.map_or(Self { high: u128::MAX, low: u128::MAX }, |high| Self { high, low })
    }

    /// The sum × `factor` ÷ `divisor`, with one rounding: down, at 10⁻¹⁹. `None` for a divisor of zero, and beyond the range of money.
    pub fn scaled(self, factor: u64, divisor: u128) -> Option<Money> {
        let (carry, low) = multiply(self.low, u128::from(factor));
        let high = self.high.checked_mul(u128::from(factor))?.checked_add(carry)?;
        let (quotient, _) = divide((high, low), divisor)?;
        i128::try_from(quotient).ok().map(Money::from_units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;

    /// Sums and quotients are those of integers of any length, at both ends of the range.
    #[test]
    fn a_sum_is_that_of_long_integers() {
        let mut word = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835_u128;
        let mut next = || {
            word ^= word << 29;
            word ^= word >> 53;
            word ^= word << 71;
            word
        };
        for round in 0..5_000_u32 {
            let (mut sum, mut plain) = (Wide::ZERO, BigUint::ZERO);
            for _ in 0..round % 5 {
                let amount = (next() >> 1) >> (next() % 127);
                let count = u64::try_from(next() % 1_000_000).unwrap();
                sum = sum.plus(Money::from_units(i128::try_from(amount).unwrap()), count);
                plain += BigUint::from(amount) * count;
            }
            let factor = u64::try_from(next() % 100_000_000_000).unwrap();
            for divisor in [315_360_000_000_000_000, 1, u128::MAX] {
                let expected = i128::try_from(&plain * factor / divisor).ok().map(Money::from_units);
                assert_eq!(sum.scaled(factor, divisor), expected, "{plain} {factor} {divisor}");
            }
        }
    }

    #[test]
    fn a_sum_has_ends() {
        let most = Wide::ZERO.plus(Money::MAX, u64::MAX).plus(Money::MAX, u64::MAX);
        assert_eq!((most.scaled(u64::MAX, 1), most.scaled(1, 0)), (None, None));
        assert_eq!(Wide::ZERO.plus(Money::from_units(-5), 7), Wide::ZERO);
        assert_eq!(Wide::ZERO.plus(Money::from_units(5), 7).scaled(3, 10), Some(Money::from_units(10)));
        let full = Wide { high: u128::MAX, low: 1 };
        assert_eq!(full.plus(Money::MAX, 4), Wide { high: u128::MAX, low: u128::MAX });
    }
}
