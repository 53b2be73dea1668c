//! Access for the fuzzer only: the readers of heads and of frames without a connection.

use crate::framing::{Framing, Verdict};
use crate::socket::frame::{Item, Reader};

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

/// A reader of a socket's frames.
#[derive(Debug, Default)]
pub struct SocketReader(Reader);

/// A whole message or control frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Framed {
    /// A text message.
    Text(String),
    /// A ping with its payload.
    Ping(Vec<u8>),
    /// A pong.
    Pong,
    /// The end, with its code if it has one.
    Close(Option<u16>),
}

impl SocketReader {
    /// Takes bytes from the front, up to the end of the next item; none when more bytes have to arrive.
    ///
    /// # Errors
    /// The code to close with.
    pub fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<Framed>, u16> {
        let item = self.0.next(bytes).map_err(super::socket::Code::number)?;
        Ok(item.map(|item| match item {
            Item::Text(text) => Framed::Text(text),
            Item::Ping(payload) => Framed::Ping(payload),
            Item::Pong => Framed::Pong,
            Item::Close(code) => Framed::Close(code),
        }))
    }

    /// Bytes of memory that it holds for an unfinished message or frame.
    pub fn held(&self) -> usize {
        self.0.held()
    }
}
