//! The quotes that a book should hold: prices around the fair one, and sizes.
//!
//! Distances are in hundredths of the spread. Levels lie ever farther apart and hold ever less, so depth thins with distance.

use buttonwood_model::{Side, Symbol};
use buttonwood_num::{HUNDREDTHS_PER_LOT, Money, Price, Qty, Round};

/// Each level's distance from the fair price.
const DISTANCES: [i128; 10] = [50, 110, 190, 310, 500, 800, 1_250, 1_900, 2_800, 4_000];
/// The size of each level, in tenths of the best one.
const SIZES: [i128; 10] = [10, 10, 9, 9, 8, 8, 7, 7, 6, 6];
/// How far a quote may be from its place before it is replaced: the best one, and others as a part of their distance.
const DRIFT: i128 = 45;
const DRIFT_PART: i128 = 3;
/// One, as spreads and sizes are counted.
const ONE: i128 = 1_000_000;
/// A size varies around its level's by this part of it, in [`ONE`].
const VARIES: i128 = 400_000;
/// The largest spread of a book that trades: some perpetuals have price steps of a tenth of their price.
const SPREAD_MAX: i128 = ONE / 25;
/// An order that has less left than this part of its level's size is replaced.
const LEFT: i128 = 3;

/// The quotes of a symbol at a moment.
#[derive(Clone, Debug)]
pub(crate) struct Ladder<'a> {
    symbol: &'a Symbol,
    fair: Money,
    tick: Money,
    /// In millionths of the fair price.
    spread: i128,
    /// The prices of the levels of bids and asks; fewer where there is no price.
    places: [Vec<Price>; 2],
    /// How many price steps the quote of each level may be from its place.
    drifts: Vec<u64>,
    /// The best level's size, in the base currency.
    depth: Money,
}

impl<'a> Ladder<'a> {
    /// The quotes around a fair price. The spread, in millionths, is at least two and a half price steps, so that a quote may drift a step;
    /// `dollars` are on the best level, at so many dollars a unit.
    pub(crate) fn new(
        symbol: &'a Symbol,
        (fair, dollar_price): (Money, Money),
        spread: u64,
        levels: usize,
        dollars: u64,
    ) -> Option<Self> {
        let tick = symbol.grid.value(Money::ONE, Price::from_ticks(1));
        let least = tick.mul_div(ONE * 5 / 2, fair.units(), Round::Up)?.units();
        let dollars = Money::ONE.mul_div(i128::from(dollars), 1, Round::Down)?;
        let depth = dollars.over(dollar_price, Round::Down)?;
        let spread = i128::from(spread).max(least);
        let mut ladder =
            Self { symbol, fair, tick, spread, places: Default::default(), drifts: Vec::new(), depth };
        let distances = || DISTANCES.iter().copied().take(levels);
        ladder.places = [Side::Buy, Side::Sell]
            .map(|side| distances().map_while(|distance| ladder.price_at(side, distance)).collect());
        ladder.drifts = distances().map(|distance| ladder.drift_at(distance)).collect();
        Some(ladder)
    }

    /// Whether an order may trade that takes the best quote: it is well within the exchange's price limits, which are five percent and more.
    pub(crate) fn may_trade(&self) -> bool {
        self.spread <= SPREAD_MAX
    }

    /// How many levels a side has.
    pub(crate) fn levels(&self, side: Side) -> usize {
        self.prices(side).len()
    }

    /// The price of a level.
    pub(crate) fn price(&self, side: Side, level: usize) -> Option<Price> {
        self.prices(side).get(level).copied()
    }

    fn prices(&self, side: Side) -> &[Price] {
        let [bids, asks] = &self.places;
        if side == Side::Buy { bids } else { asks }
    }

    /// How many price steps a quote may be from its level's price.
    pub(crate) fn drift(&self, level: usize) -> u64 {
        self.drifts.get(level).copied().unwrap_or_default()
    }

    /// The price at a distance, in whole steps away from the fair price.
    pub(crate) fn price_at(&self, side: Side, distance: i128) -> Option<Price> {
        let (fair, tick) = (self.fair.units(), self.tick.units());
        let away = self.away(distance)?;
        let ticks = match side {
            Side::Buy => (fair - away).checked_div(tick)?,
            Side::Sell => fair.checked_add(away)?.checked_add(tick - 1)?.checked_div(tick)?,
        };
        u64::try_from(ticks).ok().filter(|ticks| *ticks > 0).map(Price::from_ticks)
    }

    fn drift_at(&self, distance: i128) -> u64 {
        let away = self.away(DRIFT.max(distance / DRIFT_PART));
        let steps = away.and_then(|away| away.checked_div(self.tick.units()));
        steps.and_then(|steps| u64::try_from(steps).ok()).unwrap_or_default()
    }

    /// A distance as a price.
    fn away(&self, distance: i128) -> Option<i128> {
        Some(self.fair.units().checked_mul(self.spread.checked_mul(distance)?)? / (100 * ONE))
    }

    /// The size of a level's new quote; `noise`, from 0 to below a million, varies it.
    pub(crate) fn size(&self, level: usize, noise: u64) -> Option<Qty> {
        let varied = ONE - VARIES + i128::from(noise) * 2 * VARIES / ONE;
        self.part(SIZES.get(level)? * varied, 10 * ONE)
    }

    /// Whether what is left of a level's quote is too little.
    pub(crate) fn is_worn(&self, level: usize, left: Qty) -> bool {
        let size = SIZES.get(level).copied().unwrap_or_default();
        self.part(size, 10 * LEFT).is_none_or(|least| left < least)
    }

    /// A part of the best level's size in whole lots, at least the smallest order.
    pub(crate) fn part(&self, part: i128, of: i128) -> Option<Qty> {
        let amount = self.depth.mul_div(part, of, Round::Down)?;
        let lots = self.symbol.grid.qty_holding(amount)?.hundredths() / HUNDREDTHS_PER_LOT;
        Some(Qty::from_hundredths(lots * HUNDREDTHS_PER_LOT).max(self.symbol.qty_min))
    }
}
