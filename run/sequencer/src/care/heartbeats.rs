//! When sessions with Require Heartbeat were last heard.
//!
//! Only the expiry is a command; the clock of mere reads need not be journaled (DESIGN Q-004). After a
//! restart every session has a whole window again; a pause in which nobody could be heard counts for nobody.
//!
//! Times here are the clock's steady ones: who sets the time of day neither ends a window nor makes it longer.
//!
//! Clauses: `SES-010` to `SES-015`.

use buttonwood_model::{SessionId, Time};
use buttonwood_planted::{Bug, planted};
use parking_lot::RwLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Silence after which a session's orders are cancelled, in microseconds.
pub(crate) const SILENCE: u64 = 30 * Time::SECOND;
/// Time between two looks after which we have been away: a tick, and a second more.
const STALL_MIN: u64 = Time::SECOND + Time::SECOND / 5;
/// What is left of a window once we are back from a pause as long or longer: signs of life that came meanwhile are read in it.
const GRACE: u64 = 10 * Time::SECOND;

fn silence() -> u64 {
    if planted(Bug::ExpiresLate) {
        SILENCE + Time::SECOND
    } else if planted(Bug::ExpiresEarly) {
        SILENCE - Time::SECOND
    } else {
        SILENCE
    }
}

/// A session's last sign of life.
#[derive(Debug)]
struct Watched {
    session: SessionId,
    heard: AtomicU64,
    /// The `heard` for which the session was expired; a newer one makes it active again.
    expired: AtomicU64,
}

/// The sessions that must be heard.
#[derive(Debug)]
pub(crate) struct Heartbeats {
    sessions: RwLock<Vec<Watched>>,
    /// When somebody looked for silence last.
    checked: AtomicU64,
}

impl Heartbeats {
    /// Nobody to be heard yet; the looks begin `now`.
    pub(crate) fn new(now: Time) -> Self {
        Self { sessions: RwLock::default(), checked: AtomicU64::new(now.0) }
    }

    /// Notes that somebody looks for silence `now`. Long after the last look, the process was stopped or the machine
    /// suspended: what was sent meanwhile is not read yet, so that time is nobody's silence.
    pub(crate) fn note_check(&self, now: Time) {
        let since = now.0.saturating_sub(self.checked.swap(now.0, Ordering::AcqRel));
        if since > STALL_MIN {
            tracing::warn!(
                milliseconds = since / 1_000,
                "this process stood still: that time counts as nobody's silence"
            );
            // No longer than the pause itself, so that many short ones do not keep a silent session for ever.
            let at_least = now.0.saturating_sub(SILENCE - GRACE.min(since));
            for watched in self.sessions.read().iter() {
                let moved = |heard: u64| Some((heard + since).max(at_least).min(now.0).max(heard));
                let _ = watched.heard.fetch_update(Ordering::AcqRel, Ordering::Acquire, moved);
            }
        }
    }

    /// Watches a session from `now` on.
    pub(crate) fn watch(&self, session: SessionId, now: Time) {
        self.sessions.write().push(Watched {
            session,
            heard: AtomicU64::new(now.0),
            expired: AtomicU64::new(u64::MAX),
        });
    }

    /// Notes that a session was heard.
    pub(crate) fn heard(&self, session: SessionId, now: Time) {
        if let Some(watched) = self.sessions.read().iter().find(|watched| watched.session == session) {
            watched.heard.fetch_max(now.0, Ordering::AcqRel);
        }
    }

    /// The session that is silent for longest and whose window ends by `until`, and when it ended; ties go to the
    /// older session, so that expiries have one order. `has_orders` tells which sessions have any to cancel.
    pub(crate) fn due(
        &self,
        until: Time,
        has_orders: impl Fn(SessionId) -> bool,
    ) -> Option<(SessionId, Time)> {
        let sessions = self.sessions.read();
        let ends = |watched: &Watched| Time(watched.heard.load(Ordering::Acquire)).plus(silence());
        sessions
            .iter()
            .filter(|watched| {
                watched.heard.load(Ordering::Acquire) != watched.expired.load(Ordering::Acquire)
            })
            .filter(|watched| ends(watched) <= until && has_orders(watched.session))
            .min_by_key(|watched| (ends(watched), watched.session))
            .map(|watched| (watched.session, ends(watched)))
    }

    /// Notes that a session was expired for the silence that ended at `when`: it stays so until it is heard again
    /// (SES-014), which may have happened just now.
    pub(crate) fn expire(&self, session: SessionId, when: Time) {
        if let Some(watched) = self.sessions.read().iter().find(|watched| watched.session == session) {
            watched.expired.store(when.0.saturating_sub(silence()), Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests;
