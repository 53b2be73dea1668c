//! How many tries of one peer may fail, whatever the addresses: each is journaled.

use buttonwood_engine::identity::{Peer, Reject};
use buttonwood_model::Time;
use parking_lot::Mutex;
use std::collections::HashMap;

/// Failures of a peer that count at once.
const AT_ONCE: u64 = 30;
/// The time in which one of them is forgotten, in microseconds.
const FORGOTTEN_IN: u64 = 3 * Time::SECOND;
/// Peers that are remembered before those without failures are dropped, and at most.
const PEERS_MAX: usize = 65_536;

/// The failures of each peer since the start, as the time at which all are forgotten.
#[derive(Debug, Default)]
pub(crate) struct Failures(Mutex<HashMap<Peer, Time>>);

impl Failures {
    /// Refuses a try of a peer that failed too often.
    ///
    /// # Errors
    /// [`Reject::Throttled`].
    pub(crate) fn check(&self, peer: Peer, now: Time) -> Result<(), Reject> {
        let Some(forgotten) = self.0.lock().get(&peer).copied() else { return Ok(()) };
        // One more is taken as soon as one of the most that count is forgotten.
        let until = Time(forgotten.0.saturating_sub((AT_ONCE - 1) * FORGOTTEN_IN));
        if now < until { Err(Reject::Throttled(until)) } else { Ok(()) }
    }

    /// Counts a failure.
    pub(crate) fn count(&self, peer: Peer, now: Time) {
        let mut peers = self.0.lock();
        if peers.len() >= PEERS_MAX && !peers.contains_key(&peer) {
            peers.retain(|_, forgotten| *forgotten > now);
            if peers.len() >= PEERS_MAX {
                // As many as a flood from a whole network; the limits by address go on.
                peers.clear();
            }
        }
        let forgotten = peers.entry(peer).or_insert(now);
        *forgotten = (*forgotten).max(now).plus(FORGOTTEN_IN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEERS: [Peer; 2] = [Peer([1; 16]), Peer([2; 16])];

    /// Thirty count at once, one is forgotten every three seconds, and another peer has its own.
    #[test]
    fn failures_of_a_peer_are_few() {
        let (failures, start) = (Failures::default(), Time(1_000));
        for _ in 0..AT_ONCE {
            assert_eq!(failures.check(PEERS[0], start), Ok(()));
            failures.count(PEERS[0], start);
        }
        let next = start.plus(FORGOTTEN_IN);
        assert_eq!(failures.check(PEERS[0], start), Err(Reject::Throttled(next)));
        assert_eq!(failures.check(PEERS[1], start), Ok(()));
        assert_eq!(failures.check(PEERS[0], next), Ok(()));
        failures.count(PEERS[0], next);
        assert_eq!(failures.check(PEERS[0], next), Err(Reject::Throttled(next.plus(FORGOTTEN_IN))));
        let later = next.plus(AT_ONCE * FORGOTTEN_IN);
        assert_eq!(failures.check(PEERS[0], later), Ok(()));
    }

    /// A flood from many peers takes no more memory than the most that are remembered.
    #[test]
    fn peers_are_bounded() {
        let failures = Failures::default();
        for number in 0..=u64::try_from(PEERS_MAX).unwrap() {
            let mut peer = [0; 16];
            peer[..8].copy_from_slice(&number.to_be_bytes());
            failures.count(Peer(peer), Time(1));
        }
        assert!(failures.0.lock().len() <= PEERS_MAX);
    }
}
