//! Queries. The work of a query is bounded by its answer, apart from the walk of a hash bucket.
//!
//! No query returns another account's rows (ORD-080). A row in an account's chain that names another account is
//! damage; a row in a bucket, which accounts share, is skipped.

use super::chain::{Node, Walk};
use super::codec::Position;
use super::converted::ConversionRow;
use super::fault::Fault;
use super::files::History;
use super::index::Index;
use super::log::{Decode, Log};
use super::page::{self, End, Limit};
use super::row::{OrderLinks, OrderRow, PublicLinks, PublicTrade, TradeRow};
use buttonwood_model::{AccountId, ClientId, OrderId, SymbolId, Time, TradeId};
use std::cell::Cell;

/// Most rows that a query for the trades of an order, or for past orders, reads from memory at once. An order may have
/// hundreds of thousands of trades, and appending blocks while a query holds the history.
pub(super) const NEAR_MAX: usize = 1_000;

/// How many more rows a query may read.
pub(super) struct Reads(Cell<usize>);

impl Reads {
    /// Counts a row.
    ///
    /// # Errors
    /// [`Fault::Away`] if it is one too many.
    pub(super) fn count(&self) -> Result<(), Fault> {
        self.0.set(self.0.get().checked_sub(1).ok_or(Fault::Away)?);
        Ok(())
    }
}

/// One of the files.
pub(super) type Which = fn(&History) -> &Log;

pub(super) const TRADES: Which = |history| &history.logs.trades;
pub(super) const ENTRIES: Which = |history| &history.logs.entries;
const CONVERSIONS: Which = |history| &history.logs.conversions;
pub(super) const ORDERS: Which = |history| &history.logs.orders;
const PUBLIC: Which = |history| &history.logs.public;

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

/// The first trade to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TradesFrom {
    /// The first from this moment on.
    Time(Time),
    /// This one, or the first after it.
    Trade(TradeId),
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

    pub(super) fn head<T>(&self, of: impl FnOnce(&Index) -> T) -> T {
        self.look(|history| of(history.index()))
    }

    pub(super) fn row<T>(&self, log: Which, at: Position, decode: Decode<T>) -> Result<T, Fault> {
        let found = self.look(|history| log(history).near(at, decode).ok_or_else(|| log(history).rows()));
        match (found, self.0) {
            (Ok(row), _) => row,
            (Err(_), Source::Near(_)) => Err(Fault::Away),
            (Err(files), Source::Whole(_) | Source::Far(_)) => files.read(at, decode),
        }
    }

    pub(super) fn damaged(&self, log: Which, at: Position) -> Fault {
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

    /// The trades of several accounts from one on: of each account the oldest `rows`, newest first. They may end anywhere.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn trades_from(
        &self,
        accounts: &[AccountId],
        from: TradesFrom,
        rows: usize,
    ) -> Result<Vec<TradeRow>, Fault> {
        let reads = self.reads();
        let mut trades = Vec::new();
        for account in accounts {
            let read = |at| {
                reads.count()?;
                let (row, links) = self.row(TRADES, at, TradeRow::decode)?;
                if row.account == *account {
                    Ok(Node { link: links.all, row })
                } else {
                    Err(self.damaged(TRADES, at))
                }
            };
            let walk = Walk { head: self.head(|index| index.newest_trade(*account, None)), read };
            let limit = Limit { rows, most: rows };
            let holds = |row: &TradeRow| match from {
                TradesFrom::Time(time) => row.time >= time,
                TradesFrom::Trade(trade) => row.trade >= trade,
            };
            trades.extend(page::oldest(&walk, holds, limit, End::Anywhere)?);
        }
        Ok(trades)
    }

    /// A closed order of an account.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn order(&self, account: AccountId, order: OrderId) -> Result<Option<OrderRow>, Fault> {
        Ok(self.order_of_any(order)?.filter(|row| row.order.account == account))
    }

    /// A closed order by its id, whichever account it belongs to.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn order_of_any(&self, order: OrderId) -> Result<Option<OrderRow>, Fault> {
        let mut next = self.head(|index| index.order_bucket(order));
        // Ids rise with the time of placing, so the order was placed no earlier than any with a smaller id.
        let mut placed = Time(0);
        while let Some(at) = next {
            let (row, links) = self.order_at(at)?;
            if row.order.id == order {
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

    /// A conversion of an account by its id.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn conversion(&self, account: AccountId, order: OrderId) -> Result<Option<ConversionRow>, Fault> {
        let read = |at| self.conversion_of(account, at);
        let walk = Walk { head: self.head(|index| index.newest_conversion(account)), read };
        let found = walk.oldest(|node| node.row.order >= order)?;
        Ok(found.map(|node| node.row).filter(|row| row.order == order))
    }

    /// The newest conversion of an account with this client id.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn conversion_by_client_id(
        &self,
        account: AccountId,
        client_id: &ClientId,
    ) -> Result<Option<ConversionRow>, Fault> {
        let mut next = self.head(|index| index.converted_bucket(account, client_id));
        while let Some(at) = next {
            let (row, links) = self.row(CONVERSIONS, at, ConversionRow::decode)?;
            if row.account == account && row.client_id.as_ref() == Some(client_id) {
                return Ok(Some(row));
            }
            next = links.same_client;
        }
        Ok(None)
    }

    /// The conversions of several accounts from one on, as their trades: of each account the oldest `rows`, newest first.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn conversions_from(
        &self,
        accounts: &[AccountId],
        from: TradesFrom,
        rows: usize,
    ) -> Result<Vec<TradeRow>, Fault> {
        let mut conversions = Vec::new();
        for account in accounts {
            let read = |at| self.conversion_of(*account, at);
            let walk = Walk { head: self.head(|index| index.newest_conversion(*account)), read };
            let holds = |row: &ConversionRow| match from {
                TradesFrom::Time(time) => row.time >= time,
                TradesFrom::Trade(trade) => row.order.0 >= trade.0,
            };
            let page = page::oldest(&walk, holds, Limit { rows, most: rows }, End::Anywhere)?;
            conversions.extend(page.iter().map(ConversionRow::as_trade));
        }
        Ok(conversions)
    }

    fn conversion_of(&self, account: AccountId, at: Position) -> Result<Node<ConversionRow>, Fault> {
        let (row, links) = self.row(CONVERSIONS, at, ConversionRow::decode)?;
        if row.account == account {
            Ok(Node { link: links.all, row })
        } else {
            Err(self.damaged(CONVERSIONS, at))
        }
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
        self.trades_within(newest, usize::MAX, &self.reads()).map(Option::unwrap_or_default)
    }

    /// The time of the trade in a row.
    ///
    /// # Errors
    /// [`Fault`] of the disk, a damaged row, or a position that is no row of this history.
    pub fn trade_time(&self, at: Position) -> Result<Time, Fault> {
        self.row(TRADES, at, TradeRow::decode).map(|(row, _)| row.time)
    }

    /// The same as [`Query::trades_of`]; `None` if there are more than `room`.
    pub(super) fn trades_within(
        &self,
        newest: Option<Position>,
        room: usize,
        reads: &Reads,
    ) -> Result<Option<Vec<TradeRow>>, Fault> {
        let mut rows: Vec<TradeRow> = Vec::new();
        let mut next = newest;
        while let Some(at) = next {
            if rows.len() == room {
                return Ok(None);
            }
            reads.count()?;
            let (row, _) = self.row(TRADES, at, TradeRow::decode)?;
            if rows.last().is_some_and(|newer| newer.order != row.order) {
                return Err(self.damaged(TRADES, at));
            }
            next = row.of_order;
            rows.push(row);
        }
        Ok(Some(rows))
    }

    /// A count of the rows that the query reads.
    pub(super) fn reads(&self) -> Reads {
        let is_near = matches!(self.0, Source::Near(_));
        Reads(Cell::new(if is_near { NEAR_MAX } else { usize::MAX }))
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
        let read = |at| self.public_node(symbol, at);
        let walk = Walk { head: self.head(|index| index.newest_public(symbol)), read };
        match since {
            Since::Newest => walk.newest(limit.rows),
            Since::FromTime(from) => {
                page::oldest(&walk, |row| row.time.millis() >= from, limit, End::Millisecond)
            }
            Since::AfterTrade(trade) => page::oldest(&walk, |row| row.trade.0 > trade, limit, End::Anywhere),
        }
    }

    /// Like [`Query::public_trades`], without the trades in `hidden`, which are in order of their ids. A page is what it would
    /// be if they had never been made.
    ///
    /// # Errors
    /// As [`Query::public_trades`].
    pub fn public_trades_without(
        &self,
        symbol: SymbolId,
        since: Since,
        limit: Limit,
        hidden: &[TradeId],
    ) -> Result<Vec<PublicTrade>, Fault> {
        if hidden.is_empty() || limit.rows == 0 {
            return self.public_trades(symbol, since, limit);
        }
        let visible = |rows| self.visible_trades(symbol, since, rows, hidden);
        if !matches!(since, Since::FromTime(_)) {
            return visible(limit.rows);
        }
        // One more row than the page has shows in which millisecond the page has to end.
        let mut page = visible(limit.rows + 1)?;
        let Some(next) = page.first().filter(|_| page.len() > limit.rows).map(|row| row.time.millis()) else {
            return Ok(page);
        };
        page.retain(|row| row.time.millis() < next);
        if page.is_empty() {
            page = visible(limit.most)?;
            page.retain(|row| row.time.millis() == next);
        }
        Ok(page)
    }

    /// The newest, or the oldest, `rows` public trades that are not hidden, newest first.
    fn visible_trades(
        &self,
        symbol: SymbolId,
        since: Since,
        rows: usize,
        hidden: &[TradeId],
    ) -> Result<Vec<PublicTrade>, Fault> {
        let is_hidden = |row: &PublicTrade| hidden.binary_search(&row.trade).is_ok();
        let mut more = 0;
        loop {
            let mut page = self.public_rows(symbol, since, rows + more)?;
            let count = page.iter().filter(|row| is_hidden(row)).count();
            if count <= more {
                page.retain(|row| !is_hidden(row));
                return Ok(page);
            }
            // A wider page holds at least the same hidden trades.
            more = count;
        }
    }

    /// Like [`Query::public_trades`], but a page may end anywhere.
    fn public_rows(&self, symbol: SymbolId, since: Since, rows: usize) -> Result<Vec<PublicTrade>, Fault> {
        let walk = Walk {
            head: self.head(|index| index.newest_public(symbol)),
            read: |at| self.public_node(symbol, at),
        };
        let limit = Limit { rows, most: rows };
        match since {
            Since::Newest => walk.newest(rows),
            Since::FromTime(from) => {
                page::oldest(&walk, |row| row.time.millis() >= from, limit, End::Anywhere)
            }
            Since::AfterTrade(trade) => page::oldest(&walk, |row| row.trade.0 > trade, limit, End::Anywhere),
        }
    }

    /// The newest trade of a symbol before another that `counts`.
    ///
    /// # Errors
    /// As [`Query::public_trades`].
    pub fn public_trade_before(
        &self,
        symbol: SymbolId,
        trade: TradeId,
        counts: impl Fn(&PublicTrade) -> bool,
    ) -> Result<Option<PublicTrade>, Fault> {
        let walk = Walk {
            head: self.head(|index| index.newest_public(symbol)),
            read: |at| self.public_node(symbol, at),
        };
        let from = walk.oldest(|node| node.row.trade >= trade)?;
        let mut next = from.map_or(walk.head, |node| node.link.prev);
        while let Some(at) = next {
            let node = self.public_node(symbol, at)?;
            if counts(&node.row) {
                return Ok(Some(node.row));
            }
            next = node.link.prev;
        }
        Ok(None)
    }

    /// The accounts' parts in a trade of a symbol: two, or none for a trade that the history does not know. It searches the
    /// trades of every account that has traded the symbol, so a query of the rows in memory returns [`Fault::Away`].
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn parts(&self, symbol: SymbolId, trade: TradeId) -> Result<Vec<TradeRow>, Fault> {
        if matches!(self.0, Source::Near(_)) {
            return Err(Fault::Away);
        }
        let mut parts = Vec::new();
        for head in self.head(|index| index.newest_of_each(symbol)) {
            let read = |at| {
                let (row, links) = self.row(TRADES, at, TradeRow::decode)?;
                Ok(Node { link: links.symbol, row })
            };
            let walk = Walk { head: Some(head), read };
            // An account that traded with itself in an auction has both parts.
            let both = Limit { rows: 2, most: 2 };
            let rows = page::oldest(&walk, |row: &TradeRow| row.trade >= trade, both, End::Anywhere)?;
            parts.extend(rows.into_iter().filter(|row| row.trade == trade));
            if parts.len() == 2 {
                break;
            }
        }
        Ok(parts)
    }

    /// A public trade with its link.
    pub(super) fn public_node(&self, symbol: SymbolId, at: Position) -> Result<Node<PublicTrade>, Fault> {
        let (row, links) = self.public_at(symbol, at)?;
        Ok(Node { link: links.link, row })
    }

    pub(super) fn public_at(
        &self,
        symbol: SymbolId,
        at: Position,
    ) -> Result<(PublicTrade, PublicLinks), Fault> {
        let found = self.row(PUBLIC, at, PublicTrade::decode)?;
        if found.0.symbol == symbol { Ok(found) } else { Err(self.damaged(PUBLIC, at)) }
    }

    pub(super) fn order_at(&self, at: Position) -> Result<(OrderRow, OrderLinks), Fault> {
        self.row(ORDERS, at, OrderRow::decode)
    }
}
