//! Rereads sealed segments over and over, so that a rotten sector is found while other copies of its content exist
//! (rule J13: a full pass within 24 hours).

use crate::recovery::JOURNAL_DIR;
use buttonwood_disk::Folder;
use buttonwood_journal::{Fault, Reader};
use std::time::Duration;

/// The longest time of a full pass.
const PASS: Duration = Duration::from_hours(24);
/// The longest time between two segments.
const PAUSE_MAX: Duration = Duration::from_mins(10);
/// Time between two segments of the first pass. A start skips what its snapshot covers, so damage from before the start
/// is reported soon. Not at once: reading a segment takes some hundredths of a second of a processor.
const PAUSE_FIRST: Duration = Duration::from_mins(1);

/// A pass over the sealed segments, one at a time.
#[derive(Debug)]
pub(crate) struct Scrub {
    journal: Folder,
    last: u64,
    /// Whether the first pass is still running.
    is_first: bool,
    pause: Duration,
}

impl Scrub {
    pub(crate) fn new(dir: &Folder) -> Self {
        Self { journal: dir.folder(JOURNAL_DIR), last: 0, is_first: true, pause: PAUSE_FIRST }
    }

    /// Time before the next segment.
    pub(crate) fn pause(&self) -> Duration {
        self.pause
    }

    /// Reads the next sealed segment from the disk, past the cache. Damage is reported to the operator. The exchange
    /// goes on: it has what it needs in memory, and stopping would lose more than it saves.
    pub(crate) fn step(&mut self) {
        match self.read_next() {
            Ok(None) => {}
            Ok(Some(segment)) => tracing::debug!(segment, "scrubbed"),
            Err(fault) => tracing::error!(%fault, "{}", meaning(&fault)),
        }
    }

    pub(crate) fn read_next(&mut self) -> Result<Option<u64>, Fault> {
        let mut reader = Reader::open(&self.journal)?;
        let sealed = reader.sealed()?;
        let count = u32::try_from(sealed.len()).unwrap_or(u32::MAX).max(1);
        let ahead = sealed.iter().find(|segment| **segment > self.last);
        self.is_first &= ahead.is_some();
        self.pause = pause(count, self.is_first);
        let next = ahead.or(sealed.first());
        let Some(segment) = next.copied() else { return Ok(None) };
        self.last = segment;
        reader.scrub(segment)?;
        Ok(Some(segment))
    }
}

/// Time between two segments of `count`.
fn pause(count: u32, is_first: bool) -> Duration {
    (PASS / count).min(if is_first { PAUSE_FIRST } else { PAUSE_MAX })
}

/// The meaning of a fault for the operator. Only damage calls for a restore; a lack of open files, or a disk that was away
/// for a moment, proves nothing about the segment.
fn meaning(fault: &Fault) -> &'static str {
    if fault.is_damage() {
        "a sealed journal segment is damaged: restore it from a copy before the next start"
    } else {
        "a sealed journal segment cannot be read now, whether it is damaged is not known: it will be tried again"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_journal::{Buffer, Journal, Options};
    use std::os::unix::fs::FileExt;
    use std::path::Path;

    fn journal_of_three_openings(dir: &Path) {
        for seq in 1..=3u64 {
            let mut journal =
                Journal::open(&dir.join(JOURNAL_DIR), Options { ballast_bytes: 0, ..Options::default() })
                    .unwrap();
            journal.replay(None, |_| Ok::<_, std::convert::Infallible>(())).unwrap();
            let mut writer = journal.into_writer().unwrap();
            let mut batch = Buffer::new();
            batch.push(seq, |out| out.extend_from_slice(&[7; 5_000]));
            writer.append(&mut batch).unwrap();
        }
    }

    /// Rule J13: each sealed segment is read in turn, and a flipped bit in one is found on its turn.
    #[test]
    fn visits_sealed_segments_in_turn_and_finds_damage() {
        let dir = tempfile::tempdir().unwrap();
        journal_of_three_openings(dir.path());
        let mut scrub = Scrub::new(&dir.path().into());
        assert_eq!(scrub.read_next().unwrap(), Some(1));
        assert_eq!(scrub.pause(), PAUSE_FIRST);
        assert_eq!(scrub.read_next().unwrap(), Some(2));
        assert_eq!(scrub.read_next().unwrap(), Some(1), "the one being written is no sealed one");
        assert_eq!(scrub.pause(), PAUSE_MAX, "only the first pass is in a hurry");
        let path = dir.path().join(JOURNAL_DIR).join("0000000002.segment");
        let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        file.write_all_at(&[9], 4_096 + 3_000).unwrap();
        assert!(matches!(scrub.read_next(), Err(Fault::Damaged { .. })));
    }

    /// Rule J13: however many segments there are, a pass over them takes a day at most, the first one too.
    #[test]
    fn a_pass_takes_a_day_at_most() {
        const DAY: Duration = Duration::from_hours(24);
        for count in [1, 144, 145, 1_440, 1_441, 100_000] {
            assert!([true, false].iter().all(|is_first| pause(count, *is_first) * count <= DAY), "{count}");
        }
        assert_eq!((pause(144, false), pause(1_440, true)), (DAY / 144, DAY / 1_440));
        assert_eq!((pause(1, false), pause(1, true)), (DAY / 144, DAY / 1_440), "no longer for a few");
    }

    /// A segment that cannot be opened is not reported as damaged; one with missing or wrong bytes is. After a refusal
    /// of the system it is read again on its turn.
    #[test]
    fn what_cannot_be_read_is_not_called_damaged() {
        let dir = tempfile::tempdir().unwrap();
        journal_of_three_openings(dir.path());
        let path = dir.path().join(JOURNAL_DIR).join("0000000002.segment");
        let kept = dir.path().join("kept");
        std::fs::rename(&path, &kept).unwrap();
        let mut scrub = Scrub::new(&dir.path().into());
        let lost = scrub.read_next().unwrap_err();
        assert!(meaning(&lost).contains("is damaged: restore it"), "{lost}");
        // The link points to itself, so the system refuses to open it, even as root.
        std::os::unix::fs::symlink(&path, &path).unwrap();
        let refused = scrub.read_next().unwrap_err();
        assert!(meaning(&refused).contains("cannot be read now"), "{refused}");
        std::fs::remove_file(&path).unwrap();
        std::fs::rename(&kept, &path).unwrap();
        assert_eq!(scrub.read_next().unwrap(), Some(1));
        assert_eq!(scrub.read_next().unwrap(), Some(2));
    }
}
