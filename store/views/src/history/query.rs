//! Queries. The work of a query is bounded by its answer, apart from the walk of a hash bucket.
//!
//! No query returns another account's rows (ORD-080). A row in an account's chain that names another account is
//! damage; a row in a bucket, which accounts share, is skipped.

use super::chain::{Node, Walk};
use super::codec::Position;
use super::fault::Fault;
use super::files::History;
use super::index::Index;
use super::log::{Decode, Log};
use super::page::{self, End, Limit};
use super::row::{OrderLinks, OrderRow, PublicTrade, TradeRow};
use buttonwood_model::{AccountId, ClientId, OrderId, SymbolId, Time};

/// Most trades of one order that a query reads from memory at once. An order may have hundreds of thousands, and
/// appending blocks while a query holds the history.
pub(super) const NEAR_MAX: usize = 1_000;

const TRADES: fn(&History) -> &Log = |history| &history.trades;
const ORDERS: fn(&History) -> &Log = |history| &history.orders;
const PUBLIC: fn(&History) -> &Log = |history| &history.public;

/// Which public trades to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// The most recent.
    Newest,
    /// The oldest from this millisecond on (MKT-021).
    FromTime(u64),
    /// The oldest with a larger trade id; after zero, the earliest of all (MKT-020).
    AfterTrade(u64),
}

/// A history that other threads append to. Each look must be short: appending waits for it.
pub trait Look {
    /// Calls `see` with the current history.
    fn look(&self, see: &mut dyn FnMut(&History));
}

/// A history to query.
///
/// A row never changes, and the rows before it stay where its links say. So a query may release the history between
/// two rows.
#[derive(Clone, Copy)]
pub struct Query<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Whole(&'a History),
    Near(&'a History),
    Far(&'a dyn Look),
}

impl std::fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Source::Whole(_) => "whole",
            Source::Near(_) => "near",
            Source::Far(_) => "far",
        })
    }
}

impl<'a> Query<'a> {
    /// Queries a history that no other thread appends to: rows are read from memory and from the files.
    pub fn whole(history: &'a History) -> Self {
        Self(Source::Whole(history))
    }

    /// Queries only the rows in memory; a query that needs others, or very many, returns [`Fault::Away`].
    pub fn near(history: &'a History) -> Self {
        Self(Source::Near(history))
    }

    /// Queries a history that other threads append to. Rows in the files are read between looks, so only the query
    /// itself waits for the disk.
    pub fn far(history: &'a dyn Look) -> Self {
        Self(Source::Far(history))
    }

    fn look<T>(&self, see: impl FnOnce(&History) -> T) -> T {
        match self.0 {
            Source::Whole(history) | Source::Near(history) => see(history),
            Source::Far(history) => {
                let (mut see, mut seen) = (Some(see), None);
                history.look(&mut |history| seen = see.take().map(|see| see(history)));
                seen.expect("a look shows the history")
            }
        }
    }

    fn head<T>(&self, of: impl FnOnce(&Index) -> T) -> T {
        self.look(|history| of(history.index()))
    }

    fn row<T>(&self, log: fn(&History) -> &Log, at: Position, decode: Decode<T>) -> Result<T, Fault> {
        let found = self.look(|history| log(history).near(at, decode).ok_or_else(|| log(history).rows()));
        match (found, self.0) {
            (Ok(row), _) => row,
            (Err(_), Source::Near(_)) => Err(Fault::Away),
            (Err(files), Source::Whole(_) | Source::Far(_)) => files.read(at, decode),
        }
    }

    fn damaged(&self, log: fn(&History) -> &Log, at: Position) -> Fault {
        self.look(|history| log(history).rows().damaged(at))
    }

    /// An account's trades, newest first: the most recent ones, or the oldest page from a millisecond on (ORD-074 to
    /// ORD-077). Such a page never ends inside a millisecond (D-14), unless that has more than [`Limit::most`]
    /// trades.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn trades(
        &self,
        account: AccountId,
        symbol: Option<SymbolId>,
        from_millis: Option<u64>,
        limit: Limit,
    ) -> Result<Vec<TradeRow>, Fault> {
        let read = |at| {
            let (row, links) = self.row(TRADES, at, TradeRow::decode)?;
            let link = if symbol.is_some() { links.symbol } else { links.all };
            if row.account == account { Ok(Node { link, row }) } else { Err(self.damaged(TRADES, at)) }
        };
        let walk = Walk { head: self.head(|index| index.newest_trade(account, symbol)), read };
        match from_millis {
            None => walk.newest(limit.rows),
            Some(from) => page::oldest(&walk, |row| row.time.millis() >= from, limit, End::Millisecond),
        }
    }

    /// An account's closed orders in the order in which they closed, newest first; pages like [`Query::trades`], by
    /// the time of **closing**. A page is complete only in that order: an order that was placed early may close late.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn orders(
        &self,
        account: AccountId,
        symbol: Option<SymbolId>,
        from_millis: Option<u64>,
        limit: Limit,
    ) -> Result<Vec<OrderRow>, Fault> {
        let read = |at| {
            let (row, links) = self.order_at(at)?;
            let link = if symbol.is_some() { links.account.symbol } else { links.account.all };
            if row.order.account == account { Ok(Node { link, row }) } else { Err(self.damaged(ORDERS, at)) }
        };
        let walk = Walk { head: self.head(|index| index.newest_order(account, symbol)), read };
        match from_millis {
            None => walk.newest(limit.rows),
            Some(from) => page::oldest(&walk, |row| row.closed.millis() >= from, limit, End::Millisecond),
        }
    }

    /// A closed order of an account.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn order(&self, account: AccountId, order: OrderId) -> Result<Option<OrderRow>, Fault> {
        let mut next = self.head(|index| index.order_bucket(order));
        // Ids rise with the time of placing, so the order was placed no earlier than any with a smaller id.
        let mut placed = Time(0);
        while let Some(at) = next {
            let (row, links) = self.order_at(at)?;
            if row.order.account == account && row.order.id == order {
                return Ok(Some(row));
            }
            if row.closed < placed {
                break;
            }
            if row.order.id < order {
                placed = placed.max(row.order.placed);
            }
            next = links.same_order;
        }
        Ok(None)
    }

    /// The order of an account with this client id that was placed last (ORD-068), among those closed by `closed_by`
    /// and placed no earlier than `placed_from`. A caller that knows of an order placed then needs no older one, so
    /// rows closed before it are not read.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn order_by_client_id(
        &self,
        account: AccountId,
        client_id: &ClientId,
        closed_by: Time,
        placed_from: Time,
    ) -> Result<Option<OrderRow>, Fault> {
        let mut next = self.head(|index| index.client_bucket(account, client_id));
        let mut found: Option<OrderRow> = None;
        while let Some(at) = next {
            let floor = found.map_or(placed_from, |found| found.order.placed.max(placed_from));
            // All rows from here back closed before the floor, so none was placed later. Memory often shows this
            // without a read.
            if self.look(|history| history.order_closed_before(at, floor)) {
                break;
            }
            let (row, links) = self.order_at(at)?;
            if row.closed < floor {
                break;
            }
            let asked = row.order.account == account
                && row.order.client_id.as_ref() == Some(client_id)
                && row.closed <= closed_by;
            if asked && found.is_none_or(|found| found.order.id < row.order.id) {
                found = Some(row);
            }
            next = links.same_client;
        }
        Ok(found)
    }

    /// The trades of one order, newest first, starting at the row of its newest trade.
    ///
    /// # Errors
    /// [`Fault`] of the disk, a damaged row, or a position that is no row of this history.
    pub fn trades_of(&self, newest: Option<Position>) -> Result<Vec<TradeRow>, Fault> {
        let mut rows: Vec<TradeRow> = Vec::new();
        let mut next = newest;
        while let Some(at) = next {
            if rows.len() == NEAR_MAX && matches!(self.0, Source::Near(_)) {
                return Err(Fault::Away);
            }
            let (row, _) = self.row(TRADES, at, TradeRow::decode)?;
            if rows.last().is_some_and(|newer| newer.order != row.order) {
                return Err(self.damaged(TRADES, at));
            }
            next = row.of_order;
            rows.push(row);
        }
        Ok(rows)
    }

    /// A symbol's public trades, newest first. Pages from a time on end like those of [`Query::trades`]. Pages by
    /// trade id may end anywhere, and paging by trade id misses none.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn public_trades(
        &self,
        symbol: SymbolId,
        since: Since,
        limit: Limit,
    ) -> Result<Vec<PublicTrade>, Fault> {
        let read = |at| {
            let (row, link) = self.row(PUBLIC, at, PublicTrade::decode)?;
            if row.symbol == symbol { Ok(Node { link, row }) } else { Err(self.damaged(PUBLIC, at)) }
        };
        let walk = Walk { head: self.head(|index| index.newest_public(symbol)), read };
        match since {
            Since::Newest => walk.newest(limit.rows),
            Since::FromTime(from) => {
                page::oldest(&walk, |row| row.time.millis() >= from, limit, End::Millisecond)
            }
            Since::AfterTrade(trade) => page::oldest(&walk, |row| row.trade.0 > trade, limit, End::Anywhere),
        }
    }

    fn order_at(&self, at: Position) -> Result<(OrderRow, OrderLinks), Fault> {
        self.row(ORDERS, at, OrderRow::decode)
    }
}
