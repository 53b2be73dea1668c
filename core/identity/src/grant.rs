//! Grants: the consent of a user that an app may act for one account, with its access tokens and its family of refresh tokens.
//!
//! Of a family one refresh token is live. Each refresh consumes it and gives the next one (OAUTH-015, RFC 9700 4.14, D-125).

use crate::code::check_grant;
use crate::expiry::Expiring;
use crate::{AppId, Code, Digest, Identity, Infrequent, NewCode, Reject, UserId};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use buttonwood_access::{Access, Owner};
use buttonwood_model::{AccountId, BytesRef, Outbox, Scopes, SessionId, Time};
use serde::{Deserialize, Serialize};

/// How long an access token lives, in microseconds: 24 hours (OAUTH-022).
pub const ACCESS_AGE: u64 = 86_400 * Time::SECOND;
/// Access tokens of a grant at most; another one ends the oldest.
pub const ACCESS_MAX: usize = 10;
/// Consumed refresh tokens that a grant knows, the newest ones.
pub const CONSUMED_MAX: usize = 100;
/// How long after its use a consumed refresh token is that of a client that races itself, in microseconds: ten seconds.
pub const RACE: u64 = 10 * Time::SECOND;
/// Grants of a user at most; another one ends the oldest.
pub const GRANTS_MAX: usize = 100;

/// The consent of a user: an app may act for one account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The app.
    pub app: AppId,
    /// The user.
    pub user: UserId,
    /// The account that its tokens act on (OAUTH-023).
    pub account: AccountId,
    /// The scopes that a refresh may give; a refresh with fewer narrows them for good.
    pub scopes: Scopes,
    /// When the user consented.
    pub created: Time,
    /// The SHA-256 of the live refresh token; none for the implicit flow.
    pub refresh: Option<Digest>,
    /// The SHA-256 of the code that it came from; none without one.
    pub(crate) code: Option<Digest>,
    /// The live access tokens, the oldest first.
    pub(crate) tokens: Vec<Token>,
    /// The consumed refresh tokens and when they were used, the oldest first.
    pub(crate) consumed: VecDeque<(Digest, Time)>,
    /// The number that the next access token gets.
    pub(crate) next: u64,
}

/// An access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its number in the grant, from 1.
    pub number: u64,
    /// Its SHA-256.
    pub digest: Digest,
    /// Its scopes.
    pub scopes: Scopes,
    /// When it ends.
    pub ends: Time,
}

impl Grant {
    /// The live access tokens, the oldest first.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The live access token with a number.
    pub fn token(&self, number: u64, now: Time) -> Option<&Token> {
        self.tokens.iter().find(|token| token.number == number && now < token.ends)
    }
}

/// An app redeems a code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The app, which has shown who it is.
    pub app: AppId,
    /// The SHA-256 of the code.
    pub code: Digest,
    /// The redirect URI that it repeats.
    pub redirect_uri: alloc::string::String,
    /// The SHA-256 of the verifier (RFC 7636); none where it sent none.
    pub verifier: Option<Digest>,
    /// The SHA-256 of the access token to give.
    pub access: Digest,
    /// The SHA-256 of the refresh token to give.
    pub refresh: Digest,
}

/// An app refreshes its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refresh {
    /// The app, which has shown who it is.
    pub app: AppId,
    /// The SHA-256 of the refresh token.
    pub refresh: Digest,
    /// The scopes that it asks for; none for those of the grant.
    pub scopes: Option<Scopes>,
    /// The SHA-256 of the access token to give.
    pub access: Digest,
    /// The SHA-256 of the next refresh token.
    pub next: Digest,
}

/// A grant without a consent: a sandbox's own call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGrant {
    /// The app.
    pub app: AppId,
    /// The user.
    pub user: UserId,
    /// The account.
    pub account: AccountId,
    /// The scopes.
    pub scopes: Scopes,
    /// The SHA-256 of the code that it came from; none without one.
    pub code: Option<Digest>,
    /// The SHA-256 of the access token.
    pub access: Digest,
    /// The SHA-256 of the refresh token; none for the implicit flow.
    pub refresh: Option<Digest>,
}

/// Decides the exchange of a code. A second use of a code ends what the first one gave.
pub(crate) fn exchange<E: From<BytesRef>>(
    identity: &Identity,
    access: &Access,
    asked: &Exchange,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if let Some(session) = identity.used_codes.get(&asked.code) {
        let grant = identity.grants.get(session).filter(|grant| grant.app == asked.app);
        grant.ok_or(Reject::BadGrant)?;
        out.push_named(&Infrequent::GrantEnded(*session));
        return Ok(());
    }
    let code = identity.codes.get(&asked.code).ok_or(Reject::BadGrant)?;
    let is_right = code.app == asked.app
        && now < code.ends
        && code.redirect_uri == asked.redirect_uri
        && code.challenge == asked.verifier;
    if !is_right {
        return Err(Reject::BadGrant);
    }
    let Code { app, user, account, scopes, .. } = *code;
    let new = NewGrant {
        app,
        user,
        account,
        scopes: scopes.grantable(identity.user(user).ok_or(Reject::BadGrant)?.roles),
        code: Some(asked.code),
        access: asked.access,
        refresh: Some(asked.refresh),
    };
    grant(identity, access, &new, out).map_err(|_| Reject::BadGrant)
}

/// Decides a grant.
pub(crate) fn grant<E: From<BytesRef>>(
    identity: &Identity,
    access: &Access,
    new: &NewGrant,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    check_grant(identity, access, (new.app, new.user), new.account, new.scopes)?;
    identity.check_unused(&new.access)?;
    new.refresh.map_or(Ok(()), |refresh| identity.check_unused(&refresh))?;
    identity.check_ids()?;
    out.push_named(&Infrequent::Granted(*new));
    Ok(())
}

/// Decides a refresh. A consumed token that comes later than a race ends its family.
pub(crate) fn refresh<E: From<BytesRef>>(
    identity: &Identity,
    asked: &Refresh,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let session = identity.refreshes.get(&asked.refresh).ok_or(Reject::BadGrant)?;
    let grant = identity.grants.get(session).filter(|grant| grant.app == asked.app);
    let grant = grant.ok_or(Reject::BadGrant)?;
    if grant.refresh != Some(asked.refresh) {
        let used = grant.consumed.iter().find(|(digest, _)| *digest == asked.refresh);
        let (_, used) = used.ok_or(Reject::BadGrant)?;
        if now <= used.plus(RACE) {
            return Err(Reject::BadGrant);
        }
        out.push_named(&Infrequent::GrantEnded(*session));
        return Ok(());
    }
    let scopes = asked.scopes.unwrap_or(grant.scopes);
    if scopes.is_empty() || !scopes.is_within(grant.scopes) {
        return Err(Reject::WiderScope);
    }
    identity.check_unused(&asked.access)?;
    identity.check_unused(&asked.next)?;
    out.push_named(&Infrequent::Refreshed(*session, Refresh { scopes: Some(scopes), ..*asked }));
    Ok(())
}

/// Decides the revocation of a token, by the app it was given to or, without one, by its holder (RFC 7009). A token that is unknown
/// or of another app is left alone.
pub(crate) fn revoke<E: From<BytesRef>>(
    identity: &Identity,
    (app, token): (Option<AppId>, &Digest),
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let is_theirs = |session: &SessionId| {
        identity.grants.get(session).is_some_and(|grant| app.is_none_or(|app| grant.app == app))
    };
    if let Some(session) = identity.refreshes.get(token).filter(|session| is_theirs(session)) {
        out.push_named(&Infrequent::GrantEnded(*session));
    } else if let Some((session, number)) =
        identity.tokens.get(token).filter(|(session, _)| is_theirs(session))
    {
        out.push_named(&Infrequent::TokenEnded(*session, *number));
    }
    Ok(())
}

/// Decides the end of a user's grant.
pub(crate) fn end<E: From<BytesRef>>(
    identity: &Identity,
    (user, session): (UserId, SessionId),
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let grant = identity.grants.get(&session).filter(|grant| grant.user == user);
    grant.ok_or(Reject::UnknownGrant)?;
    out.push_named(&Infrequent::GrantEnded(session));
    Ok(())
}

/// Decides the end of all that the app of a token has of its user and account (D-126).
pub(crate) fn revoke_by_token<E: From<BytesRef>>(
    identity: &Identity,
    session: SessionId,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let grant = identity.grants.get(&session).ok_or(Reject::UnknownGrant)?;
    out.push_named(&Infrequent::ConsentEnded(grant.app, grant.user, grant.account));
    Ok(())
}

impl Identity {
    /// Refuses a token that is known: none is given twice.
    fn check_unused(&self, digest: &Digest) -> Result<(), Reject> {
        let is_known = self.tokens.contains_key(digest) || self.refreshes.contains_key(digest);
        if is_known { Err(Reject::BadGrant) } else { Ok(()) }
    }

    /// Keeps a code, or gives the token of the implicit flow.
    pub(crate) fn note_consent(&mut self, access: &mut Access, new: NewCode, now: Time) {
        let Some(user) = self.browsers.get(&new.browser).map(|browser| browser.user) else { return };
        let NewCode { app, account, scopes, redirect_uri, challenge, code, is_implicit, .. } = new;
        if is_implicit {
            let grant = NewGrant { app, user, account, scopes, code: None, access: code, refresh: None };
            self.note_grant(access, &grant, now);
        } else {
            let ends = now.plus(crate::CODE_AGE);
            self.note_issued(code, Code { app, user, account, scopes, redirect_uri, challenge, ends });
        }
    }

    /// Keeps a grant with its first tokens. Beyond the most grants of a user, the oldest ends.
    pub(crate) fn note_grant(&mut self, access: &mut Access, new: &NewGrant, now: Time) {
        let Some(user) = self.users.get(new.user.index()) else { return };
        let roles = user.roles;
        let surplus: Vec<SessionId> =
            user.grants.iter().rev().skip(GRANTS_MAX.saturating_sub(1)).copied().collect();
        for session in surplus {
            self.end_grant(access, session);
        }
        if let Some(code) = new.code {
            self.drop_code(&code);
        }
        let session = self.next_session();
        let mut grant = Grant {
            app: new.app,
            user: new.user,
            account: new.account,
            scopes: new.scopes,
            created: now,
            refresh: new.refresh,
            code: new.code,
            tokens: Vec::new(),
            consumed: VecDeque::new(),
            next: 1,
        };
        self.give(session, &mut grant, new.access, now);
        if let Some(refresh) = new.refresh {
            self.refreshes.insert(refresh, session);
        }
        if let Some(code) = new.code {
            self.used_codes.insert(code, session);
        }
        self.grants.insert(session, grant);
        if let Some(user) = self.users.get_mut(new.user.index()) {
            user.grants.push(session);
        }
        access.hold(session, Owner::Account(new.account), roles);
    }

    /// Gives a grant an access token; beyond the most, the oldest ends.
    fn give(&mut self, session: SessionId, grant: &mut Grant, digest: Digest, now: Time) {
        let token = Token { number: grant.next, digest, scopes: grant.scopes, ends: now.plus(ACCESS_AGE) };
        grant.next = grant.next.saturating_add(1);
        if grant.tokens.len() >= ACCESS_MAX {
            let oldest = grant.tokens.remove(0);
            self.forget_token(session, &oldest);
        }
        self.tokens.insert(digest, (session, token.number));
        self.expiries.insert((token.ends, Expiring::Token(session, token.number)));
        grant.tokens.push(token);
    }

    /// Consumes the live refresh token, and gives the next ones.
    pub(crate) fn note_refresh(&mut self, session: SessionId, asked: &Refresh, now: Time) {
        let Some(mut grant) = self.grants.remove(&session) else { return };
        grant.scopes = asked.scopes.unwrap_or(grant.scopes);
        grant.consumed.push_back((asked.refresh, now));
        if grant.consumed.len() > CONSUMED_MAX
            && let Some((oldest, _)) = grant.consumed.pop_front()
        {
            self.refreshes.remove(&oldest);
        }
        grant.refresh = Some(asked.next);
        self.refreshes.insert(asked.next, session);
        self.give(session, &mut grant, asked.access, now);
        self.grants.insert(session, grant);
    }

    fn forget_token(&mut self, session: SessionId, token: &Token) {
        self.tokens.remove(&token.digest);
        self.expiries.remove(&(token.ends, Expiring::Token(session, token.number)));
    }

    /// Ends an access token; a grant of the implicit flow ends with its token.
    pub(crate) fn end_token(&mut self, access: &mut Access, session: SessionId, number: u64) {
        let Some(grant) = self.grants.get_mut(&session) else { return };
        let Some(place) = grant.tokens.iter().position(|token| token.number == number) else { return };
        let token = grant.tokens.remove(place);
        let is_over = grant.tokens.is_empty() && grant.refresh.is_none();
        self.forget_token(session, &token);
        if is_over {
            self.end_grant(access, session);
        }
    }

    /// Ends a grant with all its tokens for good.
    pub(crate) fn end_grant(&mut self, access: &mut Access, session: SessionId) {
        let Some(grant) = self.grants.remove(&session) else { return };
        for token in &grant.tokens {
            self.forget_token(session, token);
        }
        for digest in grant.refresh.iter().chain(grant.consumed.iter().map(|(digest, _)| digest)) {
            self.refreshes.remove(digest);
        }
        if let Some(code) = grant.code {
            self.used_codes.remove(&code);
        }
        if let Some(user) = self.users.get_mut(grant.user.index()) {
            user.grants.retain(|kept| *kept != session);
        }
        access.let_go(session);
    }

    /// Ends all that an app has of a user and an account.
    pub(crate) fn end_consent(&mut self, access: &mut Access, of: (AppId, UserId, AccountId)) {
        self.end_grants(access, |grant| (grant.app, grant.user, grant.account) == of);
        self.end_codes(|code| (code.app, code.user, code.account) == of);
    }
}
