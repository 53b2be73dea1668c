//! Reads the rows of the files in the order in which they were appended, for exports and the history's database.

use super::codec::{self, Damage, FRAME_HEAD, Position, ROW_MAX};
use super::fault::Fault;
use super::index::HEADER;
use super::kinds::{FILES, Lengths};
use super::log::{self, Decode, Log, Magic};
use super::statement::Numbered;
use buttonwood_disk::{Folder, Handle, Open};
use std::path::Path;
use std::sync::Arc;
use std::{io, mem};

/// Bytes of a file per read.
const AHEAD: u64 = 256 * 1024;

/// The rows of the statements of all accounts: those of each file oldest first.
#[derive(Debug)]
pub struct Statements {
    /// Trades.
    pub trades: Rows<Numbered>,
    /// Entries.
    pub entries: Rows<Numbered>,
}

impl Statements {
    /// Opens the files in a folder, each up to a length; `None` as for [`super::Scan::open`].
    ///
    /// # Errors
    /// [`Fault::Io`] if a file cannot be read.
    pub fn open(directory: &Folder, lengths: Lengths) -> Result<Option<Self>, Fault> {
        let trades = Rows::open(directory, FILES.trades, lengths.trades, Numbered::read_trade)?;
        let entries = Rows::open(directory, FILES.entries, lengths.entries, Numbered::read_entry)?;
        Ok(trades.zip(entries).map(|(trades, entries)| Self { trades, entries }))
    }
}

/// Rows that are read between two pauses of a check.
const CHECKED: usize = 512;

/// Reads the rows of a file, for [`super::Scan::check`].
pub(super) fn check_rows<T>(rows: Rows<T>, goes_on: &mut impl FnMut() -> bool) -> Result<(), Fault> {
    for (number, row) in rows.enumerate() {
        row?;
        if number % CHECKED == CHECKED - 1 && !goes_on() {
            return Ok(());
        }
    }
    Ok(())
}

/// The rows of one file, oldest first. After an error there are no more.
#[derive(Debug)]
pub struct Rows<T> {
    path: Arc<Path>,
    file: Arc<dyn Handle>,
    decode: Decode<T>,
    /// Where the next row begins.
    next: u64,
    /// Where the rows in the file end.
    written: u64,
    /// The bytes of the rows after them.
    unwritten: Vec<u8>,
    /// Where the rows end.
    end: u64,
    /// Bytes read ahead; `ahead_at` is their position.
    ahead: Vec<u8>,
    ahead_at: u64,
}

impl<T> Rows<T> {
    pub(super) fn open(
        directory: &Folder,
        (name, magic): (&str, Magic),
        end: u64,
        decode: Decode<T>,
    ) -> Result<Option<Self>, Fault> {
        let path = directory.file(name);
        let file = usable(directory, &path, magic, end);
        let file = file.map_err(|source| Fault::Io { action: "open", path: path.clone(), source })?;
        let rows = |file| Self {
            path: path.into(),
            file,
            decode,
            next: HEADER,
            written: end,
            unwritten: Vec::new(),
            end,
            ahead: Vec::new(),
            ahead_at: 0,
        };
        Ok(file.map(rows))
    }

    pub(super) fn after(log: &Log, from: u64, decode: Decode<T>) -> Self {
        let log::Rows { path, file, written } = log.rows();
        let unwritten = log.unwritten().to_vec();
        let end = written + count(unwritten.len());
        Self { path, file, decode, next: from, written, unwritten, end, ahead: Vec::new(), ahead_at: 0 }
    }

    /// Bytes of the rows that are left.
    pub fn left(&self) -> u64 {
        self.end.saturating_sub(self.next)
    }

    fn read(&mut self) -> Result<T, Fault> {
        let at = Position::new(self.next).expect("rows begin after the header");
        self.fetch()?;
        let from = usize::try_from(self.next - self.ahead_at).unwrap_or(usize::MAX);
        let frame = self.ahead.get(from..).unwrap_or_default();
        let body = codec::open(frame, at);
        let row = body.and_then(|body| Ok((count(FRAME_HEAD + body.len()), (self.decode)(at, body)?)));
        let (bytes, row) =
            row.map_err(|Damage| Fault::Damaged { path: self.path.to_path_buf(), at: at.get() })?;
        self.next += bytes;
        Ok(row)
    }

    /// Reads ahead unless the whole next row is there.
    fn fetch(&mut self) -> Result<(), Fault> {
        let is_written = self.next < self.written;
        let end = if is_written { self.written } else { self.end };
        if end.min(self.next + count(ROW_MAX)) <= self.ahead_at + count(self.ahead.len()) {
            return Ok(());
        }
        if !is_written {
            (self.ahead, self.ahead_at) = (mem::take(&mut self.unwritten), self.written);
            return Ok(());
        }
        self.ahead.resize(usize::try_from(AHEAD.min(end - self.next)).unwrap_or(usize::MAX), 0);
        self.ahead_at = self.next;
        match self.file.read_exact_at(&mut self.ahead, self.next) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(Fault::Damaged { path: self.path.to_path_buf(), at: self.next })
            }
            read => {
                read.map_err(|source| Fault::Io { action: "read", path: self.path.to_path_buf(), source })
            }
        }
    }
}

impl<T> Iterator for Rows<T> {
    type Item = Result<T, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let row = self.read();
        if row.is_err() {
            self.next = self.end;
        }
        Some(row)
    }
}

/// The file, if it exists, is of this kind, and is at least `end` long.
pub(super) fn usable(
    directory: &Folder,
    path: &Path,
    magic: Magic,
    end: u64,
) -> io::Result<Option<Arc<dyn Handle>>> {
    let file = match directory.open(path, Open::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if file.len()? < end {
        return Ok(None);
    }
    let mut found = Magic::default();
    file.read_exact_at(&mut found, 0)?;
    Ok((found == magic).then_some(file))
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).expect("a length fits in 64 bits")
}
