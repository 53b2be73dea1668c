//! Damaged journal files: a recovery finds the commands as written, from the first through the last acknowledged one,
//! or refuses with a fault. It never panics, and never returns a command that was not written.

use crate::damage::{Files, Image, damage};
use crate::memory::Memory;
use buttonwood_journal::{Buffer, Journal, Mark, Options, Reader, ReplayError};
use std::cell::RefCell;
use std::convert::Infallible;

/// Segments of five blocks.
const OPTIONS: Options = Options { first_segment_bytes: 5 * 4096, segment_bytes: 5 * 4096, ballast_bytes: 0 };
/// Commands of the batches of the first segment, and of the last; the third of these takes two blocks.
const SEALED: [u64; 2] = [3, 1];
const ACTIVE: [u64; 3] = [2, 40, 1];
/// The files of a case, by their index in an image. The third segment exists only if damage made it.
const NAMES: [&str; 4] = ["0000000001.segment", "0000000002.segment", "0000000003.segment", "watermark"];
const LAST: usize = 1;
const WATERMARK: usize = 3;
/// The first bytes of a batch's header, and its length.
const MAGIC: &[u8] = b"BWBATCH\n";
const HEADER: usize = 128;
/// Bytes that identify an intact header: magic, version, identity, segment and offset.
const TELLING: usize = 44;

/// A journal and its expected content.
struct Rig {
    files: Files,
    reader: Reader,
    /// The places before and after every batch.
    marks: Vec<Mark>,
    /// The watermark file after each batch.
    watermarks: Vec<Vec<u8>>,
}

thread_local! {
    static RIG: RefCell<Rig> = RefCell::new(Rig::new());
}

/// Damages and recovers. The first byte selects the watermark.
pub fn run(bytes: &[u8]) {
    let Some((watermark, steps)) = bytes.split_first() else { return };
    RIG.with_borrow_mut(|rig| rig.check(*watermark, steps));
}

impl Rig {
    fn new() -> Self {
        let disk = Memory::default();
        let watermark = || disk.get(NAMES[WATERMARK]).unwrap_or_default();
        let mut marks = Vec::new();
        let mut watermarks = Vec::new();
        for counts in [SEALED.as_slice(), &ACTIVE] {
            let mut journal = Journal::open(disk.folder(), OPTIONS).expect("a journal opens");
            journal.replay(None, |_| Ok::<_, Infallible>(())).expect("it is intact");
            let mut writer = journal.into_writer().expect("it can be written to");
            if marks.is_empty() {
                marks.push(writer.mark());
                watermarks.push(watermark());
            }
            for &count in counts {
                let mut batch = Buffer::new();
                let first = writer.mark().seq + 1;
                for seq in first..first + count {
                    batch.push(seq, |out| out.extend(std::iter::repeat_n(seq.to_le_bytes(), 12).flatten()));
                }
                marks.push(writer.append(&mut batch).expect("there is room"));
                watermarks.push(watermark());
            }
        }
        let reader = Reader::open(disk.folder()).expect("it is a journal");
        Self { files: Files::of(disk, &NAMES), reader, marks, watermarks }
    }

    fn check(&mut self, watermark: u8, steps: &[u8]) {
        let mut image = self.files.original.clone();
        let known = usize::from(watermark) % (self.marks.len() + 1);
        // One beyond the last: the file is empty, as a power cut may leave it.
        image[WATERMARK] = Some(self.watermarks.get(known).cloned().unwrap_or_default());
        let shown = image[WATERMARK].clone();
        let forged = damage(&mut image, steps);
        self.files.show(&image);
        let found = self.reader.verify();
        if forged {
            if let Ok(checked) = found {
                self.reads_through(checked.end.seq);
            }
            return;
        }
        let acknowledged =
            if image[WATERMARK] == shown { self.marks.get(known).map_or(0, |mark| mark.seq) } else { 0 };
        let whole = self.whole(&image);
        match found {
            Ok(checked) => {
                // The chain identifies the content; the place may be the start of the next segment.
                let written = self.marks[whole];
                assert_eq!((checked.end.seq, checked.end.chain), (written.seq, written.chain));
                assert!(checked.end.seq >= acknowledged, "an acknowledged command is lost");
                assert_eq!(checked.commands, checked.end.seq);
                assert!(!self.shows_later(&image, whole), "damage in the middle was taken for a torn tail");
            }
            Err(fault) => {
                let message = fault.to_string();
                assert!(!message.contains('\n') && message.len() < 1000, "one line: {message}");
                let torn = image[WATERMARK] == shown
                    && self.marks[whole].seq >= acknowledged
                    && self.only_tail_is_damaged(&image, whole);
                assert!(!torn, "a torn tail was refused: {message}");
            }
        }
    }

    /// Checks that every command through `end` is there, once and in order.
    fn reads_through(&mut self, end: u64) {
        let mut next = 1;
        let replayed = self.reader.replay(None, end, |batch| {
            for (seq, _) in batch.frames() {
                assert_eq!(seq, next);
                next += 1;
            }
            Ok::<_, Infallible>(())
        });
        match replayed {
            Ok(mark) => assert_eq!((mark.seq, next), (end, end + 1)),
            Err(ReplayError::Fault(fault)) => panic!("verified, but not to be replayed: {fault}"),
            Err(ReplayError::Refused(never)) => match never {},
        }
    }

    /// Number of batches, from the first on, that are unchanged.
    fn whole(&self, image: &Image) -> usize {
        let is_whole = |batch: &&[Mark]| {
            let [start, end] = batch else { return false };
            // The first batch of a segment begins after the segment's own block.
            let (segment, from) =
                (index(end), if start.segment == end.segment { start.offset } else { 4096 });
            let range = narrow(from)..narrow(end.offset);
            match (&image[segment], &self.files.original[segment]) {
                (Some(now), Some(then)) => now.get(range.clone()) == then.get(range),
                _ => false,
            }
        };
        self.marks.windows(2).collect::<Vec<_>>().iter().take_while(|batch| is_whole(batch)).count()
    }

    /// Whether the header of a batch after the first changed one is still intact at its place.
    fn shows_later(&self, image: &Image, whole: usize) -> bool {
        self.marks.iter().skip(whole + 1).filter(|mark| index(mark) == LAST).any(|start| {
            let header = narrow(start.offset)..narrow(start.offset) + HEADER;
            let content = |image: &Image| {
                image[LAST].as_ref().and_then(|bytes| bytes.get(header.clone()).map(<[u8]>::to_vec))
            };
            content(image)
                .is_some_and(|bytes| bytes.starts_with(MAGIC) && Some(bytes) == content(&self.files.original))
        })
    }

    /// Whether a crash alone can have caused this: everything is unchanged, except after the whole batches of the
    /// last segment, where no former header is left.
    fn only_tail_is_damaged(&self, image: &Image, whole: usize) -> bool {
        let original = &self.files.original;
        let (Some(now), Some(then)) = (&image[LAST], &original[LAST]) else { return false };
        if whole < SEALED.len()
            || image[..LAST] != original[..LAST]
            || image[LAST + 1..WATERMARK] != original[LAST + 1..WATERMARK]
        {
            return false;
        }
        let end = if whole == SEALED.len() { 4096 } else { narrow(self.marks[whole].offset) };
        let blocks: Vec<_> = original.iter().flatten().flat_map(|bytes| bytes.chunks(4096)).collect();
        let is_header = |bytes: &[u8]| {
            bytes.len() >= TELLING
                && blocks.iter().any(|block| {
                    block.len() >= TELLING && block.starts_with(MAGIC) && block[..TELLING] == bytes[..TELLING]
                })
        };
        // A file never becomes shorter: its length is durable before its name.
        now.len() == then.len()
            && now.get(..end) == then.get(..end)
            && !now[end.min(now.len())..].chunks(4096).any(is_header)
    }
}

fn index(mark: &Mark) -> usize {
    narrow(mark.segment) - 1
}

fn narrow(bytes: u64) -> usize {
    usize::try_from(bytes).expect("small files")
}
