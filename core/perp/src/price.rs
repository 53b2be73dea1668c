//! Index and mark: medians of books, and the range that keeps the mark near the index (D-38, D-39).

use buttonwood_book::Orders;
use buttonwood_model::{Side, Symbol, SymbolId};
use buttonwood_num::{Money, Price};

/// A mark ends at 12 decimals: this many units.
const STEP: i128 = 10_000_000;

/// Twice the median of best bid, best ask and last trade of a symbol; of two their sum. None without any of them.
pub(crate) fn twice_median(orders: &Orders, id: SymbolId, symbol: &Symbol) -> Option<i128> {
    let book = orders.book(id);
    let prices = [book.side(Side::Buy).best(), book.side(Side::Sell).best(), orders.last(id)];
    let one = Money::from_units(10i128.pow(u32::from(buttonwood_num::MONEY_DECIMALS)));
    let value = |price: Price| symbol.grid.value(one, price).units();
    twice_median_of(prices.map(|price| price.map(value)))
}

fn twice_median_of(prices: [Option<i128>; 3]) -> Option<i128> {
    let low = prices.into_iter().flatten().min()?;
    let high = prices.into_iter().flatten().max()?;
    match prices {
        [Some(one), Some(two), Some(three)] => {
            // The middle one is what is left of the sum.
            let middle = one.max(two).min(one.min(two).max(three));
            middle.checked_mul(2)
        }
        _ => low.checked_add(high),
    }
}

/// The index that a median gives. None for a median of zero.
pub(crate) fn index(twice_median: i128) -> Option<Money> {
    // Prices have fewer decimals than money, so the half of a sum is exact.
    (twice_median > 0).then(|| Money::from_units(twice_median / 2))
}

/// The mark: the median of the contract's book, or the index without one, kept within 0.05 % of the index, at 12 decimals, half
/// to even. None where it cannot be counted.
pub(crate) fn mark(twice_median: Option<i128>, index: Money) -> Option<Money> {
    let [low, high, middle] = [9_995, 10_005, 10_000].map(|part| index.units().checked_mul(2 * part));
    let median = match twice_median {
        // Beyond the range of numbers it is beyond the range of the mark too.
        Some(twice) => twice.checked_mul(10_000).unwrap_or(high?),
        None => middle?,
    };
    let mark = half_even(median.clamp(low?, high?), 20_000 * STEP) * STEP;
    (mark > 0).then(|| Money::from_units(mark))
}

/// The quotient of a number that is not negative, rounded to the nearest whole number, and from the middle to the even one.
fn half_even(number: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (number / divisor, number % divisor);
    let rounds_up = match (2 * rest).cmp(&divisor) {
        core::cmp::Ordering::Less => false,
        core::cmp::Ordering::Equal => quotient % 2 == 1,
        core::cmp::Ordering::Greater => true,
    };
    quotient + i128::from(rounds_up)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: i128 = 10i128.pow(19);

    /// The median of three is the middle one, in any order; of two their mean, of one itself.
    #[test]
    fn the_median_of_what_there_is() {
        for three in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
            assert_eq!(twice_median_of(three.map(Some)), Some(4), "{three:?}");
        }
        assert_eq!(twice_median_of([Some(5), Some(5), Some(9)]), Some(10));
        assert_eq!(twice_median_of([Some(5), None, Some(8)]), Some(13));
        assert_eq!(twice_median_of([None, Some(8), None]), Some(16));
        assert_eq!(twice_median_of([None, None, None]), None);
    }

    /// The mark stays within 0.05 % of the index, ends at 12 decimals, and is the index without a book. Proves PERP-012.
    #[test]
    fn the_mark_stays_near_the_index() {
        let index = Money::from_units(50_000 * ONE);
        let mark = |twice: Option<i128>| mark(twice, index).map(Money::units);
        assert_eq!(mark(None), Some(50_000 * ONE));
        assert_eq!(mark(Some(2 * 50_010 * ONE)), Some(50_010 * ONE));
        assert_eq!(mark(Some(2 * 50_025 * ONE + 2)), Some(50_025 * ONE));
        assert_eq!(mark(Some(2 * 60_000 * ONE)), Some(50_025 * ONE));
        assert_eq!(mark(Some(i128::MAX)), Some(50_025 * ONE));
        assert_eq!(mark(Some(2)), Some(49_975 * ONE));
        // Half a step goes to the even one.
        assert_eq!(mark(Some(2 * 50_000 * ONE + STEP)), Some(50_000 * ONE));
        assert_eq!(mark(Some(2 * 50_000 * ONE + 3 * STEP)), Some(50_000 * ONE + 2 * STEP));
        assert_eq!(super::mark(None, Money::MAX), None);
    }
}
