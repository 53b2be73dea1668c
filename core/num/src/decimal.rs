//! Decimals as clients write them: ASCII digits with at most one point.
//!
//! Clauses: `TYPE-002`, `TYPE-003`, `TYPE-004`; decision D-02. Grammar: `(0|[1-9][0-9]{0,17})(\.[0-9]{1,19})?`.

use crate::digits::{pow10, push_fixed};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A non-negative decimal with the digits the client wrote: `digits` × 10^-`scale`. It is stored as these two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(u128, u8)", into = "(u128, u8)")]
pub struct Decimal {
    digits: u128,
    scale: u8,
}

/// The text is no decimal of the accepted grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecimalError;

impl core::fmt::Display for DecimalError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("no decimal of at most 18 digits before the point and 19 after it")
    }
}

impl From<Decimal> for (u128, u8) {
    fn from(decimal: Decimal) -> Self {
        (decimal.digits, decimal.scale)
    }
}

impl TryFrom<(u128, u8)> for Decimal {
    type Error = DecimalError;

    fn try_from((digits, scale): (u128, u8)) -> Result<Self, DecimalError> {
        Self::of_units(digits, scale).ok_or(DecimalError)
    }
}

/// The smallest number with more digits than an integer part may have.
const INTEGER_END: u128 = 1_000_000_000_000_000_000;

impl Decimal {
    /// Most digits before the point.
    pub const INTEGER_DIGITS_MAX: usize = 18;
    /// Most digits after the point.
    pub const FRACTION_DIGITS_MAX: usize = 19;

    /// Parses a decimal; signs, exponents, blanks, bare points and leading zeros are refused.
    ///
    /// # Errors
    /// [`DecimalError`] if the text does not follow the grammar of this module.
    pub fn parse(text: &[u8]) -> Result<Self, DecimalError> {
        let (integer, fraction) = match text.iter().position(|byte| *byte == b'.') {
            None => (text, None),
            Some(point) => {
                let (integer, rest) = text.split_at(point);
                (integer, rest.get(1..))
            }
        };
        if integer.is_empty() || integer.len() > Self::INTEGER_DIGITS_MAX {
            return Err(DecimalError);
        }
        if integer.len() > 1 && integer.first() == Some(&b'0') {
            return Err(DecimalError);
        }
        let mut digits = accumulate(0, integer)?;
        let mut scale = 0;
        if let Some(fraction) = fraction {
            if fraction.is_empty() || fraction.len() > Self::FRACTION_DIGITS_MAX {
                return Err(DecimalError);
            }
            digits = accumulate(digits, fraction)?;
            scale = u8::try_from(fraction.len()).map_err(|_| DecimalError)?;
        }
        Ok(Self { digits, scale })
    }

    /// `units` × 10^-`decimals`; `None` beyond the digits that the grammar has.
    pub fn of_units(units: u128, decimals: u8) -> Option<Self> {
        let whole = units.checked_div(pow10(decimals)?)?;
        let is_short = usize::from(decimals) <= Self::FRACTION_DIGITS_MAX && whole < INTEGER_END;
        is_short.then_some(Self { digits: units, scale: decimals })
    }

    /// The same value without zeros at the end of the fraction.
    #[must_use]
    pub fn trimmed(self) -> Self {
        let (digits, scale) = self.normalized();
        Self { digits, scale }
    }

    /// Appends its digits, as they were written.
    pub fn push(self, out: &mut Vec<u8>) {
        push_fixed(out, self.digits, self.scale);
    }

    /// The value in units of 10^-`decimals`; `None` if it is not a whole number of them.
    pub fn units(self, decimals: u8) -> Option<u128> {
        if decimals >= self.scale {
            return self.digits.checked_mul(pow10(decimals - self.scale)?);
        }
        let divisor = pow10(self.scale - decimals)?;
        self.digits.is_multiple_of(divisor).then(|| self.digits / divisor)
    }

    /// The value without trailing zeros: (mantissa, decimals), as increments are stated.
    pub fn normalized(self) -> (u128, u8) {
        let (mut mantissa, mut decimals) = (self.digits, self.scale);
        while decimals > 0 && mantissa.is_multiple_of(10) {
            mantissa /= 10;
            decimals -= 1;
        }
        (mantissa, decimals)
    }

    /// Whether the value is zero.
    pub fn is_zero(self) -> bool {
        self.digits == 0
    }
}

fn accumulate(start: u128, text: &[u8]) -> Result<u128, DecimalError> {
    text.iter().try_fold(start, |value, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10).ok_or(DecimalError)?;
        // At most 37 digits reach this fold, so the value stays below 10^37 < 2^127.
        Ok(value * 10 + u128::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves TYPE-002, TYPE-004.
    #[test]
    fn refuses_everything_but_plain_digits() {
        for text in [
            "",
            ".",
            "5.",
            ".5",
            "01",
            "00.1",
            "+1",
            "-1",
            "-0",
            "1e3",
            "1E5",
            "NaN",
            "Infinity",
            "0x10",
            "1_000",
            "1,000",
            " 1",
            "1 ",
            "1.2.3",
            "1:",
            "1/",
            "١",
            "１",
            "1\u{0}",
            "1234567890123456789",
            "1.12345678901234567890",
        ] {
            assert_eq!(Decimal::parse(text.as_bytes()), Err(DecimalError), "{text:?}");
        }
    }

    /// Proves TYPE-003.
    #[test]
    fn keeps_every_digit() {
        let value = Decimal::parse(b"999999999999999999.1234567890123456789").unwrap();
        assert_eq!(value.units(19), Some(9_999_999_999_999_999_991_234_567_890_123_456_789));
        assert_eq!(Decimal::parse(b"1.50").unwrap().units(1), Some(15));
        assert_eq!(Decimal::parse(b"1.55").unwrap().units(1), None);
    }

    /// A decimal is written and stored as it was read, zeros included; numbers beyond its digits are none, stored ones too.
    #[test]
    fn comes_back_from_text_and_numbers() {
        for text in ["0", "0.00", "1.50", "0.0000000000000000001", "999999999999999999.9999999999999999999"] {
            let decimal = Decimal::parse(text.as_bytes()).unwrap();
            let mut shown = Vec::new();
            decimal.push(&mut shown);
            assert_eq!(shown, text.as_bytes());
            let (digits, scale) = decimal.into();
            assert_eq!(Decimal::try_from((digits, scale)), Ok(decimal));
        }
        assert_eq!(INTEGER_END, 10_u128.pow(18));
        assert_eq!(Decimal::of_units(150, 2).unwrap().trimmed(), Decimal::parse(b"1.5").unwrap());
        let beyond = [(INTEGER_END, 0), (INTEGER_END * 10, 1), (0, 20), (0, u8::MAX), (u128::MAX, 19)];
        for (units, decimals) in beyond {
            assert_eq!(Decimal::of_units(units, decimals), None, "{units} {decimals}");
            assert_eq!(Decimal::try_from((units, decimals)), Err(DecimalError));
        }
    }

    /// All zeros at the end of the fraction are dropped, and no others.
    #[test]
    fn trailing_zeros_say_nothing() {
        for (text, normalized) in [
            ("0.5", (5, 1)),
            ("5000", (5000, 0)),
            ("10.500", (105, 1)),
            ("2.00", (2, 0)),
            ("100.0", (100, 0)),
            ("0.00", (0, 0)),
        ] {
            assert_eq!(Decimal::parse(text.as_bytes()).unwrap().normalized(), normalized, "{text}");
        }
        assert!(Decimal::parse(b"0.00").unwrap().is_zero());
        assert!(!Decimal::parse(b"0.01").unwrap().is_zero());
    }
}
