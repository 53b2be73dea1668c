//! The meter of looks: how many orders, accounts, deals and rows a command has read beside its own.
//!
//! It changes no decision. A walk that may become long reports to it, so that tests have a bound for each command and the writer warns
//! of one beyond it (D-256).

use core::sync::atomic::{AtomicUsize, Ordering};

/// The most rows that a command reads before it yields, or is reported.
pub const LOOKS_OF_COMMAND: usize = 10_000;

/// Counts rows. Readers of a published state count too, so it is atomic; a copy begins at zero.
#[derive(Debug, Default)]
pub struct Looks(AtomicUsize);

impl Looks {
    /// These rows were read.
    #[inline]
    pub fn note(&self, rows: usize) {
        self.0.fetch_add(rows, Ordering::Relaxed);
    }

    /// The rows that were read since the last call.
    #[inline]
    pub fn take(&self) -> usize {
        if self.0.load(Ordering::Relaxed) == 0 { 0 } else { self.0.swap(0, Ordering::Relaxed) }
    }
}

impl Clone for Looks {
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A count begins anew after it was taken, and in a copy.
    #[test]
    fn looks_are_counted_once() {
        let looks = Looks::default();
        looks.note(3);
        looks.note(4);
        assert_eq!(looks.clone().take(), 0);
        assert_eq!([looks.take(), looks.take()], [7, 0]);
    }
}
