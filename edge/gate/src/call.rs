//! An admitted call, and the caller that makes it: a key, an access token or a browser.

use crate::held::{HeldCaller, dead_token};
use crate::rate::{Admit, Allowance};
use crate::roles::{missing_role, missing_scope};
use crate::{Held, HeldKind, Key, Kind, KnownKey, Owner, Payload, Reason, Refusal};
use buttonwood_model::{AccountId, GroupId, Nonce, Roles, Scopes, SessionId};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// The caller. A held one is boxed: calls are moved, and most of them are of keys.
#[derive(Debug)]
pub(crate) enum Who {
    Key(Arc<KnownKey>),
    Held(Box<HeldCaller>),
}

/// An admitted request. The nonce of a key is used, even if the request is refused later.
#[derive(Debug)]
pub struct Call {
    pub(crate) who: Who,
    /// The nonce of its command: that of a key, to journal; the number of an access token in its grant; zero of a browser.
    pub nonce: Nonce,
    /// The fields of the request.
    pub payload: Payload,
    /// How long it waits for its turn in the rate queue; zero if it need not wait.
    pub wait: Duration,
    /// The key's count of nonce resets, read before this nonce was taken.
    pub(crate) resets: u64,
}

impl Call {
    /// The call of a caller without a key.
    pub(crate) fn held(caller: HeldCaller, payload: Payload, wait: Duration) -> Self {
        let nonce = caller.held.nonce();
        Self { who: Who::Held(Box::new(caller)), nonce, payload, wait, resets: 0 }
    }

    /// The call of a key over its socket, which uses no nonce.
    pub(crate) fn over(known: Arc<KnownKey>, payload: Payload) -> Self {
        let resets = known.nonces().resets();
        Self { who: Who::Key(known), nonce: Nonce::default(), payload, wait: Duration::ZERO, resets }
    }

    /// The key that signed it; none for access tokens and browsers.
    pub fn key(&self) -> Option<&Key> {
        match &self.who {
            Who::Key(known) => Some(&known.key),
            Who::Held(_) => None,
        }
    }

    /// The caller, if it has no key.
    pub fn holder(&self) -> Option<&Held> {
        match &self.who {
            Who::Key(_) => None,
            Who::Held(caller) => Some(&caller.held),
        }
    }

    /// Whether an access token makes it.
    pub fn is_token(&self) -> bool {
        self.scopes().is_some()
    }

    /// The session that sends its command.
    pub fn session(&self) -> SessionId {
        match &self.who {
            Who::Key(known) => known.key.session,
            Who::Held(caller) => caller.held.session,
        }
    }

    /// The account or the group that the caller acts for.
    pub fn owner(&self) -> Owner {
        match &self.who {
            Who::Key(known) => known.key.owner,
            Who::Held(caller) => caller.held.owner,
        }
    }

    /// The roles of the key, or those that the user has now.
    pub fn roles(&self) -> Roles {
        match &self.who {
            Who::Key(known) => known.key.roles,
            Who::Held(caller) => caller.held.roles,
        }
    }

    /// The group of the caller.
    pub fn group(&self) -> Option<GroupId> {
        match &self.who {
            Who::Key(known) => known.key.group,
            Who::Held(caller) => caller.held.group,
        }
    }

    /// The account on which it acts if it names none: the one that a browser's user chose.
    pub fn chosen(&self) -> Option<AccountId> {
        self.holder()?.chosen
    }

    /// The scopes of its access token; none for keys and browsers.
    pub fn scopes(&self) -> Option<Scopes> {
        self.holder()?.scopes()
    }

    /// The caller as messages name it.
    pub fn name(&self) -> String {
        match &self.who {
            Who::Key(known) => format!("API key {}", known.key.api_key),
            Who::Held(caller) => match &caller.held.kind {
                HeldKind::Token { client, .. } => format!("the access token of app {client}"),
                HeldKind::Browser => "your user".to_owned(),
            },
        }
    }

    /// Whether the key's nonces were reset after this call was admitted. If the call used its nonce now, it would block
    /// lower nonces that the key sends after the reset.
    pub fn is_overtaken(&self) -> bool {
        match &self.who {
            Who::Key(known) => known.nonces().resets() != self.resets,
            Who::Held(_) => false,
        }
    }

    /// Refuses a call while its caller has had too many refused.
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn check_refused(&self, now: Duration) -> Result<(), Refusal> {
        match self.allowance().check_refused(now) {
            Admit::Refuse { retry_after } => Err(Refusal::rate_limit(retry_after)),
            Admit::Now | Admit::Wait(_) => Ok(()),
        }
    }

    /// Notes that the call was refused after all. Refused calls have a limit of their own, since those of keys cost a
    /// write to the disk each; cancels never have one.
    pub fn note_refused(&self, kind: Kind, now: Duration) {
        if kind == Kind::Write {
            self.allowance().note_refused(now);
        }
    }

    pub(crate) fn allowance(&self) -> &Allowance {
        match &self.who {
            Who::Key(known) => &known.allowance,
            Who::Held(caller) => &caller.allowance,
        }
    }

    /// Puts the caller as it is now in the place of the one that was admitted, after the call has waited for its turn. The call
    /// of a key stays as it is.
    pub fn renew(&mut self, held: Held) {
        if let Who::Held(caller) = &mut self.who {
            self.nonce = held.nonce();
            caller.held = held;
        }
    }

    /// Refuses a key at an address that it, or its group, may not call from.
    ///
    /// # Errors
    /// `ApiKeyIpFilteringFailure`, `RemoteAddressForbidden`.
    pub fn check_address(&self, address: IpAddr) -> Result<(), Refusal> {
        match &self.who {
            Who::Key(known) => known.check_address(address),
            Who::Held(_) => Ok(()),
        }
    }

    /// Refuses a caller that has none of `needed` (ERR-002).
    ///
    /// # Errors
    /// `MissingRole`.
    pub fn require(&self, needed: Roles) -> Result<(), Refusal> {
        if self.roles().allows(needed) { Ok(()) } else { Err(self.missing_role(needed)) }
    }

    /// Refuses an access token that has none of `needed`, and any token where none is needed (OAUTH-026, OAUTH-040).
    ///
    /// # Errors
    /// `MissingRole`, with the scopes needed and held.
    pub fn require_scope(&self, needed: Scopes) -> Result<(), Refusal> {
        match self.scopes() {
            Some(scopes) if !scopes.allows(needed) => Err(missing_scope(&self.name(), scopes, needed)),
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses a caller of one account where one of a whole group with one of `needed` is needed (D-10).
    ///
    /// # Errors
    /// `MissingRole`.
    pub fn require_master(&self, needed: Roles) -> Result<(), Refusal> {
        match self.owner() {
            Owner::Group(_) => Ok(()),
            Owner::Account(_) => {
                let caller = if self.is_token() { "an access token" } else { "an account key" };
                Err(self.missing_role(needed).and(&format!("{caller} may not call it")))
            }
        }
    }

    /// Refuses keys and browsers where only an access token may call (OAUTH-025).
    ///
    /// # Errors
    /// `MissingRole`.
    pub fn require_token(&self) -> Result<(), Refusal> {
        if self.is_token() {
            return Ok(());
        }
        Err(self.missing_role(Roles::NONE).and("only an access token may call it"))
    }

    /// The refusal of a caller that the core no longer knows; with `message` if it is a key (AUTH-011, D-137).
    pub fn ended(&self, message: &str) -> Refusal {
        match &self.who {
            Who::Key(_) => Refusal::new(Reason::InvalidApiKey, message),
            Who::Held(_) if self.is_token() => dead_token(),
            Who::Held(_) => Refusal::new(Reason::SignInRequired, "The session has ended; sign in again"),
        }
    }

    fn missing_role(&self, needed: Roles) -> Refusal {
        missing_role(&self.name(), self.roles(), needed)
    }
}
