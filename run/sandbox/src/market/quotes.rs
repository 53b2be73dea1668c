//! Which quotes of a book stay, which go, and which come.

use super::ladder::Ladder;
use buttonwood_model::{OrderId, Side};
use buttonwood_num::{Price, Qty};

/// A live order of the account that quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) id: OrderId,
    pub(crate) price: Price,
    pub(crate) left: Qty,
}

/// The account's quotes of a symbol: bids and asks, each from the best one on.
pub(crate) type Quotes = [Vec<Quote>; 2];

/// The changes to make.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) cancels: Vec<OrderId>,
    /// Sides and levels of the quotes to place.
    pub(crate) places: Vec<(Side, usize)>,
}

/// The sides of a book, as [`Quotes`] has them.
pub(crate) const SIDES: [Side; 2] = [Side::Buy, Side::Sell];

/// Gives each level the quote that is near enough to its place. The best bid and the best ask come together, so that the middle is never
/// farther from the fair price than a quote may drift, and the spread keeps its size.
pub(crate) fn changes(ladder: &Ladder<'_>, quotes: &Quotes) -> Changes {
    let mut changes = Changes::default();
    let [mut bids, mut asks] = [0, 1].map(|side: usize| {
        let (side, quotes) = (SIDES.get(side).copied(), quotes.get(side).map(Vec::as_slice));
        assigned(ladder, side.unwrap_or(Side::Buy), quotes.unwrap_or_default(), &mut changes.cancels)
    });
    if let (Some(bid), Some(ask)) = (bids.first_mut(), asks.first_mut())
        && !is_pair(ladder, *bid, *ask)
    {
        changes.cancels.extend([bid.take(), ask.take()].into_iter().flatten().map(|quote| quote.id));
    }
    for (side, levels) in SIDES.into_iter().zip([bids, asks]) {
        let empty = (0..).zip(levels).filter(|(_, quote)| quote.is_none());
        changes.places.extend(empty.map(|(level, _)| (side, level)));
    }
    changes
}

/// The quote of each level of a side. The others are cancelled.
fn assigned(
    ladder: &Ladder<'_>,
    side: Side,
    quotes: &[Quote],
    cancels: &mut Vec<OrderId>,
) -> Vec<Option<Quote>> {
    let mut levels = vec![None; ladder.levels(side)];
    let mut next = 0;
    for quote in quotes {
        // Levels that are nearer to the fair price than this quote stay empty.
        while next < levels.len() && is_beyond(ladder, side, next, quote.price) {
            next += 1;
        }
        let is_near = ladder
            .price(side, next)
            .is_some_and(|place| place.ticks().abs_diff(quote.price.ticks()) <= ladder.drift(next));
        match levels.get_mut(next) {
            Some(level) if is_near && !ladder.is_worn(next, quote.left) => {
                *level = Some(*quote);
                next += 1;
            }
            _ => cancels.push(quote.id),
        }
    }
    levels
}

/// Whether a price is too far out for a level.
fn is_beyond(ladder: &Ladder<'_>, side: Side, level: usize, price: Price) -> bool {
    let Some(place) = ladder.price(side, level) else { return true };
    let (place, drift) = (place.ticks(), ladder.drift(level));
    match side {
        Side::Buy => price.ticks() + drift < place,
        Side::Sell => price.ticks() > place + drift,
    }
}

/// Whether a best bid and a best ask stay as they are: the spread is three quarters to one and a half of what it should be.
fn is_pair(ladder: &Ladder<'_>, bid: Option<Quote>, ask: Option<Quote>) -> bool {
    let Some((bid, ask)) = bid.zip(ask) else { return false };
    let spread = ask.price.ticks().saturating_sub(bid.price.ticks());
    let places = [Side::Buy, Side::Sell].map(|side| ladder.price(side, 0).unwrap_or_default().ticks());
    let wanted = places[1].saturating_sub(places[0]);
    4 * spread >= 3 * wanted && 2 * spread <= 3 * wanted
}

#[cfg(test)]
mod tests;
