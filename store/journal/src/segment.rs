//! One segment file opened for reading, its header verified.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use buttonwood_disk::{Folder, Handle, Open};

use crate::codec::BLOCK;
use crate::fault::{Fault, Flaw, io};
use crate::files;
use crate::header::{SegmentHeader, Unreadable, VERSION};
use crate::mark::JournalId;

/// A segment file whose first block is intact and matches this journal and this file name.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) path: PathBuf,
    pub(crate) file: Arc<dyn Handle>,
    pub(crate) header: SegmentHeader,
}

impl Segment {
    /// Opens segment `number`. A file gets this name only after its header is durable, so a bad header is damage,
    /// never a crash (J4, J5, J9). `seq` is the first unverified sequence if the header is bad.
    pub(crate) fn open(dir: &Folder, number: u64, id: JournalId, seq: u64) -> Result<Self, Fault> {
        let flawed = |path: PathBuf, flaw| Fault::Damaged { path, offset: 0, seq, flaw };
        let path = files::segment(dir, number);
        let file = match dir.open(&path, Open::Read) {
            Ok(file) => file,
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                return Err(flawed(path, Flaw::Missing));
            }
            Err(source) => return Err(io("open", &path)(source)),
        };
        let mut block = [0; BLOCK];
        match file.read_exact_at(&mut block, 0) {
            Ok(()) => {}
            Err(source) if source.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(flawed(path, Flaw::Cut));
            }
            Err(source) => return Err(io("read", &path)(source)),
        }
        let header = match SegmentHeader::decode(&block, id) {
            Ok(header) => header,
            Err(Unreadable::Blank) => return Err(flawed(path, Flaw::Blank)),
            Err(Unreadable::Garbled) => return Err(flawed(path, Flaw::Header)),
            Err(Unreadable::Newer(found)) => return Err(Fault::Version { path, found, supported: VERSION }),
            Err(Unreadable::Foreign(found)) => return Err(Fault::Foreign { path, found, expected: id }),
        };
        if header.segment != number {
            return Err(flawed(path, Flaw::Place { segment: header.segment, offset: 0 }));
        }
        if file.len().map_err(io("measure", &path))? < header.bytes {
            return Err(flawed(path, Flaw::Cut));
        }
        Ok(Self { path, file, header })
    }

    /// A fault for damage of this segment at `offset`, where `seq` should be.
    pub(crate) fn damaged(&self, offset: u64, seq: u64, flaw: Flaw) -> Fault {
        Fault::Damaged { path: self.path.clone(), offset, seq, flaw }
    }
}
