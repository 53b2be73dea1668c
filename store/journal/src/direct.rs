//! Memory for writes that pass the page cache, where the file system can.
//!
//! A batch is written once and read again only after a crash, so a copy in the page cache only costs time. Every
//! write of a segment already begins and ends on a block (J8). Direct writes need aligned memory as well; this file
//! provides it.

use crate::codec::BLOCK;

/// Memory that begins on a block, reused from write to write.
#[derive(Debug, Default)]
pub(crate) struct Aligned(Vec<u8>);

impl Aligned {
    /// A copy of `bytes` that begins on a block.
    pub(crate) fn copy(&mut self, bytes: &[u8]) -> &[u8] {
        let needed = bytes.len() + BLOCK;
        if self.0.len() < needed {
            self.0.resize(needed, 0);
        }
        let start = self.0.as_ptr().align_offset(BLOCK);
        let room = self.0.get_mut(start..start + bytes.len()).expect("there is a block more than needed");
        room.copy_from_slice(bytes);
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy of any length begins on a block and equals the original.
    #[test]
    fn copies_begin_on_a_block() {
        let mut aligned = Aligned::default();
        for len in [1, BLOCK, 3 * BLOCK, 100 * BLOCK, 2 * BLOCK] {
            let bytes: Vec<u8> = (0..=255).cycle().take(len).collect();
            let copy = aligned.copy(&bytes);
            assert_eq!(copy, bytes);
            assert!(copy.as_ptr().addr().is_multiple_of(BLOCK), "{len} bytes");
        }
    }
}
