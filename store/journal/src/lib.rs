//! The exchange's durable memory: an append-only log of opaque frames, and snapshots beside it.
//!
//! A frame is one command with its events, encoded by the caller; frames that queued together travel as one
//! batch: one write, one sync, one hash chained to the batch before. [`Journal`] recovers a directory and becomes
//! its only [`Writer`]; [`Reader`] replays what is durable beside it; [`snapshot`] shortens the next recovery.
//!
//! Rules: J1 to J14 of the reliability design, named where they are kept. Laws: INV-JRN-1, INV-ACK-1, INV-ACK-2.
//! Not here: what a frame means, when a reply may leave (`run/sequencer`), and which history may be deleted.

mod blank;
mod buffer;
mod catalog;
mod codec;
mod course;
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
