//! One append-only file whose newest bytes also stay in memory.
//!
//! Rows gather in memory and are written in pieces of some hundred KiB. The newest few megabytes stay in memory after
//! that: nearly every query reads recent rows, and these are read without a system call, written or not. The bytes in
//! memory form two halves; when the newer one is full, the older is dropped and takes its place.

use super::codec::{self, Damage, Position, ROW_MAX};
use super::fault::Fault;
use super::index::HEADER;
use buttonwood_disk::{Folder, Handle, Open};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

/// The first bytes of every file: its kind and the version of its format.
pub(super) type Magic = [u8; 8];

/// Decodes a row from its body.
pub(super) type Decode<T> = fn(Position, &[u8]) -> Result<T, Damage>;

/// An open log.
#[derive(Debug)]
pub(super) struct Log {
    path: Arc<Path>,
    file: Arc<dyn Handle>,
    /// Bytes the file holds.
    written: u64,
    /// Bytes in memory that end where `newer` begins; all are written.
    older: Vec<u8>,
    /// Bytes in memory up to the end; those from `written` on are not in the file yet.
    newer: Vec<u8>,
    /// Where `newer` begins.
    newer_start: u64,
    /// The size at which `newer` counts as full.
    half: usize,
}

impl Log {
    /// Opens or creates a log and cuts it to `length`.
    pub(super) fn open(
        directory: &Folder,
        (name, magic): (&str, Magic),
        length: u64,
        half: usize,
    ) -> Result<Self, Fault> {
        let path = directory.file(name);
        let fault = |action| {
            let path = path.clone();
            move |source| Fault::Io { action, path, source }
        };
        let file = directory.open(&path, Open::ReadWrite).map_err(fault("open"))?;
        // Without rows to keep, the file is emptied, even a damaged one: the history is empty, or is rebuilt.
        let kept = if length == HEADER { 0 } else { length };
        if kept > 0 {
            let held = file.len().map_err(fault("measure"))?;
            if held < kept {
                return Err(Fault::Short { path, held, needed: kept });
            }
            let mut found = Magic::default();
            file.read_exact_at(&mut found, 0).map_err(fault("read"))?;
            if found != magic {
                return Err(Fault::Foreign { path });
            }
        }
        // The sync reports errors of an earlier process now, before this one has written anything.
        file.set_len(kept).and_then(|()| file.distrust_cache()).map_err(fault("cut"))?;
        if kept == 0 {
            file.write_all_at(&magic, 0).map_err(fault("begin"))?;
        }
        // Room for one half and the rows that gather until it is found full; growing would copy it repeatedly.
        let [older, newer] = [(); 2].map(|()| Vec::with_capacity(half + half / 4));
        Ok(Self { path: path.into(), file, written: length, older, newer, newer_start: length, half })
    }

    /// The buffer whose end is the end of the log: rows are appended to it.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.newer
    }

    /// Bytes not yet in the file.
    pub(super) fn pending(&self) -> u64 {
        self.end() - self.written
    }

    /// Whether the next [`Log::flush`] drops the older half from memory.
    pub(super) fn is_full(&self) -> bool {
        self.newer.len() >= self.half
    }

    /// Writes the pending bytes, and drops the older half from memory if the newer one is full. After an error it may be called again.
    pub(super) fn flush(&mut self) -> Result<(), Fault> {
        let pending = self.unwritten();
        if !pending.is_empty() {
            let written = self.file.write_all_at(pending, self.written);
            written.map_err(|source| self.io("write", source))?;
            self.written = self.end();
        }
        if self.is_full() {
            self.newer_start = self.written;
            std::mem::swap(&mut self.older, &mut self.newer);
            self.newer.clear();
        }
        Ok(())
    }

    /// The bytes that are not in the file yet.
    pub(super) fn unwritten(&self) -> &[u8] {
        self.newer.get(offset(self.newer_start, self.written)..).unwrap_or_default()
    }

    /// The rows in the file, to be synced or read without holding the log.
    pub(super) fn rows(&self) -> Rows {
        Rows { path: Arc::clone(&self.path), file: Arc::clone(&self.file), written: self.written }
    }

    /// The row at a position, if it is still in memory; `decode` gets its body.
    pub(super) fn near<T>(&self, at: Position, decode: Decode<T>) -> Option<Result<T, Fault>> {
        self.kept(at).map(|bytes| row(bytes, at, decode).map_err(|Damage| damaged(&self.path, at)))
    }

    /// Whether the row at a position is in memory.
    pub(super) fn holds(&self, at: Position) -> bool {
        self.kept(at).is_some()
    }

    /// The bytes from a position on, if they are still in memory.
    fn kept(&self, at: Position) -> Option<&[u8]> {
        let older_start = self.newer_start - count(self.older.len());
        if at.get() >= self.newer_start {
            self.newer.get(offset(self.newer_start, at.get())..)
        } else if at.get() >= older_start {
            self.older.get(offset(older_start, at.get())..)
        } else {
            None
        }
    }

    fn end(&self) -> u64 {
        self.newer_start + count(self.newer.len())
    }

    fn io(&self, action: &'static str, source: io::Error) -> Fault {
        io_fault(action, &self.path, source)
    }
}

/// The rows in a log's file, which appending does not change.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) path: Arc<Path>,
    pub(super) file: Arc<dyn Handle>,
    /// Least number of bytes in the file.
    pub(super) written: u64,
}

impl Rows {
    /// Reads the row at a position; `decode` gets its body.
    pub(super) fn read<T>(&self, at: Position, decode: Decode<T>) -> Result<T, Fault> {
        let mut buffer = [0; ROW_MAX];
        let room = offset(at.get(), self.written).min(ROW_MAX);
        let bytes = buffer.get_mut(..room).unwrap_or_default();
        match self.file.read_exact_at(bytes, at.get()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Err(self.damaged(at)),
            Err(source) => return Err(io_fault("read", &self.path, source)),
        }
        row(bytes, at, decode).map_err(|Damage| self.damaged(at))
    }

    /// Makes the content of the file durable.
    pub(super) fn sync(&self) -> Result<(), Fault> {
        self.file.sync_data().map_err(|source| io_fault("sync", &self.path, source))
    }

    /// The fault for a row that its links contradict.
    pub(super) fn damaged(&self, at: Position) -> Fault {
        damaged(&self.path, at)
    }
}

/// Gives a log this length and the header of its kind, whatever rows it holds.
pub(super) fn pad(directory: &Folder, (name, magic): (&str, Magic), length: u64) -> Result<(), Fault> {
    let path = directory.file(name);
    let file = directory.open(&path, Open::ReadWrite);
    let padded = file.and_then(|file| {
        if file.len()? < length {
            file.set_len(length)?;
        }
        file.write_all_at(&magic, 0)
    });
    padded.map_err(|source| io_fault("lengthen", &path, source))
}

fn row<T>(bytes: &[u8], at: Position, decode: Decode<T>) -> Result<T, Damage> {
    codec::open(bytes, at).and_then(|body| decode(at, body))
}

fn damaged(path: &Path, at: Position) -> Fault {
    Fault::Damaged { path: path.to_owned(), at: at.get() }
}

fn io_fault(action: &'static str, path: &Path, source: io::Error) -> Fault {
    Fault::Io { action, path: path.to_owned(), source }
}

/// The distance from `from` to `to`; zero if `to` comes first.
fn offset(from: u64, to: u64) -> usize {
    usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX)
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).expect("a length fits in 64 bits")
}
