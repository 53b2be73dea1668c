//! The settings of users' pages, and how often they may be changed.

use super::{HOUR, Judged, People, SECOND, no};
use buttonwood_engine::identity::Stage;
use buttonwood_model::SessionId;

impl People {
    /// One in five seconds and 200 in any 24 hours, of at most 8 KiB.
    pub(super) fn set_preferences(&mut self, session: SessionId, value: &str, now: u64) -> Judged {
        let Some(window) = self.window(session, now) else { return no("UnknownBrowser") };
        if window.stage != Stage::Full {
            return no("WrongStage");
        }
        let at = window.person;
        if value.is_empty() || value.len() > 8_192 {
            self.counts.note("preferences too long");
            return no("BadPreferences");
        }
        if let Some(until) = self.preferences_wait(at, now) {
            self.counts.note("preferences too soon");
            return Err(format!("Throttled(Time({until}))"));
        }
        let person = &mut self.persons[at];
        value.clone_into(&mut person.preferences);
        person.preferred.push(now);
        self.counts.note("preferences set");
        Ok(())
    }

    /// When a user's preferences may be changed again, if not now.
    pub(super) fn preferences_wait(&self, at: usize, now: u64) -> Option<u64> {
        let times = &self.persons[at].preferred;
        let first_of = |most: usize| times.len().checked_sub(most).map(|place| times[place]);
        let by_day = first_of(200).map(|at| at + 24 * HOUR).filter(|until| *until > now);
        let by_pace = first_of(1).map(|at| at + 5 * SECOND).filter(|until| *until > now);
        // The day is checked first.
        by_day.or(by_pace)
    }
}
