//! Happenings on their way to the streams.
//!
//! The committing thread hands a batch on after the batch is durable, visible and answered. It never waits: while the listener
//! is behind, batches gather up to a limit, beyond which they are dropped and the listener is told that it has missed some.

use buttonwood_views::Told;
use crossbeam_utils::sync::{Parker, Unparker};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Bytes of batches that may wait for the listener.
const WAITING_MAX: usize = 256 * 1024 * 1024;

/// The batches that wait for the listener.
#[derive(Debug, Default)]
pub(crate) struct Outlet {
    is_open: AtomicBool,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    batches: Vec<Told>,
    bytes: usize,
    has_missed: bool,
    waker: Option<Unparker>,
}

/// The end at which the batches come out.
#[derive(Debug)]
pub struct Listener {
    outlet: Arc<Outlet>,
    parker: Parker,
}

/// The happenings that came out.
#[derive(Debug, Default)]
pub struct Heard {
    /// Batches, in the order of the journal.
    pub batches: Vec<Told>,
    /// Whether batches before these were dropped.
    pub has_missed: bool,
}

impl Outlet {
    /// Whether somebody listens.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::SeqCst)
    }

    /// Hands a durable batch on.
    pub(crate) fn publish(&self, told: Told) {
        let mut waiting = self.waiting.lock();
        let bytes = told.size();
        if waiting.bytes + bytes > WAITING_MAX {
            *waiting = Waiting { has_missed: true, waker: waiting.waker.take(), ..Waiting::default() };
        }
        waiting.bytes += bytes;
        waiting.batches.push(told);
        if let (1, Some(waker)) = (waiting.batches.len(), &waiting.waker) {
            waker.unpark();
        }
    }
}

impl Listener {
    /// Listens at an outlet from now on.
    pub(crate) fn new(outlet: Arc<Outlet>) -> Self {
        let parker = Parker::new();
        outlet.waiting.lock().waker = Some(parker.unparker().clone());
        Self { outlet, parker }
    }

    /// Begins or stops to collect. Batches that wait are dropped.
    pub fn open(&self, is_open: bool) {
        self.outlet.is_open.store(is_open, Ordering::SeqCst);
        let mut waiting = self.outlet.waiting.lock();
        *waiting = Waiting { waker: waiting.waker.take(), ..Waiting::default() };
    }

    /// A handle that ends [`Listener::wait`].
    pub fn waker(&self) -> Unparker {
        self.parker.unparker().clone()
    }

    /// Waits until a batch comes, the handle wakes it, or this time is over.
    pub fn wait(&self, at_most: Duration) {
        self.parker.park_timeout(at_most);
    }

    /// Takes the batches that have come.
    pub fn take(&self) -> Heard {
        let mut waiting = self.outlet.waiting.lock();
        waiting.bytes = 0;
        Heard {
            batches: std::mem::take(&mut waiting.batches),
            has_missed: std::mem::take(&mut waiting.has_missed),
        }
    }
}
