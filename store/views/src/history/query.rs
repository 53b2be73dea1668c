//! Queries. Each takes what is asked for and does work bounded by its answer, apart from the walk of a hash bucket.
//!
//! Nothing of another account is told (ORD-080): a row in an account's chain that names another is damage, and one in a
//! bucket, which accounts share, is passed over.

use super::chain::{Node, Walk};
use super::codec::Position;
use super::fault::Fault;
use super::files::History;
use super::page::{self, End, Limit};
use super::row::{OrderLinks, OrderRow, PublicTrade, TradeRow};
use buttonwood_model::{AccountId, ClientId, OrderId, SymbolId, Time};

/// Which public trades are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// The most recent.
    Newest,
    /// The oldest from this millisecond on (MKT-021).
    FromTime(u64),
    /// The oldest with a larger trade id; after zero, the earliest there are (MKT-020).
    AfterTrade(u64),
}

impl History {
    /// An account's trades, newest first: the most recent ones, or the oldest page from a millisecond on (ORD-074 to
    /// ORD-077). Such a page never ends inside a millisecond (D-14), except in one of more than [`Limit::most`] trades.
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
            let (row, links) = self.trades.read(at, TradeRow::decode)?;
            let link = if symbol.is_some() { links.symbol } else { links.all };
            if row.account == account { Ok(Node { link, row }) } else { Err(self.trades.damaged(at)) }
        };
        let walk = Walk { head: self.index.newest_trade(account, symbol), read };
        match from_millis {
            None => walk.newest(limit.rows),
            Some(from) => page::oldest(&walk, |row| row.time.millis() >= from, limit, End::Millisecond),
        }
    }

    /// An account's closed orders in the order they closed, newest first; pages as [`History::trades`] does, by the
    /// time of **closing**. A page is complete in that order only: an order that was placed early may close late.
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
            if row.account == account { Ok(Node { link, row }) } else { Err(self.orders.damaged(at)) }
        };
        let walk = Walk { head: self.index.newest_order(account, symbol), read };
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
        let mut next = self.index.order_bucket(order);
        // Ids follow the time of placing, so the order was placed no earlier than any with a smaller id.
        let mut placed = Time(0);
        while let Some(at) = next {
            let (row, links) = self.order_at(at)?;
            if row.account == account && row.order == order {
                return Ok(Some(row));
            }
            if row.closed < placed {
                break;
            }
            if row.order < order {
                placed = placed.max(row.placed);
            }
            next = links.same_order;
        }
        Ok(None)
    }

    /// Of an account's orders with this client id that were closed by a time, the one placed last (ORD-068).
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn order_by_client_id(
        &self,
        account: AccountId,
        client_id: &ClientId,
        closed_by: Time,
    ) -> Result<Option<OrderRow>, Fault> {
        let mut next = self.index.client_bucket(account, client_id);
        let mut found: Option<OrderRow> = None;
        while let Some(at) = next {
            let (row, links) = self.order_at(at)?;
            // Rows from here back closed before the found order was placed: none of them was placed after it.
            if found.is_some_and(|found| row.closed < found.placed) {
                break;
            }
            let asked = row.account == account
                && row.client_id.as_ref() == Some(client_id)
                && row.closed <= closed_by;
            if asked && found.is_none_or(|found| found.order < row.order) {
                found = Some(row);
            }
            next = links.same_client;
        }
        Ok(found)
    }

    /// The trades of one order, newest first, from the row of its newest trade back.
    ///
    /// # Errors
    /// [`Fault`] of the disk, a damaged row, or a position that is no row of this history.
    pub fn trades_of(&self, newest: Option<Position>) -> Result<Vec<TradeRow>, Fault> {
        let mut rows: Vec<TradeRow> = Vec::new();
        let mut next = newest;
        while let Some(at) = next {
            let (row, _) = self.trades.read(at, TradeRow::decode)?;
            if rows.last().is_some_and(|newer| newer.order != row.order) {
                return Err(self.trades.damaged(at));
            }
            next = row.of_order;
            rows.push(row);
        }
        Ok(rows)
    }

    /// A symbol's public trades, newest first. Pages from a time on end as those of [`History::trades`] do; pages by
    /// trade id may end anywhere, and walking by them misses none.
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
            let (row, link) = self.public.read(at, PublicTrade::decode)?;
            if row.symbol == symbol { Ok(Node { link, row }) } else { Err(self.public.damaged(at)) }
        };
        let walk = Walk { head: self.index.newest_public(symbol), read };
        match since {
            Since::Newest => walk.newest(limit.rows),
            Since::FromTime(from) => {
                page::oldest(&walk, |row| row.time.millis() >= from, limit, End::Millisecond)
            }
            Since::AfterTrade(trade) => page::oldest(&walk, |row| row.trade.0 > trade, limit, End::Anywhere),
        }
    }

    fn order_at(&self, at: Position) -> Result<(OrderRow, OrderLinks), Fault> {
        self.orders.read(at, OrderRow::decode)
    }
}
