//! What a full disk excuses, and what it does not (J11): the exchange gives its ballast up before it ends or turns orders
//! away, and takes them again when it can know that there is room.

use super::Life;
use crate::check::Finding;
use crate::disk::Faulty;
use buttonwood_sequencer::Fault;
use buttonwood_views::history;
use std::io;

/// What the exchange may know of the disk's room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Only so many bytes may be held.
    Limited,
    /// As many as it likes, and nobody has looked since.
    Given,
    /// Whoever prepares segments has looked.
    Seen,
    /// The writer has been told, too.
    Known,
}

impl Room {
    /// Whether the exchange must know that there is room.
    pub(super) fn is_known(self) -> bool {
        self == Self::Known
    }

    /// Notes that whoever prepares segments had a turn. He does not look while a segment that he made waits.
    pub(super) fn looked(&mut self, disk: &Faulty) {
        if *self == Self::Given && !has_blank(disk) {
            *self = Self::Seen;
        }
    }

    /// Notes that the journal's thread had a turn, at whose end it tells the writer of the room.
    pub(super) fn told(&mut self) {
        if *self == Self::Seen {
            *self = Self::Known;
        }
    }
}

impl Life {
    /// Lets so many bytes be held from now on; `None` for any number.
    pub(super) fn limit(&mut self, bytes: Option<u64>) {
        if bytes.is_some() {
            self.room = Room::Limited;
        } else if self.disk.is_limited() {
            self.room = Room::Given;
        }
        self.disk.limit(bytes);
    }

    /// Nobody is turned away where the disk has no limit and the exchange can know that.
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

    /// Whether the disk is so full that the process must end; why not, if it need not.
    pub(super) fn excuse(&self, fault: &Fault) -> Result<(), Finding> {
        match self.disk.refused().filter(|_| is_full(fault)) {
            None => Err("without a reason".into()),
            Some(refused) if refused.is_excuse() => Ok(()),
            Some(refused) => Err(format!("though the ballast would have done ({refused:?})")),
        }
    }
}

/// Whether a segment without a number waits in the journal's directory.
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
        | Fault::Gone { .. }
        | Fault::Frame { .. }
        | Fault::Snapshot { .. }
        | Fault::SnapshotVersion { .. }
        | Fault::Diverged { .. }
        | Fault::Law { .. }
        | Fault::SnapshotDiffers { .. }
        | Fault::Founding { .. }
        | Fault::Thread(_) => false,
    }
}
