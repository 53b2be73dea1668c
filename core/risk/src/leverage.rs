//! Caps of leverage.

use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// A leverage in hundredths; between 1 and 100 times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Leverage(u16);

/// Hundredths in one.
pub(crate) const HUNDREDTHS: i128 = 100;

impl Leverage {
    /// The lowest cap: no leverage.
    pub const MIN: Self = Self(100);
    /// The highest cap, that of accounts and symbols without another one.
    pub const MAX: Self = Self(10_000);

    /// The cap of spot margin.
    pub(crate) const FIVE: Self = Self(500);

    /// From hundredths; `None` unless it is between 1 and 100 times.
    pub fn from_hundredths(hundredths: u16) -> Option<Self> {
        (Self::MIN..=Self::MAX).contains(&Self(hundredths)).then_some(Self(hundredths))
    }

    /// In hundredths.
    pub fn hundredths(self) -> u16 {
        self.0
    }

    /// notional ÷ leverage, rounded up at 10⁻¹⁹. `None` beyond the range of money.
    pub fn margin(self, notional: Money) -> Option<Money> {
        notional.mul_div(HUNDREDTHS, i128::from(self.0), buttonwood_num::Round::Up)
    }
}

impl Default for Leverage {
    fn default() -> Self {
        Self::MAX
    }
}
