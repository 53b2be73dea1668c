//! `GET /sandbox/requests`: why the latest calls of a key were refused.

use crate::app::App;
use crate::call::Asked;
use crate::refused_calls::RefusedCall;
use crate::route::Route;
use buttonwood_gate::{KnownKey, Payload, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{Components, InQuery, KeyText, Label, Node, Nullable, Shape};
use buttonwood_wire::{Json, answer, json, request, words};
use http::request::Parts;

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_query("/sandbox/requests", answer)
    .about("Lists a key's newest 100 refused calls, the newest first, with what was signed and the signature that would have fitted.")
    .takes::<OfKey>()
    .gives::<RefusedRequests>();

request! {
    /// Whose calls.
    pub(crate) struct OfKey in InQuery {
        /// The text of the key.
        key: KeyText,
    }
}

words! {
    /// The check that failed, in the order in which they are made.
    struct Check: "path", "framing", "headers", "key", "signature", "rate", "payload", "request", "nonce", "account", "role",
        "parameters", "market", "funds", "exchange"
}

answer! {
    /// The refused calls of a key.
    struct RefusedRequests {
        /// The newest 100, the newest first; fewer of keys with large payloads.
        requests: Vec<RefusedRequest>,
    }
}

answer! {
    /// A refused call.
    struct RefusedRequest {
        /// When it was refused, in milliseconds.
        time_ms: u64,
        /// The method and the path called.
        route: Label,
        /// The status of the answer.
        status: u64,
        /// The reason.
        reason: String,
        /// The message.
        message: Label,
        /// The payload, decoded: the JSON object, or the text if it is none; null if it is no text.
        payload: Decoded,
        /// The exact text that was to be signed: the payload header. Null if the call had none.
        signed: Nullable<Label>,
        /// The signature of that text under the key's secret.
        expected_signature: Nullable<String>,
        /// The key's highest nonce when the call was refused.
        highest_nonce: String,
        /// The check that failed.
        check: Check,
    }
}

/// What a payload header decodes to.
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
    let api_key = OfKey::of(asked.query).key()?;
    let known = app.gate.keys().find(api_key.as_bytes()).ok_or_else(|| {
        let message = format!("No API key '{}'", quoted(api_key));
        Refusal::new(Reason::InvalidApiKey, message).with_status(404)
    })?;
    let calls = app.refused_calls.of(api_key);
    let requests = calls.into_iter().map(|call| shown(&known, call)).collect();
    Ok(Reply::json(json::body(&RefusedRequests { requests })))
}

fn shown(known: &KnownKey, call: RefusedCall) -> RefusedRequest {
    let RefusedCall { time_ms, route, refusal, signed, highest_nonce } = call;
    RefusedRequest {
        time_ms,
        route: Label(route),
        status: refusal.status.into(),
        reason: refusal.reason.name().to_owned(),
        check: Check(check(&refusal)),
        message: Label(refusal.message),
        payload: Decoded::of(signed.as_ref().and_then(|signed| buttonwood_gate::decoded(signed.as_bytes()))),
        expected_signature: Nullable(
            signed.as_ref().map(|signed| known.expected_signature(signed.as_bytes())),
        ),
        signed: Nullable(signed.map(Label)),
        highest_nonce,
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

/// Keeps a refused call for its key, in a sandbox. Calls without a known key are not kept.
#[cold]
pub(crate) fn note(app: &App, head: &Parts, refusal: &Refusal) {
    if !app.settings.sandbox {
        return;
    }
    let Some((known, payload)) = app.gate.named_key(&head.headers) else { return };
    let call = RefusedCall {
        time_ms: app.exchange.now().millis(),
        route: format!("{} {}", head.method, quoted(head.uri.path())),
        refusal: refusal.clone(),
        signed: payload.map(|payload| String::from_utf8_lossy(payload).into_owned()),
        highest_nonce: known.last_nonce().to_string(),
    };
    app.refused_calls.note(&known.key.api_key, call);
}
