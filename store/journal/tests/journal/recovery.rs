//! Recovery of journals after a clean end or a kill.

use crate::support::{SMALL, append, expected, recover, recover_from, writer};
use buttonwood_journal::{Batch, Buffer, Fault, Flaw, Journal, Reader, ReplayError};

/// An empty journal has no history, and starting it twice changes nothing.
#[test]
fn empty_journal_opens_again_and_again() {
    let dir = tempfile::tempdir().unwrap();
    for _ in 0..5 {
        let (journal, content, end) = recover(dir.path()).unwrap();
        assert_eq!((content.len(), end.seq), (0, 0));
        let writer = journal.into_writer().unwrap();
        assert_eq!(writer.mark().seq, 0);
    }
    let segments = std::fs::read_dir(dir.path()).unwrap().count();
    assert!(segments <= 5, "a start without a command leaves no further segment");
}

/// Appended frames come back, across segments, openings and batch sizes. Proves INV-JRN-1.
#[test]
fn appended_frames_come_back() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..6 {
        let mut writer = writer(dir.path());
        for count in [1, 2, 3, 50, 200, 1, 400] {
            append(&mut writer, count + round);
        }
    }
    let (journal, content, end) = recover(dir.path()).unwrap();
    assert_eq!(content, expected(end.seq));
    assert_eq!(journal.notes(), [], "an orderly end leaves nothing to tell");
}

/// A replay from any mark gives exactly the batches after it.
#[test]
fn every_mark_is_a_start() {
    let dir = tempfile::tempdir().unwrap();
    let mut marks = Vec::new();
    for _ in 0..3 {
        let mut writer = writer(dir.path());
        marks.push(writer.mark());
        for count in [1, 300, 20, 300, 5] {
            marks.push(append(&mut writer, count));
        }
    }
    let last = marks.last().unwrap().seq;
    for mark in &marks {
        let (_, content, end) = recover_from(dir.path(), Some(mark)).unwrap();
        assert_eq!(end.seq, last);
        assert_eq!(content, expected(last).split_off(usize::try_from(mark.seq).unwrap()));
    }
}

/// A replay reads nothing before the segment of its mark, and nothing after the one that holds its goal.
#[test]
fn a_replay_reads_only_what_it_needs() {
    let dir = tempfile::tempdir().unwrap();
    let marks = [5, 7, 9].map(|count| append(&mut writer(dir.path()), count));
    let mut reader = Reader::open(dir.path()).unwrap();
    let end = reader.replay(None, 12, |_| Ok::<_, Fault>(())).unwrap();
    assert_eq!(end, marks[1], "the end of the second segment, not the beginning of the third");
    let mut first = Vec::new();
    for from in [&marks[0], &end] {
        let again = |batch: &Batch<'_>| {
            first.push(batch.first_seq());
            Ok::<_, Fault>(())
        };
        reader.replay(Some(from), 12, again).unwrap();
    }
    assert_eq!(first, [6], "from an earlier mark it is read again");

    crate::support::edit(&crate::support::segment(dir.path(), 1), |bytes| bytes[5000] ^= 1);
    assert!(recover(dir.path()).is_err());
    assert_eq!(recover_from(dir.path(), Some(&marks[1])).unwrap().1, expected(21).split_off(12));
}

/// A reader that follows a writer treats a next segment that cannot be opened as a fault, not as missing.
#[cfg(unix)]
#[test]
fn a_segment_that_cannot_be_opened_is_not_missing() {
    let dir = tempfile::tempdir().unwrap();
    let mark = append(&mut writer(dir.path()), 3);
    let mut reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.replay(None, 3, |_| Ok::<_, Fault>(())).unwrap(), mark);
    let next = crate::support::segment(dir.path(), 2);
    std::os::unix::fs::symlink(&next, &next).unwrap();
    let refused = reader.replay(Some(&mark), 4, |_| Ok::<_, Fault>(())).unwrap_err();
    assert!(refused.to_string().starts_with(&format!("cannot open {}", next.display())), "{refused}");
}

/// The place before the first command is a valid start, even if it was taken when there was no segment.
#[test]
fn the_very_beginning_is_a_mark() {
    let dir = tempfile::tempdir().unwrap();
    let (journal, _, before) = recover(dir.path()).unwrap();
    let mut reader = Reader::open(dir.path()).unwrap();
    let start = reader.replay(None, 0, |_| Ok::<_, Fault>(())).unwrap();
    assert_eq!((start, start.segment), (before, 0));
    let mut writer = journal.into_writer().unwrap();
    append(&mut writer, 3);
    let mut seen = Vec::new();
    let visit = |batch: &Batch<'_>| {
        seen.extend(batch.frames().map(|(seq, frame)| (seq, frame.to_vec())));
        Ok::<_, Fault>(())
    };
    assert_eq!(reader.replay(Some(&start), 3, visit).unwrap(), writer.mark());
    assert_eq!(seen, expected(3));
    drop(writer);
    assert_eq!(recover_from(dir.path(), Some(&before)).unwrap().1, expected(3));
}

/// A mark of another history is refused (J7, J9).
#[test]
fn a_mark_that_is_not_in_this_history_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    append(&mut writer, 3);
    let mark = append(&mut writer, 3);
    drop(writer);
    for (seq, chain) in [(6, [7; 32]), (5, mark.chain), (9, mark.chain)] {
        let other = buttonwood_journal::Mark { seq, chain, ..mark };
        assert!(recover_from(dir.path(), Some(&other)).is_err(), "seq {seq}");
    }
}

/// A second opening is refused while the first lives, whether it has become a writer or not (J12).
#[test]
fn one_process_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let (journal, ..) = recover(dir.path()).unwrap();
    let refused = Journal::open(dir.path(), SMALL).unwrap_err();
    assert!(matches!(refused, Fault::Locked { .. }), "{refused}");
    // The process id too is written only after the recovery succeeded.
    assert!(!refused.to_string().contains("pid"), "{refused}");
    let writer = journal.into_writer().unwrap();
    let refused = Journal::open(dir.path(), SMALL).unwrap_err();
    assert!(matches!(refused, Fault::Locked { .. }), "{refused}");
    assert!(refused.to_string().contains(&format!("pid {}", std::process::id())), "{refused}");
    drop(writer);
    assert!(Journal::open(dir.path(), SMALL).is_ok());
}

/// A visitor that refuses stops the replay with its own error.
#[test]
fn a_visitor_may_refuse() {
    let dir = tempfile::tempdir().unwrap();
    append(&mut writer(dir.path()), 3);
    let mut journal = Journal::open(dir.path(), SMALL).unwrap();
    let refused = journal.replay(None, |batch| Err(batch.fingerprint())).unwrap_err();
    assert!(matches!(refused, ReplayError::Refused(1)));
}

/// A reader next to the writer sees exactly the durable batches, continues where it stopped, and verifies.
#[test]
fn a_reader_follows_the_writer() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    let mut reader = Reader::open(dir.path()).unwrap();
    let mut seen = Vec::new();
    let mut mark = None;
    for count in [1, 300, 2, 500, 700, 1, 1] {
        let durable = append(&mut writer, count);
        let place = reader
            .replay(mark.as_ref(), durable.seq, |batch| {
                seen.extend(batch.frames().map(|(seq, frame)| (seq, frame.to_vec())));
                Ok::<_, Fault>(())
            })
            .unwrap();
        assert_eq!((place.seq, place.chain), (durable.seq, durable.chain));
        mark = Some(place);
        let checked = reader.verify().unwrap();
        assert_eq!(checked.end.seq, durable.seq);
        for segment in reader.sealed().unwrap() {
            reader.scrub(segment).unwrap();
        }
    }
    assert_eq!(seen, expected(seen.last().unwrap().0));
}

/// A reader that follows a writer searches on from its place; a missing segment there is not the end of the history.
#[test]
fn a_follower_passes_over_no_missing_segment() {
    let dir = tempfile::tempdir().unwrap();
    append(&mut writer(dir.path()), 5);
    let mut reader = Reader::open(dir.path()).unwrap();
    let mut follow = |mark: Option<&_>, until| reader.replay(mark, until, |_| Ok::<_, Fault>(()));
    let mut mark = follow(None, 5).unwrap();
    for count in [7, 9] {
        let durable = append(&mut writer(dir.path()), count);
        mark = follow(Some(&mark), durable.seq).unwrap();
        assert_eq!(mark, durable);
    }
    for count in [2, 3] {
        append(&mut writer(dir.path()), count);
    }
    std::fs::remove_file(crate::support::segment(dir.path(), 4)).unwrap();
    let refused = follow(Some(&mark), 26).unwrap_err();
    assert!(matches!(refused, ReplayError::Fault(Fault::Damaged { seq: 22, .. })), "{refused}");
}

/// A batch larger than every prepared segment still gets space.
#[test]
fn a_large_batch_gets_a_segment_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path());
    append(&mut writer, 1);
    let mut batch = Buffer::new();
    batch.push(2, |out| out.extend_from_slice(&vec![7; 1_000_000]));
    writer.append(&mut batch).unwrap();
    drop(writer);
    let (_, content, _) = recover(dir.path()).unwrap();
    assert_eq!(content[1].1.len(), 1_000_000);
}

/// The scrub and `verify` find latent damage in a sealed segment. Proves SCRUB-FLIP, J13.
#[test]
fn the_scrub_finds_latent_damage() {
    let dir = tempfile::tempdir().unwrap();
    for count in [5, 7, 9] {
        append(&mut writer(dir.path()), count);
    }
    let mut reader = Reader::open(dir.path()).unwrap();
    assert_eq!(reader.sealed().unwrap(), [1, 2]);
    let checked = reader.scrub(2).unwrap();
    assert_eq!((checked.segments, checked.batches, checked.commands, checked.bytes), (1, 1, 7, 4096));
    assert_eq!((checked.end.seq, checked.notes), (12, vec![]));
    let whole = reader.verify().unwrap();
    assert_eq!((whole.segments, whole.batches, whole.commands, whole.bytes), (3, 3, 21, 3 * 4096));

    crate::support::edit(&crate::support::segment(dir.path(), 2), |bytes| bytes[4096 + 300] ^= 1);
    for fault in [reader.scrub(2).unwrap_err(), reader.verify().unwrap_err()] {
        assert!(matches!(fault, Fault::Damaged { offset: 4096, seq: 6, .. }), "{fault}");
    }
    assert!(reader.scrub(1).is_ok());
}

/// A sealed segment that the next one does not continue is damage, and so is a missing one.
#[test]
fn the_scrub_compares_a_segment_with_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let marks = [5, 7, 9].map(|count| append(&mut writer(dir.path()), count));
    let mut reader = Reader::open(dir.path()).unwrap();
    assert_eq!([1, 2].map(|number| reader.scrub(number).unwrap().end), [marks[0], marks[1]]);
    let second = crate::support::segment(dir.path(), 2);
    let whole = std::fs::read(&second).unwrap();
    for (at, field) in [(44, vec![7, 0, 0, 0, 0, 0, 0, 0]), (60, vec![7; 32])] {
        crate::support::edit(&second, |bytes| crate::support::forge(&mut bytes[..4096], at, &field));
        let refused = reader.scrub(1).unwrap_err();
        assert!(
            matches!(refused, Fault::Damaged { offset: 0, seq: 6, flaw: Flaw::Chain, .. }),
            "{at}: {refused}"
        );
        std::fs::write(&second, &whole).unwrap();
    }
    std::fs::remove_file(&second).unwrap();
    assert!(matches!(reader.scrub(1), Err(Fault::Damaged { flaw: Flaw::Missing, .. })));
    assert!(matches!(reader.scrub(2), Err(Fault::Damaged { flaw: Flaw::Missing, .. })));
}

/// Next to a writer, a verification reads up to the watermark; without one, it judges the tail like a start.
#[test]
fn a_verification_knows_whether_somebody_writes() {
    let dir = tempfile::tempdir().unwrap();
    let mut writing = writer(dir.path());
    append(&mut writing, 3);
    let mark = append(&mut writing, 4);
    // To a reader, this looks like a batch that is being written.
    let offset = usize::try_from(mark.offset).unwrap();
    let path = crate::support::segment(dir.path(), 1);
    crate::support::edit(&path, |bytes| bytes[offset + 300] = 1);
    let mut reader = Reader::open(dir.path()).unwrap();
    let beside = reader.verify().unwrap();
    assert_eq!((beside.end, beside.commands, beside.notes), (mark, 7, vec![]));
    drop(writing);
    let after = reader.verify().unwrap();
    assert_eq!((after.end, after.commands, after.notes.len()), (mark, 7, 1));
}

/// A batch reports its epoch, its watermark and its fingerprint.
#[test]
fn a_batch_tells_what_it_was_written_with() {
    let dir = tempfile::tempdir().unwrap();
    append(&mut writer(dir.path()), 3);
    let mut second = writer(dir.path());
    let marks = [append(&mut second, 4), append(&mut second, 1)];
    let id = second.id();
    drop(second);
    let mut journal = Journal::open(dir.path(), SMALL).unwrap();
    let mut told = Vec::new();
    let visit = |batch: &Batch<'_>| {
        told.push((
            batch.first_seq(),
            batch.last_seq(),
            batch.epoch(),
            batch.watermark(),
            batch.fingerprint(),
        ));
        Ok::<_, Fault>(())
    };
    assert_eq!(journal.replay(None, visit).unwrap(), marks[1]);
    assert_eq!(told, [(1, 3, 1, 0, 1), (4, 7, 2, 3, 4), (8, 8, 2, 7, 8)]);
    assert_eq!((journal.id(), Reader::open(dir.path()).unwrap().id()), (id, id));
}

/// A file that vanishes between the recovery and the first command is named, not replaced.
#[test]
fn a_segment_that_vanishes_is_missed() {
    let dir = tempfile::tempdir().unwrap();
    drop(writer(dir.path()));
    let (journal, ..) = recover(dir.path()).unwrap();
    std::fs::remove_file(crate::support::segment(dir.path(), 1)).unwrap();
    let refused = journal.into_writer().unwrap_err();
    assert!(matches!(refused, Fault::Damaged { seq: 1, flaw: Flaw::Missing, .. }), "{refused}");
}

/// An empty batch is refused.
#[test]
#[should_panic(expected = "a batch holds at least one command")]
fn an_empty_batch_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let _ = writer(dir.path()).append(&mut Buffer::new());
}
