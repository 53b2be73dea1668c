//! Faults outside the trading rules: disk, damage, a build that does not fit the data.

use crate::poison::Poison;
use buttonwood_engine::{Broken, FrameError, Reject};
use buttonwood_journal as journal;
use buttonwood_views::history;
use std::path::PathBuf;

/// A fault; its text is one line an operator understands.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Fault),
    /// The history.
    #[error(transparent)]
    History(#[from] history::Fault),
    /// The history's database.
    #[error("the history's database: {0}")]
    Tables(buttonwood_tables::Fault),
    /// The history's database differs from the journal.
    #[error(
        "the history's database, which has reached command {seq}, differs from the journal in table {table}; without its file \
         history/tables.db a start builds it again"
    )]
    TablesDiffer {
        /// The last command whose rows it has.
        seq: u64,
        /// The first table that differs.
        table: &'static str,
    },
    /// The rows of a statement do not sum to a balance.
    #[error("command {seq}: {source}")]
    Unexplained {
        /// The last command that was checked.
        seq: u64,
        /// Which balance.
        source: history::Unexplained,
    },
    /// The mark of the history.
    #[error("history: cannot read or write how far it has come: {0}")]
    HistoryMark(std::io::Error),
    /// No snapshot fits this build and the history's files, and the journal before the oldest one is archived elsewhere.
    #[error("{why}; the whole journal is needed instead, but {source}")]
    ArchiveNeeded {
        /// Why no snapshot can be used.
        why: String,
        /// The missing part.
        source: journal::Fault,
    },
    /// A file of a backup.
    #[error("backup: cannot write the copy: {0}")]
    Backup(std::io::Error),
    /// The journal of a directory to back up has no command.
    #[error("the journal {} holds no command yet, so there is nothing to back up", dir.display())]
    NothingToBackUp {
        /// The journal.
        dir: PathBuf,
    },
    /// The journal of an earlier exchange is missing, for example on a disk that is not mounted.
    #[error(
        "the journal {} is gone, but {} shows that seq {seq} was acknowledged: put it back, \
         or remove the rest of the directory too to begin anew",
        dir.display(),
        seen.display()
    )]
    Gone {
        /// Where the journal was.
        dir: PathBuf,
        /// Highest sequence known to have been acknowledged.
        seq: u64,
        /// Where that sequence was seen.
        seen: PathBuf,
    },
    /// A frame is not of this build's format.
    #[error("journal: command {seq}: {source}")]
    Frame {
        /// Which command.
        seq: u64,
        /// The mistake in it.
        source: FrameError,
    },
    /// A snapshot verifies but does not read as one.
    #[error("snapshot of command {seq} cannot be read or written: {source}")]
    Snapshot {
        /// Its command.
        seq: u64,
        /// The mistake in it.
        source: postcard::Error,
    },
    /// A snapshot is of a version that this build does not read.
    #[error("snapshot of command {seq} has version {version}, this build reads version {known}")]
    SnapshotVersion {
        /// Its command.
        seq: u64,
        /// Its version.
        version: u8,
        /// The version that this build reads.
        known: u8,
    },
    /// A replay, or the read models, came to other balances or rows than the exchange.
    #[error(
        "following the batch that ends with command {seq} gave other balances, or other rows of transfers, positions, debts or \
         quotes, than the exchange had"
    )]
    Diverged {
        /// The batch's last command.
        seq: u64,
    },
    /// A command of the journal cannot be applied.
    #[error(
        "{0}; it is in the journal: \"A command that cannot be applied\" in docs/OPERATING.md says what helps"
    )]
    Poison(Box<Poison>),
    /// A law of the state does not hold.
    #[error("after command {seq}: {law:?} breaks a law of the ledger or the books")]
    Law {
        /// After which command.
        seq: u64,
        /// Which law.
        law: Broken,
    },
    /// A snapshot holds another state than the journal leads to.
    #[error("snapshot of command {seq} holds another state than the journal leads to")]
    SnapshotDiffers {
        /// Its command.
        seq: u64,
    },
    /// A command that founds a directory was refused.
    #[error("a new directory cannot be founded: {body} is refused with {reject:?}")]
    Founding {
        /// The command.
        body: String,
        /// Why.
        reject: Reject,
    },
    /// The system refuses a thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl Fault {
    /// Whether archived segments of the journal are needed and cannot be found. The message names `--archive`.
    pub fn is_archived(&self) -> bool {
        matches!(self, Self::Journal(journal::Fault::Archived { .. }))
    }
}
