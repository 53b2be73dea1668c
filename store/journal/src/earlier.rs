//! The segments before the one where a start begins. The state can be restored without them, but the journal is
//! complete only with them: `verify`, and rebuilding a lost read model, go back to the first command.
//!
//! Rules: J6, J9, J13. The first block of every segment is checked. Batches are read back to a limit of bytes, so
//! that a start stays short.

use std::cmp::Ordering;
use std::convert::Infallible;

use crate::archive::Shelves;
use crate::codec::BLOCK_BYTES;
use crate::fault::{Fault, Flaw, ReplayError};
use crate::files;
use crate::header::SegmentHeader;
use crate::mark::{JournalId, Mark};
use crate::replay::{Batch, Cursor, Edge, walk};
use crate::segment::Segment;
use crate::window::Window;

/// Checks that every segment up to that of `mark` exists, has its full length, and continues the one before it. Archived
/// segments are not looked for: a start does without them.
///
/// # Errors
/// The first damage found.
pub(crate) fn check(shelves: &Shelves, mark: &Mark) -> Result<(), Fault> {
    check_between(shelves, shelves.first()?, mark.segment)
}

/// Checks the same of the archived segments, so that the journal can be read from its first command.
///
/// # Errors
/// [`Fault::Archived`] if they cannot be found; the first damage found.
pub(crate) fn check_archived(shelves: &Shelves) -> Result<(), Fault> {
    match shelves.archived()? {
        Some(archived) => check_between(shelves, 1, archived.segment + 1),
        None => Ok(()),
    }
}

/// Checks that no archived segment is missing between others: then it is lost, whereas an archive that begins late, or that is
/// nowhere, may lie elsewhere.
///
/// # Errors
/// [`Fault::Damaged`], which names the file.
pub(crate) fn check_gaps(shelves: &Shelves) -> Result<(), Fault> {
    let (Some(archive), Some(archived)) = (&shelves.archive, shelves.archived()?) else { return Ok(()) };
    let mut before = None;
    for number in archived.first_kept()..=archived.segment {
        let path = files::segment(archive, number);
        let is_here = files::is_there(&shelves.dir, &files::segment(&shelves.dir, number))?;
        if is_here || files::is_there(archive, &path)? {
            before = Some(number);
        } else if let Some(before) = before {
            let seq = shelves.open(before, 0)?.header.first_seq;
            return Err(Fault::Damaged { path, offset: 0, seq, flaw: Flaw::Missing });
        }
    }
    Ok(())
}

fn check_between(shelves: &Shelves, first: u64, last: u64) -> Result<(), Fault> {
    let archived = shelves.archived()?;
    let mut before: Option<Segment> = None;
    for number in first..=last {
        let seq = before.as_ref().map_or(1, |before| before.header.first_seq);
        let segment = shelves.open(number, seq)?;
        if let Some(before) = &before {
            follows(&segment, before)?;
        }
        if number == 1 {
            begins(&segment, shelves.id)?;
        }
        if let Some(end) = archived.map(|archived| archived.end()).filter(|end| end.segment == number)
            && (segment.header.first_seq, segment.header.chain) != (end.seq + 1, end.chain)
        {
            return Err(segment.damaged(0, end.seq + 1, Flaw::Chain));
        }
        before = Some(segment);
    }
    Ok(())
}

/// Checks that the first segment begins with the first command.
pub(crate) fn begins(segment: &Segment, id: JournalId) -> Result<(), Fault> {
    let header = &segment.header;
    if header.first_seq == 1 && header.chain == id.genesis() {
        return Ok(());
    }
    Err(segment.damaged(0, 1, Flaw::Chain))
}

/// Checks that a segment begins where the one before it ends. If the one before holds no batch, because it was too
/// small for the first one, both begin with the same sequence.
fn follows(segment: &Segment, before: &Segment) -> Result<(), Fault> {
    let header = &segment.header;
    let before = &before.header;
    if !(BLOCK_BYTES..=before.bytes).contains(&header.previous_end) {
        return Err(segment.damaged(0, header.first_seq, Flaw::Length));
    }
    let is_empty = header.previous_end == BLOCK_BYTES;
    let expected = if is_empty { Ordering::Equal } else { Ordering::Greater };
    if header.first_seq.cmp(&before.first_seq) != expected || header.epoch < before.epoch {
        let flaw = Flaw::Sequence { first: header.first_seq };
        return Err(segment.damaged(0, before.first_seq, flaw));
    }
    Ok(())
}

/// Reads the segments before that of `mark`, the latest first, until `bytes` or more are read. Archived ones are left out.
///
/// # Errors
/// The first damage found.
pub(crate) fn read(shelves: &Shelves, window: &mut Window, mark: &Mark, bytes: u64) -> Result<(), Fault> {
    let first = shelves.first()?;
    let mut next = shelves.open(mark.segment, mark.seq)?;
    let mut left = bytes;
    while next.header.segment > first && left > 0 {
        left = left.saturating_sub(next.header.previous_end);
        let here = shelves.open(next.header.segment - 1, next.header.first_seq)?;
        read_sealed(&here, &next, window, |_| ())?;
        next = here;
    }
    Ok(())
}

/// Visits every batch of a sealed segment; returns the place after the last one.
pub(crate) fn read_sealed(
    here: &Segment,
    next: &Segment,
    window: &mut Window,
    mut visit: impl FnMut(&Batch<'_>),
) -> Result<Mark, Fault> {
    let SegmentHeader { segment, first_seq, chain, epoch, .. } = here.header;
    let mark = Mark { seq: first_seq.saturating_sub(1), chain, segment, offset: BLOCK_BYTES };
    let mut cursor = Cursor { mark, epoch };
    let edge = Edge::Sealed(next.header.previous_end);
    let walked = walk::<Infallible>(here, window, &mut cursor, u64::MAX, edge, |batch| {
        visit(batch);
        Ok(())
    });
    walked.map_err(|error| match error {
        ReplayError::Fault(fault) => fault,
        ReplayError::Refused(never) => match never {},
    })?;
    if (next.header.first_seq, next.header.chain) != (cursor.mark.seq + 1, cursor.mark.chain) {
        return Err(next.damaged(0, cursor.mark.seq + 1, Flaw::Chain));
    }
    Ok(cursor.mark)
}
