//! Compares the history files with the rows that the journal gives: every byte that a checkpoint relies on.

use super::codec::Position;
use super::converted::ConversionRow;
use super::entry::EntryRow;
use super::fault::Fault;
use super::files::{CONVERSIONS, ENTRIES, FUNDING, ORDERS, PUBLIC, TRADES};
use super::funding::FundingRow;
use super::index::{Index, Lengths};
use super::log::Magic;
use super::row::{OrderRow, PublicTrade, TradeRow};
use super::scan::usable;
use crate::Sink;
use buttonwood_disk::{Folder, Handle};
use buttonwood_model::{Side, SymbolId};
use buttonwood_num::{Price, Qty};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a file per read.
const AHEAD: usize = 256 * 1024;

/// A sink that compares every row with the files.
#[derive(Debug)]
pub struct Proof {
    index: Index,
    trades: File,
    orders: File,
    public: File,
    funding: File,
    entries: File,
    conversions: File,
    row: Vec<u8>,
    fault: Option<Fault>,
}

/// A file that should contain the appended rows.
#[derive(Debug)]
struct File {
    path: PathBuf,
    /// `None` if the file is missing, or is one that a start would not use.
    handle: Option<Arc<dyn Handle>>,
    /// The end of the part that must be present.
    end: u64,
    /// Bytes read ahead; `ahead_at` is their position.
    ahead: Vec<u8>,
    ahead_at: u64,
    /// Rows that matched.
    proven: u64,
}

impl Proof {
    /// Opens the files in a folder, which must be at least as long as a checkpoint says. `index` is that of an empty
    /// history.
    ///
    /// # Errors
    /// [`Fault::Io`] if a file cannot be read.
    pub fn open(directory: &Folder, index: Index, lengths: Lengths) -> Result<Self, Fault> {
        let open = |file, end| File::open(directory, file, end);
        Ok(Self {
            index,
            trades: open(TRADES, lengths.trades)?,
            orders: open(ORDERS, lengths.orders)?,
            public: open(PUBLIC, lengths.public)?,
            funding: open(FUNDING, lengths.funding)?,
            entries: open(ENTRIES, lengths.entries)?,
            conversions: open(CONVERSIONS, lengths.conversions)?,
            row: Vec::new(),
            fault: None,
        })
    }

    fn files(&self) -> [&File; 6] {
        [&self.trades, &self.orders, &self.public, &self.funding, &self.entries, &self.conversions]
    }

    /// Files that are missing, too short, or of another kind. A start does not use them and rebuilds the history from
    /// the journal.
    pub fn missing(&self) -> impl Iterator<Item = &Path> {
        self.files().into_iter().filter(|file| file.handle.is_none()).map(|file| file.path.as_path())
    }

    /// The number of rows that matched.
    pub fn proven(&self) -> u64 {
        self.files().iter().map(|file| file.proven).sum()
    }

    /// The index of the rows so far.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Whether all rows so far match the files.
    ///
    /// # Errors
    /// [`Fault::Damaged`] for the first row that does not, [`Fault::Io`] if the file cannot be read.
    pub fn check(&mut self) -> Result<(), Fault> {
        self.fault.take().map_or(Ok(()), Err)
    }

    fn note(&mut self, outcome: Result<(), Fault>) {
        if let (Err(fault), None) = (outcome, &self.fault) {
            self.fault = Some(fault);
        }
    }
}

impl File {
    fn open(directory: &Folder, (name, magic): (&str, Magic), end: u64) -> Result<Self, Fault> {
        let path = directory.file(name);
        let handle = usable(directory, &path, magic, end);
        let handle = handle.map_err(|source| Fault::Io { action: "open", path: path.clone(), source })?;
        Ok(Self { path, handle, end, ahead: Vec::new(), ahead_at: 0, proven: 0 })
    }

    /// Compares a row with the file, if it lies in the part that must be present.
    fn compare(&mut self, at: Position, row: &[u8]) -> Result<(), Fault> {
        let end = at.get().saturating_add(count(row));
        let Some(handle) = self.handle.as_ref().filter(|_| end <= self.end) else { return Ok(()) };
        if end > self.ahead_at + count(&self.ahead) {
            let room = usize::try_from(self.end - at.get()).unwrap_or(usize::MAX).min(AHEAD);
            self.ahead.resize(room, 0);
            self.ahead_at = at.get();
            handle.read_exact_at(&mut self.ahead, at.get()).map_err(|source| Fault::Io {
                action: "read",
                path: self.path.clone(),
                source,
            })?;
        }
        let from = usize::try_from(at.get() - self.ahead_at).unwrap_or(usize::MAX);
        if self.ahead.get(from..).is_some_and(|held| held.starts_with(row)) {
            self.proven += 1;
            return Ok(());
        }
        Err(Fault::Damaged { path: self.path.clone(), at: at.get() })
    }
}

impl Sink for Proof {
    fn trade(&mut self, row: &TradeRow) -> Position {
        self.row.clear();
        let at = self.index.push_trade(row, &mut self.row);
        let outcome = self.trades.compare(at, &self.row);
        self.note(outcome);
        at
    }

    fn order(&mut self, row: &OrderRow) {
        self.row.clear();
        let at = self.index.push_order(row, &mut self.row);
        let outcome = self.orders.compare(at, &self.row);
        self.note(outcome);
    }

    fn public(&mut self, row: &PublicTrade) {
        self.row.clear();
        let at = self.index.push_public(row, &mut self.row);
        let outcome = self.public.compare(at, &self.row);
        self.note(outcome);
    }

    fn funding(&mut self, row: &FundingRow) {
        self.row.clear();
        let at = self.index.push_funding(row, &mut self.row);
        let outcome = self.funding.compare(at, &self.row);
        self.note(outcome);
    }

    fn entry(&mut self, row: &EntryRow) {
        self.row.clear();
        let at = self.index.push_entry(row, &mut self.row);
        let outcome = self.entries.compare(at, &self.row);
        self.note(outcome);
    }

    fn conversion(&mut self, row: &ConversionRow) {
        self.row.clear();
        let at = self.index.push_conversion(row, &mut self.row);
        let outcome = self.conversions.compare(at, &self.row);
        self.note(outcome);
    }

    fn rested(&mut self, _symbol: SymbolId, _side: Side, _price: Price, _qty: Qty) {}

    fn reduced(&mut self, _symbol: SymbolId, _side: Side, _price: Price, _qty: Qty) {}
}

fn count(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).expect("a length fits in 64 bits")
}
