//! An opened journal directory: it is recovered first and written to afterwards.

use std::path::Path;

use buttonwood_disk::Folder;

use crate::archive::Shelves;
use crate::catalog;
use crate::earlier;
use crate::fault::{Fault, Note, ReplayError, io};
use crate::lock::Lock;
use crate::mark::{JournalId, Mark};
use crate::replay::Batch;
use crate::replay_scan::{Finish, Goal, Start, run};
use crate::snapshot;
use crate::watermark::{self, Watermark};
use crate::window::Window;
use crate::writer::{Beginning, Writer};

/// How much disk space a journal prepares at a time. This does not limit the size of the journal. Segments are zeroed
/// in pieces with pauses, since the syncs share the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of the first segment after an opening, and of one that was not prepared in time. Small, since a start or
    /// the writer waits for it.
    pub first_segment_bytes: u64,
    /// Most bytes of a segment prepared in the background; the first ones are smaller.
    pub segment_bytes: u64,
    /// Bytes reserved for cancels on a full disk (J11); 0 for none.
    pub ballast_bytes: u64,
}

impl Default for Options {
    /// 1 MiB, 64 MiB and 64 MiB.
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self { first_segment_bytes: MIB, segment_bytes: 64 * MIB, ballast_bytes: 64 * MIB }
    }
}

/// An opened, exclusively locked journal directory, not yet written to.
#[derive(Debug)]
pub struct Journal {
    shelves: Shelves,
    options: Options,
    lock: Lock,
    watermark: Watermark,
    notes: Vec<Note>,
    window: Window,
    recovered: Option<Finish>,
}

impl Journal {
    /// Opens `dir`, creates it if absent, and removes the unfinished files of an interrupted run.
    ///
    /// # Errors
    /// [`Fault::Locked`] for a second process (J12); a damaged identity or watermark; a file of another journal or of a
    /// newer format (J9); any error of the system.
    pub fn open(dir: impl Into<Folder>, options: Options) -> Result<Self, Fault> {
        let dir = dir.into();
        dir.create().map_err(io("create the journal directory", dir.path()))?;
        let lock = Lock::exclusive(&dir)?;
        let id = match catalog::identity(&dir)? {
            Some(id) => id,
            None => catalog::found(&dir)?,
        };
        let notes = catalog::sweep(&dir)?;
        let mut watermark = watermark::read(&dir, id)?;
        snapshot::raise(&dir, id, &mut watermark)?;
        let shelves = Shelves { dir, id, archive: None };
        Ok(Self { shelves, options, lock, watermark, notes, window: Window::default(), recovered: None })
    }

    /// Names the folder in which archived segments are looked for.
    #[must_use]
    pub fn with_archive(mut self, archive: Option<Folder>) -> Self {
        self.shelves.archive = archive;
        self
    }

    /// Checks that the journal can be read from its first command: archived segments can be found.
    ///
    /// # Errors
    /// [`Fault::Archived`] if they cannot; damage of their first blocks; an error of the system.
    pub fn check_archived(&self) -> Result<(), Fault> {
        earlier::check_archived(&self.shelves)
    }

    /// The journal's identity.
    pub fn id(&self) -> JournalId {
        self.shelves.id
    }

    /// Sets a sequence that another source, such as a read model, knows to have been acknowledged. A history that
    /// ends before it is refused (J7). `seen` names the source in the fault.
    pub fn expect_at_least(&mut self, seq: u64, seen: &Path) {
        self.watermark.raise(seq, seen);
    }

    /// Visits every durable batch after `from` in order (`None`: from the first). The visitor may refuse a batch.
    /// Returns the end of the history.
    ///
    /// # Errors
    /// Damage, a foreign or newer file, or a history that lacks an acknowledged batch (J6, J7, J9). Some batches may
    /// have been visited before the error; the caller must drop their effects.
    pub fn replay<E>(
        &mut self,
        from: Option<&Mark>,
        visit: impl FnMut(&Batch<'_>) -> Result<(), E>,
    ) -> Result<Mark, ReplayError<E>> {
        self.recovered = None;
        let start = from.map_or(Start::Genesis, Start::Mark);
        let goal = Goal::End(&self.watermark);
        let finish = run(&self.shelves, &mut self.window, start, goal, visit)?;
        self.notes.extend(finish.torn.clone().filter(|note| !self.notes.contains(note)));
        let end = finish.cursor.mark;
        self.recovered = Some(finish);
        Ok(end)
    }

    /// Rereads the segments before that of `mark`, the latest first, until it has read `bytes`. A start from a
    /// snapshot does not need them, but finds damage there early this way.
    ///
    /// # Errors
    /// Damage, or an error of the system.
    pub fn check_before(&mut self, mark: &Mark, bytes: u64) -> Result<(), Fault> {
        earlier::read(&self.shelves, &mut self.window, mark, bytes)
    }

    /// Notes of the recovery for the operator: torn tails, leftovers.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Seals the recovered history and makes the writer, in a new segment with a higher epoch (J2, J12). A background
    /// thread prepares the segments after it.
    ///
    /// # Errors
    /// An error of the system for a file or a thread.
    ///
    /// # Panics
    /// If no replay has reached the end.
    pub fn into_writer(self) -> Result<Writer, Fault> {
        let mut writer = self.into_stepped_writer()?;
        writer.start_preparing()?;
        Ok(writer)
    }

    /// Like [`Journal::into_writer`], but without the thread: the caller calls [`Writer::prepare`] instead.
    ///
    /// # Errors
    /// Those of [`Journal::into_writer`].
    ///
    /// # Panics
    /// If no replay has reached the end.
    pub fn into_stepped_writer(self) -> Result<Writer, Fault> {
        let Finish { cursor, fresh, .. } =
            self.recovered.expect("a journal is replayed before it is written to");
        self.lock.sign();
        let Mark { seq, segment, offset, .. } = cursor.mark;
        // A segment without a batch is replaced, so that a crash loop does not fill the disk.
        let previous_end =
            if fresh { self.shelves.open(segment, seq + 1)?.header.previous_end } else { offset };
        Writer::begin(Beginning {
            dir: self.shelves.dir,
            options: self.options,
            id: self.shelves.id,
            epoch: cursor.epoch + 1,
            end: cursor.mark,
            replace: fresh,
            previous_end,
            lock: self.lock,
        })
    }
}
