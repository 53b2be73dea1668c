//! The handoff of batches from the writer to the committing thread.
//!
//! The writer decides into the waiting batch during a sync. The committing thread takes it after the sync. Neither
//! thread waits for a turn of the other, which would cost two thread switches per batch.
//!
//! Batches of refused calls alone go to the disk at most once in [`REFUSED_EVERY`]; those in between wait and share one.

use crate::writer::batch::Batch;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The least time between two batches that hold nothing but refused calls.
const REFUSED_EVERY: Duration = Duration::from_millis(50);

/// A batch and the condition that it is not empty.
#[derive(Debug, Default)]
pub(crate) struct BatchHandoff {
    slot: Mutex<Slot>,
    filled: Condvar,
}

#[derive(Debug, Default)]
pub(crate) struct Slot {
    pub(crate) batch: Batch,
    /// Set when no more commands will come.
    is_closed: bool,
    /// When the next batch of refused calls alone may go.
    refused_from: Option<Instant>,
}

/// The result of waiting for a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// A batch was taken.
    Batch,
    /// The wait timed out.
    Nothing,
    /// The handoff is closed and empty.
    Closed,
}

impl BatchHandoff {
    /// The batch that the writer fills; call [`BatchHandoff::notify`] afterwards.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock()
    }

    /// Wakes the committing thread if it waits.
    pub(crate) fn notify(&self) {
        self.filled.notify_one();
    }

    /// Closes the handoff: no more commands will come.
    pub(crate) fn close(&self) {
        self.slot.lock().is_closed = true;
        self.filled.notify_one();
    }

    /// Swaps an empty batch for the gathered one, waiting up to `timeout` for something to gather. A batch of refused
    /// calls alone may wait a little longer, until its time or until a command joins it that must not wait.
    pub(crate) fn take(&self, empty: &mut Batch, timeout: Duration) -> Taken {
        let mut slot = self.slot.lock();
        if slot.batch.is_empty() && !slot.is_closed {
            self.filled.wait_for(&mut slot, timeout);
        }
        while slot.waits() {
            let until = slot.refused_from.expect("a batch that waits knows until when");
            if self.filled.wait_until(&mut slot, until).timed_out() {
                break;
            }
        }
        if !slot.batch.is_empty() && slot.batch.may_wait() {
            slot.refused_from = Instant::now().checked_add(REFUSED_EVERY);
        }
        slot.swap(empty)
    }

    /// Swaps an empty batch for the gathered one, if there is one; nothing waits.
    pub(crate) fn take_now(&self, empty: &mut Batch) -> Taken {
        self.slot.lock().swap(empty)
    }
}

impl Slot {
    /// Whether the batch is one of refused calls whose time has not come.
    fn waits(&self) -> bool {
        !self.is_closed
            && !self.batch.is_empty()
            && self.batch.may_wait()
            && self.refused_from.is_some_and(|from| Instant::now() < from)
    }

    fn swap(&mut self, empty: &mut Batch) -> Taken {
        if self.batch.is_empty() {
            return if self.is_closed { Taken::Closed } else { Taken::Nothing };
        }
        std::mem::swap(&mut self.batch, empty);
        Taken::Batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::batch::Entry;
    use buttonwood_engine::{AccessCommand, Body, Command, Outcome};
    use buttonwood_model::Stamp;

    fn fill(handoff: &BatchHandoff, is_urgent: bool) {
        let command = Command { caller: None, body: Body::Access(AccessCommand::UseNonce) };
        let mut slot = handoff.lock();
        slot.batch.entries.push(Entry {
            stamp: Stamp::default(),
            command,
            outcome: Outcome::Done,
            events: 0..0,
            texts: 0..0,
            reply: None,
            is_journaled: true,
        });
        slot.batch.is_urgent |= is_urgent;
        drop(slot);
        handoff.notify();
    }

    fn take(handoff: &BatchHandoff) -> (usize, Duration) {
        let mut batch = Batch::default();
        let began = Instant::now();
        assert_eq!(handoff.take(&mut batch, Duration::ZERO), Taken::Batch);
        (batch.entries.len(), began.elapsed())
    }

    /// The first refused call goes at once; the next ones wait for each other, but no longer than the time. A change and a full
    /// batch wait for nothing: a wait of ten minutes would not end here.
    #[test]
    fn refused_calls_share_a_batch() {
        const FAR: Duration = Duration::from_mins(10);
        let handoff = BatchHandoff::default();
        fill(&handoff, false);
        assert_eq!(take(&handoff).0, 1);
        let until = Instant::now() + REFUSED_EVERY;
        handoff.lock().refused_from = Some(until);
        fill(&handoff, false);
        fill(&handoff, false);
        assert_eq!(take(&handoff).0, 2);
        assert!(Instant::now() >= until, "they wait for their time");
        handoff.lock().refused_from = Some(Instant::now() + FAR);
        fill(&handoff, false);
        fill(&handoff, true);
        let (entries, took) = take(&handoff);
        assert!(entries == 2 && took < FAR, "{entries} in {took:?}");
        handoff.lock().refused_from = Some(Instant::now() + FAR);
        for _ in 0..16 {
            fill(&handoff, false);
        }
        let (entries, took) = take(&handoff);
        assert!(entries == 16 && took < FAR, "{entries} in {took:?}");
    }

    /// A change that comes while refused calls wait ends their wait, and so does the end.
    #[test]
    fn a_change_ends_the_wait() {
        for closes in [false, true] {
            let handoff = BatchHandoff { slot: Mutex::default(), filled: Condvar::new() };
            handoff.lock().refused_from = Some(Instant::now() + Duration::from_mins(10));
            fill(&handoff, false);
            std::thread::scope(|scope| {
                let taken = scope.spawn(|| take(&handoff));
                if closes {
                    handoff.close();
                } else {
                    fill(&handoff, true);
                }
                assert!(taken.join().unwrap().1 < Duration::from_mins(1));
            });
        }
    }

    /// The simulator orders the turns itself.
    #[test]
    fn a_stepped_exchange_does_not_wait() {
        let handoff = BatchHandoff::default();
        let mut batch = Batch::default();
        assert_eq!(handoff.take_now(&mut batch), Taken::Nothing);
        fill(&handoff, false);
        assert_eq!(handoff.take_now(&mut batch), Taken::Batch);
    }
}
