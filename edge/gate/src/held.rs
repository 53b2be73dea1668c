//! Callers without a key: apps with an access token, and browsers.
//!
//! The exchange's state knows them; the gate keeps only how much of their rate they have used, one entry a session.
//!
//! Clauses: `OAUTH-020`, `OAUTH-022`, `OAUTH-026`, `LIM-002`.

use crate::rate::{Allowance, Bucket, Limits};
use crate::{Reason, Refusal};
use buttonwood_access::Owner;
use buttonwood_model::{AccountId, GroupId, Nonce, Roles, Scopes, SessionId};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The SHA-256 of an access token's text.
pub type TokenHash = [u8; 32];

/// Characters of an access token: 256 bits in base64url, without padding.
const TOKEN_LENGTH: usize = 43;

/// The session of a grant or of a browser, as the exchange's state has it at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its session, which is apart from those of keys.
    pub session: SessionId,
    /// The account of a grant; the group of a browser's user.
    pub owner: Owner,
    /// The roles that its user has now.
    pub roles: Roles,
    /// The group of its user.
    pub group: Option<GroupId>,
    /// The account on which a call acts that names none: a browser's chosen one.
    pub chosen: Option<AccountId>,
    /// An access token or a browser.
    pub kind: HeldKind,
}

/// The kinds of callers without a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldKind {
    /// An app with an access token.
    Token {
        /// The scopes of the token.
        scopes: Scopes,
        /// The number of the token in its grant.
        number: u64,
        /// The `client_id` of the app.
        client: Box<str>,
    },
    /// A signed-in browser.
    Browser,
}

impl Held {
    /// The nonce of its commands: the number of the token, or zero for a browser. Neither is ever used up.
    pub(crate) fn nonce(&self) -> Nonce {
        match &self.kind {
            HeldKind::Token { number, .. } => Nonce::number(*number),
            HeldKind::Browser => Nonce::default(),
        }
    }
}

impl Held {
    /// The scopes of its access token; none of a browser.
    pub(crate) fn scopes(&self) -> Option<Scopes> {
        match self.kind {
            HeldKind::Token { scopes, .. } => Some(scopes),
            HeldKind::Browser => None,
        }
    }
}

/// A caller without a key, with its share of the rate.
#[derive(Clone, Debug)]
pub(crate) struct HeldCaller {
    pub(crate) held: Held,
    pub(crate) allowance: Arc<Allowance>,
    /// The access token by which it is found again; none for a browser.
    pub(crate) token: Option<TokenHash>,
}

/// The hash of an access token's text, if that has the form of a token.
pub(crate) fn token_hash(text: &[u8]) -> Option<TokenHash> {
    let is_of_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (text.len() == TOKEN_LENGTH && text.iter().all(is_of_token)).then(|| Sha256::digest(text).into())
}

/// The refusal of a token that no live grant has (D-137). Its answer carries `WWW-Authenticate: Bearer`.
pub(crate) fn dead_token() -> Refusal {
    Refusal::new(Reason::InvalidAccessToken, "The access token is unknown, expired or revoked")
}

/// Sessions kept before the first search for idle ones.
const FEW: usize = 1024;
/// A search is not repeated before this time: in a large table it costs milliseconds.
const SEARCH_EVERY: Duration = Duration::from_secs(1);

/// The buckets of each session without a key. Full buckets are dropped, since new ones are the same, so that the table
/// grows with the sessions that call, and not with those that ever did.
#[derive(Debug)]
pub(crate) struct HeldAllowances {
    limits: Limits,
    sessions: Mutex<Sessions>,
}

#[derive(Debug)]
struct Sessions {
    allowances: HashMap<SessionId, Arc<Allowance>>,
    /// The number of sessions that starts the next search for idle ones.
    search_at: usize,
    /// No search before this moment.
    rested_at: Duration,
}

impl HeldAllowances {
    #[expect(clippy::large_types_passed_by_value, reason = "it is moved once, at the start")]
    pub(crate) fn new(limits: Limits) -> Self {
        let sessions = Sessions { allowances: HashMap::new(), search_at: FEW, rested_at: Duration::ZERO };
        Self { limits, sessions: Mutex::new(sessions) }
    }

    /// The allowance of a session. `account` is the bucket of its account, taken for a session that has none yet.
    pub(crate) fn of(
        &self,
        session: SessionId,
        account: impl FnOnce() -> Arc<Bucket>,
        now: Duration,
    ) -> Arc<Allowance> {
        let mut sessions = self.sessions.lock();
        if sessions.allowances.len() >= sessions.search_at && now >= sessions.rested_at {
            // A call that is under way still holds its allowance.
            sessions
                .allowances
                .retain(|_, allowance| Arc::strong_count(allowance) > 1 || !allowance.is_full(now));
            sessions.search_at = (sessions.allowances.len() * 2).max(FEW);
            sessions.rested_at = now.saturating_add(SEARCH_EVERY);
        }
        let known = sessions.allowances.entry(session);
        Arc::clone(known.or_insert_with(|| Arc::new(Allowance::new(&self.limits, account()))))
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.sessions.lock().allowances.len()
    }
}

#[cfg(test)]
mod tests;
