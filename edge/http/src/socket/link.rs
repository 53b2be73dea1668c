//! The handle of a socket, for the tasks of its thread.

use super::Code;
use super::frame::{self, Opcode};
use std::cell::{Cell, RefCell};
use std::task::Waker;

/// Pings in a row that a client may leave unanswered.
const PINGS_MAX: u32 = 2;

/// Weighs frames that are no message: so many of them; whether the client may send more.
type Scale = Box<dyn Fn(u32) -> bool>;

/// The state that a socket shares with its thread.
#[derive(Default)]
pub struct Link {
    /// The scale of control frames and of parts of a message without a byte; without one they weigh nothing.
    scale: RefCell<Option<Scale>>,
    waker: RefCell<Option<Waker>>,
    closing: Cell<Option<Code>>,
    is_cut: Cell<bool>,
    /// Whether the client has not answered, so that the kernel need not hold anything for it either.
    is_silent: Cell<bool>,
    is_stalled: Cell<bool>,
    has_ended: Cell<bool>,
    has_peer_closed: Cell<bool>,
    has_broken_protocol: Cell<bool>,
    /// Pings that were sent since the last pong.
    unanswered: Cell<u32>,
    /// Control frames that weigh nothing: one for each ping that was sent, since the client has to answer it.
    weightless: Cell<u32>,
    is_ping_due: Cell<bool>,
    /// Whether the client has taken bytes since the last time that a ping was due.
    has_written: Cell<bool>,
    /// The payload of the client's newest ping that has no answer: an answer to it answers those before too (RFC 6455, 5.5.3).
    pong: RefCell<Option<Vec<u8>>>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("closing", &self.closing).finish_non_exhaustive()
    }
}

impl Link {
    /// Weighs control frames and parts of a message without a byte from here on. The socket closes once `scale` refuses some.
    pub fn weigh_by(&self, scale: impl Fn(u32) -> bool + 'static) {
        *self.scale.borrow_mut() = Some(Box::new(scale));
    }

    pub(super) fn may_send(&self, frames: u32) -> bool {
        let weightless = self.weightless.get().min(frames);
        self.weightless.set(self.weightless.get() - weightless);
        let frames = frames - weightless;
        frames == 0 || self.scale.borrow().as_ref().is_none_or(|scale| scale(frames))
    }

    /// Wakes the socket's task: its source has frames, or its state has changed.
    pub fn wake(&self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Closes the socket. Frames that wait are dropped; a second code is ignored.
    pub fn close(&self, code: Code) {
        if self.closing.get().is_none() {
            self.closing.set(Some(code));
            self.wake();
        }
    }

    /// Ends the socket without a close frame.
    pub fn cut(&self) {
        self.is_cut.set(true);
        self.wake();
    }

    /// Stops writing frames, or goes on.
    pub fn stall(&self, is_stalled: bool) {
        self.is_stalled.set(is_stalled);
        self.wake();
    }

    /// Whether the socket closes, or has ended.
    pub fn is_over(&self) -> bool {
        self.closing.get().is_some() || self.is_cut.get() || self.has_ended.get()
    }

    /// The code with which it closes, if it does.
    pub fn closing(&self) -> Option<Code> {
        self.closing.get()
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    pub(super) fn is_silent(&self) -> bool {
        self.is_silent.get()
    }

    pub(super) fn is_stalled(&self) -> bool {
        self.is_stalled.get()
    }

    pub(super) fn listen(&self, waker: &Waker) {
        let mut known = self.waker.borrow_mut();
        if !known.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *known = Some(waker.clone());
        }
    }

    pub(super) fn note_ended(&self) {
        self.has_ended.set(true);
        self.scale.take();
        self.waker.take();
    }

    pub(super) fn note_written(&self) {
        self.has_written.set(true);
    }

    pub(super) fn note_pong(&self) {
        self.unanswered.set(0);
    }

    pub(super) fn answer_ping(&self, payload: Vec<u8>) {
        *self.pong.borrow_mut() = Some(payload);
    }

    pub(super) fn note_peer_closed(&self) {
        self.has_peer_closed.set(true);
    }

    pub(super) fn has_peer_closed(&self) -> bool {
        self.has_peer_closed.get()
    }

    pub(super) fn note_broken_protocol(&self) {
        self.has_broken_protocol.set(true);
    }

    pub(super) fn has_broken_protocol(&self) -> bool {
        self.has_broken_protocol.get()
    }

    /// Appends the control frames that are due.
    pub(super) fn put_control(&self, out: &mut Vec<u8>) {
        if let Some(payload) = self.pong.take() {
            frame::put(out, Opcode::Pong, &payload);
        }
        if self.is_ping_due.take() {
            self.unanswered.set(self.unanswered.get() + 1);
            // One at most is kept for a client that answers late.
            self.weightless.set(1);
            frame::put(out, Opcode::Ping, b"");
        }
    }

    /// Pings the client; cuts the socket if the pings before were not answered.
    pub(crate) fn ping(&self) {
        if self.unanswered.get() >= PINGS_MAX {
            self.is_silent.set(true);
            return self.cut();
        }
        let has_written = self.has_written.take();
        // A ping that still waits behind a long frame counts as unanswered only if the client takes nothing of that frame.
        if self.is_ping_due.replace(true) && !has_written {
            self.unanswered.set(self.unanswered.get() + 1);
        }
        self.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The control frames that are due.
    fn due(link: &Link) -> Vec<u8> {
        let mut out = Vec::new();
        link.put_control(&mut out);
        out
    }

    /// The answer to a ping weighs nothing, whoever has used the address's weight up; a second frame, or one without a ping, weighs.
    #[test]
    fn an_answer_to_a_ping_weighs_nothing() {
        let link = Link::default();
        link.weigh_by(|_| false);
        assert!(!link.may_send(1));
        link.ping();
        due(&link);
        assert!(link.may_send(1) && !link.may_send(1));
        link.ping();
        due(&link);
        assert!(!link.may_send(2));
    }

    /// A client that answers is pinged for ever; one that leaves two pings unanswered is cut in place of the third.
    #[test]
    fn two_pings_may_be_unanswered() {
        let link = Link::default();
        for _ in 0..5 {
            link.ping();
            assert_eq!((due(&link), due(&link)), (vec![0x89, 0], Vec::new()));
            link.note_pong();
        }
        for _ in 0..2 {
            link.ping();
            assert_eq!(due(&link), [0x89, 0]);
        }
        assert!(!link.is_over());
        link.ping();
        assert!(link.is_cut() && link.is_over() && due(&link).is_empty());
    }

    /// The newest of several pings of a client is answered, once.
    #[test]
    fn the_newest_ping_is_answered() {
        let link = Link::default();
        link.answer_ping(b"a".to_vec());
        link.answer_ping(b"b".to_vec());
        assert_eq!((due(&link), due(&link)), (vec![0x8a, 1, b'b'], Vec::new()));
    }
}
