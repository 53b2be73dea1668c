//! The excuses of a full disk, and their limits (J11). The exchange must release its ballast before it ends or
//! refuses orders, and must accept them again once it can know that there is room.

use super::Life;
use crate::check::Finding;
use crate::disk::Faulty;
use buttonwood_sequencer::Fault;
use buttonwood_views::history;
use std::io;

/// The exchange's possible knowledge of the disk's room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// The disk is limited.
    Limited,
    /// The disk is unlimited, and no thread has checked since.
    Given,
    /// The thread that prepares segments has checked.
    Seen,
    /// The writer knows it too.
    Known,
}

impl Room {
    /// Whether the exchange must know that there is room.
    pub(super) fn is_known(self) -> bool {
        self == Self::Known
    }

    /// Records a turn of the thread that prepares segments. It does not check while a segment that it made is
    /// waiting.
    pub(super) fn looked(&mut self, disk: &Faulty) {
        if *self == Self::Given && !has_blank(disk) {
            *self = Self::Seen;
        }
    }

    /// Records a turn of the journal's thread, at whose end it reports the room to the writer.
    pub(super) fn told(&mut self) {
        if *self == Self::Seen {
            *self = Self::Known;
        }
    }
}

impl Life {
    /// Limits the disk to this many bytes from now on; `None` for no limit.
    pub(super) fn limit(&mut self, bytes: Option<u64>) {
        if bytes.is_some() {
            self.room = Room::Limited;
        } else if self.disk.is_limited() {
            self.room = Room::Given;
        }
        self.disk.limit(bytes);
    }

    /// Checks that no command is refused while the disk is unlimited and the exchange can know it.
    pub(super) fn check_room(&mut self) -> Result<(), Finding> {
        self.checker.collect()?;
        if !self.checker.has_turned_away() {
            return Ok(());
        }
        match self.room {
            Room::Known => Err("an order was turned away though there is room".into()),
            Room::Limited | Room::Given | Room::Seen => Ok(()),
        }
    }

    /// Checks whether the disk is so full that the process must end; the error says why it need not.
    pub(super) fn excuse(&self, fault: &Fault) -> Result<(), Finding> {
        match self.disk.refused().filter(|_| is_full(fault)) {
            None => Err("without a reason".into()),
            Some(refused) if refused.is_excuse() => Ok(()),
            Some(refused) => Err(format!("though the ballast would have done ({refused:?})")),
        }
    }
}

/// Whether a segment without a number is in the journal's directory.
fn has_blank(disk: &Faulty) -> bool {
    disk.files().iter().any(|(path, _)| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("blank-"))
    })
}

/// Whether a full disk is the reason.
fn is_full(fault: &Fault) -> bool {
    match fault {
        Fault::Journal(fault) => fault.is_full(),
        Fault::History(history::Fault::Io { source, .. }) | Fault::HistoryMark(source) => {
            source.kind() == io::ErrorKind::StorageFull
        }
        Fault::History(_)
        | Fault::Tables(_)
        | Fault::TablesDiffer { .. }
        | Fault::Gone { .. }
        | Fault::Backup(_)
        | Fault::NothingToBackUp { .. }
        | Fault::ArchiveNeeded { .. }
        | Fault::Frame { .. }
        | Fault::Snapshot { .. }
        | Fault::SnapshotVersion { .. }
        | Fault::Diverged { .. }
        | Fault::Poison(_)
        | Fault::Law { .. }
        | Fault::Unexplained { .. }
        | Fault::SnapshotDiffers { .. }
        | Fault::Founding { .. }
        | Fault::Thread(_) => false,
    }
}
