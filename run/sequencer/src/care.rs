//! The exchange's background work: snapshots, proofs of reserves, the mending of the history, the scrub of old segments, the watch over silent sessions.

pub(crate) mod archive;
pub(crate) mod checkpoint;
pub(crate) mod heartbeats;
pub(crate) mod idle;
pub(crate) mod mend;
pub(crate) mod reserves;
pub(crate) mod scrub;
pub(crate) mod tables;
