//! The file of a simulated chain: its commands, one record each, from which it is built again.
//!
//! A record is `length u32 | synced u64 | crc32c u32 | content`, little-endian. `synced` is the length of the file that
//! was on the disk when the record was written. A crash may leave any part of what was written after that: the file is
//! cut at its first bad record. If a later record shows that this part had been on the disk, the disk has lost it, and
//! the chain does not start.

use buttonwood_disk::{Disk, Handle, Open};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The start of every file: the format's name and version.
const HEAD: &[u8; 16] = b"bw-chain-0000001";

/// Bytes before a record's content.
const FRAME: usize = 16;

/// The longest content.
pub(super) const CONTENT_MAX: usize = 1 << 20;

/// A simulated chain cannot be opened or kept.
#[derive(Debug, Error)]
pub enum ChainError {
    /// The disk failed.
    #[error("cannot {action} {path}: {source}")]
    Disk {
        /// The action that failed: a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not a chain's, or bytes of it that had been synced have changed.
    #[error("{path} is damaged at byte {offset}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
    },
    /// A record is whole, but this build cannot read it.
    #[error("record {record} of {path} is not one of this build's")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The record, from 0.
        record: u64,
    },
}

/// An open file.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    handle: Arc<dyn Handle>,
    len: u64,
    synced: u64,
    /// A write or a sync has failed: what the disk holds is not known until the file is read again.
    failed: bool,
}

impl Log {
    /// Opens or creates the file, and returns the contents of its records.
    pub(super) fn open(disk: &dyn Disk, path: &Path) -> Result<(Self, Vec<Vec<u8>>), ChainError> {
        let failed = |action| move |source| ChainError::Disk { action, path: path.to_owned(), source };
        let handle = disk.open(path, Open::ReadWrite).map_err(failed("open"))?;
        handle.distrust_cache().map_err(failed("sync"))?;
        let bytes = handle.read_whole().map_err(failed("read"))?;
        let mut log = Self { path: path.to_owned(), handle, len: 0, synced: 0, failed: false };
        let mut contents = Vec::new();
        // A file that a crash has left without its head has no record either.
        if bytes.len() >= HEAD.len() && bytes.starts_with(HEAD) {
            log.len = length(HEAD);
            let mut rest = bytes.get(HEAD.len()..).unwrap_or_default();
            while let Some(record) = read(rest) {
                contents.push(record.content.to_vec());
                log.len += length(record.content) + length(&[0; FRAME]);
                rest = rest.get(FRAME + record.content.len()..).unwrap_or_default();
            }
        }
        log.check_rest(&bytes)?;
        if log.len == 0 {
            log.handle.set_len(0).map_err(failed("cut"))?;
            log.handle.write_all_at(HEAD, 0).map_err(failed("write"))?;
            log.len = length(HEAD);
        } else if log.len < length(&bytes) {
            log.handle.set_len(log.len).map_err(failed("cut"))?;
        }
        log.sync().map_err(failed("sync"))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        disk.sync_names(folder).map_err(failed("sync the folder of"))?;
        Ok((log, contents))
    }

    /// Fails if a record after the first bad one shows that the bad one had been synced.
    fn check_rest(&self, bytes: &[u8]) -> Result<(), ChainError> {
        let damaged = || Err(ChainError::Damaged { path: self.path.clone(), offset: self.len });
        let start = usize::try_from(self.len).unwrap_or(usize::MAX);
        let rest = bytes.get(start..).unwrap_or_default();
        // Another program's file, or a head that has changed: only a torn first write is shorter than a record.
        if self.len == 0 && rest.len() > HEAD.len() {
            return damaged();
        }
        for at in 1..rest.len() {
            let found = rest.get(at..).and_then(read);
            if found.is_some_and(|record| record.synced > self.len) {
                return damaged();
            }
        }
        Ok(())
    }

    /// Appends a record. It is durable after [`Log::sync`].
    pub(super) fn append(&mut self, content: &[u8]) -> io::Result<()> {
        if self.failed || content.len() > CONTENT_MAX {
            return Err(io::Error::other("the chain's file has failed, or the record is too long"));
        }
        let len = u32::try_from(content.len()).map_err(io::Error::other)?.to_le_bytes();
        let synced = self.synced.to_le_bytes();
        let crc = checksum(len, synced, content).to_le_bytes();
        let record = [len.as_slice(), &synced, &crc, content].concat();
        let written = self.handle.write_all_at(&record, self.len);
        self.failed |= written.is_err();
        self.len += length(&record);
        written
    }

    /// Whether the file has failed.
    pub(super) fn is_broken(&self) -> bool {
        self.failed
    }

    /// Treats the file as failed.
    pub(super) fn give_up(&mut self) {
        self.failed = true;
    }

    /// Makes all records durable.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if self.failed {
            return Err(io::Error::other("the chain's file has failed"));
        }
        if self.synced < self.len {
            let synced = self.handle.sync_data();
            self.failed |= synced.is_err();
            synced?;
            self.synced = self.len;
        }
        Ok(())
    }
}

struct Read<'a> {
    synced: u64,
    content: &'a [u8],
}

/// The record at the start of `bytes`, if it is whole.
fn read(bytes: &[u8]) -> Option<Read<'_>> {
    let len = *bytes.first_chunk::<4>()?;
    let content_len = usize::try_from(u32::from_le_bytes(len)).ok()?;
    // An empty record would be found anywhere in zeros.
    if content_len == 0 || content_len > CONTENT_MAX {
        return None;
    }
    let synced = *bytes.get(4..)?.first_chunk::<8>()?;
    let crc = u32::from_le_bytes(*bytes.get(12..)?.first_chunk::<4>()?);
    let content = bytes.get(FRAME..FRAME.checked_add(content_len)?)?;
    (checksum(len, synced, content) == crc).then(|| Read { synced: u64::from_le_bytes(synced), content })
}

fn checksum(len: [u8; 4], synced: [u8; 8], content: &[u8]) -> u32 {
    let head = crc32c::crc32c_append(crc32c::crc32c(&len), &synced);
    crc32c::crc32c_append(head, content)
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_disk::System;
    use std::fs;

    fn contents(path: &Path) -> Result<Vec<Vec<u8>>, ChainError> {
        Log::open(&System, path).map(|(_, contents)| contents)
    }

    /// A file with three records, each synced before the next.
    fn written(path: &Path) -> Vec<u8> {
        let (mut log, none) = Log::open(&System, path).unwrap();
        assert!(none.is_empty());
        for content in [b"one".as_slice(), b"two", b"three"] {
            log.append(content).unwrap();
            log.sync().unwrap();
        }
        fs::read(path).unwrap()
    }

    /// A crash may leave any start of the file: the whole records of it are read, and writing goes on after them.
    #[test]
    fn cuts_a_torn_tail() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("chain");
        let whole = written(&path);
        let ends = [HEAD.len(), HEAD.len() + 19, HEAD.len() + 38, HEAD.len() + 59];
        assert_eq!(whole.len(), ends[3]);
        for len in 0..=whole.len() {
            fs::write(&path, &whole[..len]).unwrap();
            let read = contents(&path).unwrap();
            assert_eq!(read.len(), ends.iter().skip(1).filter(|end| **end <= len).count(), "{len}");
            let (mut log, _) = Log::open(&System, &path).unwrap();
            log.append(b"more").unwrap();
            log.sync().unwrap();
            assert_eq!(contents(&path).unwrap().last().unwrap(), b"more");
        }
    }

    /// A changed byte that had been synced is damage, and nothing is cut; in the last record it cannot be told from a
    /// torn write.
    #[test]
    fn refuses_damage() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("chain");
        let whole = written(&path);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            let read = contents(&path);
            if at < HEAD.len() + 38 {
                assert!(matches!(read, Err(ChainError::Damaged { .. })), "{at}");
                assert_eq!(fs::read(&path).unwrap(), bytes);
            } else {
                assert_eq!(read.unwrap().len(), 2, "{at}");
            }
        }
    }

    /// Records that were written after the last sync may be missing in the middle.
    #[test]
    fn cuts_what_was_never_synced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("chain");
        let (mut log, _) = Log::open(&System, &path).unwrap();
        for content in [b"one".as_slice(), b"two", b"three"] {
            log.append(content).unwrap();
        }
        let mut bytes = fs::read(&path).unwrap();
        bytes[HEAD.len() + 20] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(contents(&path).unwrap(), [b"one"]);
    }
}
