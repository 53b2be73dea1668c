//! The contract's description of how calls are signed.

use crate::auth::Auth;
use buttonwood_wire::contract::Node;

/// The header that carries a private call's fields.
pub(super) const PAYLOAD: &str = "X-SVC-PAYLOAD";

/// The three headers of a signed call, under the names of their schemes.
const SCHEMES: [(&str, &str, &str); 3] = [
    ("key", "X-SVC-APIKEY", "The text of the API key."),
    ("payload", PAYLOAD, "The Base64 of a JSON object: the call's fields, its path and a nonce."),
    (
        "signature",
        "X-SVC-SIGNATURE",
        "The HMAC-SHA384 of the text of X-SVC-PAYLOAD under the key's secret, in lower-case hex.",
    ),
];

/// The security schemes.
pub(super) fn schemes() -> Node {
    SCHEMES.iter().fold(Node::object(), |schemes, (name, header, about)| {
        let scheme = Node::of_type("apiKey").with("in", "header").with("name", *header);
        schemes.with(*name, scheme.with("description", *about))
    })
}

/// The schemes that a call needs: all three headers, or none.
pub(super) fn required(auth: Auth) -> Node {
    match auth {
        Auth::Public | Auth::Control => Node::List(Vec::new()),
        Auth::Account | Auth::Master | Auth::Group | Auth::Session | Auth::Token => {
            let all = |all: Node, (name, ..): &(&'static str, _, _)| all.with(*name, Node::List(Vec::new()));
            Node::List(vec![SCHEMES.iter().fold(Node::object(), all)])
        }
    }
}
