//! The stream of a connection: incoming bytes pass the reader of heads, outgoing bytes are counted, and a refusal that hyper
//! writes without a body gets one.

use crate::bare_refusal::{bare_refusal, worded};
use crate::connection_care::Connections;
use crate::connection_state::Connection;
use crate::fault::Fault;
use crate::framing::Framing;
use crate::reply::Reply;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A stream between a client and hyper.
#[derive(Debug)]
pub(crate) struct GuardedStream {
    framing: Rc<Framing>,
    connections: Rc<Connections>,
    /// It has the stream itself, which others look at too.
    connection: Rc<Connection>,
    refuse: fn(Fault) -> Reply,
    /// The rest of a refusal that is written in place of hyper's own.
    instead: Vec<u8>,
}

impl GuardedStream {
    pub(crate) fn new(
        stream: TcpStream,
        framing: Rc<Framing>,
        connections: Rc<Connections>,
        connection: Rc<Connection>,
        refuse: fn(Fault) -> Reply,
    ) -> Self {
        *connection.stream.borrow_mut() = Some(stream);
        Self { framing, connections, connection, refuse, instead: Vec::new() }
    }

    /// The stream alone; none once it was taken.
    pub(crate) fn into_stream(self) -> Option<TcpStream> {
        self.connection.stream.take()
    }

    /// Does something with the stream.
    fn poll<T>(&self, act: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match &mut *self.connection.stream.borrow_mut() {
            Some(stream) => act(Pin::new(stream)),
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        }
    }

    fn write(&self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(self.poll(|stream| stream.poll_write(context, bytes)))?;
        self.connections.took(&self.connection, written);
        Poll::Ready(Ok(written))
    }

    /// Writes a refusal with a body in place of the bare one. All of the bare one then counts as written.
    fn write_worded(&mut self, context: &mut Context<'_>, bare: &[u8]) -> Poll<io::Result<usize>> {
        let mut left = std::mem::take(&mut self.instead);
        if left.is_empty() {
            left = worded(bare, self.refuse);
        }
        while !left.is_empty() {
            match self.write(context, &left) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => drop(left.drain(..count)),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    self.instead = left;
                    return Poll::Pending;
                }
            }
        }
        Poll::Ready(Ok(bare.len()))
    }
}

impl AsyncRead for GuardedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let room = self.connection.read_buffer.get().max(buffer.capacity());
        self.connection.read_buffer.set(room);
        ready!(self.poll(|stream| stream.poll_read(context, buffer)))?;
        let fresh = buffer.filled().get(before..).unwrap_or_default();
        self.framing.feed(fresh);
        self.connection.next_head.set(self.framing.unfinished());
        self.connections.receive(&self.connection, fresh.len());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for GuardedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match bare_refusal(bytes) {
            None => self.write(context, bytes),
            Some(0) => self.write_worded(context, bytes),
            // The answers before the refusal are written first.
            Some(begin) => self.write(context, bytes.get(..begin).unwrap_or(bytes)),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(|stream| stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.connection.keeps_stream.get() {
            return Poll::Ready(Ok(()));
        }
        self.poll(|stream| stream.poll_shutdown(context))
    }
}

impl Drop for GuardedStream {
    /// The stream closes with it.
    fn drop(&mut self) {
        self.connection.stream.take();
    }
}
