//! `GET /sandbox/requests`: the latest calls of a key or of all keys, and why they were refused.

use buttonwood_call::{App, Asked, Found, KeptCall, Route, unknown_fields};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{Components, Flag, InQuery, Label, Node, Nullable, Shape, Text};
use buttonwood_wire::{Json, answer, json, request, words};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_query("/sandbox/requests", answer)
    .about("Lists the newest 100 refused calls of a key or of all keys, or all calls, the newest first, with what was signed, the signature that would have fitted and the fields that the endpoint does not know.")
    .notes(&[
        "Calls without a known key are not kept. A restart forgets all calls, and beyond 256 KiB a key or \
         16 MiB in all the oldest go first. `payload` is an object, or a text if what was signed is no \
         JSON object. Unknown fields inside of objects and arrays are not named. An unknown key is \
         answered 404 `InvalidApiKey`. `payload` of a call over a socket has its `id`, its `method` and the `params` that the method \
         knows; of the others, which may be secrets, `unknown_fields` has the names.",
    ])
    .takes::<OfKey>()
    .gives::<RefusedRequests>();

request! {
    /// Whose calls.
    pub(crate) struct OfKey in InQuery {
        /// The text of the key; every key without it.
        key: Text,
        /// Whether calls that were answered are listed too.
        all: Flag<false>,
    }
}

words! {
    /// The check that failed, in the order in which they are made.
    struct Check: "path", "framing", "headers", "key", "signature", "rate", "payload", "request", "nonce", "account", "role",
        "parameters", "market", "funds", "exchange"
}

answer! {
    /// Calls.
    struct RefusedRequests {
        /// The newest 100, the newest first; fewer of keys with large payloads.
        requests: Vec<RefusedRequest>,
    }
}

answer! {
    /// A call.
    struct RefusedRequest {
        /// Its number: a later call of the same list has a higher one.
        number: u64,
        /// The text of the key.
        key: Label,
        /// When it was answered, in milliseconds.
        time_ms: u64,
        /// The method and the path called; `SOCKET` and the method of a call over the newest socket.
        route: Label,
        /// The status of the answer.
        status: u64,
        /// The reason of its refusal; null if it was not refused.
        reason: Nullable<String>,
        /// The message of its refusal; null if it was not refused.
        message: Nullable<Label>,
        /// Fields of the payload that the endpoint does not know, and ignores.
        unknown_fields: Vec<Label>,
        /// The payload, decoded: the JSON object, or the text if it is none; null if it is no text.
        payload: Decoded,
        /// The exact text that was to be signed: the payload header. Null if the call had none.
        signed: Nullable<Label>,
        /// The signature of that text under the key's secret.
        expected_signature: Nullable<String>,
        /// The signature that was sent. Null if the call had none.
        signature: Nullable<Label>,
        /// The key's highest nonce when the call was answered.
        highest_nonce: String,
        /// The check that failed; null if none did.
        check: Nullable<Check>,
    }
}

/// The contents of a payload header.
#[derive(Debug)]
enum Decoded {
    Object(Payload),
    Text(String),
    Nothing,
}

impl Decoded {
    fn of(bytes: Option<Vec<u8>>) -> Self {
        let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else { return Self::Nothing };
        match Payload::read(text.clone().into_bytes()) {
            Ok(object) => Self::Object(object),
            Err(_) => Self::Text(text),
        }
    }
}

impl Shape for Decoded {
    fn node(_components: &mut Components) -> Node {
        let object = Node::of_type("object").with("additionalProperties", Node::object());
        Node::object().with("anyOf", Node::List(vec![object, Node::of_type("string"), Node::of_type("null")]))
    }

    fn write(&self, json: &mut Json) {
        match self {
            Self::Object(payload) => {
                json.exact_item(|out| out.extend_from_slice(payload.as_str().as_bytes()));
            }
            Self::Text(text) => json.text_item(text),
            Self::Nothing => json.null_item(),
        }
    }
}

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let sent = OfKey::of(asked.query);
    let kept = app.kept_calls(sent.all()?);
    let calls = match sent.key() {
        None => kept.newest(),
        Some(api_key) if app.gate.keys().find(api_key.as_bytes()).is_some() => kept.of(api_key),
        Some(api_key) => {
            let message = format!("No API key '{}'", quoted(api_key));
            return Err(Refusal::new(Reason::InvalidApiKey, message).with_status(404));
        }
    };
    let requests = calls.into_iter().map(|call| shown(app, call)).collect();
    Ok(Reply::json(json::body(&RefusedRequests { requests })))
}

fn shown(app: &App, call: KeptCall) -> RefusedRequest {
    let KeptCall {
        number,
        api_key,
        time_ms,
        route,
        status,
        refusal,
        over_socket,
        signed,
        signature,
        highest_nonce,
    } = call;
    let known = app.gate.keys().find(api_key.as_bytes());
    let (payload, unknown) = match over_socket {
        Some((payload, unknown)) => {
            (Decoded::of(payload.map(String::into_bytes)), unknown.into_iter().map(Label).collect())
        }
        None => {
            let bytes = signed.as_ref().and_then(|signed| buttonwood_gate::decoded(signed.as_bytes()));
            let payload = Decoded::of(bytes);
            let unknown = unknown(app, &route, &payload);
            (payload, unknown)
        }
    };
    RefusedRequest {
        number,
        key: Label(api_key),
        time_ms,
        unknown_fields: unknown,
        route: Label(route),
        status: status.into(),
        reason: Nullable(refusal.as_ref().map(|refusal| refusal.reason.name().to_owned())),
        check: Nullable(refusal.as_ref().map(|refusal| Check(check(refusal)))),
        message: Nullable(refusal.map(|refusal| Label(refusal.message))),
        payload,
        expected_signature: Nullable(
            signed.as_ref().zip(known).map(|(signed, known)| known.expected_signature(signed.as_bytes())),
        ),
        signature: Nullable(signature.map(Label)),
        signed: Nullable(signed.map(Label)),
        highest_nonce,
    }
}

/// The fields of a payload that the endpoint of this method and path does not know.
fn unknown(app: &App, route: &str, payload: &Decoded) -> Vec<Label> {
    let (method, path) = route.split_once(' ').unwrap_or_default();
    match (app.table().find(method, path, true), payload) {
        (Found::Route(route, _), Decoded::Object(payload)) => {
            unknown_fields(route, payload).map(|name| Label(name.into_owned())).collect()
        }
        _ => Vec::new(),
    }
}

/// The check that a refusal comes from.
fn check(refusal: &Refusal) -> &'static str {
    const CHECKS: &[(&str, &[Reason])] = &[
        (
            "headers",
            &[
                Reason::AmbiguousAuthentication,
                Reason::MissingApikeyHeader,
                Reason::MissingPayloadHeader,
                Reason::MissingSecurityHeaders,
                Reason::MissingSignatureHeader,
            ],
        ),
        ("key", &[Reason::ApiKeyIpFilteringFailure, Reason::InvalidApiKey, Reason::RemoteAddressForbidden]),
        ("signature", &[Reason::InvalidSignature]),
        ("rate", &[Reason::RateLimit]),
        ("payload", &[Reason::InvalidJson]),
        ("request", &[Reason::EndpointMismatch]),
        ("nonce", &[Reason::InvalidNonce, Reason::MissingNonce]),
        (
            "account",
            &[
                Reason::AccountClosed,
                Reason::AccountNotOfTypeRequired,
                Reason::AccountsOnGroupOnlyApi,
                Reason::InvalidAccountName,
                Reason::MissingAccounts,
                Reason::MoreThanOneAccount,
                Reason::NoAccountOfTypeRequired,
            ],
        ),
        ("role", &[Reason::MissingRole]),
        (
            "market",
            &[Reason::AuctionNotOpen, Reason::IneligibleTiming, Reason::MarketClosed, Reason::MarketNotOpen],
        ),
        ("funds", &[Reason::InsufficientFunds]),
        ("exchange", &[Reason::Maintenance, Reason::System]),
    ];
    match (refusal.reason, refusal.status) {
        (Reason::EndpointNotFound, _) => "path",
        (_, 408 | 413 | 431) => "framing",
        (reason, _) => {
            let found = CHECKS.iter().find(|(_, reasons)| reasons.contains(&reason));
            found.map_or("parameters", |(check, _)| check)
        }
    }
}
