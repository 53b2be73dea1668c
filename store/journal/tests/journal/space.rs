//! How much disk space a journal uses at a time, and what it does without any (J4, J11), step by step on a disk of
//! known size.
#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its files has failed")]

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use buttonwood_disk::watched::{Call, Warden, Watched};
use buttonwood_disk::{Disk, Folder, System};
use buttonwood_journal::{Buffer, Fault, Journal, Options, Writer, snapshot};

const KIB: u64 = 1024;

/// A disk with a limited space; only reservations of files count.
#[derive(Clone, Debug)]
struct SmallDisk {
    space: Arc<Mutex<Space>>,
}

#[derive(Debug, Default)]
struct Space {
    left: u64,
    reserved: HashMap<PathBuf, u64>,
    /// Whether names changed without a sync of the directory.
    are_names_unsynced: bool,
    /// Files written to but not synced since.
    dirty: HashSet<PathBuf>,
    /// Whether syncs and reservations fail.
    is_failing: bool,
    /// Whether the next reservation panics.
    panics: bool,
    /// Number of reservations refused for lack of space.
    refused: usize,
}

impl SmallDisk {
    fn of(left: u64) -> Self {
        Self { space: Arc::new(Mutex::new(Space { left, ..Space::default() })) }
    }

    fn left(&self) -> u64 {
        self.space.lock().unwrap().left
    }

    fn set_left(&self, left: u64) {
        self.space.lock().unwrap().left = left;
    }

    /// Whether a power cut could lose anything but the watermark and the process id in the lock, which are only
    /// hints.
    fn is_unsynced(&self) -> bool {
        let space = self.space.lock().unwrap();
        let is_hint = |path: &&PathBuf| path.ends_with("watermark") || path.ends_with("lock");
        space.are_names_unsynced || space.dirty.iter().any(|path| !is_hint(&path))
    }

    fn note_write(&self, path: &Path) {
        self.space.lock().unwrap().dirty.insert(path.to_owned());
    }

    fn note_sync(&self, path: &Path) -> io::Result<()> {
        let mut space = self.space.lock().unwrap();
        space.dirty.remove(path);
        if space.is_failing { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
    }

    fn refused(&self) -> usize {
        self.space.lock().unwrap().refused
    }

    /// Whether this call is the one that panics.
    fn takes_panic(&self) -> bool {
        std::mem::take(&mut self.space.lock().unwrap().panics)
    }

    fn fail(&self) {
        self.space.lock().unwrap().is_failing = true;
    }

    fn reserve(&self, path: &Path, bytes: u64) -> io::Result<()> {
        assert!(!self.takes_panic(), "on purpose");
        let mut space = self.space.lock().unwrap();
        if space.is_failing {
            return Err(io::ErrorKind::Other.into());
        }
        let had = space.reserved.get(path).copied().unwrap_or_default();
        let more = bytes.saturating_sub(had);
        let Some(left) = space.left.checked_sub(more) else {
            space.refused += 1;
            return Err(io::ErrorKind::StorageFull.into());
        };
        space.left = left;
        space.reserved.insert(path.to_owned(), had + more);
        Ok(())
    }

    fn renamed(&self, from: &Path, to: &Path) {
        let is_dirty = self.space.lock().unwrap().dirty.contains(from);
        assert!(!is_dirty, "{} is synced before it gets its name", from.display());
        if let Some(bytes) = self.forget(from) {
            self.space.lock().unwrap().reserved.insert(to.to_owned(), bytes);
        }
    }

    fn removed(&self, path: &Path) {
        let freed = self.forget(path).unwrap_or_default();
        self.space.lock().unwrap().left += freed;
    }

    /// Stops tracking a path; returns its reservation, if it had one.
    fn forget(&self, path: &Path) -> Option<u64> {
        let mut space = self.space.lock().unwrap();
        space.are_names_unsynced = true;
        space.dirty.remove(path);
        space.reserved.remove(path)
    }
}

impl Warden for SmallDisk {
    fn around(&self, path: &Path, call: Call<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        match call {
            Call::Write => self.note_write(path),
            Call::Sync => self.note_sync(path)?,
            Call::SyncNames => self.space.lock().unwrap().are_names_unsynced = false,
            Call::Reserve(bytes) => self.reserve(path, bytes)?,
            Call::Read | Call::Rename(_) | Call::Link(_) | Call::Remove => {}
        }
        act()?;
        match call {
            Call::Rename(to) => self.renamed(path, to),
            Call::Remove => self.removed(path),
            Call::Read | Call::Link(_) | Call::Write | Call::Sync | Call::SyncNames | Call::Reserve(_) => {}
        }
        Ok(())
    }

    fn free(&self, _: &Path) -> io::Result<u64> {
        Ok(self.left())
    }
}

fn folder(disk: &SmallDisk, path: &Path) -> Folder {
    Folder::new(Arc::new(Watched::by(disk.clone())), path)
}

const OPTIONS: Options =
    Options { first_segment_bytes: 64 * KIB, segment_bytes: 512 * KIB, ballast_bytes: 128 * KIB };

/// A writer without a thread, on the given disk.
fn writer(dir: &Path, disk: &SmallDisk) -> Writer {
    let mut journal = Journal::open(folder(disk, dir), OPTIONS).unwrap();
    journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
    journal.into_stepped_writer().unwrap()
}

/// Appends batches of one block each.
fn append(writer: &mut Writer, batches: u64) -> Result<(), Fault> {
    for _ in 0..batches {
        let mut batch = Buffer::new();
        let seq = writer.mark().seq + 1;
        batch.push(seq, |out| out.extend_from_slice(&crate::support::frame(seq)));
        writer.append(&mut batch)?;
    }
    Ok(())
}

/// Sizes of the files whose names end with `end`, oldest first.
fn sizes(dir: &Path, end: &str) -> Vec<u64> {
    let mut names = System.names(dir).unwrap();
    names.retain(|name| name.ends_with(end));
    names.sort();
    names.iter().map(|name| std::fs::metadata(dir.join(name)).unwrap().len()).collect()
}

/// A new segment begins when the last one is full to the last block. Each is four times as long as the one before, up
/// to the limit, and is prepared when a quarter of that one is used.
#[test]
fn segments_grow_with_the_traffic() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), &SmallDisk::of(1 << 30));
    append(&mut writer, 3).unwrap();
    writer.prepare().unwrap();
    assert_eq!(sizes(dir.path(), ".tmp"), [0; 0], "a quarter is not passed yet");
    append(&mut writer, 1).unwrap();
    writer.prepare().unwrap();
    assert_eq!(sizes(dir.path(), ".tmp"), [256 * KIB]);
    append(&mut writer, 11).unwrap();
    assert_eq!((writer.mark().segment, writer.mark().offset), (1, 64 * KIB));
    append(&mut writer, 1).unwrap();
    assert_eq!((writer.mark().segment, writer.mark().offset), (2, 8 * KIB));
    for _ in 0..300 {
        append(&mut writer, 1).unwrap();
        writer.prepare().unwrap();
    }
    let kib = [64, 256, 512, 512].map(|kib| kib * KIB);
    assert_eq!(sizes(dir.path(), ".segment")[..4], kib);
    drop(writer);
    assert_eq!(sizes(dir.path(), ".tmp"), [0; 0], "one that was not needed is not left behind");
}

/// If none is ready, the writer makes a small one, or one just large enough for the batch.
#[test]
fn a_segment_made_in_haste_is_small() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), &SmallDisk::of(1 << 30));
    append(&mut writer, 16).unwrap();
    let mut large = Buffer::new();
    large.push(17, |out| out.resize(out.len() + 100_000, 7));
    writer.append(&mut large).unwrap();
    // 100,000 bytes and 164 before them are 25 blocks, and the header takes one.
    assert_eq!(sizes(dir.path(), ".segment"), [64 * KIB, 64 * KIB, 26 * 4 * KIB]);
    assert_eq!((writer.mark().segment, writer.mark().offset), (3, 26 * 4 * KIB));
    // Its header gives the original length: the batch was written over zeros and did not lengthen the file (J4).
    let last = std::fs::read(crate::support::segment(dir.path(), 3)).unwrap();
    let told = last[92..].first_chunk().copied().map(u64::from_le_bytes);
    assert_eq!(told, Some(26 * 4 * KIB));
}

/// A prepared segment that is too small for a batch is kept for the next one.
#[test]
fn a_prepared_segment_may_be_too_small() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), &SmallDisk::of(1 << 30));
    append(&mut writer, 4).unwrap();
    writer.prepare().unwrap();
    let mut large = Buffer::new();
    large.push(5, |out| out.resize(out.len() + 300_000, 7));
    writer.append(&mut large).unwrap();
    assert_eq!(sizes(dir.path(), ".segment"), [64 * KIB, 75 * 4 * KIB]);
    assert_eq!(sizes(dir.path(), ".tmp"), [256 * KIB]);
    append(&mut writer, 1).unwrap();
    assert_eq!(sizes(dir.path(), ".segment"), [64 * KIB, 75 * 4 * KIB, 256 * KIB]);
}

/// The ballast is reserved before anything else is prepared. On a full disk it is released for a small segment, and
/// the writer reports low space. Small segments use the last space; the failure after that is reported as a full
/// disk.
#[test]
fn a_full_disk_takes_the_ballast_first() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of((64 + 128 + 32) * KIB);
    let mut writer = writer(dir.path(), &disk);
    assert_eq!((disk.left(), sizes(dir.path(), "ballast")), ((128 + 32) * KIB, vec![]));
    writer.prepare().unwrap();
    assert_eq!((disk.left(), sizes(dir.path(), "ballast")), (32 * KIB, vec![128 * KIB]));
    assert!(!writer.low_space());

    append(&mut writer, 4).unwrap();
    writer.prepare().unwrap();
    assert!(writer.low_space());
    assert_eq!((disk.left(), sizes(dir.path(), "ballast")), ((128 + 32 - 64) * KIB, vec![]));
    assert_eq!(sizes(dir.path(), ".tmp"), [64 * KIB]);
    // 15 batches per segment: two segments exist, and there is room for a third.
    append(&mut writer, 11 + 15 + 15).unwrap();
    let full = append(&mut writer, 1).unwrap_err();
    assert!(full.is_full(), "{full}");
    assert!(matches!(append(&mut writer, 1), Err(Fault::Poisoned { .. })));
    assert_eq!(sizes(dir.path(), ".segment"), [64 * KIB; 3]);
}

/// A disk with exactly enough room for the ballast provides it. With one byte less, space is low and no reservation
/// is attempted: an attempt would briefly take all the space.
#[test]
fn the_ballast_may_be_the_last_of_the_disk() {
    for (short, held) in [(0, vec![128 * KIB]), (1, vec![])] {
        let dir = tempfile::tempdir().unwrap();
        let disk = SmallDisk::of((64 + 128) * KIB - short);
        let writer = writer(dir.path(), &disk);
        writer.prepare().unwrap();
        assert_eq!((writer.low_space(), sizes(dir.path(), "ballast")), (short > 0, held), "{short} short");
        assert_eq!(disk.refused(), 0, "{short} short");
    }
}

/// A ballast left by an earlier run is kept, even with little other space. It is released if the small files that a
/// start writes would not fit otherwise.
#[test]
fn a_ballast_that_was_left_is_kept() {
    const SMALL_FILES: u64 = 256 * KIB;
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of(1 << 30);
    let options = Options { ballast_bytes: 384 * KIB, ..OPTIONS };
    let started = || {
        let folder = folder(&disk, dir.path());
        let mut journal = Journal::open(folder, options).unwrap();
        journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
        journal.into_stepped_writer().unwrap()
    };
    started().prepare().unwrap();
    disk.set_left(64 * KIB + SMALL_FILES);
    let writer = started();
    writer.prepare().unwrap();
    assert_eq!((disk.left(), sizes(dir.path(), "ballast")), (SMALL_FILES, vec![options.ballast_bytes]));
    assert!(!writer.low_space());
    drop(writer);
    disk.set_left(64 * KIB + SMALL_FILES - 1);
    let writer = started();
    assert_eq!(sizes(dir.path(), "ballast"), [0; 0]);
    assert_eq!(disk.left(), SMALL_FILES - 1 + options.ballast_bytes);
    assert!(writer.low_space());
}

/// Once there is more space than the ballast and two segments need, it is reserved again, and all orders are
/// accepted.
#[test]
fn the_ballast_comes_back_with_the_space() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of(100 * KIB);
    let mut writer = writer(dir.path(), &disk);
    writer.prepare().unwrap();
    assert!(writer.low_space(), "there is no room for the ballast");
    let enough = (128 + 2 * 512) * KIB;
    disk.set_left(enough);
    append(&mut writer, 1).unwrap();
    writer.prepare().unwrap();
    assert!(writer.low_space(), "that is all there must be");
    disk.set_left(enough + 1);
    writer.prepare().unwrap();
    assert!(!writer.low_space());
    assert_eq!((disk.left(), sizes(dir.path(), "ballast")), (2 * 512 * KIB + 1, vec![128 * KIB]));
    writer.prepare().unwrap();
    assert_eq!(disk.left(), 2 * 512 * KIB + 1, "once");
}

/// Without a ballast there is nothing to reserve, and a full disk still means low space.
#[test]
fn a_journal_may_do_without_a_ballast() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of(64 * KIB);
    let folder = folder(&disk, dir.path());
    let mut journal = Journal::open(folder, Options { ballast_bytes: 0, ..OPTIONS }).unwrap();
    journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
    let mut writer = journal.into_stepped_writer().unwrap();
    writer.prepare().unwrap();
    assert!(!writer.low_space());
    assert_eq!(sizes(dir.path(), "ballast"), [0; 0]);
    append(&mut writer, 4).unwrap();
    writer.prepare().unwrap();
    assert!(writer.low_space(), "there is no room for a segment");
    append(&mut writer, 11).unwrap();
    assert!(append(&mut writer, 1).unwrap_err().is_full());
}

/// A segment that did not fit is not tried again until the writer's next request, even if there is room by then.
#[test]
fn a_full_disk_is_not_tried_in_vain() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of(64 * KIB);
    let mut writer = writer(dir.path(), &disk);
    append(&mut writer, 4).unwrap();
    writer.prepare().unwrap();
    assert!(writer.low_space(), "there is room for nothing");
    disk.set_left(1 << 30);
    writer.prepare().unwrap();
    assert!(!writer.low_space());
    assert_eq!(sizes(dir.path(), ".tmp"), [0; 0], "nobody has asked");
    append(&mut writer, 1).unwrap();
    writer.prepare().unwrap();
    assert_eq!(sizes(dir.path(), ".tmp"), [256 * KIB]);
}

/// A failing disk is not treated as full: the failure is reported, the ballast stays, and no file is left over.
#[test]
fn a_failing_disk_is_not_a_full_one() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of(1 << 30);
    let mut writer = writer(dir.path(), &disk);
    writer.prepare().unwrap();
    append(&mut writer, 4).unwrap();
    disk.fail();
    let failed = writer.prepare().unwrap_err();
    assert!(failed.to_string().starts_with("cannot allocate the segment"), "{failed}");
    assert!(!writer.low_space());
    assert_eq!((sizes(dir.path(), "ballast"), sizes(dir.path(), ".tmp")), (vec![128 * KIB], vec![]));
}

/// The same holds for the ballast, if its space cannot be reserved for another reason than a full disk.
#[test]
fn a_ballast_that_fails_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of(1 << 30);
    let writer = writer(dir.path(), &disk);
    disk.fail();
    let failed = writer.prepare().unwrap_err();
    assert!(failed.to_string().starts_with("cannot reserve the ballast"), "{failed}");
}

/// The writer's thread does the same by itself: it reserves the ballast and makes requested segments.
#[test]
fn a_thread_prepares_beside_the_writer() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::open(dir.path(), OPTIONS).unwrap();
    journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
    let mut writer = journal.into_writer().unwrap();
    append(&mut writer, 4).unwrap();
    while (sizes(dir.path(), "ballast"), sizes(dir.path(), ".tmp")) != (vec![128 * KIB], vec![256 * KIB]) {
        std::thread::yield_now();
    }
    drop(writer);
    assert_eq!(sizes(dir.path(), ".tmp"), [0; 0], "the thread ends with the writer");
}

/// A panic of the thread is reported when the writer next needs a segment.
#[test]
fn a_thread_that_panics_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of(1 << 30);
    let mut journal = Journal::open(folder(&disk, dir.path()), OPTIONS).unwrap();
    journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
    let mut writer = journal.into_writer().unwrap();
    while sizes(dir.path(), "ballast") != [128 * KIB] {
        std::thread::yield_now();
    }
    disk.space.lock().unwrap().panics = true;
    append(&mut writer, 4).unwrap();
    while disk.space.lock().unwrap().panics {
        std::thread::yield_now();
    }
    let told = std::iter::repeat_with(|| append(&mut writer, 1)).find_map(Result::err).unwrap();
    assert!(told.to_string().contains("has panicked"), "{told}");
}

/// When a call returns, the bytes it wrote and the names it made or removed are durable: those of a new journal, a
/// segment, a batch, a snapshot, the ballast (J5, J14).
#[test]
fn everything_is_durable_when_a_call_returns() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of((64 + 128 + 64) * KIB);
    let folder = folder(&disk, dir.path());
    let journal = Journal::open(&folder, OPTIONS).unwrap();
    assert!(!disk.is_unsynced(), "the identity");
    drop(journal);
    let mut writer = writer(dir.path(), &disk);
    assert!(!disk.is_unsynced(), "the first segment");
    writer.prepare().unwrap();
    assert!(!writer.low_space() && !disk.is_unsynced());
    append(&mut writer, 16).unwrap();
    assert!(!disk.is_unsynced(), "the second segment");
    for _ in 0..3 {
        append(&mut writer, 1).unwrap();
        assert!(!disk.is_unsynced(), "a batch");
        snapshot::write(&folder, &writer.mark(), &[b"x"]).unwrap();
        assert!(!disk.is_unsynced(), "a snapshot, and the removal of the oldest");
    }
    writer.prepare().unwrap();
    assert!(writer.low_space() && !disk.is_unsynced(), "the ballast");
}

/// Files removed at a start stay removed, so that no later start reports them again (J5).
#[test]
fn what_is_swept_is_swept_for_good() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of(1 << 30);
    drop(writer(dir.path(), &disk));
    std::fs::write(dir.path().join("blank-3.tmp"), []).unwrap();
    let journal = Journal::open(folder(&disk, dir.path()), OPTIONS).unwrap();
    assert_eq!((journal.notes().len(), disk.is_unsynced()), (1, false));
}

/// A failed sync is final: the batch is refused, and so is everything after it (J1).
#[test]
fn a_failed_sync_is_believed() {
    let dir = tempfile::tempdir().unwrap();
    let disk = SmallDisk::of(1 << 30);
    let mut writer = writer(dir.path(), &disk);
    append(&mut writer, 1).unwrap();
    disk.fail();
    let failed = append(&mut writer, 1).unwrap_err();
    assert!(matches!(failed, Fault::Append { seq: 2, offset: 8192, .. }), "{failed}");
    assert!(matches!(append(&mut writer, 1), Err(Fault::Poisoned { .. })));
    assert_eq!(writer.mark().seq, 1);
}
