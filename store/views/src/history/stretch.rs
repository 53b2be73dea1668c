//! The volume of a symbol in a stretch of time, in O(log n) reads: a public trade holds the figures of the tree of which
//! it is the root (`chain`), so a stretch takes whole trees.

use super::chain::{Node, Together, Walk};
use super::codec::{Damage, Position};
use super::fault::Fault;
use super::packed::{Body, Linked, Packed as _};
use super::query::Query;
use super::row::{PublicTrade, Timed};
use buttonwood_model::{SymbolId, TradeId};
use buttonwood_num::{Grid, Money, Price, Qty};
use serde::{Deserialize, Serialize};

/// A stretch of time in the trade of a symbol, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The symbol.
    pub symbol: SymbolId,
    /// The millisecond before its first one.
    pub after_millis: u64,
    /// Its last millisecond.
    pub until_millis: u64,
}

/// The volume of a symbol in a stretch, and before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretched {
    stretch: Stretch,
    /// The millisecond of the next trade after the stretch has begun.
    next_millis: u64,
    /// The price of the last trade before the stretch.
    pub before: Option<Price>,
    /// Its volume.
    pub traded: Option<Traded>,
}

/// The figures of one trade or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traded {
    /// The first price.
    pub open: Price,
    sums: Sums,
}

/// The figures that trades have together, in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sums {
    high: Price,
    low: Price,
    /// Hundredths of a lot; saturates.
    base: u128,
    /// Ticks × hundredths of a lot; saturates.
    product: u128,
}

impl Sums {
    /// The figures of one trade.
    pub(super) fn of(row: &PublicTrade) -> Self {
        let base = row.qty.hundredths();
        let product = u128::from(row.price.ticks()).saturating_mul(base);
        Self { high: row.price, low: row.price, base, product }
    }
}

/// How far the figures of a tree go beyond those of its root.
impl Linked<PublicTrade> for Sums {
    const COUNT: usize = 6;

    fn put_at(&self, _at: Position, root: &PublicTrade, next: &mut impl FnMut(u64)) {
        let own = Self::of(root);
        next(self.high.ticks() - own.high.ticks());
        next(own.low.ticks() - self.low.ticks());
        (self.base - own.base).put(next);
        (self.product - own.product).put(next);
    }

    fn take_at(_at: Position, root: &PublicTrade, body: &mut Body<'_>) -> Result<Self, Damage> {
        let own = Self::of(root);
        let [above, below] = body.numbers_of()?;
        Ok(Self {
            high: own.high.ticks().checked_add(above).map(Price::from_ticks).ok_or(Damage)?,
            low: own.low.ticks().checked_sub(below).map(Price::from_ticks).ok_or(Damage)?,
            base: own.base.checked_add(u128::take(body)?).ok_or(Damage)?,
            product: own.product.checked_add(u128::take(body)?).ok_or(Damage)?,
        })
    }
}

impl Together for Sums {
    fn with(self, other: Self) -> Self {
        Self {
            high: self.high.max(other.high),
            low: self.low.min(other.low),
            base: self.base.saturating_add(other.base),
            product: self.product.saturating_add(other.product),
        }
    }
}

impl Traded {
    /// With a trade before these.
    fn with_earlier(later: Option<Self>, row: &PublicTrade) -> Self {
        let own = Sums::of(row);
        Self { open: row.price, sums: later.map_or(own, |later| later.sums.with(own)) }
    }

    /// The highest price.
    pub fn high(&self) -> Price {
        self.sums.high
    }

    /// The lowest price.
    pub fn low(&self) -> Price {
        self.sums.low
    }

    /// The volume in the base currency.
    pub fn base(&self) -> Qty {
        Qty::from_hundredths(self.sums.base)
    }

    /// The volume in the quote currency, by the grid of the symbol; it saturates.
    pub fn quote(&self, grid: &Grid) -> Money {
        // Price × quantity is the same product as one tick × their product.
        let volume = grid.notional(Price::from_ticks(1), Qty::from_hundredths(self.sums.product));
        volume.unwrap_or(Money::from_units(i128::MAX))
    }
}

impl Stretched {
    /// Whether it also answers a query for another stretch: one of the same symbol with the same end, where no trade lies
    /// between the two beginnings.
    pub fn answers(&self, other: &Stretch) -> bool {
        let Stretch { symbol, after_millis, until_millis } = self.stretch;
        (symbol, until_millis) == (other.symbol, other.until_millis)
            && (after_millis..self.next_millis).contains(&other.after_millis)
    }
}

impl Query<'_> {
    /// The volume of a symbol in a stretch of time, without the trades in `void`, which are in order of their ids (MKT-035). It
    /// reads every row of the stretch if such a trade lies in it or just before it.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn stretch_without(&self, stretch: Stretch, void: &[TradeId]) -> Result<Stretched, Fault> {
        if void.is_empty() {
            return self.stretch(stretch);
        }
        let Stretch { symbol, after_millis, until_millis } = stretch;
        let head = self.head(|index| index.newest_public(symbol));
        let walk = Walk { head, read: |at| self.public_node(symbol, at) };
        let beyond = walk.oldest(|node| node.row.millis() > until_millis)?;
        let mut found = Stretched { stretch, next_millis: u64::MAX, before: None, traded: None };
        let mut next = beyond.map_or(walk.head, |beyond| beyond.link.prev);
        let first = walk.oldest(|node| node.row.millis() > after_millis)?;
        let [low, high] = [first.map_or(walk.head, |first| first.link.prev), next]
            .map(|at| at.map(|at| (walk.read)(at)).transpose());
        let [low, high] = [low?, high?].map(|node| node.map_or(TradeId(0), |node| node.row.trade));
        if !void.iter().any(|trade| (low..=high).contains(trade)) {
            return self.stretch(stretch);
        }
        while let Some(at) = next.filter(|_| found.before.is_none()) {
            let Node { link, row } = (walk.read)(at)?;
            next = link.prev;
            if void.binary_search(&row.trade).is_ok() {
                continue;
            }
            if row.millis() > after_millis {
                found.next_millis = row.millis();
                found.traded = Some(Traded::with_earlier(found.traded, &row));
            } else {
                found.before = Some(row.price);
            }
        }
        Ok(found)
    }

    /// The volume of a symbol in a stretch of time.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn stretch(&self, stretch: Stretch) -> Result<Stretched, Fault> {
        let read = |at| {
            let (row, links) = self.public_at(stretch.symbol, at)?;
            Ok(Node { link: links.link, row: (row, links.sums) })
        };
        let head = self.head(|index| index.newest_public(stretch.symbol));
        summed(&Walk { head, read }, stretch)
    }
}

/// The common figures of a chain's trades in a stretch.
fn summed<F>(walk: &Walk<F>, stretch: Stretch) -> Result<Stretched, Fault>
where
    F: Fn(Position) -> Result<Node<(PublicTrade, Sums)>, Fault>,
{
    let later = |millis| move |node: &Node<(PublicTrade, Sums)>| node.row.0.millis() > millis;
    let first = walk.oldest(later(stretch.after_millis))?;
    let floor = first.as_ref().map_or(walk.head, |first| first.link.prev);
    let before = floor.map(|at| (walk.read)(at)).transpose()?;
    let end = walk.oldest(later(stretch.until_millis))?.map_or(walk.head, |beyond| beyond.link.prev);
    let mut sums: Option<Sums> = None;
    let mut next = end;
    while let Some(at) = next.filter(|_| next > floor) {
        let Node { link, row: (row, tree) } = (walk.read)(at)?;
        // The tree ends before the jump, so it lies in the stretch if the jump does not lead beyond its floor.
        let (part, further) =
            if link.jump >= floor { (tree, link.jump) } else { (Sums::of(&row), link.prev) };
        sums = Some(sums.map_or(part, |sums| sums.with(part)));
        next = further;
    }
    let open = first.as_ref().map(|first| first.row.0.price);
    Ok(Stretched {
        stretch,
        next_millis: first.map_or(u64::MAX, |first| first.row.0.millis()),
        before: before.map(|node| node.row.0.price),
        traded: open.zip(sums).map(|(open, sums)| Traded { open, sums }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::chain::{Chain, Link};
    use buttonwood_model::{Time, TradeId};
    use std::cell::Cell;

    const SYMBOL: SymbolId = SymbolId(0);

    /// Of 100,000 trades, one every millisecond, any stretch costs a few dozen reads.
    #[test]
    fn a_stretch_costs_logarithmic_reads() {
        const ROWS: u64 = 100_000;
        let mut chain = Chain::default();
        let row = |millis: u64| PublicTrade {
            symbol: SYMBOL,
            trade: TradeId(millis),
            time: Time(millis * 1_000),
            price: Price::from_ticks(1 + millis % 1_000),
            qty: Qty::from_hundredths(1),
            taker: None,
        };
        let push = |millis| {
            let row = row(millis);
            let (link, sums) = chain.push_with(Position::new(millis).unwrap(), Sums::of(&row));
            (row, sums, link)
        };
        let rows: Vec<(PublicTrade, Sums, Link)> = (1..=ROWS).map(push).collect();
        let reads = Cell::new(0);
        let read = |at: Position| {
            reads.set(reads.get() + 1);
            let (row, sums, link) = rows[usize::try_from(at.get() - 1).unwrap()];
            Ok(Node { link, row: (row, sums) })
        };
        let walk = Walk { head: chain.newest(), read };
        for after_millis in (0..ROWS - 1).step_by(997) {
            for length in [1, 999, 60_000] {
                reads.set(0);
                let until_millis = ROWS.min(after_millis + length);
                let found = summed(&walk, Stretch { symbol: SYMBOL, after_millis, until_millis }).unwrap();
                let traded = found.traded.unwrap();
                let within = || (after_millis + 1..=until_millis).map(|millis| 1 + millis % 1_000);
                let extremes = (within().max().unwrap(), within().min().unwrap());
                assert_eq!((traded.high().ticks(), traded.low().ticks()), extremes);
                assert_eq!(traded.base().hundredths(), u128::from(until_millis - after_millis));
                assert_eq!(traded.sums.product, within().map(u128::from).sum());
                assert_eq!(found.before.is_some(), after_millis > 0);
                assert!(reads.get() <= 12 * 17, "{} reads after {after_millis}", reads.get());
            }
        }
    }
}
