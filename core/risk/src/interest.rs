//! Interest on what margin accounts owe.
//!
//! Clauses: `MARG-005`, `MARG-006`; decision D-59. Not here: when an hour is due, and where the interest goes.

use buttonwood_num::{Money, Round};
use serde::{Deserialize, Serialize};

/// A rate for each hour; 1 is 100 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HourlyRate(Money);

/// Hours of a day and of a year.
const DAY: i128 = 24;
const YEAR: i128 = 8_760;

/// One unit of the fourteenth decimal, the last one of hourly rates.
const FOURTEENTH_DECIMAL: Money = Money::from_units(100_000);

impl HourlyRate {
    /// The annual rate ÷ 8760, cut to 14 decimals. `None` for a negative rate.
    pub fn from_annual(annual: Money) -> Option<Self> {
        let annual = Some(annual).filter(|annual| !annual.is_negative())?;
        annual.mul_div(1, YEAR, Round::Down)?.to_step(FOURTEENTH_DECIMAL, Round::Down).map(Self)
    }

    /// The rate of an hour.
    pub fn hourly(self) -> Money {
        self.0
    }

    /// 24 times the rate of an hour, exact. An hourly rate is an annual one divided, so it cannot overflow; it would saturate.
    pub fn daily(self) -> Money {
        Money::from_units(self.0.units().saturating_mul(DAY))
    }

    /// The interest of an hour: owed × rate, rounded up at 10⁻¹⁹; nothing on nothing. `None` beyond the range of money.
    pub fn interest(self, owed: Money) -> Option<Money> {
        owed.max(Money::ZERO).times(self.0, Round::Up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Money {
        Money::from_decimal(buttonwood_num::Decimal::parse(text.as_bytes()).unwrap()).unwrap()
    }

    /// 10 % and 8 % a year. Proves MARG-005.
    #[test]
    fn rates_are_cut_from_the_annual_one() {
        let ten = HourlyRate::from_annual(decimal("0.1")).unwrap();
        assert_eq!(ten.hourly(), decimal("0.00001141552511"));
        assert_eq!(ten.daily(), decimal("0.00027397260264"));
        let eight = HourlyRate::from_annual(decimal("0.08")).unwrap();
        assert_eq!(
            (eight.hourly(), eight.daily()),
            (decimal("0.00000913242009"), decimal("0.00021917808216"))
        );
        assert_eq!(HourlyRate::from_annual(Money::from_units(-1)), None);
        assert_eq!(HourlyRate::from_annual(Money::ZERO).unwrap().interest(Money::MAX), Some(Money::ZERO));
    }

    /// Interest is rounded up at the last decimal, and the next hour's runs on it too.
    #[test]
    fn interest_is_rounded_up_and_compounds() {
        let rate = HourlyRate::from_annual(decimal("0.08")).unwrap();
        assert_eq!(rate.interest(decimal("10000")), Some(decimal("0.0913242009")));
        assert_eq!(rate.interest(decimal("10000.0913242009")), Some(decimal("0.0913250349109670024")));
        assert_eq!(rate.interest(Money::from_units(1)), Some(Money::from_units(1)));
        assert_eq!(rate.interest(Money::ZERO), Some(Money::ZERO));
        assert_eq!(rate.interest(Money::from_units(-Money::ONE.units())), Some(Money::ZERO));
        let huge = HourlyRate::from_annual(Money::MAX).unwrap();
        assert_eq!((huge.interest(Money::MAX), huge.daily() > Money::ZERO), (None, true));
    }
}
