//! The conditions of margin trading, as configured: how much an account may borrow, and at which rates. They are
//! journaled, so that a replay decides as the live exchange did.

use buttonwood_model::DOLLAR;
use buttonwood_num::{Bps, Money};
use buttonwood_risk::{HourlyRate, Leverage, spot::Terms};
use serde::{Deserialize, Serialize};

/// The conditions of every account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The part of the notional that is not available as collateral.
    pub initial: Bps,
    /// Below this part of the notional, an account is liquidated.
    pub maintenance: Bps,
    /// The highest notional, as a multiple of the assets.
    pub leverage: Leverage,
    /// The annual rate of dollars; 1 is 100 %.
    pub dollar_rate: Money,
    /// That of the other currencies.
    pub other_rate: Money,
}

const fn percent(percent: i128) -> Money {
    Money::from_units(Money::ONE.units() / 100 * percent)
}

impl Default for Conditions {
    /// 10 % initial, 5 % maintenance, 5 times leverage, 8 % a year for dollars and 10 % for others.
    fn default() -> Self {
        let Terms { initial, maintenance, leverage } = Terms::USUAL;
        Self { initial, maintenance, leverage, dollar_rate: percent(8), other_rate: percent(10) }
    }
}

impl Conditions {
    /// Their part without the rates.
    pub fn terms(&self) -> Terms {
        Terms { initial: self.initial, maintenance: self.maintenance, leverage: self.leverage }
    }

    /// The annual rate of a currency, and the hourly one that is cut from it (D-59).
    pub fn rate(&self, code: &str) -> (Money, HourlyRate) {
        let annual = if code == DOLLAR { self.dollar_rate } else { self.other_rate };
        (annual, HourlyRate::from_annual(annual).unwrap_or_default())
    }

    /// Whether they can be kept: parts of at most the whole, rates of at most 100 % a year, and an account of the highest leverage is
    /// above maintenance.
    pub fn are_valid(&self) -> bool {
        let [initial, maintenance] = [self.initial, self.maintenance].map(Bps::get);
        let is_rate = |rate: Money| (Money::ZERO..=Money::ONE).contains(&rate);
        (0..=10_000).contains(&initial)
            && maintenance > 0
            && maintenance * i128::from(self.leverage.hundredths()) < 10_000 * 100
            && is_rate(self.dollar_rate)
            && is_rate(self.other_rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_valid_within_bounds() {
        let usual = Conditions::default();
        let highest = Leverage::from_hundredths(1_999).unwrap();
        assert!(usual.are_valid() && Conditions { leverage: highest, ..usual }.are_valid());
        for bad in [
            Conditions { leverage: Leverage::from_hundredths(2_000).unwrap(), ..usual },
            Conditions { maintenance: Bps(0), ..usual },
            Conditions { maintenance: Bps(2_000), ..usual },
            Conditions { initial: Bps(10_001), ..usual },
            Conditions { dollar_rate: percent(101), ..usual },
            Conditions { other_rate: percent(-1), ..usual },
        ] {
            assert!(!bad.are_valid(), "{bad:?}");
        }
    }
}
