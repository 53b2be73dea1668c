//! Marks by hand, and against fractions.

use super::*;
use crate::rational::{Random, decimal, exact, ratio, twelve_decimals};

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
