//! Moves old segments of the journal to the archive, while the exchange runs (rule J15).

use crate::Fault;
use crate::recovery::JOURNAL_DIR;
use crate::recovery::read_ahead::Decoded;
use buttonwood_disk::Folder;
use buttonwood_journal::{Mark, Mover, Reader, ReplayError};
use buttonwood_model::Time;

const DAY: u64 = 24 * 60 * 60 * Time::SECOND;

/// The archive of a journal.
#[derive(Clone, Debug)]
pub struct Archive {
    /// Where segments are moved to, and looked for.
    pub folder: Folder,
    /// The least age in days of the segments to move; `None` to move none.
    pub days: Option<u32>,
}

/// Moves what may be moved, oldest first.
#[derive(Debug)]
pub(crate) struct Archiver {
    journal: Folder,
    archive: Option<Archive>,
}

impl Archiver {
    pub(crate) fn new(dir: &Folder, archive: Option<Archive>) -> Self {
        Self { journal: dir.folder(JOURNAL_DIR), archive }
    }

    /// Moves every segment that is old enough at `now`. A failure is reported to the operator, and tried again later; the
    /// journal is complete in between.
    pub(crate) fn run(&self, now: Time) {
        loop {
            match self.step(now) {
                Ok(Some(seq)) => tracing::info!(seq, "journal archived up to a command"),
                Ok(None) => return,
                Err(fault) => return tracing::error!(%fault, "the journal cannot be archived now"),
            }
        }
    }

    /// Moves the oldest segment, if it is old enough; the last archived command.
    pub(crate) fn step(&self, now: Time) -> Result<Option<u64>, Fault> {
        let Some((archive, days)) = self.archive.as_ref().and_then(|archive| Some((archive, archive.days?)))
        else {
            return Ok(None);
        };
        let Some(mut mover) = Mover::open(&self.journal, &archive.folder)? else { return Ok(None) };
        let Some(end) = mover.next()? else { return Ok(None) };
        let least = u64::from(days) * DAY;
        if least > 0 && now.0.saturating_sub(self.time_after(&end)?.0) < least {
            return Ok(None);
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
