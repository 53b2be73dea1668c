//! A segment file before it has a number: full size, written with zeros and synced, so that appending to it later
//! changes no metadata and cannot run out of space (J4).

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::FallocateFlags;

use crate::codec::{BLOCK_BYTES, narrow, wide};
use crate::fault::{Fault, io};
use crate::files;
use crate::header::SegmentHeader;

/// Zeros written at once. Each piece is synced on its own, so that no flood of dirty pages delays the writer.
const PIECE: usize = 1024 * 1024;

/// The least a segment holds: its header and one block of a batch.
const LEAST: u64 = 2 * BLOCK_BYTES;

static ZEROS: [u8; PIECE] = [0; PIECE];

/// A zeroed file under a temporary name.
#[derive(Debug)]
pub(crate) struct Blank {
    pub(crate) file: File,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    path: PathBuf,
}

impl Blank {
    /// Creates `name` in `dir` with `bytes` zeros, durable. `None` if `stop` was set on the way.
    pub(crate) fn create(
        dir: &Path,
        name: &str,
        bytes: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, Fault> {
        let path = dir.join(name);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(io("create the segment", &path))?;
        let blank = Self { file, bytes: bytes.next_multiple_of(BLOCK_BYTES).max(LEAST), path };
        match zero(&blank.file, blank.bytes, stop) {
            Ok(true) => Ok(Some(blank)),
            Ok(false) => {
                blank.discard();
                Ok(None)
            }
            Err(source) => {
                let fault = io("allocate the segment", &blank.path)(source);
                blank.discard();
                Err(fault)
            }
        }
    }

    /// Gives its space back. What cannot be removed now is swept at the next opening.
    pub(crate) fn discard(self) {
        let _ = files::remove(&self.path);
    }

    /// Makes it segment `header.segment`: header, sync, rename, sync of the directory (J5). Returns its name.
    pub(crate) fn publish(&self, dir: &Path, header: &SegmentHeader) -> Result<PathBuf, Fault> {
        let name = files::segment(dir, header.segment);
        self.file
            .write_all_at(&header.encode(), 0)
            .and_then(|()| self.file.sync_all())
            .map_err(io("write the header of", &self.path))?;
        files::publish(&self.path, &name, dir)?;
        Ok(name)
    }
}

/// Reserves the space in one piece first, so that a full disk is told before anything is written.
fn zero(file: &File, bytes: u64, stop: &AtomicBool) -> io::Result<bool> {
    allocate(file, bytes)?;
    let mut offset = 0;
    while offset < bytes {
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let piece = ZEROS.get(..narrow(bytes - offset)).unwrap_or(&ZEROS);
        file.write_all_at(piece, offset)?;
        file.sync_data()?;
        offset += wide(piece.len());
    }
    file.sync_all()?;
    Ok(true)
}

/// Reserves `bytes` for `file`, where the file system can.
pub(crate) fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    use rustix::io::Errno;
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
