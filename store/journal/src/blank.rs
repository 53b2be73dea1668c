//! A segment file before it has a number: full size, written with zeros and synced, so that appending to it later
//! changes no metadata and cannot run out of space (J4).

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use buttonwood_disk::{Folder, Handle, Open};

use crate::codec::{BLOCK, BLOCK_BYTES, narrow, wide};
use crate::direct::Aligned;
use crate::fault::{Fault, io};
use crate::files;
use crate::header::SegmentHeader;

/// Zeros written at once, which the writer's next batch may have to wait for.
const PIECE: usize = 256 * 1024;

/// Between two pieces, while there is time: a disk that is kept busy makes the writer's syncs slow.
const REST: Duration = Duration::from_millis(2);

/// The least a segment holds: its header and one block of a batch.
const LEAST: u64 = 2 * BLOCK_BYTES;

static ZEROS: Zeros = Zeros([0; PIECE]);

/// They begin on a block, since they pass the page cache.
#[repr(align(4096))]
struct Zeros([u8; PIECE]);

const _: () = assert!(align_of::<Zeros>() == BLOCK, "an alignment is written as a number");

/// How fast zeros are written, and whether at all.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace<'a> {
    /// The writer waits.
    Now,
    /// Beside the writer, whose syncs come between.
    Beside {
        /// Not at all any more.
        stop: &'a AtomicBool,
        /// The writer will soon need the file.
        hurry: &'a AtomicBool,
    },
}

impl Pace<'_> {
    fn is_stopped(self) -> bool {
        match self {
            Self::Now => false,
            Self::Beside { stop, .. } => stop.load(Ordering::Relaxed),
        }
    }

    fn rest(self) {
        match self {
            Self::Beside { hurry, .. } if !hurry.load(Ordering::Relaxed) => std::thread::sleep(REST),
            Self::Now | Self::Beside { .. } => {}
        }
    }
}

/// A zeroed file under a temporary name.
#[derive(Debug)]
pub(crate) struct Blank {
    pub(crate) file: Arc<dyn Handle>,
    /// Its size in bytes.
    pub(crate) bytes: u64,
    path: PathBuf,
    dir: Folder,
}

impl Blank {
    /// Creates `name` in `dir` with `bytes` zeros, durable. `None` if it was stopped on the way.
    pub(crate) fn create(
        dir: &Folder,
        name: &str,
        bytes: u64,
        pace: Pace<'_>,
    ) -> Result<Option<Self>, Fault> {
        let path = dir.file(name);
        let file = dir.open(&path, Open::Fresh).map_err(io("create the segment", &path))?;
        let bytes = bytes.next_multiple_of(BLOCK_BYTES).max(LEAST);
        let blank = Self { file, bytes, path, dir: dir.clone() };
        match zero(&*blank.file, blank.bytes, pace) {
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
        let _ = files::remove(&self.dir, &self.path);
    }

    /// Makes it segment `header.segment`: header, sync, rename, sync of the directory (J5). Returns its name.
    pub(crate) fn publish(&self, header: &SegmentHeader) -> Result<PathBuf, Fault> {
        let name = files::segment(&self.dir, header.segment);
        self.file
            .write_all_at(Aligned::default().copy(&header.encode()), 0)
            .and_then(|()| self.file.sync_all())
            .map_err(io("write the header of", &self.path))?;
        files::publish(&self.path, &name, &self.dir)?;
        Ok(name)
    }
}

/// Reserves the space in one piece first, so that a full disk is told before anything is written. Afterwards `file`
/// passes the page cache if it can.
fn zero(file: &dyn Handle, bytes: u64, pace: Pace<'_>) -> io::Result<bool> {
    file.reserve(bytes)?;
    let mut is_direct = file.bypass_cache(true)?;
    let mut offset = 0;
    while offset < bytes {
        if pace.is_stopped() {
            return Ok(false);
        }
        let piece = ZEROS.0.get(..narrow(bytes - offset)).unwrap_or(&ZEROS.0);
        match file.write_all_at(piece, offset) {
            Ok(()) => offset += wide(piece.len()),
            // Some file systems say only now that they cannot.
            Err(error) if is_direct && error.kind() == io::ErrorKind::InvalidInput => {
                file.bypass_cache(false)?;
                is_direct = false;
                continue;
            }
            Err(error) => return Err(error),
        }
        if !is_direct {
            // Else a flood of dirty pages would delay the writer.
            file.sync_data()?;
        }
        pace.rest();
    }
    file.sync_all()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Call, Fake};
    use io::ErrorKind::{InvalidInput, StorageFull};

    /// Two whole pieces and a block.
    const BYTES: u64 = 2 * 256 * 1024 + 4096;

    /// All of it is written, piece by piece from front to back, and synced once at the end.
    #[test]
    fn every_byte_is_written_and_synced() {
        let file = Fake::default();
        assert!(zero(&file, BYTES, Pace::Now).unwrap());
        let pieces = [Call::Write(0, 262_144), Call::Write(262_144, 262_144), Call::Write(524_288, 4_096)];
        let (front, back) = ([Call::Reserve(BYTES), Call::Bypass(true)], [Call::SyncAll]);
        assert_eq!(file.calls(), [front.as_slice(), &pieces, &back].concat());
    }

    /// Where a file system says only at the first write that it cannot pass its cache, the cache is used, and flushed after
    /// every piece.
    #[test]
    fn a_late_refusal_to_pass_the_cache_is_taken() {
        let file = Fake::failing([Some(InvalidInput)]);
        assert!(zero(&file, BYTES, Pace::Now).unwrap());
        let piece = |offset, len| [Call::Write(offset, len), Call::SyncData];
        let pieces = [piece(0, 262_144), piece(262_144, 262_144), piece(524_288, 4_096)].concat();
        let front = [Call::Reserve(BYTES), Call::Bypass(true), Call::Write(0, 262_144), Call::Bypass(false)];
        assert_eq!(file.calls(), [front.as_slice(), &pieces, &[Call::SyncAll]].concat());
    }

    /// Any other failure ends it, and so does the same one a second time.
    #[test]
    fn other_failures_end_it() {
        for errors in [vec![Some(StorageFull)], vec![None, Some(StorageFull)], vec![Some(InvalidInput); 2]] {
            let expected = errors.iter().rev().flatten().next().copied();
            let failed = zero(&Fake::failing(errors), BYTES, Pace::Now).unwrap_err();
            assert_eq!(Some(failed.kind()), expected);
        }
    }

    /// One that is stopped leaves no file behind; a small one has room for its header and a batch all the same.
    #[test]
    fn a_stopped_one_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::from(dir.path());
        let (stop, hurry) = (AtomicBool::new(true), AtomicBool::new(true));
        let pace = Pace::Beside { stop: &stop, hurry: &hurry };
        assert!(Blank::create(&folder, "a.tmp", BYTES, pace).unwrap().is_none());
        assert_eq!(folder.names().unwrap(), [""; 0]);
        stop.store(false, Ordering::Relaxed);
        let made = Blank::create(&folder, "a.tmp", 1, pace).unwrap().unwrap();
        assert_eq!((made.bytes, made.file.len().unwrap()), (8_192, 8_192));
        made.discard();
        assert_eq!(folder.names().unwrap(), [""; 0]);
    }
}
