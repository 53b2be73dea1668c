//! The history with its files: opening, appending, writing, syncing.

use super::codec::Position;
use super::fault::Fault;
use super::index::Index;
use super::kinds::{Each, FILES, HALVES, Lengths, Row, RowKind, Scan};
use super::log::{self, Log, Rows};
use buttonwood_disk::Folder;
use buttonwood_model::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The kinds and versions of the files, as text: another format moves the rows.
pub fn formats() -> String {
    let names = FILES.into_iter().map(|(_, magic)| String::from_utf8_lossy(&magic).into_owned());
    names.collect::<Vec<_>>().join(" ")
}

/// The log files and their index.
#[derive(Debug)]
pub struct History {
    directory: Folder,
    pub(super) index: Index,
    pub(super) logs: Each<Log>,
    /// For each half in memory, the time when its first order closed.
    since: [Option<Time>; 2],
    /// Whether a sync has failed since the files were opened.
    is_doubtful: Arc<AtomicBool>,
}

/// A handle for syncing the files without holding the history.
#[derive(Clone, Debug)]
pub struct Syncer {
    directory: Folder,
    files: Each<Rows>,
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

    pub(super) fn open_with(directory: Folder, index: Index, halves: Each<usize>) -> Result<Self, Fault> {
        let fault = |source| Fault::Io { action: "create", path: directory.path().to_owned(), source };
        directory.create().map_err(fault)?;
        let sizes = index.lengths().zip(halves);
        let logs =
            FILES.zip(sizes).try_map(|(file, (length, half))| Log::open(&directory, file, length, half))?;
        Ok(Self { directory, index, logs, since: [None; 2], is_doubtful: Arc::default() })
    }

    /// Gives each file the length in the index, whatever it holds: zeros fill one that is too short, and a row that is not there is
    /// a damaged one. [`History::open`] then takes the files.
    ///
    /// # Errors
    /// [`Fault::Io`] on an error of the disk.
    pub fn pad(directory: &Folder, index: &Index) -> Result<(), Fault> {
        let mut files = FILES.zip(index.lengths()).into_iter();
        files.try_for_each(|(file, length)| log::pad(directory, file, length))
    }

    /// The current index, including rows not yet written.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Appends a row. Rows of a kind come in the order of the commands that they follow from.
    ///
    /// # Panics
    /// If a position in the row does not point back.
    pub fn push<R: RowKind>(&mut self, row: &R) -> Position {
        let at = self.index.push(row, R::of_mut(&mut self.logs).buffer());
        if let Row::Order(order) = (*row).into() {
            let [_, newer] = &mut self.since;
            newer.get_or_insert(order.closed);
        }
        at
    }

    /// Writes the appended rows to the files, usually those of many batches at once. Queries see a row before and
    /// after alike: memory holds what is not yet written.
    ///
    /// # Errors
    /// [`Fault::Io`] on an error of the disk; nothing is lost, and a later call tries again.
    pub fn flush(&mut self) -> Result<(), Fault> {
        let was_full = self.logs.orders.is_full();
        let flushed = self.logs.each_mut().into_iter().try_for_each(Log::flush);
        if was_full && !self.logs.orders.is_full() {
            let [_, newer] = self.since;
            self.since = [newer, None];
        }
        flushed
    }

    /// Whether an order's row and all rows closed before `time` have left memory.
    pub(super) fn order_closed_before(&self, at: Position, time: Time) -> bool {
        let [older, newer] = self.since;
        !self.logs.orders.holds(at) && older.or(newer).is_some_and(|kept| kept < time)
    }

    /// The rows after these lengths, whatever happens to the history from now on.
    pub fn after(&self, from: Lengths) -> Scan {
        Scan::after(self, from)
    }

    /// Bytes of rows not yet in the files.
    pub fn pending(&self) -> u64 {
        self.logs.each_ref().into_iter().map(Log::pending).sum()
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
        let files = self.logs.each_ref().map(Log::rows);
        Syncer { directory: self.directory.clone(), files, is_doubtful: Arc::clone(&self.is_doubtful) }
    }
}

impl Syncer {
    /// The length of each file.
    pub fn lengths(&self) -> Lengths {
        self.files.each_ref().map(|rows| rows.written)
    }

    /// The files.
    pub(super) fn rows(&self) -> Each<Rows> {
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
        self.files.each_ref().into_iter().try_for_each(Rows::sync)?;
        let path = || self.directory.path().to_owned();
        self.directory.sync_names().map_err(|source| Fault::Io { action: "sync", path: path(), source })
    }
}
