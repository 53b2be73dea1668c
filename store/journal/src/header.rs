//! The two headers of a segment file: its first block, and the front of every batch.
//!
//! Rules: J3 (lengths, sequence, epoch, chain, CRC), J7 (watermark), J8 (one checksum over all, Q-020), J9 (place, identity).

use crate::codec::{BLOCK, Put, Take, blank, intact, seal};
use crate::mark::JournalId;

/// The newest format of all files but batches that this program reads; the one it writes.
pub(crate) const VERSION: u32 = 1;

/// The newest format of batches that this program reads; the one it writes. Format 2 has the fields of format 1; the caller computes
/// the fingerprint by another rule (DESIGN Q-555).
pub(crate) const BATCH_VERSION: u32 = 2;

/// Bytes of a batch header, its CRC included.
pub(crate) const BATCH_HEADER: usize = 128;

/// Bytes of the SHA-256 between a batch's header and its frames.
pub(crate) const HASH: usize = 32;

/// Bytes in front of a batch's frames.
pub(crate) const BATCH_FRONT: usize = BATCH_HEADER + HASH;

const SEGMENT_MAGIC: [u8; 8] = *b"BWSEGMT\n";
const BATCH_MAGIC: [u8; 8] = *b"BWBATCH\n";

/// Why bytes cannot be read as a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// Nothing was written here.
    Blank,
    /// Not a header, or one that no longer matches its CRC.
    Garbled,
    /// An intact header of a later format.
    Newer(u32),
    /// An intact header of another journal.
    Foreign(JournalId),
}

/// The first block of a segment. It is durable before the file gets its name, so it can never be torn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentHeader {
    pub(crate) id: JournalId,
    /// The file's own number (J9).
    pub(crate) segment: u64,
    /// Counts the openings of this journal for writing (J12).
    pub(crate) epoch: u64,
    /// Sequence that the first batch of this segment begins with.
    pub(crate) first_seq: u64,
    /// Byte offset at which the history in the previous segment ends. Bytes after it were never acknowledged. Without
    /// this field, a torn tail could not be distinguished from damage later (J6).
    pub(crate) previous_end: u64,
    /// Chain value at the start of this segment.
    pub(crate) chain: [u8; 32],
    /// Bytes of the file, all synced before the file got its name. A shorter file was cut; without this field, the
    /// loss of its last batches would go unnoticed.
    pub(crate) bytes: u64,
}

impl SegmentHeader {
    pub(crate) fn encode(&self) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        Put::new(&mut block)
            .bytes(&SEGMENT_MAGIC)
            .u32(VERSION)
            .bytes(&self.id.0)
            .u64(self.segment)
            .u64(self.epoch)
            .u64(self.first_seq)
            .u64(self.previous_end)
            .bytes(&self.chain)
            .u64(self.bytes);
        seal(&mut block);
        block
    }

    /// Reads the first block of a file that claims to belong to journal `id`.
    pub(crate) fn decode(block: &[u8], id: JournalId) -> Result<Self, Unreadable> {
        let mut fields = opened(block, SEGMENT_MAGIC, id)?;
        let mut read = || {
            Some(Self {
                id,
                segment: fields.u64()?,
                epoch: fields.u64()?,
                first_seq: fields.u64()?,
                previous_end: fields.u64()?,
                chain: fields.bytes()?,
                bytes: fields.u64()?,
            })
        };
        read().ok_or(Unreadable::Garbled)
    }
}

/// The front of one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchHeader {
    /// The format of the batch.
    pub(crate) version: u32,
    pub(crate) id: JournalId,
    /// Number of the segment this batch was written to (J9).
    pub(crate) segment: u64,
    /// Byte offset it was written at (J9).
    pub(crate) offset: u64,
    pub(crate) epoch: u64,
    pub(crate) first_seq: u64,
    /// Frames in the batch, at least one; their sequences are contiguous (INV-JRN-1).
    pub(crate) count: u32,
    /// Bytes of all frames with their lengths, without padding.
    pub(crate) body_bytes: u32,
    /// Last sequence known to be acknowledged when this batch was written (J7).
    pub(crate) watermark: u64,
    /// The caller's fingerprint of its state after this batch.
    pub(crate) fingerprint: u64,
    /// Chain value before this batch.
    pub(crate) previous: [u8; 32],
}

impl BatchHeader {
    pub(crate) fn last_seq(&self) -> u64 {
        self.first_seq + u64::from(self.count) - 1
    }

    pub(crate) fn encode(&self, front: &mut [u8]) {
        Put::new(front)
            .bytes(&BATCH_MAGIC)
            .u32(self.version)
            .bytes(&self.id.0)
            .u64(self.segment)
            .u64(self.offset)
            .u64(self.epoch)
            .u64(self.first_seq)
            .u32(self.count)
            .u32(self.body_bytes)
            .u64(self.watermark)
            .u64(self.fingerprint)
            .bytes(&self.previous);
        seal(front);
    }

    /// Reads a batch header at the start of `block`. Anything that is not intact is [`Unreadable::Garbled`].
    pub(crate) fn decode(block: &[u8], id: JournalId) -> Result<Self, Unreadable> {
        let header = block.get(..BATCH_HEADER).ok_or(Unreadable::Garbled)?;
        let (version, mut fields) = opened_to(header, BATCH_MAGIC, id, BATCH_VERSION)?;
        let mut read = || {
            Some(Self {
                version,
                id,
                segment: fields.u64()?,
                offset: fields.u64()?,
                epoch: fields.u64()?,
                first_seq: fields.u64()?,
                count: fields.u32()?,
                body_bytes: fields.u32()?,
                watermark: fields.u64()?,
                fingerprint: fields.u64()?,
                previous: fields.bytes()?,
            })
        };
        read().ok_or(Unreadable::Garbled)
    }
}

/// Checks magic, CRC, version and identity of a sealed block, and returns the fields after them. The CRC is checked
/// before the version: only an intact block may claim to be newer.
pub(crate) fn opened(block: &[u8], magic: [u8; 8], id: JournalId) -> Result<Take<'_>, Unreadable> {
    opened_to(block, magic, id, VERSION).map(|(_, fields)| fields)
}

/// As [`opened`], for a block of any version up to the newest; returns its version too.
fn opened_to(
    block: &[u8],
    magic: [u8; 8],
    id: JournalId,
    newest: u32,
) -> Result<(u32, Take<'_>), Unreadable> {
    let mut fields = Take::new(block);
    if fields.bytes() != Some(magic) {
        return Err(if blank(block) { Unreadable::Blank } else { Unreadable::Garbled });
    }
    if !intact(block) {
        return Err(Unreadable::Garbled);
    }
    let version = fields.u32().ok_or(Unreadable::Garbled)?;
    if version > newest {
        return Err(Unreadable::Newer(version));
    }
    let found = JournalId(fields.bytes().ok_or(Unreadable::Garbled)?);
    if found != id {
        return Err(Unreadable::Foreign(found));
    }
    Ok((version, fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Earlier batches are read with their version, and later ones are refused by it.
    #[test]
    fn a_batch_says_its_version() {
        let id = JournalId([7; 16]);
        let read = |version| {
            let header = BatchHeader {
                version,
                id,
                segment: 1,
                offset: 4096,
                epoch: 1,
                first_seq: 1,
                count: 1,
                body_bytes: 9,
                watermark: 0,
                fingerprint: 3,
                previous: [1; 32],
            };
            let mut front = [0; BATCH_HEADER];
            header.encode(&mut front);
            BatchHeader::decode(&front, id).map(|read| (read == header, read.version))
        };
        assert_eq!(read(1), Ok((true, 1)));
        assert_eq!(read(BATCH_VERSION), Ok((true, 2)));
        assert_eq!(read(BATCH_VERSION + 1), Err(Unreadable::Newer(3)));
    }
}
