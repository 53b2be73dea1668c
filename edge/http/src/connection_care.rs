//! The open connections of a serving thread, and when one has to end: because the server stops, because it was silent for too
//! long, because its client leaves too many bytes of answers unread, because unfinished requests take too much memory, or
//! because a new connection needs its place.
//!
//! The thread checks all of them at intervals. A timer for each would be set and reset with every request.

use crate::connection_state::{Connection, Signal};
use crate::idle_order::IdleOrder;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Checks in a row without a sign of activity, after which a connection closes.
const SILENT_CHECKS: u32 = 2;
/// Bytes of answers that the clients of a thread may leave unread, all together. A full book or all of an account's orders
/// are megabytes: thousands of clients that request them and read slowly would otherwise take all memory.
const KEPT_MAX: usize = 64 * 1024 * 1024;

/// One place in this many is kept for connections with a signed request: a crowd of others cannot take it.
const KEPT_FOR_SIGNED: usize = 10;
/// Bytes of unfinished heads and bodies that a thread keeps, all together. A head of any usual client arrives in one piece:
/// only clients that hold requests back have unfinished ones. In memory they take about three times as much, since buffers grow
/// by doubling.
const UNFINISHED_MAX: usize = 4 * 1024 * 1024;

/// The connections of one thread.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    open: RefCell<BTreeMap<u64, Rc<Connection>>>,
    last: Cell<u64>,
    /// Signs of activity.
    signs: Cell<u64>,
    /// Connections that have no signal to close, and those of them with a signed request.
    live: Cell<usize>,
    live_signed: Cell<usize>,
    idle_order: RefCell<IdleOrder>,
    /// Answers made.
    answers: Cell<u64>,
    /// Bytes of answers made since `kept` was last summed up.
    uncounted: Cell<usize>,
    /// Bytes of unfinished heads and bodies, and how many such began.
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
        // Its arrival is a sign too.
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

    /// Makes a place for a new connection among `share`. If none is free, the one that is idle for longest closes. Connections
    /// without a signed request have fewer places, and make room among themselves. False if no connection is idle.
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

    /// A request on this connection carried a valid signature.
    pub(crate) fn note_signed(&self, connection: &Connection) {
        if !connection.is_signed.replace(true) && connection.signal.get() != Signal::Close {
            self.live_signed.set(self.live_signed.get() + 1);
        }
    }

    /// The client has taken this many bytes of an answer.
    pub(crate) fn took(&self, connection: &Connection, bytes: usize) {
        connection.took(bytes);
        self.sign(connection);
    }

    /// The body of a request has arrived.
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

    /// It closes or has left: it counts no more.
    fn forget(&self, connection: &Connection) {
        if connection.signal.get() != Signal::Close {
            self.live.set(self.live.get() - 1);
            self.live_signed.set(self.live_signed.get() - usize::from(connection.is_signed.get()));
        }
    }

    /// Bytes have arrived from a client. Those of a head count until it is whole; a body counts where it is kept.
    pub(crate) fn receive(&self, connection: &Connection, bytes: usize) {
        if !connection.is_serving.get() {
            self.hold(connection, bytes);
        }
    }

    /// Bytes of an unfinished request are kept. If they are too many, those connections close that began theirs first.
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

    /// A whole head has arrived.
    pub(crate) fn begin(&self, connection: &Connection) {
        self.release(connection);
        connection.is_serving.set(true);
        self.sign(connection);
    }

    /// A request is whole, or its connection ends.
    fn release(&self, connection: &Connection) {
        self.unfinished.set(self.unfinished.get().saturating_sub(connection.unfinished.take()));
    }

    /// Closes connections with unfinished requests, the oldest first, until an eighth of the room is free: the next search
    /// for them is then some time away.
    #[cold]
    fn close_unfinished(&self) {
        let open = self.open.borrow();
        let mut unfinished: Vec<&Rc<Connection>> =
            open.values().filter(|connection| connection.unfinished.get() > 0).collect();
        unfinished.sort_unstable_by_key(|connection| connection.unfinished_since.get());
        for connection in unfinished {
            if self.unfinished.get() <= UNFINISHED_MAX - UNFINISHED_MAX / 8 {
                return;
            }
            self.release(connection);
            self.close(connection);
        }
    }

    /// An answer of this many bytes is made for a connection. If too many bytes are kept, those connections close that have
    /// left theirs for longest.
    pub(crate) fn end(&self, connection: &Connection, bytes: usize) {
        self.release(connection);
        connection.end(bytes);
        self.sign(connection);
        self.answers.set(self.answers.get() + 1);
        connection.answered.set(self.answers.get());
        self.uncounted.set(self.uncounted.get().saturating_add(bytes));
        // The sum takes work for each connection. No answer is so large that this is too seldom.
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

    /// All connections, and those to come, end after the request in progress.
    pub(crate) fn finish(&self) {
        self.signal.set(Signal::Finish);
        self.open.borrow().values().for_each(|connection| connection.send(Signal::Finish));
    }

    /// Checks all connections, and closes those that gave no sign at several checks in a row.
    pub(crate) fn check(&self) {
        let open = self.open.borrow();
        open.values()
            .filter(|connection| connection.silent_checks() >= SILENT_CHECKS)
            .for_each(|connection| self.close(connection));
    }
}

#[cfg(test)]
mod tests;
