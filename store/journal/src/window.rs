//! A moving window over one file, read in large pieces into one reused buffer.

use std::io;

use buttonwood_disk::Handle;

use crate::codec::{narrow, wide};

/// Bytes read at once, few enough to stay in the processor's cache until they are looked at; a batch larger than this
/// is read whole.
const PIECE: usize = 128 * 1024;

/// The bytes of a file that are in memory just now.
#[derive(Debug, Default)]
pub(crate) struct Window {
    bytes: Vec<u8>,
    /// Byte offset of the window in the file.
    start: u64,
    /// Bytes of `bytes` that hold file content.
    filled: usize,
}

impl Window {
    /// Forgets the content: the next read asks the file.
    pub(crate) fn forget(&mut self) {
        self.filled = 0;
    }

    /// Up to `len` bytes at `offset`; fewer only where the file ends.
    pub(crate) fn at(&mut self, file: &dyn Handle, offset: u64, len: usize) -> io::Result<&[u8]> {
        if !self.holds(offset, len) {
            self.fill(file, offset, len.max(PIECE))?;
        }
        let from = narrow(offset - self.start);
        let rest = self.bytes.get(from..self.filled).unwrap_or_default();
        Ok(rest.get(..len).unwrap_or(rest))
    }

    fn holds(&self, offset: u64, len: usize) -> bool {
        self.start <= offset && offset + wide(len) <= self.start + wide(self.filled)
    }

    fn fill(&mut self, file: &dyn Handle, offset: u64, len: usize) -> io::Result<()> {
        // No more room than the file can fill.
        let len = len.min(narrow(file.len()?.saturating_sub(offset)));
        if self.bytes.len() < len {
            self.bytes.resize(len, 0);
        }
        self.start = offset;
        self.filled = 0;
        while let Some(room) = self.bytes.get_mut(self.filled..len).filter(|room| !room.is_empty()) {
            match file.read_at(room, offset + wide(self.filled)) {
                Ok(0) => break,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
