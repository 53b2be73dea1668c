//! Applies events to the state.

use crate::{Desks, Event, Infrequent, State};
use buttonwood_access as access;
use buttonwood_model::{BytesRef, Stamp};
use buttonwood_trading as trading;

/// Applies one event of the command at `stamp`. `texts` holds the texts that the command's events refer to.
///
/// # Panics
/// When the event does not follow from the state: the code or the journal is wrong, and the exchange must
/// end.
#[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
#[inline(always)]
pub fn evolve(state: &mut State, stamp: Stamp, event: &Event, texts: &[u8]) {
    match event {
        Event::Trading(event) => {
            let State { floor, desks, .. } = state;
            if let Some(used) = trading::evolve(floor, desks, stamp.time, event, texts) {
                take_id(state, used);
            }
        }
        Event::Access(access::Event::NonceUsed(session, nonce)) => {
            state.access.take_nonce(*session, nonce, stamp.time);
        }
        Event::Infrequent(kept) => evolve_infrequent(state, stamp, *kept, texts),
    }
}

#[cold]
fn evolve_infrequent(state: &mut State, stamp: Stamp, kept: BytesRef, texts: &[u8]) {
    Infrequent::read(kept, texts).expect("what was kept can be read").apply(state, stamp);
}

/// Repays what accounts owe, out of whatever came in (D-46).
pub(crate) fn repay(state: &mut State) {
    state.desks.repay_margin();
    let Desks { perps, ledger, .. } = &mut state.desks;
    if !perps.loans().is_empty() {
        perps.repay(ledger);
    }
}

/// Takes the next id of orders and trades.
#[inline]
pub(crate) fn take_id(state: &mut State, used: u64) {
    assert!(used == state.next_id, "order and trade ids have no holes");
    state.next_id += 1;
}

impl State {
    /// Applies all events of the command at `stamp`, and sets the state's stamp.
    ///
    /// # Panics
    /// As [`evolve`] and [`State::advance`] do.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub fn apply(&mut self, stamp: Stamp, events: &[Event], texts: &[u8]) {
        // The first event of nearly every command uses a nonce.
        let others = match events {
            [Event::Access(access::Event::NonceUsed(session, nonce)), others @ ..] => {
                self.access.take_nonce(*session, nonce, stamp.time);
                others
            }
            _ => events,
        };
        for event in others {
            evolve(self, stamp, event, texts);
        }
        self.advance(stamp);
    }

    /// Sets the state's stamp, after the events of its command were applied.
    ///
    /// # Panics
    /// When the sequence has a hole or time goes back (INV-JRN-1).
    pub fn advance(&mut self, stamp: Stamp) {
        assert!(stamp.seq.0 == self.stamp.seq.0 + 1, "commands are numbered without holes");
        assert!(stamp.time >= self.stamp.time, "time does not go back");
        self.desks.indices.note_time(stamp.time);
        self.desks.spot_margin.note_time(stamp.time);
        self.stamp = stamp;
        if self.may_have_follow_ups() {
            self.follow_up();
        }
    }

    /// Whether a room may have something to do at the end of the command. After nearly every command none has.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn may_have_follow_ups(&self) -> bool {
        let Desks { perps, predictions, ledger, .. } = &self.desks;
        perps.is_ranked() | predictions.has_freed() | ledger.has_risen() | self.clearing.is_awake()
    }

    /// Lets every room finish the command.
    #[cold]
    #[inline(never)]
    fn follow_up(&mut self) {
        self.desks.perps.note_command();
        if self.desks.predictions.has_freed() {
            self.desks.net();
        }
        if self.clearing.is_busy(&self.desks.ledger) {
            self.note_rises();
        }
        if self.clearing.is_fresh() && self.operations.is_halted() {
            self.clearing.halt();
        }
    }
}
