//! The state of one connection, and the signals that its thread sends it.

use crate::kernel::reset_at_close;
use crate::socket::Link;
use crate::upgrade::Upgrade;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::net::SocketAddr;
use std::rc::Rc;
use std::task::{Poll, Waker};
use tokio::io::ReadBuf;
use tokio::net::TcpStream;

/// Bytes of a read buffer that an idle connection may keep.
pub(crate) const SPARE_BUFFER: usize = 16 * 1024;

/// An instruction to a connection; a later signal includes the earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Signal {
    /// Go on.
    #[default]
    Continue,
    /// End after the request in progress.
    Finish,
    /// End at once.
    Close,
}

/// The state of one connection, shared by its task and its thread.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub(crate) signal: Cell<Signal>,
    waker: RefCell<Option<Waker>>,
    /// When the last request began or the client last took a piece of an answer, counted in the thread's signs of
    /// activity.
    pub(crate) active_at: Cell<u64>,
    /// Whether a request is being answered.
    pub(crate) is_serving: Cell<bool>,
    /// Whether its body has yet to arrive.
    pub(crate) is_reading: Cell<bool>,
    /// Whether a request on it carried a valid signature.
    pub(crate) is_signed: Cell<bool>,
    /// Bytes of answers that the client has not taken.
    pub(crate) untaken: Cell<usize>,
    /// Bytes of memory that its answers take, and the thread's number of its last answer.
    pub(crate) kept: Cell<usize>,
    pub(crate) answered: Cell<u64>,
    /// Its entry in the idle order: whether among signed connections, and the time there.
    pub(crate) idle_entry: Cell<(bool, u64)>,
    /// Bytes of a head that came after the request in progress, and whose end has not arrived.
    pub(crate) next_head: Cell<usize>,
    /// Whether a head was longer than an idle connection may keep a buffer for.
    pub(crate) had_large_head: Cell<bool>,
    /// Whether the stream stays open although hyper's connection ends.
    pub(crate) keeps_stream: Cell<bool>,
    /// The most room that its read buffer had.
    pub(crate) read_buffer: Cell<usize>,
    /// Bytes of an unfinished head or body, or of the head and the buffer of a request whose body has not arrived, and the thread's number of this unfinished request.
    pub(crate) unfinished: Cell<usize>,
    pub(crate) unfinished_since: Cell<u64>,
    /// The last activity that a check saw, and the number of checks since.
    seen: Cell<(u64, u32)>,
    /// The continuation of an answer that switches protocols, until hyper has written that.
    upgrade: RefCell<Option<Upgrade>>,
    /// The client's end.
    pub(crate) peer: Cell<Option<SocketAddr>>,
    /// Whether the kernel drops what it holds for the client when it closes.
    pub(crate) resets: Cell<bool>,
    /// Its stream, until it ends or becomes a socket.
    pub(crate) stream: RefCell<Option<TcpStream>>,
    /// Its socket, if it has become one.
    socket: RefCell<Option<Rc<Link>>>,
}

impl Connection {
    /// Whether the client waits for the server, and not the server for the client. A socket never makes place for another connection.
    pub(crate) fn is_waiting(&self) -> bool {
        self.is_socket() || self.is_serving.get() && !self.is_reading.get()
    }

    /// Whether its read buffer has grown, and nothing needs it: the client has taken all answers. The buffers of clients that sign
    /// stay, unless a head alone was large: they may send many requests at once.
    pub(crate) fn wastes_buffer(&self) -> bool {
        let has_grown = self.read_buffer.get() > SPARE_BUFFER;
        has_grown
            && !self.is_serving.get()
            && self.untaken.get() == 0
            && (!self.is_signed.get() || self.had_large_head.get())
    }

    /// Notes that its read buffer is a new one.
    pub(crate) fn renew(&self) {
        self.read_buffer.set(0);
        self.had_large_head.set(false);
    }

    /// Notes an answer of this many bytes.
    pub(crate) fn end(&self, bytes: usize) {
        self.is_serving.set(false);
        self.is_reading.set(false);
        // Of the answers before it, only the bytes in the write buffer are left.
        let untaken = self.untaken.get() + bytes;
        self.untaken.set(untaken);
        self.kept.set(untaken);
    }

    /// Notes that the client has taken this many bytes. A body is one piece of memory, and stays until its end is
    /// taken.
    pub(crate) fn took(&self, bytes: usize) {
        let untaken = self.untaken.get().saturating_sub(bytes);
        self.untaken.set(untaken);
        if untaken == 0 {
            self.kept.set(0);
        }
    }

    /// The next signal after `known`.
    pub(crate) async fn signal_after(&self, known: Signal) -> Signal {
        poll_fn(|context| {
            let signal = self.signal.get();
            if signal > known {
                return Poll::Ready(signal);
            }
            self.listen(context.waker());
            Poll::Pending
        })
        .await
    }

    /// Has the kernel drop what it holds for the client, if the client leaves an answer unread.
    pub(crate) fn prepare_close(&self) {
        if let Some(stream) = &*self.stream.borrow()
            && (self.resets.get() || self.untaken.get() > 0)
        {
            reset_at_close(stream);
        }
    }

    /// Waits until the client has closed its side, and has sent nothing that was not read.
    pub(crate) async fn left(&self) {
        poll_fn(|context| {
            let (stream, mut byte) = (self.stream.borrow(), [0]);
            let Some(stream) = &*stream else { return Poll::Pending };
            match stream.poll_peek(context, &mut ReadBuf::new(&mut byte)) {
                Poll::Ready(Ok(0) | Err(_)) => Poll::Ready(()),
                Poll::Ready(Ok(_)) | Poll::Pending => Poll::Pending,
            }
        })
        .await;
    }

    /// Has the task woken at the next signal.
    pub(crate) fn listen(&self, waker: &Waker) {
        let mut known = self.waker.borrow_mut();
        if !known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *known = Some(waker.clone());
        }
    }

    /// Notes that the answer in progress switches protocols.
    pub(crate) fn switch(&self, upgrade: Upgrade) {
        *self.upgrade.borrow_mut() = Some(upgrade);
    }

    /// The continuation of the answer that switched protocols, if one has.
    pub(crate) fn take_upgrade(&self) -> Option<Upgrade> {
        self.upgrade.take()
    }

    /// Notes that it has become a socket.
    pub(crate) fn be_socket(&self, link: Rc<Link>) {
        *self.socket.borrow_mut() = Some(link);
    }

    pub(crate) fn is_socket(&self) -> bool {
        self.socket.borrow().is_some()
    }

    /// Pings the client of a socket. Whether it is one: its silence is then judged by its answers.
    pub(crate) fn ping(&self) -> bool {
        self.socket.borrow().as_ref().inspect(|link| link.ping()).is_some()
    }

    /// Wakes its task with a signal.
    pub(crate) fn send(&self, signal: Signal) {
        self.signal.set(self.signal.get().max(signal));
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// The number of checks in a row without activity, this one included.
    pub(crate) fn silent_checks(&self) -> u32 {
        let active_at = self.active_at.get();
        let (before, checks) = self.seen.get();
        let checks = if active_at == before && !self.is_serving.get() { checks + 1 } else { 0 };
        self.seen.set((active_at, checks));
        checks
    }
}
