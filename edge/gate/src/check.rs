//! The gate's checks in the order of D-05.
//!
//! Clauses: `AUTH-002`, `AUTH-004`, `AUTH-007`, `AUTH-008`, `AUTH-011`, `AUTH-014`, `SES-006`, `SES-012`, `SES-013`.
//! Before: path, method, framing and size. After: account, role, parameters, market state, funds.

use crate::nonce::Rule;
use crate::rate::Addresses;
use crate::refusal::quoted;
use crate::signature::{self, Tag};
use crate::{Admit, HeaderNames, Key, KeyTable, KnownKey, Limits, Payload, Reason, Refusal, Value};
use buttonwood_model::{Nonce, Roles, Time};
use http::HeaderMap;
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// What kind of call a route is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only reads.
    Reads,
    /// It changes state.
    Changes,
    /// It takes orders out: changes state, with reserved capacity (D-04).
    Cancels,
    /// It only says that the caller is there, with reserved capacity (D-04).
    Beats,
}

/// A private request before anything about it is known.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The path as called, letter by letter.
    pub path: &'a str,
    /// The query string after the question mark, where the route documents one; elsewhere none (D-03).
    pub query: Option<&'a str>,
    /// All headers.
    pub headers: &'a HeaderMap,
    /// What kind of call the route is.
    pub kind: Kind,
}

/// A request that may act: its nonce is used, whatever comes of it.
#[derive(Debug)]
pub struct Call {
    /// The key that signed it.
    pub known: Arc<KnownKey>,
    /// The nonce to journal; none for callers that need none (bearer tokens).
    pub nonce: Option<Nonce>,
    /// What it asks.
    pub payload: Payload,
    /// Its turn in the rate queue: how long to wait before acting, zero when it need not.
    pub wait: Duration,
    /// How often the key's nonces had been forgotten when this one was taken, or before.
    resets: u64,
}

impl Call {
    /// The key that signed it.
    pub fn key(&self) -> &Key {
        &self.known.key
    }

    /// Whether the key's nonces were forgotten since it was let in: its own, used now, would count against what comes after.
    pub fn is_overtaken(&self) -> bool {
        self.known.nonces().resets() != self.resets
    }

    /// Refuses a key that has none of `needed` (ERR-002).
    ///
    /// # Errors
    /// `MissingRole`.
    pub fn require(&self, needed: Roles) -> Result<(), Refusal> {
        crate::require(self.key(), needed)
    }
}

/// Who calls and may they; one for the whole exchange.
#[derive(Debug)]
pub struct Gate {
    keys: KeyTable,
    names: HeaderNames,
    service: String,
    limits: Limits,
    public: Addresses,
    flood: Addresses,
    pages: Addresses,
}

impl Gate {
    /// A gate without keys. `service` is the exchange's name in messages (D-22).
    pub fn new(names: HeaderNames, service: impl Into<String>, limits: Limits) -> Self {
        Self {
            keys: KeyTable::new(limits),
            names,
            service: service.into(),
            limits,
            public: Addresses::new(limits.public),
            flood: Addresses::new(limits.flood),
            pages: Addresses::new(limits.pages),
        }
    }

    /// The keys it knows.
    pub fn keys(&self) -> &KeyTable {
        &self.keys
    }

    /// Lets a public request in: how long it has to wait for its turn, zero when it need not (LIM-001).
    ///
    /// `now` counts from any fixed start, the same for all calls.
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn public(&self, peer: IpAddr, now: Duration) -> Result<Duration, Refusal> {
        if self.limits.enabled { turn(self.public.take(peer, now)) } else { Ok(Duration::ZERO) }
    }

    /// Lets a request for one of the site's pages in. It takes nothing of what the interface's public paths have (LIM-006).
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn page(&self, peer: IpAddr, now: Duration) -> Result<(), Refusal> {
        if self.limits.enabled { turn(self.pages.take(peer, now)).map(|_| ()) } else { Ok(()) }
    }

    /// Lets a private request of this address go on to [`Gate::check`]. Nothing of the request need have been read but its head:
    /// a flood from one address costs no more than that.
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn address(&self, peer: IpAddr, now: Duration) -> Result<(), Refusal> {
        if self.limits.enabled { turn(self.flood.take(peer, now)).map(|_| ()) } else { Ok(()) }
    }

    /// Lets a private request in, which is a sign of life (SES-012). Its nonce is taken before it waits, so that nonces are
    /// taken as they arrive.
    ///
    /// `now` counts from any fixed start, the same for all calls; `time` is the exchange's time.
    ///
    /// # Errors
    /// The first check that fails; the nonce is then not used, and whoever sent it need not be there (SES-013).
    pub fn check(&self, request: &Request<'_>, now: Duration, time: Time) -> Result<Call, Refusal> {
        let (known, tag, decoded) = self.authenticate(request)?;
        let wait = if self.limits.enabled { wait(&known, request.kind, now)? } else { Duration::ZERO };
        let payload = Payload::read(decoded)?;
        check_path(request, &payload)?;
        let resets = known.nonces().resets();
        let nonce = known
            .nonces()
            .take(payload.field("nonce").as_ref(), self.rule(&known.key, request, tag, time))?;
        Ok(Call { known, nonce: Some(nonce), payload, wait, resets })
    }

    /// Headers, key and signature: who signed what.
    fn authenticate(&self, request: &Request<'_>) -> Result<(Arc<KnownKey>, Tag, Vec<u8>), Refusal> {
        let signed = self.names.read(request.headers)?;
        let Some(known) = self.keys.find(signed.api_key) else {
            // The answer says that the key is unknown; its timing need not say so to those who guess.
            let _ = self.keys.nobody().verify(signed.payload, signed.signature);
            return Err(unknown_key(signed.api_key));
        };
        let tag = known.signer.verify(signed.payload, signed.signature)?;
        let decoded = signature::decode(signed.payload)?;
        Ok((known, tag, decoded))
    }

    fn rule<'a>(&'a self, key: &Key, request: &Request<'a>, tag: Tag, time: Time) -> Rule<'a> {
        if !key.time_based_nonce {
            return Rule::Increasing { service: &self.service, endpoint: request.path };
        }
        let changes = matches!(request.kind, Kind::Changes | Kind::Cancels);
        Rule::Timely { now: time, once: changes.then_some(tag) }
    }
}

/// How long a request waits for its turn. A cancel need not be let in like others, but it does not overtake what its key
/// sent before it either: an order could come alive after all were cancelled.
fn wait(known: &KnownKey, kind: Kind, now: Duration) -> Result<Duration, Refusal> {
    let reserved = matches!(kind, Kind::Cancels | Kind::Beats);
    let wait = turn(known.allowance.take(now, reserved))?;
    match kind {
        Kind::Cancels => return Ok(wait.max(known.allowance.last_turn(now))),
        Kind::Changes if !wait.is_zero() => known.allowance.note_turn(now.saturating_add(wait)),
        Kind::Changes | Kind::Reads | Kind::Beats => {}
    }
    Ok(wait)
}

fn turn(admit: Admit) -> Result<Duration, Refusal> {
    match admit {
        Admit::Now => Ok(Duration::ZERO),
        Admit::Wait(wait) => Ok(wait),
        Admit::Refuse { retry_after } => Err(Refusal::rate_limit(retry_after)),
    }
}

fn unknown_key(api_key: &[u8]) -> Refusal {
    let shown = String::from_utf8_lossy(api_key);
    Refusal::new(Reason::InvalidApiKey, format!("InvalidApiKey: API key '{}' is unknown", quoted(&shown)))
}

/// `request` is the path called, its leading slash optional, with the query string where the route has one.
fn check_path(request: &Request<'_>, payload: &Payload) -> Result<(), Refusal> {
    let Request { path, query, .. } = request;
    let called = match query {
        Some(query) => Cow::Owned(format!("{path}?{query}")),
        None => Cow::Borrowed(*path),
    };
    let value = payload.field("request");
    if let Some(Value::Text(text)) = &value
        && (*text == called || called.strip_prefix('/') == Some(text))
    {
        return Ok(());
    }
    let given = match &value {
        Some(value) => format!("'{}'", quoted(value.shown())),
        None => "missing".to_owned(),
    };
    let message = format!(
        "EndpointMismatch: 'request' in the payload is {given}, the path called is '{}'",
        quoted(&called)
    );
    Err(Refusal::new(Reason::EndpointMismatch, message))
}

#[cfg(test)]
mod tests;
