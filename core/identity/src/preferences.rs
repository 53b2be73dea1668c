//! The settings of a user's pages: a text that the room keeps and does not read.

use crate::throttle::Limited;
use crate::{Identity, Infrequent, Reject, Stage, User, UserId};
use alloc::string::String;
use buttonwood_model::{BytesRef, Outbox, SessionId, Time};

/// Bytes of a user's preferences at most: 8 KiB.
pub const PREFERENCES_MAX: usize = 8 * 1024;
/// Changes of a user's preferences in 24 hours.
pub const PREFERENCES_A_DAY: usize = 200;
/// The time between two changes of a user's preferences, in microseconds: 5 seconds.
pub const PREFERENCES_APART: u64 = 5 * Time::SECOND;

/// Sets the preferences of a browser's user.
pub(crate) fn set<E: From<BytesRef>>(
    identity: &Identity,
    (session, value): (SessionId, &String),
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let browser = identity.browser(session, now).ok_or(Reject::UnknownBrowser)?;
    if browser.stage != Stage::Full {
        return Err(Reject::WrongStage);
    }
    if value.is_empty() || value.len() > PREFERENCES_MAX {
        return Err(Reject::BadPreferences { bytes: value.len() });
    }
    identity.check_preferences(browser.user, now)?;
    if identity.preferences(browser.user) == Some(value.as_str()) {
        return Ok(());
    }
    out.push_named(&Infrequent::PreferencesSet(browser.user, value.clone()));
    Ok(())
}

impl User {
    /// The preferences, as they were set; empty before the first.
    pub fn preferences(&self) -> &str {
        &self.preferences
    }
}

impl Identity {
    /// The preferences of a user, as they were set; none before the first.
    pub fn preferences(&self, user: UserId) -> Option<&str> {
        self.user(user).map(User::preferences).filter(|text| !text.is_empty())
    }

    /// Keeps the preferences of a user, and counts the change.
    pub(crate) fn set_preferences(&mut self, id: UserId, value: String, now: Time) {
        if let Some(user) = self.users.get_mut(id.index()) {
            user.preferences = value;
            self.count(Limited::Preferences(id), now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NewBrowser, NewUser, Peer};
    use alloc::string::ToString;
    use buttonwood_access::Access;
    use buttonwood_model::Roles;

    const DAY: u64 = 24 * 3_600 * Time::SECOND;

    /// A room with an operator, and the browser in which the operator is signed in from `opened`.
    fn room(opened: Time) -> (Identity, SessionId) {
        let (mut room, mut access) = (Identity::default(), Access::default());
        room.add_user(
            NewUser {
                login: [1; 32],
                name: "Ann".to_string(),
                group: None,
                roles: Roles::NONE,
                is_operator: true,
                is_disabled: false,
                credential: 1,
                factor: 1,
            },
            Time(0),
        );
        let browser = NewBrowser {
            user: UserId(0),
            credential: 1,
            cookie: [2; 32],
            peer: Peer([0; 16]),
            address: String::new(),
            agent: String::new(),
            is_full: true,
        };
        room.open_browser(&mut access, browser, opened);
        (room, SessionId::held(0))
    }

    fn set_at(room: &mut Identity, session: SessionId, value: &str, now: Time) -> Result<(), Reject> {
        let value = value.to_string();
        set::<BytesRef>(room, (session, &value), now, &mut Outbox::default())?;
        room.set_preferences(UserId(0), value, now);
        Ok(())
    }

    #[test]
    fn preferences_are_kept_as_they_were_sent() {
        let (mut room, session) = room(Time(0));
        assert_eq!(room.preferences(UserId(0)), None);
        assert_eq!(set_at(&mut room, session, "{\"a\": 1}", Time(7)), Ok(()));
        assert_eq!((room.preferences(UserId(0)), room.preferences(UserId(1))), (Some("{\"a\": 1}"), None));
        let longest = "x".repeat(PREFERENCES_MAX);
        let later = Time(7).plus(PREFERENCES_APART);
        let longer = longest.clone() + "x";
        let refused = Err(Reject::BadPreferences { bytes: PREFERENCES_MAX + 1 });
        assert_eq!(set_at(&mut room, session, &longer, later), refused);
        assert_eq!(set_at(&mut room, session, &longest, later), Ok(()));
        let unknown = SessionId::held(1);
        assert_eq!(set_at(&mut room, unknown, "{}", Time(DAY)), Err(Reject::UnknownBrowser));
    }

    /// One change in five seconds, to the microsecond; a refused one does not count.
    #[test]
    fn changes_are_five_seconds_apart() {
        let (mut room, session) = room(Time(0));
        let first = Time(1_000);
        let next = first.plus(PREFERENCES_APART);
        assert_eq!(set_at(&mut room, session, "{}", first), Ok(()));
        assert_eq!(set_at(&mut room, session, "{}", first), Err(Reject::Throttled(next)));
        assert_eq!(set_at(&mut room, session, "{}", Time(next.0 - 1)), Err(Reject::Throttled(next)));
        assert_eq!(set_at(&mut room, session, "{}", next), Ok(()));
    }

    /// 200 changes in any 24 hours.
    #[test]
    fn changes_of_a_day_are_bounded() {
        let user = UserId(0);
        let (mut room, _) = room(Time(0));
        let numbers = (0..).take(PREFERENCES_A_DAY);
        let times = numbers.map(|number: u64| Time(1_000).plus(number * PREFERENCES_APART));
        for now in times {
            assert_eq!(room.check_preferences(user, now), Ok(()));
            room.set_preferences(user, "{}".to_string(), now);
        }
        let free = Time(1_000).plus(DAY);
        for early in [Time(free.0 / 2), Time(free.0 - 1)] {
            assert_eq!(room.check_preferences(user, early), Err(Reject::Throttled(free)));
        }
        assert_eq!(room.check_preferences(user, free), Ok(()));
        room.set_preferences(user, "{}".to_string(), free);
        let second = free.plus(PREFERENCES_APART);
        assert_eq!(room.check_preferences(user, free.plus(1)), Err(Reject::Throttled(second)));
        assert_eq!(room.check_preferences(user, second), Ok(()));
    }
}
