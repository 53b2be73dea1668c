//! The writer: one thread that stamps, decides and evolves; from here on there is no clock but the stamp.

use crate::batch::{Batch, COMMANDS_MAX, EVENTS_MAX, Entry, Receipt};
use crate::filling::Filling;
use crate::lane::Reply;
use crate::shared::{Shared, Submission};
use buttonwood_engine::{Body, Command, Outcome, Reject, SEEN_MAX, State, Workspace, decide};
use buttonwood_model::{Nonce, Seq, SessionId, Stamp, Time};
use buttonwood_planted::{Bug, planted};
use crossbeam_utils::sync::Parker;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How long nonces of reads may wait for a batch (D-08a: journaled within 50 ms).
const NONCES_WAIT: Duration = Duration::from_millis(40);
/// How often silence is looked for under a real clock. Unit tests do without: it would hide a command that nobody told
/// the writer of.
const TICK: Duration = if cfg!(test) { Duration::from_hours(1) } else { Duration::from_millis(200) };

pub(crate) struct Writer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) state: State,
    pub(crate) work: Workspace,
    /// The batch being filled; between two turns it lies where the committing thread takes it.
    pub(crate) batch: Batch,
    pub(crate) parker: Parker,
    /// Nonces of reads, while they become commands; reused.
    pub(crate) seen: Vec<(SessionId, Nonce)>,
    /// When the nonces of reads must go into a batch.
    pub(crate) nonces_due: Option<Instant>,
    pub(crate) next_tick: Instant,
    /// When this turn began.
    pub(crate) now: Instant,
    pub(crate) stopping: bool,
}

impl Writer {
    /// Runs until it is told to stop and the queue is empty.
    pub(crate) fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        loop {
            let is_full = self.turn(Instant::now(), &shared.filling);
            if self.stopping && shared.queue.is_empty() {
                return shared.close();
            }
            // A full batch is waited for; the committing thread tells when it takes it.
            if is_full || !self.stopping {
                let until = self.nonces_due.map_or(self.next_tick, |due| due.min(self.next_tick));
                self.parker.park_deadline(until);
            }
        }
    }

    /// Decides what queued; whether the batch is full now.
    pub(crate) fn turn(&mut self, now: Instant, filling: &Filling) -> bool {
        self.now = now;
        let mut inside = filling.open();
        // Events go where they will be encoded from: nothing is copied.
        std::mem::swap(&mut self.batch, &mut inside.batch);
        std::mem::swap(&mut self.batch.out, &mut self.work.out);
        self.take_queued();
        self.take_due();
        if !planted(Bug::FingerprintStale) || self.batch.entries.len() < 2 {
            self.batch.fingerprint = self.state.fingerprint();
        }
        std::mem::swap(&mut self.batch.out, &mut self.work.out);
        std::mem::swap(&mut self.batch, &mut inside.batch);
        let (is_empty, is_full) = (inside.batch.is_empty(), inside.batch.is_full());
        drop(inside);
        if !is_empty {
            filling.tell();
        }
        is_full
    }

    fn is_full(&self) -> bool {
        self.batch.entries.len() >= COMMANDS_MAX || self.work.out.events.len() >= EVENTS_MAX
    }

    fn take_queued(&mut self) {
        while !self.is_full() {
            match self.shared.queue.pop() {
                Some(submission) => self.take(submission),
                None => return,
            }
        }
    }

    fn take(&mut self, submission: Submission) {
        match submission {
            Submission::Command(command, reply) => {
                let time = self.shared.clock.now();
                self.execute(time, command, reply);
            }
            Submission::Advance(to, reply) => self.advance(to, reply),
            Submission::NoncesWaiting => self.nonces_due = Some(self.now + NONCES_WAIT),
            Submission::Stop => self.stopping = true,
        }
    }

    /// Stamps, decides and evolves one command. A panic while deciding has changed nothing and is an answer.
    fn execute(&mut self, time: Time, command: Command, reply: Option<Reply>) {
        let last = self.state.stamp();
        if self.shared.low_space.load(Ordering::Relaxed)
            && (!command.body.is_reducing() || planted(Bug::CancelsTurnedAway))
        {
            self.shared.admission.answered(usize::from(reply.is_some()));
            turn_away(last, reply);
            return;
        }
        let stamp = Stamp { seq: Seq(last.seq.0 + 1), time: time.max(last.time) };
        let Self { state, work, batch, .. } = self;
        let decided = catch_unwind(AssertUnwindSafe(|| decide(state, &command, stamp, work)));
        let outcome = decided.unwrap_or_else(|_| {
            tracing::error!(seq = stamp.seq.0, body = ?command.body, "deciding a command panicked; nothing was changed");
            work.out.undo();
            Outcome::Rejected(Reject::System)
        });
        let (events, texts) = work.out.latest();
        state.apply(stamp, events, texts);
        let (events, texts) = (events.len(), texts.len());
        let events = work.out.events.len() - events..work.out.events.len();
        let texts = work.out.texts.len() - texts..work.out.texts.len();
        batch.entries.push(Entry { stamp, command, outcome, events, texts, reply });
    }

    /// Moves a manual clock, and runs what falls due on the way in its order.
    fn advance(&mut self, to: Time, reply: oneshot::Sender<Time>) {
        self.expire_until(to);
        self.shared.clock.move_to(to);
        self.batch.moved.push((to, reply));
    }

    fn expire_until(&mut self, until: Time) {
        loop {
            let orders_of = |session: SessionId| has_orders(&self.state, session);
            let Some((session, when)) = self.shared.pulse.due(until, orders_of) else { return };
            self.shared.pulse.expire(session, when);
            self.shared.clock.move_to(when);
            let command = Command { caller: None, body: Body::ExpireSession(session) };
            self.execute(when, command, None);
        }
    }

    fn take_due(&mut self) {
        let now = self.now;
        // Any batch takes along what there is: with a full queue, nobody may have said that nonces wait.
        let due = self.nonces_due.is_some_and(|due| due <= now || self.stopping);
        if due || !self.batch.entries.is_empty() {
            self.nonces_due = None;
            self.take_nonces();
        }
        if self.next_tick <= now {
            self.next_tick = now + TICK;
            // Their announcement may have met a full queue.
            self.take_nonces();
            if !self.shared.clock.is_manual() {
                self.expire_until(self.shared.clock.now());
            }
        }
    }

    /// Journals the nonces that reads have used: the highest of each session.
    fn take_nonces(&mut self) {
        let mut seen = std::mem::take(&mut self.seen);
        std::mem::swap(&mut seen, &mut *self.shared.nonces.lock());
        // Of each session, the highest comes first and stays.
        seen.sort_unstable_by(|a, b| b.cmp(a));
        seen.dedup_by_key(|(session, _)| *session);
        if planted(Bug::ReadNoncesForgotten) {
            seen.clear();
        }
        for some in seen.chunks(SEEN_MAX) {
            let command = Command { caller: None, body: Body::NoncesSeen(some.iter().copied().collect()) };
            self.execute(self.shared.clock.now(), command, None);
        }
        seen.clear();
        self.seen = seen;
    }
}

/// Answers a command that is not taken for want of space. It is not journaled either: what is kept back for cancels
/// must not be spent on refusals (J11).
fn turn_away(stamp: Stamp, reply: Option<Reply>) {
    let Some(reply) = reply else { return };
    let receipt = Receipt { stamp, outcome: Outcome::Rejected(Reject::NoRoom), cancelled: Vec::new() };
    let mut to_ring = Vec::new();
    reply.send(receipt, &mut to_ring);
    for mailbox in to_ring {
        mailbox.ring();
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
