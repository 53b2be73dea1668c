//! The published contract: OpenAPI 3.1, made from the route table and the types of requests and answers.

mod operation;
mod security;

use crate::route::Route;
use crate::streams::STREAMS;
use crate::table::Table;
use buttonwood_wire::contract::{Components, Node};
use std::borrow::Cow;

/// The rules that hold for many calls, in paragraphs with headings.
const ABOUT: &str = include_str!("about.md");

/// The contract of a table.
pub(crate) fn document(table: &Table) -> Node {
    let mut components = Components::default();
    operation::errors(&mut components);
    let paths = paths(table, &mut components);
    let admin = buttonwood_operate::describe(&table.catalogue(), &mut components);
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
fn paths(table: &Table, components: &mut Components) -> Node {
    let mut paths: Vec<(Cow<'static, str>, Node)> = Vec::new();
    for route in table.routes() {
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

/// Whether a route is in a chapter.
pub(crate) fn has_chapter(route: &Route) -> bool {
    operation::TAGS.iter().any(|(name, _)| *name == operation::tag(route))
}
