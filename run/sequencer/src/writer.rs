//! The writer: stamps, decides and evolves, on one thread at a time. From here on the stamp is the only clock.
//!
//! The writer has a thread of its own, which is woken for it. A serving thread that finds the writer free decides its
//! gathered commands itself, which costs no change of threads.

pub(crate) mod admission;
pub(crate) mod batch;
pub(crate) mod batch_handoff;
pub(crate) mod commit;
mod due;
mod needless;
pub(crate) mod receipt;
pub(crate) mod reply_mailbox;

use crate::poison::Poison;
#[cfg(test)]
use crate::poison::planted;
use crate::shared::{AbortOnPanic, Shared, Submission, say_last};
use batch::{Batch, COMMANDS_MAX, EVENTS_MAX, Entry};
use buttonwood_engine::identity::Command as IdentityCommand;
use buttonwood_engine::{
    Access, AccessCommand, Body, Caller, Command, Founding, Outcome, PREFETCH_DISTANCE, Prefetch, Reject,
    SEEN_MAX, State, TradingCommand, Withdrawn, Workspace, decide,
};
use buttonwood_model::{ConnectionId, LOOKS_OF_COMMAND, Nonce, Seq, SessionId, Stamp, Time};
use crossbeam_utils::sync::Parker;
use due::{Moving, Start};
use needless::changes_nothing;
use receipt::Receipt;
use reply_mailbox::Reply;
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long nonces of reads may wait for a batch (D-08a: journaled within 50 ms).
const NONCES_WAIT: Duration = Duration::from_millis(40);
/// The same on a nearly full disk, at first.
const NONCES_WAIT_LOW: Duration = Duration::from_secs(1);
/// Later, one part in this many of the time since the disk became nearly full, up to a maximum. A batch takes a block
/// of the space that is kept for cancels. At one batch a second, a client that polls its balances would use that space
/// up in some hours.
const NONCES_PART_LOW: u32 = 60;
const NONCES_WAIT_LOW_MAX: Duration = Duration::from_mins(10);
/// How often the writer checks for silent sessions under a real clock. Unit tests use an hour: a tick would hide a
/// command that the writer was not woken for.
const TICK: Duration = if cfg!(test) { Duration::from_hours(1) } else { Duration::from_millis(200) };

/// The least time between two warnings of commands that have read many rows.
const LOOKS_WAIT: Duration = Duration::from_secs(10);

/// Least time to the next tick when something is due before [`TICK`].
const DUE_TICK_MIN: Duration = Duration::from_millis(10);

/// The thread that gives the writer a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnThread {
    /// The writer's own thread, or a stepped caller in its place.
    OwnThread,
    /// A serving thread, which leaves silent sessions to the writer's thread.
    ServingThread,
}

pub(crate) struct Writer {
    pub(crate) state: State,
    work: Workspace,
    /// Submissions taken off the queue for prefetching; decided next.
    prefetched: VecDeque<Submission>,
    prefetch: Prefetch,
    /// The batch being filled; between two turns it is in the handoff.
    batch: Batch,
    /// Nonces of reads while they become commands; the allocation is reused.
    seen: Vec<(SessionId, Nonce)>,
    /// Deadline for journaling the nonces of reads.
    nonces_due: Option<Instant>,
    /// Since when the disk is nearly full.
    low_since: Option<Instant>,
    next_tick: Instant,
    /// The start of this turn.
    now: Instant,
    /// The unfinished move of a manual clock.
    moving: Option<Moving>,
    /// When a command was named that has read many rows.
    warned: Option<Instant>,
    /// How far the start has come.
    start: Start,
    /// How many sessions were looked at for Require Heartbeat.
    watched: usize,
    /// Sessions of browsers and grants up to which browsers are watched.
    watched_browsers: u32,
    /// The most commands of a batch.
    commands_max: usize,
    stopping: bool,
}

/// The next step of the writer's own thread.
enum Next {
    /// Takes another turn at this time or when woken.
    Wait(Instant),
    /// Takes another turn at once.
    GoOn,
    /// Ends.
    End,
}

/// Gives the writer its turns until it is stopped and the queue is empty.
pub(crate) fn run(shared: &Shared, parker: &Parker) {
    loop {
        let mut writer = shared.writer.lock();
        // Ends the process before the lock is released: a half-changed state must not be used.
        let _end = AbortOnPanic("sequencer");
        let is_full = writer.turn(Instant::now(), shared, TurnThread::OwnThread);
        let next = writer.next(is_full, shared);
        if matches!(next, Next::End) {
            // Under the lock, so that no other thread decides: later submissions are refused.
            shared.close();
        }
        drop(writer);
        match next {
            Next::Wait(until) => parker.park_deadline(until),
            Next::GoOn => {}
            Next::End => return,
        }
    }
}

impl Writer {
    pub(crate) fn new(state: State, now: Instant) -> Self {
        Self {
            state,
            work: Workspace::default(),
            prefetched: VecDeque::with_capacity(PREFETCH_DISTANCE + 1),
            prefetch: Prefetch::default(),
            batch: Batch::default(),
            seen: Vec::new(),
            nonces_due: None,
            low_since: None,
            next_tick: now,
            now,
            moving: None,
            warned: None,
            start: Start::Resume,
            watched: 0,
            watched_browsers: 0,
            commands_max: COMMANDS_MAX,
            stopping: false,
        }
    }

    /// Closes batches after this many commands, so that a simulated crash can fall between any two of them.
    pub(crate) fn limit_batches(&mut self, commands: usize) {
        self.commands_max = commands.clamp(1, COMMANDS_MAX);
    }

    fn next(&self, is_full: bool, shared: &Shared) -> Next {
        match (self.stopping, is_full) {
            (true, _) if shared.queue.is_empty() && self.prefetched.is_empty() && self.moving.is_none() => {
                Next::End
            }
            (true, false) => Next::GoOn,
            // A full batch: the committing thread wakes this one when it takes the batch. Due work waits for it as
            // well; without that, this thread would spin.
            (_, true) if self.is_blocked(shared) => Next::Wait(self.now + TICK),
            (_, true) | (false, false) => Next::Wait(self.due()),
        }
    }

    /// When the writer's own thread must take a turn even if it is not woken.
    fn due(&self) -> Instant {
        self.nonces_due.map_or(self.next_tick, |due| due.min(self.next_tick))
    }

    /// A turn on a serving thread; `true` if the writer's own thread has work now.
    pub(crate) fn turn_for(&mut self, shared: &Shared) -> bool {
        let due = self.due();
        self.turn(Instant::now(), shared, TurnThread::ServingThread);
        self.stopping || self.due() < due
    }

    /// Decides what queued; `true` if the batch is full now.
    pub(crate) fn turn(&mut self, now: Instant, shared: &Shared, by: TurnThread) -> bool {
        self.now = now;
        let mut slot = shared.handoff.lock();
        // Events are written where they will be encoded from: nothing is copied.
        std::mem::swap(&mut self.batch, &mut slot.batch);
        std::mem::swap(&mut self.batch.out, &mut self.work.out);
        self.go_on_starting(shared);
        self.follow_up(shared);
        self.go_on_moving(shared);
        if !self.is_blocked(shared) {
            self.close_lost(shared);
            self.take_queued(shared);
            self.take_due(shared, by);
        }
        self.watch_sessions(shared);
        self.batch.fingerprint = self.state.fingerprint();
        std::mem::swap(&mut self.batch.out, &mut self.work.out);
        std::mem::swap(&mut self.batch, &mut slot.batch);
        let (is_empty, is_full) = (slot.batch.is_empty(), slot.batch.is_full());
        shared.meters.decided(self.state.stamp().seq.0);
        drop(slot);
        if !is_empty {
            shared.handoff.notify();
        }
        is_full
    }

    /// Watches sessions with Require Heartbeat that are not watched yet, before their first call can come.
    pub(crate) fn watch_sessions(&mut self, shared: &Shared) {
        let sessions = self.state.access().sessions();
        for (at, session) in sessions.iter().enumerate().skip(self.watched) {
            if session.key.require_heartbeat {
                shared.heartbeats.watch(SessionId::from_index(at), shared.clock.steady());
            }
        }
        self.watched = sessions.len();
        let identity = self.state.identity();
        for session in identity.browsers_from(self.watched_browsers) {
            shared.idle.watch(session, shared.clock.steady());
        }
        self.watched_browsers = identity.next_held();
    }

    fn is_full(&self) -> bool {
        self.batch.entries.len() >= self.commands_max || self.work.out.events.len() >= EVENTS_MAX
    }

    fn take_queued(&mut self, shared: &Shared) {
        let is_large = self.state.is_large();
        while !self.is_full() && self.moving.is_none() {
            self.prefetch(is_large, shared);
            match self.prefetched.pop_front() {
                Some(submission) => self.take(submission, shared),
                None => return,
            }
            // The follow-ups of the command end before the next one of the queue, as far as the batch has room.
            self.follow_up(shared);
        }
    }

    /// Takes the next submissions off the queue and prefetches the memory their commands need. A full batch leaves the
    /// rest to the next one.
    fn prefetch(&mut self, is_large: bool, shared: &Shared) {
        while self.prefetched.len() <= PREFETCH_DISTANCE
            && let Some(submission) = shared.queue.pop()
        {
            if is_large && let Submission::Command(command, _) = &submission {
                self.prefetch.see(&self.state, command.into());
            }
            self.prefetched.push_back(submission);
        }
    }

    /// Closes the connections that have ended, before the commands that wait in the queue.
    fn close_lost(&mut self, shared: &Shared) {
        while !self.is_full() {
            let Some(connection) = shared.lost.lock().pop() else { return };
            self.close_connection(connection, shared);
        }
        // The rest has the next turn.
        shared.wake.unpark();
    }

    /// Closes a connection, if it is open.
    pub(super) fn close_connection(&mut self, connection: ConnectionId, shared: &Shared) {
        if self.state.floor().connections.get(connection).is_some() {
            let command = Command { caller: None, body: TradingCommand::CloseConnection(connection).into() };
            self.execute(shared.clock.now(), command, None, shared);
        }
    }

    fn take(&mut self, submission: Submission, shared: &Shared) {
        match submission {
            Submission::Command(command, reply) => {
                if matches!(command.body.inner(), Body::Access(AccessCommand::ResetNonces(_))) {
                    // Nonces of earlier reads are reset too, so they are journaled first.
                    self.take_nonces(shared);
                }
                self.execute(shared.clock.now(), command, reply, shared);
            }
            Submission::Advance(moved) => self.advance(moved, shared),
            Submission::NoncesWaiting => self.nonces_due = Some(self.now + self.nonces_wait(shared)),
            Submission::Stop => self.stopping = true,
        }
    }

    /// Stamps, decides and evolves one command. A panic in `decide` has changed nothing and becomes an answer. A command that changes nothing
    /// takes no number, and is answered with the batch.
    ///
    /// # Panics
    /// When the events cannot be applied: the state must not be used any more. The command is in no batch and is lost.
    fn execute(&mut self, time: Time, command: Command, reply: Option<Reply>, shared: &Shared) {
        let last = self.state.stamp();
        if shared.low_space.load(Ordering::Relaxed) && !command.body.is_reducing() {
            shared.admission.answered(usize::from(reply.is_some()));
            // The nonce is used up.
            self.note_nonce(&command, shared);
            refuse_for_space(last, reply);
            return;
        }
        let stamp = Stamp { seq: Seq(last.seq.0 + 1), time: time.max(last.time) };
        let Self { state, work, .. } = self;
        let mut is_decided = false;
        let mut is_needless = false;
        let executed = catch_unwind(AssertUnwindSafe(|| {
            let outcome = decide(state, &command, stamp, work);
            is_decided = true;
            #[cfg(test)]
            shared.planted.strike(planted::Place::State, stamp);
            let (events, texts) = work.out.latest();
            is_needless = events.len() <= 1 && reply.is_some() && changes_nothing(&command, &outcome, events);
            if !is_needless {
                state.apply(stamp, events, texts);
            }
            outcome
        }));
        if is_needless {
            self.answer_only(Stamp { seq: last.seq, ..stamp }, command, executed.ok(), reply, shared);
            return;
        }
        let Self { state, work, batch, .. } = self;
        let outcome = executed.unwrap_or_else(|panic| {
            if is_decided {
                end_by(stamp, &command, state.access(), panic);
            }
            tracing::error!(seq = stamp.seq.0, body = ?command.body, "deciding a command panicked; nothing was changed");
            work.out.undo();
            state.advance(stamp);
            Outcome::Rejected(Reject::System)
        });
        let (events, texts) = work.out.latest();
        let (events, texts) = (events.len(), texts.len());
        let looks = state.take_looks().saturating_add(events);
        let many = (looks > LOOKS_OF_COMMAND).then(|| command.body.name());
        let events = work.out.events.len() - events..work.out.events.len();
        let texts = work.out.texts.len() - texts..work.out.texts.len();
        batch.is_urgent |= !may_wait(&command, &outcome);
        batch.is_journaled = true;
        batch.entries.push(Entry { stamp, command, outcome, events, texts, reply, is_journaled: true });
        if let Some(name) = many {
            self.warn_of_looks(stamp, &name, looks);
        }
    }

    /// Names a command that has read more rows than one should (D-256), at most one in a while.
    #[cold]
    fn warn_of_looks(&mut self, stamp: Stamp, name: &str, looks: usize) {
        if self.warned.is_some_and(|warned| self.now.duration_since(warned) < LOOKS_WAIT) {
            return;
        }
        self.warned = Some(self.now);
        tracing::warn!(
            seq = stamp.seq.0,
            command = name,
            looks,
            "a command has read more rows than one should: it has held all others up"
        );
    }

    /// Answers a command that changes nothing, with the batch. The nonce of its key is journaled with those of reads.
    #[cold]
    #[inline(never)]
    fn answer_only(
        &mut self,
        stamp: Stamp,
        command: Command,
        outcome: Option<Outcome>,
        reply: Option<Reply>,
        shared: &Shared,
    ) {
        let Some(outcome) = outcome else { return };
        let looks = self.state.take_looks();
        if looks > LOOKS_OF_COMMAND {
            self.warn_of_looks(stamp, &command.body.name(), looks);
        }
        let (events, _) = self.work.out.latest();
        if !events.is_empty() {
            self.note_nonce(&command, shared);
        }
        self.work.out.undo();
        self.batch.is_urgent = true;
        let (events, texts) = (0..0, 0..0);
        self.batch.entries.push(Entry { stamp, command, outcome, events, texts, reply, is_journaled: false });
    }

    /// Has the nonce of a key's command journaled with those of reads. A socket stands for a nonce, and those who hold a session without a key
    /// have none.
    fn note_nonce(&mut self, command: &Command, shared: &Shared) {
        let uses_nonce = |caller: &&Caller| !caller.session.is_held() && caller.nonce != Nonce::default();
        let Some(caller) = command.caller.as_ref().filter(uses_nonce) else { return };
        shared.nonces.lock().push((caller.session, caller.nonce));
        let due = self.now + self.nonces_wait(shared);
        self.nonces_due.get_or_insert(due);
    }

    fn take_due(&mut self, shared: &Shared, by: TurnThread) {
        let now = self.now;
        self.note_time(shared);
        // Any batch takes the pending nonces along: with a full queue their announcement may be missing.
        let due = self.nonces_due.is_some_and(|due| due <= now || self.stopping);
        if due || self.batch.is_journaled {
            self.nonces_due = None;
            self.take_nonces(shared);
            self.batch.is_urgent |= due;
        }
        if self.next_tick <= now && by == TurnThread::OwnThread {
            self.next_tick = now + TICK;
            // Their announcement may have been refused by a full queue.
            if shared.low_space.load(Ordering::Relaxed) {
                // They may wait for minutes; only the highest of each session is kept.
                keep_highest(&mut shared.nonces.lock());
                let due = now + self.nonces_wait(shared);
                self.nonces_due.get_or_insert(due);
            } else {
                self.take_nonces(shared);
                self.batch.is_urgent |= !self.batch.entries.is_empty();
            }
            let day = shared.clock.now();
            if shared.clock.is_manual() {
                // An auction that a crash interrupted goes on; everything else waits for a move of the clock.
                self.run_due(None, day, shared);
            } else {
                let now = shared.clock.steady();
                if let Some(pause) = shared.heartbeats.note_check(now) {
                    shared.idle.note_pause(pause, now);
                }
                self.run_due(Some(now), day, shared);
            }
            if let Some(due) = self.state.next_due() {
                let until = Duration::from_micros(due.time.0.saturating_sub(day.0)).max(DUE_TICK_MIN);
                self.next_tick = self.next_tick.min(now + until);
            }
        }
    }

    /// Journals the time of a manual clock if a caller waits for a move and no command carries that time.
    fn note_time(&mut self, shared: &Shared) {
        // A real clock is read too, in every turn, to measure how long it has been wrong.
        let time = shared.clock.now();
        if shared.clock.is_manual() && !self.batch.moved.is_empty() && time > self.state.stamp().time {
            self.execute(
                time,
                Command { caller: None, body: Body::Founding(Founding::MoveClock) },
                None,
                shared,
            );
        }
    }

    /// How long nonces wait for a batch.
    fn nonces_wait(&mut self, shared: &Shared) -> Duration {
        if !shared.low_space.load(Ordering::Relaxed) {
            self.low_since = None;
            return NONCES_WAIT;
        }
        let since = *self.low_since.get_or_insert(self.now);
        (self.now.duration_since(since) / NONCES_PART_LOW).clamp(NONCES_WAIT_LOW, NONCES_WAIT_LOW_MAX)
    }

    /// Journals the nonces of reads: the highest of each session.
    fn take_nonces(&mut self, shared: &Shared) {
        let mut seen = std::mem::take(&mut self.seen);
        std::mem::swap(&mut seen, &mut *shared.nonces.lock());
        keep_highest(&mut seen);
        for some in seen.chunks(SEEN_MAX) {
            let command = Command {
                caller: None,
                body: Body::Access(AccessCommand::NoncesSeen(some.iter().copied().collect())),
            };
            self.execute(shared.clock.now(), command, None, shared);
        }
        seen.clear();
        self.seen = seen;
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("state", &self.state.stamp()).finish_non_exhaustive()
    }
}

/// Says which command cannot be applied, and panics on: the guard of the thread ends the process.
#[cold]
fn end_by(stamp: Stamp, command: &Command, access: &Access, panic: Box<dyn Any + Send>) -> ! {
    let poison = Poison::new(stamp, None, &*panic).of(command, access);
    say_last(format_args!("{poison}; it is not in the journal, and a start goes on without it"));
    resume_unwind(panic)
}

/// Whether a command may wait for others to share a batch: a refused call or a failed sign-in, whose caller waits for it alone, and the
/// nonces of reads as long as they are not due.
fn may_wait(command: &Command, outcome: &Outcome) -> bool {
    let is_read = matches!(command.body, Body::Access(AccessCommand::UseNonce));
    let are_nonces = matches!(command.body, Body::Access(AccessCommand::NoncesSeen(_)));
    let is_failure = matches!(command.body, Body::Identity(IdentityCommand::Fail(_)));
    are_nonces
        || is_failure
        || command.caller.is_some() && (is_read || matches!(outcome, Outcome::Rejected(_)))
}

/// Keeps the highest nonce of each session.
fn keep_highest(nonces: &mut Vec<(SessionId, Nonce)>) {
    nonces.sort_unstable_by(|a, b| b.cmp(a));
    nonces.dedup_by_key(|(session, _)| *session);
}

/// Refuses a command because the disk is nearly full. Only its nonce is journaled, together with others: the space kept
/// for cancels must not be spent on refusals (J11).
fn refuse_for_space(stamp: Stamp, reply: Option<Reply>) {
    let Some(reply) = reply else { return };
    let outcome = Outcome::Rejected(Reject::NoRoom);
    let receipt = Receipt { is_journaled: false, ..Receipt::new(stamp, outcome, Withdrawn::default()) };
    let mut to_wake = Vec::new();
    reply.send(receipt, &mut to_wake);
    for mailbox in to_wake {
        mailbox.wake();
    }
}
