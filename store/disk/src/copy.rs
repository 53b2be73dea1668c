//! Copies the beginning of a file, in pieces that leave the disk to others in between.

use crate::Handle;
use std::io;
use std::thread;
use std::time::Instant;

/// Bytes between two syncs. A longer write would make the syncs of a running journal wait.
const PIECE: usize = 512 * 1024;

/// Copies the first `bytes` of `from` and makes them durable. Rests after each piece for as long as the piece took, so that
/// at most half of the disk's time goes into the copy.
///
/// # Errors
/// [`io::ErrorKind::UnexpectedEof`] if `from` is shorter; any error of the two files.
pub fn copy_start(from: &dyn Handle, to: &dyn Handle, bytes: u64) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    let mut offset = 0;
    while offset < bytes {
        let began = Instant::now();
        let len = usize::try_from(bytes - offset).unwrap_or(usize::MAX).min(PIECE);
        let piece = piece.get_mut(..len).unwrap_or_default();
        from.read_exact_at(piece, offset)?;
        to.write_all_at(piece, offset)?;
        to.sync_data()?;
        offset += u64::try_from(len).expect("a length fits in 64 bits");
        thread::sleep(began.elapsed());
    }
    to.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Disk, Open, System};

    /// The copy has exactly the requested bytes; a shorter file is refused.
    #[test]
    fn copies_a_prefix() {
        let dir = tempfile::tempdir().unwrap();
        let [from, to] =
            ["from", "to"].map(|name| System.open(&dir.path().join(name), Open::Truncate).unwrap());
        let content: Vec<u8> = (0..=255).cycle().take(3 * PIECE).collect();
        from.write_all_at(&content, 0).unwrap();
        let bytes = 2 * PIECE + 7;
        copy_start(&*from, &*to, u64::try_from(bytes).unwrap()).unwrap();
        assert_eq!(to.read_whole().unwrap(), content[..bytes]);
        let refused = copy_start(&*from, &*to, u64::try_from(3 * PIECE + 1).unwrap()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::UnexpectedEof);
    }
}
