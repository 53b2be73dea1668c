//! The published contract: OpenAPI 3.1, made from the route table and the types of requests and answers.

mod operation;
mod security;

use crate::routes::ROUTES;
use crate::streams::STREAMS;
use buttonwood_wire::contract::{Components, Node};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The rules that hold for many calls, in paragraphs with headings.
const ABOUT: &str = include_str!("about.md");

/// The contract as a JSON text.
pub fn openapi() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| document().pretty())
}

fn document() -> Node {
    let mut components = Components::default();
    operation::errors(&mut components);
    let paths = paths(&mut components);
    let admin = buttonwood_operate::describe(&mut components);
    let info = Node::object()
        .with("title", "Buttonwood")
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("description", ABOUT.trim_end())
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

/// Every path in the order of the route table, then the streams.
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
    paths.extend(STREAMS.iter().map(|route| {
        let parameters = operation::path_parameters(route).collect();
        let item = Node::object()
            .with("x-stream", true)
            .with("x-call", operation::with_rights(Node::object().with("method", route.method), route))
            .with("description", "A WebSocket.")
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
