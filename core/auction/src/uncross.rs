//! The price at which the largest quantity trades.
//!
//! At a price, all bids at or above it buy and all asks at or below it sell; the smaller of both quantities trades.
//! Of the prices at which the most trades (AUCT-004), those with the smallest surplus on one side are eligible, and
//! of these the one nearest to a reference is chosen. So the price is unique and does not depend on the
//! sequence of the orders.

use alloc::vec::Vec;
use buttonwood_num::{Price, Qty};

/// A quantity that trades at its price or a better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The worst price it accepts.
    pub price: Price,
    /// The quantity.
    pub qty: Qty,
}

/// The result of an uncrossing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clearing {
    /// The price.
    pub price: Price,
    /// The quantity on either side.
    pub qty: Qty,
}

/// A range of prices, lowest and highest, both included.
type Span = (u64, u64);

/// The price at which bids and asks trade; `None` if no bid reaches an ask. Bids come highest first, asks lowest
/// first; several steps may have the same price. `half_ticks` is twice the reference price; without one, the middle
/// of the eligible prices is the reference.
pub fn uncross(bids: &[Step], asks: &[Step], half_ticks: Option<u128>) -> Option<Clearing> {
    let (qty, span) = most(bids, asks)?;
    let (low, high) = evenest(bids, asks, span);
    let middle = u128::from(low) + u128::from(high);
    let ticks = u64::try_from(half_ticks.unwrap_or(middle) / 2).unwrap_or(u64::MAX).clamp(low, high);
    Some(Clearing { price: Price::from_ticks(ticks), qty: Qty::from_hundredths(qty) })
}

/// The largest quantity that can trade at one price, and the prices at which it does: the best bid meets the best ask
/// until they no longer cross.
fn most(bids: &[Step], asks: &[Step]) -> Option<(u128, Span)> {
    let (mut bids, mut asks) = (bids.iter(), asks.iter());
    let (mut bid, mut ask) = (bids.next(), asks.next());
    let (mut bid_left, mut ask_left) = (left(bid), left(ask));
    let (mut qty, mut span) = (0_u128, None);
    while let (Some(buyer), Some(seller)) = (bid, ask)
        && buyer.price >= seller.price
    {
        let trades = bid_left.min(ask_left);
        qty = qty.saturating_add(trades);
        if trades > 0 {
            span = Some((seller.price.ticks(), buyer.price.ticks()));
        }
        bid_left -= trades;
        ask_left -= trades;
        if bid_left == 0 {
            bid = bids.next();
            bid_left = left(bid);
        }
        if ask_left == 0 {
            ask = asks.next();
            ask_left = left(ask);
        }
    }
    span.map(|span| (qty, span))
}

fn left(step: Option<&Step>) -> u128 {
    step.map_or(0, |step| step.qty.hundredths())
}

/// The prices of a span with the smallest surplus on one side. They are contiguous: demand falls and supply rises
/// with the price.
fn evenest(bids: &[Step], asks: &[Step], (low, high): Span) -> Span {
    // The surplus changes only just above the price of a bid and at the price of an ask.
    let mut starts: Vec<u64> = bids
        .iter()
        .map(|step| step.price.ticks().saturating_add(1))
        .chain(asks.iter().map(|step| step.price.ticks()))
        .filter(|start| (low..=high).contains(start))
        .collect();
    starts.push(low);
    starts.sort_unstable();
    starts.dedup();
    let mut over = Over::new(bids, asks);
    let mut best: Option<(u128, Span)> = None;
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(high, |next| next - 1);
        let over = over.at(*start);
        best = Some(match best {
            Some((least, span)) if least < over => (least, span),
            Some((least, (from, _))) if least == over => (least, (from, end)),
            _ => (over, (*start, end)),
        });
    }
    best.map_or((low, high), |(_, span)| span)
}

/// The surplus on one side if all willing orders trade, at a series of rising prices.
struct Over<'a> {
    /// Lowest first.
    bids: core::iter::Peekable<core::iter::Rev<core::slice::Iter<'a, Step>>>,
    asks: core::iter::Peekable<core::slice::Iter<'a, Step>>,
    wanted: u128,
    offered: u128,
}

impl<'a> Over<'a> {
    fn new(bids: &'a [Step], asks: &'a [Step]) -> Self {
        let wanted = bids.iter().fold(0_u128, |sum, step| sum.saturating_add(step.qty.hundredths()));
        Self { bids: bids.iter().rev().peekable(), asks: asks.iter().peekable(), wanted, offered: 0 }
    }

    fn at(&mut self, ticks: u64) -> u128 {
        while let Some(step) = self.bids.next_if(|step| step.price.ticks() < ticks) {
            self.wanted = self.wanted.saturating_sub(step.qty.hundredths());
        }
        while let Some(step) = self.asks.next_if(|step| step.price.ticks() <= ticks) {
            self.offered = self.offered.saturating_add(step.qty.hundredths());
        }
        self.wanted.abs_diff(self.offered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn steps(list: &[(u64, u128)]) -> Vec<Step> {
        let step = |(ticks, qty): &(u64, u128)| Step {
            price: Price::from_ticks(*ticks),
            qty: Qty::from_hundredths(*qty),
        };
        list.iter().map(step).collect()
    }

    fn cleared(bids: &[(u64, u128)], asks: &[(u64, u128)], half_ticks: Option<u128>) -> Option<(u64, u128)> {
        let clearing = uncross(&steps(bids), &steps(asks), half_ticks)?;
        Some((clearing.price.ticks(), clearing.qty.hundredths()))
    }

    #[test]
    fn the_price_that_trades_most_is_found() {
        assert_eq!(cleared(&[], &[(1, 1)], None), None);
        assert_eq!(cleared(&[(99, 5)], &[(100, 5)], None), None);
        assert_eq!(cleared(&[(100, 5)], &[(100, 3)], None), Some((100, 3)));
        // At 101 eight trade, at any other price fewer.
        assert_eq!(cleared(&[(105, 3), (101, 5)], &[(98, 2), (101, 9)], None), Some((101, 8)));
    }

    #[test]
    fn among_equals_it_is_the_one_that_leaves_least_then_the_nearest() {
        // From 96 to 104 ten trade; the surplus is two from 100 on, and nine below.
        let (bids, asks) = ([(104, 10)], [(90, 10), (96, 0), (100, 2)]);
        assert_eq!(cleared(&bids, &asks, Some(2 * 103)), Some((99, 10)));
        assert_eq!(cleared(&bids, &asks, Some(2 * 80)), Some((90, 10)));
        // Half a tick is rounded down.
        assert_eq!(cleared(&bids, &asks, Some(2 * 95 + 1)), Some((95, 10)));
        assert_eq!(cleared(&bids, &asks, None), Some((94, 10)));
    }

    /// The result of trying every price.
    fn naive(bids: &[(u64, u128)], asks: &[(u64, u128)], half_ticks: Option<u128>) -> Option<(u64, u128)> {
        let at = |ticks: u64| {
            let wanted: u128 = bids.iter().filter(|(limit, _)| *limit >= ticks).map(|(_, qty)| qty).sum();
            let offered: u128 = asks.iter().filter(|(limit, _)| *limit <= ticks).map(|(_, qty)| qty).sum();
            (wanted.min(offered), wanted.abs_diff(offered))
        };
        let most = (0..40).map(|ticks| at(ticks).0).max().filter(|most| *most > 0)?;
        let least = (0..40).filter(|ticks| at(*ticks).0 == most).map(|ticks| at(ticks).1).min()?;
        let mut good = (0..40).filter(|ticks| at(*ticks) == (most, least));
        let low = good.next()?;
        let high = good.next_back().unwrap_or(low);
        let wanted = half_ticks.unwrap_or(u128::from(low + high));
        Some((u64::try_from(wanted / 2).unwrap().clamp(low, high), most))
    }

    proptest! {
        #[test]
        fn it_is_what_trying_every_price_finds(
            mut bids in prop::collection::vec((1_u64..39, 0_u128..6), 0..12),
            mut asks in prop::collection::vec((1_u64..39, 0_u128..6), 0..12),
            half_ticks in prop::option::of(0_u128..90),
        ) {
            bids.sort_by_key(|(ticks, _)| core::cmp::Reverse(*ticks));
            asks.sort_by_key(|(ticks, _)| *ticks);
            prop_assert_eq!(cleared(&bids, &asks, half_ticks), naive(&bids, &asks, half_ticks));
        }
    }
}
