//! The published contract of the streams: AsyncAPI 3.0, made from the table of streams and from the tables of their messages.
//!
//! It speaks from the exchange's side: what it sends, and what it receives.

mod calls;
mod messages;
mod shape;

use buttonwood_call::{Report, StreamKind, StreamPath, Table, stream_paths};
use buttonwood_wire::contract::{Field, Node, object_of};
use calls::HEADERS;
use messages::{Described, received, sent};
use std::borrow::Cow;

/// Rules of all streams.
const ABOUT: &str = "Event streams over WebSockets. Calls are in /openapi.json.";

/// The contract of the streams, with the reports of a table of routes, as a JSON text.
pub fn asyncapi(table: &Table) -> String {
    document(table.reports()).pretty()
}

fn document(reports: &[&Report]) -> Node {
    let info = Node::object()
        .with("title", "Buttonwood streams")
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("description", ABOUT)
        .with("license", Node::object().with("name", env!("CARGO_PKG_LICENSE")));
    let streams: Vec<StreamPath> = stream_paths().collect();
    let channels = streams.iter().map(|stream| (stream.kind.name().into(), channel(stream, reports)));
    let operations = streams.iter().flat_map(|stream| operations(stream.kind, reports));
    let components = Node::object().with("messages", Node::Object(messages(&streams, reports)));
    Node::object()
        .with("asyncapi", "3.0.0")
        .with("info", info)
        .with("defaultContentType", "application/json")
        .with("channels", Node::Object(channels.collect()))
        .with("operations", Node::Object(operations.collect()))
        .with("components", components)
}

/// All messages of a stream: what the exchange sends, then what it receives.
fn all(kind: StreamKind, reports: &[&Report]) -> Vec<Described> {
    [sent(kind, reports), received(kind, reports)].concat()
}

/// The headers of the newest socket's handshake.
fn headers() -> Node {
    let described =
        HEADERS.map(|(name, about)| (name, false, Node::of_type("string").with("description", about)));
    object_of(described.into())
}

fn channel(stream: &StreamPath, reports: &[&Report]) -> Node {
    let name = |message: &Described| {
        (message.name.into(), reference(format!("#/components/messages/{}", message.name)))
    };
    let query = object_of(stream.fields.iter().map(Field::described).collect());
    let bindings = Node::object().with("method", "GET").with("query", query);
    let bindings =
        if stream.kind == StreamKind::Fast { bindings.with("headers", headers()) } else { bindings };
    let bindings = bindings.with("bindingVersion", "0.1.0");
    let channel = Node::object()
        .with("address", stream.path)
        .with("title", stream.kind.name())
        .with("description", about(stream.kind));
    let parameters = stream.path.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let parameters: Vec<(Cow<'static, str>, Node)> = parameters
        .map(|(name, _)| (name.into(), Node::object().with("description", "A symbol, in any letter case.")))
        .collect();
    let channel =
        if parameters.is_empty() { channel } else { channel.with("parameters", Node::Object(parameters)) };
    channel
        .with("messages", Node::Object(all(stream.kind, reports).iter().map(name).collect()))
        .with("bindings", Node::object().with("ws", bindings))
}

/// Who opens a stream, and with what.
fn about(kind: StreamKind) -> &'static str {
    match kind {
        StreamKind::OrderEvents => {
            "Events of orders. Private: the headers of a signed call, or a token with orders:read."
        }
        StreamKind::MarketDataV1 => "Changes of one book, trades and auctions. Public.",
        StreamKind::MultiMarketDataV1 => "The same of several symbols, each named in its events. Public.",
        StreamKind::MarketDataV2 => "Books, trades, candles, marks and funding, by subscription. Public.",
        StreamKind::Fast => {
            "Market data for anybody; orders, balances, positions and calls for a key with time-based nonces or a token."
        }
    }
}

fn operations(kind: StreamKind, reports: &[&Report]) -> impl Iterator<Item = (Cow<'static, str>, Node)> {
    [("send", sent(kind, reports)), ("receive", received(kind, reports))]
        .into_iter()
        .filter(|(_, messages)| !messages.is_empty())
        .map(move |(action, messages)| {
            let channel = kind.name();
            let of_channel =
                |message: &Described| reference(format!("#/channels/{channel}/messages/{}", message.name));
            let operation = Node::object()
                .with("action", action)
                .with("channel", reference(format!("#/channels/{channel}")))
                .with("messages", Node::List(messages.iter().map(of_channel).collect()));
            (format!("{action}-{channel}").into(), operation)
        })
}

/// Every message once, in the order of the streams.
fn messages(streams: &[StreamPath], reports: &[&Report]) -> Vec<(Cow<'static, str>, Node)> {
    let mut described: Vec<(Cow<'static, str>, Node)> = Vec::new();
    for message in streams.iter().flat_map(|stream| all(stream.kind, reports)) {
        if described.iter().all(|(name, _)| name != message.name) {
            let node = Node::object()
                .with("name", message.name)
                .with("summary", message.about)
                .with("payload", message.payload);
            described.push((message.name.into(), node));
        }
    }
    described
}

fn reference(to: String) -> Node {
    Node::object().with("$ref", to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Each method of the newest socket has a message with its parameters, which are those that a strict sandbox knows.
    #[test]
    fn methods_have_their_parameters() {
        let strict =
            |name: &str| crate::fast::known_parameters(name).iter().copied().collect::<BTreeSet<_>>();
        for message in received(StreamKind::Fast, &[]) {
            let params = message.payload.get("properties").and_then(|fields| fields.get("params"));
            let known = match params.and_then(|params| params.get("properties")) {
                Some(Node::Object(fields)) => fields.iter().map(|(name, _)| name.to_string()).collect(),
                _ => BTreeSet::new(),
            };
            let strict: BTreeSet<String> = strict(message.name).into_iter().map(str::to_owned).collect();
            assert_eq!(known, strict, "{}", message.name);
        }
        let names: Vec<_> = received(StreamKind::Fast, &[]).iter().map(|message| message.name).collect();
        assert!(names.contains(&"order.place") && names.contains(&"depth"), "{names:?}");
    }

    /// One name means one message on all streams.
    #[test]
    fn names_of_messages_are_unique() {
        let all: Vec<Described> = stream_paths().flat_map(|stream| all(stream.kind, &[])).collect();
        for message in &all {
            for other in all.iter().filter(|other| other.name == message.name) {
                assert_eq!(other.payload, message.payload, "{}", message.name);
            }
        }
    }
}
