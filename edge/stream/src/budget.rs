//! The bytes that may wait for clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bounds of queues, and what all queues hold.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Bytes of one socket's queue at most.
    pub(crate) of_socket: usize,
    /// Bytes of all queues together at most.
    total_max: usize,
    total: AtomicUsize,
}

impl Budget {
    /// Nothing waits.
    pub(crate) fn new(of_socket: usize, total_max: usize) -> Self {
        Self { of_socket, total_max, total: AtomicUsize::new(0) }
    }

    /// Notes that a queue has `now` bytes, and had `before`.
    pub(crate) fn change(&self, before: usize, now: usize) {
        if now >= before {
            self.total.fetch_add(now - before, Ordering::Relaxed);
        } else {
            self.total.fetch_sub(before - now, Ordering::Relaxed);
        }
    }

    /// Counts bytes of a frame that several queues may share, for as long as one keeps it.
    pub(crate) fn count(self: &Arc<Self>, bytes: usize) -> Counted {
        self.change(0, bytes);
        Counted { budget: Arc::clone(self), bytes }
    }

    /// Bytes of all queues together.
    pub(crate) fn total(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    /// Whether all queues together hold too much.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.total() > self.total_max
    }
}

/// Bytes that count once among those of all queues, until this is dropped.
#[derive(Debug)]
pub(crate) struct Counted {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.budget.change(self.bytes, 0);
    }
}
