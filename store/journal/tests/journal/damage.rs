//! Damaged, torn, exchanged and rolled-back segment files (J3, J6 to J9): a torn tail is left out, other damage is
//! refused with its place, and altered bytes are never replayed.

use std::fs;
use std::path::Path;

use crate::support::{
    SMALL, Sample, append, copy, edit, expected, forge, forget_watermark, recover, recover_from, segment,
    writer,
};
use buttonwood_journal::{Fault, Flaw, Journal, Mark, Note, Reader, ReplayError, snapshot};
use sha2::{Digest, Sha256};

const SECTOR: usize = 512;

/// Magic, CRC, chain and hash of a batch, in bytes.
const FRONT: usize = 160;

/// A last batch whose first sectors alone reached the disk is left out. Proves JRN-TORN, J8.
#[test]
fn a_batch_torn_at_any_sector_is_left_out() {
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    let (start, end) = (sample.start(2), sample.start(3));
    for cut in (start..end).step_by(SECTOR) {
        let content = sample.recover_with(|bytes| bytes[cut..end].fill(0)).unwrap();
        let whole = sample.bytes[cut..end].iter().all(|byte| *byte == 0);
        assert_eq!(content, expected(if whole { 56 } else { 6 }), "cut at {cut}");
    }
}

/// The same if the sectors arrived in another order: a batch with any sector missing is torn.
#[test]
fn a_batch_with_any_sector_missing_is_left_out() {
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    let (start, end) = (sample.start(2), sample.start(3));
    for hole in (start..end).step_by(SECTOR) {
        let content = sample.recover_with(|bytes| bytes[hole..hole + SECTOR].fill(0)).unwrap();
        let unchanged = sample.bytes[hole..hole + SECTOR].iter().all(|byte| *byte == 0);
        assert_eq!(content, expected(if unchanged { 56 } else { 6 }), "hole at {hole}");
    }
}

/// Once acknowledged, the same damage is refused with its place. Proves JRN-TAILFLIP, J7.
#[test]
fn an_acknowledged_batch_is_never_called_torn() {
    let sample = Sample::new();
    let (start, end) = (sample.start(2), sample.start(3));
    for cut in (start..end).step_by(SECTOR) {
        let refused = sample.recover_with(|bytes| bytes[cut..end].fill(0));
        match refused {
            Ok(content) => assert_eq!(content, expected(56), "only padding was cut at {cut}"),
            Err(Fault::Damaged { seq, offset, .. }) => {
                assert_eq!((seq, offset), (7, sample.marks[2].offset), "cut at {cut}");
            }
            Err(Fault::Behind { end: 6, watermark: 56, .. }) if cut == start => {}
            Err(other) => panic!("cut at {cut}: {other}"),
        }
    }
}

/// A flip in any byte of a header is noticed: at the tail the batch is torn, or refused if it had been acknowledged.
#[test]
fn every_byte_of_the_last_header_counts() {
    let sample = Sample::new();
    let start = sample.start(2);
    for at in start..start + FRONT {
        let refused = sample.recover_with(|bytes| bytes[at] ^= 0x10).unwrap_err();
        assert!(matches!(refused, Fault::Damaged { seq: 7, .. }), "byte {at}: {refused}");
    }
    forget_watermark(sample.dir.path());
    for at in start..start + FRONT {
        assert_eq!(sample.recover_with(|bytes| bytes[at] ^= 0x10).unwrap(), expected(6), "byte {at}");
    }
}

/// A flip anywhere in a batch with others after it is refused, even without a watermark. Proves JRN-MIDFLIP.
#[test]
fn damage_in_the_middle_is_refused() {
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    let (start, end) = (sample.start(1), sample.start(2));
    for at in (start..start + FRONT).chain((start + FRONT..end).step_by(97)) {
        let refused = sample.recover_with(|bytes| bytes[at] ^= 1).unwrap_err();
        assert!(refused.to_string().starts_with("corrupt journal at seq 4"), "byte {at}: {refused}");
        assert!(matches!(refused, Fault::Damaged { flaw: Flaw::Middle { .. }, .. }), "byte {at}: {refused}");
    }
}

/// A flip in any byte of a segment's first block is noticed, including its padding.
#[test]
fn every_byte_of_the_segment_header_counts() {
    let sample = Sample::new();
    for at in (0..120).chain((120..4096).step_by(61)) {
        let refused = sample.recover_with(|bytes| bytes[at] ^= 4).unwrap_err();
        assert!(matches!(refused, Fault::Damaged { offset: 0, .. }), "byte {at}: {refused}");
    }
}

/// A file that was cut is refused wherever the cut is, even though no other file shows its content: a segment has its
/// full length before it gets its name.
#[test]
fn truncation_is_noticed() {
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    let whole = sample.bytes.len();
    for len in (0..whole).step_by(SECTOR).chain([whole - 1]) {
        let refused = sample.recover_with(|bytes| bytes.truncate(len)).unwrap_err();
        assert!(matches!(refused, Fault::Damaged { flaw: Flaw::Cut, .. }), "cut to {len}: {refused}");
    }
    assert_eq!(sample.recover_with(|_| {}).unwrap(), expected(sample.marks[3].seq));
}

/// A tail of zeros was never written. It is refused if something acknowledged is missing; otherwise the history ends
/// with the last whole batch.
#[test]
fn a_blank_tail_is_weighed_against_the_watermark() {
    let sample = Sample::new();
    // A batch whose padding alone is blank is whole.
    let last = |len: usize| {
        let end = |mark: &&Mark| usize::try_from(mark.offset).unwrap();
        let whole = |mark: &&Mark| sample.bytes[len.min(end(mark))..end(mark)].iter().all(|byte| *byte == 0);
        *sample.marks.iter().rfind(whole).unwrap()
    };
    for len in (4096..=sample.start(3)).rev().step_by(SECTOR) {
        let outcome = sample.recover_with(|bytes| bytes[len..].fill(0));
        assert_eq!(outcome.is_ok(), last(len) == sample.marks[3], "blank from {len}");
    }
    forget_watermark(sample.dir.path());
    for len in (4096..=sample.start(3)).step_by(SECTOR) {
        let content = sample.recover_with(|bytes| bytes[len..].fill(0)).unwrap();
        assert_eq!(content, expected(last(len).seq), "blank from {len}");
    }
}

/// A batch written to the wrong place is recognised, and so is a repeated one. Proves JRN-MISDIRECT, J9.
#[test]
fn a_misdirected_batch_is_recognised() {
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    let (first, second, third, end) = (sample.start(0), sample.start(1), sample.start(2), sample.start(3));
    for (from, to) in [(second, first), (first, second), (first, third), (second, third), (first, end)] {
        let refused = sample.recover_with(|bytes| bytes.copy_within(from..from + 4096, to)).unwrap_err();
        assert!(matches!(refused, Fault::Damaged { .. }), "{from} to {to}: {refused}");
    }
}

/// After a torn tail was left out, its remains are never read again, over any number of openings.
#[test]
fn leftovers_of_a_torn_tail_stay_harmless() {
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    let last = sample.start(3) - 4096;
    sample.recover_with(|bytes| bytes[last..last + SECTOR].fill(9)).unwrap();
    let (journal, ..) = recover(sample.dir.path()).unwrap();
    let note = journal.notes().iter().find(|note| matches!(note, Note::TornTail { seq: 6, .. })).unwrap();
    assert!(note.to_string().contains("after seq 6"), "{note}");
    drop(journal);
    for round in 1..5 {
        append(&mut writer(sample.dir.path()), 10);
        let (journal, content, _) = recover(sample.dir.path()).unwrap();
        assert_eq!(content, expected(6 + 10 * round));
        assert_eq!(journal.notes(), [], "the torn tail is sealed");
    }
}

/// A recovery that crashed before a new command was written leaves the same history.
#[test]
fn recovering_a_torn_tail_again_and_again_changes_nothing() {
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    let third = sample.start(2);
    sample.recover_with(|bytes| bytes[third + 200] ^= 1).unwrap();
    for _ in 0..4 {
        let (journal, content, _) = recover(sample.dir.path()).unwrap();
        assert_eq!(content, expected(6));
        drop(journal.into_writer().unwrap());
    }
    append(&mut writer(sample.dir.path()), 1);
    assert_eq!(recover(sample.dir.path()).unwrap().1, expected(7));
}

/// Several sealed segments in `dir`; returns the last mark.
fn several_segments(dir: &Path) -> Mark {
    let [.., last] = [5; 4].map(|count| append(&mut writer(dir), count));
    last
}

/// Segment files that were exchanged, duplicated, removed or taken from another journal are refused. Proves
/// JRN-SWAPFILES, J9.
#[test]
fn exchanged_segment_files_are_refused() {
    let other = tempfile::tempdir().unwrap();
    several_segments(other.path());
    let replace = |from: &Path, to: &Path| {
        fs::copy(from, to).unwrap();
    };
    let refuse = |name: &str, change: &dyn Fn(&Path)| {
        let dir = tempfile::tempdir().unwrap();
        several_segments(dir.path());
        forget_watermark(dir.path());
        change(dir.path());
        match recover(dir.path()) {
            Err(fault) => println!("{name}: {fault}"),
            Ok(_) => panic!("{name}: served"),
        }
    };
    refuse("swapped", &|dir| {
        fs::rename(segment(dir, 2), dir.join("x")).unwrap();
        fs::rename(segment(dir, 3), segment(dir, 2)).unwrap();
        fs::rename(dir.join("x"), segment(dir, 3)).unwrap();
    });
    refuse("doubled", &|dir| replace(&segment(dir, 4), &segment(dir, 5)));
    refuse("overwritten", &|dir| replace(&segment(dir, 2), &segment(dir, 3)));
    refuse("missing in the middle", &|dir| fs::remove_file(segment(dir, 2)).unwrap());
    refuse("missing at the front", &|dir| fs::remove_file(segment(dir, 1)).unwrap());
    refuse("foreign", &|dir| replace(&segment(other.path(), 4), &segment(dir, 4)));
    refuse("foreign batch appended", &|dir| {
        let foreign = fs::read(segment(other.path(), 2)).unwrap();
        edit(&segment(dir, 4), |bytes| bytes.extend_from_slice(&foreign));
    });
    refuse("empty", &|dir| fs::write(segment(dir, 4), []).unwrap());
    refuse("zeroed", &|dir| edit(&segment(dir, 4), |bytes| bytes.fill(0)));
    refuse("identity gone", &|dir| fs::remove_file(dir.join("identity")).unwrap());
    refuse("identity exchanged", &|dir| {
        replace(&other.path().join("identity"), &dir.join("identity"));
    });
}

/// A history without its identity is refused as such, even if only segments or only a snapshot is left. No new
/// identity is drawn.
#[test]
fn a_history_without_its_identity_is_refused() {
    for kept in [".segment", ".snap"] {
        let dir = tempfile::tempdir().unwrap();
        let mark = several_segments(dir.path());
        snapshot::write(dir.path(), &mark, &[b"x"]).unwrap();
        for entry in fs::read_dir(dir.path()).unwrap().map(Result::unwrap) {
            if !entry.file_name().to_str().unwrap().ends_with(kept) {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        let refused = recover(dir.path()).unwrap_err();
        let identity = dir.path().join("identity");
        assert!(
            matches!(&refused, Fault::Damaged { path, flaw: Flaw::Missing, .. } if *path == identity),
            "{kept}: {refused}"
        );
        assert!(!identity.exists());
    }
}

/// The files that are written in place or read first keep their lengths. A sector holds each, so none is ever torn,
/// and older and newer programs can read them.
#[test]
fn small_files_keep_their_lengths() {
    let dir = tempfile::tempdir().unwrap();
    drop(writer(dir.path()));
    let len = |name: &str| fs::metadata(dir.path().join(name)).unwrap().len();
    assert_eq!((len("identity"), len("watermark")), (32, 40));
}

/// The watermark shows that an older copy of a file was restored. Proves JRN-ROLLBACK, J7.
#[test]
fn a_rolled_back_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    several_segments(dir.path());
    let backup = tempfile::tempdir().unwrap();
    copy(dir.path(), backup.path());
    append(&mut writer(dir.path()), 5);

    let last = segment(dir.path(), 5);
    let kept = fs::read(&last).unwrap();
    edit(&last, |bytes| bytes[4096..].fill(0));
    assert!(matches!(recover(dir.path()), Err(Fault::Behind { end: 20, watermark: 25, .. })));
    fs::remove_file(&last).unwrap();
    let refused = recover(dir.path()).unwrap_err();
    assert!(matches!(refused, Fault::Behind { end: 20, watermark: 25, .. }), "{refused}");
    fs::write(&last, kept).unwrap();
    assert!(recover(dir.path()).is_ok());

    // Only another source can show that a whole directory was rolled back.
    let mut journal = Journal::open(backup.path(), SMALL).unwrap();
    journal.expect_at_least(25, Path::new("the read models"));
    let refused = journal.replay(None, |_| Ok::<_, Fault>(())).unwrap_err();
    assert!(refused.to_string().contains("the read models shows that seq 25 was acknowledged"), "{refused}");
}

/// Files of a later format are distinguished from damage. Proves INV-JRN-3.
#[test]
fn a_newer_format_is_refused_by_name() {
    let sample = Sample::new();
    let newer = |bytes: &mut [u8]| forge(bytes, 8, &[2]);
    let third = sample.start(2);
    for (range, newest) in [(0..4096, 1), (third..third + 128, 2)] {
        let claims = |bytes: &mut Vec<u8>| forge(&mut bytes[range], 8, &[newest + 1]);
        let Err(Fault::Version { found, supported, .. }) = sample.recover_with(claims) else { panic!() };
        assert_eq!((found, supported), (u32::from(newest) + 1, u32::from(newest)));
    }
    sample.recover_with(|_| {}).unwrap();
    for name in ["identity", "watermark"] {
        let path = sample.dir.path().join(name);
        let kept = fs::read(&path).unwrap();
        edit(&path, |bytes| newer(bytes));
        let refused = recover(sample.dir.path()).unwrap_err();
        assert!(matches!(refused, Fault::Version { found: 2, .. }), "{name}: {refused}");
        fs::write(&path, kept).unwrap();
    }
}

/// A batch with an intact header that does not belong there is no torn tail: no crash leaves one. Each wrong field
/// gives its own flaw.
#[test]
fn a_whole_header_that_does_not_belong_is_refused() {
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    let start = sample.start(2);
    let offset = sample.marks[2].offset;
    let (long, longer) = (32 * 1024 * 1024 - 160_u32, 32 * 1024 * 1024 - 159_u32);
    let number = |value: u64| value.to_le_bytes().to_vec();
    let cases = [
        (28, number(2), Flaw::Place { segment: 2, offset }),
        (36, number(4096), Flaw::Place { segment: 1, offset: 4096 }),
        (44, number(2), Flaw::Sequence { first: 7 }),
        (52, number(6), Flaw::Sequence { first: 6 }),
        (52, number(8), Flaw::Sequence { first: 8 }),
        (68, number(7), Flaw::Sequence { first: 7 }),
        (84, vec![7; 32], Flaw::Chain),
        (60, vec![0; 4], Flaw::Length),
        (64, longer.to_le_bytes().to_vec(), Flaw::Length),
    ];
    for (at, field, expected) in cases {
        let refused =
            sample.recover_with(|bytes| forge(&mut bytes[start..start + 128], at, &field)).unwrap_err();
        let Fault::Damaged { seq: 7, flaw, offset: place, .. } = refused else { panic!("{at}: {refused}") };
        assert_eq!((flaw, place), (expected, offset), "byte {at}");
    }
    // The longest possible batch ends after the end of the file, as a torn one may.
    let content = sample.recover_with(|bytes| forge(&mut bytes[start..start + 128], 64, &long.to_le_bytes()));
    assert_eq!(content.unwrap(), expected(6));
}

/// The number of frames matches the header, and they fill the body. A batch that breaks this with correct checksums,
/// as only a faulty writer can make, is refused.
#[test]
fn frames_fill_their_batch() {
    let sample = Sample::new();
    forget_watermark(sample.dir.path());
    let start = sample.start(2);
    let body = u32::from_le_bytes(sample.bytes[start + 64..start + 68].try_into().unwrap());
    let written = |count: u32, body: u32| {
        sample.recover_with(|bytes| {
            let batch = &mut bytes[start..];
            forge(&mut batch[..128], 60, &[count.to_le_bytes(), body.to_le_bytes()].concat());
            let (front, rest) = batch.split_at_mut(FRONT);
            let (header, hash) = front.split_at_mut(128);
            let body = &rest[..usize::try_from(body).unwrap()];
            hash.copy_from_slice(&Sha256::new().chain_update(header).chain_update(body).finalize());
        })
    };
    assert_eq!(written(50, body).unwrap(), expected(56));
    for (count, body) in [(49, body), (51, body), (50, body + 1)] {
        let refused = written(count, body).unwrap_err();
        assert!(matches!(refused, Fault::Damaged { seq: 7, flaw: Flaw::Frames, .. }), "{count}: {refused}");
    }
}

/// The same for the header of a segment.
#[test]
fn a_segment_that_does_not_belong_is_refused() {
    let refused = |segment_number: u64, at: usize, field: &[u8]| {
        let dir = tempfile::tempdir().unwrap();
        several_segments(dir.path());
        forget_watermark(dir.path());
        edit(&segment(dir.path(), segment_number), |bytes| forge(&mut bytes[..4096], at, field));
        match recover(dir.path()) {
            Err(Fault::Damaged { path, offset, seq, flaw }) => {
                let name = path.file_name().unwrap().to_str().unwrap();
                (name[..10].parse::<u64>().unwrap(), offset, seq, flaw)
            }
            other => panic!("segment {segment_number}, byte {at}: {other:?}"),
        }
    };
    let number = |value: u64| value.to_le_bytes();
    assert_eq!(refused(2, 28, &number(3)), (2, 0, 1, Flaw::Place { segment: 3, offset: 0 }));
    assert_eq!(refused(2, 36, &number(0)), (2, 0, 6, Flaw::Sequence { first: 6 }), "an earlier opening");
    assert_eq!(refused(2, 44, &number(7)), (2, 0, 6, Flaw::Sequence { first: 7 }));
    assert_eq!(refused(2, 60, &[7; 32]), (2, 0, 6, Flaw::Chain));
    assert_eq!(refused(2, 92, &number(1 << 40)), (2, 0, 1, Flaw::Cut));
    assert_eq!(refused(1, 44, &number(2)), (1, 0, 1, Flaw::Chain), "the first begins with the first command");
    assert_eq!(refused(1, 60, &[7; 32]), (1, 0, 1, Flaw::Chain), "and with this journal's own chain");
}

/// A batch ends exactly where the next segment says that this one ends.
#[test]
fn a_segment_ends_where_the_next_one_says() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = writer(dir.path());
    let marks = [append(&mut first, 3), append(&mut first, 50)];
    drop(first);
    append(&mut writer(dir.path()), 3);
    forget_watermark(dir.path());
    let end = marks[1].offset;
    for (told, at, seq, flaw) in [
        (end - 4096, marks[0].offset, 4, Flaw::Length),
        (end + 4096, end, 54, Flaw::Blank),
        (marks[0].offset, 0, 4, Flaw::Sequence { first: 54 }),
    ] {
        edit(&segment(dir.path(), 2), |bytes| forge(&mut bytes[..4096], 52, &told.to_le_bytes()));
        let refused = recover(dir.path()).unwrap_err();
        let Fault::Damaged { offset, seq: first, flaw: found, .. } = refused else { panic!("{refused}") };
        assert_eq!((offset, first, found), (at, seq, flaw), "told {told}");
    }
    edit(&segment(dir.path(), 2), |bytes| forge(&mut bytes[..4096], 52, &end.to_le_bytes()));
    assert_eq!(recover(dir.path()).unwrap().1, expected(56));
}

/// A start from a snapshot does not read the segments before it, but requires them. Proves JRN-SWAPFILES, J9.
#[test]
fn what_lies_before_a_snapshot_is_missed() {
    let refused = |change: &dyn Fn(&Path)| {
        let dir = tempfile::tempdir().unwrap();
        let mark = several_segments(dir.path());
        change(dir.path());
        let fault = recover_from(dir.path(), Some(&mark)).unwrap_err();
        let Fault::Damaged { path, flaw, .. } = fault else { panic!("{fault}") };
        (path.file_name().unwrap().to_owned(), flaw)
    };
    let name = |number| segment(Path::new(""), number).file_name().unwrap().to_owned();
    for number in 1..=4 {
        assert_eq!(
            refused(&|dir| fs::remove_file(segment(dir, number)).unwrap()),
            (name(number), Flaw::Missing)
        );
        let cut = |dir: &Path| edit(&segment(dir, number), |bytes| bytes.truncate(bytes.len() - 1));
        assert_eq!(refused(&cut), (name(number), Flaw::Cut));
        let garbled = |dir: &Path| edit(&segment(dir, number), |bytes| bytes[60] ^= 1);
        assert_eq!(refused(&garbled), (name(number), Flaw::Header));
    }
    // If a file does not say how long it is, the next one says how much it must hold.
    let short = |dir: &Path| {
        edit(&segment(dir, 2), |bytes| {
            forge(&mut bytes[..4096], 92, &[0; 8]);
            bytes.truncate(8191);
        });
    };
    assert_eq!(refused(&short), (name(3), Flaw::Length));
    let doubled = |dir: &Path| {
        fs::copy(segment(dir, 2), segment(dir, 3)).unwrap();
    };
    assert_eq!(refused(&doubled), (name(3), Flaw::Place { segment: 2, offset: 0 }));
    // Intact headers that do not belong there.
    let forged = |number: u64, at: usize, field: u64| {
        refused(&|dir| {
            edit(&segment(dir, number), |bytes| forge(&mut bytes[..4096], at, &field.to_le_bytes()));
        })
    };
    assert_eq!(forged(1, 44, 2), (name(1), Flaw::Chain));
    assert_eq!(forged(1, 60, 2), (name(1), Flaw::Chain));
    assert_eq!(forged(2, 44, 1), (name(2), Flaw::Sequence { first: 1 }));
    assert_eq!(forged(3, 36, 1), (name(3), Flaw::Sequence { first: 11 }));
    assert_eq!(forged(3, 44, 6), (name(3), Flaw::Sequence { first: 6 }));
    assert_eq!(
        forged(3, 52, 4096),
        (name(3), Flaw::Sequence { first: 11 }),
        "the one before it is not empty"
    );
    assert_eq!(forged(3, 52, 4095), (name(3), Flaw::Length));
    assert_eq!(forged(3, 52, 1 << 40), (name(3), Flaw::Length));
}

/// A flipped byte in those segments is found within the requested number of bytes.
#[test]
fn what_lies_before_a_snapshot_is_read_as_far_as_asked() {
    let dir = tempfile::tempdir().unwrap();
    let mark = several_segments(dir.path());
    let check = |bytes| {
        let mut journal = recover_from(dir.path(), Some(&mark)).unwrap().0;
        journal.check_before(&mark, bytes).map_err(|fault| fault.to_string())
    };
    check(u64::MAX).unwrap();
    edit(&segment(dir.path(), 2), |bytes| bytes[4096 + 700] ^= 1);
    let told = check(u64::MAX).unwrap_err();
    assert!(told.contains("0000000002.segment"), "{told}");
    // Two blocks each: the first block and one batch. A segment is read to its end once begun.
    check(8193).unwrap_err();
    check(8192).unwrap();
    check(0).unwrap();
}

/// A missing segment is named before the content of the one before it is verified.
#[test]
fn a_missing_segment_is_named() {
    for (number, first) in [(1, 1), (2, 1), (3, 6)] {
        let dir = tempfile::tempdir().unwrap();
        several_segments(dir.path());
        fs::remove_file(segment(dir.path(), number)).unwrap();
        let refused = recover(dir.path()).unwrap_err();
        let Fault::Damaged { path, offset: 0, seq, flaw: Flaw::Missing } = refused else {
            panic!("{refused}")
        };
        assert_eq!((path, seq), (segment(dir.path(), number), first));
    }
}

/// A segment that cannot be opened or read is not called damaged: its content may be intact.
#[test]
fn a_segment_that_cannot_be_read_is_not_called_damaged() {
    let dir = tempfile::tempdir().unwrap();
    several_segments(dir.path());
    let second = segment(dir.path(), 2);
    fs::remove_file(&second).unwrap();
    // A link to itself cannot be opened, and a folder cannot be read.
    std::os::unix::fs::symlink(&second, &second).unwrap();
    let refused = recover(dir.path()).unwrap_err();
    assert!(matches!(refused, Fault::Io { action: "open", .. }), "{refused}");
    fs::remove_file(&second).unwrap();
    fs::create_dir(&second).unwrap();
    let refused = recover(dir.path()).unwrap_err();
    assert!(matches!(refused, Fault::Io { action: "read", .. }), "{refused}");
}

/// A journal without segments has no history; a source that knows of one gets an error.
#[test]
fn a_journal_without_segments_has_no_history() {
    let dir = tempfile::tempdir().unwrap();
    let last = several_segments(dir.path());
    for number in 1..=4 {
        fs::remove_file(segment(dir.path(), number)).unwrap();
    }
    assert!(matches!(recover(dir.path()), Err(Fault::Behind { end: 0, watermark: 20, .. })));
    forget_watermark(dir.path());
    let refused = crate::support::recover_from(dir.path(), Some(&last)).unwrap_err();
    assert!(matches!(refused, Fault::Damaged { seq: 20, flaw: Flaw::Missing, .. }), "{refused}");
    let refused = Reader::open(dir.path()).unwrap().replay(None, 3, |_| Ok::<_, Fault>(())).unwrap_err();
    assert!(
        matches!(refused, ReplayError::Fault(Fault::Damaged { seq: 3, flaw: Flaw::Missing, .. })),
        "{refused}"
    );
    assert_eq!(recover(dir.path()).unwrap().1, []);
}

/// Files that a crash left unfinished are removed and reported. Proves JRN-RENAME, J5.
#[test]
fn unfinished_files_are_swept() {
    let dir = tempfile::tempdir().unwrap();
    let end = several_segments(dir.path());
    for (name, content) in [
        ("blank-0.tmp", vec![0; 70_000]),
        ("blank-1.tmp", fs::read(segment(dir.path(), 4)).unwrap()),
        ("snapshot-00000000000000000005.tmp", vec![1, 2, 3]),
        ("identity.tmp", vec![]),
    ] {
        fs::write(dir.path().join(name), content).unwrap();
        let (journal, content, _) = recover(dir.path()).unwrap();
        assert_eq!(content, expected(end.seq));
        assert!(matches!(journal.notes(), [Note::LeftoverRemoved { .. }]), "{name}");
        assert!(!dir.path().join(name).exists());
    }
}

/// A journal whose creation was interrupted before its identity had a name is created again.
#[test]
fn a_half_made_journal_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("lock"), "1").unwrap();
    fs::write(dir.path().join("identity.tmp"), [1; 7]).unwrap();
    append(&mut writer(dir.path()), 2);
    assert_eq!(recover(dir.path()).unwrap().1, expected(2));
}

/// A path that cannot be a directory is refused in one line that names it.
#[test]
fn an_impossible_directory_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let refused = Journal::open(&file.join("journal"), SMALL).unwrap_err().to_string();
    assert!(
        refused.starts_with("cannot create the journal directory") && !refused.contains('\n'),
        "{refused}"
    );
}
