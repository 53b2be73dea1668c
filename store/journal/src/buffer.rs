//! One batch while it is being encoded.

use crate::codec::{BLOCK, wide};
use crate::fault::Fault;
use crate::header::{BATCH_FRONT, BATCH_HEADER, BatchHeader};
use crate::replay::{FRAME_LEN, digest, padded};

/// The most bytes a batch takes on disk, front and padding included. Recovery refuses a longer one before it
/// allocates anything (J3).
pub const MAX_BATCH_BYTES: usize = 32 * 1024 * 1024;

/// One batch being encoded. It keeps its memory when cleared, so a warm buffer no longer allocates.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Room for the front, then each frame after its length.
    bytes: Vec<u8>,
    first_seq: u64,
    count: u32,
    fingerprint: u64,
}

impl Default for Buffer {
    fn default() -> Self {
        Self::new()
    }
}

impl Buffer {
    /// An empty batch with room for 64 KiB, one usual group commit.
    pub fn new() -> Self {
        let mut bytes = Vec::with_capacity(16 * BLOCK);
        bytes.resize(BATCH_FRONT, 0);
        Self { bytes, first_seq: 0, count: 0, fingerprint: 0 }
    }

    /// Empties the batch and keeps its memory.
    pub fn clear(&mut self) {
        self.bytes.truncate(BATCH_FRONT);
        self.first_seq = 0;
        self.count = 0;
        self.fingerprint = 0;
    }

    /// Whether it holds no frame.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes it will take on disk before padding: front, lengths and frames. Keep it below [`MAX_BATCH_BYTES`].
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Frames in it.
    pub fn count(&self) -> usize {
        usize::try_from(self.count).expect("a count fits in memory")
    }

    /// Sequence of the last frame, 0 while empty.
    pub fn last_seq(&self) -> u64 {
        if self.count == 0 { 0 } else { self.first_seq + u64::from(self.count) - 1 }
    }

    /// Adds the frame of command `seq`: `encode` appends its bytes. Sequences are contiguous (INV-JRN-1).
    ///
    /// # Panics
    /// If `seq` does not follow the last one, or `encode` shortens what was there.
    pub fn push(&mut self, seq: u64, encode: impl FnOnce(&mut Vec<u8>)) {
        if self.count == 0 {
            self.first_seq = seq;
        }
        assert_eq!(seq, self.first_seq + u64::from(self.count), "sequences in a batch are contiguous");
        let at = self.bytes.len();
        self.bytes.extend_from_slice(&[0; FRAME_LEN]);
        encode(&mut self.bytes);
        let frame = self.bytes.get_mut(at..).and_then(|rest| rest.split_first_chunk_mut::<FRAME_LEN>());
        let (len, frame) = frame.expect("an encoder only appends");
        *len = u32::try_from(frame.len()).expect("a frame is shorter than 4 GiB").to_le_bytes();
        self.count += 1;
    }

    /// Sets the caller's fingerprint of its state after this batch; replay reports it again.
    pub fn set_fingerprint(&mut self, fingerprint: u64) {
        self.fingerprint = fingerprint;
    }

    /// Bytes the batch takes in its segment.
    pub(crate) fn padded_bytes(&self) -> u64 {
        wide(padded(self.bytes.len() - BATCH_FRONT))
    }

    pub(crate) fn first_seq(&self) -> u64 {
        self.first_seq
    }

    /// Completes `header` with the fields that the batch itself determines.
    pub(crate) fn describe(&self, header: BatchHeader) -> BatchHeader {
        let body_bytes = u32::try_from(self.bytes.len() - BATCH_FRONT).expect("a batch is bounded");
        let (first_seq, count, fingerprint) = (self.first_seq, self.count, self.fingerprint);
        BatchHeader { first_seq, count, body_bytes, fingerprint, ..header }
    }

    /// Fills in the front, passes the whole padded batch to `write`, and returns its chain value.
    pub(crate) fn written(
        &mut self,
        header: &BatchHeader,
        write: impl FnOnce(&[u8]) -> Result<(), Fault>,
    ) -> Result<[u8; 32], Fault> {
        let (front, body) = self.bytes.split_at_mut(BATCH_FRONT);
        let (head, hash) = front.split_at_mut(BATCH_HEADER);
        header.encode(head);
        let chain = digest(head, body);
        hash.copy_from_slice(&chain);

        let len = self.bytes.len();
        self.bytes.resize(len.next_multiple_of(BLOCK), 0);
        let result = write(&self.bytes);
        self.bytes.truncate(len);
        result.map(|()| chain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cleared batch keeps its memory, so a warm one allocates no more.
    #[test]
    fn a_warm_buffer_keeps_its_memory() {
        let mut batch = Buffer::new();
        let mut capacity = 0;
        for round in 0..10 {
            batch.clear();
            for seq in 1..=500 {
                batch.push(seq, |out| out.extend_from_slice(&[7; 300]));
            }
            if round > 0 {
                assert_eq!(batch.bytes.capacity(), capacity);
            }
            capacity = batch.bytes.capacity();
        }
        assert_eq!((batch.count(), batch.last_seq(), batch.len()), (500, 500, BATCH_FRONT + 500 * 304));
    }

    /// A gap in the sequences is a broken law. Proves INV-JRN-1.
    #[test]
    #[should_panic(expected = "sequences in a batch are contiguous")]
    fn a_gap_is_refused() {
        let mut batch = Buffer::new();
        batch.push(1, |_| {});
        batch.push(3, |_| {});
    }
}
