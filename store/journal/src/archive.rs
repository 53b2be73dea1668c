//! Segments that were moved to another folder, the archive, or deleted.
//!
//! A segment may be moved once both kept snapshots come after it. The steps, each durable before the next: the segment
//! has a name in the archive too; the record `archived` covers it; its name in the journal is removed. A crash between two
//! steps leaves it in both folders, and the next move finishes the rest. A name is removed only after the archive's file was
//! read and continues the history. A caller without an archive deletes: the record `deleted` takes the place of the archive's
//! file, and says why the segments are nowhere.
//!
//! A missing segment that the record covers is looked for in the archive, and is damage otherwise. So a journal is
//! never taken for shorter than it is. The path of the archive is not stored: a copy or a move of the
//! directory would make it wrong.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use buttonwood_disk::{Folder, Handle, LockMode, Open, copy_start};

use crate::catalog;
use crate::codec::{BLOCK_BYTES, Put, seal};
use crate::earlier::read_sealed;
use crate::fault::{Fault, Flaw, io};
use crate::files;
use crate::header::{Unreadable, VERSION, opened};
use crate::mark::{JournalId, Mark};
use crate::segment::Segment;
use crate::snapshot;
use crate::window::Window;

const MAGIC: [u8; 8] = *b"BWARCHV\n";

/// Magic, version, identity, segment, sequence, chain and CRC.
const BYTES: usize = 8 + 4 + 16 + 8 + 8 + 32 + 4;

/// The record of what is in the archive: every segment up to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Archived {
    /// The last archived segment.
    pub segment: u64,
    /// The last command in it.
    pub seq: u64,
    /// Chain value at its end.
    chain: [u8; 32],
    /// The last segment that was deleted, which is archived nowhere; 0 if none was.
    deleted: u64,
}

impl Archived {
    /// Whether archived segments were deleted, so that the journal can never be read from its first command.
    pub fn is_deleted(&self) -> bool {
        self.deleted > 0
    }

    /// The first segment that an archive may have.
    pub(crate) fn first_kept(&self) -> u64 {
        self.deleted + 1
    }

    /// The place before the first command that is not archived.
    pub(crate) fn end(&self) -> Mark {
        Mark { seq: self.seq, chain: self.chain, segment: self.segment + 1, offset: BLOCK_BYTES }
    }
}

/// Reads the record of a journal's folder; `None` if nothing was archived.
pub(crate) fn record(dir: &Folder, id: JournalId) -> Result<Option<Archived>, Fault> {
    let Some(archived) = read(dir, id, files::ARCHIVED)? else { return Ok(None) };
    let deleted = read(dir, id, files::DELETED)?.map_or(0, |deleted| deleted.segment);
    Ok(Some(Archived { deleted, ..archived }))
}

/// Reads one of the two records.
fn read(dir: &Folder, id: JournalId, name: &str) -> Result<Option<Archived>, Fault> {
    let path = dir.file(name);
    let Some(bytes) = dir.read(&path).map_err(io("read", &path))? else { return Ok(None) };
    let mut fields = match opened(&bytes, MAGIC, id) {
        Ok(fields) => fields,
        Err(Unreadable::Newer(found)) => return Err(Fault::Version { path, found, supported: VERSION }),
        Err(Unreadable::Foreign(found)) => return Err(Fault::Foreign { path, found, expected: id }),
        Err(Unreadable::Blank | Unreadable::Garbled) => {
            return Err(Fault::Damaged { path, offset: 0, seq: 0, flaw: Flaw::Header });
        }
    };
    let mut read =
        || Some(Archived { segment: fields.u64()?, seq: fields.u64()?, chain: fields.bytes()?, deleted: 0 });
    read().map(Some).ok_or(Fault::Damaged { path, offset: 0, seq: 0, flaw: Flaw::Cut })
}

/// Makes the record durable (J5), and before it that of deleted segments.
pub(crate) fn write_record(dir: &Folder, id: JournalId, archived: &Archived) -> Result<(), Fault> {
    if archived.is_deleted() {
        write(dir, id, files::DELETED, &Archived { segment: archived.deleted, ..*archived })?;
    }
    write(dir, id, files::ARCHIVED, archived)
}

fn write(dir: &Folder, id: JournalId, name: &str, archived: &Archived) -> Result<(), Fault> {
    let path = dir.file(name);
    let unfinished = path.with_extension("tmp");
    let mut block = [0; BYTES];
    Put::new(&mut block)
        .bytes(&MAGIC)
        .u32(VERSION)
        .bytes(&id.0)
        .u64(archived.segment)
        .u64(archived.seq)
        .bytes(&archived.chain);
    seal(&mut block);
    let file = dir.open(&unfinished, Open::Truncate).map_err(io("create", &unfinished))?;
    file.write_all_at(&block, 0).and_then(|()| file.sync_all()).map_err(io("write", &unfinished))?;
    files::publish(&unfinished, &path, dir)
}

/// The folders of a journal's segments.
#[derive(Clone, Debug)]
pub(crate) struct Shelves {
    pub(crate) dir: Folder,
    pub(crate) id: JournalId,
    /// Where archived segments lie, if it is known.
    pub(crate) archive: Option<Folder>,
}

impl Shelves {
    /// Opens segment `number`, as [`Segment::open`] does, wherever it lies.
    ///
    /// # Errors
    /// Also [`Fault::Archived`].
    pub(crate) fn open(&self, number: u64, seq: u64) -> Result<Segment, Fault> {
        let missing = match Segment::open(&self.dir, number, self.id, seq) {
            Err(missing @ Fault::Damaged { flaw: Flaw::Missing, .. }) => missing,
            opened => return opened,
        };
        // Read again each time: another process may just have moved the segment, and has recorded it before.
        let archived = match self.archived()? {
            Some(archived) if number <= archived.segment => archived,
            Some(_) | None => return Err(missing),
        };
        let looked_for = match &self.archive {
            None => None,
            Some(archive) => match Segment::open(archive, number, self.id, seq) {
                Err(Fault::Damaged { flaw: Flaw::Missing, path, .. }) => Some(path),
                opened => return opened,
            },
        };
        let (dir, is_deleted) = (self.dir.path().to_owned(), archived.is_deleted());
        Err(Fault::Archived { dir, segment: archived.segment, seq: archived.seq, is_deleted, looked_for })
    }

    /// The archived segments.
    pub(crate) fn archived(&self) -> Result<Option<Archived>, Fault> {
        record(&self.dir, self.id)
    }

    /// The number of the first segment that was not archived.
    pub(crate) fn first(&self) -> Result<u64, Fault> {
        Ok(self.archived()?.map_or(1, |archived| archived.segment + 1))
    }
}

/// Keeps segments where they are while this value lives.
#[derive(Debug)]
pub(crate) struct Hold {
    _file: Arc<dyn Handle>,
}

impl Hold {
    /// Waits for a move in progress, which takes as long as copying a segment. `None` where no segment was ever moved.
    pub(crate) fn shared(dir: &Folder) -> Result<Option<Self>, Fault> {
        let path = dir.file(files::HOLD);
        let file = match dir.open(&path, Open::Read) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(io("open", &path))?,
        };
        while !file.try_lock(LockMode::Shared).map_err(io("lock", &path))? {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        Ok(Some(Self { _file: file }))
    }

    /// `None` while another process reads the journal.
    fn exclusive(dir: &Folder) -> Result<Option<Self>, Fault> {
        let path = dir.file(files::HOLD);
        let file = dir.open(&path, Open::ReadWrite).map_err(io("create", &path))?;
        let is_ours = file.try_lock(LockMode::Exclusive).map_err(io("lock", &path))?;
        Ok(is_ours.then_some(Self { _file: file }))
    }
}

/// Moves segments of a journal to its archive, or deletes them. The caller is the process that writes the journal.
#[derive(Debug)]
pub struct Mover {
    dir: Folder,
    /// `None` to delete.
    archive: Option<Folder>,
    id: JournalId,
    window: Window,
    _hold: Hold,
}

impl Mover {
    /// Opens both folders; `None` while a backup or a verification reads the journal.
    ///
    /// # Errors
    /// There is no journal; an error of the system.
    pub fn open(dir: impl Into<Folder>, archive: impl Into<Folder>) -> Result<Option<Self>, Fault> {
        Self::open_with(dir.into(), Some(archive.into()))
    }

    /// As [`Mover::open`], but segments are deleted in place of being moved.
    ///
    /// # Errors
    /// As there.
    pub fn deleting(dir: impl Into<Folder>) -> Result<Option<Self>, Fault> {
        Self::open_with(dir.into(), None)
    }

    fn open_with(dir: Folder, archive: Option<Folder>) -> Result<Option<Self>, Fault> {
        let missing =
            || Fault::Damaged { path: dir.file(files::IDENTITY), offset: 0, seq: 0, flaw: Flaw::Missing };
        let id = catalog::identity(&dir)?.ok_or_else(missing)?;
        if let Some(archive) = &archive {
            archive.create().map_err(io("create the archive", archive.path()))?;
        }
        let hold = Hold::exclusive(&dir)?;
        Ok(hold.map(|hold| Self { dir, archive, id, window: Window::default(), _hold: hold }))
    }

    /// The place after the next segments that may be moved: one segment, with empty ones before it, or what an
    /// interrupted move has left. `None` if there are none.
    ///
    /// # Errors
    /// Damage, or an error of the system.
    pub fn next(&self) -> Result<Option<Mark>, Fault> {
        let archived = record(&self.dir, self.id)?;
        let first = archived.map_or(1, |archived| archived.segment + 1);
        let segments = files::segments(&self.dir)?;
        if let Some(archived) = archived.filter(|_| segments.first().is_some_and(|least| *least < first)) {
            return Ok(Some(archived.end()));
        }
        let before = snapshot::oldest_segment(&self.dir, self.id)?.unwrap_or_default();
        for number in first..before {
            let next = Segment::open(&self.dir, number + 1, self.id, 0)?;
            if next.header.first_seq > 1 {
                return Ok(Some(start_of(&next)));
            }
        }
        Ok(None)
    }

    /// Bytes of the segments in the journal's folder, whether they are full or not.
    ///
    /// # Errors
    /// An error of the system.
    pub fn bytes(&self) -> Result<u64, Fault> {
        let length = |number: u64| {
            let path = files::segment(&self.dir, number);
            self.dir.open(&path, Open::Read).and_then(|file| file.len()).map_err(io("measure", &path))
        };
        files::segments(&self.dir)?.into_iter().map(length).sum()
    }

    /// Moves every segment before `end`, a place that [`Mover::next`] returned. Returns their number.
    ///
    /// # Errors
    /// A damaged segment, another content in the archive, or an error of the system. The segments moved by then stay readable.
    pub fn move_before(&mut self, end: &Mark) -> Result<usize, Fault> {
        let mut segments = files::segments(&self.dir)?;
        segments.retain(|number| *number < end.segment);
        let mut deleted = record(&self.dir, self.id)?.map_or(0, |archived| archived.deleted);
        match self.archive.clone() {
            Some(archive) => {
                for number in &segments {
                    self.store(*number, &archive)?;
                }
                files::sync_dir(&archive)?;
            }
            None => deleted = end.segment - 1,
        }
        let archived = Archived { segment: end.segment - 1, seq: end.seq, chain: end.chain, deleted };
        write_record(&self.dir, self.id, &archived)?;
        for number in &segments {
            files::remove(&self.dir, &files::segment(&self.dir, *number))?;
        }
        files::sync_dir(&self.dir)?;
        Ok(segments.len())
    }

    /// Gives a sealed segment a name in the archive, by a link, or by a copy on another disk.
    fn store(&mut self, number: u64, archive: &Folder) -> Result<(), Fault> {
        let here = Segment::open(&self.dir, number, self.id, 0)?;
        let next = self.after(number, archive)?;
        here.file.distrust_cache().map_err(io("sync", &here.path))?;
        read_sealed(&here, &next, &mut self.window, |_| ())?;
        let to = files::segment(archive, number);
        match archive.link(&here.path, &to) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.is_stored(number, &next, archive),
            Err(error) if is_link_refused(&error) => self.copy(&here, &next, archive, &to),
            Err(error) => Err(io("link to", &to)(error)),
        }
    }

    /// The segment after one. When a move was interrupted between two removals, it is in the archive alone.
    fn after(&self, number: u64, archive: &Folder) -> Result<Segment, Fault> {
        let shelves = Shelves { dir: self.dir.clone(), id: self.id, archive: Some(archive.clone()) };
        shelves.open(number + 1, 0)
    }

    fn copy(&mut self, here: &Segment, next: &Segment, archive: &Folder, to: &Path) -> Result<(), Fault> {
        let unfinished = to.with_extension("tmp");
        let copied = || {
            let file = archive.open(&unfinished, Open::Truncate)?;
            file.set_len(here.header.bytes)?;
            copy_start(&*here.file, &*file, next.header.previous_end)?;
            file.distrust_cache()
        };
        copied().map_err(io("copy to", &unfinished))?;
        archive.rename(&unfinished, to).map_err(io("rename to", to))?;
        self.is_stored(here.header.segment, next, archive)
    }

    /// Checks that the archive's file is this segment, which `next` continues.
    fn is_stored(&mut self, number: u64, next: &Segment, archive: &Folder) -> Result<(), Fault> {
        let read = Segment::open(archive, number, self.id, 0)
            .and_then(|stored| read_sealed(&stored, next, &mut self.window, |_| ()));
        match read {
            Ok(_) => Ok(()),
            Err(fault) if fault.is_damage() => {
                Err(Fault::ArchiveDiffers { path: files::segment(archive, number) })
            }
            Err(fault) => Err(fault),
        }
    }
}

/// The place before the first batch of a segment.
fn start_of(segment: &Segment) -> Mark {
    let header = &segment.header;
    Mark {
        seq: header.first_seq.saturating_sub(1),
        chain: header.chain,
        segment: header.segment,
        offset: BLOCK_BYTES,
    }
}

/// Whether a file system refuses links as such: the archive is on another disk, or has none.
fn is_link_refused(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::CrossesDevices
            | ErrorKind::PermissionDenied
            | ErrorKind::Unsupported
            | ErrorKind::TooManyLinks
    )
}
