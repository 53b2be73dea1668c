//! What can go wrong with the journal, told to an operator in one line each.

use std::io;
use std::path::{Path, PathBuf};

use crate::mark::JournalId;

/// Why the journal cannot be opened, replayed or written. A start or a writer that meets one ends the process, and nothing
/// is retried within it, since a second sync after a failed one may lie (J1); a full disk first costs the ballast (J11).
/// What only the scrub or a snapshot meets is told, and the exchange goes on.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The operating system refused something outside the append path.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as it reads after "cannot".
        action: &'static str,
        /// The file or directory concerned.
        path: PathBuf,
        /// The system's own words.
        source: io::Error,
    },
    /// A segment could not be read; nothing is known about its content.
    #[error("cannot read the journal after seq {seq}: {} at offset {offset}: {source}", path.display())]
    Read {
        /// The segment file.
        path: PathBuf,
        /// Byte offset of the batch that was wanted.
        offset: u64,
        /// Last sequence read before it.
        seq: u64,
        /// The system's own words.
        source: io::Error,
    },
    /// A batch could not be written or synced. Whether it is durable is unknown; only recovery can tell (J1, J2).
    #[error("cannot make seq {seq} durable: {} at offset {offset}: {source}", path.display())]
    Append {
        /// The segment file.
        path: PathBuf,
        /// Byte offset of the batch.
        offset: u64,
        /// First sequence of the batch.
        seq: u64,
        /// The system's own words.
        source: io::Error,
    },
    /// The writer failed before and takes nothing more (J1).
    #[error("the journal {} stopped at an earlier failure; restart to recover", dir.display())]
    Poisoned {
        /// The journal's directory.
        dir: PathBuf,
    },
    /// Another process has this journal open (J12).
    #[error("the journal {} is in use by another process{holder}", dir.display())]
    Locked {
        /// The journal's directory.
        dir: PathBuf,
        /// ` (pid 123)` where the other process left its number, else empty.
        holder: String,
    },
    /// A newer program wrote this file; an older one must not guess at it (INV-JRN-3).
    #[error("{} has format {found}, this program reads up to {supported}: use the newer program", path.display())]
    Version {
        /// The file concerned.
        path: PathBuf,
        /// The format it says it has.
        found: u32,
        /// The newest format this program knows.
        supported: u32,
    },
    /// The file belongs to another journal (J9).
    #[error("{} belongs to journal {found}, not to {expected}", path.display())]
    Foreign {
        /// The file concerned.
        path: PathBuf,
        /// The journal that wrote it.
        found: JournalId,
        /// The journal of this directory.
        expected: JournalId,
    },
    /// Part of the history is not as it was written, and no crash explains it (J6, J8, J9).
    #[error("corrupt journal at seq {seq}: {} at offset {offset}: {flaw}", path.display())]
    Damaged {
        /// The file concerned.
        path: PathBuf,
        /// Byte offset of the damaged batch or block.
        offset: u64,
        /// The first sequence that cannot be vouched for.
        seq: u64,
        /// What is wrong there.
        flaw: Flaw,
    },
    /// The history ends before something that was acknowledged: a lost tail or an old copy (J7).
    #[error(
        "the journal {} ends at seq {end}, but {} shows that seq {watermark} was acknowledged: \
         its tail is lost or an old copy was restored",
        dir.display(),
        seen.display()
    )]
    Behind {
        /// The journal's directory.
        dir: PathBuf,
        /// Last sequence found.
        end: u64,
        /// Highest sequence known to have been acknowledged.
        watermark: u64,
        /// Where that sequence was seen.
        seen: PathBuf,
    },
}

impl Fault {
    /// Whether the disk is full, which releasing the ballast may mend (J11).
    pub fn is_full(&self) -> bool {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        let (Self::Io { source, .. } | Self::Append { source, .. }) = self else { return false };
        matches!(source.kind(), StorageFull | QuotaExceeded)
    }

    /// Whether files are not as they were written. The system's refusals say nothing of what is in them: they may pass.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Version { .. } | Self::Foreign { .. } | Self::Damaged { .. } | Self::Behind { .. } => true,
            Self::Io { .. }
            | Self::Read { .. }
            | Self::Append { .. }
            | Self::Poisoned { .. }
            | Self::Locked { .. } => false,
        }
    }
}

/// Names what was tried on which path, for `map_err`.
pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Fault {
    move |source| Fault::Io { action, path: path.to_owned(), source }
}

/// What is wrong with a damaged batch, block or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The file is not there, though its neighbours are.
    #[error("the file is missing")]
    Missing,
    /// The file ends before the batch does.
    #[error("the file is cut short")]
    Cut,
    /// Only zeros where a batch must be.
    #[error("only zeros where a batch should be")]
    Blank,
    /// The header's magic or CRC is wrong.
    #[error("header checksum mismatch")]
    Header,
    /// The header names a length no batch can have here.
    #[error("impossible length")]
    Length,
    /// The block says that it was written for another file or offset (J9).
    #[error("this block was written for segment {segment} at offset {offset}")]
    Place {
        /// The segment it was written for.
        segment: u64,
        /// The byte offset it was written for.
        offset: u64,
    },
    /// The block does not follow the one before: sequence, epoch or watermark.
    #[error("out of sequence: it begins at seq {first}")]
    Sequence {
        /// The first sequence it claims.
        first: u64,
    },
    /// The block follows another history than this one (INV-JRN-1).
    #[error("it continues another history")]
    Chain,
    /// The batch's SHA-256 does not match.
    #[error("content checksum mismatch")]
    Content,
    /// The padding after the batch is not zero.
    #[error("padding is not zero")]
    Padding,
    /// The frames do not fill the batch.
    #[error("frames do not fill the batch")]
    Frames,
    /// An intact batch exists behind a bad one, so the bad one is no torn tail (J6).
    #[error("corrupt in the middle: an intact batch follows at offset {offset}")]
    Middle {
        /// Byte offset of the intact batch behind it.
        offset: u64,
    },
    /// A batch known to have been acknowledged cannot be read (J7).
    #[error("seq {watermark} was acknowledged, so this is no torn tail")]
    Acknowledged {
        /// Highest sequence known to have been acknowledged.
        watermark: u64,
    },
}

/// Something an operator should read, which did not stop the journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// The last, never acknowledged batch was torn by a crash and is left out.
    #[error("left out a torn batch after seq {seq}: {} at offset {offset}: {flaw}", path.display())]
    TornTail {
        /// The segment file.
        path: PathBuf,
        /// Byte offset of the torn batch.
        offset: u64,
        /// Last sequence of the history.
        seq: u64,
        /// What is wrong with the batch.
        flaw: Flaw,
    },
    /// A snapshot does not verify; an older one or the journal itself replaces it (J10).
    #[error("skipped the snapshot {}: {reason}", path.display())]
    SnapshotSkipped {
        /// The snapshot file.
        path: PathBuf,
        /// Why it does not verify.
        reason: String,
    },
    /// A file that an interrupted run had not finished was removed.
    #[error("removed the unfinished file {}", path.display())]
    LeftoverRemoved {
        /// The file that was removed.
        path: PathBuf,
    },
}

/// Why a replay stopped before its end.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError<E> {
    /// The journal could not be read or believed.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The visitor refused a batch.
    #[error("replay refused: {0}")]
    Refused(E),
}
