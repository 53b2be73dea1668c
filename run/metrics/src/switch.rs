//! Whether figures are collected.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Off until an operator wants metrics. While it is off, nothing is counted and no clock is read.
#[derive(Debug, Default)]
pub struct Switch(AtomicBool);

impl Switch {
    /// Turns it on for good.
    pub fn turn_on(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The present moment, if it is on.
    pub fn now(&self) -> Option<Instant> {
        self.is_on().then(Instant::now)
    }
}
