//! The history with its files: opening, appending, writing, syncing.

use super::codec::Position;
use super::fault::Fault;
use super::index::Index;
use super::log::{Log, Magic, Rows};
use super::row::{OrderRow, PublicTrade, TradeRow};
use buttonwood_disk::Folder;
use buttonwood_model::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of each file, and what it begins with.
pub(super) const TRADES: (&str, Magic) = ("trades.log", *b"BWtrade1");
pub(super) const ORDERS: (&str, Magic) = ("orders.log", *b"BWorder1");
pub(super) const PUBLIC: (&str, Magic) = ("public.log", *b"BWpubli1");

/// Bytes of each half of the newest rows kept in memory.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    pub(super) trades: usize,
    pub(super) orders: usize,
    pub(super) public: usize,
}

/// Twice these at most, so 28 MiB; at 65 bytes a row the newest 50 trades of 2,500 equally busy accounts.
const HALVES: Halves = Halves { trades: 8 << 20, orders: 4 << 20, public: 2 << 20 };

/// The log files and their index.
#[derive(Debug)]
pub struct History {
    directory: Folder,
    pub(super) index: Index,
    pub(super) trades: Log,
    pub(super) orders: Log,
    pub(super) public: Log,
    /// When the first order closed of each half that memory holds.
    since: [Option<Time>; 2],
    /// Whether a sync has failed since the files were opened.
    is_doubtful: Arc<AtomicBool>,
}

/// A handle by which the files are synced without holding the history.
#[derive(Clone, Debug)]
pub struct Syncer {
    directory: Folder,
    files: [Rows; 3],
    is_doubtful: Arc<AtomicBool>,
}

impl History {
    /// Opens the files of a directory and cuts each to the length the index knows; what was behind it is appended
    /// again by replay. A directory without files is given empty ones.
    ///
    /// # Errors
    /// [`Fault`] when a file is shorter than the index says, is no log of this kind, or the disk refuses.
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
        Ok(Self { directory, index, trades, orders, public, since: [None; 2], is_doubtful: Arc::default() })
    }

    /// The index as it stands, rows not yet written included.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Appends a trade of an account; times and trade ids never go back.
    ///
    /// # Panics
    /// When `of_order` does not point back.
    pub fn push_trade(&mut self, row: &TradeRow) -> Position {
        self.index.push_trade(row, self.trades.buffer())
    }

    /// Appends a closed order; closing times never go back.
    pub fn push_order(&mut self, row: &OrderRow) -> Position {
        let [_, newer] = &mut self.since;
        newer.get_or_insert(row.closed);
        self.index.push_order(row, self.orders.buffer())
    }

    /// Appends a public trade; times and trade ids never go back.
    pub fn push_public(&mut self, row: &PublicTrade) -> Position {
        self.index.push_public(row, self.public.buffer())
    }

    /// Writes the appended rows to the files, those of many batches at once. Queries see rows before and after alike; memory holds
    /// what is not written.
    ///
    /// # Errors
    /// [`Fault::Io`] when the disk refuses; nothing is lost, and a later call tries again.
    pub fn flush(&mut self) -> Result<(), Fault> {
        self.trades.flush()?;
        if self.orders.flush()? {
            let [_, newer] = self.since;
            self.since = [newer, None];
        }
        self.public.flush()?;
        Ok(())
    }

    /// Whether an order's row has left memory and all that have closed before a time.
    pub(super) fn order_closed_before(&self, at: Position, time: Time) -> bool {
        let [older, newer] = self.since;
        !self.orders.holds(at) && older.or(newer).is_some_and(|kept| kept < time)
    }

    /// Bytes of rows that are not yet in the files.
    pub fn pending(&self) -> u64 {
        self.trades.pending() + self.orders.pending() + self.public.pending()
    }

    /// Syncs what was flushed; called before a snapshot that refers to it becomes valid.
    ///
    /// # Errors
    /// As [`Syncer::sync`].
    pub fn sync(&self) -> Result<(), Fault> {
        self.syncer().sync()
    }

    /// A handle to sync from another thread while this one goes on.
    pub fn syncer(&self) -> Syncer {
        let files = [&self.trades, &self.orders, &self.public].map(Log::rows);
        Syncer { directory: self.directory.clone(), files, is_doubtful: Arc::clone(&self.is_doubtful) }
    }
}

impl Syncer {
    /// Makes everything flushed before this call durable, the names of the files included.
    ///
    /// # Errors
    /// [`Fault::Io`] when the disk refuses. The system may then have dropped what it could not write and say next time
    /// that all is well, so every further call is [`Fault::Doubtful`] until the files are opened again, and cut to what
    /// was synced before.
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
