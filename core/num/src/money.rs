//! Amounts of a currency.

use crate::{Decimal, digits};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Decimals of [`Money`]; the widest product of the specification's symbols needs exactly these.
pub const MONEY_DECIMALS: u8 = 19;

/// An amount of one currency in units of 10⁻¹⁹; negative only in house accounts.
///
/// Two words instead of one 128-bit number: an amount is then passed in two registers and read in the pieces in which
/// it was written, while a 16-byte copy would stall on two 8-byte writes. It also aligns to eight bytes, which keeps
/// events small.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Money {
    low: u64,
    high: i64,
}

impl Money {
    /// Zero.
    pub const ZERO: Self = Self::from_units(0);

    /// The largest amount.
    pub const MAX: Self = Self::from_units(i128::MAX);

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

    /// A client's decimal as money; `None` if it has more than 19 decimals (the grammar allows no more).
    pub fn from_decimal(decimal: Decimal) -> Option<Self> {
        decimal.units(MONEY_DECIMALS).and_then(|units| i128::try_from(units).ok()).map(Self::from_units)
    }

    /// The amount as a decimal without trailing zeros; `None` for a negative one, and beyond the digits of a decimal.
    pub fn decimal(self) -> Option<Decimal> {
        let units = u128::try_from(self.units()).ok()?;
        Decimal::of_units(units, MONEY_DECIMALS).map(Decimal::trimmed)
    }

    /// The sum; `None` beyond the representable range.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.units().checked_add(other.units()).map(Self::from_units)
    }

    /// The saturating sum: for published figures such as traded volume. These have no bound, since the same money can
    /// be spent again and again.
    #[must_use]
    #[inline]
    pub fn capped_add(self, other: Self) -> Self {
        self.checked_add(other).unwrap_or_else(Self::most)
    }

    #[cold]
    fn most() -> Self {
        Self::MAX
    }

    /// Whether the amount is negative.
    pub fn is_negative(self) -> bool {
        self.high < 0
    }

    /// The amount, truncated to `decimals` places.
    #[must_use]
    pub fn cut_to(self, decimals: u8) -> Self {
        let dropped = 10_i128.pow(u32::from(MONEY_DECIMALS.saturating_sub(decimals)));
        Self::from_units(self.units() / dropped * dropped)
    }

    /// Appends the amount, truncated to `decimals` places, without trailing zeros (TYPE-021).
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
        for (decimals, cut) in [
            (0, "1"),
            (2, "1.12"),
            (15, "1.123456789012345"),
            (19, "1.1234567890123456789"),
            (20, "1.1234567890123456789"),
        ] {
            let mut shown = Vec::new();
            amount.cut_to(decimals).push_floored(&mut shown, 19);
            assert_eq!(String::from_utf8(shown).unwrap(), cut, "{decimals}");
        }
        let mut crypto = Vec::new();
        amount.push_floored(&mut crypto, 19);
        assert_eq!(String::from_utf8(crypto).unwrap(), "1.1234567890123456789");
    }

    fn shown(units: i128, decimals: u8) -> String {
        let mut out = Vec::new();
        Money::from_units(units).push_floored(&mut out, decimals);
        String::from_utf8(out).unwrap()
    }

    /// A debt of the house is printed with its sign, truncated, not rounded; there are at most 19 decimals.
    #[test]
    fn debts_have_a_sign() {
        assert_eq!(shown(-15_000_000_000_000_000_000, 19), "-1.5");
        assert_eq!(shown(-19_999_999_999_999_999_999, 2), "-1.99");
        assert_eq!(shown(1, 200), "0.0000000000000000001");
        assert_eq!(shown(0, 2), "0");
        assert!(Money::from_units(-1).is_negative());
        assert!(!Money::ZERO.is_negative() && !Money::from_units(i128::MAX).is_negative());
    }

    /// Stored as one number.
    #[test]
    fn what_is_stored_comes_back() {
        use serde::de::{IntoDeserializer, value::Error};
        let units = -(1 << 70);
        let read = Money::deserialize(IntoDeserializer::<Error>::into_deserializer(units));
        assert_eq!(read, Ok(Money::from_units(units)));
    }

    /// Amounts beyond one word, of either sign, add, subtract, sum and compare as whole numbers.
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

    /// A saturating sum ends at the largest amount.
    #[test]
    fn what_is_only_told_has_an_end() {
        let (most, one) = (Money::from_units(i128::MAX), Money::from_units(1));
        assert_eq!(one.capped_add(one), Money::from_units(2));
        assert_eq!((most - one).capped_add(one), most);
        assert_eq!([most.capped_add(one), one.capped_add(most), most.capped_add(most)], [most; 3]);
    }
}
