//! The last signs of life of sessions with Require Heartbeat.
//!
//! Only the expiry is a command; the times of reads need not be journaled. After a restart every session
//! has a whole window again. Time during which the process stood still counts as no session's silence.
//!
//! Times here are steady: setting the time of day neither ends nor extends a window.
//!
//! Clauses: `SES-010` to `SES-015`.

use buttonwood_model::{SessionId, Time};
use parking_lot::RwLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Silence after which a session's orders are cancelled, in microseconds.
pub(crate) const SILENCE: u64 = 30 * Time::SECOND;
/// A longer time between two checks means that the process stood still: a tick and a second more.
const STALL_MIN: u64 = Time::SECOND + Time::SECOND / 5;
/// The least rest of a window after a pause of at least this length: signs of life that arrived during the pause are
/// read in it.
const GRACE: u64 = 10 * Time::SECOND;

/// A watched session and its last sign of life.
#[derive(Debug)]
struct Watched {
    session: SessionId,
    heard: AtomicU64,
    /// The value of `heard` for which the session was expired; a newer sign of life makes it active again.
    expired: AtomicU64,
}

/// The sessions that must send signs of life.
#[derive(Debug)]
pub(crate) struct Heartbeats {
    /// In the order of their ids.
    sessions: RwLock<Vec<Watched>>,
    /// The time of the last check for silence.
    checked: AtomicU64,
}

impl Heartbeats {
    /// No session is watched yet; checks begin `now`.
    pub(crate) fn new(now: Time) -> Self {
        Self { sessions: RwLock::default(), checked: AtomicU64::new(now.0) }
    }

    /// Notes a check for silence `now`. Long after the last check, the process was stopped or the machine suspended.
    /// Messages that clients sent during that time are not read yet, so it counts as no session's silence. Returns its length in
    /// microseconds; none without such a pause.
    pub(crate) fn note_check(&self, now: Time) -> Option<u64> {
        let since = now.0.saturating_sub(self.checked.swap(now.0, Ordering::AcqRel));
        if since > STALL_MIN {
            tracing::warn!(
                milliseconds = since / 1_000,
                "this process stood still: that time counts as no session's silence"
            );
            // At most the pause itself, so that many short pauses do not keep a silent session alive forever.
            let at_least = now.0.saturating_sub(SILENCE - GRACE.min(since));
            for watched in self.sessions.read().iter() {
                let moved = |heard: u64| Some((heard + since).max(at_least).min(now.0).max(heard));
                let _ = watched.heard.fetch_update(Ordering::AcqRel, Ordering::Acquire, moved);
            }
        }
        (since > STALL_MIN).then_some(since)
    }

    /// Watches a session from `now` on; its id is above those of all others.
    pub(crate) fn watch(&self, session: SessionId, now: Time) {
        self.sessions.write().push(Watched {
            session,
            heard: AtomicU64::new(now.0),
            expired: AtomicU64::new(u64::MAX),
        });
    }

    /// Notes a sign of life.
    pub(crate) fn heard(&self, session: SessionId, now: Time) {
        let sessions = self.sessions.read();
        if let Some(watched) = find(&sessions, session) {
            watched.heard.fetch_max(now.0, Ordering::AcqRel);
        }
    }

    /// The session that is silent for longest among those whose window ends by `until`, and the end of its window. Ties
    /// go to the older session, so that expiries have one order. `has_orders` selects the sessions with orders to
    /// cancel.
    pub(crate) fn due(
        &self,
        until: Time,
        has_orders: impl Fn(SessionId) -> bool,
    ) -> Option<(SessionId, Time)> {
        let sessions = self.sessions.read();
        let ends = |watched: &Watched| Time(watched.heard.load(Ordering::Acquire)).plus(SILENCE);
        sessions
            .iter()
            .filter(|watched| {
                watched.heard.load(Ordering::Acquire) != watched.expired.load(Ordering::Acquire)
            })
            .filter(|watched| ends(watched) <= until && has_orders(watched.session))
            .min_by_key(|watched| (ends(watched), watched.session))
            .map(|watched| (watched.session, ends(watched)))
    }

    /// Notes that a session was expired for the silence that ended at `when`. It stays expired until its next sign of
    /// life (SES-014), which may have just arrived.
    pub(crate) fn expire(&self, session: SessionId, when: Time) {
        let sessions = self.sessions.read();
        if let Some(watched) = find(&sessions, session) {
            watched.expired.store(when.0.saturating_sub(SILENCE), Ordering::Release);
        }
    }
}

fn find(sessions: &[Watched], session: SessionId) -> Option<&Watched> {
    let place = sessions.binary_search_by_key(&session, |watched| watched.session).ok()?;
    sessions.get(place)
}

#[cfg(test)]
mod tests;
