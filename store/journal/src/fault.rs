//! The faults of the journal, each reported to the operator in one line.

use std::io;
use std::path::{Path, PathBuf};

use crate::mark::JournalId;

/// Why the journal cannot be opened, replayed or written. At a start or in the writer, a fault ends the process. The
/// process retries nothing, since a second sync after a failed one may falsely succeed (J1); only a full disk first
/// releases the ballast (J11). A fault found by the scrub or by a snapshot is reported, and the exchange continues.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The operating system refused something outside the append path.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The action that failed, as it reads after "cannot".
        action: &'static str,
        /// The file or directory concerned.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A segment could not be read; its content is unknown.
    #[error("cannot read the journal after seq {seq}: {} at offset {offset}: {source}", path.display())]
    Read {
        /// The segment file.
        path: PathBuf,
        /// Byte offset of the batch to be read.
        offset: u64,
        /// Last sequence read before it.
        seq: u64,
        /// The operating system's error.
        source: io::Error,
    },
    /// A batch could not be written or synced. Only recovery can find out whether it is durable (J1, J2).
    #[error("cannot make seq {seq} durable: {} at offset {offset}: {source}", path.display())]
    Append {
        /// The segment file.
        path: PathBuf,
        /// Byte offset of the batch.
        offset: u64,
        /// First sequence of the batch.
        seq: u64,
        /// The operating system's error.
        source: io::Error,
    },
    /// The writer failed before and accepts nothing more (J1).
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
        /// ` (pid 123)` if the other process recorded its number, else empty.
        holder: String,
    },
    /// A newer program wrote this file; an older program must not interpret it (INV-JRN-3).
    #[error("{} has format {found}, this program reads up to {supported}: use the newer program", path.display())]
    Version {
        /// The file concerned.
        path: PathBuf,
        /// The format that the file declares.
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
    /// Part of the history differs from what was written, and no crash explains it (J6, J8, J9).
    #[error("corrupt journal at seq {seq}: {} at offset {offset}: {flaw}", path.display())]
    Damaged {
        /// The file concerned.
        path: PathBuf,
        /// Byte offset of the damaged batch or block.
        offset: u64,
        /// The first sequence that is not known to be intact.
        seq: u64,
        /// The flaw at that place.
        flaw: Flaw,
    },
    /// The archive has another file under a segment's name, so the segment stays where it is.
    #[error(
        "{} differs from the segment of the same name to be moved there: each data directory needs an archive of its own",
        path.display()
    )]
    ArchiveDiffers {
        /// The archive's file.
        path: PathBuf,
    },
    /// Archived segments are needed, and cannot be found.
    #[error(
        "commands 1 to {seq} of the journal {} are archived, in segments 1 to {segment}, and {}",
        dir.display(),
        not_found(*is_deleted, looked_for.as_deref())
    )]
    Archived {
        /// The journal's directory.
        dir: PathBuf,
        /// The last archived segment.
        segment: u64,
        /// The last command in it.
        seq: u64,
        /// Whether some of them were deleted: no archive has them.
        is_deleted: bool,
        /// The file that was looked for; `None` without an archive.
        looked_for: Option<PathBuf>,
    },
    /// The history ends before an acknowledged sequence: its tail is lost, or an old copy was restored (J7).
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
        /// The file that shows that sequence.
        seen: PathBuf,
    },
}

impl Fault {
    /// Whether the disk is full; releasing the ballast may help (J11).
    pub fn is_full(&self) -> bool {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        let (Self::Io { source, .. } | Self::Append { source, .. }) = self else { return false };
        matches!(source.kind(), StorageFull | QuotaExceeded)
    }

    /// Whether the content of a file is wrong. An error of the operating system says nothing about the content and
    /// may pass.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Version { .. } | Self::Foreign { .. } | Self::Damaged { .. } | Self::Behind { .. } => true,
            Self::Io { .. }
            | Self::Read { .. }
            | Self::Append { .. }
            | Self::Poisoned { .. }
            | Self::ArchiveDiffers { .. }
            | Self::Archived { .. }
            | Self::Locked { .. } => false,
        }
    }
}

/// Why archived segments cannot be found.
fn not_found(is_deleted: bool, looked_for: Option<&Path>) -> String {
    match (is_deleted, looked_for) {
        (true, _) => "some of these were deleted, as --keep-journal without --archive says".to_owned(),
        (false, None) => {
            "no archive was named: --archive names the folder that they were moved to".to_owned()
        }
        (false, Some(path)) => {
            format!("{} is missing: --archive names the folder that they were moved to", path.display())
        }
    }
}

/// Adds the action and the path to an error, for `map_err`.
pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Fault {
    move |source| Fault::Io { action, path: path.to_owned(), source }
}

/// The flaw of a damaged batch, block or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The file is missing, though its neighbours exist.
    #[error("the file is missing")]
    Missing,
    /// The file ends before the batch does.
    #[error("the file is cut short")]
    Cut,
    /// Only zeros where a batch should be.
    #[error("only zeros where a batch should be")]
    Blank,
    /// The header's magic or CRC is wrong.
    #[error("header checksum mismatch")]
    Header,
    /// The header gives a length that is impossible here.
    #[error("impossible length")]
    Length,
    /// The block was written for another file or offset (J9).
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
    /// The block continues another history (INV-JRN-1).
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
    /// An intact batch follows a bad one, so the bad one is no torn tail (J6).
    #[error("corrupt in the middle: an intact batch follows at offset {offset}")]
    Middle {
        /// Byte offset of the intact batch after it.
        offset: u64,
    },
    /// A batch known to have been acknowledged cannot be read (J7).
    #[error("seq {watermark} was acknowledged, so this is no torn tail")]
    Acknowledged {
        /// Highest sequence known to have been acknowledged.
        watermark: u64,
    },
}

/// A message for the operator about something that did not stop the journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// A crash tore the last, never acknowledged batch, which is left out.
    #[error("left out a torn batch after seq {seq}: {} at offset {offset}: {flaw}", path.display())]
    TornTail {
        /// The segment file.
        path: PathBuf,
        /// Byte offset of the torn batch.
        offset: u64,
        /// Last sequence of the history.
        seq: u64,
        /// The flaw of the batch.
        flaw: Flaw,
    },
    /// A snapshot does not verify; an older one, or a replay of the whole journal, takes its place (J10).
    #[error("skipped the snapshot {}: {reason}", path.display())]
    SnapshotSkipped {
        /// The snapshot file.
        path: PathBuf,
        /// Why it does not verify.
        reason: String,
    },
    /// A file left unfinished by an interrupted run was removed.
    #[error("removed the unfinished file {}", path.display())]
    LeftoverRemoved {
        /// The file that was removed.
        path: PathBuf,
    },
}

/// Why a replay stopped before its end.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError<E> {
    /// The journal could not be read, or is damaged.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The visitor refused a batch.
    #[error("replay refused: {0}")]
    Refused(E),
}
