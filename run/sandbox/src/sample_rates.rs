//! Sample exchange rates, so that a sandbox answers rate queries. They are made up, and their provider's name says so.

use buttonwood_engine::{Body, FxPair, FxRate, NewRates, Rates};

/// The provider of the sample rates.
pub const SAMPLE_PROVIDER: &str = "sandbox-sample";

/// 2025-01-01T00:00:00Z in milliseconds, the time of the first sample rate.
const FIRST: u64 = 1_735_689_600_000;
const DAY: u64 = 86_400_000;
/// Days from 2025-01-01 to 2027-12-31.
const DAYS: u64 = 3 * 365;

/// Parts of a level, in which its rates are counted.
const PARTS: i64 = 1_000_000;
/// A rate stays within 8 percent of its level.
const REACH: i64 = 80_000;
/// A rate moves by 0.02 to 0.42 percent of its level from day to day.
const STEP_LEAST: i64 = 200;
const STEP_SPREAD: u64 = 4_001;

/// Commands that give each pair its sample rates, one for 00:00 UTC of every day of three years, unless it has them.
pub fn missing_sample_rates(rates: &Rates) -> impl Iterator<Item = Body> {
    let lacks = |pair: &FxPair| rates.of(*pair).all(|quote| quote.provider != SAMPLE_PROVIDER);
    FxPair::ALL.into_iter().filter(lacks).map(|pair| {
        Body::add_rates(NewRates { pair, provider: SAMPLE_PROVIDER.to_owned(), rates: sample(pair) })
    })
}

/// The middle of a pair's sample rates, in millionths of a dollar.
fn level(pair: FxPair) -> i64 {
    match pair {
        FxPair::AudUsd => 655_000,
        FxPair::CadUsd => 730_000,
        FxPair::CopUsd => 241,
        FxPair::EurUsd => 1_085_000,
        FxPair::ChfUsd => 1_135_000,
        FxPair::HkdUsd => 128_200,
        FxPair::NzdUsd => 600_000,
        FxPair::GbpUsd => 1_270_000,
        FxPair::BrlUsd => 178_000,
        FxPair::InrUsd => 11_900,
        FxPair::SgdUsd => 745_000,
        FxPair::KrwUsd => 722,
        FxPair::JpyUsd => 6_700,
        FxPair::CnyUsd => 138_500,
    }
}

/// A random walk around the pair's level, the same in every sandbox. Two days in a row never have the same rate.
fn sample(pair: FxPair) -> Vec<(u64, FxRate)> {
    let mut draw = pair.name().bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let mut away = 0;
    let day = |day: u64| {
        draw ^= draw << 13;
        draw ^= draw >> 7;
        draw ^= draw << 17;
        let step = STEP_LEAST + i64::try_from((draw >> 8) % STEP_SPREAD).unwrap_or(0);
        let moved = if draw & 1 == 0 { away + step } else { away - step };
        // At an end of its range the walk turns back.
        away = if moved.abs() > REACH { 2 * away - moved } else { moved };
        // A millionth of a level that is counted in millionths is 10⁻¹² of a dollar.
        let units = u64::try_from(level(pair) * (PARTS + away)).unwrap_or(1);
        (FIRST + day * DAY, FxRate::from_units(units))
    };
    (0..DAYS).map(day).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every day of three years has a rate near its pair's level, and another one than the day before.
    #[test]
    fn sample_rates_are_plausible() {
        for pair in FxPair::ALL {
            let rates = sample(pair);
            assert_eq!(rates.len(), 1_095);
            let level = u64::try_from(level(pair) * PARTS).unwrap();
            for (day, (millis, rate)) in (0..).zip(&rates) {
                assert_eq!(*millis, FIRST + day * DAY);
                assert!(rate.units().abs_diff(level) <= level / 100 * 8, "{pair:?} {rate:?}");
            }
            assert!(rates.windows(2).all(|two| two[0].1 != two[1].1), "{pair:?}");
            let span = |pick: fn(u64, u64) -> u64| rates.iter().map(|(_, rate)| rate.units()).reduce(pick);
            let (low, high) = (span(u64::min).unwrap(), span(u64::max).unwrap());
            assert!(high - low > level / 50, "{pair:?} moves: {low} {high}");
        }
    }

    /// They are the same in every sandbox, and added once.
    #[test]
    fn sample_rates_are_added_once() {
        let commands: Vec<Body> = missing_sample_rates(&Rates::default()).collect();
        assert_eq!(commands.len(), 14);
        assert_eq!(commands, missing_sample_rates(&Rates::default()).collect::<Vec<_>>());
    }
}
