//! What can go wrong between the history and its disk.

use std::io;
use std::path::PathBuf;

/// A fault of the disk or of the bytes on it, for the operator and never shown to a client; or [`Fault::Away`], which is none.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The operating system refused.
    #[error("history: cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A sync has failed before, and what it left out nobody knows.
    #[error("history: a sync of {path} has failed before: no snapshot until the next start builds it again")]
    Doubtful {
        /// The folder of the files.
        path: PathBuf,
    },
    /// The file ends before the index does: the checkpoint and the files do not belong together.
    #[error("history: {path} holds {held} bytes of the {needed} its index knows")]
    Short {
        /// Which file.
        path: PathBuf,
        /// Bytes it has.
        held: u64,
        /// Bytes it should have at least.
        needed: u64,
    },
    /// The file does not begin as a log of this kind and version does.
    #[error("history: {path} is no log of this kind and version")]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// A row that memory no longer holds, asked of memory alone; or more rows than are told at once.
    #[error("history: a row lies in the files")]
    Away,
    /// A row whose checksum, form or links are wrong.
    #[error(
        "history: damaged row at byte {at} of {path}; without that folder a start builds the history again from the journal"
    )]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where the row begins.
        at: u64,
    },
}

impl Fault {
    /// Whether the disk is full: rows that do not fit stay in memory until they do.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded))
    }
}
