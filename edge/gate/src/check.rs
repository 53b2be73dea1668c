//! The gate's checks in the order of D-05.
//!
//! Clauses: `AUTH-002`, `AUTH-004`, `AUTH-007`, `AUTH-008`, `AUTH-011`, `AUTH-013`, `AUTH-014`, `SES-006`, `SES-012`, `SES-013`.
//! Before: path, method, framing and size. After: account, role, parameters, market state, funds.

use crate::call::Who;
use crate::headers::{Bearer, Sent, Signed};
use crate::held::{HeldAllowances, HeldCaller, dead_token, token_hash};
use crate::nonce::Rule;
use crate::rate::{AccountLimit, Allowance, Clients};
use crate::refusal::quoted;
use crate::signature::{self, Tag};
use crate::ticket::Tickets;
use crate::{
    Admit, Call, HeaderNames, Held, Key, KeyTable, KnownKey, LastCall, Limits, Payload, Proxies, Reason,
    Refusal, TokenHash, Value, client_of,
};
use buttonwood_model::{AccountId, Time};
use http::HeaderMap;
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// The kind of call that a route serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only reads.
    Read,
    /// It changes state.
    Write,
    /// It cancels orders: changes state, with reserved capacity (D-04).
    Cancel,
    /// It is a heartbeat: a sign of life only, with reserved capacity (D-04).
    Heartbeat,
}

/// A private request, before any check.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The path as called, letter by letter.
    pub path: &'a str,
    /// The query string after the question mark, where the route documents one; elsewhere none (D-03).
    pub query: Option<&'a str>,
    /// Whether the field `request` may leave the query string out (PERP-021).
    pub is_query_optional: bool,
    /// All headers.
    pub headers: &'a HeaderMap,
    /// The kind of call that the route is.
    pub kind: Kind,
    /// The client's address.
    pub address: IpAddr,
}

/// A known key that a request names. Neither the key nor what came with it was checked.
#[derive(Debug)]
pub struct NamedKey<'a> {
    /// The key.
    pub known: Arc<KnownKey>,
    /// The payload header, if there was one.
    pub payload: Option<&'a [u8]>,
    /// The signature header, if there was one.
    pub signature: Option<&'a [u8]>,
}

/// Authenticates calls and limits their rate; one for the whole exchange.
#[derive(Debug)]
pub struct Gate {
    keys: KeyTable,
    names: HeaderNames,
    proxies: Proxies,
    service: String,
    limits: Limits,
    public: Clients<IpAddr>,
    flood: Clients<IpAddr>,
    pages: Clients<IpAddr>,
    shown: Clients<IpAddr>,
    transfers: Clients<AccountId>,
    addresses: Clients<AccountId>,
    previews: Clients<AccountId>,
    held: HeldAllowances,
    tickets: Tickets,
    /// The exchange's time when it was started.
    opened_at: Time,
}

impl Gate {
    /// A gate without keys. `service` is the exchange's name in messages (D-22).
    pub fn new(names: HeaderNames, service: impl Into<String>, limits: Limits) -> Self {
        Self {
            keys: KeyTable::new(limits),
            names,
            proxies: Proxies::default(),
            service: service.into(),
            limits,
            public: Clients::new(limits.public),
            flood: Clients::new(limits.flood),
            pages: Clients::new(limits.pages),
            shown: Clients::new(limits.shown),
            transfers: Clients::new(limits.transfers),
            addresses: Clients::new(limits.addresses),
            previews: Clients::new(limits.previews),
            held: HeldAllowances::new(limits),
            tickets: Tickets::default(),
            opened_at: Time(0),
        }
    }

    /// The same gate behind trusted proxies.
    #[must_use]
    pub fn behind(self, proxies: Proxies) -> Self {
        Self { proxies, ..self }
    }

    /// The same gate of an exchange that was started at this time.
    #[must_use]
    pub fn opened_at(self, opened_at: Time) -> Self {
        Self { opened_at, ..self }
    }

    /// When the exchange was started.
    pub(crate) fn start(&self) -> Time {
        self.opened_at
    }

    pub(crate) fn tickets(&self) -> &Tickets {
        &self.tickets
    }

    pub(crate) fn names(&self) -> &HeaderNames {
        &self.names
    }

    /// The address of a request's client. `peer` is the other end of the connection.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.proxies.client(peer, headers)
    }

    /// The client whose share of the connections a connection from this address takes; none for a trusted proxy, which
    /// brings many clients.
    pub fn sharer(&self, peer: IpAddr) -> Option<IpAddr> {
        (!self.proxies.contains(peer)).then(|| client_of(peer))
    }

    /// Whether any limit applies.
    pub fn limits_rates(&self) -> bool {
        self.limits.enabled
    }

    /// The keys it knows.
    pub fn keys(&self) -> &KeyTable {
        &self.keys
    }

    /// Admits a public request. Returns how long it waits for its turn; zero if it need not wait (LIM-001).
    ///
    /// `now` counts from any fixed start, the same for all calls.
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn public(&self, client: IpAddr, now: Duration) -> Result<Duration, Refusal> {
        if !self.limits.enabled {
            return Ok(Duration::ZERO);
        }
        turn(self.public.take(client_of(client), now)).map_err(|refusal| {
            let (calls, seconds) = (self.limits.public.a_minute(), refusal.retry_after.unwrap_or_default());
            let unit = if seconds == 1 { "second" } else { "seconds" };
            refusal.and(&format!(
                "{calls} public calls a minute are allowed from one address, the next one in {seconds} {unit}"
            ))
        })
    }

    /// Admits a request for one of the site's pages. Pages do not draw on the limit of the public paths (LIM-006).
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn page(&self, client: IpAddr, now: Duration) -> Result<(), Refusal> {
        if self.limits.enabled { turn(self.pages.take(client_of(client), now)).map(|_| ()) } else { Ok(()) }
    }

    /// Admits a public call that a page makes. It draws on no limit of the public paths either, and on one below that of pages, since a
    /// program could make such calls too.
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn shown(&self, client: IpAddr, now: Duration) -> Result<(), Refusal> {
        if self.limits.enabled { turn(self.shown.take(client_of(client), now)).map(|_| ()) } else { Ok(()) }
    }

    /// Admits a private request of this address to [`Gate::check`]. Only the head of the request need have been read,
    /// so that a flood from one address costs no more than that.
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn address(&self, client: IpAddr, now: Duration) -> Result<(), Refusal> {
        if self.limits.enabled { turn(self.flood.take(client_of(client), now)).map(|_| ()) } else { Ok(()) }
    }

    /// Admits a call that the account has a limit of its own for; another account is not slowed (LIM-010).
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn account(&self, limit: AccountLimit, account: AccountId, now: Duration) -> Result<(), Refusal> {
        if !self.limits.enabled {
            return Ok(());
        }
        let clients = match limit {
            AccountLimit::Transfers => &self.transfers,
            AccountLimit::Addresses => &self.addresses,
            AccountLimit::Previews => &self.previews,
        };
        turn(clients.take(account, now)).map(|_| ())
    }

    /// Takes the tokens of further entries of a call that was admitted: each entry of a batch takes one, and the call has taken the first.
    /// The caller may owe tokens afterwards, and its next calls wait for them or are refused.
    pub fn charge(&self, call: &Call, kind: Kind, entries: usize, now: Duration) {
        if self.limits.enabled {
            let entries = u32::try_from(entries).unwrap_or(u32::MAX);
            call.allowance().charge(entries, now, matches!(kind, Kind::Cancel | Kind::Heartbeat));
        }
    }

    /// Checks and admits a private request, which is a sign of life of a key (SES-012). A key's nonce is taken before it waits, so
    /// that nonces are taken in the order of arrival.
    ///
    /// `now` counts from any fixed start, the same for all calls; `time` is the exchange's time; `find` looks an access token up.
    ///
    /// # Errors
    /// The first check that fails. The nonce is then not used, and the request is no sign of life (SES-013).
    pub fn check(
        &self,
        request: &Request<'_>,
        now: Duration,
        time: Time,
        find: impl FnOnce(&TokenHash) -> Option<Held>,
    ) -> Result<Call, Refusal> {
        let signed = match self.names.read(request.headers)? {
            Sent::Signed(signed) => signed,
            Sent::Bearer(bearer) => return self.check_bearer(request, &bearer, now, find),
        };
        let (known, tag, decoded) = self.authenticate(request.address, &signed)?;
        let wait = self.wait(&known.allowance, request.kind, now)?;
        let payload = Payload::read(decoded)?;
        check_path(request, &payload)?;
        let resets = known.nonces().resets();
        let nonce =
            known.nonces().take(payload.sent("nonce").as_ref(), self.rule(&known.key, request, tag, time))?;
        known.note_call(LastCall { address: request.address, time });
        Ok(Call { who: Who::Key(known), nonce, payload, wait, resets })
    }

    /// Checks and admits a request with an access token. It has no nonce, and one that is sent is ignored (OAUTH-020).
    #[inline(never)]
    fn check_bearer(
        &self,
        request: &Request<'_>,
        bearer: &Bearer<'_>,
        now: Duration,
        find: impl FnOnce(&TokenHash) -> Option<Held>,
    ) -> Result<Call, Refusal> {
        let token = token_hash(bearer.token).ok_or_else(dead_token)?;
        let held = find(&token).ok_or_else(dead_token)?;
        let decoded = signature::decode(bearer.payload()?)?;
        let caller = self.caller(held, Some(token), now);
        let wait = self.wait(&caller.allowance, request.kind, now)?;
        let payload = Payload::read(decoded)?;
        check_path(request, &payload)?;
        Ok(Call::held(caller, payload, wait))
    }

    /// Admits the call of a signed-in browser, whose payload is the body of a request that the site has checked.
    ///
    /// # Errors
    /// `RateLimit`.
    pub fn admit_held(
        &self,
        held: Held,
        kind: Kind,
        payload: Payload,
        now: Duration,
    ) -> Result<Call, Refusal> {
        let caller = self.caller(held, None, now);
        let wait = self.wait(&caller.allowance, kind, now)?;
        Ok(Call::held(caller, payload, wait))
    }

    /// Checks again, after a call has waited for its turn, what may have changed by then: whether the key is enabled, and its
    /// roles; whether the access token is alive, its scopes and the roles of its user. A browser is left to
    /// [`Call::renew`].
    ///
    /// # Errors
    /// `InvalidApiKey`, `InvalidAccessToken`.
    pub fn check_again(
        &self,
        call: &mut Call,
        find: impl FnOnce(&TokenHash) -> Option<Held>,
    ) -> Result<(), Refusal> {
        match &mut call.who {
            Who::Key(known) => {
                let api_key = known.key.api_key.as_bytes();
                let now = self.keys.find(api_key).ok_or_else(|| unknown_key(api_key))?;
                *known = now;
                known.check_enabled()
            }
            Who::Held(caller) => {
                if let Some(token) = &caller.token {
                    let held = find(token).ok_or_else(dead_token)?;
                    call.renew(held);
                }
                Ok(())
            }
        }
    }

    /// The known key that a request names, with the other authentication headers. Nothing is checked.
    pub fn named_key<'a>(&self, headers: &'a HeaderMap) -> Option<NamedKey<'a>> {
        let (api_key, [payload, signature]) = self.names.key_and_signed(headers)?;
        Some(NamedKey { known: self.keys.find(api_key)?, payload, signature })
    }

    /// A caller without a key, with the allowance of its session.
    pub(crate) fn caller(&self, held: Held, token: Option<TokenHash>, now: Duration) -> HeldCaller {
        let allowance = self.held.of(held.session, || self.keys.bucket_of(held.owner), now);
        HeldCaller { held, allowance, token }
    }

    /// How long a request waits for its turn; zero where no limit applies.
    fn wait(&self, allowance: &Allowance, kind: Kind, now: Duration) -> Result<Duration, Refusal> {
        if self.limits.enabled { wait(allowance, kind, now) } else { Ok(Duration::ZERO) }
    }

    /// Checks key, signature and address, in this order. Returns the key, the signature and the decoded payload.
    pub(crate) fn authenticate(
        &self,
        address: IpAddr,
        signed: &Signed<'_>,
    ) -> Result<(Arc<KnownKey>, Tag, Vec<u8>), Refusal> {
        let Some(known) = self.keys.find(signed.api_key) else {
            // An unknown key takes as much time as a known one.
            let _ = self.keys.nobody().verify(signed.payload, signed.signature);
            return Err(unknown_key(signed.api_key));
        };
        let tag = match known.signer.verify(signed.payload, signed.signature) {
            Ok(tag) => tag,
            // A disabled key is told from an unknown one only to the holder of its secret.
            Err(_) if !known.key.is_enabled => return Err(unknown_key(signed.api_key)),
            Err(refusal) => return Err(refusal),
        };
        known.check_enabled()?;
        known.check_address(address)?;
        let decoded = signature::decode(signed.payload)?;
        Ok((known, tag, decoded))
    }

    fn rule<'a>(&'a self, key: &Key, request: &Request<'a>, tag: Tag, time: Time) -> Rule<'a> {
        if !key.time_based_nonce {
            return Rule::Increasing { service: &self.service, endpoint: request.path };
        }
        let changes = matches!(request.kind, Kind::Write | Kind::Cancel);
        Rule::Timely { now: time, once: changes.then_some(tag) }
    }
}

/// How long a request waits for its turn. A cancel draws on reserved capacity, but it does not overtake its key's
/// waiting orders: otherwise an order could come alive after all were cancelled.
fn wait(allowance: &Allowance, kind: Kind, now: Duration) -> Result<Duration, Refusal> {
    if kind == Kind::Write {
        turn(allowance.check_refused(now))?;
    }
    let reserved = matches!(kind, Kind::Cancel | Kind::Heartbeat);
    let wait = turn(allowance.take(now, reserved))?;
    match kind {
        Kind::Cancel => return Ok(wait.max(allowance.last_turn(now))),
        Kind::Write if !wait.is_zero() => allowance.note_turn(now.saturating_add(wait)),
        Kind::Write | Kind::Read | Kind::Heartbeat => {}
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

pub(crate) fn unknown_key(api_key: &[u8]) -> Refusal {
    let shown = String::from_utf8_lossy(api_key);
    Refusal::new(Reason::InvalidApiKey, format!("InvalidApiKey: API key '{}' is unknown", quoted(&shown)))
}

/// Checks that the field `request` is the path called (its leading slash optional), with the query string where the
/// route has one and does not leave it optional.
fn check_path(request: &Request<'_>, payload: &Payload) -> Result<(), Refusal> {
    let Request { path, query, is_query_optional, .. } = request;
    let called = match query {
        Some(query) => Cow::Owned(format!("{path}?{query}")),
        None => Cow::Borrowed(*path),
    };
    let value = payload.sent("request");
    let is_called = |text: &str, called: &str| text == called || called.strip_prefix('/') == Some(text);
    if let Some(Value::Text(text)) = &value
        && (is_called(text, &called) || *is_query_optional && is_called(text, path))
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
