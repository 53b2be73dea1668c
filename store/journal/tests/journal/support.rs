//! Shared by the journal's tests: small journals, their content, and damage to their files.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot prepare its files has failed"
)]

use std::fs;
use std::path::{Path, PathBuf};

use buttonwood_journal::{Buffer, Fault, Journal, Mark, Options, ReplayError, Writer};

/// Small enough that tests cross segments often.
pub(crate) const SMALL: Options =
    Options { first_segment_bytes: 64 * 1024, segment_bytes: 128 * 1024, ballast_bytes: 4096 };

/// The content of a journal: sequences with their frames.
pub(crate) type Content = Vec<(u64, Vec<u8>)>;

/// Recovers `dir` from its first command.
pub(crate) fn recover(dir: &Path) -> Result<(Journal, Content, Mark), Fault> {
    recover_from(dir, None)
}

/// Recovers `dir` after `from`.
pub(crate) fn recover_from(dir: &Path, from: Option<&Mark>) -> Result<(Journal, Content, Mark), Fault> {
    let mut journal = Journal::open(dir, SMALL)?;
    let mut content = Content::new();
    let end = journal
        .replay(from, |batch| {
            content.extend(batch.frames().map(|(seq, frame)| (seq, frame.to_vec())));
            Ok::<_, std::convert::Infallible>(())
        })
        .map_err(|error| match error {
            ReplayError::Fault(fault) => fault,
            ReplayError::Refused(never) => match never {},
        })?;
    Ok((journal, content, end))
}

/// Opens `dir` for writing after its history.
pub(crate) fn writer(dir: &Path) -> Writer {
    recover(dir).unwrap().0.into_writer().unwrap()
}

/// The frame of `seq`: recognisable, of a length that varies.
pub(crate) fn frame(seq: u64) -> Vec<u8> {
    let len = usize::try_from(seq * 7919 % 400).unwrap();
    seq.to_le_bytes().iter().copied().cycle().take(8 + len).collect()
}

/// Appends one batch with the next `count` frames.
pub(crate) fn append(writer: &mut Writer, count: u64) -> Mark {
    let mut batch = Buffer::new();
    let first = writer.mark().seq + 1;
    for seq in first..first + count {
        batch.push(seq, |out| out.extend_from_slice(&frame(seq)));
    }
    batch.set_fingerprint(first);
    writer.append(&mut batch).unwrap()
}

/// The content up to `seq` that `append` wrote.
pub(crate) fn expected(seq: u64) -> Content {
    (1..=seq).map(|seq| (seq, frame(seq))).collect()
}

/// The path of segment `number`.
pub(crate) fn segment(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:010}.segment"))
}

/// Changes the bytes of a file in place.
pub(crate) fn edit(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

/// Overwrites `field` at `at` of a header and corrects its checksum.
pub(crate) fn forge(header: &mut [u8], at: usize, field: &[u8]) {
    header[at..at + field.len()].copy_from_slice(field);
    let covered = header.len() - 4;
    let crc = crc32c::crc32c(&header[..covered]).to_le_bytes();
    header[covered..].copy_from_slice(&crc);
}

/// Copies a journal directory, like an operator who makes or restores a backup.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// Empties the watermark file, as if the process had not written it yet or a power cut had undone it.
pub(crate) fn forget_watermark(dir: &Path) {
    fs::write(dir.join("watermark"), []).unwrap();
}

/// Three batches at known places in one segment: 3 commands, 3 commands, and a last batch of three blocks.
pub(crate) struct Sample {
    pub(crate) dir: tempfile::TempDir,
    /// The place after each batch, and the place before the first.
    pub(crate) marks: Vec<Mark>,
    /// The bytes of the only segment.
    pub(crate) bytes: Vec<u8>,
}

impl Sample {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = writer(dir.path());
        let mut marks = vec![writer.mark()];
        marks.extend([3, 3, 50].map(|count| append(&mut writer, count)));
        drop(writer);
        let bytes = fs::read(segment(dir.path(), 1)).unwrap();
        Self { dir, marks, bytes }
    }

    /// Where batch `index` begins.
    pub(crate) fn start(&self, index: usize) -> usize {
        usize::try_from(self.marks[index].offset).unwrap()
    }

    /// Writes the segment with `change` made to it, and tries to recover.
    pub(crate) fn recover_with(&self, change: impl FnOnce(&mut Vec<u8>)) -> Result<Content, Fault> {
        let mut bytes = self.bytes.clone();
        change(&mut bytes);
        fs::write(segment(self.dir.path(), 1), bytes).unwrap();
        recover(self.dir.path()).map(|(_, content, _)| content)
    }
}
