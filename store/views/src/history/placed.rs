//! Pages of closed orders, by the time when they were placed (ORD-070 to ORD-073).
//!
//! A chain holds orders in the order in which they closed. Ids rise with the time of placing, and a row holds the least
//! id in the tree of which it is the root, so [`Search`] opens the trees in the order of their least ids. A tree that
//! closed before the page begins holds only orders that were placed before it, and is skipped. Of the orders that were
//! placed before the page begins, a search thus reads only those that were live then.

use super::chain::Link;
use super::codec::Position;
use super::fault::Fault;
use super::page::Limit;
use super::query::{ORDERS, Query, Reads};
use super::row::{OrderRow, Timed, TradeRow};
use buttonwood_model::{AccountId, OrderId, SymbolId};
use std::collections::BTreeMap;

/// A closed order with its trades, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastOrder {
    /// The order.
    pub row: OrderRow,
    /// Its trades.
    pub trades: Vec<TradeRow>,
}

/// An order in its chain.
struct Closed {
    row: OrderRow,
    link: Link,
    /// The least id of the tree of which it is the root.
    least: OrderId,
}

impl Query<'_> {
    /// An account's closed orders with their trades, the one that was placed last first: those placed last, or the
    /// oldest page of those placed from a millisecond on. Such a page never ends inside a millisecond of placing
    /// (D-14), unless that alone overfills it.
    ///
    /// A page ends before an order with which it would have more than `most_trades` trades, but has one order at least.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn orders(
        &self,
        account: AccountId,
        symbol: Option<SymbolId>,
        from_millis: Option<u64>,
        limit: Limit,
        most_trades: usize,
    ) -> Result<Vec<PastOrder>, Fault> {
        if limit.rows == 0 {
            return Ok(Vec::new());
        }
        let reads = self.reads();
        let read = |at| self.closed_at(account, symbol, at, &reads);
        let head = self.head(|index| index.newest_order(account, symbol));
        let Some(from) = from_millis else {
            return self.with_trades(&newest(head, read, limit.rows)?, most_trades, &reads);
        };
        let rows = oldest(&mut Search::begin(head, read, from)?, limit)?;
        let mut page = self.with_trades(&rows, most_trades, &reads)?;
        let whole = rows.get(page.len()).map_or(0, |beyond| whole_before(&rows, beyond));
        if whole > 0 {
            page.truncate(whole);
        }
        page.reverse();
        Ok(page)
    }

    /// How many closed orders an account has, as far as `most`.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn count_orders(
        &self,
        account: AccountId,
        symbol: Option<SymbolId>,
        most: usize,
    ) -> Result<usize, Fault> {
        let reads = self.reads();
        let head = self.head(|index| index.newest_order(account, symbol));
        Ok(newest(head, |at| self.closed_at(account, symbol, at, &reads), most)?.len())
    }

    /// The order at a place of a chain of an account.
    fn closed_at(
        &self,
        account: AccountId,
        symbol: Option<SymbolId>,
        at: Position,
        reads: &Reads,
    ) -> Result<Closed, Fault> {
        reads.count()?;
        let (row, links) = self.order_at(at)?;
        let (link, least) = match symbol {
            None => (links.account.all, links.least.all),
            Some(_) => (links.account.symbol, links.least.symbol),
        };
        if row.order.account == account {
            Ok(Closed { row, link, least })
        } else {
            Err(self.damaged(ORDERS, at))
        }
    }

    /// Reads the trades of orders, up to the one with which they would be too many; the first one is always read.
    fn with_trades(
        &self,
        rows: &[OrderRow],
        most_trades: usize,
        reads: &Reads,
    ) -> Result<Vec<PastOrder>, Fault> {
        let mut page = Vec::with_capacity(rows.len());
        let mut room = most_trades;
        for row in rows {
            let most = if page.is_empty() { usize::MAX } else { room };
            let Some(trades) = self.trades_within(row.trades, most, reads)? else { break };
            room = room.saturating_sub(trades.len());
            page.push(PastOrder { row: *row, trades });
        }
        Ok(page)
    }
}

/// The `limit` orders that were placed last, newest first: from the order that closed last back to one that closed
/// before all of them were placed.
fn newest(
    head: Option<Position>,
    read: impl Fn(Position) -> Result<Closed, Fault>,
    limit: usize,
) -> Result<Vec<OrderRow>, Fault> {
    let mut found: BTreeMap<OrderId, OrderRow> = BTreeMap::new();
    let mut next = head;
    while let Some(at) = next {
        let Closed { row, link, .. } = read(at)?;
        let oldest = found.first_key_value().filter(|_| found.len() == limit);
        if oldest.is_some_and(|(_, oldest)| row.closed < oldest.order.placed) {
            break;
        }
        found.insert(row.order.id, row);
        if found.len() > limit {
            found.pop_first();
        }
        next = link.prev;
    }
    Ok(found.into_values().rev().collect())
}

/// The oldest page of a search, oldest first.
fn oldest<F>(search: &mut Search<F>, limit: Limit) -> Result<Vec<OrderRow>, Fault>
where
    F: Fn(Position) -> Result<Closed, Fault>,
{
    let mut rows: Vec<OrderRow> = Vec::new();
    while let Some(row) = search.next()? {
        let whole = whole_before(&rows, &row);
        if rows.len() >= limit.rows && whole > 0 {
            rows.truncate(whole);
            break;
        }
        if rows.len() >= limit.most {
            break;
        }
        rows.push(row);
    }
    Ok(rows)
}

/// How many of these rows, which are ordered by the time of placing, were placed before the millisecond of `beyond`.
fn whole_before(rows: &[OrderRow], beyond: &OrderRow) -> usize {
    rows.partition_point(|row| row.millis() < beyond.millis())
}

/// A search for the orders placed from a millisecond on, in the order of their ids.
struct Search<F> {
    read: F,
    from_millis: u64,
    /// The entries that are known but not yet returned, by the least id that each may hold. A row comes before a tree with the same id.
    ahead: BTreeMap<(OrderId, Option<Position>), Ahead>,
}

/// Rows that a search has ahead.
enum Ahead {
    /// A row.
    Row(Box<OrderRow>),
    /// The rows of a tree except its root, whose link this is.
    Tree(Link),
}

impl<F: Fn(Position) -> Result<Closed, Fault>> Search<F> {
    fn begin(head: Option<Position>, read: F, from_millis: u64) -> Result<Self, Fault> {
        let mut search = Self { read, from_millis, ahead: BTreeMap::new() };
        search.open(head, None)?;
        Ok(search)
    }

    /// The next order.
    fn next(&mut self) -> Result<Option<OrderRow>, Fault> {
        while let Some((_, ahead)) = self.ahead.pop_first() {
            match ahead {
                Ahead::Row(row) => return Ok(Some(*row)),
                Ahead::Tree(link) => self.open(link.prev, link.jump)?,
            }
        }
        Ok(None)
    }

    /// Reads the roots of the trees from `newest` back to `end`, which is not one of them.
    fn open(&mut self, newest: Option<Position>, end: Option<Position>) -> Result<(), Fault> {
        let mut next = newest;
        while let Some(at) = next.filter(|at| Some(*at) != end) {
            let Closed { row, link, least } = (self.read)(at)?;
            if row.closed.millis() < self.from_millis {
                break;
            }
            if row.millis() >= self.from_millis {
                self.ahead.insert((row.order.id, None), Ahead::Row(Box::new(row)));
            }
            if link.prev != link.jump {
                self.ahead.insert((least, Some(at)), Ahead::Tree(link));
            }
            next = link.jump;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
