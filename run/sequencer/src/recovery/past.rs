//! The past rows of a directory, for an export: read next to a running exchange or without one, changing nothing.
//!
//! Rows that the newest snapshot relies on come from the history's files, later ones from the journal, whose durable end
//! is fixed at the start. So the rows end exactly at one command, whatever the files of a running exchange lack yet.
//! Without a snapshot or without usable files, all rows come from the journal.

use crate::Fault;
use crate::care::checkpoint::index_of_empty;
use crate::poison::named;
use crate::recovery::read_ahead::Decoded;
use crate::recovery::{HISTORY_DIR, JOURNAL_DIR, check_not_gone, decode};
use buttonwood_disk::Folder;
use buttonwood_engine::State;
use buttonwood_journal::{Mark, Reader, ReplayError, snapshot};
use buttonwood_model::AccountId;
use buttonwood_views::history::{
    self, Change, Index, Lengths, Numbered, OrderRow, Position, PublicTrade, Row, RowKind, Scan, Statements,
    TradeRow,
};
use buttonwood_views::{Counted, Fold, Sink};

/// Which rows to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastTable {
    /// Closed orders, by the time when they closed.
    Orders,
    /// The parts of accounts in trades, by time.
    Trades,
    /// Public trades, by time.
    PublicTrades,
    /// The changes of balances, by time; of one moment by account and id.
    Statement,
}

/// A row of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastRow {
    /// A closed order.
    Order(OrderRow),
    /// An account's part in a trade.
    Trade(TradeRow),
    /// A trade as published.
    Public(PublicTrade),
    /// The change of a balance.
    Change(Numbered),
}

/// A directory's past up to its last durable command.
#[derive(Debug)]
pub struct Past {
    history: Folder,
    reader: Reader,
    /// The newest snapshot that this build reads.
    snapshot: Option<(Mark, Fold, Index)>,
    state: State,
}

impl Past {
    /// Opens a directory and finds the last durable command: next to a running exchange the last one acknowledged so far.
    ///
    /// # Errors
    /// [`Fault`]: there is no journal, or it is damaged.
    pub fn open(dir: impl Into<Folder>) -> Result<Self, Fault> {
        Self::open_with(dir, None)
    }

    /// As [`Past::open`], with the folder in which archived segments are looked for where no snapshot can be used.
    ///
    /// # Errors
    /// As [`Past::open`].
    pub fn open_with(dir: impl Into<Folder>, archive: Option<Folder>) -> Result<Self, Fault> {
        let dir = dir.into();
        let (journal, history) = (dir.folder(JOURNAL_DIR), dir.folder(HISTORY_DIR));
        check_not_gone(&journal, &history)?;
        let mut reader = Reader::open(&journal)?.with_archive(archive.clone());
        reader.hold()?;
        let newest = snapshot::load_newest(&journal, &mut Vec::new())?;
        let snapshot = newest.and_then(|(mark, payload)| {
            let (fold, index) = decode(mark.seq, &payload).ok()?;
            Some((mark, fold, index))
        });
        let (from, mut fold, index) = begin(&reader, snapshot.as_ref());
        let mut sink = Counted::new(index);
        let mut batch = Decoded::default();
        let replayed = reader.replay_durable(from.as_ref(), |bytes| {
            batch.read(bytes)?;
            batch.apply(|stamp, events, texts| fold.apply(stamp, events, texts, &mut sink))?;
            batch.check(fold.state())
        });
        replayed.map_err(|error| named(fault(error), &journal, archive, fold.state().access()))?;
        Ok(Self { history, reader, snapshot, state: fold.into_state() })
    }

    /// The state after the last command: the names of symbols, currencies and accounts.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Visits every row of a table, oldest first, with the state after the last command. The visitor may refuse a row, which
    /// ends the reading.
    ///
    /// # Errors
    /// The visitor's error, or a [`Fault`]; some rows may have been visited before.
    pub fn visit<E: From<Fault>>(
        &mut self,
        table: PastTable,
        mut visit: impl FnMut(&State, &PastRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let state = &self.state;
        let mut ordered = InOrder::new(|row: &PastRow| visit(state, row));
        let mut visit = |row: &PastRow| ordered.push(row);
        let index = self.snapshot.as_ref().map(|(_, _, index)| index.lengths());
        let scan = index.map(|lengths| Files::open(&self.history, lengths)).transpose();
        let scan = scan.map_err(Fault::from)?.flatten();
        let snapshot = self.snapshot.as_ref().filter(|_| scan.is_some());
        let (from, fold, index) = begin(&self.reader, snapshot);
        if let Some(files) = scan {
            read_files(files, table, &mut visit)?;
        }
        let mut replay =
            Replay { fold, sink: Gathered { counted: Counted::new(index), table, rows: Vec::new() } };
        let mut batch = Decoded::default();
        let end = state.stamp().seq.0;
        let replayed = self.reader.replay(from.as_ref(), end, |bytes| {
            batch.read(bytes)?;
            replay.apply(&batch, &mut visit)
        });
        match replayed {
            Ok(_) => ordered.flush(),
            Err(ReplayError::Refused(refused)) => Err(refused),
            Err(ReplayError::Fault(fault)) => Err(Fault::from(fault).into()),
        }
    }
}

/// Where a replay begins: after the snapshot, or at the first command.
fn begin(reader: &Reader, snapshot: Option<&(Mark, Fold, Index)>) -> (Option<Mark>, Fold, Index) {
    match snapshot {
        Some((mark, fold, index)) => (Some(*mark), fold.clone(), index.clone()),
        None => (None, Fold::default(), index_of_empty(reader.id())),
    }
}

/// The rows of the files, for any table.
struct Files {
    scan: Scan,
    statements: Statements,
}

impl Files {
    fn open(directory: &Folder, lengths: Lengths) -> Result<Option<Self>, history::Fault> {
        let (scan, statements) = (Scan::open(directory, lengths)?, Statements::open(directory, lengths)?);
        Ok(scan.zip(statements).map(|(scan, statements)| Self { scan, statements }))
    }
}

/// Visits the changes of one moment by account and id: their files are apart. Other rows pass.
struct InOrder<V> {
    visit: V,
    /// Changes of one moment.
    waiting: Vec<Numbered>,
}

impl<E, V: FnMut(&PastRow) -> Result<(), E>> InOrder<V> {
    fn new(visit: V) -> Self {
        Self { visit, waiting: Vec::new() }
    }

    fn push(&mut self, row: &PastRow) -> Result<(), E> {
        let PastRow::Change(row) = row else { return (self.visit)(row) };
        if self.waiting.last().is_some_and(|last| last.time() != row.time()) {
            self.flush()?;
        }
        self.waiting.push(*row);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), E> {
        self.waiting.sort_unstable_by_key(|row| (row.account(), row.last));
        self.waiting.drain(..).try_for_each(|row| (self.visit)(&PastRow::Change(row)))
    }
}

/// The changes of two files, by time.
fn merged(statements: Statements) -> impl Iterator<Item = Result<Numbered, history::Fault>> {
    let (mut trades, mut entries) = (statements.trades.peekable(), statements.entries.peekable());
    std::iter::from_fn(move || match (trades.peek(), entries.peek()) {
        (Some(Ok(trade)), Some(Ok(entry))) if entry.time() < trade.time() => entries.next(),
        (Some(_), _) => trades.next(),
        (None, _) => entries.next(),
    })
}

fn read_files<E: From<Fault>>(
    Files { scan, statements }: Files,
    table: PastTable,
    visit: &mut impl FnMut(&PastRow) -> Result<(), E>,
) -> Result<(), E> {
    let mut each = |row| visit(&row);
    match table {
        PastTable::Orders => {
            scan.orders.map(|row| row.map(PastRow::Order)).try_for_each(|row| each(row.map_err(Fault::from)?))
        }
        PastTable::Trades => {
            scan.trades.map(|row| row.map(PastRow::Trade)).try_for_each(|row| each(row.map_err(Fault::from)?))
        }
        PastTable::PublicTrades => scan
            .public
            .map(|row| row.map(PastRow::Public))
            .try_for_each(|row| each(row.map_err(Fault::from)?)),
        PastTable::Statement => merged(statements)
            .map(|row| row.map(PastRow::Change))
            .try_for_each(|row| each(row.map_err(Fault::from)?)),
    }
}

/// The replay of the batches after the snapshot.
struct Replay {
    fold: Fold,
    sink: Gathered,
}

impl Replay {
    fn apply<E: From<Fault>>(
        &mut self,
        batch: &Decoded,
        visit: &mut impl FnMut(&PastRow) -> Result<(), E>,
    ) -> Result<(), E> {
        batch.apply(|stamp, events, texts| self.fold.apply(stamp, events, texts, &mut self.sink))?;
        batch.check(self.fold.state())?;
        self.sink.rows.drain(..).try_for_each(|row| visit(&row))
    }
}

/// A sink that keeps the rows of one table.
struct Gathered {
    counted: Counted,
    table: PastTable,
    rows: Vec<PastRow>,
}

impl Gathered {
    /// Keeps a change that was just counted.
    fn change(&mut self, account: AccountId, row: &Change) {
        if self.table == PastTable::Statement {
            self.rows.push(PastRow::Change(Numbered { last: self.counted.index.ids(account), row: *row }));
        }
    }
}

impl Sink for Gathered {
    fn row<R: RowKind>(&mut self, row: &R) -> Position {
        let of_any: Row = (*row).into();
        match (self.table, of_any) {
            (PastTable::Trades, Row::Trade(row)) => self.rows.push(PastRow::Trade(row)),
            (PastTable::Orders, Row::Order(row)) => self.rows.push(PastRow::Order(row)),
            (PastTable::PublicTrades, Row::Public(row)) => self.rows.push(PastRow::Public(row)),
            _ => {}
        }
        let at = self.counted.row(row);
        if let Row::Trade(row) = of_any {
            self.change(row.account, &Change::Trade(row));
        }
        if let Row::Entry(row) = of_any {
            self.change(row.account, &Change::Entry(row));
        }
        at
    }
}

fn fault(error: ReplayError<Fault>) -> Fault {
    match error {
        ReplayError::Fault(fault) => Fault::Journal(fault),
        ReplayError::Refused(fault) => fault,
    }
}
