//! The published contract: OpenAPI 3.1, made from the route table and the types of requests and answers.

mod operation;
mod security;

use crate::routes::ROUTES;
use crate::unbuilt::UNBUILT;
use buttonwood_wire::answers::Error;
use buttonwood_wire::contract::{Components, Node, Shape};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The description of the whole interface.
const ABOUT: &str = "\
A digital-asset exchange. Public calls are GETs. HEAD is answered as GET without the body.\n\n\
A private call is a POST with an empty body, or a GET where the contract says so, and has three headers. X-SVC-PAYLOAD is the Base64 of a JSON object with the call's \
fields, among them `request`, the path (of a GET with its query string), and `nonce`, a number higher than in every earlier call of the key. X-SVC-SIGNATURE is \
the HMAC-SHA384, in lower-case hex, of the text of X-SVC-PAYLOAD under the key's secret. X-SVC-APIKEY names the key. \
`x-payload` is the schema of the object.\n\n\
Calls under /sandbox exist in a sandbox alone, answer to programs of the same machine, take a JSON body and need no signature. \
Unknown fields are ignored, and `null` in an optional field is the field left out. `x-by` says who may call: `public`, a key on one `account`, a `master` key on one account or on its `group`, any key about its own \
`session`, a `token`, or the sandbox's `control`. `x-roles` are the roles of which a key needs one, if there are any, `x-scopes` those of a \
token, which is refused where there are none, `x-kinds` the kinds of accounts, and `x-limit` is the rate limit. \
A path with `x-unbuilt`, whose `x-call` has the same, is specified and not built yet: after these checks it answers 501.\n\n\
Rate limits: `public` is 120 calls a minute for one address, 2 at once; `key` 600 a minute for one key, 10 at once, and 6,000 for all keys of an \
account or group. Of both, 5 more calls wait for their turn. `reserve` is 5 cancels and heartbeats a second for one key, in addition. `transfers` is \
one call in 5 seconds, and `addresses` one in 2 seconds, for one account. Beyond a limit a call is answered 429, with the seconds to wait in \
`Retry-After`.";

/// The contract as a JSON text.
pub fn openapi() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| document().pretty())
}

fn document() -> Node {
    let mut components = Components::default();
    Error::node(&mut components);
    let paths = paths(&mut components);
    let admin = buttonwood_operate::describe(&mut components);
    let info = Node::object()
        .with("title", "Buttonwood")
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("description", ABOUT)
        .with("license", Node::object().with("name", env!("CARGO_PKG_LICENSE")));
    let tags: Node = operation::TAGS
        .iter()
        .map(|(name, about)| Node::object().with("name", *name).with("description", *about))
        .collect();
    let shared = Node::object()
        .with("schemas", components.into_node())
        .with("responses", operation::refusals())
        .with("securitySchemes", security::schemes());
    Node::object()
        .with("openapi", "3.1.0")
        .with("info", info)
        .with("servers", Node::List(vec![Node::object().with("url", "/")]))
        .with("tags", tags)
        .with("paths", paths)
        .with("components", shared)
        .with("x-admin", admin)
}

/// Every path in the order of the route table, then those that are not built yet.
fn paths(components: &mut Components) -> Node {
    let mut paths: Vec<(Cow<'static, str>, Node)> = Vec::new();
    for route in ROUTES {
        let operation = operation::describe(route, components);
        let method = route.method.to_ascii_lowercase();
        match paths.iter_mut().find(|(path, _)| *path == route.path) {
            Some((_, item)) => *item = std::mem::replace(item, Node::object()).with(method, operation),
            None => paths.push((route.path.into(), Node::object().with(method, operation))),
        }
    }
    paths.extend(UNBUILT.iter().map(|route| {
        let parameters = operation::path_parameters(route).collect();
        let item = Node::object()
            .with("x-unbuilt", true)
            .with("x-call", operation::with_rights(Node::object().with("method", route.method), route))
            .with("description", "Specified, and not built yet.")
            .with("parameters", Node::List(parameters));
        (route.path.into(), item)
    }));
    Node::Object(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tools and clients are made from the file.
    #[test]
    fn the_contract_in_the_repository_is_current() {
        let kept = include_str!("../../../../contract/openapi.json");
        assert!(kept == openapi(), "contract/openapi.json is not current: run `cargo xtask contract`");
    }

    /// Every route has a description.
    #[test]
    fn every_route_is_described() {
        for route in ROUTES {
            let gives = route.gives.is_some() || route.file.is_some();
            assert!(gives && !route.about.is_empty(), "{route:?} says nothing about itself");
            let known = operation::TAGS.iter().any(|(name, _)| *name == operation::tag(route));
            assert!(known, "{route:?} is in no chapter");
        }
    }
}
