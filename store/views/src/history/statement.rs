//! The statement of an account: every change of its balances, merged from its trades and its entries (D-171).
//!
//! Both kinds of rows share one numbering for each account, so that every line has an id that never changes: a trade takes three ids (base,
//! quote, fee; some stay unused), an entry takes one. A row knows how many rows of the other kind were before it, so its ids need no search.
//!
//! The newest lines read one row of each chain, and then as many as there are lines. A page from a point on reads at most its length in each
//! chain: one for each symbol that the account has traded, and its entries.

use super::chain::{Node, Walk};
use super::codec::{Damage, Position};
use super::entry::{EntryLinks, EntryRow};
use super::fault::Fault;
use super::files::History;
use super::page::{self, End, Limit};
use super::query::{ENTRIES, Query, TRADES, Which};
use super::row::{Settled, Timed, TradeLinks, TradeRow};
use buttonwood_engine::{About, Cause, State};
use buttonwood_model::{AccountId, CurrencyId, Product, Side, Symbol, SymbolId, Time};
use buttonwood_num::Money;
use std::collections::BTreeMap;

/// Ids that a trade takes.
pub(super) const IDS_OF_TRADE: u64 = 3;

/// A line of the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its id: it rises within an account.
    pub id: u64,
    /// When the balance changed.
    pub time: Time,
    /// The currency.
    pub currency: CurrencyId,
    /// The amount that was added; negative if it was taken, never zero.
    pub amount: Money,
    /// The balance after it.
    pub balance: Money,
    /// The cause of the change.
    pub cause: Cause,
    /// The record that it refers to.
    pub about: About,
}

/// The first line of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntriesFrom {
    /// The newest lines.
    Newest,
    /// The oldest from this millisecond on.
    Millis(u64),
    /// The oldest with a larger id.
    After(u64),
}

/// Which lines of an account.
#[derive(Clone, Debug)]
pub struct Lines {
    account: AccountId,
    currency: Option<CurrencyId>,
    /// The symbols whose trades change the balances.
    symbols: BTreeMap<SymbolId, Symbol>,
    /// The first id that is not seen: rows that came after the symbols were looked up.
    end: u64,
}

/// Rows that are linked.
#[derive(Clone, Copy, Debug)]
enum Chain {
    Entries,
    Trades(SymbolId),
}

/// A row of either kind, with the last of its ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The last id.
    pub last: u64,
    /// The row.
    pub row: Change,
}

/// A row of either kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a statement reads few at a time")]
pub enum Change {
    /// An entry.
    Entry(EntryRow),
    /// A trade.
    Trade(TradeRow),
}

impl Numbered {
    /// The account.
    pub fn account(&self) -> AccountId {
        match &self.row {
            Change::Entry(row) => row.account,
            Change::Trade(row) => row.account,
        }
    }

    /// When it changed balances.
    pub fn time(&self) -> Time {
        match &self.row {
            Change::Entry(row) => row.time,
            Change::Trade(row) => row.time,
        }
    }

    /// Its lines, oldest first. `symbols` are at least those of the rows.
    pub fn lines(&self, symbols: &[Symbol]) -> impl Iterator<Item = Line> {
        let symbol = match &self.row {
            Change::Entry(_) => None,
            Change::Trade(row) => symbols.get(row.symbol.index()),
        };
        self.lines_with(symbol).into_iter().flatten()
    }

    fn lines_with(&self, symbol: Option<&Symbol>) -> [Option<Line>; 3] {
        let lines = match &self.row {
            Change::Entry(row) => [Some(of_entry(row, self.last)), None, None],
            Change::Trade(row) => match (symbol, row.settled) {
                (Some(symbol), Some(settled)) => of_trade(row, symbol, settled, self.last),
                _ => [None; 3],
            },
        };
        lines.map(|line| line.filter(|line| line.amount != Money::ZERO))
    }

    /// An entry with its links.
    fn entry((row, links): (EntryRow, EntryLinks)) -> Self {
        Self { last: IDS_OF_TRADE * links.trades + links.all.ordinal, row: Change::Entry(row) }
    }

    /// A trade with its links.
    fn trade((row, links): (TradeRow, TradeLinks)) -> Self {
        Self { last: IDS_OF_TRADE * links.all.ordinal + links.entries, row: Change::Trade(row) }
    }

    /// Reads an entry.
    pub(super) fn read_entry(at: Position, body: &[u8]) -> Result<Self, Damage> {
        EntryRow::decode(at, body).map(Self::entry)
    }

    /// Reads a trade.
    pub(super) fn read_trade(at: Position, body: &[u8]) -> Result<Self, Damage> {
        TradeRow::decode(at, body).map(Self::trade)
    }
}

impl Timed for Numbered {
    fn millis(&self) -> u64 {
        self.time().millis()
    }
}

/// How far every chain was read: rows beyond may be missing.
#[derive(Clone, Copy, Debug)]
struct ReadTo {
    id: u64,
    millis: u64,
}

impl Lines {
    /// The lines of an account so far, in one currency or in all.
    pub fn of(state: &State, history: &History, account: AccountId, currency: Option<CurrencyId>) -> Self {
        let index = history.index();
        let meant = |symbol: &Symbol| {
            let is_of = currency.is_none_or(|currency| symbol.base == currency || symbol.quote == currency);
            symbol.product == Product::Spot && is_of
        };
        let symbol = |id: SymbolId| Some((id, state.symbol(id).filter(|symbol| meant(symbol))?.clone()));
        let symbols = index.traded_symbols(account).into_iter().filter_map(symbol).collect();
        Self { account, currency, symbols, end: index.ids(account) + 1 }
    }

    /// Those of them that are no part of a trade of a spot market.
    pub fn beside_trades(history: &History, account: AccountId) -> Self {
        Self { account, currency: None, symbols: BTreeMap::new(), end: history.index().ids(account) + 1 }
    }

    /// A page of the lines: the oldest first after an id, the newest first otherwise. A page from a millisecond on never ends inside
    /// one, unless that has more than [`Limit::most`] lines.
    ///
    /// # Errors
    /// [`Fault`] of the disk, or a damaged row.
    pub fn page(&self, query: Query<'_>, from: EntriesFrom, limit: Limit) -> Result<Vec<Line>, Fault> {
        if limit.rows == 0 {
            return Ok(Vec::new());
        }
        match from {
            EntriesFrom::Newest => self.newest(query, limit.rows),
            EntriesFrom::Millis(from) => self.since_millis(query, from, limit),
            EntriesFrom::After(id) => {
                let rows = limit.rows.saturating_add(1);
                let (mut lines, end) = self.oldest(query, |raw| raw.last > id, rows, rows, End::Anywhere)?;
                lines.retain(|line| line.id > id && line.id <= end.id);
                lines.truncate(limit.rows);
                Ok(lines)
            }
        }
    }

    fn chains(&self) -> impl Iterator<Item = Chain> {
        self.symbols.keys().copied().map(Chain::Trades).chain([Chain::Entries])
    }

    fn head(&self, query: &Query<'_>, chain: Chain) -> Option<Position> {
        query.head(|index| match chain {
            Chain::Entries => index.newest_entry(self.account, self.currency),
            Chain::Trades(symbol) => index.newest_trade(self.account, Some(symbol)),
        })
    }

    fn read(&self, query: &Query<'_>, chain: Chain, at: Position) -> Result<Node<Numbered>, Fault> {
        match chain {
            Chain::Entries => {
                let (row, links) = query.row(ENTRIES, at, EntryRow::decode)?;
                self.own(query, row.account, (ENTRIES, at))?;
                let link = if self.currency.is_some() { links.currency } else { links.all };
                Ok(Node { link, row: Numbered::entry((row, links)) })
            }
            Chain::Trades(_) => {
                let (row, links) = query.row(TRADES, at, TradeRow::decode)?;
                self.own(query, row.account, (TRADES, at))?;
                Ok(Node { link: links.symbol, row: Numbered::trade((row, links)) })
            }
        }
    }

    /// A row of another account in this one's chain is damage.
    fn own(&self, query: &Query<'_>, account: AccountId, (log, at): (Which, Position)) -> Result<(), Fault> {
        if account == self.account { Ok(()) } else { Err(query.damaged(log, at)) }
    }

    fn newest(&self, query: Query<'_>, rows: usize) -> Result<Vec<Line>, Fault> {
        let reads = query.reads();
        let fetch = |chain: Chain, at: Option<Position>| {
            reads.count()?;
            Ok(match at {
                Some(at) => Some((chain, self.read(&query, chain, at)?)),
                None => None,
            })
        };
        let mut heads = Vec::new();
        for chain in self.chains() {
            heads.extend(fetch(chain, self.head(&query, chain))?);
        }
        let mut lines = Vec::new();
        while lines.len() < rows {
            let newest = (0..).zip(&heads).max_by_key(|(_, (_, node))| node.row.last);
            let Some((place, (chain, node))) = newest else { break };
            let (chain, prev, raw) = (*chain, node.link.prev, node.row);
            let more = self.lines(&raw);
            lines.extend(more.into_iter().flatten().rev());
            match fetch(chain, prev)? {
                Some(next) => drop(heads.get_mut::<usize>(place).map(|head| *head = next)),
                None => drop(heads.swap_remove(place)),
            }
        }
        lines.truncate(rows);
        Ok(lines)
    }

    /// The lines from a millisecond on, newest first.
    fn since_millis(&self, query: Query<'_>, from: u64, limit: Limit) -> Result<Vec<Line>, Fault> {
        let (mut lines, end) =
            self.oldest(query, |raw| raw.millis() >= from, limit.rows, limit.most, End::Millisecond)?;
        lines.retain(|line| line.time.millis() <= end.millis);
        if let Some(next) = lines.get(limit.rows).map(|line| line.time.millis()) {
            let first = lines.first().map_or(next, |line| line.time.millis());
            if first < next {
                lines.retain(|line| line.time.millis() < next);
            } else {
                lines.retain(|line| line.time.millis() == next);
                lines.truncate(limit.most);
            }
        }
        lines.reverse();
        Ok(lines)
    }

    /// The lines of the oldest rows of each chain for which `holds` is true, oldest first, and how far every chain was read.
    fn oldest(
        &self,
        query: Query<'_>,
        holds: impl Fn(&Numbered) -> bool,
        rows: usize,
        most: usize,
        end: End,
    ) -> Result<(Vec<Line>, ReadTo), Fault> {
        let mut found = Vec::new();
        let mut read_to = ReadTo { id: u64::MAX, millis: u64::MAX };
        let reads = query.reads();
        for chain in self.chains() {
            let read = |at| {
                reads.count()?;
                self.read(&query, chain, at)
            };
            let walk = Walk { head: self.head(&query, chain), read };
            let page = page::oldest(&walk, &holds, Limit { rows, most }, end)?;
            if let (Some(newest), Some(head)) = (page.first(), walk.head)
                && self.read(&query, chain, head)?.row.last != newest.last
            {
                read_to.id = read_to.id.min(newest.last);
                read_to.millis = read_to.millis.min(newest.millis());
            }
            found.extend(page);
        }
        found.sort_unstable_by_key(|raw| raw.last);
        let lines = found.iter().flat_map(|raw| self.lines(raw)).flatten().collect();
        Ok((lines, read_to))
    }

    /// The lines of a row, oldest first.
    fn lines(&self, raw: &Numbered) -> [Option<Line>; 3] {
        let symbol = match &raw.row {
            Change::Entry(_) => None,
            Change::Trade(row) => self.symbols.get(&row.symbol),
        };
        raw.lines_with(symbol).map(|line| line.filter(|line| self.shows(line)))
    }

    fn shows(&self, line: &Line) -> bool {
        line.id < self.end && self.currency.is_none_or(|currency| line.currency == currency)
    }
}

fn of_entry(row: &EntryRow, id: u64) -> Line {
    let EntryRow { currency, time, amount, balance, cause, about, .. } = *row;
    Line { id, time, currency, amount, balance, cause, about }
}

/// The base, the quote and the fee of a trade.
fn of_trade(row: &TradeRow, symbol: &Symbol, settled: Settled, last: u64) -> [Option<Line>; 3] {
    let base = symbol.grid.base(row.qty).unwrap_or(Money::ZERO);
    let quote = symbol.grid.notional(row.price, row.qty).unwrap_or(Money::ZERO);
    let (base, quote) = match row.side {
        Side::Buy => (base, -quote),
        Side::Sell => (-base, quote),
    };
    let about = About::Trade(row.order, row.trade);
    let line = |back, currency, amount, balance, cause| {
        Some(Line { id: last - back, time: row.time, currency, amount, balance, cause, about })
    };
    let before_fee = settled.quote.capped_add(row.fee);
    [
        line(2, symbol.base, base, settled.base, Cause::Trade),
        line(1, symbol.quote, quote, before_fee, Cause::Trade),
        line(0, symbol.quote, -row.fee, settled.quote, Cause::Fee),
    ]
}

#[cfg(test)]
mod tests;
