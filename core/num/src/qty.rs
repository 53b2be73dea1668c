//! Quantities.

use core::cmp::Ordering;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub, SubAssign};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Hundredths in one lot: quantities may carry two decimals beyond the lot (TYPE-019).
pub const HUNDREDTHS_PER_LOT: u128 = 100;

/// A quantity of the base currency in hundredths of the symbol's lot (the wire's `tick_size`).
///
/// Two words, for the reasons of [`crate::Money`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Qty {
    low: u64,
    high: u64,
}

impl Qty {
    /// Zero.
    pub const ZERO: Self = Self::from_hundredths(0);

    /// From hundredths of a lot.
    #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "each word takes its half")]
    #[inline]
    pub const fn from_hundredths(hundredths: u128) -> Self {
        Self { low: hundredths as u64, high: (hundredths >> 64) as u64 }
    }

    /// In hundredths of a lot.
    #[expect(clippy::as_conversions, reason = "a constant function cannot convert otherwise")]
    #[inline]
    pub const fn hundredths(self) -> u128 {
        (self.high as u128) << 64 | self.low as u128
    }

    /// In hundredths of a lot, if one word is enough.
    #[inline]
    pub(crate) const fn word(self) -> Option<u64> {
        if self.high == 0 { Some(self.low) } else { None }
    }
}

impl PartialOrd for Qty {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Qty {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.hundredths().cmp(&other.hundredths())
    }
}

impl Serialize for Qty {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.hundredths().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Qty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u128::deserialize(deserializer).map(Self::from_hundredths)
    }
}

impl core::fmt::Debug for Qty {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}/100", self.hundredths())
    }
}

impl Add for Qty {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::from_hundredths(self.hundredths() + other.hundredths())
    }
}

impl Sub for Qty {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::from_hundredths(self.hundredths() - other.hundredths())
    }
}

impl AddAssign for Qty {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Qty {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Qty {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored as one number.
    #[test]
    fn what_is_stored_comes_back() {
        use serde::de::{IntoDeserializer, value::Error};
        let read = Qty::deserialize(IntoDeserializer::<Error>::into_deserializer(1_u128 << 70));
        assert_eq!(read, Ok(Qty::from_hundredths(1 << 70)));
    }

    /// Quantities beyond one word add, subtract, sum and compare as whole numbers.
    #[test]
    fn reckoning_carries_beyond_a_word() {
        let word = Qty::from_hundredths(u128::from(u64::MAX));
        let one = Qty::from_hundredths(1);
        let carried = word + one;
        assert_eq!(carried.hundredths(), 1 << 64);
        assert_eq!((word.word(), carried.word()), (Some(u64::MAX), None));
        assert_eq!(carried - one, word);
        assert!(one < word && word < carried && carried > one);
        assert_eq!([word, one, one].into_iter().sum::<Qty>().hundredths(), (1 << 64) + 1);
        let mut kept = word;
        kept += one;
        assert_eq!(kept, carried);
        kept -= word;
        assert_eq!(kept, one);
    }
}
