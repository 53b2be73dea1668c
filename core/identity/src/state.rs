//! The tables of this room.

use crate::expiry::Expiring;
use crate::throttle::Limited;
use crate::{App, AppId, Browser, Code, Digest, Grant, Reject, Reset, SignUp, Stop, User, UserId};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use buttonwood_model::{SessionId, Time};
use serde::{Deserialize, Serialize};

/// Sessions of browsers and grants that the exchange gives at most.
const SESSIONS_MAX: u32 = (1 << 31) - 1;

/// Users, browsers, apps, codes and grants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub(crate) users: Vec<User>,
    /// Sign-ups by the SHA-256 of the token in their link.
    pub(crate) sign_ups: BTreeMap<Digest, SignUp>,
    /// Links that set another password, by the SHA-256 of their token.
    pub(crate) resets: BTreeMap<Digest, Reset>,
    pub(crate) browsers: BTreeMap<SessionId, Browser>,
    pub(crate) apps: BTreeMap<AppId, App>,
    /// Codes that were not used, by their SHA-256.
    pub(crate) codes: BTreeMap<Digest, Code>,
    pub(crate) grants: BTreeMap<SessionId, Grant>,
    /// The times of the events that count against a limit, the oldest first.
    pub(crate) limited: BTreeMap<Limited, Vec<Time>>,
    /// Challenges that passkeys signed, by their SHA-256, with the time at which they end.
    pub(crate) challenges: BTreeMap<Digest, Time>,
    /// Links that end all sessions of a user, by the SHA-256 of their token.
    pub(crate) stops: BTreeMap<Digest, Stop>,
    /// The number of the next session.
    pub(crate) next_held: u32,
    /// Derived: users by the SHA-256 of their address.
    #[serde(skip)]
    pub(crate) by_login: BTreeMap<Digest, UserId>,
    /// Derived: browsers by the SHA-256 of their cookie.
    #[serde(skip)]
    pub(crate) cookies: BTreeMap<Digest, SessionId>,
    /// Derived: access tokens by their SHA-256, with the number in the grant.
    #[serde(skip)]
    pub(crate) tokens: BTreeMap<Digest, (SessionId, u64)>,
    /// Derived: refresh tokens, live or consumed, by their SHA-256.
    #[serde(skip)]
    pub(crate) refreshes: BTreeMap<Digest, SessionId>,
    /// Derived: codes that were used, by their SHA-256, as long as their grant lives.
    #[serde(skip)]
    pub(crate) used_codes: BTreeMap<Digest, SessionId>,
    /// Derived: users by the SHA-256 of the id of a passkey's credential.
    #[serde(skip)]
    pub(crate) passkeys: BTreeMap<Digest, UserId>,
    /// Derived: what ends by the clock, the earliest first.
    #[serde(skip)]
    pub(crate) expiries: BTreeSet<(Time, Expiring)>,
}

impl Identity {
    /// Every user, the oldest first.
    pub fn users(&self) -> &[User] {
        &self.users
    }

    /// A user.
    pub fn user(&self, id: UserId) -> Option<&User> {
        self.users.get(id.index())
    }

    /// A user who is an operator and may act as one.
    pub fn operator(&self, id: UserId) -> Option<&User> {
        self.user(id).filter(|user| user.is_operator && !user.is_disabled)
    }

    /// The user with an address.
    pub fn find_user(&self, login: &Digest) -> Option<UserId> {
        self.by_login.get(login).copied()
    }

    /// An app.
    pub fn app(&self, id: AppId) -> Option<&App> {
        self.apps.get(&id)
    }

    /// Every app.
    pub fn apps(&self) -> impl Iterator<Item = &App> {
        self.apps.values()
    }

    /// A grant.
    pub fn grant(&self, session: SessionId) -> Option<&Grant> {
        self.grants.get(&session)
    }

    /// Every grant.
    pub fn grants(&self) -> impl Iterator<Item = (SessionId, &Grant)> {
        self.grants.iter().map(|(id, grant)| (*id, grant))
    }

    /// The grant whose live refresh token this is.
    pub fn find_refresh(&self, digest: &Digest) -> Option<(SessionId, &Grant)> {
        let session = *self.refreshes.get(digest)?;
        let grant = self.grants.get(&session).filter(|grant| grant.refresh == Some(*digest))?;
        Some((session, grant))
    }

    /// A browser that has not ended.
    pub fn browser(&self, session: SessionId, now: Time) -> Option<&Browser> {
        self.browsers.get(&session).filter(|browser| now < browser.ends())
    }

    /// Every browser that was not forgotten.
    pub fn browsers(&self) -> impl Iterator<Item = (SessionId, &Browser)> {
        self.browsers.iter().map(|(id, browser)| (*id, browser))
    }

    /// The browsers that were opened since the count of sessions was this.
    pub fn browsers_from(&self, count: u32) -> impl Iterator<Item = SessionId> {
        self.browsers.range(SessionId::held(count)..).map(|(session, _)| *session)
    }

    /// How many sessions of browsers and grants there were.
    pub fn next_held(&self) -> u32 {
        self.next_held
    }

    /// The browser with a cookie.
    pub fn find_browser(&self, cookie: &Digest, now: Time) -> Option<(SessionId, &Browser)> {
        let session = *self.cookies.get(cookie)?;
        self.browser(session, now).map(|browser| (session, browser))
    }

    /// A sign-up by the token of its link.
    pub fn sign_up(&self, token: &Digest, now: Time) -> Option<&SignUp> {
        self.sign_ups.get(token).filter(|it| now < it.ends)
    }

    /// Whether a sign-up was not forgotten, by the token of its link.
    pub fn has_sign_up(&self, token: &Digest) -> bool {
        self.sign_ups.contains_key(token)
    }

    /// Every sign-up that was not forgotten.
    pub fn sign_ups(&self) -> impl ExactSizeIterator<Item = &SignUp> {
        self.sign_ups.values()
    }

    /// A link that sets another password.
    pub fn reset(&self, token: &Digest, now: Time) -> Option<&Reset> {
        self.resets.get(token).filter(|it| now < it.ends)
    }

    /// A code that was not used; tests look at it.
    pub fn code(&self, digest: &Digest) -> Option<&Code> {
        self.codes.get(digest)
    }

    /// Refuses another session once every id was given; none is given twice.
    pub(crate) fn check_ids(&self) -> Result<(), Reject> {
        if self.next_held < SESSIONS_MAX { Ok(()) } else { Err(Reject::NoIds) }
    }

    /// The session that the next browser or grant gets.
    pub(crate) fn next_session(&mut self) -> SessionId {
        let session = SessionId::held(self.next_held);
        self.next_held = self.next_held.saturating_add(1);
        session
    }

    /// Rebuilds what is derived.
    pub(crate) fn derive(&mut self) {
        let users = self.users.iter().enumerate();
        self.by_login = users.map(|(place, user)| (user.login, UserId::from_index(place))).collect();
        self.cookies = self.browsers.iter().map(|(id, browser)| (browser.cookie, *id)).collect();
        self.tokens.clear();
        self.refreshes.clear();
        self.used_codes.clear();
        for (id, grant) in &self.grants {
            self.tokens.extend(grant.tokens.iter().map(|token| (token.digest, (*id, token.number))));
            let consumed = grant.consumed.iter().map(|(digest, _)| digest);
            self.refreshes.extend(grant.refresh.iter().chain(consumed).map(|digest| (*digest, *id)));
            self.used_codes.extend(grant.code.iter().map(|code| (*code, *id)));
        }
        let owned = |(place, user): (usize, &User)| {
            let id = UserId::from_index(place);
            user.passkeys.iter().map(move |passkey| (passkey.credential, id)).collect::<Vec<_>>()
        };
        self.passkeys = self.users.iter().enumerate().flat_map(owned).collect();
        self.expiries = self.all_expiries().collect();
    }
}
