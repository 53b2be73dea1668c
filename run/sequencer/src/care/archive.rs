//! Moves old segments of the journal to the archive, or deletes them, while the exchange runs (rule J15, Q-492).

use crate::Fault;
use crate::recovery::JOURNAL_DIR;
use crate::recovery::read_ahead::Decoded;
use buttonwood_disk::Folder;
use buttonwood_journal::{Mark, Mover, Reader, ReplayError};
use buttonwood_model::Time;

const DAY: u64 = 24 * 60 * 60 * Time::SECOND;

/// The fate of old segments of a journal.
#[derive(Clone, Debug)]
pub struct Archive {
    /// Where they are moved to, and looked for; without a folder they are deleted.
    pub folder: Option<Folder>,
    /// The part that stays.
    pub keep: Keep,
}

/// The part of a journal that stays, besides what its snapshots need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All of it.
    All,
    /// The segments of this many days.
    Days(u32),
    /// The newest segments, up to this many bytes.
    Bytes(u64),
}

impl Archive {
    /// Where segments are looked for.
    pub(crate) fn folder_of(archive: Option<&Self>) -> Option<Folder> {
        archive?.folder.clone()
    }

    /// Bytes of journal between two snapshots at most. Two snapshots are kept, so that what they need takes half of what stays.
    pub(crate) fn snapshot_bytes(archive: Option<&Self>) -> u64 {
        match archive.map(|archive| archive.keep) {
            Some(Keep::Bytes(bytes)) => bytes / 4,
            Some(Keep::All | Keep::Days(_)) | None => u64::MAX,
        }
    }
}

/// Moves or deletes what may go, oldest first.
#[derive(Debug)]
pub(crate) struct Archiver {
    journal: Folder,
    archive: Option<Archive>,
}

impl Archiver {
    pub(crate) fn new(dir: &Folder, archive: Option<Archive>) -> Self {
        Self { journal: dir.folder(JOURNAL_DIR), archive }
    }

    /// Moves or deletes every segment that need not stay at `now`. A failure is reported to the operator, and tried again later;
    /// the journal is complete in between. Nothing is deleted unless the history is whole: the journal has the rows that it lacks.
    pub(crate) fn run(&self, now: Time, is_whole: bool) {
        let deletes = self.archive.as_ref().is_some_and(|archive| archive.folder.is_none());
        if deletes && !is_whole {
            return;
        }
        let what = if deletes { "deleted" } else { "archived" };
        loop {
            match self.step(now) {
                Ok(Some(seq)) => tracing::info!(seq, "journal {what} up to a command"),
                Ok(None) => return,
                Err(fault) => return tracing::error!(%fault, "the journal cannot be {what} now"),
            }
        }
    }

    /// Moves or deletes the oldest segment, if it need not stay; the last command that has gone.
    pub(crate) fn step(&self, now: Time) -> Result<Option<u64>, Fault> {
        let Some(archive) = self.archive.as_ref().filter(|archive| archive.keep != Keep::All) else {
            return Ok(None);
        };
        let mover = match &archive.folder {
            Some(folder) => Mover::open(&self.journal, folder)?,
            None => Mover::deleting(&self.journal)?,
        };
        let Some(mut mover) = mover else { return Ok(None) };
        if let Keep::Bytes(bytes) = archive.keep
            && mover.bytes()? <= bytes
        {
            return Ok(None);
        }
        let Some(end) = mover.next()? else { return Ok(None) };
        if let Keep::Days(days) = archive.keep {
            let least = u64::from(days) * DAY;
            if least > 0 && now.0.saturating_sub(self.time_after(&end)?.0) < least {
                return Ok(None);
            }
        }
        mover.move_before(&end)?;
        Ok(Some(end.seq))
    }

    /// The time of the first command after a place, which is not before that of the last one.
    fn time_after(&self, place: &Mark) -> Result<Time, Fault> {
        let mut reader = Reader::open(&self.journal)?;
        let mut batch = Decoded::default();
        let mut time = None;
        let read = reader.replay(Some(place), place.seq + 1, |bytes| {
            batch.read(bytes)?;
            time = time.or(batch.commands().next().map(|(stamp, ..)| stamp.time));
            Ok(())
        });
        match read {
            Ok(_) => Ok(time.unwrap_or(Time(u64::MAX))),
            Err(ReplayError::Fault(fault)) => Err(Fault::Journal(fault)),
            Err(ReplayError::Refused(fault)) => Err(fault),
        }
    }
}
