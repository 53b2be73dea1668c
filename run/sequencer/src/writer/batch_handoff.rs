//! The batch that fills while the last one is made durable.
//!
//! The writer decides into it, the committing thread takes it when its last sync is over: neither waits for the other
//! to have a turn in between, which would cost two changes of threads a batch.

use crate::writer::batch::Batch;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// A batch, and word that it holds something.
#[derive(Debug, Default)]
pub(crate) struct BatchHandoff {
    slot: Mutex<Slot>,
    filled: Condvar,
}

#[derive(Debug, Default)]
pub(crate) struct Slot {
    pub(crate) batch: Batch,
    /// No more will come.
    is_closed: bool,
}

/// What waiting for a batch came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// There is one.
    Batch,
    /// Nothing came in time.
    Nothing,
    /// Nothing will come any more.
    Closed,
}

impl BatchHandoff {
    /// The batch, to put decided commands into; [`BatchHandoff::notify`] says that they are there.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock()
    }

    /// Wakes the committing thread if it waits.
    pub(crate) fn notify(&self) {
        self.filled.notify_one();
    }

    /// Says that no more will come.
    pub(crate) fn close(&self) {
        self.slot.lock().is_closed = true;
        self.filled.notify_one();
    }

    /// Exchanges an empty batch for what has gathered, and waits so long for something to gather.
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
