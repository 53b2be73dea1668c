//! Work that falls due by the clock: silent sessions, the due commands of the state's rooms, and both of them on the
//! way of a moved manual clock.

use super::Writer;
use super::batch::Entry;
use crate::shared::{Move, Shared};
use buttonwood_engine::{Body, Command, Outcome, State, TradingCommand, identity};
use buttonwood_model::{Due, Rank, SessionId, Time};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::oneshot;

/// One move of a manual clock runs at most this many due commands that move no money at their times, and skips the
/// later ones. A century of auctions a minute apart would take hours.
const MOVE_OPTIONAL_MAX: u32 = 100_000;

/// How many commands of a storm one turn runs, so that others have their turns.
const STORM_MAX: u32 = 16;

/// A move of a manual clock.
pub(super) struct Moving {
    to: Time,
    reply: oneshot::Sender<Time>,
    /// How many more of the due commands that may be skipped it runs at their times.
    optional: u32,
}

/// How far the start of an exchange has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Nothing was done yet.
    Resume,
    /// A task that fell due before the start may still be due.
    CatchUp,
    /// Commands are taken.
    Done,
}

/// Sessions of which nothing was heard for as long as their kind may be silent.
enum Silent {
    /// A key with Require Heartbeat.
    Key(SessionId),
    /// Browsers.
    Browsers(Vec<SessionId>),
}

impl Silent {
    /// Those whose windows end first, by `until`, and when.
    fn first(
        shared: &Shared,
        until: Time,
        has_orders: impl Fn(SessionId) -> bool,
        state: &State,
    ) -> Option<(Self, Time)> {
        let key = shared.heartbeats.due(until, has_orders).map(|(session, when)| (Self::Key(session), when));
        let is_known = |session| state.identity().browser(session, Time(0)).is_some();
        let browsers = shared.idle.due(until, is_known);
        let browsers = browsers.map(|(sessions, when)| (Self::Browsers(sessions), when));
        key.into_iter().chain(browsers).min_by_key(|(_, when)| *when)
    }

    /// The command that ends them.
    fn expire(self, shared: &Shared, when: Time) -> Body {
        match self {
            Self::Key(session) => {
                shared.heartbeats.expire(session, when);
                TradingCommand::ExpireSession(session).into()
            }
            Self::Browsers(sessions) => identity::Command::EndBrowsers(Arc::new(sessions)).into(),
        }
    }
}

impl Writer {
    /// Begins with the first turn: notes that the exchange did not run for some time, and then runs what fell due until now, in as many
    /// batches as it takes, before any other command (D-49).
    pub(super) fn go_on_starting(&mut self, shared: &Shared) {
        if self.start == Start::Done {
            return;
        }
        let now = shared.clock.now();
        // The connections of the run before are dead (D-150).
        let first = |state: &State| state.floor().open_connections().next().map(|(connection, _)| connection);
        while let Some(connection) = first(&self.state) {
            if self.is_full() {
                return;
            }
            self.close_connection(connection, shared);
        }
        if self.start == Start::Resume {
            self.start = Start::CatchUp;
            for body in self.state.at_start(now) {
                self.execute(now, Command { caller: None, body }, None, shared);
            }
        }
        if self.start == Start::CatchUp && self.run_due(None, now, shared) {
            self.start = Start::Done;
        }
    }

    /// Runs the follow-ups of an earlier command, such as an auction that has found its price. They may take several
    /// batches; no other command has a turn before they end (INV-AUC-5).
    pub(super) fn follow_up(&mut self, shared: &Shared) {
        if self.state.has_follow_up() {
            self.run_due(None, Time(0), shared);
        }
    }

    /// Whether every caller waits, for the start, for an unfinished move or for follow-ups. While the disk is nearly full, follow-ups
    /// wait and cancels are taken.
    pub(super) fn is_blocked(&self, shared: &Shared) -> bool {
        let follows_up = self.state.has_follow_up() && !shared.low_space.load(Ordering::Relaxed);
        self.start != Start::Done || self.moving.is_some() || follows_up && self.is_full()
    }

    /// Moves a manual clock and runs everything that falls due on the way, in order.
    pub(super) fn advance(&mut self, Move { to, keeps_browsers, reply }: Move, shared: &Shared) {
        if keeps_browsers {
            self.keep_browsers(to, shared);
        }
        self.moving = Some(Moving { to, reply, optional: MOVE_OPTIONAL_MAX });
        self.go_on_moving(shared);
    }

    /// Moves the ends of browsers' sessions along, before the clock passes them. The core reads no real time, so the command says by how much.
    fn keep_browsers(&mut self, to: Time, shared: &Shared) {
        let now = shared.clock.now();
        let micros = to.0.saturating_sub(now.0);
        shared.idle.note_pause(micros, to);
        if micros > 0 && self.state.identity().browsers().next().is_some() {
            let body = identity::Command::KeepBrowsers(micros).into();
            self.execute(now, Command { caller: None, body }, None, shared);
        }
    }

    /// Continues a move. If more falls due than one batch holds, the next batch takes more. No other command is decided
    /// until the move is done, since the new time is published only then.
    pub(super) fn go_on_moving(&mut self, shared: &Shared) {
        let Some(Moving { to, .. }) = self.moving else { return };
        // A real clock does not move, and its windows of silence are not of this time.
        let silence = shared.clock.is_manual().then_some(to);
        if self.run_due(silence, to, shared)
            && let Some(Moving { to, reply, .. }) = self.moving.take()
        {
            shared.clock.move_to(to);
            self.batch.moved.push((to, reply));
        }
    }

    /// Expires the sessions whose windows end by `silence`, which is a steady time, and runs the rooms' due commands up
    /// to `day`. Where both times are of one clock, they run in the order of their times. Many sessions may fall silent
    /// at once, with thousands of orders each, and a batch is bounded. While it is full of events, which lasts as long
    /// as the disk is slow, the rest waits for a later turn. Returns false if some of it waits.
    pub(super) fn run_due(&mut self, silence: Option<Time>, day: Time, shared: &Shared) -> bool {
        let mut rounds = 0;
        while !self.is_full() {
            let orders_of = |session: SessionId| has_orders(&self.state, session);
            let silent = silence.and_then(|until| Silent::first(shared, until, orders_of, &self.state));
            let due = self.room_due(day, shared);
            let key = due.as_ref().map(Due::key);
            // A real clock's windows are of its steady time, which cannot be compared with a time of day.
            let is_first = |when: Time| {
                key.is_none_or(|(rank, time, _)| {
                    rank != Rank::FollowUp && (!shared.clock.is_manual() || when <= time)
                })
            };
            let mut rank = None;
            let (when, body) = match (silent, due) {
                (Some((silent, when)), _) if is_first(when) => (when, silent.expire(shared, when)),
                (_, Some(due)) => {
                    if self.moving.is_none() && due.rank == Rank::Step && due.is_storm {
                        rounds += 1;
                        if rounds > STORM_MAX {
                            return false;
                        }
                    }
                    if let Some(moving) = self.moving.as_mut().filter(|_| due.may_skip) {
                        moving.optional = moving.optional.saturating_sub(1);
                    }
                    rank = Some(due.rank);
                    (due.time, due.command)
                }
                (_, None) => return true,
            };
            let time = shared.clock.reach(when);
            let entries = self.batch.entries.len();
            self.execute(time, Command { caller: None, body }, None, shared);
            // A command that the disk has no room for is not decided.
            if self.batch.entries.len() == entries || self.is_due_in_vain(rank) {
                return true;
            }
        }
        false
    }

    /// Whether the due command that was decided last, a room's if it has a rank, would be due again at once: a later turn
    /// retries it, so that no loop fills the journal.
    ///
    /// # Panics
    /// When that is a follow-up. The follow-ups of a command must end before any other command, so the exchange must
    /// not go on without them.
    fn is_due_in_vain(&self, rank: Option<Rank>) -> bool {
        let Some(Entry { stamp, command, outcome, events, .. }) = self.batch.entries.last() else {
            return false;
        };
        let changes = !events.is_empty() && !matches!(outcome, Outcome::Rejected(_));
        if changes || rank.is_none() {
            return matches!(outcome, Outcome::Rejected(_));
        }
        tracing::error!(seq = stamp.seq.0, body = ?command.body, ?outcome, "a due command changed nothing");
        assert!(
            rank != Some(Rank::FollowUp),
            "a follow-up changes the state; {:?}: {outcome:?}",
            command.body
        );
        true
    }

    /// The next due command of a room up to `by`. While the disk is nearly full, due commands wait, since their events
    /// may be many.
    fn room_due(&self, by: Time, shared: &Shared) -> Option<Due<Body>> {
        if shared.low_space.load(Ordering::Relaxed) {
            return None;
        }
        let is_due = |due: &Due<Body>| due.rank == Rank::FollowUp || due.time <= by;
        let next = || self.state.next_due().filter(is_due);
        if self.moving.as_ref().is_none_or(|moving| moving.optional > 0) {
            return next();
        }
        // Skipped commands have one turn, at the end of the move.
        self.state.next_due_unskippable().filter(is_due).or_else(|| Some(Due { time: by, ..next()? }))
    }
}

fn has_orders(state: &State, session: SessionId) -> bool {
    let Some(buttonwood_engine::Owner::Account(account)) =
        state.access().session(session).map(|s| s.key.owner)
    else {
        return false;
    };
    let orders = state.orders();
    orders.in_any_order(account).any(|(slot, _)| orders.entry(slot).session == session)
}
