//! What an exchange does besides its commands: snapshots, the scrub of old segments, the watch over silent sessions.

pub(crate) mod checkpoint;
pub(crate) mod pulse;
pub(crate) mod scrub;
