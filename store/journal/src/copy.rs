//! A copy of a journal, made next to its writer.
//!
//! The copy ends where the durable history ended when its batches were begun, as if the process had been killed there.
//! It gets its identity last, once everything else is durable and was read back: without one, no program takes the
//! directory for a journal (J9). The writer is never locked out and never waits. Archived segments are not copied; their
//! record is, and no segment is moved to the archive meanwhile.

use buttonwood_disk::{Folder, Open, copy_start};

use crate::archive::{Shelves, write_record};
use crate::catalog;
use crate::fault::{Fault, ReplayError, io};
use crate::files;
use crate::mark::Mark;
use crate::reader::Reader;
use crate::replay_scan::{Goal, Start, run};
use crate::segment::Segment;
use crate::snapshot;
use crate::watermark::{Gauge, Watermark};
use crate::window::Window;

/// A copy in the making.
#[derive(Debug)]
pub struct Copy {
    reader: Reader,
    from: Folder,
    to: Folder,
}

impl Copy {
    /// Begins a copy of the journal `from` in the folder `to`, which is created and holds no journal yet.
    ///
    /// # Errors
    /// There is no journal; an error of the system.
    pub fn begin(from: impl Into<Folder>, to: impl Into<Folder>) -> Result<Self, Fault> {
        let (from, to) = (from.into(), to.into());
        let mut reader = Reader::open(&from)?;
        reader.hold()?;
        to.create().map_err(io("create the folder", to.path()))?;
        Ok(Self { reader, from, to })
    }

    /// Copies the good snapshots; returns the newest.
    ///
    /// # Errors
    /// A snapshot of a newer format or another journal; an error of the system.
    pub fn snapshots(&self) -> Result<Option<(Mark, Vec<u8>)>, Fault> {
        snapshot::copy(&self.from, &self.to, self.reader.id())
    }

    /// Copies every batch that is durable now; returns the place after the last. `after` is the mark of the newest
    /// snapshot that was copied.
    ///
    /// # Errors
    /// Damage, or an error of the system.
    pub fn batches(&mut self, after: Option<&Mark>) -> Result<Mark, Fault> {
        let end = self.reader.replay_durable(after, |_| Ok::<_, Fault>(())).map_err(flat)?;
        let shelves = Shelves { dir: self.from.clone(), id: self.reader.id(), archive: None };
        if let Some(archived) = shelves.archived()? {
            write_record(&self.to, shelves.id, &archived)?;
        }
        for number in shelves.first()?..=end.segment {
            self.segment(number, &end)?;
        }
        Gauge::open(&self.to, self.reader.id(), end.seq)?;
        // A verification locks this file.
        let lock = self.to.file(files::LOCK);
        self.to.open(&lock, Open::ReadWrite).map_err(io("create", &lock))?;
        files::sync_dir(&self.to)?;
        Ok(end)
    }

    /// Copies the batches of a segment that belong to the history. Its other bytes read as zeros, and take no space
    /// where the file system can leave them out.
    fn segment(&self, number: u64, end: &Mark) -> Result<(), Fault> {
        let id = self.reader.id();
        let here = Segment::open(&self.from, number, id, end.seq)?;
        let bytes = if number == end.segment {
            end.offset
        } else {
            Segment::open(&self.from, number + 1, id, end.seq)?.header.previous_end
        };
        let path = files::segment(&self.to, number);
        let copied = || {
            let copied = self.to.open(&path, Open::Truncate)?;
            copied.set_len(here.header.bytes)?;
            copy_start(&*here.file, &*copied, bytes)
        };
        copied().map_err(io("copy to", &path))
    }

    /// Reads every batch of the copy from its disk, and then makes it a journal.
    ///
    /// # Errors
    /// Damage, or an error of the system. The folder is no journal then.
    pub fn publish(self, end: &Mark) -> Result<(), Fault> {
        let id = self.reader.id();
        let shelves = Shelves { dir: self.to.clone(), id, archive: None };
        for number in shelves.first()?..=end.segment {
            let copied = shelves.open(number, end.seq)?;
            copied.file.distrust_cache().map_err(io("sync", &copied.path))?;
        }
        let watermark = Watermark { seq: end.seq, seen: self.to.file(files::WATERMARK) };
        let mut window = Window::default();
        let goal = Goal::End(&watermark);
        let begins = shelves.archived()?.map(|archived| archived.end());
        let start = begins.as_ref().map_or(Start::Genesis, Start::Mark);
        run(&shelves, &mut window, start, goal, |_| Ok::<_, Fault>(())).map_err(flat)?;
        catalog::publish(&self.to, id)
    }
}

fn flat(error: ReplayError<Fault>) -> Fault {
    match error {
        ReplayError::Fault(fault) | ReplayError::Refused(fault) => fault,
    }
}
