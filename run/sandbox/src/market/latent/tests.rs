//! Tests of the latent prices: their statistics, pins, and that they are functions.

use super::*;

const DAY: u64 = 86_400;
/// 2027-01-15T08:00:00Z.
const START: u64 = 1_800_000_000;
const CODES: [&str; 7] = ["USD", "BTC", "ETH", "DAI", "USDT", "DOGE", "EUR"];

fn latent(seed: u64) -> Latent {
    let dollars = |whole: i128| Some(Money::from_units(Money::ONE.units() / 100 * whole));
    let starts = [100, 6_500_000, 325_000, 100, 100, 15, 108].map(dollars);
    Latent::new(seed, CODES.into_iter().zip(starts))
}

/// The prices of a currency every so many seconds of a day.
fn prices(latent: &Latent, code: &str, every: u64) -> Vec<i128> {
    let place = CODES.iter().position(|other| *other == code).unwrap();
    let at = |second| {
        latent
            .at(Time(second * Time::SECOND), &Indices::default())
            .of(CurrencyId::from_index(place))
            .unwrap()
            .units()
    };
    (0..=DAY / every).map(|step| at(START + step * every)).collect()
}

/// Returns in units of 10⁻⁹.
fn returns(prices: &[i128]) -> Vec<i128> {
    let change = |two: &[i128]| (two[1] - two[0]) * 1_000_000 / (two[0] / 1_000);
    prices.windows(2).map(change).collect()
}

/// The correlation of two series around zero, in thousandths.
fn correlation(one: &[i128], other: &[i128]) -> i128 {
    let product = |one: &[i128], other: &[i128]| -> i128 { one.iter().zip(other).map(|(a, b)| a * b).sum() };
    product(one, other) * 1_000 / (product(one, one).isqrt() * product(other, other).isqrt())
}

/// One-minute returns do not correlate with the ones before, and bitcoin and ether move together by the hour.
#[test]
fn returns_look_like_a_market_s() {
    for seed in 1..=3 {
        let latent = latent(seed);
        for code in ["BTC", "ETH", "DOGE"] {
            let returns = returns(&prices(&latent, code, 60));
            let lag = correlation(&returns[1..], &returns[..returns.len() - 1]);
            assert!((-100..=100).contains(&lag), "seed {seed}, {code}: {lag}");
            let variance: i128 = returns.iter().map(|change| change * change).sum();
            // Between 0.5 and 8 percent a day.
            let day = variance.isqrt() / 10_000;
            assert!((500..8_000).contains(&day), "seed {seed}, {code}: {day}");
        }
        let [btc, eth] = ["BTC", "ETH"].map(|code| returns(&prices(&latent, code, 3_600)));
        let together = correlation(&btc, &eth);
        assert!(together > 500, "seed {seed}: {together}");
    }
}

/// Coins that are worth a dollar stay within five ten-thousandths of one, and move.
#[test]
fn pegged_prices_stay_near_a_dollar() {
    let one = Money::ONE.units();
    for seed in 1..=3 {
        let latent = latent(seed);
        for code in ["DAI", "USDT"] {
            let prices = prices(&latent, code, 60);
            assert!(prices.iter().all(|price| (price - one).abs() * 2_000 < one), "seed {seed}: {code}");
            assert!(prices.iter().any(|price| (price - one).abs() * 50_000 > one), "seed {seed}: {code}");
        }
        assert!(prices(&latent, "USD", 3_600).iter().all(|price| *price == one));
    }
}

/// A price is the same whatever was asked before, differs by seed, and stays within reach of its start over years.
#[test]
fn prices_are_functions_of_seed_and_time() {
    let (one, other) = (latent(1), latent(2));
    let at = |latent: &Latent, second: u64| {
        latent.at(Time(second * Time::SECOND), &Indices::default()).of(CurrencyId(1))
    };
    let before = at(&one, START + 77);
    for day in 0..3_000 {
        let price = at(&one, START + day * DAY).unwrap();
        let dollars = price.units() / Money::ONE.units();
        assert!((40_000..110_000).contains(&dollars), "{day}: {dollars}");
    }
    assert_eq!(at(&one, START + 77), before);
    assert_eq!(at(&latent(1), START + 77), before);
    assert_ne!(at(&other, START + 77), before);
}

/// A pin takes the place of a price, and gives it back.
#[test]
fn a_pin_is_the_price() {
    let (latent, btc) = (latent(1), CurrencyId(1));
    let time = Time(START * Time::SECOND);
    let mut indices = Indices::default();
    let before = latent.at(time, &indices).of(btc);
    indices.set_pin(btc, Some(Money::ONE));
    assert_eq!(latent.at(time, &indices).of(btc), Some(Money::ONE));
    indices.set_pin(btc, None);
    assert_eq!(latent.at(time, &indices).of(btc), before);
}

#[test]
fn exponentials_are_exact_enough() {
    for (logarithm, expected) in [
        (0, ONE),
        (ONE, 2_718_281_828_459),
        (-ONE, 367_879_441_171),
        (ONE / 100, 1_010_050_167_084),
        (-3 * ONE, 49_787_068_367),
    ] {
        assert!((exponential(logarithm) - expected).abs() < 100, "{logarithm}");
    }
}
