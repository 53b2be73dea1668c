//! Segments in an archive: moving them, reading them there, doing without them, crashes and damage (rule J15).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::{Content, SMALL, append, edit, expected, recover_from, segment, writer};
use buttonwood_disk::Folder;
use buttonwood_disk::watched::{Call, Warden, Watched};
use buttonwood_journal::{Fault, Flaw, Journal, Mark, Mover, Reader, ReplayError, snapshot};
use tempfile::TempDir;

/// A journal of several segments with two snapshots, the last command, and the folder for its archive.
struct Scene {
    home: TempDir,
    oldest: Mark,
    end: u64,
}

impl Scene {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("journal");
        let mut writer = writer(&dir);
        let grow = |writer: &mut buttonwood_journal::Writer, segments: u64| {
            let goal = writer.mark().segment + segments;
            while writer.mark().segment < goal {
                append(writer, 20);
            }
            let mark = writer.mark();
            snapshot::write(dir.as_path(), &mark, &[b"state"]).unwrap();
            mark
        };
        let oldest = grow(&mut writer, 3);
        grow(&mut writer, 1);
        let end = append(&mut writer, 3).seq;
        drop(writer);
        Self { home, oldest, end }
    }

    fn dir(&self) -> PathBuf {
        self.home.path().join("journal")
    }

    fn archive(&self) -> PathBuf {
        self.home.path().join("archive")
    }

    /// Copies of both folders, elsewhere.
    fn copy(&self) -> Self {
        let home = tempfile::tempdir().unwrap();
        for name in ["journal", "archive"] {
            let Ok(entries) = fs::read_dir(self.home.path().join(name)) else { continue };
            fs::create_dir(home.path().join(name)).unwrap();
            for entry in entries {
                let path = entry.unwrap().path();
                fs::copy(&path, home.path().join(name).join(path.file_name().unwrap())).unwrap();
            }
        }
        Self { home, ..*self }
    }

    /// Moves everything that may be moved.
    fn archive_all(&self) {
        move_all(&self.dir().as_path().into(), &self.archive().as_path().into()).unwrap();
    }

    /// The content from the first command on.
    fn content(&self, archive: Option<&Path>) -> Result<Content, Fault> {
        let mut content = Content::new();
        let mut journal = Journal::open(self.dir().as_path(), SMALL)?.with_archive(archive.map(Folder::from));
        let read = journal.replay(None, |batch| {
            content.extend(batch.frames().map(|(seq, frame)| (seq, frame.to_vec())));
            Ok::<_, std::convert::Infallible>(())
        });
        match read {
            Ok(_) => Ok(content),
            Err(ReplayError::Fault(fault)) => Err(fault),
            Err(ReplayError::Refused(never)) => match never {},
        }
    }

    #[track_caller]
    fn check_whole(&self) {
        assert!(self.content(Some(&self.archive())).unwrap() == expected(self.end));
    }
}

fn move_all(dir: &Folder, archive: &Folder) -> Result<(), Fault> {
    loop {
        let mut mover = Mover::open(dir, archive)?.unwrap();
        let Some(end) = mover.next()? else { return Ok(()) };
        mover.move_before(&end)?;
    }
}

fn delete_all(dir: &Folder) -> Result<(), Fault> {
    loop {
        let mut mover = Mover::deleting(dir)?.unwrap();
        let Some(end) = mover.next()? else { return Ok(()) };
        mover.move_before(&end)?;
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".segment"))
        .collect();
    names.sort();
    names
}

/// A disk that dies at a call, and may refuse links.
#[derive(Clone, Debug)]
struct Dying {
    calls: Arc<AtomicU64>,
    last: u64,
    links: bool,
}

impl Warden for Dying {
    fn around(&self, _: &Path, call: Call<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        if matches!(call, Call::Read) {
            return act();
        }
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.last {
            return Err(io::Error::other("the process has ended"));
        }
        if matches!(call, Call::Link(_)) && !self.links {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        act()
    }
}

/// Segments before the oldest snapshot are moved, and no other. The journal is read whole with its archive; without it, it
/// is read from a snapshot, and a reader that needs all names the archive.
#[test]
fn old_segments_are_moved() {
    let scene = Scene::new();
    let before = names(&scene.dir());
    scene.archive_all();
    let (kept, moved) = (names(&scene.dir()), names(&scene.archive()));
    assert_eq!([moved.clone(), kept.clone()].concat(), before, "moved, and nothing else");
    assert_eq!(kept[0], format!("{:010}.segment", scene.oldest.segment));
    scene.check_whole();

    let refused = scene.content(None).unwrap_err();
    assert!(matches!(refused, Fault::Archived { .. }) && !refused.is_damage(), "{refused}");
    let nowhere = scene.content(Some(&scene.home.path().join("nowhere"))).unwrap_err().to_string();
    assert!(nowhere.contains("nowhere") && nowhere.contains("--archive"), "{nowhere}");
    let (_, content, _) = recover_from(&scene.dir(), Some(&scene.oldest)).unwrap();
    assert_eq!(content.first().unwrap().0, scene.oldest.seq + 1);

    let read = |archive: Option<Folder>| Reader::open(scene.dir().as_path()).unwrap().with_archive(archive);
    let all = read(Some(scene.archive().as_path().into())).verify().unwrap();
    assert_eq!(all.commands, scene.end);
    let part = read(None).verify().unwrap();
    let archived = read(None).begins_after().unwrap().unwrap();
    assert_eq!((part.commands, part.end), (scene.end - archived.seq, all.end));
    // A second move finds nothing, and the journal goes on.
    scene.archive_all();
    assert_eq!(names(&scene.archive()), moved);
    let mut journal = Journal::open(scene.dir().as_path(), SMALL).unwrap();
    journal.replay(Some(&scene.oldest), |_| Ok::<_, Fault>(())).unwrap();
    append(&mut journal.into_writer().unwrap(), 5);
    assert!(scene.content(Some(&scene.archive())).unwrap() == expected(scene.end + 5));
}

/// A move that is cut off at any call, by a link or by a copy to another disk, loses nothing; the next one finishes it.
#[test]
fn every_interruption_is_survived() {
    for links in [true, false] {
        let base = Scene::new();
        for last in 0.. {
            let scene = base.copy();
            let calls = Arc::<AtomicU64>::default();
            let disk = Arc::new(Watched::by(Dying { calls, last, links }));
            let moved = move_all(
                &Folder::new(Arc::<Watched>::clone(&disk), scene.dir()),
                &Folder::new(disk, scene.archive()),
            );
            scene.check_whole();
            recover_from(&scene.dir(), Some(&scene.oldest)).unwrap();
            scene.archive_all();
            scene.check_whole();
            assert_eq!(names(&scene.dir())[0], format!("{:010}.segment", scene.oldest.segment));
            assert!(names(&scene.archive()).iter().all(|name| !name.ends_with("tmp")) || moved.is_err());
            if moved.is_ok() {
                assert!(last > 10, "{last} calls");
                break;
            }
        }
    }
}

/// Without an archive, segments before the oldest snapshot are deleted, whichever call cuts a deletion off. The journal is read from
/// that snapshot; a reader that needs all says that they were deleted, also with an archive that has the ones before.
#[test]
fn old_segments_are_deleted() {
    for archives_first in [false, true] {
        let base = Scene::new();
        if archives_first {
            let mut mover = Mover::open(base.dir().as_path(), base.archive().as_path()).unwrap().unwrap();
            let end = mover.next().unwrap().unwrap();
            mover.move_before(&end).unwrap();
        }
        let bytes = |scene: &Scene| Mover::deleting(scene.dir().as_path()).unwrap().unwrap().bytes().unwrap();
        for last in 0.. {
            let scene = base.copy();
            let disk = Arc::new(Watched::by(Dying { calls: Arc::default(), last, links: true }));
            let deleted = delete_all(&Folder::new(disk, scene.dir()));
            recover_from(&scene.dir(), Some(&scene.oldest)).unwrap();
            delete_all(&scene.dir().as_path().into()).unwrap();
            assert_eq!(names(&scene.dir())[0], format!("{:010}.segment", scene.oldest.segment));
            assert!(bytes(&scene) < bytes(&base));
            let (_, content, _) = recover_from(&scene.dir(), Some(&scene.oldest)).unwrap();
            assert_eq!(content.last().unwrap().0, scene.end);
            for archive in [None, Some(scene.archive())] {
                let refused = scene.content(archive.as_deref()).unwrap_err();
                assert!(matches!(refused, Fault::Archived { is_deleted: true, .. }), "{refused}");
                assert!(refused.to_string().contains("were deleted"), "{refused}");
                let archive = archive.as_deref().map(Folder::from);
                let mut reader = Reader::open(scene.dir().as_path()).unwrap().with_archive(archive);
                assert!(reader.begins_after().unwrap().is_some_and(|archived| archived.is_deleted()));
                assert_eq!(reader.verify().unwrap().end.seq, scene.end);
            }
            if deleted.is_ok() {
                assert!(last > 5, "{last} calls");
                break;
            }
        }
    }
}

/// Two snapshots must come after a segment before it is moved.
#[test]
fn one_snapshot_is_not_enough() {
    let scene = Scene::new();
    let newest = fs::read_dir(scene.dir())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "snap"))
        .max()
        .unwrap();
    edit(&newest, |bytes| bytes[100] ^= 1);
    scene.archive_all();
    assert!(names(&scene.archive()).is_empty());
}

/// No segment is moved while a reader holds the journal.
#[test]
fn a_reader_holds_the_segments() {
    let scene = Scene::new();
    let open = || Mover::open(scene.dir().as_path(), scene.archive().as_path()).unwrap();
    drop(open().unwrap());
    let mut reader = Reader::open(scene.dir().as_path()).unwrap();
    reader.hold().unwrap();
    assert!(open().is_none());
    drop(reader);
    assert!(open().is_some());
}

/// A damaged segment stays where it is; a damaged archived one is found by who reads it, and by no other; a lost one that was
/// not archived is damage.
#[test]
fn damage_is_found() {
    let scene = Scene::new();
    edit(&segment(&scene.dir(), 2), |bytes| bytes[4_500] ^= 1);
    let refused = move_all(&scene.dir().as_path().into(), &scene.archive().as_path().into()).unwrap_err();
    assert!(matches!(refused, Fault::Damaged { .. }), "{refused}");
    assert!(segment(&scene.dir(), 2).exists());

    let scene = Scene::new();
    scene.archive_all();
    edit(&segment(&scene.archive(), 2), |bytes| bytes[4_500] ^= 1);
    let found = scene.content(Some(&scene.archive())).unwrap_err();
    assert!(found.to_string().contains("archive/0000000002.segment"), "{found}");
    recover_from(&scene.dir(), Some(&scene.oldest)).unwrap();

    let lost = segment(&scene.dir(), scene.oldest.segment);
    fs::remove_file(&lost).unwrap();
    let found = recover_from(&scene.dir(), Some(&scene.oldest)).err().unwrap();
    assert!(matches!(found, Fault::Damaged { flaw: Flaw::Missing, .. }), "{found}");
}

/// A damaged, foreign or newer record is refused.
#[test]
fn a_wrong_record_is_refused() {
    let scene = Scene::new();
    scene.archive_all();
    let path = scene.dir().join("archived");
    let good = fs::read(&path).unwrap();
    for at in 0..good.len() {
        edit(&path, |bytes| bytes[at] ^= 1);
        assert!(scene.content(Some(&scene.archive())).is_err(), "byte {at}");
        fs::write(&path, &good).unwrap();
    }
    scene.check_whole();
}

/// An archive that another directory uses too, such as that of a restored copy, is not written over.
#[test]
fn an_archive_belongs_to_one_directory() {
    let scene = Scene::new();
    let mut twin = scene.copy();
    // The twin goes on differently, and archives first.
    let last = names(&twin.dir()).len();
    twin.end = append(&mut writer(&twin.dir()), 7).seq;
    assert!(last > 3);
    fs::create_dir(scene.archive()).unwrap();
    fs::copy(segment(&twin.dir(), 3), segment(&scene.archive(), 2)).unwrap();
    let refused = move_all(&scene.dir().as_path().into(), &scene.archive().as_path().into()).unwrap_err();
    assert!(segment(&scene.dir(), 2).exists(), "{refused}");
    fs::remove_file(segment(&scene.archive(), 2)).unwrap();
    fs::copy(segment(&scene.dir(), 2), segment(&scene.archive(), 2)).unwrap();
    edit(&segment(&scene.archive(), 2), |bytes| bytes[4_500] ^= 1);
    let refused = move_all(&scene.dir().as_path().into(), &scene.archive().as_path().into()).unwrap_err();
    assert!(matches!(refused, Fault::ArchiveDiffers { .. }), "{refused}");
    assert!(refused.to_string().contains("an archive of its own"));
    fs::remove_file(segment(&scene.archive(), 2)).unwrap();
    scene.archive_all();
    scene.check_whole();
}
