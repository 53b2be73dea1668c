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

/// Bytes of zeros in one write. The writer's next batch may have to wait for one such write.
const PIECE: usize = 256 * 1024;

/// The pause between two pieces unless the writer needs the file soon: a busy disk makes the writer's syncs slow.
const REST: Duration = Duration::from_millis(2);

/// The smallest size of a segment: its header and one block of a batch.
const LEAST: u64 = 2 * BLOCK_BYTES;

static ZEROS: Zeros = Zeros([0; PIECE]);

/// Aligned to a block, because the writes bypass the page cache.
#[repr(align(4096))]
struct Zeros([u8; PIECE]);

const _: () = assert!(align_of::<Zeros>() == BLOCK, "an alignment is written as a number");

/// How zeros are written: at full speed or in the background.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pace<'a> {
    /// The writer waits for it.
    Now,
    /// In the background; the writer's syncs run in between.
    Beside {
        /// Set to give up.
        stop: &'a AtomicBool,
        /// Set when the writer will soon need the file.
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
    /// Creates `name` in `dir` with `bytes` zeros and makes it durable. `None` if `pace` stopped it.
    pub(crate) fn create(
        dir: &Folder,
        name: &str,
        bytes: u64,
        pace: Pace<'_>,
    ) -> Result<Option<Self>, Fault> {
        let path = dir.file(name);
        let file = dir.open(&path, Open::Truncate).map_err(io("create the segment", &path))?;
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

    /// Removes the file and frees its space. The next opening sweeps a file that cannot be removed now.
    pub(crate) fn discard(self) {
        let _ = files::remove(&self.dir, &self.path);
    }

    /// Turns it into segment `header.segment`: header, sync, rename, sync of the directory (J5). Returns its path.
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

/// Writes zeros over the whole file. Reserves the space first, so that a full disk fails before anything is written.
/// Leaves `file` bypassing the page cache if the file system allows that.
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
            // Some file systems refuse direct writes only now.
            Err(error) if is_direct && error.kind() == io::ErrorKind::InvalidInput => {
                file.bypass_cache(false)?;
                is_direct = false;
                continue;
            }
            Err(error) => return Err(error),
        }
        if !is_direct {
            // Without this, many dirty pages would pile up and delay the writer.
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

    /// Two full pieces and one block.
    const BYTES: u64 = 2 * 256 * 1024 + 4096;

    /// The whole file is written piece by piece from front to back, and synced once at the end.
    #[test]
    fn every_byte_is_written_and_synced() {
        let file = Fake::default();
        assert!(zero(&file, BYTES, Pace::Now).unwrap());
        let pieces = [Call::Write(0, 262_144), Call::Write(262_144, 262_144), Call::Write(524_288, 4_096)];
        let (front, back) = ([Call::Reserve(BYTES), Call::Bypass(true)], [Call::SyncAll]);
        assert_eq!(file.calls(), [front.as_slice(), &pieces, &back].concat());
    }

    /// Some file systems refuse direct writes only at the first write. Then the page cache is used and synced after
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

    /// Any other error ends the writing, and so does a second refusal of direct writes.
    #[test]
    fn other_failures_end_it() {
        for errors in [vec![Some(StorageFull)], vec![None, Some(StorageFull)], vec![Some(InvalidInput); 2]] {
            let expected = errors.iter().rev().flatten().next().copied();
            let failed = zero(&Fake::failing(errors), BYTES, Pace::Now).unwrap_err();
            assert_eq!(Some(failed.kind()), expected);
        }
    }

    /// A stopped creation leaves no file. A requested size that is too small is raised to a header and one block.
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
