//! How much may be on its way before new orders are turned away.
//!
//! Under overload a longer queue serves nobody faster and everybody later. So what waits is kept to what the journal
//! clears within [`PATIENCE`], or in some syncs' time where a sync takes long, going by its latest batches. Only what
//! adds work is asked: cancels have the rest of the queue to themselves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long an order that is let in may have to wait for those before it, on a disk that syncs quickly.
const PATIENCE: Duration = Duration::from_millis(20);
/// The same in syncs, on one that does not: a batch that is mostly sync may as well be larger.
const PATIENCE_SYNCS: u64 = 3;
/// Commands that may always be on their way: fewer would share a sync less well.
const WAITING_MIN: u64 = 64;
/// Commands on their way beyond which no order is let in, however fast the disk is.
const WAITING_MAX: u64 = 4_096;
/// Commands of a batch from which its time says what a command takes; with fewer, what a sync takes.
const TELLING: u64 = 16;
/// What a command takes until a batch has told, in nanoseconds.
const PACE_FIRST: u64 = 10_000;

/// What is on its way, and how fast it moves.
#[derive(Debug)]
pub(crate) struct Admission {
    submitted: AtomicU64,
    answered: AtomicU64,
    /// Nanoseconds that a command took in the latest telling batches, and a sync in the others.
    pace: AtomicU64,
    sync: AtomicU64,
    began: Instant,
    /// When the batch in flight was taken, in nanoseconds since the beginning; none in flight if it is [`u64::MAX`].
    flying_since: AtomicU64,
}

impl Default for Admission {
    fn default() -> Self {
        Self {
            submitted: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            pace: AtomicU64::new(PACE_FIRST),
            sync: AtomicU64::new(0),
            began: Instant::now(),
            flying_since: AtomicU64::new(u64::MAX),
        }
    }
}

impl Admission {
    /// Notes a command that wants an answer.
    pub(crate) fn submitted(&self) {
        self.submitted.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes how many got theirs.
    pub(crate) fn answered(&self, commands: usize) {
        self.answered.fetch_add(wide(commands), Ordering::Relaxed);
    }

    /// A batch goes to the disk.
    pub(crate) fn takes_off(&self) {
        self.flying_since.store(nanos(self.began.elapsed()), Ordering::Relaxed);
    }

    /// The batch in flight is durable and answered.
    pub(crate) fn landed(&self, commands: usize) {
        let now = nanos(self.began.elapsed());
        let took = now.saturating_sub(self.flying_since.swap(u64::MAX, Ordering::Relaxed));
        self.learn(wide(commands), took);
    }

    /// Whether another order is let in.
    pub(crate) fn has_room(&self) -> bool {
        self.has_room_at(|| nanos(self.began.elapsed()))
    }

    /// The clock is asked only where it matters: this is on the path of every order.
    fn has_room_at(&self, now: impl FnOnce() -> u64) -> bool {
        let answered = self.answered.load(Ordering::Relaxed);
        let waiting = self.submitted.load(Ordering::Relaxed).saturating_sub(answered);
        waiting < WAITING_MIN || waiting < self.limit() && !self.is_stuck(now())
    }

    /// A batch that flies for longer than an order may wait says more than all before it.
    fn is_stuck(&self, now: u64) -> bool {
        let since = self.flying_since.load(Ordering::Relaxed);
        now.saturating_sub(since) > self.patience()
    }

    fn limit(&self) -> u64 {
        let pace = self.pace.load(Ordering::Relaxed).max(1);
        (self.patience() / pace).clamp(WAITING_MIN, WAITING_MAX)
    }

    fn patience(&self) -> u64 {
        nanos(PATIENCE).max(self.sync.load(Ordering::Relaxed).saturating_mul(PATIENCE_SYNCS))
    }

    /// A slower pace is believed much sooner than a faster one, and neither at once: a machine has its moments, and many a
    /// disk takes some batches at once before it makes the next ones wait.
    fn learn(&self, commands: u64, took: u64) {
        if commands >= TELLING {
            move_to(&self.pace, took / commands, [2, 64]);
        } else {
            move_to(&self.sync, took, [8, 8]);
        }
    }
}

/// Moves a smoothed value towards what is seen: up by one part of so many, down by one part of so many.
fn move_to(value: &AtomicU64, seen: u64, [up, down]: [u64; 2]) {
    let now = value.load(Ordering::Relaxed);
    let moved = if seen > now { now + (seen - now) / up } else { now - (now - seen) / down };
    value.store(moved, Ordering::Relaxed);
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(count: u64) -> Admission {
        Admission { submitted: AtomicU64::new(count), ..Admission::default() }
    }

    /// With a quick journal thousands may wait, with a slow one as many as it clears in time, and never none.
    #[test]
    fn what_may_wait_follows_the_journal() {
        let admission = waiting(1_999);
        assert!(admission.has_room());
        admission.submitted();
        assert!(!admission.has_room());
        admission.learn(100, 100 * 390_000);
        assert_eq!(admission.limit(), 100);
        admission.answered(1_901);
        assert!(admission.has_room());
        admission.learn(100, 100 * 1_000_000_000);
        assert_eq!(admission.limit(), WAITING_MIN);
        admission.answered(36);
        assert!(admission.has_room());
    }

    /// Slow batches are believed sooner than quick ones.
    #[test]
    fn the_pace_is_learned() {
        let admission = waiting(0);
        admission.learn(100, 100 * 190_000);
        assert_eq!(admission.limit(), 200);
        admission.learn(100, 0);
        assert_eq!(admission.limit(), 203);
        for _ in 0..1_000 {
            admission.learn(100, 0);
        }
        assert_eq!(admission.limit(), WAITING_MAX);
    }

    /// Where a sync takes long, batches may grow until they are more than that.
    #[test]
    fn a_slow_sync_is_no_overload() {
        const SYNC: u64 = 15_000_000;
        let admission = waiting(0);
        for _ in 0..200 {
            admission.learn(1, SYNC);
            admission.learn(TELLING, SYNC);
        }
        assert_eq!(admission.limit(), WAITING_MIN);
        // One half of what waits is in flight, the other gathers.
        for _ in 0..2_000 {
            admission.learn(admission.limit() / 2, SYNC);
        }
        assert!(admission.limit() > WAITING_MAX / 2, "{}", admission.limit());
    }

    /// While a batch is stuck, only the least are let in.
    #[test]
    fn a_stuck_batch_keeps_orders_out() {
        let admission = waiting(WAITING_MIN);
        admission.takes_off();
        let since = admission.flying_since.load(Ordering::Relaxed);
        let late = since + nanos(PATIENCE) + 1;
        assert!(admission.has_room_at(|| since));
        assert!(!admission.has_room_at(|| late));
        admission.answered(1);
        assert!(admission.has_room_at(|| late));
        admission.submitted();
        admission.landed(1);
        assert!(admission.has_room_at(|| late));
    }
}
