//! Whether a token or a browser may send a command. A command's stamp decides what has expired.

use crate::{AppId, Browser, Command, Digest, Identity, Stage, UserId};
use buttonwood_access::{Access, Caller, Owner, Reject, admit_held};
use buttonwood_model::{AccountId, GroupId, Nonce, Roles, Scopes, SessionId, Time};

/// The holder of an access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenHolder {
    /// The session of its grant.
    pub session: SessionId,
    /// The app.
    pub app: AppId,
    /// The user.
    pub user: UserId,
    /// The account that it acts on.
    pub account: AccountId,
    /// The group of the account.
    pub group: Option<GroupId>,
    /// The rights of the user now.
    pub roles: Roles,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// The number of the token in its grant: a command's `nonce`.
    pub number: u64,
}

/// A browser that is fully signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrowserHolder {
    /// Its session.
    pub session: SessionId,
    /// The user.
    pub user: UserId,
    /// The group; none for an operator, who does not trade.
    pub group: Option<GroupId>,
    /// The rights of the user now.
    pub roles: Roles,
    /// The account that calls without `account` act on.
    pub account: Option<AccountId>,
    /// Whether a code was given less than five minutes ago.
    pub is_fresh: bool,
}

impl Identity {
    /// The holder of a live access token. The edge asks the published state on every call.
    pub fn find_token(&self, digest: &Digest, now: Time) -> Option<TokenHolder> {
        let (session, number) = *self.tokens.get(digest)?;
        let grant = self.grants.get(&session)?;
        let token = grant.token(number, now)?;
        let user = self.user(grant.user)?;
        Some(TokenHolder {
            session,
            app: grant.app,
            user: grant.user,
            account: grant.account,
            group: user.group,
            roles: user.roles,
            scopes: token.scopes,
            number,
        })
    }

    /// The holder of a browser's session that is fully signed in.
    pub fn holder(&self, session: SessionId, now: Time) -> Option<BrowserHolder> {
        let browser = self.browser(session, now).filter(|browser| browser.stage == Stage::Full)?;
        self.holder_of(session, browser, now)
    }

    /// Whether a command of these secrets can do anything but be refused, or leave all as it is: the code, the refresh token or the token to
    /// revoke is known, used ones included. A secret is published before its holder learns it, so the published state knows all that a client
    /// may hold. True for every other command.
    pub fn may_answer(&self, command: &Command) -> bool {
        if let Command::Exchange(asked) = command {
            self.codes.contains_key(&asked.code) || self.used_codes.contains_key(&asked.code)
        } else if let Command::Refresh(asked) = command {
            self.refreshes.contains_key(&asked.refresh)
        } else if let Command::Revoke(_, token) = command {
            self.tokens.contains_key(token) || self.refreshes.contains_key(token)
        } else {
            true
        }
    }

    fn holder_of(&self, session: SessionId, browser: &Browser, now: Time) -> Option<BrowserHolder> {
        let user = self.user(browser.user)?;
        Some(BrowserHolder {
            session,
            user: browser.user,
            group: user.group,
            roles: user.roles,
            account: browser.account,
            is_fresh: browser.is_fresh(now),
        })
    }

    /// Checks the session of a grant or a browser: that it lives at the command's time, the account, the scope of a token and the role, in this
    /// order (D-05, INV-AUTH-4).
    ///
    /// # Errors
    /// The first [`Reject`].
    pub fn admit(
        &self,
        access: &Access,
        caller: &Caller,
        (roles, scopes): (Roles, Scopes),
        now: Time,
    ) -> Result<(), Reject> {
        if let Some(grant) = self.grants.get(&caller.session) {
            let is_named = |number: &u64| Nonce::number(*number) == caller.nonce;
            let mut tokens = grant.tokens.iter().filter(|token| now < token.ends);
            let token = tokens.find(|token| is_named(&token.number)).ok_or(Reject::UnknownSession)?;
            admit_held(access, caller, roles)?;
            return if token.scopes.allows(scopes) {
                Ok(())
            } else {
                Err(Reject::MissingScope(token.scopes))
            };
        }
        let browser = self.browser(caller.session, now).ok_or(Reject::UnknownSession)?;
        if browser.stage != Stage::Full {
            return Err(Reject::UnknownSession);
        }
        admit_held(access, caller, roles)
    }

    /// The owner of the session of a grant or a browser.
    pub fn owner_of(&self, session: SessionId) -> Option<Owner> {
        if let Some(grant) = self.grants.get(&session) {
            return Some(Owner::Account(grant.account));
        }
        let user = self.user(self.browsers.get(&session)?.user)?;
        user.group.map(Owner::Group)
    }
}
