//! A full disk (J11): the ballast is released, cancels are still journaled, nothing acknowledged is lost.
//!
//! Needs a small file system of its own, hence root and `mount`; without them the test prints that it was skipped.

use std::convert::Infallible;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::support::expected;
use buttonwood_journal::{Buffer, Fault, Journal, Options, Writer};
use buttonwood_testing::skipped;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

/// A tmpfs of 2 MiB, unmounted when dropped.
struct SmallDisk {
    dir: tempfile::TempDir,
}

impl SmallDisk {
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().ok()?;
        // By the system's call: the child process of a command would hold the locks of the other tests' journals until it runs.
        let mounted = mount("buttonwood-test", dir.path(), "tmpfs", MountFlags::empty(), Some(c"size=2m"));
        mounted.is_ok().then_some(Self { dir })
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: open files of a failed test would otherwise prevent it.
        let _ = unmount(self.dir.path(), UnmountFlags::DETACH);
    }
}

const TIGHT: Options =
    Options { first_segment_bytes: 64 * 1024, segment_bytes: 256 * 1024, ballast_bytes: 768 * 1024 };

fn recover(dir: &Path) -> (Journal, crate::support::Content) {
    let mut journal = Journal::open(dir, TIGHT).expect("a full disk does not prevent the opening");
    let mut content = crate::support::Content::new();
    let replayed = journal.replay(None, |batch| {
        content.extend(batch.frames().map(|(seq, frame)| (seq, frame.to_vec())));
        Ok::<_, Infallible>(())
    });
    replayed.expect("a full disk does not prevent the recovery");
    (journal, content)
}

fn append(writer: &mut Writer) -> Result<u64, Fault> {
    let mut batch = Buffer::new();
    let seq = writer.mark().seq + 1;
    batch.push(seq, |out| out.extend_from_slice(&crate::support::frame(seq)));
    writer.append(&mut batch).map(|mark| mark.seq)
}

fn await_ballast(dir: &Path) {
    while !dir.join("ballast").metadata().is_ok_and(|ballast| ballast.len() == TIGHT.ballast_bytes) {
        std::thread::yield_now();
    }
}

/// Batches are accepted after space became low, until the disk is full; recovery returns exactly those.
#[test]
fn low_space_leaves_room_for_cancels() {
    let Some(disk) = SmallDisk::mount() else {
        return skipped("a test of a full disk", "no root or no mount here");
    };
    let dir = disk.dir.path().join("journal");
    let mut writer = recover(&dir).0.into_writer().unwrap();
    // On a busy machine, the thread that reserves the ballast may come too late, after the batches filled the disk.
    await_ballast(&dir);
    let (mut taken_low, mut durable) = (0, 0);
    let full = loop {
        match append(&mut writer) {
            Ok(seq) => durable = seq,
            Err(fault) => break fault,
        }
        taken_low += u64::from(writer.low_space());
    };
    assert!(full.to_string().contains("No space left"), "{full}");
    assert!(taken_low > 100, "the ballast held {taken_low} commands");
    drop(writer);
    assert_eq!(recover(&dir).1, expected(durable));
}

/// A disk that another program filled does not prevent the start: the journal starts with low space.
#[test]
fn a_start_on_a_full_disk_uses_the_ballast() {
    let Some(disk) = SmallDisk::mount() else {
        return skipped("a test of a full disk", "no root or no mount here");
    };
    let dir = disk.dir.path().join("journal");
    let mut writer = recover(&dir).0.into_writer().unwrap();
    append(&mut writer).unwrap();
    await_ballast(&dir);
    drop(writer);

    let mut filler = File::create(disk.dir.path().join("filler")).unwrap();
    while filler.write_all(&[1; 4096]).is_ok() {}
    let mut writer = recover(&dir).0.into_writer().unwrap();
    assert!(writer.low_space());
    assert_eq!(append(&mut writer).unwrap(), 2);
}
