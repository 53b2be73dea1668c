//! The exchange's durable memory: an append-only log of opaque frames, and snapshots beside it.
//!
//! A frame is one command with its events, encoded by the caller; frames that queued together travel as one
//! batch: one write, one sync, one hash chained to the batch before. [`Journal`] recovers a directory and becomes
//! its only [`Writer`]; [`Reader`] replays what is durable beside it; [`snapshot`] shortens the next recovery.
//!
//! The rules, named where they are kept:
//!
//! - J1: a write or sync that failed is never tried again. The writer takes nothing more, and recovery decides.
//! - J2: recovery believes the disk, not the page cache, and goes on in a new segment; an old tail is not written to again.
//! - J3: every header tells lengths, sequence, epoch and chain under a CRC of its own, so a length is believed before
//!   anything is allocated for it.
//! - J4: a segment has its full length in zeros before it is used: a write changes no metadata and needs no space.
//! - J5: a name that is made, changed or removed is synced before anything relies on it; what an interrupted run left
//!   unfinished is swept away.
//! - J6: a bad batch at the end, with nothing whole behind it, is a torn tail and left out; any other is damage.
//! - J7: a history that ends before a watermark, the highest sequence known to be acknowledged, is refused.
//! - J8: a batch begins and ends on a block of 4 KiB, and one hash covers all of it and the batch before.
//! - J9: every file and batch tells its journal and its place, so that what is foreign, newer or misplaced is recognised.
//! - J10: a snapshot is written under another name, synced, renamed and read back; the newest two good ones are kept.
//! - J11: space is kept back: on a full disk it is given up, and only cancels and expiries are taken.
//! - J12: one writer: a lock on the directory, and an epoch that rises with each opening.
//! - J13: sealed segments are read again from the disk, all of them within 24 hours.
//! - J14: nothing of a batch leaves the house before the batch is durable.
//!
//! Laws: INV-JRN-1, INV-ACK-1, INV-ACK-2. Cases of damage and of crashes have names too, `JRN-…`, `SNAP-…` and `SCRUB-…`: what
//! each is stands at its test.
//! Not here: what a frame means, when a reply may leave (`run/sequencer`), and which history may be deleted.

mod blank;
mod buffer;
mod catalog;
mod codec;
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

pub use buffer::{Buffer, MAX_BATCH_BYTES};
pub use catalog::is_begun;
pub use fault::{Fault, Flaw, Note, ReplayError};
pub use journal::{Journal, Options};
pub use mark::{JournalId, Mark};
pub use reader::{Checked, Reader};
pub use replay::{Batch, Frames};
pub use writer::Writer;
