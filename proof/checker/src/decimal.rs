//! Exact decimals as on the wire: the tests' own arithmetic must not round either.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Neg, Sub};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A decimal number, kept without trailing zeros.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dec {
    digits: i128,
    scale: u32,
}

/// Parses a decimal literal of a test.
pub fn dec(text: &str) -> Dec {
    Dec::parse(text).unwrap_or_else(|| panic!("not a decimal: {text:?}"))
}

impl Dec {
    /// Zero.
    pub const ZERO: Self = Self { digits: 0, scale: 0 };

    /// Parses the wire's form of TYPE-002, with an optional minus sign in front: no exponent, plus sign, grouping or
    /// bare point.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, plain) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
        let bare_point = plain.contains('.') && fraction.is_empty();
        let all_digits = whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || bare_point || !all_digits {
            return None;
        }
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scale = u32::try_from(fraction.len()).ok()?;
        Some(Self { digits: if negative { -digits } else { digits }, scale }.trimmed())
    }

    /// Parses a decimal field of a reply, which must be a JSON string (TYPE-002, D-01).
    pub fn wire(value: &Value) -> Self {
        let text = value.as_str().unwrap_or_else(|| panic!("a decimal is a JSON string, not {value}"));
        Self::parse(text).unwrap_or_else(|| panic!("not a decimal of TYPE-002: {text:?}"))
    }

    /// The fee on a notional, in basis points.
    #[must_use]
    pub fn bps(self, bps: u32) -> Self {
        Self { digits: self.digits * i128::from(bps), scale: self.scale + 4 }.trimmed()
    }

    /// The value with at most `decimals` decimals, truncated toward zero.
    #[must_use]
    pub fn cut(self, decimals: u32) -> Self {
        let spare = self.scale.saturating_sub(decimals);
        Self { digits: self.digits / 10_i128.pow(spare), scale: self.scale - spare }.trimmed()
    }

    /// The quotient by a positive number, truncated to `decimals`.
    #[must_use]
    pub fn over(self, by: Self, decimals: u32) -> Self {
        let scale = self.scale.max(by.scale);
        let (mut quotient, mut rest) = (self.at(scale) / by.at(scale), self.at(scale) % by.at(scale));
        for _ in 0..decimals {
            quotient = quotient * 10 + rest * 10 / by.at(scale);
            rest = rest * 10 % by.at(scale);
        }
        Self { digits: quotient, scale: decimals }.trimmed()
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        Self { digits: self.digits.abs(), scale: self.scale }
    }

    fn trimmed(mut self) -> Self {
        while self.scale > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }

    fn at(self, scale: u32) -> i128 {
        self.digits * 10_i128.pow(scale - self.scale)
    }
}

impl From<u64> for Dec {
    fn from(whole: u64) -> Self {
        Self { digits: whole.into(), scale: 0 }
    }
}

impl Serialize for Dec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Dec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("not a decimal: {text:?}")))
    }
}

impl fmt::Display for Dec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let scale = usize::try_from(self.scale).expect("a scale is small");
        let digits = format!("{:0>width$}", self.digits.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        if fraction.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{fraction}") }
    }
}

impl fmt::Debug for Dec {
    /// Formats it as on the wire, for failed comparisons.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Add for Dec {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let scale = self.scale.max(other.scale);
        Self { digits: self.at(scale) + other.at(scale), scale }.trimmed()
    }
}

impl Neg for Dec {
    type Output = Self;

    fn neg(self) -> Self {
        Self { digits: -self.digits, scale: self.scale }
    }
}

impl Sub for Dec {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dec {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { digits: self.digits * other.digits, scale: self.scale + other.scale }.trimmed()
    }
}

impl Sum for Dec {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::ZERO, Add::add)
    }
}

impl PartialOrd for Dec {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dec {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let scale = self.scale.max(other.scale);
        self.at(scale).cmp(&other.at(scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints() {
        for (text, shown) in [("1", "1"), ("0.10", "0.1"), ("-2.50", "-2.5"), ("0", "0"), ("100", "100")] {
            assert_eq!(dec(text).to_string(), shown);
        }
        for wrong in ["", ".5", "5.", "+1", "1e5", "1,0", " 1"] {
            assert_eq!(Dec::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn computes_exactly() {
        assert_eq!(dec("30000") + dec("30000").bps(40), dec("30120"));
        assert_eq!(dec("0.1") * dec("0.2"), dec("0.02"));
        assert_eq!((dec("1.239").cut(2), dec("1.2").cut(5)), (dec("1.23"), dec("1.2")));
        assert_eq!(
            (dec("90002").over(dec("3"), 4), dec("0.3").over(dec("0.10"), 8)),
            (dec("30000.6666"), dec("3"))
        );
        assert!(dec("0.5") < dec("1") && dec("-1") < dec("0.1"));
    }
}
