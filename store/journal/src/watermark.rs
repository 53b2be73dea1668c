//! The highest sequence known to have been acknowledged (J7).
//!
//! Every batch header and every snapshot carries one; this file adds the last batch. It is written after each sync
//! and never synced itself. It survives a killed process; after a power cut it may only be too low, so it never
//! claims a sequence that is not durable.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use buttonwood_disk::{Folder, Handle, Open};

use crate::codec::{Put, seal};
use crate::fault::{Fault, Flaw, io};
use crate::files;
use crate::header::{Unreadable, VERSION, opened};
use crate::mark::JournalId;

const MAGIC: [u8; 8] = *b"BWWMARK\n";

/// Magic, version, identity, sequence and CRC: less than a sector, so never torn.
const BYTES: usize = 8 + 4 + 16 + 8 + 4;

/// A watermark, and where it was seen.
#[derive(Clone, Debug)]
pub(crate) struct Watermark {
    pub(crate) seq: u64,
    pub(crate) seen: PathBuf,
}

impl Watermark {
    /// Keeps the higher of the known sequence and `seq`, which was found in `seen`.
    pub(crate) fn raise(&mut self, seq: u64, seen: &Path) {
        if seq > self.seq {
            *self = Self { seq, seen: seen.to_owned() };
        }
    }

    /// Refuses a history that ends before the watermark.
    pub(crate) fn admits(&self, end: u64, dir: &Folder) -> Result<(), Fault> {
        if end >= self.seq {
            return Ok(());
        }
        let (watermark, seen) = (self.seq, self.seen.clone());
        Err(Fault::Behind { dir: dir.path().to_owned(), end, watermark, seen })
    }
}

/// Reads the file; 0 if there is none, or if a power cut left it empty.
pub(crate) fn read(dir: &Folder, id: JournalId) -> Result<Watermark, Fault> {
    let path = dir.file(files::WATERMARK);
    let bytes = dir.read(&path).map_err(io("read", &path))?.unwrap_or_default();
    let seq = match opened(&bytes, MAGIC, id) {
        Ok(mut fields) => fields.u64().unwrap_or_default(),
        Err(Unreadable::Blank) => 0,
        Err(Unreadable::Garbled) => {
            return Err(Fault::Damaged { path, offset: 0, seq: 0, flaw: Flaw::Header });
        }
        Err(Unreadable::Newer(found)) => return Err(Fault::Version { path, found, supported: VERSION }),
        Err(Unreadable::Foreign(found)) => return Err(Fault::Foreign { path, found, expected: id }),
    };
    Ok(Watermark { seq, seen: path })
}

/// The open file, overwritten in place after every sync.
#[derive(Debug)]
pub(crate) struct Gauge {
    file: Arc<dyn Handle>,
    path: PathBuf,
    id: JournalId,
}

impl Gauge {
    /// Opens the file and makes `seq` durable in it. This allocates its block, so that later writes need no metadata.
    pub(crate) fn open(dir: &Folder, id: JournalId, seq: u64) -> Result<Self, Fault> {
        let path = dir.file(files::WATERMARK);
        let file = dir.open(&path, Open::ReadWrite).map_err(io("open", &path))?;
        let gauge = Self { file, path, id };
        gauge.show(seq)?;
        gauge.file.sync_all().map_err(io("sync", &gauge.path))?;
        Ok(gauge)
    }

    /// Overwrites the sequence in the page cache: no sync, no allocation.
    pub(crate) fn show(&self, seq: u64) -> Result<(), Fault> {
        let mut block = [0; BYTES];
        Put::new(&mut block).bytes(&MAGIC).u32(VERSION).bytes(&self.id.0).u64(seq);
        seal(&mut block);
        self.file.write_all_at(&block, 0).map_err(io("write", &self.path))
    }
}

const _: () = assert!(BYTES < 512, "a watermark fits in a sector");
