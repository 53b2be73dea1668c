//! The page cache may show what the disk does not have: files are judged by the disk (J2, J10, J13).
#![expect(clippy::unwrap_used, reason = "a test that cannot prepare its files has failed")]

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::support::{Sample, append, edit, expected, forget_watermark, writer};
use buttonwood_disk::Folder;
use buttonwood_disk::watched::{Call, Warden, Watched};
use buttonwood_journal::{Fault, Flaw, Journal, Note, Reader, snapshot};

/// A disk that loses a part of each file whose name ends with `end`. The cache shows the whole file until it is
/// synced and read again.
#[derive(Debug)]
struct Lossy {
    end: &'static str,
    lost: std::ops::Range<usize>,
}

impl Warden for Lossy {
    fn around(&self, path: &Path, call: Call<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        act()?;
        if call == Call::Sync && path.to_str().is_some_and(|path| path.ends_with(self.end)) {
            edit(path, |bytes| bytes.get_mut(self.lost.clone()).unwrap().fill(0));
        }
        Ok(())
    }
}

fn lossy(dir: &Path, end: &'static str, lost: std::ops::Range<usize>) -> Folder {
    Folder::new(Arc::new(Watched::by(Lossy { end, lost })), dir)
}

/// A recovery reads the last segment from the disk. A lost part is a torn tail, or refused if it had been
/// acknowledged. Proves JRN-EIO-CACHE, J2.
#[test]
fn a_recovery_reads_the_tail_from_the_disk() {
    let recovered = |sample: &Sample| {
        let lost = sample.start(2)..sample.start(3);
        let mut journal =
            Journal::open(lossy(sample.dir.path(), ".segment", lost), crate::support::SMALL).unwrap();
        let mut content = crate::support::Content::new();
        let end = journal.replay(None, |batch| {
            content.extend(batch.frames().map(|(seq, frame)| (seq, frame.to_vec())));
            Ok::<_, Fault>(())
        });
        end.map(|end| (end.seq, content))
    };
    let refused = recovered(&Sample::new()).unwrap_err();
    assert!(refused.to_string().contains("seq 56"), "{refused}");
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    assert_eq!(recovered(&sample).unwrap(), (6, expected(6)));
}

/// A snapshot that the disk did not keep as written is refused and removed, and no older one is removed in its place.
/// Proves J10.
#[test]
fn a_snapshot_is_read_back_from_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    let good = [3, 3].map(|count| {
        let mark = append(&mut writer, count);
        snapshot::write(dir.path(), &mark, &[&[7; 5_000]]).unwrap()
    });
    let mark = append(&mut writer, 3);
    let refused = snapshot::write(lossy(dir.path(), ".snap", 4_500..4_501), &mark, &[&[8; 5_000]]);
    assert!(matches!(refused, Err(Fault::Damaged { flaw: Flaw::Content, .. })), "{refused:?}");
    let mut notes: Vec<Note> = Vec::new();
    let (newest, payload) = snapshot::load_newest(dir.path(), &mut notes).unwrap().unwrap();
    assert_eq!((newest.seq, payload.first(), notes), (6, Some(&7), vec![]));
    assert!(good.iter().all(|path| path.exists()));
}

/// The scrub finds damage that only the disk shows. Proves SCRUB-FLIP, J13.
#[test]
fn a_scrub_reads_from_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    for count in [5, 7] {
        append(&mut writer(dir.path()), count);
    }
    assert_eq!(Reader::open(dir.path()).unwrap().scrub(1).unwrap().commands, 5);
    let mut reader = Reader::open(lossy(dir.path(), ".segment", 4_096..4_608)).unwrap();
    assert!(matches!(reader.scrub(1), Err(Fault::Damaged { offset: 4_096, seq: 1, .. })));
}
