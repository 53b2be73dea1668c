//! Applies events to the state.

use crate::{Event, Infrequent, State};
use buttonwood_access as access;
use buttonwood_leave::Rooms as _;
use buttonwood_model::{BytesRef, Stamp};
use buttonwood_room::Changes;
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
        self.desks.note_time(stamp.time);
        self.stamp = stamp;
        if self.may_have_follow_ups() {
            self.follow_up();
        }
    }

    /// Whether a room may have something to do at the end of the command. After nearly every command none has.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    fn may_have_follow_ups(&self) -> bool {
        self.desks.has_changes() | self.is_a_room_awake()
    }

    /// Lets every room end the command, and passes it what has changed.
    #[cold]
    #[inline(never)]
    fn follow_up(&mut self) {
        self.finish_rooms();
        self.pass_changes();
    }

    /// Passes every room what has changed, and has it find what that makes due.
    pub(crate) fn pass_changes(&mut self) {
        let mut changes = self.desks.take_changes();
        if self.awaits_a_room() {
            self.add_groups(&mut changes);
        }
        self.pass_to_each_room(&changes);
    }

    /// Replaces the freed accounts by all accounts of their groups: what is freed of one may let more leave the others, and so may what rises
    /// in one of a group with open advances or debts.
    fn add_groups(&self, changes: &mut Changes) {
        let freed = changes.freed.iter().flat_map(|account| self.desks.members(*account)).copied();
        let risen = changes.rises.iter().flat_map(|(account, _)| self.group_in_advance(*account));
        changes.freed = freed.chain(risen).collect();
    }
}
