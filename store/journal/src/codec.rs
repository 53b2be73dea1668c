//! Fixed little-endian fields, and the CRC that closes every fixed block of the journal's files.
//!
//! The magic comes first, the version second and the CRC last. No later format may change this layout: an old program
//! relies on it to recognise a newer file instead of reporting damage.

/// The block size, in bytes: every write begins on a block and is padded to one (J8).
pub(crate) const BLOCK: usize = 4096;

/// [`BLOCK`] as an offset within a file.
pub(crate) const BLOCK_BYTES: u64 = 4096;

/// Bytes of the CRC32C at the end of a sealed block.
const CRC_BYTES: usize = 4;

/// Writes fields one after another into a fixed block.
pub(crate) struct Put<'a> {
    rest: &'a mut [u8],
}

impl<'a> Put<'a> {
    pub(crate) fn new(block: &'a mut [u8]) -> Self {
        Self { rest: block }
    }

    pub(crate) fn bytes(&mut self, field: &[u8]) -> &mut Self {
        let (here, rest) = core::mem::take(&mut self.rest).split_at_mut(field.len());
        here.copy_from_slice(field);
        self.rest = rest;
        self
    }

    pub(crate) fn u32(&mut self, field: u32) -> &mut Self {
        self.bytes(&field.to_le_bytes())
    }

    pub(crate) fn u64(&mut self, field: u64) -> &mut Self {
        self.bytes(&field.to_le_bytes())
    }
}

/// Reads fields one after another; `None` once the bytes run out.
pub(crate) struct Take<'a> {
    rest: &'a [u8],
}

impl<'a> Take<'a> {
    pub(crate) fn new(block: &'a [u8]) -> Self {
        Self { rest: block }
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*field)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }
}

/// Closes `block`: the CRC32C of all its bytes but the last four goes into those four.
pub(crate) fn seal(block: &mut [u8]) {
    let (covered, crc) = block.split_at_mut(block.len() - CRC_BYTES);
    crc.copy_from_slice(&crc32c::crc32c(covered).to_le_bytes());
}

/// Whether `block` still carries the CRC it was sealed with.
pub(crate) fn intact(block: &[u8]) -> bool {
    block
        .split_last_chunk::<CRC_BYTES>()
        .is_some_and(|(covered, crc)| crc32c::crc32c(covered) == u32::from_le_bytes(*crc))
}

/// Whether all bytes are zero, so that nothing was ever written here.
pub(crate) fn blank(bytes: &[u8]) -> bool {
    // In chunks of 64 bytes: a segment may end in megabytes of zeros.
    let (words, rest) = bytes.as_chunks::<64>();
    words.iter().all(|word| *word == [0; 64]) && rest.iter().all(|byte| *byte == 0)
}

/// A length in memory as a length in a file.
pub(crate) fn wide(bytes: usize) -> u64 {
    u64::try_from(bytes).expect("memory is addressed with at most 64 bits")
}

/// A bounded length in a file as a length in memory.
pub(crate) fn narrow(bytes: u64) -> usize {
    usize::try_from(bytes).expect("lengths are bounded before they reach memory")
}
