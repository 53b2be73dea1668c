//! Authorization codes (OAUTH-010 to OAUTH-012).

use crate::expiry::Expiring;
use crate::{AppId, Digest, Identity, Infrequent, Reject, UserId};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_access::Access;
use buttonwood_model::{AccountId, BytesRef, Outbox, Scopes, SessionId, Time};
use serde::{Deserialize, Serialize};

/// How long a code lives, in microseconds: ten minutes (D-124).
pub const CODE_AGE: u64 = 600 * Time::SECOND;

/// An authorization code that was issued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// The app that it was issued to.
    pub app: AppId,
    /// The user who consented.
    pub user: UserId,
    /// The account that its tokens act on.
    pub account: AccountId,
    /// The scopes that the user granted.
    pub scopes: Scopes,
    /// The redirect URI as the app used it; the token request must repeat it.
    pub redirect_uri: String,
    /// The challenge (RFC 7636), decoded; none where the app sent none.
    pub challenge: Option<Digest>,
    /// When it ends.
    pub ends: Time,
}

/// A consent: the code that it gives, or the token where `code` is one of the implicit flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewCode {
    /// The browser in which the user consented.
    pub browser: SessionId,
    /// The app.
    pub app: AppId,
    /// The account that the tokens act on.
    pub account: AccountId,
    /// The scopes that the user granted.
    pub scopes: Scopes,
    /// The redirect URI as the app used it.
    pub redirect_uri: String,
    /// The challenge (RFC 7636), decoded.
    pub challenge: Option<Digest>,
    /// The SHA-256 of the code, or of the access token.
    pub code: Digest,
    /// Whether it is an access token of the implicit flow.
    pub is_implicit: bool,
}

/// Refuses a grant that the app, the user or the account may not have.
pub(crate) fn check_grant(
    identity: &Identity,
    access: &Access,
    (app, user): (AppId, UserId),
    account: AccountId,
    scopes: Scopes,
) -> Result<(), Reject> {
    let app = identity.app(app).ok_or(Reject::UnknownApp)?;
    let granting = identity.user(user).filter(|user| user.is_active()).ok_or(Reject::UnknownUser)?;
    if !app.is_reviewed && app.new.owner != user {
        return Err(Reject::NotReviewed);
    }
    let is_own = access.account(account).is_some_and(|account| account.group == granting.group);
    if granting.group.is_none() || !is_own || access.is_closed(account) {
        return Err(Reject::ForeignAccount);
    }
    let may_have = app.new.scopes.grantable(granting.roles);
    if scopes.is_empty() || !scopes.is_within(may_have) {
        return Err(Reject::WiderScope);
    }
    Ok(())
}

/// Decides a consent.
pub(crate) fn issue<E: From<BytesRef>>(
    identity: &Identity,
    access: &Access,
    new: &NewCode,
    now: Time,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let browser = identity.browser(new.browser, now).ok_or(Reject::UnknownBrowser)?;
    if browser.stage != crate::Stage::Full {
        return Err(Reject::WrongStage);
    }
    check_grant(identity, access, (new.app, browser.user), new.account, new.scopes)?;
    if !browser.is_fresh(now) && new.scopes.iter().any(buttonwood_model::Scope::needs_code) {
        return Err(Reject::CodeRequired);
    }
    let is_known = identity.codes.contains_key(&new.code) || identity.tokens.contains_key(&new.code);
    if is_known || new.is_implicit && !identity.app(new.app).is_some_and(|app| app.is_implicit) {
        return Err(Reject::BadGrant);
    }
    identity.check_ids()?;
    out.push_named(&Infrequent::CodeIssued(new.clone()));
    Ok(())
}

impl Identity {
    /// Keeps a code that was issued.
    pub(crate) fn note_issued(&mut self, digest: Digest, code: Code) {
        self.expiries.insert((code.ends, Expiring::Code(digest)));
        self.codes.insert(digest, code);
    }

    /// Forgets a code.
    pub(crate) fn drop_code(&mut self, digest: &Digest) -> Option<Code> {
        let code = self.codes.remove(digest)?;
        self.expiries.remove(&(code.ends, Expiring::Code(*digest)));
        Some(code)
    }

    /// Ends some of the codes that were not used.
    pub(crate) fn end_codes(&mut self, is_one: impl Fn(&Code) -> bool) {
        let ended = self.codes.iter().filter(|(_, code)| is_one(code));
        let ended: Vec<Digest> = ended.map(|(digest, _)| *digest).collect();
        for digest in ended {
            self.drop_code(&digest);
        }
    }
}
