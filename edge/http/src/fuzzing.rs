//! Access for the fuzzer only: the reader of heads without a socket.

use crate::framing::{Framing, Verdict};

/// The framing of a connection's requests, as far as their bytes have arrived.
#[derive(Debug, Default)]
pub struct Heads(Framing);

/// Whether the end of a request is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end is certain.
    Clear,
    /// The connection ends after this request.
    Last,
    /// The request could be read in two ways.
    Ambiguous,
}

impl Heads {
    /// Looks at bytes as they arrive.
    pub fn feed(&self, bytes: &[u8]) {
        self.0.feed(bytes);
    }

    /// Counts the request that is served next, and returns its verdict.
    pub fn serve(&self) -> End {
        match self.0.next() {
            Verdict::Clear => End::Clear,
            Verdict::Last => End::Last,
            Verdict::Ambiguous(_) => End::Ambiguous,
        }
    }
}
