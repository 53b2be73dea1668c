//! The open connections of a serving thread, and when one has to end: because the server stops, because it was silent for too
//! long, because its client leaves too many bytes of answers unread, or because unfinished requests take too much memory.
//!
//! The thread checks all of them at intervals. A timer for each would be set and reset with every request.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Checks in a row without a sign of activity, after which a connection closes.
const SILENT_CHECKS: u32 = 2;
/// Bytes of answers that the clients of a thread may leave unread, all together. A full book or all of an account's orders
/// are megabytes: thousands of clients that request them and read slowly would otherwise take all memory.
const KEPT_MAX: usize = 64 * 1024 * 1024;

/// Bytes of unfinished heads and bodies that a thread keeps, all together. A head of any usual client arrives in one piece:
/// only clients that hold requests back have unfinished ones.
const UNFINISHED_MAX: usize = 16 * 1024 * 1024;

/// What a connection has to do; a later signal includes the earlier ones.
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
    signal: Cell<Signal>,
    waker: RefCell<Option<Waker>>,
    /// Requests begun and pieces of answers that the client took.
    signs: Cell<u64>,
    /// Whether the client waits for the server, and not the server for the client.
    is_serving: Cell<bool>,
    /// Bytes of answers that the client has not taken.
    untaken: Cell<usize>,
    /// Bytes of memory that its answers take, and how many answers of the thread had been made with the last.
    kept: Cell<usize>,
    answered: Cell<u64>,
    /// Bytes of an unfinished head or body, and when the first of them came, in the thread's order of such.
    unfinished: Cell<usize>,
    unfinished_since: Cell<u64>,
    /// The signs at the last check, and the checks since the last new one.
    seen: Cell<(u64, u32)>,
}

impl Connection {
    /// A whole head has arrived.
    fn begin(&self) {
        self.is_serving.set(true);
        self.sign();
    }

    /// Its answer of this many bytes is made.
    fn end(&self, bytes: usize) {
        self.is_serving.set(false);
        // Of the answers before it, only the bytes in the write buffer are left.
        let untaken = self.untaken.get() + bytes;
        self.untaken.set(untaken);
        self.kept.set(untaken);
        self.sign();
    }

    /// The client has taken this many bytes. A body is one piece of memory, and stays until its end is taken.
    pub(crate) fn took(&self, bytes: usize) {
        let untaken = self.untaken.get().saturating_sub(bytes);
        self.untaken.set(untaken);
        if untaken == 0 {
            self.kept.set(0);
        }
        self.sign();
    }

    fn sign(&self) {
        self.signs.set(self.signs.get() + 1);
    }

    /// The next signal after `known`.
    pub(crate) async fn signal_after(&self, known: Signal) -> Signal {
        poll_fn(|context| {
            let signal = self.signal.get();
            if signal > known {
                return Poll::Ready(signal);
            }
            let mut waker = self.waker.borrow_mut();
            if !waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                *waker = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await
    }

    fn send(&self, signal: Signal) {
        self.signal.set(self.signal.get().max(signal));
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn is_silent(&self) -> bool {
        let signs = self.signs.get();
        let (before, checks) = self.seen.get();
        let checks = if signs == before && !self.is_serving.get() { checks + 1 } else { 0 };
        self.seen.set((signs, checks));
        checks >= SILENT_CHECKS
    }
}

/// The connections of one thread.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    open: RefCell<BTreeMap<u64, Rc<Connection>>>,
    last: Cell<u64>,
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
        connection.sign();
        connection.send(self.signal.get());
        self.open.borrow_mut().insert(number, Rc::clone(&connection));
        (number, connection)
    }

    /// Removes a connection that has ended.
    pub(crate) fn leave(&self, number: u64) {
        let left = self.open.borrow_mut().remove(&number);
        if let Some(connection) = left {
            self.release(&connection);
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
        connection.begin();
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
            connection.send(Signal::Close);
        }
    }

    /// An answer of this many bytes is made for a connection. If too many bytes are kept, those connections close that have
    /// left theirs for longest.
    pub(crate) fn end(&self, connection: &Connection, bytes: usize) {
        self.release(connection);
        connection.end(bytes);
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
            connection.send(Signal::Close);
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
            .filter(|connection| connection.is_silent())
            .for_each(|connection| connection.send(Signal::Close));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signals(connections: &[&Connection]) -> Vec<Signal> {
        connections.iter().map(|connection| connection.signal.get()).collect()
    }

    /// A connection closes when its client sends no request and takes no answer, unless the client waits for an answer.
    #[test]
    fn silent_connections_close() {
        let connections = Connections::default();
        let [silent, waiting, slow] = [(); 3].map(|()| connections.enter().1);
        waiting.begin();
        slow.begin();
        slow.end(0);
        for _ in 0..SILENT_CHECKS {
            slow.took(1);
            connections.check();
        }
        assert_eq!(signals(&[&silent, &waiting, &slow]), [Signal::Continue; 3]);
        slow.took(1);
        connections.check();
        assert_eq!(signals(&[&silent, &waiting, &slow]), [Signal::Close, Signal::Continue, Signal::Continue]);
        waiting.end(0);
        for _ in 0..=SILENT_CHECKS {
            connections.check();
        }
        assert_eq!(signals(&[&waiting, &slow]), [Signal::Close, Signal::Close]);
    }

    /// Unread answers are kept up to a limit. Then the connection that left one for longest closes; one that reads stays.
    #[test]
    fn a_client_that_leaves_too_much_unread_is_closed() {
        const LARGE: usize = KEPT_MAX / 4;
        let connections = Connections::default();
        let [taking, first, second, third] = [(); 4].map(|()| connections.enter().1);
        let all = || signals(&[&taking, &first, &second, &third]);
        for _ in 0..100 {
            connections.end(&taking, LARGE);
            taking.took(LARGE);
        }
        connections.end(&taking, 1);
        for connection in [&first, &second, &third] {
            connections.end(connection, LARGE);
        }
        assert_eq!(all(), [Signal::Continue; 4]);
        connections.end(&second, LARGE);
        assert_eq!(all(), [Signal::Close, Signal::Continue, Signal::Continue, Signal::Continue]);
        connections.end(&third, 2 * LARGE);
        assert_eq!(all(), [Signal::Close, Signal::Close, Signal::Close, Signal::Continue]);
        connections.end(&third, 100 * LARGE);
        assert_eq!(third.signal.get(), Signal::Continue, "an answer that alone is too large closes too");
    }

    /// An answer stays in memory whole until its last byte is taken, and counts so. An answer after it adds to the bytes that
    /// are left.
    #[test]
    fn an_answer_counts_whole_until_its_end_is_taken() {
        const LARGE: usize = KEPT_MAX / 4;
        let connections = Connections::default();
        let crowd = [(); 6].map(|()| connections.enter().1);
        for connection in &crowd {
            connections.end(connection, LARGE);
            connection.took(LARGE - 1);
        }
        let all = || signals(&crowd.each_ref().map(|connection| &**connection));
        assert_eq!(
            all(),
            [
                Signal::Close,
                Signal::Close,
                Signal::Continue,
                Signal::Continue,
                Signal::Continue,
                Signal::Continue
            ]
        );
        let asking = connections.enter().1;
        connections.end(&asking, 1);
        for _ in 0..100 {
            asking.end(LARGE);
            asking.took(LARGE);
        }
        assert_eq!((asking.untaken.get(), asking.kept.get()), (1, LARGE + 1));
        asking.took(1);
        assert_eq!(asking.kept.get(), 0);
    }

    /// Unfinished requests take memory up to a limit. Then the oldest close; requests that end make room.
    #[test]
    fn the_oldest_unfinished_requests_close() {
        const PART: usize = UNFINISHED_MAX / 4;
        let connections = Connections::default();
        let [whole, first, second, third] = [(); 4].map(|()| connections.enter().1);
        let all = || signals(&[&whole, &first, &second, &third]);
        for _ in 0..100 {
            connections.receive(&whole, PART);
            connections.begin(&whole);
            connections.hold(&whole, PART);
            connections.end(&whole, 0);
        }
        for _ in 0..2 {
            connections.receive(&first, PART / 2);
        }
        connections.receive(&second, PART);
        connections.begin(&third);
        connections.receive(&third, UNFINISHED_MAX);
        connections.hold(&third, 2 * PART);
        assert_eq!(all(), [Signal::Continue; 4], "a body that is not kept takes nothing");
        connections.receive(&whole, PART);
        assert_eq!(all(), [Signal::Continue, Signal::Close, Signal::Close, Signal::Continue]);
    }

    /// A connection that ends gives its memory back.
    #[test]
    fn the_end_of_a_connection_makes_room() {
        let connections = Connections::default();
        for _ in 0..100 {
            let (number, connection) = connections.enter();
            connections.receive(&connection, UNFINISHED_MAX / 2);
            connections.leave(number);
        }
        assert_eq!(connections.unfinished.get(), 0);
    }

    /// The end of the server reaches open connections and later ones, and replaces no stronger signal.
    #[test]
    fn the_end_reaches_all() {
        let connections = Connections::default();
        let (number, open) = connections.enter();
        let (_, cut) = connections.enter();
        cut.send(Signal::Close);
        connections.finish();
        let (_, late) = connections.enter();
        assert_eq!(signals(&[&open, &cut, &late]), [Signal::Finish, Signal::Close, Signal::Finish]);
        connections.leave(number);
        assert_eq!(connections.open(), 2);
    }

    /// A signal wakes the task that waits for it.
    #[tokio::test]
    async fn a_signal_wakes() {
        let connections = Connections::default();
        let (_, connection) = connections.enter();
        let next = connection.signal_after(Signal::Continue);
        let finish = async {
            tokio::task::yield_now().await;
            connections.finish();
        };
        let (signal, ()) = tokio::join!(next, finish);
        assert_eq!(signal, Signal::Finish);
    }
}
