//! Faults of the history and its disk.

use std::io;
use std::path::PathBuf;

/// A fault of the disk or of the bytes on it, reported to the operator and never to a client. [`Fault::Away`] is not
/// an error.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The operating system refused.
    #[error("history: cannot {action} {path}: {source}")]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A sync failed before; what it did not write is unknown.
    #[error("history: a sync of {path} has failed before: no snapshot until the next start builds it again")]
    Doubtful {
        /// The folder of the files.
        path: PathBuf,
    },
    /// The file ends before the index does: the checkpoint and the files do not match.
    #[error("history: {path} holds {held} bytes of the {needed} its index knows")]
    Short {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        held: u64,
        /// The least length in bytes.
        needed: u64,
    },
    /// The file does not begin like a log of this kind and version.
    #[error("history: {path} is no log of this kind and version")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A query of memory alone needs a row that memory no longer holds, or more rows than it may read at once.
    #[error("history: a row lies in the files")]
    Away,
    /// A row whose checksum, form or links are wrong.
    #[error(
        "history: damaged row at byte {at} of {path}; a running exchange builds it again from the journal once a call needs it, \
         and without that folder a start builds all of the history again"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The start of the row.
        at: u64,
    },
}

impl Fault {
    /// Whether a file does not hold the rows that it should hold, or cannot be read: the journal can mend it.
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. }
                | Self::Io { action: "read", .. }
                | Self::Short { .. }
                | Self::Foreign { .. }
        )
    }

    /// Whether the disk is full: rows that do not fit stay in memory until there is room.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded))
    }
}
