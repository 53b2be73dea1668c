//! The identity of a journal, and a place in it.

use std::fmt;

use sha2::{Digest, Sha256};

/// Drawn at random when a journal is created and stored in each of its files, so that a file of another journal is
/// recognised (J9). It is secret: without it, a client cannot forge a batch inside a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct JournalId(pub(crate) [u8; 16]);

impl JournalId {
    /// The chain value before the first batch.
    pub(crate) fn genesis(self) -> [u8; 32] {
        Sha256::new().chain_update(b"buttonwood journal").chain_update(self.0).finalize().into()
    }
}

/// The first eight hexadecimal digits: enough to compare by eye, too few to forge a batch.
impl fmt::Display for JournalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(4).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for JournalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JournalId({self}…)")
    }
}

/// A place between two batches. Everything before it is part of the history; `chain` identifies the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Sequence of the last command before this place; 0 = nothing yet.
    pub seq: u64,
    /// SHA-256 of the last batch, chained over all before it.
    pub chain: [u8; 32],
    /// Number of the segment file, counted from 1; 0 = no segment exists yet.
    pub segment: u64,
    /// Byte offset in that file where the next batch begins, unless the segment ends here.
    pub offset: u64,
}

impl Mark {
    /// The place before the first command of journal `id`.
    pub(crate) fn genesis(id: JournalId) -> Self {
        Self { seq: 0, chain: id.genesis(), segment: 0, offset: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first batch of every journal is chained to SHA-256("buttonwood journal", identity); the expected value
    /// comes from another program. Only eight digits of the identity are displayed.
    #[test]
    fn the_chain_begins_with_the_identity() {
        let id = JournalId(core::array::from_fn(|at| 0xa0 + u8::try_from(at).unwrap()));
        assert_eq!(id.genesis()[..8], [0xfd, 0x54, 0xc9, 0xcc, 0xf7, 0xeb, 0xe0, 0xad]);
        assert_eq!((id.to_string(), format!("{id:?}")), ("a0a1a2a3".into(), "JournalId(a0a1a2a3…)".into()));
    }
}
