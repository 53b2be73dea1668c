//! Links that end all sessions of a user: mailed when another authenticator was enrolled or a recovery code was used.

use crate::expiry::Expiring;
use crate::{Digest, Identity, Infrequent, Peer, Reject, UserId};
use alloc::vec::Vec;
use buttonwood_access::Access;
use buttonwood_model::{BytesRef, Outbox, SessionId, Time};
use serde::{Deserialize, Serialize};

/// How long a link ends all sessions, in microseconds: 24 hours.
pub const STOP_AGE: u64 = 24 * 3_600 * Time::SECOND;
/// Links of a user at most. A later mail has none, so that a thief pushes out no link that the owner has.
pub const STOPS_MAX: usize = 10;

/// A link that ends all sessions of a user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Whose sessions.
    pub user: UserId,
    /// When the link ends.
    pub ends: Time,
    /// The recovery codes that were in force when it was made: the owner has these, also after a thief has enrolled an authenticator,
    /// which draws others.
    pub recovery: Vec<Digest>,
}

/// The effects of a link that ends all sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopSessions {
    /// The SHA-256 of the token in the link.
    pub token: Digest,
    /// The number of the password that was given.
    pub credential: u64,
    /// The SHA-256 of the recovery code that was given.
    pub recovery: Digest,
    /// Where it came from.
    pub peer: Peer,
}

/// Ends all sessions of a user.
pub(crate) fn stop<E: From<BytesRef>>(
    identity: &Identity,
    asked: &StopSessions,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let found = identity.stop(&asked.token, now).ok_or(Reject::BadLink)?;
    let user = identity.user(found.user).filter(|user| user.is_active()).ok_or(Reject::BadLink)?;
    identity.check_sign_in(&user.login, asked.peer, now)?;
    identity.check_codes(found.user, true, now)?;
    if user.credential != asked.credential {
        return Err(Reject::WrongCredential);
    }
    if !found.recovery.contains(&asked.recovery) && !user.recovery.contains(&asked.recovery) {
        return Err(Reject::WrongCode);
    }
    out.push_named(&Infrequent::SessionsStopped(asked.token, asked.recovery));
    Ok(())
}

impl Identity {
    /// A link that ends all sessions of a user.
    pub fn stop(&self, token: &Digest, now: Time) -> Option<&Stop> {
        self.stops.get(token).filter(|it| now < it.ends)
    }

    /// Keeps a link of a browser's user, with the recovery codes that are in force.
    pub(crate) fn note_stop(&mut self, session: SessionId, token: Digest, now: Time) {
        let Some(id) = self.browsers.get(&session).map(|browser| browser.user) else { return };
        let Some(user) = self.users.get_mut(id.index()) else { return };
        let is_new = token != Digest::default() && !self.stops.contains_key(&token);
        if !is_new || user.stops.len() >= STOPS_MAX {
            return;
        }
        user.stops.push(token);
        let made = Stop { user: id, ends: now.plus(STOP_AGE), recovery: user.recovery.clone() };
        self.expiries.insert((made.ends, Expiring::Stop(token)));
        self.stops.insert(token, made);
    }

    pub(crate) fn drop_stop(&mut self, token: &Digest) {
        let Some(ended) = self.stops.remove(token) else { return };
        self.expiries.remove(&(ended.ends, Expiring::Stop(*token)));
        if let Some(user) = self.users.get_mut(ended.user.index()) {
            user.stops.retain(|kept| kept != token);
        }
    }

    /// Ends all sessions of a link's user. Link and recovery code were used.
    pub(crate) fn stop_sessions(&mut self, access: &mut Access, token: &Digest, recovery: Digest) {
        let Some(id) = self.stops.get(token).map(|it| it.user) else { return };
        self.drop_stop(token);
        let Some(user) = self.users.get_mut(id.index()) else { return };
        user.recovery.retain(|kept| *kept != recovery);
        let (browsers, links) = (user.browsers.clone(), user.stops.clone());
        for link in links {
            if let Some(other) = self.stops.get_mut(&link) {
                other.recovery.retain(|kept| *kept != recovery);
            }
        }
        for session in browsers {
            self.end_browser(access, session);
        }
    }
}
