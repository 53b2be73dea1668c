//! The last uses of browsers that are signed in, or sign in.
//!
//! As with [`Heartbeats`](super::heartbeats::Heartbeats), only the end is a command, and after a restart every browser has a whole window
//! again. Times here are steady.

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

    /// How long a browser may still be silent, in microseconds; none of one that is not watched.
    pub(crate) fn left(&self, session: SessionId, now: Time) -> Option<u64> {
        let heard = self.heard.read().get(&session).map(|heard| heard.load(Ordering::Acquire))?;
        Some(Time(heard).plus(IDLE).0.saturating_sub(now.0))
    }

    /// Notes that the process stood still for this long, which counts as no browser's silence.
    pub(crate) fn note_pause(&self, pause: u64, now: Time) {
        for heard in self.heard.read().values() {
            let moved = |heard: u64| Some((heard + pause).min(now.0).max(heard));
            let _ = heard.fetch_update(Ordering::AcqRel, Ordering::Acquire, moved);
        }
    }

    /// The browsers whose windows end first, if they end by `until`, and when the last of them ends. Those that no longer are
    /// are dropped; `is_known` tells them. Those that end within a second end together, at the last one's time, at most a hundred, the earliest.
    pub(crate) fn due(
        &self,
        until: Time,
        is_known: impl Fn(SessionId) -> bool,
    ) -> Option<(Vec<SessionId>, Time)> {
        if until.0 < self.earliest.load(Ordering::Acquire) {
            return None;
        }
        let mut watched = self.heard.write();
        watched.retain(|session, _| is_known(*session));
        let end = |heard: &AtomicU64| Time(heard.load(Ordering::Acquire)).plus(IDLE);
        let first = watched.values().map(end).min();
        self.earliest.store(first.map_or(u64::MAX, |first| first.0), Ordering::Release);
        let first = first.filter(|first| *first <= until)?;
        let last = first.plus(TOGETHER).min(until);
        let ends = watched.iter().map(|(session, heard)| (*session, end(heard)));
        let mut due: Vec<_> = ends.filter(|(_, end)| *end <= last).collect();
        due.sort_by_key(|(_, end)| *end);
        due.truncate(AT_ONCE);
        let (_, when) = due.last().copied()?;
        Some((due.into_iter().map(|(session, _)| session).collect(), when))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time(1_000 * Time::SECOND);

    fn browser(number: u32) -> SessionId {
        SessionId::held(number)
    }

    /// A browser ends 30 minutes after its last use, neither earlier nor later, and another one's use does not count.
    #[test]
    fn a_browser_ends_when_its_window_does() {
        let idle = Idle::default();
        (0..2).for_each(|number| idle.watch(browser(number), START));
        idle.heard(browser(1), START.plus(5 * Time::SECOND));
        let due = |until: Time| idle.due(until, |_| true);
        assert_eq!(due(Time(START.plus(IDLE).0 - 1)), None);
        assert_eq!(idle.left(browser(0), START.plus(IDLE - 1)), Some(1));
        assert_eq!(idle.left(browser(2), START), None);
        assert_eq!(due(START.plus(IDLE)), Some((vec![browser(0)], START.plus(IDLE))));
        idle.heard(browser(0), START.plus(IDLE));
        assert_eq!(due(START.plus(IDLE)), None);
        let next = START.plus(IDLE + 5 * Time::SECOND);
        assert_eq!(due(next), Some((vec![browser(1)], next)));
    }

    /// One that has ended otherwise is dropped, and holds nothing up.
    #[test]
    fn ended_browsers_are_dropped() {
        let idle = Idle::default();
        idle.watch(browser(0), START);
        assert_eq!(idle.due(START.plus(2 * IDLE), |_| false), None);
        assert_eq!(idle.due(START.plus(2 * IDLE), |_| true), None, "it is not watched any more");
        assert_eq!(idle.earliest.load(Ordering::Acquire), u64::MAX);
    }

    /// A crowd ends by hundreds, the earliest first, so that no command is earlier than the one before.
    #[test]
    fn a_crowd_ends_in_its_order() {
        let idle = Idle::default();
        let count = 250;
        // The youngest have the lowest ids.
        (0..count).for_each(|number| idle.watch(browser(number), START.plus(u64::from(count - number))));
        let mut ended = std::collections::BTreeSet::new();
        let mut last = Time(0);
        while let Some((sessions, when)) = idle.due(START.plus(2 * IDLE), |session| !ended.contains(&session))
        {
            assert!(sessions.len() <= AT_ONCE && when >= last);
            last = when;
            ended.extend(sessions);
        }
        assert_eq!(ended.len(), 250);
    }

    /// Time in which the process stood still is no browser's silence.
    #[test]
    fn a_pause_is_no_silence() {
        let idle = Idle::default();
        idle.watch(browser(0), START);
        idle.note_pause(10 * Time::SECOND, START.plus(10 * Time::SECOND));
        assert_eq!(idle.due(START.plus(IDLE), |_| true), None);
        let end = START.plus(IDLE + 10 * Time::SECOND);
        assert_eq!(idle.due(end, |_| true), Some((vec![browser(0)], end)));
    }
}
