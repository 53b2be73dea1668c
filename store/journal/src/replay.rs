//! Reads the history back: one batch at a time, each fully verified.
//!
//! Rules: J3, J6, J7, J8, J9. Law: INV-JRN-1. A batch is valid if its place, sequence, epoch, chain and SHA-256 are
//! right. At the first invalid one, [`tail`] decides whether a crash tore it or it is damage.

use sha2::{Digest, Sha256};

use crate::buffer::MAX_BATCH_BYTES;
use crate::codec::{BLOCK, BLOCK_BYTES, blank, narrow, wide};
use crate::fault::{Fault, Flaw, ReplayError};
use crate::header::{BATCH_FRONT, BATCH_HEADER, BATCH_VERSION, BatchHeader, HASH, Unreadable};
use crate::mark::Mark;
use crate::segment::Segment;
use crate::watermark::Watermark;
use crate::window::Window;

/// Bytes of the length in front of a frame.
pub(crate) const FRAME_LEN: usize = 4;

/// One durable batch, verified.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    header: BatchHeader,
    body: &'a [u8],
    end: Mark,
}

impl<'a> Batch<'a> {
    /// Sequence of the first command.
    pub fn first_seq(&self) -> u64 {
        self.header.first_seq
    }

    /// Sequence of the last command.
    pub fn last_seq(&self) -> u64 {
        self.end.seq
    }

    /// Number of times the journal had been opened for writing when this batch was written.
    pub fn epoch(&self) -> u64 {
        self.header.epoch
    }

    /// Last sequence known to be acknowledged when this was written (J7).
    pub fn watermark(&self) -> u64 {
        self.header.watermark
    }

    /// The version of its format. The callers of format 1 computed fingerprints by another rule.
    pub fn version(&self) -> u32 {
        self.header.version
    }

    /// The writer's fingerprint of its state after this batch, 0 if it set none.
    pub fn fingerprint(&self) -> u64 {
        self.header.fingerprint
    }

    /// The frames in order, each with the sequence of its command.
    pub fn frames(&self) -> Frames<'a> {
        Frames { seq: self.header.first_seq, rest: self.body }
    }

    /// Byte offset of this batch in its segment.
    pub(crate) fn offset(&self) -> u64 {
        self.header.offset
    }

    /// The place after this batch.
    pub fn end(&self) -> Mark {
        self.end
    }
}

/// The frames of a [`Batch`].
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    seq: u64,
    rest: &'a [u8],
}

impl<'a> Iterator for Frames<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (len, rest) = self.rest.split_first_chunk::<FRAME_LEN>()?;
        let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
        let (frame, rest) = rest.split_at_checked(len)?;
        self.rest = rest;
        let seq = self.seq;
        self.seq += 1;
        Some((seq, frame))
    }
}

/// Bytes that a batch with this many bytes of frames takes in its segment: front, frames and padding.
pub(crate) fn padded(body_bytes: usize) -> usize {
    (BATCH_FRONT + body_bytes).next_multiple_of(BLOCK)
}

/// The chain value of a batch: the hash of its header, which holds the previous value, and its frames (J8).
pub(crate) fn digest(header: &[u8], body: &[u8]) -> [u8; HASH] {
    Sha256::new().chain_update(header).chain_update(body).finalize().into()
}

/// The position of a walk through the history.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    pub(crate) mark: Mark,
    pub(crate) epoch: u64,
}

/// The flaw at the cursor, and whether a crash alone can have caused it. A torn write never leaves an intact
/// header of a batch that does not belong there.
#[derive(Clone, Copy, Debug)]
struct Bad {
    flaw: Flaw,
    tearable: bool,
}

/// Why there is no batch at the cursor.
enum Miss {
    Bad(Bad),
    Fault(Fault),
}

impl From<Fault> for Miss {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

fn torn(flaw: Flaw) -> Miss {
    Miss::Bad(Bad { flaw, tearable: true })
}

fn wrong(flaw: Flaw) -> Miss {
    Miss::Bad(Bad { flaw, tearable: false })
}

/// The bytes after the last batch of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Edge<'a> {
    /// The next segment, whose header records the byte offset where the history in this one ends.
    Sealed(u64),
    /// The end of the history; it must not lie before this watermark (J7).
    Tail(&'a Watermark),
    /// A segment with an active writer; the walk ends before the part being written.
    Live,
}

/// Visits the batches of one segment from `cursor` on and moves `cursor` after the last one, to the segment's edge or
/// past sequence `until`. Returns the flaw of a torn tail, if the walk ended at one.
pub(crate) fn walk<E>(
    segment: &Segment,
    window: &mut Window,
    cursor: &mut Cursor,
    until: u64,
    edge: Edge<'_>,
    mut visit: impl FnMut(&Batch<'_>) -> Result<(), ReplayError<E>>,
) -> Result<Option<Flaw>, ReplayError<E>> {
    window.forget();
    while cursor.mark.seq < until {
        let Mark { seq, offset, .. } = cursor.mark;
        if matches!(edge, Edge::Sealed(end) if offset == end) {
            break;
        }
        match read(segment, window, cursor) {
            Ok(batch) => {
                if matches!(edge, Edge::Sealed(end) if batch.end.offset > end) {
                    return Err(segment.damaged(offset, seq + 1, Flaw::Length).into());
                }
                visit(&batch)?;
                *cursor = Cursor { mark: batch.end, epoch: batch.epoch() };
            }
            Err(Miss::Fault(fault)) => return Err(fault.into()),
            Err(Miss::Bad(bad)) => {
                return match edge {
                    Edge::Tail(watermark) => Ok(tail(segment, window, cursor, bad, watermark)?),
                    Edge::Sealed(_) | Edge::Live => Err(segment.damaged(offset, seq + 1, bad.flaw).into()),
                };
            }
        }
    }
    Ok(None)
}

/// Classifies a bad batch at the end of the last segment (J6): a torn tail, returned as its flaw; the clean end of
/// the history, returned as `None`; or damage.
fn tail(
    segment: &Segment,
    window: &mut Window,
    cursor: &Cursor,
    bad: Bad,
    watermark: &Watermark,
) -> Result<Option<Flaw>, Fault> {
    let Mark { seq, offset, .. } = cursor.mark;
    if !bad.tearable {
        return Err(segment.damaged(offset, seq + 1, bad.flaw));
    }
    if let Some(later) = later(segment, window, cursor)? {
        return Err(segment.damaged(offset, seq + 1, Flaw::Middle { offset: later }));
    }
    let clean = matches!(bad.flaw, Flaw::Blank | Flaw::Cut);
    if watermark.seq > seq && !clean {
        return Err(segment.damaged(offset, seq + 1, Flaw::Acknowledged { watermark: watermark.seq }));
    }
    Ok(if clean { None } else { Some(bad.flaw) })
}

/// Byte offset of the first intact batch header after the cursor, if any. Frames cannot contain a fake one, because
/// the journal's identity is secret.
fn later(segment: &Segment, window: &mut Window, cursor: &Cursor) -> Result<Option<u64>, Fault> {
    let mut offset = cursor.mark.offset;
    loop {
        offset += BLOCK_BYTES;
        let block = fetch(segment, window, cursor, offset, BLOCK)?;
        if block.is_empty() {
            return Ok(None);
        }
        match BatchHeader::decode(block, segment.header.id) {
            Err(Unreadable::Blank | Unreadable::Garbled) => {}
            Ok(_) | Err(Unreadable::Newer(_) | Unreadable::Foreign(_)) => return Ok(Some(offset)),
        }
    }
}

fn fetch<'w>(
    segment: &Segment,
    window: &'w mut Window,
    cursor: &Cursor,
    offset: u64,
    len: usize,
) -> Result<&'w [u8], Fault> {
    window.at(&*segment.file, offset, len).map_err(|source| Fault::Read {
        path: segment.path.clone(),
        offset,
        seq: cursor.mark.seq,
        source,
    })
}

/// Reads the batch at the cursor and verifies all of it.
fn read<'w>(segment: &Segment, window: &'w mut Window, cursor: &Cursor) -> Result<Batch<'w>, Miss> {
    let offset = cursor.mark.offset;
    let block = fetch(segment, window, cursor, offset, BLOCK)?;
    let header = expect_header(segment, cursor, block)?;
    let body_bytes = narrow(header.body_bytes.into());
    let bytes = fetch(segment, window, cursor, offset, padded(body_bytes))?;
    if bytes.len() < padded(body_bytes) {
        return Err(torn(Flaw::Cut));
    }
    let (front, rest) = bytes.split_at(BATCH_FRONT);
    let (head, stored) = front.split_at(BATCH_HEADER);
    let (body, padding) = rest.split_at(body_bytes);
    let chain = digest(head, body);
    if chain != stored {
        return Err(torn(Flaw::Content));
    }
    if !blank(padding) {
        return Err(torn(Flaw::Padding));
    }
    let end =
        Mark { seq: header.last_seq(), chain, segment: header.segment, offset: offset + wide(bytes.len()) };
    let batch = Batch { header, body, end };
    filled(&batch)?;
    Ok(batch)
}

/// Decodes the header in `block` and checks that it belongs at the cursor.
fn expect_header(segment: &Segment, cursor: &Cursor, block: &[u8]) -> Result<BatchHeader, Miss> {
    if block.len() < BLOCK {
        return Err(torn(Flaw::Cut));
    }
    let header = BatchHeader::decode(block, segment.header.id).map_err(|unreadable| match unreadable {
        // Zeros followed by other bytes are a header that was not written, not the end.
        Unreadable::Blank if blank(block) => torn(Flaw::Blank),
        Unreadable::Blank | Unreadable::Garbled => torn(Flaw::Header),
        Unreadable::Newer(found) => {
            Miss::Fault(Fault::Version { path: segment.path.clone(), found, supported: BATCH_VERSION })
        }
        Unreadable::Foreign(found) => {
            Miss::Fault(Fault::Foreign { path: segment.path.clone(), found, expected: segment.header.id })
        }
    })?;
    let place = Flaw::Place { segment: header.segment, offset: header.offset };
    let mark = &cursor.mark;
    if header.segment != segment.header.segment || header.offset != mark.offset {
        return Err(wrong(place));
    }
    let follows = header.first_seq == mark.seq + 1
        && header.epoch == segment.header.epoch
        && header.watermark < header.first_seq;
    if !follows {
        return Err(wrong(Flaw::Sequence { first: header.first_seq }));
    }
    if header.previous != mark.chain {
        return Err(wrong(Flaw::Chain));
    }
    // Check the bound before memory is allocated (J3).
    let body_bytes = narrow(header.body_bytes.into());
    if header.count == 0 || padded(body_bytes) > MAX_BATCH_BYTES {
        return Err(wrong(Flaw::Length));
    }
    Ok(header)
}

/// Checks that the number of frames matches the header and that they fill the body.
fn filled(batch: &Batch<'_>) -> Result<(), Miss> {
    let mut frames = batch.frames();
    let count = frames.by_ref().count();
    if wide(count) == u64::from(batch.header.count) && frames.rest.is_empty() {
        Ok(())
    } else {
        Err(wrong(Flaw::Frames))
    }
}
