//! Random walks as functions of time: any moment is found without those before it.
//!
//! Time is cut into periods. Between the ends of a period a walk is a Brownian bridge: the value in the middle of an interval is drawn
//! around the line between the values at its ends, and so on for each half, down to a second. The variance of an interval, its *mass*, is
//! divided between its halves by the hour of the day and by chance, so that calm and wild hours follow each other. All walks of a seed
//! share the masses, and each draws its own values. Everything is integer arithmetic: the same seed gives the same bits everywhere.

use super::noise::{BELL, bell, below, mix};

/// Halvings from a period to a second.
const LEVELS: u32 = 21;
/// Seconds of a period, about 24 days.
const PERIOD: u64 = 1 << LEVELS;
/// The mass of a period.
const MASS: u128 = 1 << 50;
/// How a walk counts: the standard deviation that it would have over a period, if its end were free.
pub(crate) const DEVIATION: i128 = 1 << 39;
/// Squared, the units of a walk in one unit of mass, as a power of two.
const SCALE: u32 = 28;
/// A walk's standard deviation at the ends of periods, as a part of [`DEVIATION`].
const AT_ENDS: i128 = 4;
/// Bits of a weight between the two ends of an interval.
const WEIGHT_BITS: u32 = 32;

/// How lively the hours of a UTC day are.
const HOURS: [u64; 24] = [8, 7, 6, 6, 6, 6, 7, 8, 9, 10, 10, 10, 11, 13, 15, 16, 15, 14, 12, 10, 9, 9, 8, 8];
/// The sum of [`HOURS`].
const HOURS_SUM: u64 = 233;
const HOUR: u64 = 3_600;

/// How lively the hour of a moment is, in hundredths of the mean.
pub(crate) fn liveliness(second: u64) -> u64 {
    let hour = usize::try_from(second / HOUR % 24).unwrap_or_default();
    HOURS.get(hour).copied().unwrap_or_default() * 24 * 100 / HOURS_SUM
}

/// The part of the days' liveliness before a moment.
fn lived(second: u64) -> u64 {
    let (days, rest) = (second / (24 * HOUR), second % (24 * HOUR));
    let hours = usize::try_from(rest / HOUR).unwrap_or_default();
    let whole: u64 = HOURS.iter().take(hours).sum();
    let part = HOURS.get(hours).copied().unwrap_or_default() * (rest % HOUR);
    (days * HOURS_SUM + whole) * HOUR + part
}

/// The way to a moment: the intervals that contain it, the same for all walks of a seed.
#[derive(Debug)]
pub(crate) struct Moment {
    seed: u64,
    period: u64,
    halvings: Vec<Halving>,
}

/// An interval on the way, and in which half the moment lies.
#[derive(Clone, Copy, Debug)]
struct Halving {
    /// The number of the interval in its period.
    node: u64,
    /// How much the later end counts for the middle, of 2³².
    weight: i128,
    /// The standard deviation of the middle.
    deviation: i128,
    is_later: bool,
}

impl Moment {
    /// The way to a second.
    pub(crate) fn of(seed: u64, second: u64) -> Self {
        let period = second / PERIOD;
        let (mut from, mut length, mut mass, mut node) = (period * PERIOD, PERIOD, MASS, 1);
        let mut halvings = Vec::new();
        while from < second {
            length /= 2;
            let middle = from + length;
            let chance = [0, 1].map(|half| 80 + below(mix(seed, &[CHANCE, period, 2 * node + half]), 41));
            let lives = [lived(middle) - lived(from), lived(middle + length) - lived(middle)];
            let [first, second_half] = [0, 1].map(|half: usize| {
                let chance = chance.get(half).copied().unwrap_or(1);
                u128::from(lives.get(half).copied().unwrap_or(1)) * u128::from(chance)
            });
            let earlier = mass * first / (first + second_half).max(1);
            let later = mass - earlier;
            let is_later = second >= middle;
            halvings.push(Halving {
                node,
                weight: signed((earlier << WEIGHT_BITS) / mass.max(1)),
                deviation: signed(((earlier * later / mass.max(1)) << SCALE).isqrt()),
                is_later,
            });
            node = 2 * node + u64::from(is_later);
            (from, mass) = if is_later { (middle, later) } else { (from, earlier) };
        }
        Self { seed, period, halvings }
    }

    /// The value of a walk at the moment, in parts of [`DEVIATION`].
    pub(crate) fn value(&self, walk: u64) -> i128 {
        let end = |period| {
            let drawn = bell(mix(self.seed, &[END, walk, period]));
            i128::from(drawn) * DEVIATION / (AT_ENDS * i128::from(BELL))
        };
        let (mut earlier, mut later) = (end(self.period), end(self.period + 1));
        for halving in &self.halvings {
            let drawn = i128::from(bell(mix(self.seed, &[walk, self.period, halving.node])));
            let line = earlier + (((later - earlier) * halving.weight) >> WEIGHT_BITS);
            let middle = line + halving.deviation * drawn / i128::from(BELL);
            if halving.is_later {
                earlier = middle;
            } else {
                later = middle;
            }
        }
        earlier
    }
}

/// Parts the draws of masses and of the ends of periods from those of walks.
const CHANCE: u64 = 0x6368_616e_6365;
const END: u64 = 0x0065_6e64;

fn signed(value: u128) -> i128 {
    i128::try_from(value).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk has no jumps, within a period and between two, and about the variance that it should have.
    #[test]
    fn a_walk_has_steps_of_its_size() {
        for walk in 1..4 {
            let at = |second: u64| Moment::of(5, second).value(walk);
            let (mut squares, mut before) = (0, at(PERIOD - 43_200));
            for second in (PERIOD - 43_200..PERIOD + 43_200).step_by(6) {
                let now = at(second + 6);
                let step = now - before;
                before = now;
                assert!(step.abs() < DEVIATION / 100, "{second}: {step}");
                squares += step * step;
            }
            let expected = DEVIATION * DEVIATION / (i128::from(PERIOD) / 86_400);
            assert!((expected / 3..expected * 3).contains(&squares), "{squares} {expected}");
        }
    }

    #[test]
    fn liveliness_has_a_mean_of_a_hundred() {
        assert_eq!(HOURS.iter().sum::<u64>(), HOURS_SUM);
        assert_eq!(lived(86_400 * 3 + 3_600), (HOURS_SUM * 3 + 8) * HOUR);
        let mean = (0..24).map(|hour| liveliness(hour * HOUR)).sum::<u64>() / 24;
        assert!((98..=100).contains(&mean), "{mean}");
    }
}
