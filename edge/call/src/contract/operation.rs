//! One endpoint in the contract.

use super::security;
use crate::auth::Auth;
use crate::call::Acting;
use crate::route::{Envelope, MakeSchema, Route};
use buttonwood_engine::AccountKind;
use buttonwood_model::Scope;
use buttonwood_operate::Why;
use buttonwood_wire::answers::{CodedError, Error, RoleError};
use buttonwood_wire::contract::{Components, Field, Fields, Node, Shape, object_of, paragraph};

/// The tags, which are the chapters of the documentation.
pub(super) const TAGS: [(&str, &str); 7] = [
    ("market data", "Public: no key is needed, except for exchange rates."),
    ("orders", "Placing, cancelling and reading orders and trades."),
    ("funds", "What an account has."),
    ("prediction markets", "Events, and contracts on their outcomes."),
    ("accounts", "The accounts of a group."),
    ("keys", "What a key or an access token may do, and whether a key is alive."),
    ("sandbox", "Control calls: in a sandbox, from its own machine."),
];

/// The tag of a route.
pub(super) fn tag(route: &Route) -> &'static str {
    match (route.auth, route.path) {
        (_, path) if path.starts_with("/v1/prediction-markets/") => "prediction markets",
        (Auth::Public, "/v1/reserves")
        | (Auth::Account, "/v1/balances" | "/v1/notionalbalances/{currency}" | "/v1/reserves/proof") => {
            "funds"
        }
        (Auth::Public, _) | (Auth::Session, "/v2/fxrate/{symbol}/{timestamp}") => "market data",
        (Auth::Control, _) => "sandbox",
        (Auth::Session | Auth::Account, path) if is_of_funds(path) => "funds",
        (Auth::Session, _) => "keys",
        (Auth::Master | Auth::Group, _) | (Auth::Account, "/v1/account") => "accounts",
        (Auth::Account | Auth::Token, _) => "orders",
    }
}

/// Whether a path is about what an account has, and where its money comes from and goes to.
fn is_of_funds(path: &str) -> bool {
    const PARTS: [&str; 9] = [
        "/v1/statement",
        "/v1/reserves/",
        "/v1/payments/",
        "/v1/balances",
        "/v1/notionalbalances/",
        "network",
        "/v1/addresses/",
        "/v1/approvedAddresses/",
        "/withdraw/",
    ];
    PARTS.iter().any(|part| path.contains(part))
}

/// Statuses that any request may be refused with.
const ANY: [u16; 7] = [400, 408, 413, 429, 431, 500, 503];
/// Further statuses of a signed call.
const SIGNED: [u16; 2] = [401, 403];
/// Further statuses of a control call; 404 outside a sandbox.
const CONTROL: [u16; 3] = [403, 404, 415];

/// The operation of a route.
pub(super) fn describe(route: &Route, components: &mut Components) -> Node {
    let operation = Node::object().with("operationId", operation_id(route)).with("summary", route.about);
    let operation = noted(operation, route)
        .with("tags", Node::List(vec![tag(route).into()]))
        .with("security", security::required(route));
    let operation = with_rights(operation, route);
    let operation = match route.auth {
        Auth::Account | Auth::Master | Auth::Group | Auth::Session | Auth::Token => {
            signed(operation, route, components)
        }
        Auth::Control => control(operation, route, components),
        Auth::Public => operation.with("parameters", Node::List(parameters(route, route.fields))),
    };
    operation.with("responses", responses(route, components))
}

/// Adds the notes of a route, a paragraph each.
fn noted(operation: Node, route: &Route) -> Node {
    if route.notes.is_empty() { operation } else { operation.with("description", route.notes.join("\n\n")) }
}

fn operation_id(route: &Route) -> String {
    let path: String = route.path.chars().filter(|character| !"{}".contains(*character)).collect();
    format!("{}{}", route.method.to_ascii_lowercase(), path.replace('/', "_"))
}

/// Adds the row of a route: who may call it, on which accounts, and the rate limit.
pub(super) fn with_rights(operation: Node, route: &Route) -> Node {
    let operation = operation.with("x-by", route.auth.name()).with("x-limit", route.bucket().name());
    if matches!(route.auth, Auth::Public | Auth::Control) {
        return operation;
    }
    let roles: Node = route.roles.iter().map(buttonwood_model::Role::name).collect();
    let scopes: Node = route.scopes.iter().map(Scope::name).collect();
    let operation = operation.with("x-roles", roles).with("x-scopes", scopes);
    if matches!(route.auth, Auth::Account | Auth::Master) {
        let kinds = AccountKind::ALL.into_iter().filter(|kind| route.kinds.has(*kind));
        return operation.with("x-kinds", kinds.map(AccountKind::name).collect::<Node>());
    }
    operation
}

/// A call whose fields are in the payload header.
fn signed(operation: Node, route: &Route, components: &mut Components) -> Node {
    let must_name = |field: &Field| Field { required: route.auth == Auth::Master, ..*field };
    let schema = fields_object(
        common(route),
        Acting::FIELDS.iter().map(must_name).chain(route.fields.iter().copied()),
    );
    let reference = components.named(format!("{}Payload", name(route)), |_| schema);
    let carried = Node::of_type("string")
        .with("contentEncoding", "base64")
        .with("contentMediaType", "application/json")
        .with("contentSchema", reference.clone());
    let header = parameter("header", security::PAYLOAD, "The call's fields.", true, carried);
    let query = if route.query.is_read() { route.fields } else { &[] };
    let mut parameters = parameters(route, query);
    parameters.push(header);
    operation.with("x-payload", reference).with("parameters", Node::List(parameters))
}

/// A call whose fields, if there are any, are in the body.
fn control(operation: Node, route: &Route, components: &mut Components) -> Node {
    if route.method == "GET" {
        return operation.with("parameters", Node::List(parameters(route, route.fields)));
    }
    let operation = operation.with("parameters", Node::List(parameters(route, &[])));
    let is_own = |name| route.fields.iter().any(|field| field.name == name);
    let why = Why::FIELDS.iter().filter(|field| !is_own(field.name));
    let schema = fields_object(Vec::new(), route.fields.iter().chain(why).copied());
    let schema = components.named(format!("{}Body", name(route)), |_| schema);
    let content = Node::object().with("application/json", Node::object().with("schema", schema));
    operation.with("requestBody", Node::object().with("required", true).with("content", content))
}

/// The path in words: `OrderNew` of `/v1/order/new`, and `WrapSymbol` of `/v1/wrap/{symbol}`.
fn name(route: &Route) -> String {
    let segments = route.path.split('/').filter(|segment| !matches!(*segment, "v1" | "v2"));
    segments.flat_map(|segment| capitalised(segment.trim_matches(['{', '}']))).collect()
}

fn capitalised(word: &str) -> impl Iterator<Item = char> {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
}

/// A nonce as a string (SES-005, D-26).
const NONCE: &str = r"^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$";

/// The fields that every payload has, with whether each is required.
fn common(route: &Route) -> Vec<(&'static str, bool, Node)> {
    let path = path_called(route).with("description", "The path of the call.");
    let types: Node = ["number", "string"].into_iter().collect();
    let nonce = Node::object().with("type", types).with("pattern", NONCE).with("minimum", 0);
    let nonce = nonce.with(
        "description",
        if route.takes_tokens() {
            "A number higher than in every earlier call of the key; for a key with time-based nonces, the time. \
             A call with an access token needs none."
        } else {
            "A number higher than in every earlier call of the key; for a key with time-based nonces, the time."
        },
    );
    vec![("request", true, path), ("nonce", true, nonce)]
}

/// The text of a call's path: with parameters, the path as it is called, not its template.
fn path_called(route: &Route) -> Node {
    let path = Node::of_type("string");
    if !route.path.contains('{') && !route.query.is_read() {
        return path.with("const", route.path);
    }
    let segment = |name: &str| if name.starts_with('{') { "[^/]+".to_owned() } else { name.to_owned() };
    let segments: Vec<String> = route.path.split('/').map(segment).collect();
    // A signed GET names its query string too (FX-009).
    let query = if route.method == "GET" || route.query.is_read() { r"(\?.*)?" } else { "" };
    path.with("pattern", format!("^{}{query}$", segments.join("/")))
}

fn fields_object(common: Vec<(&'static str, bool, Node)>, fields: impl Iterator<Item = Field>) -> Node {
    object_of(common.into_iter().chain(fields.map(|field| field.described())).collect())
}

/// The parameters in the path.
pub(super) fn path_parameters(route: &Route) -> impl Iterator<Item = Node> {
    let names = route.path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    names.map(|(name, _)| path_parameter(name, path_text(name)))
}

/// The parameters in the path, then those in the query.
fn parameters(route: &Route, query: &[Field]) -> Vec<Node> {
    let query = query.iter().map(|field| {
        parameter("query", field.name, paragraph(field.about), field.required, (field.schema)())
    });
    path_parameters(route).chain(query).collect()
}

/// The description of a parameter in the path.
fn path_text(name: &str) -> &'static str {
    match name {
        "clearing_id" => "The id of a clearing order.",
        "symbol" => "A symbol, in any letter case.",
        "side" => "The side, buy or sell.",
        "time_frame" => {
            "The length of an interval: 1m, 5m, 15m, 30m, 1h (or 1hr), 6h (or 6hr), 1day (or 1d)."
        }
        "currency" => "The code of a currency, in any letter case.",
        "timestamp" => "A time: milliseconds or seconds since 1970, or ISO 8601 with its zone.",
        "network" => {
            "The name of a network, in lower case, or the code of a currency, which means its home network."
        }
        "token" | "ticker" => "The code of an asset, in any letter case.",
        "group" => "The name of a group.",
        "event" => "The ticker of an event, in any letter case; that of a combo is its symbol.",
        "eventTicker" => "The ticker of an event.",
        "instrumentSymbol" => "The symbol of a contract.",
        "date" => "A day of UTC that is over, at most a year ago, as yyyy-mm-dd.",
        other => panic!("no text for the parameter {other}"),
    }
}

/// A parameter in the path.
fn path_parameter(name: &'static str, about: &'static str) -> Node {
    parameter("path", name, about, true, Node::of_type("string"))
}

fn parameter(
    place: &'static str,
    name: &'static str,
    about: impl Into<Node>,
    required: bool,
    schema: Node,
) -> Node {
    Node::object()
        .with("name", name)
        .with("in", place)
        .with("required", required)
        .with("description", about)
        .with("schema", schema)
}

fn responses(route: &Route, components: &mut Components) -> Node {
    let schema = route.gives.map_or_else(Node::object, |gives| gives(components));
    let content = match route.file {
        Some(media_type) => {
            let file = Node::of_type("string").with("format", "binary");
            Node::object().with(media_type, Node::object().with("schema", file))
        }
        None => Node::object().with("application/json", Node::object().with("schema", schema)),
    };
    let done = Node::object().with("description", "Done.").with("content", content);
    let own = match route.auth {
        Auth::Public => &[],
        Auth::Account | Auth::Master | Auth::Group | Auth::Session | Auth::Token => SIGNED.as_slice(),
        Auth::Control => CONTROL.as_slice(),
    };
    let mut statuses: Vec<u16> = [&ANY, own, route.refuses].concat();
    statuses.sort_unstable();
    statuses.dedup();
    let is_listed = |status| statuses.contains(&status);
    let all = Node::object().with(route.success.to_string(), done);
    let all = statuses.iter().copied().fold(all, |all, status| {
        let name = refused_as(route.envelope, status);
        match route.says {
            Some((says, about)) if says == status => {
                all.with(status.to_string(), text_or_error(about, components))
            }
            _ => match route.wraps {
                Some((wraps, node)) if wraps == status => {
                    all.with(status.to_string(), error_or(node, components))
                }
                _ => all.with(status.to_string(), reference(name)),
            },
        }
    });
    match route.says {
        Some((status, about)) if !is_listed(status) => all.with(status.to_string(), text(about)),
        _ => all,
    }
}

/// The name of the refusal answer for a status.
fn refused_as(envelope: Envelope, status: u16) -> &'static str {
    match (envelope, status) {
        (Envelope::Coded(_), 503) => "CodedLater",
        (_, 429 | 503) => "Later",
        (Envelope::Coded(_), 403) => "CodedForbidden",
        (Envelope::Coded(_), 400..=499) => "Coded",
        (Envelope::Common | Envelope::Coded(_), _) => "Refused",
    }
}

/// A line of plain text, or a refusal like any other.
fn text_or_error(about: &'static str, components: &mut Components) -> Node {
    let error = Node::object().with("schema", Error::node(components));
    let line = Node::object().with("schema", Node::of_type("string"));
    let content = Node::object().with("application/json", error).with("text/plain", line);
    Node::object().with("description", about).with("content", content)
}

/// A refusal like any other, or this body.
fn error_or(node: MakeSchema, components: &mut Components) -> Node {
    let either = Node::List(vec![Error::node(components), node(components)]);
    let content = Node::object().with("schema", Node::object().with("anyOf", either));
    let content = Node::object().with("application/json", content);
    let about = "The request is refused, and nothing was changed.";
    Node::object().with("description", about).with("content", content)
}

fn reference(name: &str) -> Node {
    Node::object().with("$ref", format!("#/components/responses/{name}"))
}

/// A line of plain text.
fn text(about: &'static str) -> Node {
    let content = Node::object().with("text/plain", Node::object().with("schema", Node::of_type("string")));
    Node::object().with("description", about).with("content", content)
}

/// The schemas of refusals: that of most, that with a code, and that of a missing role where others have a code.
pub(super) fn errors(components: &mut Components) -> [Node; 3] {
    [Error::node(components), CodedError::node(components), RoleError::node(components)]
}

/// The refusal answers: with and without a time to retry, and where refusals may have a code.
pub(super) fn refusals() -> Node {
    let [error, coded, role] = errors(&mut Components::default());
    let any_of = |schemas: &[&Node]| {
        Node::object().with("anyOf", Node::List(schemas.iter().copied().cloned().collect()))
    };
    let content = |schema| Node::object().with("application/json", Node::object().with("schema", schema));
    let seconds = Node::of_type("integer").with("minimum", 1);
    let seconds = Node::object().with("description", "Seconds to wait.").with("schema", seconds);
    let seconds = Node::object().with("Retry-After", seconds);
    let refused = |schema| {
        let about = "The request is refused, and nothing was changed.";
        Node::object().with("description", about).with("content", content(schema))
    };
    let later = |schema| {
        let about = "The request is refused for now: too many requests, too much load, maintenance.";
        let answer = Node::object().with("description", about).with("headers", seconds.clone());
        answer.with("content", content(schema))
    };
    Node::object()
        .with("Refused", refused(error.clone()))
        .with("Later", later(error.clone()))
        .with("Coded", refused(any_of(&[&error, &coded])))
        .with("CodedForbidden", refused(any_of(&[&error, &coded, &role])))
        .with("CodedLater", later(any_of(&[&error, &coded])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules of one route stand in its operation, and nowhere else.
    #[test]
    fn the_notes_of_a_route_are_its_description() {
        let plain = Route::public("/v1/symbols", |_, _| unreachable!("not called"));
        let described = |route: &Route| noted(Node::object(), route).pretty();
        assert!(!described(&plain).contains("description"));
        let noted = described(&plain.notes(&["Closed symbols stay.", "New ones come last."]));
        assert!(noted.contains(r"Closed symbols stay.\u000a\u000aNew ones come last."), "{noted}");
    }

    /// A signed call names the path that it calls, so its template is a pattern there; names of payloads differ by parameters.
    #[test]
    fn a_signed_path_with_parameters_is_a_pattern() {
        let described = |path| {
            let route = Route::reading(path, |_, _| unreachable!("not called"));
            (name(&route), path_called(&route).pretty())
        };
        let (name, path) = described("/v1/instant/quote/{side}/{symbol}");
        assert_eq!(name, "InstantQuoteSideSymbol");
        assert!(path.contains(r#""pattern": "^/v1/instant/quote/[^/]+/[^/]+$""#), "{path}");
        let route = Route::signed_get("/v2/fxrate/{symbol}", |_, _| unreachable!("not called"));
        assert!(path_called(&route).pretty().contains(r#""pattern": "^/v2/fxrate/[^/]+(\\?.*)?$""#));
        let (name, path) = described("/v1/instant/quote");
        assert_eq!(name, "InstantQuote");
        assert!(path.contains(r#""const": "/v1/instant/quote""#), "{path}");
    }
}
