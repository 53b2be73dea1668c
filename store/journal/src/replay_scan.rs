//! The scan of a replay across segments: the start, the step from one segment to the next, the end.
//!
//! Rules: J2 (the active segment is read past the page cache), J6, J7, J9. Law: INV-JRN-1.

use buttonwood_disk::Folder;

use crate::archive::Shelves;
use crate::codec::BLOCK_BYTES;
use crate::earlier;
use crate::fault::{Fault, Flaw, Note, ReplayError, io};
use crate::files;
use crate::mark::{JournalId, Mark};
use crate::replay::{Batch, Cursor, Edge, walk};
use crate::segment::Segment;
use crate::watermark::Watermark;
use crate::window::Window;

/// How far a replay goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal<'a> {
    /// To the end of the history. There is no writer, and the history must reach the watermark.
    End(&'a Watermark),
    /// Through the batch that holds this sequence, which is durable.
    Seq(u64),
}

/// Where a replay begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start<'a> {
    /// Before the first command.
    Genesis,
    /// After this mark. Its segment is verified from the beginning, which proves that the mark lies in it.
    Mark(&'a Mark),
    /// Where an earlier replay by this process ended.
    Proven(Cursor),
}

/// Where a replay ended.
#[derive(Clone, Debug)]
pub(crate) struct Finish {
    pub(crate) cursor: Cursor,
    /// Segments visited, including the first.
    pub(crate) segments: u64,
    /// Whether the last segment holds no batch.
    pub(crate) fresh: bool,
    pub(crate) torn: Option<Note>,
}

/// Visits every batch between `start` and `goal`.
pub(crate) fn run<E>(
    shelves: &Shelves,
    window: &mut Window,
    start: Start<'_>,
    goal: Goal<'_>,
    mut visit: impl FnMut(&Batch<'_>) -> Result<(), E>,
) -> Result<Finish, ReplayError<E>> {
    let dir = &shelves.dir;
    let last = last(dir, start)?;
    let mut skip = Skip::to(start);
    let Some((mut here, mut cursor)) = begin(shelves, last, start)? else {
        return nothing(dir, shelves.id, skip.target, goal);
    };
    if let (Start::Mark(mark), Goal::End(_)) = (start, goal) {
        earlier::check(shelves, mark)?;
    }
    skip.pass(&here, BLOCK_BYTES, &cursor.mark)?;

    let mut segments = 1;
    loop {
        let next = (Some(here.header.segment) < last)
            .then(|| shelves.open(here.header.segment + 1, cursor.mark.seq + 1))
            .transpose()?;
        let (until, edge) = bounds(&here, next.as_ref(), goal)?;
        let flaw = walk(&here, window, &mut cursor, until, edge, |batch| {
            if skip.over(&here, batch)? { Ok(()) } else { visit(batch).map_err(ReplayError::Refused) }
        })?;
        match next {
            Some(next) if cursor.mark.seq < until => {
                enter(&next, &mut cursor)?;
                here = next;
                segments += 1;
            }
            Some(_) | None => {
                skip.reached(dir, &cursor.mark)?;
                return finish(dir, &here, cursor, segments, flaw, goal);
            }
        }
    }
}

/// The number of the last segment. A reader that follows a writer needs it after every batch, so the search continues
/// from the reader's segment instead of listing a folder of thousands.
fn last(dir: &Folder, start: Start<'_>) -> Result<Option<u64>, Fault> {
    let Start::Proven(Cursor { mark: Mark { seq: 1.., segment, .. }, .. }) = start else {
        return Ok(files::segments(dir)?.pop());
    };
    let mut last = segment;
    while files::is_there(dir, &files::segment(dir, last + 1))? {
        last += 1;
    }
    Ok(Some(last))
}

/// Opens the first segment of the scan; `None` if the journal has none.
fn begin(shelves: &Shelves, last: Option<u64>, start: Start<'_>) -> Result<Option<(Segment, Cursor)>, Fault> {
    if last.is_none() {
        return Ok(None);
    }
    let (number, seq) = match start {
        Start::Mark(mark) if mark.seq > 0 => (mark.segment, mark.seq),
        Start::Proven(cursor) if cursor.mark.seq > 0 => (cursor.mark.segment, cursor.mark.seq),
        Start::Genesis | Start::Mark(_) | Start::Proven(_) => (1, 0),
    };
    let segment = shelves.open(number, seq + 1)?;
    if let Start::Proven(cursor) = start
        && seq > 0
    {
        return Ok(Some((segment, cursor)));
    }
    let header = segment.header;
    if number == 1 {
        earlier::begins(&segment, shelves.id)?;
    }
    let seq =
        header.first_seq.checked_sub(1).ok_or_else(|| segment.damaged(0, 1, Flaw::Sequence { first: 0 }))?;
    let mark = Mark { seq, chain: header.chain, segment: number, offset: BLOCK_BYTES };
    Ok(Some((segment, Cursor { mark, epoch: header.epoch })))
}

/// Accepts a journal without segments only if no command of it is known.
fn nothing<E>(
    dir: &Folder,
    id: JournalId,
    target: Option<Mark>,
    goal: Goal<'_>,
) -> Result<Finish, ReplayError<E>> {
    let sought = target.map_or(0, |mark| mark.seq).max(if let Goal::Seq(seq) = goal { seq } else { 0 });
    if let Goal::End(watermark) = goal {
        watermark.admits(0, dir)?;
    }
    if sought > 0 {
        let path = files::segment(dir, target.map_or(1, |mark| mark.segment));
        return Err(Fault::Damaged { path, offset: 0, seq: sought, flaw: Flaw::Missing }.into());
    }
    let cursor = Cursor { mark: Mark::genesis(id), epoch: 0 };
    Ok(Finish { cursor, segments: 0, fresh: false, torn: None })
}

/// How far to walk in `here`, and what follows its last batch.
fn bounds<'a>(here: &Segment, next: Option<&Segment>, goal: Goal<'a>) -> Result<(u64, Edge<'a>), Fault> {
    let until = if let Goal::Seq(seq) = goal { seq } else { u64::MAX };
    let edge = match (next, goal) {
        (Some(next), Goal::End(_) | Goal::Seq(_)) => Edge::Sealed(next.header.previous_end),
        (None, Goal::Seq(_)) => Edge::Live,
        (None, Goal::End(watermark)) => {
            here.file.distrust_cache().map_err(io("sync", &here.path))?;
            Edge::Tail(watermark)
        }
    };
    Ok((until, edge))
}

/// Steps into the next segment, which must continue at the cursor.
fn enter(next: &Segment, cursor: &mut Cursor) -> Result<(), Fault> {
    let header = &next.header;
    let seq = cursor.mark.seq;
    if header.first_seq != seq + 1 || header.epoch < cursor.epoch {
        return Err(next.damaged(0, seq + 1, Flaw::Sequence { first: header.first_seq }));
    }
    if header.chain != cursor.mark.chain {
        return Err(next.damaged(0, seq + 1, Flaw::Chain));
    }
    cursor.epoch = header.epoch;
    cursor.mark.segment = header.segment;
    cursor.mark.offset = BLOCK_BYTES;
    Ok(())
}

fn finish<E>(
    dir: &Folder,
    here: &Segment,
    cursor: Cursor,
    segments: u64,
    flaw: Option<Flaw>,
    goal: Goal<'_>,
) -> Result<Finish, ReplayError<E>> {
    let Mark { seq, offset, .. } = cursor.mark;
    match goal {
        Goal::End(watermark) => watermark.admits(seq, dir)?,
        Goal::Seq(sought) if seq < sought => return Err(here.damaged(offset, seq + 1, Flaw::Blank).into()),
        Goal::Seq(_) => {}
    }
    let torn = flaw.map(|flaw| Note::TornTail { path: here.path.clone(), offset, seq, flaw });
    Ok(Finish { cursor, segments, fresh: offset == BLOCK_BYTES, torn })
}

/// Skips the batches that the caller already has, and checks that its mark lies in this history.
struct Skip {
    target: Option<Mark>,
}

impl Skip {
    fn to(start: Start<'_>) -> Self {
        let target = match start {
            Start::Mark(mark) if mark.seq > 0 => Some(*mark),
            Start::Mark(_) | Start::Genesis | Start::Proven(_) => None,
        };
        Self { target }
    }

    /// Whether `batch` lies before the mark.
    fn over(&mut self, segment: &Segment, batch: &Batch<'_>) -> Result<bool, Fault> {
        let before = self.target.is_some();
        self.pass(segment, batch.offset(), &batch.end())?;
        Ok(before)
    }

    /// Records that the scan reached `place`. The scan must reach the mark exactly.
    fn pass(&mut self, segment: &Segment, offset: u64, place: &Mark) -> Result<(), Fault> {
        match self.target {
            Some(target)
                if place.seq > target.seq || (place.seq == target.seq && place.chain != target.chain) =>
            {
                Err(segment.damaged(offset, target.seq, Flaw::Chain))
            }
            Some(target) if place.seq == target.seq => {
                self.target = None;
                Ok(())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Checks that the history does not end before the mark.
    fn reached(&self, dir: &Folder, end: &Mark) -> Result<(), Fault> {
        match self.target {
            None => Ok(()),
            Some(mark) => Err(Fault::Behind {
                dir: dir.path().to_owned(),
                end: end.seq,
                watermark: mark.seq,
                seen: files::snapshot(dir, mark.seq),
            }),
        }
    }
}
