//! Amounts by hand and against fractions.

use super::*;
use crate::rational::{Exact, Random, decimal, exact, ratio, twelve_decimals};
use alloc::vec::Vec;

/// A minute that opens at 12, rises to 20, falls to 4 and closes at 8 has a mean of 11.
#[test]
fn a_minute_has_four_values() {
    let mut minute = Minute::new(decimal("12"));
    assert_eq!(minute.sum(), decimal("48"));
    for difference in ["20", "4", "8"] {
        minute.take(decimal(difference));
    }
    assert_eq!((minute.sum(), minute.close()), (decimal("44"), decimal("8")));
    let mut low = Minute::new(Money::from_units(i128::MIN));
    low.take(Money::from_units(i128::MIN));
    assert_eq!(low.sum(), Money::from_units(i128::MIN));
}

/// A difference of 24 for the whole hour is an amount of 1; one of a single minute is a sixtieth. Proves PERP-016 and PERP-017.
#[test]
fn the_amount_is_the_mean_of_the_hour() {
    let minute = Minute::new(decimal("24")).sum();
    let mark = decimal("50000");
    let cap = Terms::default().cap;
    assert_eq!(amount([minute; 60], MINUTES, mark, cap), decimal("1"));
    assert_eq!(amount([minute], MINUTES, mark, cap), decimal("0.016666666667"));
    assert_eq!(amount([minute], 1, mark, cap), decimal("1"));
    assert_eq!(
        (amount([], MINUTES, mark, cap), amount([], 0, mark, cap), amount([minute], 0, mark, cap)),
        (Money::ZERO, Money::ZERO, Money::ZERO)
    );
}

/// Ties of the twelfth decimal go to the even one.
#[test]
fn amounts_round_half_even() {
    // The mean ÷ 24 of one minute is its sum ÷ 96.
    let of = |twelfths: i128| {
        amount([Money::from_units(96 * twelfths * TWELFTH_DECIMAL.units() / 2)], 1, decimal("1"), Bps(50))
    };
    let twelfth = |count: i128| Money::from_units(count * TWELFTH_DECIMAL.units());
    assert_eq!((of(1), of(3), of(5)), (twelfth(0), twelfth(2), twelfth(2)));
    assert_eq!((of(-1), of(-3), of(-5)), (twelfth(0), twelfth(-2), twelfth(-2)));
}

/// A part of the mark, cut to 12 decimals, bounds it in either direction: 0.05 % unless operators set another. Proves PERP-017.
#[test]
fn the_amount_is_capped() {
    let minute = |text| Minute::new(decimal(text)).sum();
    let with = |difference, mark, cap| amount([minute(difference); 60], MINUTES, decimal(mark), cap);
    let of = |difference, mark| with(difference, mark, Bps(50));
    let usual = Terms::default().cap;
    assert_eq!((with("601", "50000", usual), with("-601", "50000", usual)), (decimal("25"), decimal("-25")));
    assert_eq!(
        (with("599.976", "50000", usual), with("5", "50000", Bps(0))),
        (decimal("24.999"), Money::ZERO)
    );
    assert_eq!((of("100000", "50000"), of("-100000", "50000")), (decimal("250"), decimal("-250")));
    assert_eq!(of("6000", "50000"), decimal("250"));
    assert_eq!(of("1", "0.000000000399"), decimal("0.000000000001"));
    assert_eq!((of("1", "0"), of("1", "-5")), (Money::ZERO, Money::ZERO));
}

/// Terms are valid within bounds.
#[test]
fn terms_have_bounds() {
    let usual = Terms::default();
    assert!(usual.are_valid() && Terms { cap: Bps(0), ..usual }.are_valid());
    assert!(Terms { cap: Bps(10_000), depth: decimal("1000000000") }.are_valid());
    for bad in [
        Terms { cap: Bps(10_001), ..usual },
        Terms { depth: Money::ZERO, ..usual },
        Terms { depth: decimal("1000000000.1"), ..usual },
    ] {
        assert!(!bad.are_valid(), "{bad:?}");
    }
}

/// Against fractions.
#[test]
fn amounts_are_those_of_fractions() {
    let mut random = Random::new(13);
    for _ in 0..200 {
        let minutes = u32::try_from(random.between(1, 60)).unwrap();
        let mark = random.amount(1, 3_000, 12);
        let mut sum: Exact = ratio(0, 1);
        let mut sums: Vec<Money> = Vec::new();
        for _ in 0..random.between(0, i128::from(minutes)) {
            let values: Vec<Money> = (0..random.between(1, 5)).map(|_| random.amount(-40, 40, 12)).collect();
            let mut minute = Minute::new(values[0]);
            values[1..].iter().for_each(|value| minute.take(*value));
            let (high, low) = (*values.iter().max().unwrap(), *values.iter().min().unwrap());
            let four = [values[0], high, low, values[values.len() - 1]].map(exact);
            sum += four.into_iter().sum::<Exact>() / ratio(4, 1);
            sums.push(minute.sum());
        }
        let mean = twelve_decimals(&(sum / ratio(i128::from(minutes) * 24, 1)));
        let cap = random.between(0, 60);
        let most = exact(mark) * ratio(cap, 10_000) * ratio(10_i128.pow(12), 1);
        let most = most.floor() / ratio(10_i128.pow(12), 1);
        let bounded = exact(mean).min(most.clone()).max(-most);
        let cap = Bps(u16::try_from(cap).unwrap());
        assert_eq!(exact(amount(sums, minutes, mark, cap)), bounded);
    }
}

/// Longs pay what shorts receive, to the last decimal. Proves PERP-018.
#[test]
fn payments_sum_to_zero() {
    assert_eq!(payment(decimal("0.5"), decimal("1.25")), Some(decimal("0.625")));
    assert_eq!(payment(decimal("-0.5"), decimal("1.25")), Some(decimal("-0.625")));
    assert_eq!(payment(decimal("0.5"), decimal("-1.25")), Some(decimal("-0.625")));
    let mut random = Random::new(14);
    for _ in 0..100 {
        let (amount, mut whole, mut sum) = (random.amount(-9, 9, 12), Money::ZERO, ratio(0, 1));
        for _ in 0..9 {
            let quantity = random.amount(-9, 9, 6);
            whole += quantity;
            sum += exact(payment(quantity, amount).unwrap());
        }
        sum += exact(payment(Money::from_units(-whole.units()), amount).unwrap());
        assert_eq!(sum, ratio(0, 1));
    }
    assert_eq!(payment(Money::MAX, Money::MAX), None);
}

/// No input panics.
#[test]
fn wild_amounts_are_bounded() {
    let mut random = Random::new(15);
    for _ in 0..20_000 {
        let mut minute = Minute::new(random.wild());
        minute.take(random.wild());
        let _ = amount([minute.sum(), random.wild()], u32::MAX, random.wild(), Bps(u16::MAX));
        let _ = (amount([random.wild()], 1, random.wild(), Bps(5)), payment(random.wild(), random.wild()));
    }
}
