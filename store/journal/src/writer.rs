//! The single writer: one write and one sync per batch.
//!
//! Rules: J1, J4, J7, J8, J11, J12. Law: INV-ACK-1, whose first half is that [`Writer::append`] returns only when
//! the batch is durable.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use buttonwood_disk::{Folder, Handle};

use crate::blank::Blank;
use crate::buffer::{Buffer, MAX_BATCH_BYTES};
use crate::codec::{BLOCK_BYTES, wide};
use crate::direct::Aligned;
use crate::fault::Fault;
use crate::header::{BATCH_VERSION, BatchHeader, SegmentHeader};
use crate::journal::Options;
use crate::lock::Lock;
use crate::mark::{JournalId, Mark};
use crate::prepare::Preparer;
use crate::watermark::Gauge;

/// A journal open for writing. It holds the directory's lock until it is dropped (J12).
#[derive(Debug)]
pub struct Writer {
    dir: Folder,
    options: Options,
    id: JournalId,
    epoch: u64,
    mark: Mark,
    active: Active,
    gauge: Gauge,
    /// The batch being written, in memory aligned for the disk.
    aligned: Aligned,
    poisoned: bool,
    last_sync: Duration,
    preparer: Preparer,
    /// Last, so that it is released after the preparing thread ends.
    _lock: Lock,
}

/// The segment being written.
#[derive(Debug)]
struct Active {
    file: Arc<dyn Handle>,
    path: PathBuf,
    bytes: u64,
}

/// Where recovery ended and what the writer starts from.
pub(crate) struct Beginning {
    pub(crate) dir: Folder,
    pub(crate) options: Options,
    pub(crate) id: JournalId,
    /// Higher than that of every segment found (J12).
    pub(crate) epoch: u64,
    pub(crate) end: Mark,
    /// Whether the segment of `end` holds no batch and may be replaced.
    pub(crate) replace: bool,
    /// Byte offset at which the history in the segment before the new one ends.
    pub(crate) previous_end: u64,
    pub(crate) lock: Lock,
}

impl Writer {
    /// Starts a new segment after the recovered history; the old tail is never written to again (J2).
    pub(crate) fn begin(from: Beginning) -> Result<Self, Fault> {
        let Beginning { dir, options, id, epoch, end, replace, previous_end, lock } = from;
        let preparer = Preparer::new(dir.clone(), options);
        let blank = preparer.urgent(options.first_segment_bytes)?;
        let segment = if replace { end.segment } else { end.segment + 1 };
        let header = SegmentHeader {
            id,
            segment,
            epoch,
            first_seq: end.seq + 1,
            previous_end,
            chain: end.chain,
            bytes: blank.bytes,
        };
        let path = blank.publish(&header)?;
        preparer.make_room()?;
        let gauge = Gauge::open(&dir, id, end.seq)?;
        let mark = Mark { segment, offset: BLOCK_BYTES, ..end };
        let active = Active { bytes: blank.bytes, file: blank.file, path };
        Ok(Self {
            dir,
            options,
            id,
            epoch,
            mark,
            active,
            gauge,
            aligned: Aligned::default(),
            poisoned: false,
            last_sync: Duration::ZERO,
            preparer,
            _lock: lock,
        })
    }

    /// Makes `batch` durable and returns the place after it. Only after this returns may its effects leave the
    /// process (J14). The batch stays filled; clear it before reuse.
    ///
    /// # Errors
    /// It is then unknown whether the batch is durable: the caller must abort the process without acknowledging
    /// anything, and recovery decides (J1). Further calls are refused.
    ///
    /// # Panics
    /// If the batch is empty, longer than [`MAX_BATCH_BYTES`], or does not follow the last one (INV-JRN-1).
    pub fn append(&mut self, batch: &mut Buffer) -> Result<Mark, Fault> {
        assert!(!batch.is_empty(), "a batch holds at least one command");
        assert_eq!(batch.first_seq(), self.mark.seq + 1, "sequences are contiguous across batches");
        assert!(batch.padded_bytes() <= wide(MAX_BATCH_BYTES), "a batch stays within its bound");
        if self.poisoned {
            return Err(Fault::Poisoned { dir: self.dir.path().to_owned() });
        }
        // Only complete success resets this, so no early return can forget it.
        self.poisoned = true;
        self.make_room(batch.padded_bytes())?;
        self.mark = self.make_durable(batch)?;
        self.gauge.show(self.mark.seq)?;
        self.poisoned = false;
        self.look_ahead();
        Ok(self.mark)
    }

    /// Requests the next segment in time. Segments grow: a quiet exchange uses little space, a busy one soon reaches
    /// the full size, and neither zeroes much at once.
    fn look_ahead(&self) {
        let used = self.mark.offset;
        if self.active.bytes / 4 < used {
            self.preparer.request(self.active.bytes * 4, self.active.bytes / 2 < used);
        }
    }

    /// Starts the thread that prepares segments.
    pub(crate) fn start_preparing(&mut self) -> Result<(), Fault> {
        self.preparer.start()
    }

    /// Does the preparing thread's next piece of work: reserves the ballast, makes the requested segment. For a
    /// writer without that thread.
    ///
    /// # Errors
    /// Those of [`Writer::append`]: the disk can no longer be trusted.
    pub fn prepare(&self) -> Result<(), Fault> {
        self.preparer.step()
    }

    /// The place after the last durable batch.
    pub fn mark(&self) -> Mark {
        self.mark
    }

    /// How long the sync of the last batch took.
    pub fn last_sync(&self) -> Duration {
        self.last_sync
    }

    /// Whether the disk is so full that only commands that free space or reduce risk should still be accepted (J11).
    pub fn low_space(&self) -> bool {
        self.preparer.low_space()
    }

    /// The journal's identity.
    pub fn id(&self) -> JournalId {
        self.id
    }

    fn make_durable(&mut self, batch: &mut Buffer) -> Result<Mark, Fault> {
        let Mark { seq, chain, segment, offset } = self.mark;
        let header = batch.describe(BatchHeader {
            version: BATCH_VERSION,
            id: self.id,
            segment,
            offset,
            epoch: self.epoch,
            first_seq: seq + 1,
            count: 0,
            body_bytes: 0,
            watermark: seq,
            fingerprint: 0,
            previous: chain,
        });
        let chain = batch.written(&header, |bytes| {
            let file = &*self.active.file;
            let appended = file.write_all_at(self.aligned.copy(bytes), offset).and_then(|()| {
                let began = Instant::now();
                let synced = file.sync_data();
                self.last_sync = began.elapsed();
                synced
            });
            let path = || self.active.path.clone();
            appended.map_err(|source| Fault::Append { path: path(), offset, seq: seq + 1, source })
        })?;
        Ok(Mark { seq: batch.last_seq(), chain, segment, offset: offset + batch.padded_bytes() })
    }

    /// Switches to the next segment if the active one has no room for `bytes` more.
    fn make_room(&mut self, bytes: u64) -> Result<(), Fault> {
        if self.mark.offset + bytes <= self.active.bytes {
            return Ok(());
        }
        let needed = bytes + BLOCK_BYTES;
        let blank = match self.preparer.take(needed)? {
            Some(blank) => blank,
            // None is ready: a small one takes the least time now.
            None => self.preparer.urgent(needed.max(self.options.first_segment_bytes))?,
        };
        self.turn_to(blank)
    }

    fn turn_to(&mut self, blank: Blank) -> Result<(), Fault> {
        let Mark { seq, chain, segment, offset } = self.mark;
        let header = SegmentHeader {
            id: self.id,
            segment: segment + 1,
            epoch: self.epoch,
            first_seq: seq + 1,
            previous_end: offset,
            chain,
            bytes: blank.bytes,
        };
        let path = blank.publish(&header)?;
        self.active = Active { bytes: blank.bytes, file: blank.file, path };
        self.mark = Mark { segment: segment + 1, offset: BLOCK_BYTES, ..self.mark };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Journal;
    use buttonwood_disk::Open;

    fn one(seq: u64) -> Buffer {
        let mut batch = Buffer::new();
        batch.push(seq, |out| out.extend_from_slice(b"frame"));
        batch
    }

    /// After one failed write nothing more is accepted, even if the disk works again. Proves JRN-EIO, J1.
    #[test]
    fn a_failed_write_poisons() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path(), Options::default()).unwrap();
        journal.replay(None, |_| Ok::<_, Fault>(())).unwrap();
        let mut writer = journal.into_writer().unwrap();
        writer.append(&mut one(1)).unwrap();

        let writable = Arc::clone(&writer.active.file);
        writer.active.file = writer.dir.open(&writer.active.path, Open::Read).unwrap();
        let failed = writer.append(&mut one(2)).unwrap_err();
        assert!(failed.to_string().starts_with("cannot make seq 2 durable"), "{failed}");
        writer.active.file = writable;
        assert!(matches!(writer.append(&mut one(2)), Err(Fault::Poisoned { .. })));
        assert_eq!(writer.mark().seq, 1);
    }
}
