//! The mark of how far the history has come, kept with it, so that an older journal under a newer history is noticed
//! (rule J7, Q-026).
//!
//! It is written after the rows of durable commands and never synced by itself. After a power cut it may lag, but it
//! never claims more than is durable. An unreadable mark is ignored.

use buttonwood_disk::{Folder, Handle, Open};
use buttonwood_journal::JournalId;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

const FILE: &str = "reached";
const MAGIC: [u8; 8] = *b"BWreach1";

/// Magic, eight digits of the journal's identity, the sequence, and a CRC.
const BYTES: usize = 8 + 8 + 8 + 4;

/// The mark of a history, open for writing.
#[derive(Debug)]
pub(crate) struct HistoryMark {
    file: Arc<dyn Handle>,
    journal: JournalId,
    written: u64,
}

/// The last command that the history in `folder` contains, and the path of the mark; `None` for another journal's
/// history.
pub(crate) fn read(folder: &Folder, journal: JournalId) -> io::Result<Option<(u64, PathBuf)>> {
    read_if(folder, |of| of == journal.to_string().as_bytes())
}

/// The same for the history of any journal.
pub(crate) fn read_any(folder: &Folder) -> io::Result<Option<(u64, PathBuf)>> {
    read_if(folder, |_| true)
}

fn read_if(folder: &Folder, is_meant: impl FnOnce(&[u8]) -> bool) -> io::Result<Option<(u64, PathBuf)>> {
    let path = folder.file(FILE);
    let bytes = folder.read(&path)?.unwrap_or_default();
    let of = bytes.get(8..16).unwrap_or_default();
    let seq = bytes.get(16..24).and_then(|seq| seq.try_into().ok()).map(u64::from_le_bytes);
    Ok(seq.filter(|seq| is_meant(of) && bytes == block(of, *seq)).map(|seq| (seq, path)))
}

impl HistoryMark {
    /// Opens the mark of a history that has come as far as `seq`.
    pub(crate) fn open(folder: &Folder, journal: JournalId, seq: u64) -> io::Result<Self> {
        let file = folder.open(&folder.file(FILE), Open::ReadWrite)?;
        let mut mark = Self { file, journal, written: 0 };
        mark.write(seq)?;
        Ok(mark)
    }

    /// Makes the mark durable, which a running exchange has no need of.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Records that the files hold everything up to `seq`.
    pub(crate) fn write(&mut self, seq: u64) -> io::Result<()> {
        if seq > self.written {
            self.file.write_all_at(&block(self.journal.to_string().as_bytes(), seq), 0)?;
            self.written = seq;
        }
        Ok(())
    }
}

/// `of` is eight digits of the journal's identity.
fn block(of: &[u8], seq: u64) -> [u8; BYTES] {
    let mut block = [0; BYTES];
    let parts = [&MAGIC[..], of, &seq.to_le_bytes()].concat();
    let crc = crc32c::crc32c(&parts);
    for (to, from) in block.iter_mut().zip(parts.iter().chain(&crc.to_le_bytes())) {
        *to = *from;
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_journal::{Journal, Options};

    fn journal(at: &std::path::Path) -> JournalId {
        Journal::open(at, Options::default()).unwrap().id()
    }

    /// Only the journal that made a mark reads it, and a mark with a wrong byte is ignored.
    #[test]
    fn a_mark_is_its_journals_own() {
        let dir = tempfile::tempdir().unwrap();
        let (own, other) = (journal(&dir.path().join("own")), journal(&dir.path().join("other")));
        let folder = Folder::from(dir.path());
        assert_eq!(read(&folder, own).unwrap(), None);
        let mut mark = HistoryMark::open(&folder, own, 7).unwrap();
        mark.write(9).unwrap();
        mark.write(8).unwrap();
        assert_eq!(read(&folder, own).unwrap(), Some((9, folder.file(FILE))));
        assert_eq!(read(&folder, other).unwrap(), None);
        assert_eq!(read_any(&folder).unwrap(), Some((9, folder.file(FILE))));
        let path = folder.file(FILE);
        for at in 0..BYTES {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!((read(&folder, own).unwrap(), read_any(&folder).unwrap()), (None, None), "byte {at}");
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
        }
    }
}
