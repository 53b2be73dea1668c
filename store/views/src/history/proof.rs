//! Compares the history files with the rows that the journal gives: every byte that a checkpoint relies on. The files of a
//! running exchange can be mended in the same pass: links and lengths are a pure function of the rows, so a row that differs is
//! written again at its place, and no other byte changes.

use super::codec::Position;
use super::fault::Fault;
use super::files::Syncer;
use super::index::Index;
use super::kinds::{Each, FILES, Lengths, RowKind};
use super::log::{Magic, Rows};
use super::scan::usable;
use crate::Sink;
use buttonwood_disk::{Folder, Handle};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a file per read.
const AHEAD: usize = 256 * 1024;

/// A sink that compares every row with the files, or mends them.
#[derive(Debug)]
pub struct Proof {
    index: Index,
    files: Each<File>,
    row: Vec<u8>,
    fault: Option<Fault>,
}

/// A file that should contain the appended rows.
#[derive(Debug, Default)]
struct File {
    path: PathBuf,
    /// `None` if the file is missing, or is one that a start would not use.
    handle: Option<Arc<dyn Handle>>,
    /// The end of the part that must be present.
    end: u64,
    /// Bytes read ahead; `ahead_at` is their position.
    ahead: Vec<u8>,
    ahead_at: u64,
    /// Whether a row that differs is written again. Otherwise it is a fault.
    is_mended: bool,
    /// Rows that matched.
    proven: u64,
    /// Rows that were written again.
    mended: u64,
}

impl Proof {
    /// Opens the files in a folder, which must be at least as long as a checkpoint says. `index` is that of an empty
    /// history.
    ///
    /// # Errors
    /// [`Fault::Io`] if a file cannot be read.
    pub fn open(directory: &Folder, index: Index, lengths: Lengths) -> Result<Self, Fault> {
        let files = FILES.zip(lengths).try_map(|(file, end)| File::open(directory, file, end))?;
        Ok(Self { index, files, row: Vec::new(), fault: None })
    }

    /// Mends the files of a running exchange, up to what it had written when `files` was made. `index` is that of the rows before the
    /// first one that this sink gets.
    ///
    /// # Errors
    /// [`Fault::Io`] if a file cannot be written.
    pub fn mend(files: &Syncer, index: Index) -> Result<Self, Fault> {
        let files = FILES.zip(files.rows()).try_map(|(file, rows)| File::to_mend(file, rows))?;
        Ok(Self { index, files, row: Vec::new(), fault: None })
    }

    /// Files that are missing, too short, or of another kind. A start does not use them and rebuilds the history from
    /// the journal.
    pub fn missing(&self) -> impl Iterator<Item = &Path> {
        self.files.each_ref().into_iter().filter(|file| file.handle.is_none()).map(|file| file.path.as_path())
    }

    /// The number of rows that matched.
    pub fn proven(&self) -> u64 {
        self.files.each_ref().into_iter().map(|file| file.proven).sum()
    }

    /// The number of rows and headers that were written again.
    pub fn mended(&self) -> u64 {
        self.files.each_ref().into_iter().map(|file| file.mended).sum()
    }

    /// The index of the rows so far.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Whether all rows so far match the files.
    ///
    /// # Errors
    /// [`Fault::Damaged`] for the first row that does not, [`Fault::Io`] if the file cannot be read.
    pub fn check(&mut self) -> Result<(), Fault> {
        self.fault.take().map_or(Ok(()), Err)
    }

    fn note(&mut self, outcome: Result<(), Fault>) {
        if let (Err(fault), None) = (outcome, &self.fault) {
            self.fault = Some(fault);
        }
    }
}

impl File {
    fn open(directory: &Folder, (name, magic): (&str, Magic), end: u64) -> Result<Self, Fault> {
        let path = directory.file(name);
        let handle = usable(directory, &path, magic, end);
        let handle = handle.map_err(|source| Fault::Io { action: "open", path: path.clone(), source })?;
        Ok(Self { path, handle, end, ..Self::default() })
    }

    /// A file of a running exchange. Its header is mended at once.
    fn to_mend((_, magic): (&str, Magic), rows: Rows) -> Result<Self, Fault> {
        let Rows { path, file, written } = rows;
        let mut mended = Self { path: path.to_path_buf(), end: written, is_mended: true, ..Self::default() };
        let mut found = Magic::default();
        if file.read_exact_at(&mut found, 0).is_err() || found != magic {
            file.write_all_at(&magic, 0).map_err(mended.io("write"))?;
            mended.mended += 1;
        }
        mended.handle = Some(file);
        Ok(mended)
    }

    /// Compares a row with the file, if it lies in the part that must be present. A file to mend then has it.
    fn compare(&mut self, at: Position, row: &[u8]) -> Result<(), Fault> {
        let end = at.get().saturating_add(count(row));
        let Some(handle) = self.handle.as_ref().filter(|_| end <= self.end) else { return Ok(()) };
        if end > self.ahead_at + count(&self.ahead) {
            let room = usize::try_from(self.end - at.get()).unwrap_or(usize::MAX).min(AHEAD);
            self.ahead.resize(room, 0);
            self.ahead_at = at.get();
            match handle.read_exact_at(&mut self.ahead, at.get()) {
                Ok(()) => {}
                // No row is all zeros, so these are written again.
                Err(_) if self.is_mended => self.ahead.fill(0),
                Err(source) => return Err(self.io("read")(source)),
            }
        }
        let from = usize::try_from(at.get() - self.ahead_at).unwrap_or(usize::MAX);
        if self.ahead.get(from..).is_some_and(|held| held.starts_with(row)) {
            self.proven += 1;
            return Ok(());
        }
        if self.is_mended {
            handle.write_all_at(row, at.get()).map_err(self.io("write"))?;
            self.mended += 1;
            return Ok(());
        }
        Err(Fault::Damaged { path: self.path.clone(), at: at.get() })
    }

    fn io(&self, action: &'static str) -> impl FnOnce(io::Error) -> Fault + use<> {
        let path = self.path.clone();
        move |source| Fault::Io { action, path, source }
    }
}

impl Sink for Proof {
    fn row<R: RowKind>(&mut self, row: &R) -> Position {
        self.row.clear();
        let at = self.index.push(row, &mut self.row);
        let outcome = R::of_mut(&mut self.files).compare(at, &self.row);
        self.note(outcome);
        at
    }
}

fn count(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).expect("a length fits in 64 bits")
}
