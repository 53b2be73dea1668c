//! Medians by hand, and against sorted lists.

use super::*;
use alloc::vec::Vec;
use buttonwood_num::Decimal;

fn decimal(text: &str) -> Money {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let size = Money::from_decimal(Decimal::parse(digits.as_bytes()).unwrap()).unwrap();
    Money::from_units(sign * size.units())
}

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

/// A bid and an ask that are at most a hundredth apart give their middle, whichever side traded last (D-288).
#[test]
fn a_book_s_price() {
    let [bid, near, far] = ["100", "101", "101.0000000000000000001"].map(|text| Some(decimal(text)));
    for last in [None, bid, near, Some(decimal("7"))] {
        assert_eq!(book_price(bid, near, last), Some(decimal("100.5")), "{last:?}");
        assert_eq!(book_price(bid, far, last), book_median(bid, far, last), "{last:?}");
    }
    assert_eq!(book_price(bid, bid, far), bid, "in an auction they may meet");
    assert_eq!((book_price(bid, None, far), book_price(None, far, None)), (book_median(bid, None, far), far));
    let most = Some(Money::MAX);
    assert_eq!(book_price(most, most, None), most);
}

/// Against sorted lists: every list of up to four of six values.
#[test]
fn medians_are_those_of_sorted_lists() {
    for list in 0..6_i128.pow(4) * 4 {
        let length = usize::try_from(list % 4).unwrap() + 1;
        let digit = |place: usize| list / 4 / 6_i128.pow(u32::try_from(place).unwrap()) % 6;
        let values: Vec<Money> = (0..length).map(|place| Money::from_units(digit(place) * 2)).collect();
        let mut sorted = values.clone();
        sorted.sort();
        let (low, high) = (sorted[(length - 1) / 2], sorted[length / 2]);
        assert_eq!(median(&values).unwrap().units() * 2, low.units() + high.units(), "{values:?}");
    }
}
