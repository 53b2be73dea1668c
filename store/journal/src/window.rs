//! A moving window over one file, read in large pieces into one reused buffer.

use std::io;

use buttonwood_disk::Handle;

use crate::codec::{narrow, wide};

/// Bytes per read: few enough to stay in the processor's cache until they are used. A larger batch is read in one
/// piece.
const PIECE: usize = 128 * 1024;

/// The bytes of a file that are currently in memory.
#[derive(Debug, Default)]
pub(crate) struct Window {
    bytes: Vec<u8>,
    /// Byte offset of the window in the file.
    start: u64,
    /// Bytes of `bytes` that hold file content.
    filled: usize,
}

impl Window {
    /// Drops the content, so that the next call reads the file again.
    pub(crate) fn forget(&mut self) {
        self.filled = 0;
    }

    /// Up to `len` bytes at `offset`; fewer only at the end of the file.
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
        // At most the bytes that the file has there.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Call, Fake};
    use std::sync::Mutex;

    /// Two and a half pieces.
    fn content() -> Vec<u8> {
        (0..=250).cycle().take(327_680).collect()
    }

    /// A read returns the bytes of the file, even from a disk that returns few at a time; there is nothing after the
    /// end.
    #[test]
    fn a_piece_is_what_lies_there() {
        let whole = content();
        let len = whole.len();
        for sip in [0, 70_000] {
            let file = Fake { bytes: Mutex::new(whole.clone()), sip, ..Fake::default() };
            *file.errors.lock().unwrap() = [None, Some(io::ErrorKind::Interrupted)].into();
            let mut window = Window::default();
            for (from, to) in [
                (0, 10),
                (4, PIECE),
                (4, PIECE + 4),
                (3, 9),
                (PIECE, 2 * PIECE + 1),
                (100, len),
                (len - 7, len),
                (len - 7, len + 7),
                (len, len + 1),
                (len + 9, len + 99),
            ] {
                let expected = whole.get(from..to.min(len)).unwrap_or_default();
                assert!(window.at(&file, wide(from), to - from).unwrap() == expected, "{from} to {to}");
            }
        }
    }

    /// Bytes in memory are not read again until `forget`.
    #[test]
    fn nothing_is_read_twice() {
        let file = Fake { bytes: Mutex::new(content()), ..Fake::default() };
        let mut window = Window::default();
        window.at(&file, 10, 5).unwrap();
        window.at(&file, 10, PIECE).unwrap();
        window.at(&file, wide(PIECE), 10).unwrap();
        assert_eq!(file.calls(), [Call::Read(10, 131_072)]);
        window.forget();
        window.at(&file, 10, 5).unwrap();
        window.at(&file, 9, 5).unwrap();
        assert_eq!(file.calls()[1..], [Call::Read(10, 131_072), Call::Read(9, 131_072)]);
    }

    /// An error of the disk is returned.
    #[test]
    fn a_failed_read_is_told() {
        let file = Fake { bytes: Mutex::new(content()), ..Fake::failing([Some(io::ErrorKind::Other)]) };
        assert_eq!(Window::default().at(&file, 0, 1).unwrap_err().kind(), io::ErrorKind::Other);
    }
}
