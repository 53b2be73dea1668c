//! How many commands may be in flight before new orders are refused.
//!
//! Under overload a longer queue only adds latency. The number in flight is therefore limited to what the journal
//! clears within [`PATIENCE`], estimated from its latest batches, or within a few syncs where a sync takes long. Only
//! new orders are limited; cancels may use the rest of the queue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long an admitted order may wait for those before it on a disk that syncs quickly.
const PATIENCE: Duration = Duration::from_millis(20);
/// The same in syncs, on a slow disk: where most of a batch's time is the sync, the batch may as well be larger.
const PATIENCE_SYNCS: u64 = 3;
/// A batch is stuck when it takes this many times as long as the slowest recent one.
const STUCK_TIMES: u64 = 2;
/// Commands that may always be in flight: fewer would share a sync less well.
const WAITING_MIN: u64 = 64;
/// Commands in flight above which no order is admitted, however fast the disk is.
const WAITING_MAX: u64 = 4_096;
/// From this size, a batch's time estimates the time per command; below it, the time of a sync.
const TELLING: u64 = 16;
/// Large batches remembered, about. Disks answer in bursts, so one batch alone is no estimate.
const REMEMBERED: u64 = 16;
/// The time per command before the first estimate, in nanoseconds.
const PACE_FIRST: u64 = 10_000;
/// The estimate of a sync moves by one part of the first number when a sync is slower, of the second when it is
/// quicker: a disk that stalls now and then has quick syncs too, and those count more.
const SYNC_PARTS: [u64; 2] = [32, 4];
/// The part of the slowest batch's time that each quicker batch removes.
const SLOWEST_FADES: u64 = 64;

/// The commands in flight, and how fast the journal clears them.
#[derive(Debug)]
pub(crate) struct Admission {
    submitted: AtomicU64,
    answered: AtomicU64,
    /// Nanoseconds of the latest large batches, and commands in them; older batches fade.
    busy: AtomicU64,
    served: AtomicU64,
    /// Estimated nanoseconds of a sync, from small batches.
    sync: AtomicU64,
    /// Nanoseconds of the slowest recent batch.
    slowest: AtomicU64,
    began: Instant,
    /// When the batch in flight was taken, in nanoseconds since `began`; [`u64::MAX`] if none is in flight.
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
    /// Counts a command that wants an answer.
    pub(crate) fn submitted(&self) {
        self.submitted.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts answered commands.
    pub(crate) fn answered(&self, commands: usize) {
        self.answered.fetch_add(wide(commands), Ordering::Relaxed);
    }

    /// Notes that a batch goes to the disk.
    pub(crate) fn batch_taken(&self) {
        self.taken_at.store(nanos(self.began.elapsed()), Ordering::Relaxed);
    }

    /// Notes that the batch in flight is durable and answered.
    pub(crate) fn batch_done(&self, commands: usize) {
        let now = nanos(self.began.elapsed());
        let took = now.saturating_sub(self.taken_at.swap(u64::MAX, Ordering::Relaxed));
        self.learn(wide(commands), took);
    }

    /// Notes that a batch ended that never went to the disk: it estimates nothing.
    pub(crate) fn batch_dropped(&self) {
        self.taken_at.store(u64::MAX, Ordering::Relaxed);
    }

    /// Whether another order is admitted.
    pub(crate) fn has_room(&self) -> bool {
        self.has_room_at(|| nanos(self.began.elapsed()))
    }

    /// The clock is read only where it matters: this is on the path of every order.
    fn has_room_at(&self, now: impl FnOnce() -> u64) -> bool {
        let answered = self.answered.load(Ordering::Relaxed);
        let waiting = self.submitted.load(Ordering::Relaxed).saturating_sub(answered);
        waiting < WAITING_MIN || waiting < self.limit() && !self.is_stuck(now())
    }

    /// A batch that takes much longer than the recent ones means that the disk is stuck. A usual pause of the disk does
    /// not: what arrives during it goes with the next batch.
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

    /// Enough batches to outweigh the ones before.
    fn learn_well(admission: &Admission, commands: u64, took: u64) {
        for _ in 0..20 * REMEMBERED {
            admission.learn(commands, took);
        }
    }

    /// A quick journal admits thousands of commands, a slow one only those that it clears in time, and at least the
    /// minimum.
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

    /// A disk that takes some batches at once and then pauses is judged by its average.
    #[test]
    fn bursts_are_averaged() {
        let admission = waiting(0);
        for _ in 0..10 * REMEMBERED {
            admission.learn(100, 0);
            admission.learn(100, 200 * 200_000);
        }
        assert!((90..=110).contains(&admission.limit()), "{}", admission.limit());
    }

    /// Orders that arrive during a usual pause of the disk are admitted.
    #[test]
    fn who_meets_a_pause_is_let_in() {
        const PAUSE: u64 = 90_000_000;
        let admission = waiting(0);
        for _ in 0..20 {
            admission.learn(7, 200_000);
        }
        admission.learn(7, PAUSE);
        // The orders that arrived during the pause are one batch.
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

    /// Pauses between quick syncs do not count as slow syncs.
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

    /// Where a sync takes long, batches may grow until their commands take longer than the sync.
    #[test]
    fn a_slow_sync_is_no_overload() {
        const SYNC: u64 = 15_000_000;
        let admission = waiting(0);
        for _ in 0..200 {
            admission.learn(1, SYNC);
            admission.learn(TELLING, SYNC);
        }
        assert_eq!(admission.limit(), WAITING_MIN);
        // One half of the waiting commands is in flight, the other gathers.
        for _ in 0..2_000 {
            admission.learn(admission.limit() / 2, SYNC);
        }
        assert!(admission.limit() > WAITING_MAX / 2, "{}", admission.limit());
    }

    /// While a batch is stuck, only the minimum is admitted.
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
