//! Reading next to a writer, without its lock: for snapshots, the scrub and `buttonwood verify`.

use std::convert::Infallible;

use buttonwood_disk::Folder;

use crate::archive::{Archived, Hold, Shelves};
use crate::catalog;
use crate::codec::BLOCK_BYTES;
use crate::earlier::{self, read_sealed};
use crate::fault::{Fault, Flaw, Note, ReplayError, io};
use crate::files;
use crate::header::SegmentHeader;
use crate::lock::Lock;
use crate::mark::{JournalId, Mark};
use crate::replay::{Batch, Cursor, Edge, walk};
use crate::replay_scan::{Finish, Goal, Start, run};
use crate::segment::Segment;
use crate::snapshot;
use crate::watermark::{self, Watermark};
use crate::window::Window;

/// The result of a scrub or a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Segment files read.
    pub segments: u64,
    /// Batches verified.
    pub batches: u64,
    /// Commands in them.
    pub commands: u64,
    /// Bytes of those batches, padding included.
    pub bytes: u64,
    /// The place after the last of them.
    pub end: Mark,
    /// Notes for the operator, such as a torn tail.
    pub notes: Vec<Note>,
}

/// A journal open for reading only.
#[derive(Debug)]
pub struct Reader {
    shelves: Shelves,
    window: Window,
    /// While it is there, no segment is moved to the archive.
    hold: Option<Hold>,
    /// Where the last replay ended; the next one may continue there without verifying its start again.
    proven: Option<Cursor>,
}

impl Reader {
    /// Opens an existing journal; no lock is taken.
    ///
    /// # Errors
    /// [`Fault::Damaged`] if there is no journal; an identity that cannot be read.
    pub fn open(dir: impl Into<Folder>) -> Result<Self, Fault> {
        let dir = dir.into();
        let id = catalog::identity(&dir)?.ok_or_else(|| Fault::Damaged {
            path: dir.file(files::IDENTITY),
            offset: 0,
            seq: 0,
            flaw: Flaw::Missing,
        })?;
        let shelves = Shelves { dir, id, archive: None };
        Ok(Self { shelves, window: Window::default(), hold: None, proven: None })
    }

    /// Names the folder in which archived segments are looked for.
    #[must_use]
    pub fn with_archive(mut self, archive: Option<Folder>) -> Self {
        self.shelves.archive = archive;
        self
    }

    /// Keeps a running exchange from moving segments to its archive for as long as this reader lives. Waits for a move in
    /// progress.
    ///
    /// # Errors
    /// An error of the system.
    pub fn hold(&mut self) -> Result<(), Fault> {
        self.hold = Hold::shared(&self.shelves.dir)?;
        Ok(())
    }

    /// Where the batches that can be read begin, if archived segments cannot be found: the record of those segments. `None`
    /// when the journal can be read from its first command.
    ///
    /// # Errors
    /// Damage of the archived segments' first blocks, a segment that is missing between others, or an error of the system.
    pub fn begins_after(&self) -> Result<Option<Archived>, Fault> {
        match earlier::check_archived(&self.shelves) {
            Ok(()) => Ok(None),
            Err(Fault::Archived { .. }) => {
                earlier::check_gaps(&self.shelves)?;
                self.shelves.archived()
            }
            Err(fault) => Err(fault),
        }
    }

    /// The journal's identity.
    pub fn id(&self) -> JournalId {
        self.shelves.id
    }

    /// Visits every batch after `from` (`None`: from the first) through the one that holds `until`, which must be
    /// durable. Later batches may be half written and are not read. Continuing from the mark of the last call costs
    /// nothing extra; any other mark costs reading its segment from the beginning.
    ///
    /// # Errors
    /// The visitor's error; damage; a history that ends before `until`. Some batches may have been visited before the
    /// error.
    pub fn replay<E>(
        &mut self,
        from: Option<&Mark>,
        until: u64,
        visit: impl FnMut(&Batch<'_>) -> Result<(), E>,
    ) -> Result<Mark, ReplayError<E>> {
        let start = match (from, self.proven.take()) {
            (None, _) => Start::Genesis,
            (Some(mark), Some(cursor)) if cursor.mark == *mark => Start::Proven(cursor),
            (Some(mark), _) => Start::Mark(mark),
        };
        let finish = run(
            &self.shelves,
            &mut self.window,
            start,
            Goal::Seq(until.max(from.map_or(0, |mark| mark.seq))),
            visit,
        )?;
        self.proven = Some(finish.cursor);
        Ok(finish.cursor.mark)
    }

    /// Visits every durable batch after `from` (`None`: from the first). Next to a writer these are the batches up to the
    /// watermark seen at the start of the call. Otherwise writers are locked out, and the tail is judged like a recovery,
    /// without changing anything.
    ///
    /// # Errors
    /// As [`Reader::replay`].
    pub fn replay_durable<E>(
        &mut self,
        from: Option<&Mark>,
        visit: impl FnMut(&Batch<'_>) -> Result<(), E>,
    ) -> Result<Mark, ReplayError<E>> {
        let still = Lock::shared(&self.shelves.dir)?;
        let mut watermark = watermark::read(&self.shelves.dir, self.shelves.id)?;
        snapshot::raise(&self.shelves.dir, self.shelves.id, &mut watermark)?;
        let goal = match goal(still.as_ref(), &watermark) {
            Goal::Seq(seq) => Goal::Seq(seq.max(from.map_or(0, |mark| mark.seq))),
            end @ Goal::End(_) => end,
        };
        let start = from.map_or(Start::Genesis, Start::Mark);
        let finish = run(&self.shelves, &mut self.window, start, goal, visit)?;
        Ok(finish.cursor.mark)
    }

    /// Visits the batches of the segment that holds `seq`, which must be durable: from its first batch through the one with
    /// `seq`. The journal before this segment is not read.
    ///
    /// # Errors
    /// Damage; a journal that ends before `seq`; a segment that is not there.
    pub fn visit_segment(&mut self, seq: u64, mut visit: impl FnMut(&Batch<'_>)) -> Result<(), Fault> {
        let here = self.segment_of(seq)?;
        let SegmentHeader { segment, first_seq, chain, epoch, .. } = here.header;
        let mark = Mark { seq: first_seq.saturating_sub(1), chain, segment, offset: BLOCK_BYTES };
        let mut cursor = Cursor { mark, epoch };
        let walked = walk::<Infallible>(&here, &mut self.window, &mut cursor, seq, Edge::Live, |batch| {
            visit(batch);
            Ok(())
        });
        walked.map_err(fault)?;
        Ok(())
    }

    /// The last segment that begins at `seq` or before.
    fn segment_of(&self, seq: u64) -> Result<Segment, Fault> {
        let archived = self
            .shelves
            .archived()?
            .map_or(0, |archived| if seq <= archived.seq { archived.segment } else { 0 });
        let numbers =
            if archived > 0 { (1..=archived).collect() } else { files::segments(&self.shelves.dir)? };
        let mut found = None;
        let (mut low, mut high) = (0, numbers.len());
        while low < high {
            let middle = low.midpoint(high);
            let Some(number) = numbers.get(middle) else { break };
            let segment = self.shelves.open(*number, seq)?;
            if segment.header.first_seq <= seq {
                (low, found) = (middle + 1, Some(segment));
            } else {
                high = middle;
            }
        }
        found.ok_or_else(|| Fault::Damaged {
            path: files::segment(&self.shelves.dir, 1),
            offset: 0,
            seq,
            flaw: Flaw::Missing,
        })
    }

    /// The numbers of the sealed segments, ascending: all but the last, which is being written.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn sealed(&self) -> Result<Vec<u64>, Fault> {
        let mut numbers = files::segments(&self.shelves.dir)?;
        numbers.pop();
        Ok(numbers)
    }

    /// Verifies one sealed segment from the disk, past the page cache (J13).
    ///
    /// # Errors
    /// Damage, or an error of the system; [`Fault`] distinguishes them.
    pub fn scrub(&mut self, segment: u64) -> Result<Checked, Fault> {
        let here = self.shelves.open(segment, 0)?;
        let first = here.header.first_seq;
        let next = self.shelves.open(segment + 1, first)?;
        here.file.distrust_cache().map_err(io("sync", &here.path))?;
        let mut count = Count::default();
        let end = read_sealed(&here, &next, &mut self.window, |batch| count.add(batch))?;
        Ok(count.checked(1, end, Vec::new()))
    }

    /// Verifies the whole journal, or what follows archived segments that cannot be found. Next to a writer, it reads up to the watermark seen at its start. Otherwise it
    /// locks writers out and judges the tail like a recovery, without changing anything.
    ///
    /// # Errors
    /// The first damage, or an error of the system.
    pub fn verify(&mut self) -> Result<Checked, Fault> {
        let still = Lock::shared(&self.shelves.dir)?;
        let mut watermark = watermark::read(&self.shelves.dir, self.shelves.id)?;
        snapshot::raise(&self.shelves.dir, self.shelves.id, &mut watermark)?;
        let goal = goal(still.as_ref(), &watermark);
        let mut count = Count::default();
        let begins = self.begins_after()?.map(|archived| archived.end());
        let start = begins.as_ref().map_or(Start::Genesis, Start::Mark);
        let finish = run::<Infallible>(&self.shelves, &mut self.window, start, goal, |batch| {
            count.add(batch);
            Ok(())
        });
        let Finish { cursor, segments, torn, .. } = finish.map_err(fault)?;
        Ok(count.checked(segments, cursor.mark, torn.into_iter().collect()))
    }
}

fn goal<'a>(still: Option<&Lock>, watermark: &'a Watermark) -> Goal<'a> {
    if still.is_some() { Goal::End(watermark) } else { Goal::Seq(watermark.seq) }
}

fn fault(error: ReplayError<Infallible>) -> Fault {
    match error {
        ReplayError::Fault(fault) => fault,
        ReplayError::Refused(never) => match never {},
    }
}

#[derive(Default)]
struct Count {
    batches: u64,
    commands: u64,
    bytes: u64,
}

impl Count {
    fn add(&mut self, batch: &Batch<'_>) {
        self.batches += 1;
        self.commands += batch.last_seq() - batch.first_seq() + 1;
        self.bytes += batch.end().offset - batch.offset();
    }

    fn checked(self, segments: u64, end: Mark, notes: Vec<Note>) -> Checked {
        let Self { batches, commands, bytes } = self;
        Checked { segments, batches, commands, bytes, end, notes }
    }
}
