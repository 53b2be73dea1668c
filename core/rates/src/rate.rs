//! A rate.

use alloc::vec::Vec;
use buttonwood_num::{Decimal, Money, push_trimmed};
use serde::{Deserialize, Serialize};

/// Dollars per one unit of a foreign currency, exact (FX-003).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FxRate(u64);

impl FxRate {
    /// Decimals of a rate.
    pub const DECIMALS: u8 = 12;
    /// Units in a whole.
    const WHOLE: u128 = 1_000_000_000_000;

    /// From units of 10⁻¹².
    pub const fn from_units(units: u64) -> Self {
        Self(units)
    }

    /// In units of 10⁻¹².
    pub const fn units(self) -> u64 {
        self.0
    }

    /// A decimal as a rate; `None` if it is zero, has more than 12 decimals or exceeds 18,446,744.
    pub fn from_decimal(decimal: Decimal) -> Option<Self> {
        let units = u64::try_from(decimal.units(Self::DECIMALS)?).ok()?;
        (units > 0).then_some(Self(units))
    }

    /// An amount of the foreign currency in dollars, rounded towards zero at 10⁻¹⁹; `None` beyond the range of money.
    pub fn to_usd(self, amount: Money) -> Option<Money> {
        amount.scaled(self.0.into(), Self::WHOLE)
    }

    /// Appends the rate as a decimal without trailing zeros.
    pub fn push(self, out: &mut Vec<u8>) {
        push_trimmed(out, self.0.into(), Self::DECIMALS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn rate(text: &str) -> Option<FxRate> {
        FxRate::from_decimal(Decimal::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn a_rate_is_exact() {
        for text in ["0.69", "0.000000000001", "1.085", "18446744.073709551615", "1"] {
            let mut out = Vec::new();
            rate(text).unwrap().push(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
        for text in ["0", "0.0", "0.0000000000001", "18446744.073709551616"] {
            assert_eq!(rate(text), None, "{text}");
        }
    }

    #[test]
    fn an_amount_is_converted_with_one_rounding() {
        let rate = rate("1.3").unwrap();
        assert_eq!(rate.to_usd(Money::from_units(10)), Some(Money::from_units(13)));
        assert_eq!(rate.to_usd(Money::from_units(3)), Some(Money::from_units(3)));
        assert_eq!(rate.to_usd(Money::from_units(i128::MAX)), None);
    }
}
