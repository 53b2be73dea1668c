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
/// A batch is stuck when it takes so many times what the slowest took lately.
const STUCK_TIMES: u64 = 2;
/// Commands that may always be on their way: fewer would share a sync less well.
const WAITING_MIN: u64 = 64;
/// Commands on their way beyond which no order is let in, however fast the disk is.
const WAITING_MAX: u64 = 4_096;
/// Commands of a batch from which its time says what a command takes; with fewer, what a sync takes.
const TELLING: u64 = 16;
/// Telling batches that are remembered, about. Disks answer in bursts: one batch alone says too much or too little.
const REMEMBERED: u64 = 16;
/// What a command takes until batches have told, in nanoseconds.
const PACE_FIRST: u64 = 10_000;
/// What a sync takes is believed by one part of so many when it is more, and of so many when it is less: a disk that makes
/// some wait has quick syncs too, and it is those that a larger batch does not lengthen.
const SYNC_PARTS: [u64; 2] = [32, 4];
/// Part by which the slowest batch counts less with every quicker one.
const SLOWEST_FADES: u64 = 64;

/// What is on its way, and how fast it moves.
#[derive(Debug)]
pub(crate) struct Admission {
    submitted: AtomicU64,
    answered: AtomicU64,
    /// Nanoseconds that the latest telling batches took, and commands in them; each batch counts less with every later one.
    busy: AtomicU64,
    served: AtomicU64,
    /// Nanoseconds that a sync took in the others.
    sync: AtomicU64,
    /// Nanoseconds that the slowest batch took lately.
    slowest: AtomicU64,
    began: Instant,
    /// When the batch in flight was taken, in nanoseconds since the beginning; none in flight if it is [`u64::MAX`].
    taken_at: AtomicU64,
}

impl Default for Admission {
    fn default() -> Self {
        Self {
            submitted: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            busy: AtomicU64::new(REMEMBERED * TELLING * PACE_FIRST),
            served: AtomicU64::new(REMEMBERED * TELLING),
            sync: AtomicU64::new(0),
            slowest: AtomicU64::new(0),
            began: Instant::now(),
            taken_at: AtomicU64::new(u64::MAX),
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
    pub(crate) fn batch_taken(&self) {
        self.taken_at.store(nanos(self.began.elapsed()), Ordering::Relaxed);
    }

    /// The batch in flight is durable and answered.
    pub(crate) fn batch_done(&self, commands: usize) {
        let now = nanos(self.began.elapsed());
        let took = now.saturating_sub(self.taken_at.swap(u64::MAX, Ordering::Relaxed));
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

    /// A batch that flies for much longer than those before it says more than all of them; a pause that the disk makes
    /// now and then is none of that, and who comes meanwhile goes with the next batch.
    fn is_stuck(&self, now: u64) -> bool {
        let since = self.taken_at.load(Ordering::Relaxed);
        let slowest = self.slowest.load(Ordering::Relaxed);
        now.saturating_sub(since) > self.patience().max(slowest.saturating_mul(STUCK_TIMES))
    }

    fn limit(&self) -> u64 {
        let pace = self.busy.load(Ordering::Relaxed) / self.served.load(Ordering::Relaxed).max(1);
        (self.patience() / pace.max(1)).clamp(WAITING_MIN, WAITING_MAX)
    }

    fn patience(&self) -> u64 {
        nanos(PATIENCE).max(self.sync.load(Ordering::Relaxed).saturating_mul(PATIENCE_SYNCS))
    }

    fn learn(&self, commands: u64, took: u64) {
        if commands >= TELLING {
            remember(&self.busy, took);
            remember(&self.served, commands);
        } else {
            let sync = self.sync.load(Ordering::Relaxed);
            let [up, down] = SYNC_PARTS;
            let moved = if took > sync { sync + (took - sync) / up } else { sync - (sync - took) / down };
            self.sync.store(moved, Ordering::Relaxed);
        }
        let slowest = self.slowest.load(Ordering::Relaxed);
        self.slowest.store(took.max(slowest - slowest / SLOWEST_FADES), Ordering::Relaxed);
    }
}

/// Adds to a sum whose older parts fade.
fn remember(sum: &AtomicU64, more: u64) {
    let before = sum.load(Ordering::Relaxed);
    sum.store((before - before / REMEMBERED).saturating_add(more), Ordering::Relaxed);
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

    /// Batches enough for those before them to be forgotten.
    fn learn_well(admission: &Admission, commands: u64, took: u64) {
        for _ in 0..20 * REMEMBERED {
            admission.learn(commands, took);
        }
    }

    /// With a quick journal thousands may wait, with a slow one as many as it clears in time, and never none.
    #[test]
    fn what_may_wait_follows_the_journal() {
        let admission = waiting(1_999);
        assert!(admission.has_room());
        admission.submitted();
        assert!(!admission.has_room());
        learn_well(&admission, 100, 100 * 200_000);
        assert_eq!(admission.limit(), 100);
        admission.answered(1_901);
        assert!(admission.has_room());
        learn_well(&admission, 100, 100 * 1_000_000_000);
        assert_eq!(admission.limit(), WAITING_MIN);
        admission.answered(36);
        assert!(admission.has_room());
        learn_well(&admission, 100, 100);
        assert_eq!(admission.limit(), WAITING_MAX);
    }

    /// Of a disk that takes some batches at once and then pauses, what it does in all is believed.
    #[test]
    fn bursts_are_averaged() {
        let admission = waiting(0);
        for _ in 0..10 * REMEMBERED {
            admission.learn(100, 0);
            admission.learn(100, 200 * 200_000);
        }
        assert!((90..=110).contains(&admission.limit()), "{}", admission.limit());
    }

    /// A pause of the disk is waited for by those who come meanwhile, as long as it is not the rule that it is late.
    #[test]
    fn who_meets_a_pause_is_let_in() {
        const PAUSE: u64 = 90_000_000;
        let admission = waiting(0);
        for _ in 0..20 {
            admission.learn(7, 200_000);
        }
        admission.learn(7, PAUSE);
        // What came meanwhile goes in one batch.
        admission.learn(140, 300_000);
        for _ in 0..20 {
            admission.learn(7, 200_000);
        }
        admission.batch_taken();
        let late = admission.taken_at.load(Ordering::Relaxed) + PAUSE;
        for _ in 0..140 {
            assert!(admission.has_room_at(|| late));
            admission.submitted();
        }
        assert!(!admission.has_room_at(|| late + 2 * PAUSE));
    }

    /// Pauses between quick syncs are not what a sync takes.
    #[test]
    fn pauses_are_no_slow_syncs() {
        let admission = waiting(0);
        learn_well(&admission, 100, 100 * 1_000_000);
        for _ in 0..100 {
            admission.learn(3, 100_000_000);
            for _ in 0..5 {
                admission.learn(3, 300_000);
            }
        }
        assert_eq!(admission.limit(), WAITING_MIN);
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
        admission.batch_taken();
        let since = admission.taken_at.load(Ordering::Relaxed);
        let late = since + nanos(PATIENCE) + 1;
        assert!(admission.has_room_at(|| since));
        assert!(!admission.has_room_at(|| late));
        admission.answered(1);
        assert!(admission.has_room_at(|| late));
        admission.submitted();
        admission.batch_done(1);
        assert!(admission.has_room_at(|| late));
    }
}
