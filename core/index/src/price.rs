//! Medians of prices, in dollars for one unit of the base currency.
//!
//! Clauses: `PERP-012`; decision D-38. Not here: which sources are fresh.

use buttonwood_num::Money;

/// The median. Of an even number of values it is the mean of the middle two, rounded half even at 10⁻¹⁹, so that the mean of two
/// prices on a price step is exact. `None` without values.
///
/// The values need no order: each is ranked by comparison with all others, which suits the few sources that there are.
pub fn median(values: &[Money]) -> Option<Money> {
    let last = values.len().checked_sub(1)?;
    Some(mean(ranked(values, last / 2)?, ranked(values, values.len() / 2)?))
}

/// The value with exactly `rank` values before it, if all were sorted.
fn ranked(values: &[Money], rank: usize) -> Option<Money> {
    let holds_rank = |value: &&Money| {
        let below = values.iter().filter(|other| other < value).count();
        let equal = values.iter().filter(|other| other == value).count();
        (below..below + equal).contains(&rank)
    };
    values.iter().find(holds_rank).copied()
}

/// The mean of two values, rounded half even; their sum may be beyond the range.
fn mean(one: Money, other: Money) -> Money {
    let (one, other) = (one.units(), other.units());
    // The bits that both have in common, and half of those that only one of them has.
    let floor = (one & other) + ((one ^ other) >> 1);
    let is_tie = (one ^ other) & 1 == 1;
    Money::from_units(floor + i128::from(is_tie && floor & 1 == 1))
}

/// The median of those of a book's best bid, best ask and last trade that exist; `None` without any.
pub fn book_median(bid: Option<Money>, ask: Option<Money>, last: Option<Money>) -> Option<Money> {
    match (bid, ask, last) {
        (Some(bid), Some(ask), Some(last)) => median(&[bid, ask, last]),
        (Some(one), Some(other), None) | (Some(one), None, Some(other)) | (None, Some(one), Some(other)) => {
            Some(mean(one, other))
        }
        (one, other, third) => one.or(other).or(third),
    }
}

/// How near bid and ask are when their middle is the price: a hundredth of the bid apart (D-288).
const NEAR: i128 = 100;

/// The price of a book whose bid and ask are near each other: their middle, whichever side traded last. Otherwise its [`book_median`].
pub fn book_price(bid: Option<Money>, ask: Option<Money>, last: Option<Money>) -> Option<Money> {
    let both = bid.zip(ask).filter(|(bid, ask)| (ask.units() - bid.units()) <= bid.units() / NEAR);
    both.map(|(bid, ask)| mean(bid, ask)).or_else(|| book_median(bid, ask, last))
}

/// The index: the median of the fresh sources. `None` with fewer than `needed` of them, and for a median that is not positive.
pub(crate) fn index(fresh: &[Money], needed: usize) -> Option<Money> {
    median(fresh).filter(|median| fresh.len() >= needed && *median > Money::ZERO)
}

#[cfg(test)]
mod tests;
