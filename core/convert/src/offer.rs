//! The house's offer for an amount: the average price of the book or the reference, whichever is better for the house (D-179).
//!
//! Orders of the client's own group do not count. A reference is the index of the base currency divided by that of the quote currency.

use crate::quote::QUOTE_ORDERS_MAX;
use crate::{Client, Conversions, Quote};
use alloc::vec::Vec;
use buttonwood_index::LEVELS_MAX;
use buttonwood_model::{Side, Symbol, SymbolId};
use buttonwood_num::{Bps, Grid, Money, Price, Qty, Round};
use buttonwood_room::Context;

/// The average price of the book is at most this far from the reference, in parts of a hundred.
const SPREAD_MAX: i128 = 5;
/// A quote is void once its price is this much worse for the house, in parts of a hundred.
const MOVE_MAX: i128 = 1;
const PARTS: i128 = 100;

/// A price level of other groups with all that is better.
#[derive(Clone, Copy, Debug)]
struct Level {
    price: Price,
    /// The quantity down to this level.
    depth: Qty,
    /// The cost of this quantity, or its proceeds.
    notional: Money,
}

/// The book and the reference of one side.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    grid: &'a Grid,
    /// The side of the client.
    side: Side,
    levels: Vec<Level>,
    /// The reference of one unit of the base currency, in the quote currency, rounded in favour of the house.
    reference: Money,
}

/// The house's offer to a client now, with as much of the book as `reaches` wants; none without a reference.
pub(crate) fn offer<'a>(
    context: &Context<'_, Conversions>,
    (id, symbol): (SymbolId, &'a Symbol),
    side: Side,
    client: Client<'_>,
    reaches: impl Fn(Qty, Money) -> bool,
) -> Option<Offer<'a>> {
    let round = match side {
        Side::Buy => Round::Up,
        Side::Sell => Round::Down,
    };
    let [base, quote] = [symbol.base, symbol.quote].map(|currency| client.reference(context, currency));
    let reference = base?.over(quote?, round).filter(|reference| *reference > Money::ZERO)?;
    let mut left = QUOTE_ORDERS_MAX;
    let levels = levels(context, (id, symbol, side.opposite()), client, reaches, &mut left);
    context.sources.bound.note_looks(QUOTE_ORDERS_MAX.saturating_sub(left));
    let levels = levels?;
    Some(Offer { grid: &symbol.grid, side, levels, reference })
}

/// The levels of other groups, best first, until their quantity and notional reach what is wanted. None if a sum is beyond the range
/// of money.
fn levels(
    context: &Context<'_, Conversions>,
    (id, symbol, side): (SymbolId, &Symbol, Side),
    client: Client<'_>,
    reaches: impl Fn(Qty, Money) -> bool,
    left: &mut usize,
) -> Option<Vec<Level>> {
    let mut levels: Vec<Level> = Vec::new();
    let (mut depth, mut notional) = (Qty::ZERO, Money::ZERO);
    for price in context.orders.book(id).side(side).prices().take(LEVELS_MAX) {
        let mut qty = Qty::ZERO;
        for slot in context.orders.queue(id, side, price) {
            // Deeper orders do not count.
            let Some(fewer) = left.checked_sub(1) else { return Some(levels) };
            *left = fewer;
            let order = context.orders.get(slot);
            if context.sources.is_offer(order.account, client.own) {
                qty += order.remaining;
            }
        }
        if qty == Qty::ZERO {
            continue;
        }
        depth += qty;
        notional = notional.checked_add(symbol.grid.notional(price, qty)?)?;
        levels.push(Level { price, depth, notional });
        if reaches(depth, notional) {
            break;
        }
    }
    Some(levels)
}

impl Offer<'_> {
    /// The cost or the proceeds of a quantity in the book; none if the book has less.
    fn in_book(&self, qty: Qty) -> Option<Money> {
        let place = self.levels.partition_point(|level| level.depth < qty);
        let level = self.levels.get(place)?;
        let before = place.checked_sub(1).and_then(|place| self.levels.get(place));
        let (depth, notional) =
            before.map_or((Qty::ZERO, Money::ZERO), |before| (before.depth, before.notional));
        notional.checked_add(self.grid.notional(level.price, qty - depth)?)
    }

    /// The worth of a quantity at the reference.
    fn at_reference(&self, qty: Qty) -> Option<Money> {
        let round = match self.side {
            Side::Buy => Round::Up,
            Side::Sell => Round::Down,
        };
        self.grid.base(qty)?.times(self.reference, round)
    }

    /// The cost or the proceeds of a quantity in the book and at the reference, if the two are near each other.
    fn both(&self, qty: Qty) -> Option<[Money; 2]> {
        let (book, reference) = (self.in_book(qty)?, self.at_reference(qty)?);
        let low = reference.mul_div(PARTS - SPREAD_MAX, PARTS, Round::Up)?;
        let high = reference.mul_div(PARTS + SPREAD_MAX, PARTS, Round::Down)?;
        (low..=high).contains(&book).then_some([book, reference])
    }

    /// The price for a quantity that a client sells, in whole ticks; none if the book has too little, or is too far from the reference.
    pub(crate) fn price_to_sell(&self, qty: Qty) -> Option<Price> {
        let [book, reference] = self.both(qty)?;
        let tick = self.grid.notional(Price::from_ticks(1), qty)?;
        let ticks = book.min(reference).units().checked_div(tick.units())?;
        u64::try_from(ticks).ok().filter(|ticks| *ticks > 0).map(Price::from_ticks)
    }

    /// The quantity that money buys, fee included, and its price: the lowest whole tick that is neither below the reference nor below the
    /// average of the book for this quantity.
    pub(crate) fn bought(&self, money: Money, rate: Bps) -> Option<(Qty, Price)> {
        let best = self.levels.first()?.price.ticks();
        let tick = self.grid.value(Money::ONE, Price::from_ticks(1)).units();
        let at = |units: i128| u64::try_from(units.checked_div(tick)?).ok();
        let mut low = at(self.reference.units().checked_add(tick - 1)?)?.max(best);
        let mut high = at(self.reference.mul_div(PARTS + SPREAD_MAX, PARTS, Round::Down)?.units())?;
        let qty_at = |ticks: u64| self.grid.qty_for(money, Price::from_ticks(ticks), rate);
        // A higher price buys less, and less has a better average.
        let pays = |ticks: u64| {
            let qty = qty_at(ticks);
            let notional = self.grid.notional(Price::from_ticks(ticks), qty);
            qty == Qty::ZERO || notional.zip(self.in_book(qty)).is_some_and(|(pays, costs)| costs <= pays)
        };
        if low > high || !pays(high) {
            return None;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if pays(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let qty = qty_at(high);
        (qty == Qty::ZERO || self.both(qty).is_some()).then_some((qty, Price::from_ticks(high)))
    }

    /// Whether the price of a quote still holds: it has moved against the house by 1 % at most. None as for a quote that would be refused.
    pub(crate) fn holds(&self, quote: &Quote, notional: Money) -> Option<bool> {
        let [book, reference] = self.both(quote.qty)?;
        Some(match self.side {
            Side::Buy => book.max(reference) <= notional.mul_div(PARTS + MOVE_MAX, PARTS, Round::Down)?,
            Side::Sell => book.min(reference) >= notional.mul_div(PARTS - MOVE_MAX, PARTS, Round::Up)?,
        })
    }
}

#[cfg(test)]
mod tests;
