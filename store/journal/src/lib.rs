//! The exchange's durable storage: an append-only log of opaque frames, and snapshots.
//!
//! A frame is one command with its events, encoded by the caller. Frames that are queued together form one batch: one
//! write, one sync, one hash chained to the batch before. [`Journal`] recovers a directory and becomes its only
//! [`Writer`]. [`Reader`] replays the durable part next to the writer; [`snapshot`] shortens the next recovery.
//!
//! The rules, each referred to by name where it is kept:
//!
//! - J1: a write or sync that failed is never retried. The writer accepts nothing more, and recovery decides.
//! - J2: recovery reads the disk, not the page cache, and continues in a new segment. The old tail is not written to
//!   again.
//! - J3: every header holds lengths, sequence, epoch and chain under its own CRC, so that a length is verified before
//!   memory is allocated for it.
//! - J4: a segment has its full length in zeros before it is used, so that a write changes no metadata and needs no
//!   space.
//! - J5: a name that is made, changed or removed is synced before anything relies on it. Files that an interrupted
//!   run left unfinished are removed.
//! - J6: a bad batch at the end with no intact batch after it is a torn tail and left out; any other is damage.
//! - J7: a history that ends before a watermark, the highest sequence known to be acknowledged, is refused.
//! - J8: a batch begins and ends on a block of 4 KiB, and one hash covers the whole batch and the batch before.
//! - J9: every file and batch names its journal and its place, so that foreign, newer and misplaced ones are
//!   recognised.
//! - J10: a snapshot is written under another name, synced, renamed and read back; the newest two good ones are kept.
//! - J11: disk space is reserved. On a full disk it is released, and only cancels and expiries are accepted.
//! - J12: one writer: a lock on the directory, and an epoch that rises with each opening.
//! - J13: sealed segments are read again from the disk, all of them within 24 hours.
//! - J14: the effects of a batch leave the process only after the batch is durable.
//! - J15: a segment leaves the journal only for its archive, or is deleted where its owner has none and keeps a part alone; in both
//!   cases only after both kept snapshots come after it.
//!
//! Laws: INV-JRN-1, INV-ACK-1, INV-ACK-2. Cases of damage and of crashes are named too: `JRN-…`, `SNAP-…` and
//! `SCRUB-…`; the test of a case describes it.
//! Not here: the meaning of a frame, when a reply may be sent (`run/sequencer`), how much is kept.

mod archive;
mod blank;
mod buffer;
mod catalog;
mod codec;
mod copy;
mod direct;
mod earlier;
#[cfg(test)]
mod fake;
mod fault;
mod files;
mod header;
mod journal;
mod lock;
mod mark;
mod prepare;
mod reader;
mod replay;
mod replay_scan;
mod segment;
mod watermark;
mod window;
mod writer;

pub mod snapshot;

pub use archive::{Archived, Mover};
pub use buffer::{Buffer, MAX_BATCH_BYTES};
pub use catalog::is_begun;
pub use copy::Copy;
pub use fault::{Fault, Flaw, Note, ReplayError};
pub use journal::{Journal, Options};
pub use lock::Lock;
pub use mark::{JournalId, Mark};
pub use reader::{Checked, Reader};
pub use replay::{Batch, Frames};
pub use writer::Writer;
