//! Limits of failed sign-ins, of mails (D-139) and of changes of preferences. They are journaled, and follow the exchange's clock.

use crate::expiry::Expiring;
use crate::preferences::{PREFERENCES_A_DAY, PREFERENCES_APART};
use crate::{Digest, Identity, Infrequent, Peer, Reject, User, UserId};
use alloc::vec::Vec;
use buttonwood_model::{BytesRef, Outbox, Time};
use serde::{Deserialize, Serialize};

/// Failures of one address from one peer, and failed codes of one user, after which further tries are refused.
pub const FAILURES_MAX: usize = 5;
/// The time in which they count, in microseconds: five minutes.
pub const WINDOW: u64 = 5 * 60 * Time::SECOND;
/// Failed codes of one user in 24 hours, after which a code is refused until the password is reset.
pub const CODES_A_DAY: usize = 50;
/// The time in which they count, in microseconds.
const DAY: u64 = 24 * HOUR;
/// Mails to one address in an hour.
pub const MAILS_OF_ADDRESS: usize = 3;
/// Mails that one peer asks for in an hour.
pub const MAILS_OF_PEER: usize = 20;
/// The time in which they count, in microseconds.
const HOUR: u64 = 3_600 * Time::SECOND;

/// The events that count against one limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Limited {
    /// Failures of an address, known or not, from a peer.
    SignIn(Digest, Peer),
    /// Mails to an address.
    MailTo(Digest),
    /// Mails that a peer asks for.
    MailOf(Peer),
    /// Changes of a user's preferences.
    Preferences(UserId),
    /// Mails about half sessions of a user.
    HalfMail(UserId),
}

impl Limited {
    /// How many events count, and for how long.
    const fn terms(self) -> (usize, u64) {
        match self {
            Self::SignIn(..) => (FAILURES_MAX, WINDOW),
            Self::MailTo(_) => (MAILS_OF_ADDRESS, HOUR),
            Self::MailOf(_) => (MAILS_OF_PEER, HOUR),
            Self::Preferences(_) => (PREFERENCES_A_DAY, DAY),
            Self::HalfMail(_) => (1, DAY),
        }
    }
}

/// The end of the refusals after events at these times, of which `most` in `window` are allowed; none while another event is allowed.
fn blocked_until(times: &[Time], most: usize, window: u64, now: Time) -> Option<Time> {
    let counted = times.len().checked_sub(most).and_then(|first| times.get(first))?;
    let until = counted.plus(window);
    (until > now).then_some(until)
}

/// A failed try to sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The SHA-256 of the address, known or not.
    pub login: Digest,
    /// Where the try came from.
    pub peer: Peer,
    /// The user, where a code of theirs failed.
    pub code_of: Option<UserId>,
}

/// Notes a failed try, unless it is one too many.
pub(crate) fn fail<E: From<BytesRef>>(
    identity: &Identity,
    failure: &Failure,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    identity.check_sign_in(&failure.login, failure.peer, now)?;
    if let Some(user) = failure.code_of {
        // As that of a recovery code, so that each try that is taken counts.
        identity.check_codes(user, true, now)?;
    }
    out.push_named(&Infrequent::SignInFailed(*failure));
    Ok(())
}

impl User {
    /// Whether the password was reset by mail, and fewer than five codes failed since.
    pub(crate) fn has_reset(&self) -> bool {
        let failures = &self.code_failures;
        let fifth = failures.len().checked_sub(FAILURES_MAX).and_then(|place| failures.get(place));
        self.reset.is_some_and(|reset| fifth.is_none_or(|fifth| reset > *fifth))
    }
}

impl Identity {
    /// Refuses a try to sign in after too many failures of the address from the peer.
    ///
    /// # Errors
    /// [`Reject::Throttled`].
    pub fn check_sign_in(&self, login: &Digest, peer: Peer, now: Time) -> Result<(), Reject> {
        self.check_limit(Limited::SignIn(*login, peer), now)
    }

    /// Refuses a code of a user after too many that failed, from wherever they came. After too many in a day, a recovery code is taken once
    /// the password was reset.
    ///
    /// # Errors
    /// [`Reject::Throttled`].
    pub fn check_codes(&self, user: UserId, is_recovery: bool, now: Time) -> Result<(), Reject> {
        let user = self.user(user).ok_or(Reject::UnknownUser)?;
        let failures = &user.code_failures;
        let by_day = blocked_until(failures, CODES_A_DAY, DAY, now);
        let by_day = by_day.filter(|_| !(is_recovery && user.has_reset()));
        let by_window = blocked_until(failures, FAILURES_MAX, WINDOW, now);
        match by_day.max(by_window) {
            Some(until) => Err(Reject::Throttled(until)),
            None => Ok(()),
        }
    }

    /// Refuses a mail to an address that got too many.
    pub(crate) fn check_mail_to(&self, login: &Digest, now: Time) -> Result<(), Reject> {
        self.check_limit(Limited::MailTo(*login), now)
    }

    /// Whether an address may get another mail.
    pub fn may_mail(&self, login: &Digest, now: Time) -> bool {
        self.check_mail_to(login, now).is_ok()
    }

    /// Refuses a mail of a peer that asked for too many.
    ///
    /// # Errors
    /// [`Reject::Throttled`].
    pub fn check_mail_of(&self, peer: Peer, now: Time) -> Result<(), Reject> {
        self.check_limit(Limited::MailOf(peer), now)
    }

    /// Refuses a second mail about half sessions of a user in a day.
    pub(crate) fn check_half_mail(&self, user: UserId, now: Time) -> Result<(), Reject> {
        self.check_limit(Limited::HalfMail(user), now)
    }

    /// Refuses a change of a user's preferences right after another one, and one too many in a day.
    ///
    /// # Errors
    /// [`Reject::Throttled`].
    pub fn check_preferences(&self, user: UserId, now: Time) -> Result<(), Reject> {
        let limited = Limited::Preferences(user);
        self.check_limit(limited, now)?;
        let last = self.limited.get(&limited).and_then(|times| times.last());
        match last.map(|last| last.plus(PREFERENCES_APART)).filter(|until| *until > now) {
            Some(until) => Err(Reject::Throttled(until)),
            None => Ok(()),
        }
    }

    fn check_limit(&self, limited: Limited, now: Time) -> Result<(), Reject> {
        let (most, window) = limited.terms();
        let times = self.limited.get(&limited).map(Vec::as_slice).unwrap_or_default();
        blocked_until(times, most, window, now).map_or(Ok(()), |until| Err(Reject::Throttled(until)))
    }

    /// Counts an event against a limit.
    pub(crate) fn count(&mut self, limited: Limited, now: Time) {
        let (most, window) = limited.terms();
        let times = self.limited.entry(limited).or_default();
        let before = times.last().map(|last| last.plus(window));
        times.push(now);
        if times.len() > most {
            times.remove(0);
        }
        if let Some(before) = before {
            self.expiries.remove(&(before, Expiring::Limit(limited)));
        }
        self.expiries.insert((now.plus(window), Expiring::Limit(limited)));
    }

    /// Counts a failed try.
    pub(crate) fn note_failure(&mut self, failure: &Failure, now: Time) {
        self.count(Limited::SignIn(failure.login, failure.peer), now);
        let user = failure.code_of.and_then(|user| self.users.get_mut(user.index()));
        if let Some(user) = user {
            user.code_failures.push(now);
            if user.code_failures.len() > CODES_A_DAY {
                user.code_failures.remove(0);
            }
        }
    }

    /// When the events of a limit are forgotten.
    pub(crate) fn limit_ends(limited: Limited, times: &[Time]) -> Option<Time> {
        times.last().map(|last| last.plus(limited.terms().1))
    }
}
