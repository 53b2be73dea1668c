//! Snapshots: an opaque payload that stands for the history before a mark.
//!
//! A snapshot only shortens recovery. It never replaces the log, and nothing is deleted because one exists. Each is
//! written under another name, synced, renamed, and then read back from the disk (J10). The newest two good ones are
//! kept, so damage to one later only costs a longer replay.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use buttonwood_disk::{Folder, Handle, Open};

use sha2::{Digest, Sha256};

use crate::catalog;
use crate::codec::{BLOCK, Put, Take, intact, narrow, seal, wide};
use crate::fault::{Fault, Flaw, Note, io};
use crate::files;
use crate::header::{HASH, Unreadable, VERSION, opened};
use crate::mark::{JournalId, Mark};
use crate::watermark::Watermark;
use crate::window::Window;

const MAGIC: [u8; 8] = *b"BWSNAPS\n";

/// Payload bytes under one CRC.
const CHUNK: usize = 1024 * 1024;

/// Length and CRC32C in front of a chunk.
const CHUNK_FRONT: usize = 8;

/// A zero length, the payload's length, the SHA-256 over header and payload, and a CRC.
const FOOTER: usize = 4 + 8 + HASH + 4;

/// Snapshots kept (INV-JRN-4).
const KEPT: usize = 2;

/// Writes a snapshot of everything before `mark`, its payload in `parts`. Returns its path once it is durable and has
/// been read back. Removes all but the newest two good snapshots.
///
/// # Errors
/// The journal and the older snapshots are unchanged.
pub fn write(dir: impl Into<Folder>, mark: &Mark, parts: &[&[u8]]) -> Result<PathBuf, Fault> {
    write_with(dir, mark, |out| parts.iter().try_for_each(|part| out.write_all(part)))
}

/// Like [`write()`], for a payload too large to hold in memory: `encode` writes it piece by piece.
pub fn write_with(
    dir: impl Into<Folder>,
    mark: &Mark,
    encode: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<PathBuf, Fault> {
    let dir = &dir.into();
    let id = identity(dir)?;
    let path = publish(dir, id, mark, encode)?;
    retire(dir, id, mark.seq)?;
    Ok(path)
}

/// Writes a snapshot, gives it its name, and reads it back.
fn publish(
    dir: &Folder,
    id: JournalId,
    mark: &Mark,
    encode: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<PathBuf, Fault> {
    let path = files::snapshot(dir, mark.seq);
    let unfinished = path.with_extension("tmp");
    let written =
        create(dir, &unfinished, id, mark, encode).and_then(|()| files::publish(&unfinished, &path, dir));
    if let Err(fault) = written {
        // Report the first error.
        let _ = files::remove(dir, &unfinished);
        return Err(fault);
    }
    if let Err(fault) = verify(dir, &path, id, mark.seq) {
        files::remove(dir, &path)?;
        files::sync_dir(dir)?;
        return Err(fault);
    }
    Ok(path)
}

/// Reads the newest snapshot that verifies; damaged newer ones are skipped and reported in `notes` (J10). `None` if
/// there is none: then the whole journal is replayed.
///
/// # Errors
/// A snapshot of a newer format or of another journal is not skipped: the program or the directory is the wrong one
/// (INV-JRN-3, J9).
pub fn load_newest(dir: impl Into<Folder>, notes: &mut Vec<Note>) -> Result<Option<(Mark, Vec<u8>)>, Fault> {
    let dir = &dir.into();
    let Some(id) = catalog::identity(dir)? else { return Ok(None) };
    for seq in files::snapshots(dir)?.into_iter().rev() {
        let path = files::snapshot(dir, seq);
        let mut payload = Vec::new();
        match read(dir, &path, id, seq, &mut |chunk| payload.extend_from_slice(chunk)) {
            Ok(mark) => return Ok(Some((mark, payload))),
            Err(fault @ (Fault::Version { .. } | Fault::Foreign { .. })) => return Err(fault),
            Err(fault) => notes.push(Note::SnapshotSkipped { path, reason: fault.to_string() }),
        }
    }
    Ok(None)
}

/// Raises `watermark` to the highest sequence that a snapshot stands for: a snapshot holds only acknowledged history
/// (J7). A header that is damaged or cannot be read is skipped here; [`load_newest`] reports it.
pub(crate) fn raise(dir: &Folder, id: JournalId, watermark: &mut Watermark) -> Result<(), Fault> {
    for seq in files::snapshots(dir)? {
        let path = files::snapshot(dir, seq);
        let file = dir.open(&path, Open::Read).map_err(io("open", &path));
        match file.and_then(|file| Source::new(&path, file, seq).header(id)) {
            Ok((mark, _)) => watermark.raise(mark.seq, &path),
            Err(fault @ (Fault::Version { .. } | Fault::Foreign { .. })) => return Err(fault),
            Err(_) => {}
        }
    }
    Ok(())
}

/// As [`load_newest`], for the oldest snapshot that verifies.
///
/// # Errors
/// As [`load_newest`].
pub fn load_oldest(dir: impl Into<Folder>) -> Result<Option<(Mark, Vec<u8>)>, Fault> {
    let dir = &dir.into();
    let Some(id) = catalog::identity(dir)? else { return Ok(None) };
    for seq in files::snapshots(dir)? {
        let mut payload = Vec::new();
        let path = files::snapshot(dir, seq);
        match read(dir, &path, id, seq, &mut |chunk| payload.extend_from_slice(chunk)) {
            Ok(mark) => return Ok(Some((mark, payload))),
            Err(fault @ (Fault::Version { .. } | Fault::Foreign { .. })) => return Err(fault),
            Err(_) => {}
        }
    }
    Ok(None)
}

/// The number of the segment that the oldest snapshot refers to; `None` unless all [`KEPT`] verify.
pub(crate) fn oldest_segment(dir: &Folder, id: JournalId) -> Result<Option<u64>, Fault> {
    let mut oldest = None;
    let mut good = 0;
    for seq in files::snapshots(dir)?.into_iter().rev().take(KEPT) {
        let path = files::snapshot(dir, seq);
        let Ok(mark) = read(dir, &path, id, seq, &mut |_| {}) else { return Ok(None) };
        (oldest, good) = (Some(mark.segment), good + 1);
    }
    Ok(oldest.filter(|_| good == KEPT))
}

/// Copies the newest [`KEPT`] good snapshots of a journal into another directory; returns the newest. A running exchange may
/// remove them meanwhile; the newer ones, which it made before, then take their place.
pub(crate) fn copy(from: &Folder, to: &Folder, id: JournalId) -> Result<Option<(Mark, Vec<u8>)>, Fault> {
    let mut newest: Option<(Mark, Vec<u8>)> = None;
    let (mut tried, mut good) = (Vec::new(), 0);
    while good < KEPT {
        let listed = files::snapshots(from)?;
        let Some(seq) = listed.into_iter().rev().find(|seq| !tried.contains(seq)) else { break };
        tried.push(seq);
        let path = files::snapshot(from, seq);
        let mut payload = Vec::new();
        let mark = match read(from, &path, id, seq, &mut |chunk| payload.extend_from_slice(chunk)) {
            Ok(mark) => mark,
            Err(fault @ (Fault::Version { .. } | Fault::Foreign { .. })) => return Err(fault),
            Err(_) => continue,
        };
        publish(to, id, &mark, |out| out.write_all(&payload))?;
        good += 1;
        if newest.as_ref().is_none_or(|(newest, _)| newest.seq < mark.seq) {
            newest = Some((mark, payload));
        }
    }
    Ok(newest)
}

fn identity(dir: &Folder) -> Result<JournalId, Fault> {
    catalog::identity(dir)?.ok_or_else(|| Fault::Damaged {
        path: dir.file(files::IDENTITY),
        offset: 0,
        seq: 0,
        flaw: Flaw::Missing,
    })
}

/// Writes the whole file and syncs it.
fn create(
    dir: &Folder,
    path: &Path,
    id: JournalId,
    mark: &Mark,
    encode: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Fault> {
    let file = dir.open(path, Open::Truncate).map_err(io("create the snapshot", path))?;
    let mut block = [0; BLOCK];
    Put::new(&mut block)
        .bytes(&MAGIC)
        .u32(VERSION)
        .bytes(&id.0)
        .u64(mark.seq)
        .u64(mark.segment)
        .u64(mark.offset)
        .bytes(&mark.chain);
    seal(&mut block);
    let write = || {
        file.write_all_at(&block, 0)?;
        let mut chunks = Chunks::new(&*file, &block);
        encode(&mut chunks)?;
        chunks.finish()?;
        file.sync_all()
    };
    write().map_err(io("write the snapshot", path))
}

/// Splits the payload into checksummed chunks.
struct Chunks<'a> {
    file: &'a dyn Handle,
    /// Where the next chunk goes.
    offset: u64,
    /// The current chunk, after room for its front.
    chunk: Vec<u8>,
    total: u64,
    hash: Sha256,
}

impl<'a> Chunks<'a> {
    fn new(file: &'a dyn Handle, header: &[u8]) -> Self {
        let mut chunk = Vec::with_capacity(CHUNK_FRONT + CHUNK);
        chunk.resize(CHUNK_FRONT, 0);
        Self { file, offset: wide(header.len()), chunk, total: 0, hash: Sha256::new_with_prefix(header) }
    }

    fn close_chunk(&mut self) -> io::Result<()> {
        let (front, payload) = self.chunk.split_at_mut(CHUNK_FRONT);
        if payload.is_empty() {
            return Ok(());
        }
        let len = u32::try_from(payload.len()).expect("a chunk is bounded");
        Put::new(front).u32(len).u32(crc32c::crc32c(payload));
        self.hash.update(&*payload);
        self.total += u64::from(len);
        self.file.write_all_at(&self.chunk, self.offset)?;
        self.offset += wide(self.chunk.len());
        self.chunk.truncate(CHUNK_FRONT);
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.close_chunk()?;
        let hash: [u8; HASH] = self.hash.finalize().into();
        let mut footer = [0; FOOTER];
        Put::new(&mut footer).u32(0).u64(self.total).bytes(&hash);
        seal(&mut footer);
        self.file.write_all_at(&footer, self.offset)
    }
}

impl Write for Chunks<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = CHUNK_FRONT + CHUNK - self.chunk.len();
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.chunk.extend_from_slice(taken);
        if self.chunk.len() == CHUNK_FRONT + CHUNK {
            self.close_chunk()?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads a snapshot past the page cache and discards its payload.
fn verify(dir: &Folder, path: &Path, id: JournalId, seq: u64) -> Result<(), Fault> {
    dir.open(path, Open::Read).and_then(|file| file.distrust_cache()).map_err(io("sync", path))?;
    read(dir, path, id, seq, &mut |_| {}).map(|_| ())
}

/// Removes old snapshots before `newest`, which is good; damaged ones do not count towards the number kept.
fn retire(dir: &Folder, id: JournalId, newest: u64) -> Result<(), Fault> {
    let mut good = 1;
    let mut removed = false;
    for seq in files::snapshots(dir)?.into_iter().rev().filter(|seq| *seq < newest) {
        let path = files::snapshot(dir, seq);
        if good == KEPT {
            removed |= files::remove(dir, &path)?;
        } else if verify(dir, &path, id, seq).is_ok() {
            good += 1;
        }
    }
    if removed { files::sync_dir(dir) } else { Ok(()) }
}

/// Reads and verifies the snapshot at `path` chunk by chunk; its name says that it stands for `seq`.
fn read(
    dir: &Folder,
    path: &Path,
    id: JournalId,
    seq: u64,
    keep: &mut impl FnMut(&[u8]),
) -> Result<Mark, Fault> {
    let file = dir.open(path, Open::Read).map_err(io("open", path))?;
    let mut source = Source::new(path, file, seq);
    let (mark, mut hash) = source.header(id)?;
    let mut total = 0;
    while let Some(chunk) = source.chunk()? {
        hash.update(chunk);
        total += wide(chunk.len());
        keep(chunk);
    }
    source.footer(total, hash.finalize().into())?;
    Ok(mark)
}

/// A snapshot file being read from front to back.
struct Source<'a> {
    path: &'a Path,
    file: Arc<dyn Handle>,
    seq: u64,
    offset: u64,
    window: Window,
}

impl<'a> Source<'a> {
    fn new(path: &'a Path, file: Arc<dyn Handle>, seq: u64) -> Self {
        Self { path, file, seq, offset: 0, window: Window::default() }
    }

    fn damaged(&self, flaw: Flaw) -> Fault {
        Fault::Damaged { path: self.path.to_owned(), offset: self.offset, seq: self.seq, flaw }
    }

    /// The next `len` bytes, without advancing.
    fn peek(&mut self, len: usize) -> Result<&[u8], Fault> {
        let bytes = self.window.at(&*self.file, self.offset, len).map_err(io("read", self.path))?;
        if bytes.len() < len {
            let (path, offset, seq) = (self.path.to_owned(), self.offset, self.seq);
            return Err(Fault::Damaged { path, offset, seq, flaw: Flaw::Cut });
        }
        Ok(bytes)
    }

    /// The mark in the header, and the hash begun with it. Reads only the first block, since a start reads the mark
    /// of every snapshot.
    fn header(&mut self, id: JournalId) -> Result<(Mark, Sha256), Fault> {
        let mut block = [0; BLOCK];
        match self.file.read_exact_at(&mut block, 0) {
            Ok(()) => {}
            Err(source) if source.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(self.damaged(Flaw::Cut));
            }
            Err(source) => return Err(io("read", self.path)(source)),
        }
        let path = self.path.to_owned();
        let mut fields = opened(&block, MAGIC, id).map_err(|unreadable| match unreadable {
            Unreadable::Blank | Unreadable::Garbled => self.damaged(Flaw::Header),
            Unreadable::Newer(found) => Fault::Version { path, found, supported: VERSION },
            Unreadable::Foreign(found) => Fault::Foreign { path, found, expected: id },
        })?;
        let mark = mark(&mut fields).ok_or_else(|| self.damaged(Flaw::Header))?;
        if mark.seq != self.seq {
            return Err(self.damaged(Flaw::Sequence { first: mark.seq }));
        }
        self.offset += wide(BLOCK);
        Ok((mark, Sha256::new_with_prefix(block)))
    }

    /// The next chunk, verified; `None` at the footer.
    fn chunk(&mut self) -> Result<Option<&[u8]>, Fault> {
        // Requests the full length, so that a chunk is read once; only the last one is shorter.
        let bytes =
            self.window.at(&*self.file, self.offset, CHUNK_FRONT + CHUNK).map_err(io("read", self.path))?;
        let mut front = Take::new(bytes);
        let (Some(len), Some(crc)) = (front.u32(), front.u32()) else { return Err(self.damaged(Flaw::Cut)) };
        if len == 0 {
            return Ok(None);
        }
        let end = CHUNK_FRONT + narrow(len.into());
        if end > CHUNK_FRONT + CHUNK {
            return Err(self.damaged(Flaw::Length));
        }
        let Some(chunk) = bytes.get(CHUNK_FRONT..end) else { return Err(self.damaged(Flaw::Cut)) };
        if crc32c::crc32c(chunk) != crc {
            return Err(self.damaged(Flaw::Content));
        }
        let from = self.offset + wide(CHUNK_FRONT);
        self.offset += wide(end);
        self.window.at(&*self.file, from, end - CHUNK_FRONT).map(Some).map_err(io("read", self.path))
    }

    /// Checks that the footer agrees with the bytes read and ends the file.
    fn footer(&mut self, total: u64, hash: [u8; HASH]) -> Result<(), Fault> {
        let footer = self.peek(FOOTER)?;
        let mut fields = Take::new(footer);
        let stored = (fields.u32(), fields.u64(), fields.bytes());
        if !intact(footer) || stored != (Some(0), Some(total), Some(hash)) {
            return Err(self.damaged(Flaw::Content));
        }
        self.offset += wide(FOOTER);
        let behind = self.window.at(&*self.file, self.offset, 1).map_err(io("read", self.path))?;
        if behind.is_empty() { Ok(()) } else { Err(self.damaged(Flaw::Length)) }
    }
}

fn mark(fields: &mut Take<'_>) -> Option<Mark> {
    let (seq, segment, offset) = (fields.u64()?, fields.u64()?, fields.u64()?);
    Some(Mark { seq, segment, offset, chain: fields.bytes()? })
}
