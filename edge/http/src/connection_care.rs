//! The open connections of a serving thread, and the reasons to close one: the server stops, the connection was silent
//! for too long, its client leaves too many bytes of answers unread, unfinished requests take too much memory, or a new
//! connection needs its place.
//!
//! The thread checks all connections at intervals. A timer per connection would have to be reset with every request.

use crate::connection_state::{Connection, SPARE_BUFFER, Signal};
use crate::idle_order::IdleOrder;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::rc::Rc;

/// A connection closes after this many checks in a row without activity.
const SILENT_CHECKS: u32 = 2;
/// All clients of a thread together may leave this many bytes of answers unread. A full book or all orders of an
/// account are megabytes: without a limit, thousands of slow readers would take all memory.
const KEPT_MAX: usize = 64 * 1024 * 1024;

/// One place in this many is reserved for connections with a signed request, so that a crowd of others cannot take it.
const KEPT_FOR_SIGNED: usize = 10;
/// The limit on bytes of unfinished heads and bodies per thread, and of heads and read buffers of requests whose body has not
/// arrived. The head of a usual client arrives in one piece; only clients that hold requests back have unfinished ones. They take
/// up to three times as much memory, since buffers grow by doubling.
const UNFINISHED_MAX: usize = 4 * 1024 * 1024;

/// The connections of one thread.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    open: RefCell<BTreeMap<u64, Rc<Connection>>>,
    last: Cell<u64>,
    /// Signs of activity so far; the count serves as the thread's clock.
    signs: Cell<u64>,
    /// Connections without a signal to close, and how many of them had a signed request.
    live: Cell<usize>,
    live_signed: Cell<usize>,
    idle_order: RefCell<IdleOrder>,
    /// Answers made so far.
    answers: Cell<u64>,
    /// Bytes of answers made since `kept` was last summed up.
    uncounted: Cell<usize>,
    /// Bytes of unfinished heads and bodies, and the number of unfinished requests so far.
    unfinished: Cell<usize>,
    unfinished_begun: Cell<u64>,
    /// The signal that every new connection starts with.
    signal: Cell<Signal>,
}

impl Connections {
    /// The number of open connections.
    pub(crate) fn open(&self) -> usize {
        self.open.borrow().len()
    }

    /// Adds a connection, and returns the number to remove it by.
    pub(crate) fn enter(&self) -> (u64, Rc<Connection>) {
        let number = self.last.get() + 1;
        self.last.set(number);
        let connection = Rc::new(Connection::default());
        // Its arrival is a sign of activity too.
        self.sign(&connection);
        connection.send(self.signal.get());
        self.open.borrow_mut().insert(number, Rc::clone(&connection));
        self.idle_order.borrow_mut().insert(number, &connection);
        self.live.set(self.live.get() + 1);
        (number, connection)
    }

    /// Removes a connection that has ended.
    pub(crate) fn leave(&self, number: u64) {
        let left = self.open.borrow_mut().remove(&number);
        if let Some(connection) = left {
            self.release(&connection);
            self.forget(&connection);
            self.idle_order.borrow_mut().remove(number, &connection);
        }
    }

    /// Makes a place for a new connection among `share`. If none is free, the connection that has been idle longest
    /// closes, one with a signed request only when no other is idle. Connections without a signed request have fewer
    /// places; beyond these, one of them closes. Returns false if no connection is idle.
    pub(crate) fn make_place(&self, share: usize) -> bool {
        let for_unsigned = share - if share > 1 { share.div_ceil(KEPT_FOR_SIGNED) } else { 0 };
        let (live, signed) = (self.live.get(), self.live_signed.get());
        let among_unsigned = live - signed >= for_unsigned;
        if !among_unsigned && live < share {
            return true;
        }
        let open = self.open.borrow();
        let found = self.idle_order.borrow_mut().first(&open, self.signs.get(), among_unsigned);
        found.inspect(|connection| self.close(connection)).is_some()
    }

    /// Notes that a request on this connection carried a valid signature.
    pub(crate) fn note_signed(&self, connection: &Connection) {
        if !connection.is_signed.replace(true) && connection.signal.get() != Signal::Close {
            self.live_signed.set(self.live_signed.get() + 1);
        }
    }

    /// Notes that the client has taken this many bytes of an answer.
    pub(crate) fn took(&self, connection: &Connection, bytes: usize) {
        connection.took(bytes);
        self.sign(connection);
    }

    /// Notes that the body of a request has arrived.
    pub(crate) fn end_of_body(&self, connection: &Connection) {
        connection.is_reading.set(false);
        self.sign(connection);
    }

    fn sign(&self, connection: &Connection) {
        self.signs.set(self.signs.get() + 1);
        connection.active_at.set(self.signs.get());
    }

    fn close(&self, connection: &Connection) {
        self.forget(connection);
        connection.send(Signal::Close);
    }

    /// Stops counting a connection that closes or has ended.
    fn forget(&self, connection: &Connection) {
        if connection.signal.get() != Signal::Close {
            self.live.set(self.live.get() - 1);
            self.live_signed.set(self.live_signed.get() - usize::from(connection.is_signed.get()));
        }
    }

    /// Notes bytes that arrived from a client. Bytes of a head count until the head is whole; bytes of a body are
    /// counted where the body is kept.
    pub(crate) fn receive(&self, connection: &Connection, bytes: usize) {
        if !connection.is_serving.get() {
            self.hold(connection, bytes);
        }
    }

    /// Counts bytes of an unfinished request. If the thread keeps too many, the connections with the oldest unfinished
    /// requests close.
    pub(crate) fn hold(&self, connection: &Connection, bytes: usize) {
        if connection.unfinished.get() == 0 {
            self.unfinished_begun.set(self.unfinished_begun.get() + 1);
            connection.unfinished_since.set(self.unfinished_begun.get());
        }
        connection.unfinished.set(connection.unfinished.get() + bytes);
        self.unfinished.set(self.unfinished.get() + bytes);
        if self.unfinished.get() > UNFINISHED_MAX {
            self.close_unfinished();
        }
    }

    /// Counts the bytes of a socket's unfinished message: these, in place of those before.
    pub(crate) fn hold_exactly(&self, connection: &Connection, bytes: usize) {
        let before = connection.unfinished.get();
        if bytes > before {
            self.hold(connection, bytes - before);
        } else {
            connection.unfinished.set(bytes);
            self.unfinished.set(self.unfinished.get().saturating_sub(before - bytes));
        }
    }

    /// Notes that a whole head has arrived. If the client owes a part of the request, its head and read buffer stay in memory, and
    /// count until the answer.
    pub(crate) fn begin(&self, connection: &Connection, is_whole: bool) {
        if connection.unfinished.get() > SPARE_BUFFER {
            connection.had_large_head.set(true);
        }
        connection.is_serving.set(true);
        if is_whole {
            self.release(connection);
        } else {
            self.hold(connection, connection.read_buffer.get());
        }
        self.sign(connection);
    }

    /// Stops counting a connection's unfinished bytes: its request is whole, or the connection ends.
    fn release(&self, connection: &Connection) {
        self.unfinished.set(self.unfinished.get().saturating_sub(connection.unfinished.take()));
    }

    /// Closes connections with unfinished requests, the oldest first, until an eighth of the limit is free, so that the
    /// next search is some time away.
    #[cold]
    fn close_unfinished(&self) {
        let open = self.open.borrow();
        let mut unfinished: Vec<&Rc<Connection>> =
            open.values().filter(|connection| is_unfinished(connection)).collect();
        unfinished.sort_unstable_by_key(|connection| connection.unfinished_since.get());
        for connection in unfinished {
            if self.unfinished.get() <= UNFINISHED_MAX - UNFINISHED_MAX / 8 {
                return;
            }
            self.release(connection);
            self.close(connection);
        }
    }

    /// Notes an answer of this many bytes. If too many bytes are unread, the connections whose answers have waited
    /// longest close.
    pub(crate) fn end(&self, connection: &Connection, bytes: usize) {
        self.release(connection);
        connection.end(bytes);
        self.sign(connection);
        // Bytes that came with the request are in the read buffer, and count again.
        let next_head = connection.next_head.get();
        if next_head > 0 {
            self.hold(connection, next_head);
        }
        self.answers.set(self.answers.get() + 1);
        connection.answered.set(self.answers.get());
        self.uncounted.set(self.uncounted.get().saturating_add(bytes));
        // The sum visits every connection, so it is not taken for each answer. No answer is large enough to make this
        // too rare.
        if self.uncounted.get() >= KEPT_MAX / 8 {
            self.uncounted.set(0);
            self.make_room(connection);
        }
    }

    /// Closes connections until few enough bytes are kept, but not `newest`, whose answer was just made.
    #[cold]
    fn make_room(&self, newest: &Connection) {
        let open = self.open.borrow();
        let is_closing = |connection: &Connection| connection.signal.get() == Signal::Close;
        let mut slow: Vec<&Connection> = open
            .values()
            .map(|connection| &**connection)
            .filter(|connection| connection.kept.get() > 0 && !is_closing(connection))
            .collect();
        let mut kept = slow.iter().map(|connection| connection.kept.get()).sum::<usize>();
        slow.sort_unstable_by_key(|connection| connection.answered.get());
        for connection in slow.into_iter().filter(|connection| !std::ptr::eq(*connection, newest)) {
            if kept <= KEPT_MAX {
                return;
            }
            kept -= connection.kept.get();
            self.close(connection);
        }
    }

    /// Resets the connections from these addresses: they leave too much unread.
    pub(crate) fn reset(&self, peers: &HashSet<SocketAddr>) {
        let open = self.open.borrow();
        let is_slow =
            |connection: &Connection| connection.peer.get().is_some_and(|peer| peers.contains(&peer));
        for connection in open.values().filter(|connection| is_slow(connection)) {
            connection.resets.set(true);
            self.close(connection);
        }
    }

    /// Ends all connections, later ones included, after their request in progress.
    pub(crate) fn finish(&self) {
        self.signal.set(Signal::Finish);
        self.open.borrow().values().for_each(|connection| connection.send(Signal::Finish));
    }

    /// Checks all connections, and closes those without activity at [`SILENT_CHECKS`] checks in a row. Pings those that are sockets.
    pub(crate) fn check(&self) {
        let open = self.open.borrow();
        open.values()
            .filter(|connection| !connection.ping() && connection.silent_checks() >= SILENT_CHECKS)
            .for_each(|connection| self.close(connection));
    }
}

/// Whether a connection holds bytes of an unfinished request, and waits for its client. A request whose body has arrived is
/// answered soon.
fn is_unfinished(connection: &Connection) -> bool {
    connection.unfinished.get() > 0 && (connection.is_socket() || !connection.is_waiting())
}

#[cfg(test)]
mod tests;
