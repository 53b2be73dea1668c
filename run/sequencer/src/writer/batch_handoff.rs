//! The handoff of batches from the writer to the committing thread.
//!
//! The writer decides into the waiting batch during a sync. The committing thread takes it after the sync. Neither
//! thread waits for a turn of the other, which would cost two thread switches per batch.

use crate::writer::batch::Batch;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

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

    /// Swaps an empty batch for the gathered one, waiting up to `timeout` for something to gather.
    pub(crate) fn take(&self, empty: &mut Batch, timeout: Duration) -> Taken {
        let mut slot = self.slot.lock();
        if slot.batch.is_empty() && !slot.is_closed {
            self.filled.wait_for(&mut slot, timeout);
        }
        if slot.batch.is_empty() {
            return if slot.is_closed { Taken::Closed } else { Taken::Nothing };
        }
        std::mem::swap(&mut slot.batch, empty);
        Taken::Batch
    }
}
