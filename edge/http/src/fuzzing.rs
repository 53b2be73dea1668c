//! An opening for the fuzzer alone: the reader of heads without a socket.

use crate::framing::{Framing, Verdict};

/// What is known of a connection's requests.
#[derive(Debug, Default)]
pub struct Heads(Framing);

/// Whether a request's end is beyond doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It is.
    Clear,
    /// Its connection ends with it.
    Last,
    /// It could be read in two ways.
    Ambiguous,
}

impl Heads {
    /// Looks at bytes as they arrive.
    pub fn feed(&self, bytes: &[u8]) {
        self.0.feed(bytes);
    }

    /// Counts the request that is now served, and returns what is known of its end.
    pub fn serve(&self) -> End {
        match self.0.next() {
            Verdict::Clear => End::Clear,
            Verdict::Last => End::Last,
            Verdict::Ambiguous(_) => End::Ambiguous,
        }
    }
}
