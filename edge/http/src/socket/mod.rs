//! A WebSocket, from the handshake to its end (RFC 6455): the server's side, without extensions.
//!
//! A handler answers the handshake with [`Reply::switching`], whose function gets the [`Socket`] once the answer is written. The
//! frames that the socket writes come from a [`Source`], which it asks only when the client can take them: while a client is
//! slow, what waits for it stays with the source, which may replace and merge it.

pub(crate) mod frame;
mod link;

pub use link::Link;

use crate::connection_care::Connections;
use crate::connection_state::{Connection, Signal};
use crate::kernel::reset_at_close;
use crate::limits::BODY_WAIT;
use bytes::Bytes;
use frame::{Item, Opcode, Reader};
use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// Bytes that are read at once. Each serving thread has one buffer of this size, for all of its sockets.
const READ_MAX: usize = 64 * 1024;
/// Bytes that are asked of a source at once.
const WRITE_AT_ONCE: usize = 64 * 1024;
/// Bytes of a write buffer that a socket keeps while it has nothing to write.
const SPARE_BUFFER: usize = 1024;
/// How long a close frame may wait for the client to take it, and then for the client's own.
const CLOSE_WAIT: Duration = Duration::from_secs(1);
/// The same for a client that may not go on, mostly because it reads too slowly. The rest is dropped then.
const SLOW_WAIT: Duration = Duration::from_secs(5);

/// Why the server closes a socket, as the code of its close frame (RFC 6455, 7.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The exchange stops.
    Away,
    /// The client broke the protocol.
    Protocol,
    /// A binary message.
    Unsupported,
    /// A text message that is not UTF-8.
    NotText,
    /// The client may not go on: its rights have ended, or it reads too slowly.
    Policy,
    /// A message is too long.
    TooBig,
    /// The socket cannot be served now.
    TryAgain,
}

impl Code {
    /// The code's number.
    pub const fn number(self) -> u16 {
        match self {
            Self::Away => 1001,
            Self::Protocol => 1002,
            Self::Unsupported => 1003,
            Self::NotText => 1007,
            Self::Policy => 1008,
            Self::TooBig => 1009,
            Self::TryAgain => 1013,
        }
    }
}

/// The frames that wait for a socket's client.
pub trait Source {
    /// Appends text frames while fewer than `room` bytes are in `out`. An empty `out` means that nothing waits; the source then calls
    /// [`Link::wake`] when that changes.
    fn fill(&self, out: &mut Frames<'_>, room: usize);
}

/// The buffer that a source fills.
#[derive(Debug)]
pub struct Frames<'a>(&'a mut Vec<u8>);

impl<'a> Frames<'a> {
    /// The frames that are appended to `buffer`.
    pub fn new(buffer: &'a mut Vec<u8>) -> Self {
        Self(buffer)
    }

    /// Appends one text frame, in parts.
    pub fn push(&mut self, parts: &[&[u8]]) {
        frame::put_head(self.0, Opcode::Text, parts.iter().map(|part| part.len()).sum());
        for part in parts {
            self.0.extend_from_slice(part);
        }
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The part of a socket's life.
#[derive(Debug)]
enum Phase {
    /// Messages go both ways.
    Open,
    /// A close frame is being written, or the client's own is awaited.
    Closing(Pin<Box<Sleep>>),
    /// Nothing is read or written any more.
    Ended,
}

/// One socket. It is served while [`Socket::next`] is polled.
pub struct Socket {
    stream: TcpStream,
    reader: Reader,
    /// Bytes that have arrived and were not read yet, from this place on.
    arrived: Vec<u8>,
    read_to: usize,
    /// Bytes on their way out, from this place on.
    out: Vec<u8>,
    written_to: usize,
    phase: Phase,
    link: Rc<Link>,
    connections: Rc<Connections>,
    connection: Rc<Connection>,
    /// The end of the time that an unfinished message or frame has.
    unfinished: Option<Pin<Box<Sleep>>>,
}

impl std::fmt::Debug for Socket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Socket").field("phase", &self.phase).finish_non_exhaustive()
    }
}

thread_local! {
    static READ_BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Socket {
    /// A socket on a stream whose handshake was answered. `early` arrived right behind the handshake.
    pub(crate) fn new(
        stream: TcpStream,
        early: &Bytes,
        connections: Rc<Connections>,
        connection: Rc<Connection>,
    ) -> Self {
        let link = Rc::new(Link::default());
        connection.be_socket(Rc::clone(&link));
        Self {
            stream,
            reader: Reader::default(),
            arrived: early.to_vec(),
            read_to: 0,
            out: Vec::new(),
            written_to: 0,
            phase: Phase::Open,
            link,
            connections,
            connection,
            unfinished: None,
        }
    }

    /// The handle by which other tasks of this thread wake, close and cut it.
    pub fn link(&self) -> Rc<Link> {
        Rc::clone(&self.link)
    }

    /// The next message of the client; meanwhile writes the frames of `source` and answers pings. With `is_reading` off, messages
    /// wait unread, and this only writes. None once the socket has ended.
    ///
    /// A call that is dropped loses nothing.
    pub async fn next(&mut self, source: &impl Source, is_reading: bool) -> Option<String> {
        poll_fn(|context| self.poll_next(context, source, is_reading)).await
    }

    fn poll_next(
        &mut self,
        context: &mut Context<'_>,
        source: &impl Source,
        is_reading: bool,
    ) -> Poll<Option<String>> {
        self.link.listen(context.waker());
        self.connection.listen(context.waker());
        match self.connection.signal.get() {
            Signal::Continue => {}
            Signal::Finish => self.link.close(Code::Away),
            Signal::Close => self.reset(),
        }
        if self.link.is_silent() {
            self.reset();
        } else if self.link.is_cut() {
            self.phase = Phase::Ended;
        }
        loop {
            if let (Phase::Open, Some(code)) = (&self.phase, self.link.closing()) {
                self.begin_close(code.number());
            }
            match &mut self.phase {
                Phase::Ended => return Poll::Ready(None),
                Phase::Closing(wait) => {
                    if wait.as_mut().poll(context).is_ready() {
                        if self.link.closing() == Some(Code::Policy) {
                            self.reset();
                        }
                        self.phase = Phase::Ended;
                        continue;
                    }
                }
                Phase::Open => {}
            }
            if self.write(context, source).is_err() {
                self.phase = Phase::Ended;
                continue;
            }
            let is_open = matches!(self.phase, Phase::Open);
            if is_open && !is_reading {
                return Poll::Pending;
            }
            match self.read(context) {
                Poll::Pending if is_open && self.is_late(context) => self.link.close(Code::Policy),
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(Item::Text(text))) if is_open => return Poll::Ready(Some(text)),
                Poll::Ready(Ok(item)) => self.note(item),
                Poll::Ready(Err(Some(code))) => self.link.close(code),
                Poll::Ready(Err(None)) => self.phase = Phase::Ended,
            }
        }
    }

    /// Ends the connection, and has the kernel drop what it holds for the client.
    fn reset(&mut self) {
        reset_at_close(&self.stream);
        self.phase = Phase::Ended;
    }

    /// Acts on an item that is no message, or that comes after the close.
    fn note(&mut self, item: Item) {
        match (item, &self.phase) {
            (Item::Pong, _) => self.link.note_pong(),
            (Item::Ping(payload), Phase::Open) => self.link.answer_ping(payload),
            (Item::Close(code), Phase::Open) => {
                self.begin_close(code.unwrap_or(1000));
                self.link.note_peer_closed();
            }
            // The client's close frame: the second of the two.
            (Item::Close(_), Phase::Closing(_)) => self.link.note_peer_closed(),
            (
                Item::Ping(_) | Item::Text(_) | Item::Close(_),
                Phase::Open | Phase::Closing(_) | Phase::Ended,
            ) => {}
        }
    }

    /// Puts the close frame behind the frame that is being written. Frames that wait are dropped.
    fn begin_close(&mut self, code: u16) {
        frame::put(&mut self.out, Opcode::Close, &code.to_be_bytes());
        let wait = if self.link.closing() == Some(Code::Policy) { SLOW_WAIT } else { CLOSE_WAIT };
        self.phase = Phase::Closing(Box::pin(tokio::time::sleep(wait)));
    }

    /// Writes until nothing waits or the client takes no more.
    ///
    /// # Errors
    /// When the connection is broken or done.
    fn write(&mut self, context: &mut Context<'_>, source: &impl Source) -> io::Result<()> {
        loop {
            if self.written_to == self.out.len() {
                self.out.clear();
                self.written_to = 0;
                if let Phase::Closing(_) = self.phase {
                    return self.finish(context);
                }
                self.link.put_control(&mut self.out);
                if !self.link.is_stalled() {
                    source.fill(&mut Frames(&mut self.out), WRITE_AT_ONCE);
                }
                if self.out.is_empty() {
                    if self.out.capacity() > SPARE_BUFFER {
                        self.out = Vec::new();
                    }
                    return Ok(());
                }
            }
            let left = self.out.get(self.written_to..).unwrap_or_default();
            match Pin::new(&mut self.stream).poll_write(context, left) {
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(Ok(count)) => {
                    self.link.note_written();
                    self.written_to += count;
                }
                Poll::Ready(Err(error)) => return Err(error),
                Poll::Pending => return Ok(()),
            }
        }
    }

    /// The close frame is written: no more bytes follow. The connection ends when the client has closed too.
    fn finish(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        match Pin::new(&mut self.stream).poll_shutdown(context) {
            Poll::Ready(Ok(())) if self.link.has_peer_closed() => Err(io::ErrorKind::NotConnected.into()),
            Poll::Ready(Ok(())) | Poll::Pending => Ok(()),
            Poll::Ready(Err(error)) => Err(error),
        }
    }

    /// The next item.
    ///
    /// # Errors
    /// The code to close with; none when the connection has ended.
    fn read(&mut self, context: &mut Context<'_>) -> Poll<Result<Item, Option<Code>>> {
        loop {
            let mut bytes = self.arrived.get(self.read_to..).unwrap_or_default();
            if !bytes.is_empty() {
                let before = bytes.len();
                let item =
                    if self.link.has_broken_protocol() { Ok(None) } else { self.reader.next(&mut bytes) };
                self.read_to += before - bytes.len();
                self.note_unfinished(matches!(item, Ok(Some(_))));
                if !self.link.may_send(self.reader.take_light()) {
                    self.link.note_broken_protocol();
                    return Poll::Ready(Err(Some(Code::Policy)));
                }
                match item {
                    Ok(Some(item)) => return Poll::Ready(Ok(item)),
                    Ok(None) => {}
                    Err(code) => {
                        self.link.note_broken_protocol();
                        return Poll::Ready(Err(Some(code)));
                    }
                }
            }
            self.arrived = Vec::new();
            self.read_to = 0;
            match self.receive(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(Err(None)),
                Poll::Ready(Ok(_)) => {}
            }
        }
    }

    /// Counts the bytes of an unfinished message among those of unfinished requests, and gives it its time from its first byte on.
    fn note_unfinished(&mut self, has_item: bool) {
        self.connections.hold_exactly(&self.connection, self.reader.held());
        if self.reader.is_at_rest() || has_item && !self.reader.is_in_message() {
            self.unfinished = None;
        } else if self.unfinished.is_none() {
            self.unfinished = Some(Box::pin(tokio::time::sleep(BODY_WAIT)));
        }
    }

    /// Whether a message or a frame has been unfinished for as long as a body of HTTP may be.
    fn is_late(&mut self, context: &mut Context<'_>) -> bool {
        self.unfinished.as_mut().is_some_and(|wait| wait.as_mut().poll(context).is_ready())
    }

    /// Reads what has arrived; 0 at the end.
    fn receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        READ_BUFFER.with_borrow_mut(|buffer| {
            buffer.resize(READ_MAX, 0);
            let mut read = ReadBuf::new(buffer);
            match Pin::new(&mut self.stream).poll_read(context, &mut read) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) => {
                    self.arrived.extend_from_slice(read.filled());
                    Poll::Ready(Ok(read.filled().len()))
                }
            }
        })
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.link.note_ended();
    }
}
