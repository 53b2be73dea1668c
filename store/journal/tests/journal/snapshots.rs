//! Snapshots (J10): written whole or not at all, verified, and replaced by older ones when damaged.

use std::fs;
use std::path::Path;

use crate::support::{append, edit, expected, recover, recover_from, writer};
use buttonwood_journal::{Fault, Mark, Note, snapshot};

fn load(dir: &Path) -> (Option<(Mark, Vec<u8>)>, Vec<Note>) {
    let mut notes = Vec::new();
    (snapshot::load_newest(dir, &mut notes).expect("no snapshot here is foreign or newer"), notes)
}

/// A payload comes back unchanged, across chunk borders, and recovery continues after it.
#[test]
fn a_snapshot_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    assert_eq!(load(dir.path()).0, None);
    for len in [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3_000_000] {
        let mark = append(&mut writer, 3);
        let payload: Vec<u8> = (0..=255).cycle().take(len).collect();
        let (front, back) = payload.split_at(len / 3);
        snapshot::write(dir.path(), &mark, &[front, back]).unwrap();
        let (newest, notes) = load(dir.path());
        assert_eq!(newest.unwrap(), (mark, payload));
        assert_eq!(notes, []);
    }
    let end = append(&mut writer, 4).seq;
    drop(writer);
    let (mark, _) = load(dir.path()).0.unwrap();
    assert_eq!(recover_from(dir.path(), Some(&mark)).unwrap().1, expected(end).split_off(18));
}

/// One block of header, eight bytes before each chunk of at most 1 MiB, a footer of 48 bytes: every version reads
/// this layout.
#[test]
fn a_snapshot_keeps_its_layout() {
    const MIB: usize = 1024 * 1024;
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    for (len, chunks) in [(0, 0), (1, 1), (MIB, 1), (MIB + 1, 2), (3 * MIB, 3)] {
        let mark = append(&mut writer, 1);
        let path = snapshot::write(dir.path(), &mark, &[&vec![5; len]]).unwrap();
        let bytes = fs::read(path).unwrap();
        assert_eq!(bytes.len(), 4096 + 8 * chunks + len + 48, "{len} bytes");
        let first = bytes[4096..4100].try_into().map(u32::from_le_bytes).unwrap();
        assert_eq!(usize::try_from(first).unwrap(), len.min(MIB));
    }
}

/// Snapshots of marks 3, 6, 9 and 12, of which the newest two are kept.
fn four(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut writer = writer(dir);
    (0..4_u8)
        .map(|payload| {
            let mark = append(&mut writer, 3);
            snapshot::write(dir, &mark, &[&[payload; 5000]]).expect("there is room for a snapshot")
        })
        .collect()
}

/// The newest two good ones are kept; damaged ones do not count.
#[test]
fn two_good_ones_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let paths = four(dir.path());
    let there: Vec<bool> = paths.iter().map(|path| path.exists()).collect();
    assert_eq!(there, [false, false, true, true]);

    edit(&paths[3], |bytes| bytes[5000] ^= 1);
    let mut writer = writer(dir.path());
    let mark = append(&mut writer, 1);
    snapshot::write(dir.path(), &mark, &[b"x"]).unwrap();
    assert!(paths[2].exists(), "the damaged one is no second");
}

/// After a flip anywhere, the older one is loaded with a note. Proves SNAP-BITFLIP.
#[test]
fn a_damaged_one_falls_back_to_the_older() {
    let dir = tempfile::tempdir().unwrap();
    let newest = four(dir.path()).pop().unwrap();
    let good = fs::read(&newest).unwrap();
    for at in (0..130).chain((130..4096).step_by(89)).chain(4096..4200).chain(good.len() - 60..good.len()) {
        edit(&newest, |bytes| bytes[at] ^= 0x20);
        let (found, notes) = load(dir.path());
        assert_eq!(found.unwrap().1, [2; 5000], "byte {at}");
        assert!(matches!(notes.as_slice(), [Note::SnapshotSkipped { .. }]), "byte {at}: {notes:?}");
        fs::write(&newest, &good).unwrap();
    }
    for len in (0..good.len()).step_by(101) {
        fs::write(&newest, &good[..len]).unwrap();
        assert_eq!(load(dir.path()).0.unwrap().1, [2; 5000], "cut to {len}");
    }
    fs::write(&newest, [good.as_slice(), &[0]].concat()).unwrap();
    assert_eq!(load(dir.path()).0.unwrap().1, [2; 5000], "longer than it was");
}

/// A skipped snapshot is reported with the reason and the byte of the file that shows it.
#[test]
fn a_skipped_one_tells_why() {
    /// Where the only chunk, the footer and the end of the file are.
    const CHUNK: usize = 4096;
    const FOOTER: usize = CHUNK + 8 + 5000;
    const END: usize = FOOTER + 48;
    let dir = tempfile::tempdir().unwrap();
    let newest = four(dir.path()).pop().unwrap();
    let good = fs::read(&newest).unwrap();
    assert_eq!(good.len(), END);
    let told = |change: &dyn Fn(&mut Vec<u8>)| {
        fs::write(&newest, &good).unwrap();
        edit(&newest, change);
        let (found, notes) = load(dir.path());
        assert_eq!(found.unwrap().1, [2; 5000]);
        let [Note::SnapshotSkipped { path, reason }] = notes.as_slice() else { panic!("{notes:?}") };
        assert_eq!(path, &newest);
        let (_, told) = reason.split_once(" at offset ").unwrap();
        told.to_owned()
    };
    let cut = |len: usize| told(&|bytes| bytes.truncate(len));
    assert_eq!(told(&|bytes| bytes[9] ^= 1), "0: header checksum mismatch");
    assert_eq!(told(&|bytes| bytes[..CHUNK].fill(0)), "0: header checksum mismatch");
    let other = 11_u64.to_le_bytes();
    let renamed = told(&|bytes| crate::support::forge(&mut bytes[..CHUNK], 28, &other));
    assert_eq!(renamed, "0: out of sequence: it begins at seq 11");
    assert_eq!(cut(CHUNK - 1), "0: the file is cut short");
    assert_eq!(cut(CHUNK + 7), "4096: the file is cut short");
    assert_eq!(cut(FOOTER - 1), "4096: the file is cut short");
    for len in [(1 << 20) + 1, u32::MAX] {
        let long = told(&|bytes| bytes[CHUNK..CHUNK + 4].copy_from_slice(&len.to_le_bytes()));
        assert_eq!(long, "4096: impossible length");
    }
    let longest = told(&|bytes| bytes[CHUNK..CHUNK + 4].copy_from_slice(&(1_u32 << 20).to_le_bytes()));
    assert_eq!(longest, "4096: the file is cut short");
    assert_eq!(told(&|bytes| bytes[FOOTER - 1] ^= 1), "4096: content checksum mismatch");
    assert_eq!(cut(FOOTER + 7), "9104: the file is cut short");
    assert_eq!(cut(END - 1), "9104: the file is cut short");
    assert_eq!(told(&|bytes| bytes[END - 1] ^= 1), "9104: content checksum mismatch");
    let total = 4_999_u64.to_le_bytes();
    let miscounted = told(&|bytes| crate::support::forge(&mut bytes[FOOTER..], 4, &total));
    assert_eq!(miscounted, "9104: content checksum mismatch");
    let hashed = told(&|bytes| crate::support::forge(&mut bytes[FOOTER..], 12, &[7; 32]));
    assert_eq!(hashed, "9104: content checksum mismatch");
    assert_eq!(told(&|bytes| bytes.push(0)), "9152: impossible length");
}

/// A damaged header does not stop the start, and its fields are ignored. A snapshot with only its payload damaged was
/// whole once, and what it stood for was acknowledged.
#[test]
fn a_damaged_header_is_passed_over_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let paths = four(dir.path());
    crate::support::forget_watermark(dir.path());
    edit(&crate::support::segment(dir.path(), 1), |bytes| bytes[3 * 4096..].fill(0));
    edit(&paths[2], |bytes| bytes[0] ^= 1);
    edit(&paths[3], |bytes| bytes[5000] ^= 1);
    let refused = recover(dir.path()).unwrap_err();
    assert!(matches!(&refused, Fault::Behind { watermark: 12, seen, .. } if *seen == paths[3]), "{refused}");
    edit(&paths[3], |bytes| bytes[0] ^= 1);
    assert_eq!(recover(dir.path()).unwrap().1, expected(6));
}

/// Nor does one that cannot be read: here a folder has its name.
#[test]
fn an_unreadable_header_is_passed_over_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    // The older one first; the newer one is still loaded.
    for (path, told) in four(dir.path()).into_iter().skip(2).zip([(true, 0), (false, 2)]) {
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let (found, notes) = load(dir.path());
        assert_eq!((found.is_some(), notes.len()), told, "{notes:?}");
        assert!(notes.iter().all(|note| note.to_string().contains("cannot read")), "{notes:?}");
        assert_eq!(recover(dir.path()).unwrap().1, expected(12));
    }
}

/// With both damaged, the whole journal is replayed; with the journal damaged too, recovery fails.
#[test]
fn without_a_good_one_the_journal_answers() {
    let dir = tempfile::tempdir().unwrap();
    for path in four(dir.path()).into_iter().skip(2) {
        edit(&path, |bytes| bytes[4100] ^= 1);
    }
    let (found, notes) = load(dir.path());
    assert_eq!((found, notes.len()), (None, 2));
    assert_eq!(recover(dir.path()).unwrap().1, expected(12));
}

/// An interrupted write leaves the older ones, and its remains are removed. Proves SNAP-CRASH.
#[test]
fn an_interrupted_one_is_swept() {
    let dir = tempfile::tempdir().unwrap();
    let newest = four(dir.path()).pop().unwrap();
    let refused = snapshot::write_with(dir.path(), &load(dir.path()).0.unwrap().0, |out| {
        out.write_all(&vec![1; 2_000_000])?;
        Err(std::io::Error::other("the fold stopped"))
    });
    assert!(matches!(refused, Err(Fault::Io { .. })));
    assert_eq!(load(dir.path()).0.unwrap().1, [3; 5000], "the good one of the same mark is untouched");
    let unfinished = newest.with_extension("tmp");
    assert!(!unfinished.exists());
    fs::write(&unfinished, &fs::read(&newest).unwrap()[..4500]).unwrap();
    recover(dir.path()).unwrap();
    assert!(!unfinished.exists());
}

/// Snapshots of a later format or of another journal stop the start. Proves INV-JRN-3.
#[test]
fn newer_and_foreign_ones_are_refused() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let newest = four(dir.path()).pop().unwrap();
    let good = fs::read(&newest).unwrap();
    fs::copy(four(other.path()).pop().unwrap(), &newest).unwrap();
    assert!(matches!(snapshot::load_newest(dir.path(), &mut Vec::new()), Err(Fault::Foreign { .. })));
    assert!(matches!(recover(dir.path()), Err(Fault::Foreign { .. })));

    fs::write(&newest, good).unwrap();
    edit(&newest, |bytes| {
        bytes[8] = 9;
        let crc = crc32c::crc32c(&bytes[..4092]).to_le_bytes();
        bytes[4092..4096].copy_from_slice(&crc);
    });
    let refused = recover(dir.path()).unwrap_err();
    assert!(refused.to_string().contains("format 9"), "{refused}");
}

/// A journal that ends before a snapshot was rolled back, with or without a watermark file. Proves INV-JRN-2's guard,
/// J7.
#[test]
fn a_journal_behind_its_snapshot_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    four(dir.path());
    crate::support::forget_watermark(dir.path());
    edit(&crate::support::segment(dir.path(), 1), |bytes| bytes[3 * 4096..].fill(0));
    let (mark, _) = load(dir.path()).0.unwrap();
    for from in [None, Some(&mark)] {
        let refused = recover_from(dir.path(), from).unwrap_err();
        assert!(matches!(refused, Fault::Behind { watermark: 12, .. }), "{refused}");
    }
}
