//! An opened journal directory: recovered first, written to only afterwards.

use std::path::Path;

use buttonwood_disk::Folder;

use crate::catalog;
use crate::replay_scan::{Finish, Goal, Start, run};
use crate::earlier;
use crate::fault::{Fault, Note, ReplayError, io};
use crate::lock::Lock;
use crate::mark::{JournalId, Mark};
use crate::replay::Batch;
use crate::segment::Segment;
use crate::snapshot;
use crate::watermark::{self, Watermark};
use crate::window::Window;
use crate::writer::{Beginning, Writer};

/// How much disk a journal prepares at a time. None of it limits what it can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of the first segment after an opening, and of one made in haste; small, since a start waits for it.
    pub first_segment_bytes: u64,
    /// Bytes of a segment that is prepared in the background, at most: the first ones are smaller.
    pub segment_bytes: u64,
    /// Bytes kept back for cancels on a full disk (J11); 0 for none.
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
    dir: Folder,
    options: Options,
    id: JournalId,
    lock: Lock,
    watermark: Watermark,
    notes: Vec<Note>,
    window: Window,
    recovered: Option<Finish>,
}

impl Journal {
    /// Opens `dir`, creating it if absent, and sweeps away what an interrupted run left unfinished.
    ///
    /// # Errors
    /// [`Fault::Locked`] for a second process (J12); an identity or a watermark that is damaged; a file of another journal
    /// or of a newer format (J9); whatever the system refuses.
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
        Ok(Self { dir, options, id, lock, watermark, notes, window: Window::default(), recovered: None })
    }

    /// Who this journal is.
    pub fn id(&self) -> JournalId {
        self.id
    }

    /// Tells of a sequence that somebody else knows to have been acknowledged, say a read model or a standby:
    /// a history that ends before it is refused (J7). `seen` names them in the fault.
    pub fn expect_at_least(&mut self, seq: u64, seen: &Path) {
        self.watermark.raise(seq, seen);
    }

    /// Visits every durable batch after `from` in order (`None`: from the first); the visitor may refuse.
    /// Returns the end of the history.
    ///
    /// # Errors
    /// Damage, a foreign or newer file, or a history that lacks something acknowledged (J6, J7, J9). Some batches
    /// may have been visited by then; their effects must be dropped.
    pub fn replay<E>(
        &mut self,
        from: Option<&Mark>,
        visit: impl FnMut(&Batch<'_>) -> Result<(), E>,
    ) -> Result<Mark, ReplayError<E>> {
        self.recovered = None;
        let start = from.map_or(Start::Genesis, Start::Mark);
        let goal = Goal::End(&self.watermark);
        let finish = run(&self.dir, self.id, &mut self.window, start, goal, visit)?;
        self.notes.extend(finish.torn.clone().filter(|note| !self.notes.contains(note)));
        let end = finish.cursor.mark;
        self.recovered = Some(finish);
        Ok(end)
    }

    /// Reads again what lies in the segments before that of `mark`, the latest first, until it has read `bytes`: a start that
    /// has a snapshot has no other use for them, and yet damage there is better told early than late.
    ///
    /// # Errors
    /// Damage, or what the system refuses.
    pub fn check_before(&mut self, mark: &Mark, bytes: u64) -> Result<(), Fault> {
        earlier::read(&self.dir, self.id, &mut self.window, mark, bytes)
    }

    /// What recovery met that an operator should know: torn tails, leftovers.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Seals what was recovered and makes the writer, in a new segment with a higher epoch (J2, J12). A thread of its
    /// own prepares the segments after it.
    ///
    /// # Errors
    /// What the system refuses, a file or a thread.
    ///
    /// # Panics
    /// If no replay reached the end before.
    pub fn into_writer(self) -> Result<Writer, Fault> {
        let mut writer = self.into_stepped_writer()?;
        writer.start_preparing()?;
        Ok(writer)
    }

    /// As [`Journal::into_writer`], without the thread: whoever runs everything in one calls [`Writer::prepare`].
    ///
    /// # Errors
    /// As [`Journal::into_writer`].
    ///
    /// # Panics
    /// If no replay reached the end before.
    pub fn into_stepped_writer(self) -> Result<Writer, Fault> {
        let Finish { cursor, fresh, .. } =
            self.recovered.expect("a journal is replayed before it is written to");
        self.lock.sign();
        let Mark { seq, segment, offset, .. } = cursor.mark;
        // A segment without a batch is replaced, so that a crash loop does not fill the disk.
        let previous_end = if fresh {
            Segment::open(&self.dir, segment, self.id, seq + 1)?.header.previous_end
        } else {
            offset
        };
        Writer::begin(Beginning {
            dir: self.dir,
            options: self.options,
            id: self.id,
            epoch: cursor.epoch + 1,
            end: cursor.mark,
            replace: fresh,
            previous_end,
            lock: self.lock,
        })
    }
}
