//! The contract's description of how calls are authenticated.

use crate::auth::Auth;
use crate::route::Route;
use buttonwood_wire::contract::Node;

/// The header that carries a private call's fields.
pub(super) const PAYLOAD: &str = "X-SVC-PAYLOAD";

/// The scheme of that header, which calls with an access token have too.
const PAYLOAD_SCHEME: &str = "payload";
/// The scheme of an access token.
const BEARER: &str = "bearer";

/// The three headers of a signed call, under the names of their schemes.
const SCHEMES: [(&str, &str, &str); 3] = [
    ("key", "X-SVC-APIKEY", "The text of the API key."),
    (PAYLOAD_SCHEME, PAYLOAD, "The Base64 of a JSON object: the call's fields, its path and a nonce."),
    (
        "signature",
        "X-SVC-SIGNATURE",
        "The HMAC-SHA384 of the text of X-SVC-PAYLOAD under the key's secret, in lower-case hex.",
    ),
];

/// The security schemes.
pub(super) fn schemes() -> Node {
    let schemes = SCHEMES.iter().fold(Node::object(), |schemes, (name, header, about)| {
        let scheme = Node::of_type("apiKey").with("in", "header").with("name", *header);
        schemes.with(*name, scheme.with("description", *about))
    });
    let about = "An access token. The call has the payload header too, and needs no nonce.";
    schemes.with(BEARER, Node::of_type("http").with("scheme", "bearer").with("description", about))
}

/// The alternatives of schemes that a call needs: the three headers of a key, and an access token with the payload header where the
/// route takes one.
pub(super) fn required(route: &Route) -> Node {
    let signed = || all_of(&SCHEMES.map(|(name, ..)| name));
    let with_token = || all_of(&[BEARER, PAYLOAD_SCHEME]);
    Node::List(match route.auth {
        Auth::Public | Auth::Control => Vec::new(),
        Auth::Token => vec![with_token()],
        Auth::Account | Auth::Master | Auth::Group | Auth::Session if route.takes_tokens() => {
            vec![signed(), with_token()]
        }
        Auth::Account | Auth::Master | Auth::Group | Auth::Session => vec![signed()],
    })
}

/// All of these schemes together.
fn all_of(names: &[&'static str]) -> Node {
    names.iter().fold(Node::object(), |all, name| all.with(*name, Node::List(Vec::new())))
}
