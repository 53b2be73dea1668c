//! The last uses of browsers that are signed in, or sign in.
//!
//! As with [`Heartbeats`](super::heartbeats::Heartbeats), only the end is a command, and after a restart every browser has a whole window
//! again. Times here are steady.

use buttonwood_engine::State;
use buttonwood_engine::identity::IDLE;
use buttonwood_model::{SessionId, Time};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Browsers whose windows end within this time end together, in microseconds.
const TOGETHER: u64 = Time::SECOND;
/// Browsers that one command ends at most.
const AT_ONCE: usize = 100;

/// The browsers that end when nothing is heard of them for 30 minutes.
#[derive(Debug)]
pub(crate) struct Idle {
    /// When each was last heard of.
    heard: RwLock<BTreeMap<SessionId, AtomicU64>>,
    /// No window ends earlier. Signs of life move ends later alone, so that most checks compare one number.
    earliest: AtomicU64,
}

impl Default for Idle {
    fn default() -> Self {
        Self { heard: RwLock::default(), earliest: AtomicU64::new(u64::MAX) }
    }
}

impl Idle {
    /// Watches a browser from `now` on.
    pub(crate) fn watch(&self, session: SessionId, now: Time) {
        self.heard.write().insert(session, AtomicU64::new(now.0));
        self.earliest.fetch_min(now.plus(IDLE).0, Ordering::AcqRel);
    }

    /// Notes a use.
    pub(crate) fn heard(&self, session: SessionId, now: Time) {
        if let Some(heard) = self.heard.read().get(&session) {
            heard.fetch_max(now.0, Ordering::AcqRel);
        }
    }

    /// Notes that the process stood still for this long, which counts as no browser's silence.
    pub(crate) fn note_pause(&self, pause: u64, now: Time) {
        for heard in self.heard.read().values() {
            let moved = |heard: u64| Some((heard + pause).min(now.0).max(heard));
            let _ = heard.fetch_update(Ordering::AcqRel, Ordering::Acquire, moved);
        }
    }

    /// The browsers whose windows end first, if they end by `until`, and when the last of them ends. Those that the state no longer has are
    /// dropped. Those that end within a second end together, at the last one's time.
    pub(crate) fn due(&self, until: Time, state: &State) -> Option<(Vec<SessionId>, Time)> {
        if until.0 < self.earliest.load(Ordering::Acquire) {
            return None;
        }
        let mut watched = self.heard.write();
        watched.retain(|session, _| state.identity().browser(*session, Time(0)).is_some());
        let end = |heard: &AtomicU64| Time(heard.load(Ordering::Acquire)).plus(IDLE);
        let first = watched.values().map(end).min();
        self.earliest.store(first.map_or(u64::MAX, |first| first.0), Ordering::Release);
        let first = first.filter(|first| *first <= until)?;
        let last = first.plus(TOGETHER).min(until);
        let ends = watched.iter().map(|(session, heard)| (*session, end(heard)));
        let due: Vec<_> = ends.filter(|(_, end)| *end <= last).take(AT_ONCE).collect();
        let when = due.iter().map(|(_, end)| *end).max()?;
        Some((due.into_iter().map(|(session, _)| session).collect(), when))
    }
}
