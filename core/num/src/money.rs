//! Amounts of a currency.

use crate::{Decimal, digits};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Decimals that [`Money`] keeps; the widest product of the specification's symbols needs exactly these.
pub const MONEY_DECIMALS: u8 = 19;

/// An amount of one currency in units of 10⁻¹⁹; negative only in the house's own accounts.
///
/// Two words rather than one number of 128 bits: an amount is then carried in two registers and written in the pieces it
/// is read in, while copies of 16 bytes wait for the two writes before them. It also aligns to eight bytes, so that events
/// stay small.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Money {
    low: u64,
    high: i64,
}

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self::from_units(0);

    /// From units of 10⁻¹⁹.
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "each word takes its half"
    )]
    #[inline]
    pub const fn from_units(units: i128) -> Self {
        Self { low: units as u64, high: (units >> 64) as i64 }
    }

    /// In units of 10⁻¹⁹.
    #[expect(clippy::as_conversions, reason = "a constant function cannot convert otherwise")]
    #[inline]
    pub const fn units(self) -> i128 {
        (self.high as i128) << 64 | self.low as i128
    }

    /// A client's decimal as money; `None` when it has more than 19 decimals (the grammar allows no more).
    pub fn from_decimal(decimal: Decimal) -> Option<Self> {
        decimal.units(MONEY_DECIMALS).and_then(|units| i128::try_from(units).ok()).map(Self::from_units)
    }

    /// The sum, or `None` beyond the representable range.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.units().checked_add(other.units()).map(Self::from_units)
    }

    /// The sum, or the most that can be counted: for what is told and never owed, such as how much was traded, which is bounded
    /// by nothing, since the same money is spent again and again.
    #[must_use]
    #[inline]
    pub fn capped_add(self, other: Self) -> Self {
        self.checked_add(other).unwrap_or_else(Self::most)
    }

    #[cold]
    fn most() -> Self {
        Self::from_units(i128::MAX)
    }

    /// Whether the amount is below zero.
    pub fn is_negative(self) -> bool {
        self.high < 0
    }

    /// Appends the amount floored to `decimals` places, without trailing zeros (TYPE-021).
    pub fn push_floored(self, out: &mut Vec<u8>, decimals: u8) {
        if self.is_negative() {
            out.push(b'-');
        }
        let units = self.units().unsigned_abs();
        let dropped = digits::pow10(MONEY_DECIMALS - decimals.min(MONEY_DECIMALS)).unwrap_or(1);
        digits::push_trimmed(out, units - units % dropped, MONEY_DECIMALS);
    }
}

impl PartialOrd for Money {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Money {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.units().cmp(&other.units())
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.units().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i128::deserialize(deserializer).map(Self::from_units)
    }
}

impl core::fmt::Debug for Money {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut out = Vec::new();
        self.push_floored(&mut out, MONEY_DECIMALS);
        f.write_str(core::str::from_utf8(&out).unwrap_or("?"))
    }
}

impl Add for Money {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::from_units(self.units() + other.units())
    }
}

impl Sub for Money {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::from_units(self.units() - other.units())
    }
}

impl Neg for Money {
    type Output = Self;
    fn neg(self) -> Self {
        Self::from_units(-self.units())
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Money {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    /// Proves TYPE-021.
    #[test]
    fn floors_to_the_currency_s_decimals() {
        let amount = Money::from_decimal(Decimal::parse(b"1.1234567890123456789").unwrap()).unwrap();
        let mut fiat = Vec::new();
        amount.push_floored(&mut fiat, 15);
        assert_eq!(String::from_utf8(fiat).unwrap(), "1.123456789012345");
        let mut crypto = Vec::new();
        amount.push_floored(&mut crypto, 19);
        assert_eq!(String::from_utf8(crypto).unwrap(), "1.1234567890123456789");
    }

    fn shown(units: i128, decimals: u8) -> String {
        let mut out = Vec::new();
        Money::from_units(units).push_floored(&mut out, decimals);
        String::from_utf8(out).unwrap()
    }

    /// What the house owes is printed with its sign, and cut, not rounded; there are no more decimals than 19.
    #[test]
    fn debts_have_a_sign() {
        assert_eq!(shown(-15_000_000_000_000_000_000, 19), "-1.5");
        assert_eq!(shown(-19_999_999_999_999_999_999, 2), "-1.99");
        assert_eq!(shown(1, 200), "0.0000000000000000001");
        assert_eq!(shown(0, 2), "0");
        assert!(Money::from_units(-1).is_negative());
        assert!(!Money::ZERO.is_negative() && !Money::from_units(i128::MAX).is_negative());
    }

    /// It is stored as one number.
    #[test]
    fn what_is_stored_comes_back() {
        use serde::de::{IntoDeserializer, value::Error};
        let units = -(1 << 70);
        let read = Money::deserialize(IntoDeserializer::<Error>::into_deserializer(units));
        assert_eq!(read, Ok(Money::from_units(units)));
    }

    /// Amounts beyond a word, on either side of nothing, add, subtract, sum and compare as whole numbers.
    #[test]
    fn reckoning_carries_beyond_a_word() {
        let word = Money::from_units(i128::from(u64::MAX));
        let one = Money::from_units(1);
        let carried = word + one;
        assert_eq!(carried.units(), 1 << 64);
        assert_eq!(carried - one, word);
        assert_eq!((-carried).units(), -(1 << 64));
        assert!(-carried < -one && -one < Money::ZERO && Money::ZERO < one && word < carried);
        assert_eq!([word, one, -word].into_iter().sum::<Money>(), one);
        let mut kept = one;
        kept -= carried;
        assert_eq!(kept, -word);
        kept += carried;
        assert_eq!(kept, one);
        assert_eq!(Money::from_units(i128::MAX).checked_add(one), None);
        assert_eq!(word.checked_add(one), Some(carried));
    }

    /// A sum that is only told goes as far as can be counted, and no further.
    #[test]
    fn what_is_only_told_has_an_end() {
        let (most, one) = (Money::from_units(i128::MAX), Money::from_units(1));
        assert_eq!(one.capped_add(one), Money::from_units(2));
        assert_eq!((most - one).capped_add(one), most);
        assert_eq!([most.capped_add(one), one.capped_add(most), most.capped_add(most)], [most; 3]);
    }
}
