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

/// Orders within 5 % of the index count, at its ends too. Proves PERP-017.
#[test]
fn orders_near_the_index_count() {
    let near = |price| is_near(decimal(price), decimal("50000"));
    assert!(near("47500") && near("52500") && near("50000"));
    assert!(!near("47499.9") && !near("52500.1") && !near("0") && !near("76000"));
    assert!(!is_near(Money::MAX, Money::from_units(i128::MIN)) && !is_near(decimal("1"), Money::ZERO));
}

/// 1,000 dollars are filled at the average of the orders that they take, the last one in part.
#[test]
fn a_side_stands_for_an_average() {
    let of = |orders: &[(&str, &str)]| {
        average(orders.iter().map(|(price, open)| (decimal(price), decimal(open))), decimal("1000"))
    };
    assert_eq!(of(&[("50000", "0.0199")]), None);
    assert_eq!(of(&[("50000", "0.02")]), Some(decimal("50000")));
    assert_eq!(of(&[("50000", "7"), ("40000", "1")]), Some(decimal("50000")));
    // 500 dollars buy 1, and 500 buy 2: 1,000 for 3.
    assert_eq!(of(&[("500", "1"), ("250", "9")]), Some(decimal("333.3333333333333333333")));
    assert_eq!((of(&[]), of(&[("0", "5")])), (None, None));
    assert_eq!(average([(Money::MAX, Money::MAX)], decimal("1000")), Some(Money::MAX));
}

/// The last trade counts between the two averages; a side that is too thin makes no difference.
#[test]
fn a_difference_needs_both_sides() {
    let of = |bid: &str, ask: &str, last: &str| {
        let [bid, ask, last] = [bid, ask, last].map(|text| (!text.is_empty()).then(|| decimal(text)));
        difference([bid, ask], last, decimal("100")).unwrap()
    };
    assert_eq!(
        [of("98", "101", "99"), of("98", "101", "500"), of("98", "101", "1")],
        ["-1", "1", "-2"].map(decimal)
    );
    assert_eq!(of("98", "103", ""), decimal("0.5"));
    assert_eq!([of("", "103", "103"), of("98", "", "98"), of("", "", "")], [Money::ZERO; 3]);
    assert_eq!(difference([Some(Money::MAX); 2], None, decimal("-1")), None);
}
