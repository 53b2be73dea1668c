//! The history with its files: opening, appending, writing, syncing.

use super::clearing::ClearingRow;
use super::codec::Position;
use super::converted::ConversionRow;
use super::entry::EntryRow;
use super::fault::Fault;
use super::funding::FundingRow;
use super::index::{Index, Lengths};
use super::log::{self, Log, Magic, Rows};
use super::order_events::OrderEventRow;
use super::predictions::PredictionRow;
use super::row::{OrderRow, PublicTrade, TradeRow};
use super::scan::Scan;
use super::staking::StakingRow;
use buttonwood_disk::Folder;
use buttonwood_model::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

// The name of each file, and its first bytes.

pub(super) const TRADES: (&str, Magic) = ("trades.log", *b"BWtrade2");
pub(super) const ORDERS: (&str, Magic) = ("orders.log", *b"BWorder3");
pub(super) const PUBLIC: (&str, Magic) = ("public.log", *b"BWpubli2");
pub(super) const FUNDING: (&str, Magic) = ("funding.log", *b"BWfundi1");
pub(super) const ENTRIES: (&str, Magic) = ("entries.log", *b"BWentry2");
pub(super) const CONVERSIONS: (&str, Magic) = ("conversions.log", *b"BWconve1");
pub(super) const CLEARING: (&str, Magic) = ("clearing.log", *b"BWclear1");
pub(super) const STAKING: (&str, Magic) = ("staking.log", *b"BWstake1");
pub(super) const PREDICTIONS: (&str, Magic) = ("predictions.log", *b"BWpredi2");
pub(super) const ORDER_EVENTS: (&str, Magic) = ("order_events.log", *b"BWevent1");

/// The kinds and versions of the files, as text: another format moves the rows.
pub fn formats() -> String {
    let all =
        [TRADES, ORDERS, PUBLIC, FUNDING, ENTRIES, CONVERSIONS, CLEARING, STAKING, PREDICTIONS, ORDER_EVENTS];
    all.map(|(_, magic)| String::from_utf8_lossy(&magic).into_owned()).join(" ")
}

/// Bytes per half of the newest rows that stay in memory.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    pub(super) trades: usize,
    pub(super) orders: usize,
    pub(super) public: usize,
    pub(super) funding: usize,
    pub(super) entries: usize,
    pub(super) conversions: usize,
    pub(super) clearing: usize,
    pub(super) staking: usize,
    pub(super) predictions: usize,
    pub(super) order_events: usize,
}

/// At most twice this, so 44 MiB; at 90 bytes a row, the newest 50 trades of 2,500 equally busy accounts. Rows of funding are read from
/// the database, so few of them stay. Of order events the newest 100,000 rows stay, for clients that reconnect.
const HALVES: Halves = Halves {
    trades: 11 << 20,
    orders: 4 << 20,
    public: 2 << 20,
    funding: 64 << 10,
    entries: 1 << 20,
    conversions: 64 << 10,
    clearing: 64 << 10,
    staking: 64 << 10,
    predictions: 64 << 10,
    order_events: 4 << 20,
};

/// The log files and their index.
#[derive(Debug)]
pub struct History {
    directory: Folder,
    pub(super) index: Index,
    pub(super) trades: Log,
    pub(super) orders: Log,
    pub(super) public: Log,
    pub(super) funding: Log,
    pub(super) entries: Log,
    pub(super) conversions: Log,
    pub(super) clearing: Log,
    pub(super) staking: Log,
    pub(super) predictions: Log,
    pub(super) order_events: Log,
    /// For each half in memory, the time when its first order closed.
    since: [Option<Time>; 2],
    /// Whether a sync has failed since the files were opened.
    is_doubtful: Arc<AtomicBool>,
}

/// A handle for syncing the files without holding the history.
#[derive(Clone, Debug)]
pub struct Syncer {
    directory: Folder,
    files: [Rows; 10],
    is_doubtful: Arc<AtomicBool>,
}

impl History {
    /// Opens the files of a directory and cuts each to the length in the index; the replay appends the rows after it
    /// again. An empty directory gets empty files.
    ///
    /// # Errors
    /// [`Fault`] if a file is shorter than the index says or is no log of this kind, or on an error of the disk.
    pub fn open(directory: impl Into<Folder>, index: Index) -> Result<Self, Fault> {
        Self::open_with(directory.into(), index, HALVES)
    }

    pub(super) fn open_with(directory: Folder, index: Index, halves: Halves) -> Result<Self, Fault> {
        let fault = |source| Fault::Io { action: "create", path: directory.path().to_owned(), source };
        directory.create().map_err(fault)?;
        let lengths = index.lengths();
        let trades = Log::open(&directory, TRADES, lengths.trades, halves.trades)?;
        let orders = Log::open(&directory, ORDERS, lengths.orders, halves.orders)?;
        let public = Log::open(&directory, PUBLIC, lengths.public, halves.public)?;
        let funding = Log::open(&directory, FUNDING, lengths.funding, halves.funding)?;
        let entries = Log::open(&directory, ENTRIES, lengths.entries, halves.entries)?;
        let conversions = Log::open(&directory, CONVERSIONS, lengths.conversions, halves.conversions)?;
        let clearing = Log::open(&directory, CLEARING, lengths.clearing, halves.clearing)?;
        let staking = Log::open(&directory, STAKING, lengths.staking, halves.staking)?;
        let predictions = Log::open(&directory, PREDICTIONS, lengths.predictions, halves.predictions)?;
        let order_events = Log::open(&directory, ORDER_EVENTS, lengths.order_events, halves.order_events)?;
        Ok(Self {
            directory,
            index,
            trades,
            orders,
            public,
            funding,
            entries,
            conversions,
            clearing,
            staking,
            predictions,
            order_events,
            since: [None; 2],
            is_doubtful: Arc::default(),
        })
    }

    /// Gives each file the length in the index, whatever it holds: zeros fill one that is too short, and a row that is not there is
    /// a damaged one. [`History::open`] then takes the files.
    ///
    /// # Errors
    /// [`Fault::Io`] on an error of the disk.
    pub fn pad(directory: &Folder, index: &Index) -> Result<(), Fault> {
        let Lengths { trades, orders, public, funding, entries, .. } = index.lengths();
        let Lengths { conversions, clearing, staking, predictions, order_events, .. } = index.lengths();
        log::pad(directory, TRADES, trades)?;
        log::pad(directory, ORDERS, orders)?;
        log::pad(directory, PUBLIC, public)?;
        log::pad(directory, FUNDING, funding)?;
        log::pad(directory, ENTRIES, entries)?;
        log::pad(directory, CONVERSIONS, conversions)?;
        log::pad(directory, CLEARING, clearing)?;
        log::pad(directory, STAKING, staking)?;
        log::pad(directory, PREDICTIONS, predictions)?;
        log::pad(directory, ORDER_EVENTS, order_events)
    }

    /// The current index, including rows not yet written.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Appends a trade of an account; times and trade ids never decrease.
    ///
    /// # Panics
    /// If `of_order` does not point back.
    pub fn push_trade(&mut self, row: &TradeRow) -> Position {
        self.index.push_trade(row, self.trades.buffer())
    }

    /// Appends a closed order; closing times never decrease.
    pub fn push_order(&mut self, row: &OrderRow) -> Position {
        let [_, newer] = &mut self.since;
        newer.get_or_insert(row.closed);
        self.index.push_order(row, self.orders.buffer())
    }

    /// Appends a public trade; times and trade ids never decrease.
    pub fn push_public(&mut self, row: &PublicTrade) -> Position {
        self.index.push_public(row, self.public.buffer())
    }

    /// Appends an amount of funding, or a payment; hours never decrease.
    pub fn push_funding(&mut self, row: &FundingRow) -> Position {
        self.index.push_funding(row, self.funding.buffer())
    }

    /// Appends a change of a balance; times never decrease.
    pub fn push_entry(&mut self, row: &EntryRow) -> Position {
        self.index.push_entry(row, self.entries.buffer())
    }

    /// Appends a conversion; times and order ids never decrease.
    pub fn push_conversion(&mut self, row: &ConversionRow) -> Position {
        self.index.push_conversion(row, self.conversions.buffer())
    }

    /// Appends a closed clearing order; times of closing never decrease.
    pub fn push_clearing(&mut self, row: &ClearingRow) -> Position {
        self.index.push_clearing(row, self.clearing.buffer())
    }

    /// Appends a row of staking.
    pub fn push_staking(&mut self, row: &StakingRow) -> Position {
        self.index.push_staking(row, self.staking.buffer())
    }

    /// Appends a row of prediction markets.
    pub fn push_prediction(&mut self, row: &PredictionRow) -> Position {
        self.index.push_prediction(row, self.predictions.buffer())
    }

    /// Appends events of an order; ids never decrease.
    pub fn push_order_event(&mut self, row: &OrderEventRow) -> Position {
        self.index.push_order_event(row, self.order_events.buffer())
    }

    /// Every file.
    fn logs(&self) -> [&Log; 10] {
        [
            &self.trades,
            &self.orders,
            &self.public,
            &self.funding,
            &self.entries,
            &self.conversions,
            &self.clearing,
            &self.staking,
            &self.predictions,
            &self.order_events,
        ]
    }

    /// Writes the appended rows to the files, usually those of many batches at once. Queries see a row before and
    /// after alike: memory holds what is not yet written.
    ///
    /// # Errors
    /// [`Fault::Io`] on an error of the disk; nothing is lost, and a later call tries again.
    pub fn flush(&mut self) -> Result<(), Fault> {
        self.trades.flush()?;
        if self.orders.flush()? {
            let [_, newer] = self.since;
            self.since = [newer, None];
        }
        self.public.flush()?;
        self.funding.flush()?;
        self.entries.flush()?;
        self.conversions.flush()?;
        self.clearing.flush()?;
        self.staking.flush()?;
        self.predictions.flush()?;
        self.order_events.flush()?;
        Ok(())
    }

    /// Whether an order's row and all rows closed before `time` have left memory.
    pub(super) fn order_closed_before(&self, at: Position, time: Time) -> bool {
        let [older, newer] = self.since;
        !self.orders.holds(at) && older.or(newer).is_some_and(|kept| kept < time)
    }

    /// The rows after these lengths, whatever happens to the history from now on.
    pub fn after(&self, from: Lengths) -> Scan {
        Scan::after(self, from)
    }

    /// Bytes of rows not yet in the files.
    pub fn pending(&self) -> u64 {
        self.logs().into_iter().map(Log::pending).sum()
    }

    /// Syncs the flushed rows. Call it before a snapshot that refers to them becomes valid.
    ///
    /// # Errors
    /// Those of [`Syncer::sync`].
    pub fn sync(&self) -> Result<(), Fault> {
        self.syncer().sync()
    }

    /// A handle for syncing from another thread while this one continues.
    pub fn syncer(&self) -> Syncer {
        let files = self.logs().map(Log::rows);
        Syncer { directory: self.directory.clone(), files, is_doubtful: Arc::clone(&self.is_doubtful) }
    }
}

impl Syncer {
    /// The length of each file.
    pub fn lengths(&self) -> Lengths {
        let [trades, orders, public, funding, entries, conversions, clearing, staking, rest @ ..] =
            &self.files;
        let [predictions, order_events] = rest;
        Lengths {
            trades: trades.written,
            orders: orders.written,
            public: public.written,
            funding: funding.written,
            entries: entries.written,
            conversions: conversions.written,
            clearing: clearing.written,
            staking: staking.written,
            predictions: predictions.written,
            order_events: order_events.written,
        }
    }

    /// The files.
    pub(super) fn rows(&self) -> [Rows; 10] {
        self.files.clone()
    }

    /// Makes everything flushed before this call durable, including the names of the files.
    ///
    /// # Errors
    /// [`Fault::Io`] on an error of the disk. The system may then have dropped the unwritten data and report success
    /// at the next sync. So every further call returns [`Fault::Doubtful`] until the files are opened again and cut
    /// to what was synced before.
    pub fn sync(&self) -> Result<(), Fault> {
        if self.is_doubtful.load(Ordering::Acquire) {
            return Err(Fault::Doubtful { path: self.directory.path().to_owned() });
        }
        self.try_sync().inspect_err(|_| self.is_doubtful.store(true, Ordering::Release))
    }

    fn try_sync(&self) -> Result<(), Fault> {
        self.files.iter().try_for_each(Rows::sync)?;
        let path = || self.directory.path().to_owned();
        self.directory.sync_names().map_err(|source| Fault::Io { action: "sync", path: path(), source })
    }
}
