//! Nonces that always increase, also between clones of a client that share a key (SES-002).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where a key's nonces come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonceSource {
    /// Microseconds since 1970, raised by one where the clock has not moved.
    #[default]
    Increasing,
    /// Whole seconds of the local clock, for keys made with the time-based option.
    Seconds,
}

/// The nonces of one key.
#[derive(Debug, Default)]
pub struct Nonces {
    source: NonceSource,
    last: AtomicU64,
}

impl Nonces {
    /// Nonces of the given source.
    pub fn new(source: NonceSource) -> Self {
        Self { source, last: AtomicU64::new(0) }
    }

    /// Increasing nonces above one that the key has used, even if the clock is behind it.
    pub fn above(last: u64) -> Self {
        Self { source: NonceSource::Increasing, last: AtomicU64::new(last) }
    }

    /// The next nonce: with [`NonceSource::Increasing`] above every one given before, across restarts too
    /// as long as the clock is not set back.
    pub fn next(&self) -> u64 {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if self.source == NonceSource::Seconds {
            return elapsed.as_secs();
        }
        let now = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let before = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(now.max(last.saturating_add(1))))
            .unwrap_or(now);
        now.max(before.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn always_increases() {
        let nonces = Nonces::default();
        let drawn: Vec<u64> = (0..10_000).map(|_| nonces.next()).collect();
        assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]));
    }

    /// No nonce is repeated after the clock was set back.
    #[test]
    fn goes_on_above_what_was_used() {
        let ahead = Nonces::default().next() + 3_600_000_000;
        let nonces = Nonces::above(ahead);
        assert_eq!([nonces.next(), nonces.next()], [ahead + 1, ahead + 2]);
        assert!(Nonces::above(7).next() >= ahead - 3_600_000_000);
    }

    #[test]
    fn seconds_follow_the_clock() {
        let nonces = Nonces::new(NonceSource::Seconds);
        assert!(nonces.next() < 100_000_000_000, "seconds, not milliseconds");
    }
}
