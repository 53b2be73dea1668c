//! The mark, and the band that keeps it near its index.
//!
//! Prices are dollars for one unit of the base currency.
//!
//! Clauses: `PERP-012`, `PERP-017`; decisions D-39, D-177. Not here: the index (`index`), and when a mark is taken.

use buttonwood_num::{Money, Round, mul_div};

/// One unit of the twelfth decimal, the last one of marks and funding amounts.
pub(crate) const TWELFTH_DECIMAL: Money = Money::from_units(10_000_000);

/// A mark is between 9,995 and 10,005 parts of 10,000 of its index.
const BAND: [i128; 2] = [9_995, 10_005];
const PARTS: i128 = 10_000;

/// An order counts in the depth of a book within a twentieth of the index.
const NEAR: i128 = 20;

/// Whether a price is within 5 % of the index, so that an order at this price counts in the depth of a book (D-177).
pub fn is_near(price: Money, index: Money) -> bool {
    let distance = price.units().abs_diff(index.units());
    let distance = i128::try_from(distance).ok().and_then(|distance| distance.checked_mul(NEAR));
    distance.is_some_and(|distance| distance <= index.units())
}

/// The average price at which `depth` dollars of a side of a book would be filled, rounded half even at 10⁻¹⁹ (D-177). `orders` are
/// pairs of price and quantity, best price first. `None` while they are worth less.
pub fn average(orders: impl IntoIterator<Item = (Money, Money)>, depth: Money) -> Option<Money> {
    let (mut quantity, mut value) = (Money::ZERO, Money::ZERO);
    for (price, open) in orders {
        let left = depth.checked_sub(value)?;
        match open.times(price, Round::Down).filter(|worth| *worth < left) {
            Some(worth) => {
                value = value.checked_add(worth)?;
                quantity = quantity.checked_add(open)?;
            }
            // depth ÷ (quantity + left ÷ price)
            None => {
                let weighed = quantity.times(price, Round::HalfEven)?.checked_add(left)?;
                return depth.mul_div(price.units(), weighed.units(), Round::HalfEven);
            }
        }
    }
    None
}

/// The difference that counts in funding: the last trade, moved between the average prices of the two sides, or their mean without a last
/// trade, less the index. Zero while a side has no average price (D-177). `None` beyond the range of money.
pub fn difference([bid, ask]: [Option<Money>; 2], last: Option<Money>, index: Money) -> Option<Money> {
    let Some((bid, ask)) = bid.zip(ask) else { return Some(Money::ZERO) };
    let price = match last {
        Some(last) => last.min(ask).max(bid),
        None => bid.checked_add(ask)?.mul_div(1, 2, Round::HalfEven)?,
    };
    price.checked_sub(index)
}

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
