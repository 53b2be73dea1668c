//! The mark, and the band that keeps it near its index.
//!
//! Prices are dollars for one unit of the base currency.
//!
//! Clauses: `PERP-012`; decision D-39. Not here: the index (`index`), and when a mark is taken.

use buttonwood_num::{Money, Round, mul_div};

/// One unit of the twelfth decimal, the last one of marks and funding amounts.
pub(crate) const TWELFTH_DECIMAL: Money = Money::from_units(10_000_000);

/// A mark is between 9,995 and 10,005 parts of 10,000 of its index.
const BAND: [i128; 2] = [9_995, 10_005];
const PARTS: i128 = 10_000;

/// The mark: the median of the perpetual's book, or the index where the book is empty, kept within 0.05 % of the index and rounded
/// half even at 12 decimals. `None` if that is not positive or beyond the range of money.
///
/// An end of the band is rounded once, from its exact value; the mark may therefore be beyond it by half of the twelfth decimal.
pub fn mark(book: Option<Money>, index: Money) -> Option<Money> {
    let [low, high] = BAND;
    let end = |parts, round| index.mul_div(parts, PARTS, round);
    let book = book.unwrap_or(index);
    let (value, parts) = if book < end(low, Round::Up)? {
        (index, low)
    } else if book > end(high, Round::Down)? {
        (index, high)
    } else {
        (book, PARTS)
    };
    let steps = mul_div(value.units(), parts, PARTS * TWELFTH_DECIMAL.units(), Round::HalfEven)?;
    steps.checked_mul(TWELFTH_DECIMAL.units()).filter(|units| *units > 0).map(Money::from_units)
}

#[cfg(test)]
mod tests;
