//! Tests recompute figures with fractions of any length, and draw inputs from a fixed seed.

use buttonwood_num::{Decimal, Money};
use num_bigint::BigInt;
use num_rational::BigRational;

/// An exact number of dollars or units.
pub(crate) type Exact = BigRational;

/// A fraction of two small numbers.
pub(crate) fn ratio(numerator: i128, denominator: i128) -> Exact {
    Exact::new(BigInt::from(numerator), BigInt::from(denominator))
}

/// An amount as a fraction.
pub(crate) fn exact(amount: Money) -> Exact {
    ratio(amount.units(), Money::ONE.units())
}

/// The amount at 10⁻¹⁹ at or below a fraction.
pub(crate) fn floor(value: &Exact) -> Money {
    let units = (value * ratio(Money::ONE.units(), 1)).floor().to_integer();
    Money::from_units(i128::try_from(units).unwrap())
}

/// The amount at 10⁻¹⁹ at or above a fraction.
pub(crate) fn ceil(value: &Exact) -> Money {
    let units = (value * ratio(Money::ONE.units(), 1)).ceil().to_integer();
    Money::from_units(i128::try_from(units).unwrap())
}

/// The nearest number of 12 decimals; of two the even one.
pub(crate) fn twelve_decimals(value: &Exact) -> Money {
    let steps = value * ratio(10_i128.pow(12), 1);
    let below = steps.floor();
    let doubled = (&steps - &below) * ratio(2, 1);
    let is_odd = &below.to_integer() % 2 != BigInt::ZERO;
    let up = doubled > ratio(1, 1) || (doubled == ratio(1, 1) && is_odd);
    floor(&((below + ratio(i128::from(up), 1)) / ratio(10_i128.pow(12), 1)))
}

/// A decimal, with a sign if it is negative.
pub(crate) fn decimal(text: &str) -> Money {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let size = Money::from_decimal(Decimal::parse(digits.as_bytes()).unwrap()).unwrap();
    Money::from_units(sign * size.units())
}

/// Numbers from a seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn word(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i128, high: i128) -> i128 {
        low + i128::from(self.word()).rem_euclid(high - low + 1)
    }

    pub(crate) fn is_even(&mut self) -> bool {
        self.word().is_multiple_of(2)
    }

    /// An amount between two whole numbers of units, a multiple of 10^-`decimals`.
    pub(crate) fn amount(&mut self, low: i128, high: i128, decimals: u32) -> Money {
        let scale = 10_i128.pow(decimals);
        Money::from_units(self.between(low * scale, high * scale) * (Money::ONE.units() / scale))
    }

    /// Any amount, of every length and sign.
    pub(crate) fn wild(&mut self) -> Money {
        let wide = (u128::from(self.word()) << 64) | u128::from(self.word());
        let size = i128::try_from(wide >> 1).unwrap() >> self.between(0, 126);
        Money::from_units(match self.between(0, 20) {
            0 => i128::MIN,
            1 => i128::MAX,
            even if even % 2 == 0 => -size,
            _ => size,
        })
    }
}
