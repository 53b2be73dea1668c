//! Funding, naively: the amount of an hour from the list of all premiums that were taken in it and before it.

use super::{exact, rounded_down, whole};
use buttonwood_model::Time;
use buttonwood_num::{Bps, Money};
use num_rational::BigRational;

const MINUTE: u64 = 60 * Time::SECOND;

/// The premiums of a contract as marks took them, oldest first, and the times in which the exchange did not run.
#[derive(Clone, Debug, Default)]
pub(crate) struct PerpPremiums {
    /// None where the contract had no index.
    pub(crate) taken: Vec<(Time, Option<Money>)>,
    /// The last command before each stop, and the start after it.
    pub(crate) stops: Vec<(Time, Time)>,
}

impl PerpPremiums {
    /// The amount of the hour that ends at `hour`: the mean of its 60 minutes ÷ 24, at 12 decimals half even, at most a part of the mark.
    pub(crate) fn amount(&self, hour: Time, mark: Money, cap: Bps) -> Money {
        let first = hour.0 / MINUTE - 60;
        let sum: BigRational = (first..first + 60).map(|minute| self.minute(minute)).sum();
        let amount = half_even_12(&(sum / whole(60) / whole(24)));
        let part = whole(cap.0.into()) / whole(10_000);
        let cap = (exact(mark) * part * whole(10_i128.pow(12))).floor() / whole(10_i128.pow(12));
        rounded_down(&amount.min(cap.clone()).max(-cap))
    }

    /// The mean of open, high, low and close of a minute.
    fn minute(&self, minute: u64) -> BigRational {
        let minute_of = |time: Time| time.0 / MINUTE;
        if self.stops.iter().any(|(since, until)| minute_of(*since) < minute && minute < minute_of(*until)) {
            return whole(0);
        }
        let start = Time(minute * MINUTE);
        let mut values: Vec<BigRational> = Vec::new();
        values.extend(self.in_force(start).map(exact));
        let within = self.taken.iter().filter(|(time, _)| minute_of(*time) == minute);
        values.extend(within.filter_map(|(_, premium)| *premium).map(exact));
        let (Some(open), Some(close)) = (values.first(), values.last()) else { return whole(0) };
        let (high, low) = (values.iter().max().unwrap_or(open), values.iter().min().unwrap_or(open));
        (open + high + low + close) / whole(4)
    }

    /// The premium in force at the start of a minute: the last one before it, unless the exchange stopped after that until a later
    /// minute.
    fn in_force(&self, start: Time) -> Option<Money> {
        let (time, premium) = self.taken.iter().rfind(|(time, _)| *time < start).copied()?;
        let has_stopped = |(since, until): &(Time, Time)| {
            (time..start).contains(since) && until.0 / MINUTE > since.0 / MINUTE
        };
        premium.filter(|_| !self.stops.iter().any(has_stopped))
    }
}

/// Rounded half even at 12 decimals.
fn half_even_12(value: &BigRational) -> BigRational {
    let scale = whole(10_i128.pow(12));
    let scaled = value * &scale;
    let floor = scaled.floor();
    let rest = &scaled - &floor;
    let half = whole(1) / whole(2);
    let is_odd = (&floor / whole(2)).fract() != whole(0);
    let up = rest > half || rest == half && is_odd;
    (floor + whole(i128::from(up))) / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_to_the_even_digit() {
        let at = |numerator: i128| half_even_12(&(whole(numerator) / whole(2 * 10_i128.pow(12))));
        let tenths = |steps: i128| whole(steps) / whole(10_i128.pow(12));
        assert_eq!([at(1), at(3), at(-1), at(-3), at(4)], [0, 2, 0, -2, 2].map(tenths));
    }
}
