//! Medians and marks by hand, and against sorted lists and fractions.

use super::*;
use crate::rational::{Random, decimal, exact, ratio, twelve_decimals};
use alloc::vec::Vec;

/// Three sources have a middle one, two a mean; an index needs as many sources as the venue demands.
#[test]
fn the_median_of_what_there_is() {
    let prices = ["50010", "49990", "50001"].map(decimal);
    assert_eq!(median(&prices), Some(decimal("50001")));
    assert_eq!(median(&prices[..2]), Some(decimal("50000")));
    assert_eq!((median(&prices[..1]), median(&[])), (Some(decimal("50010")), None));
    assert_eq!((index(&prices, 3), index(&prices[..2], 3)), (Some(decimal("50001")), None));
    assert_eq!((index(&[], 0), index(&[Money::ZERO], 1), index(&[decimal("-1")], 1)), (None, None, None));
    let unit = Money::from_units;
    // Ties of the last decimal go to the even one, in both directions.
    assert_eq!((median(&[unit(1), unit(2)]), median(&[unit(2), unit(3)])), (Some(unit(2)), Some(unit(2))));
    assert_eq!(
        (median(&[unit(-1), unit(-2)]), median(&[unit(-1), unit(0)])),
        (Some(unit(-2)), Some(unit(0)))
    );
    assert_eq!(median(&[Money::MAX, Money::MAX]), Some(Money::MAX));
    assert_eq!(median(&[unit(i128::MIN), unit(i128::MIN)]), Some(unit(i128::MIN)));
}

/// The median of bid, ask and last is that of those which exist.
#[test]
fn a_book_s_median() {
    let [bid, ask, last] = ["99", "101", "105"].map(|text| Some(decimal(text)));
    assert_eq!(book_median(bid, ask, last), ask);
    assert_eq!(book_median(bid, ask, None), Some(decimal("100")));
    assert_eq!(book_median(bid, None, last), Some(decimal("102")));
    assert_eq!(book_median(None, ask, last), Some(decimal("103")));
    assert_eq!((book_median(bid, None, None), book_median(None, None, last)), (bid, last));
    assert_eq!((book_median(None, ask, None), book_median(None, None, None)), (ask, None));
}

/// Against a sorted list.
#[test]
fn medians_are_those_of_sorted_lists() {
    let mut random = Random::new(1);
    for _ in 0..500 {
        let length = usize::try_from(random.between(1, 9)).unwrap();
        let values: Vec<Money> = (0..length).map(|_| random.amount(0, 5, 1)).collect();
        let mut sorted = values.clone();
        sorted.sort();
        let (low, high) = (sorted[(length - 1) / 2], sorted[length / 2]);
        assert_eq!(exact(median(&values).unwrap()) * ratio(2, 1), exact(low) + exact(high), "{values:?}");
    }
}

/// A book far away moves the mark by 0.05 % of the index and no more. Proves PERP-012.
#[test]
fn the_mark_stays_near_the_index() {
    let index = decimal("50000");
    let at = |book: &str| mark(Some(decimal(book)), index).unwrap();
    assert_eq!(mark(None, index), Some(index));
    assert_eq!(
        (at("50010"), at("50025"), at("49975")),
        (decimal("50010"), decimal("50025"), decimal("49975"))
    );
    assert_eq!(
        (at("50025.5"), at("60000"), at("49974.5")),
        (decimal("50025"), decimal("50025"), decimal("49975"))
    );
    // Ties of the twelfth decimal.
    assert_eq!(at("50000.0000000000005"), index);
    assert_eq!(at("50000.0000000000015"), decimal("50000.000000000002"));
    assert_eq!(at("50000.00000000000150001"), decimal("50000.000000000002"));
    assert_eq!((mark(None, decimal("0.0000000000001")), mark(None, Money::ZERO)), (None, None));
    assert_eq!((mark(None, decimal("-1")), mark(Some(Money::MAX), Money::MAX)), (None, None));
}

/// Against fractions: clamped first, then rounded once.
#[test]
fn marks_are_clamped_and_rounded_once() {
    let mut random = Random::new(2);
    for _ in 0..1_000 {
        let decimals = u32::try_from(random.between(8, 15)).unwrap();
        let index = random.amount(1, 900, decimals);
        let book = exact(index) * ratio(random.between(99_900, 100_100), 100_000);
        let book = crate::rational::floor(&book);
        let (low, high) = (exact(index) * ratio(9_995, 10_000), exact(index) * ratio(10_005, 10_000));
        let clamped = exact(book).max(low).min(high);
        assert_eq!(mark(Some(book), index), Some(twelve_decimals(&clamped)), "{book:?} {index:?}");
    }
}
