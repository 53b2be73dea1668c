//! Checks every frame of a socket against the published contract, `contract/events.json`.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::is_parameter;
use super::schema::Schemas;

const TEXT: &str = include_str!("../../../../contract/events.json");

/// A stream: its path, and the messages that the exchange sends over it.
struct Channel {
    path: Vec<String>,
    messages: Vec<(String, Value)>,
}

struct Streams {
    channels: Vec<Channel>,
    schemas: Schemas,
}

/// Checks a frame of the stream at a path, which may have a query.
///
/// # Errors
/// No such path, or how the frame differs from each message of the stream.
pub(crate) fn check_frame(target: &str, text: &str) -> Result<(), String> {
    static STREAMS: OnceLock<Streams> = OnceLock::new();
    let streams = STREAMS.get_or_init(|| Streams::read(TEXT));
    let frame: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let path = target.split('?').next().unwrap_or_default();
    let channel = streams.channel(path).ok_or_else(|| format!("the contract has no stream '{path}'"))?;
    let mut faults = Vec::new();
    for (name, schema) in &channel.messages {
        match streams.schemas.check(schema, &frame) {
            Ok(()) => return Ok(()),
            Err(why) => faults.push(format!("{name}: {why}")),
        }
    }
    Err(faults.join("; "))
}

impl Streams {
    fn read(text: &str) -> Self {
        let whole: Value = serde_json::from_str(text).expect("the contract is JSON");
        let operations = whole["operations"].as_object().expect("the contract has operations");
        let sent = operations.values().filter(|operation| operation["action"] == "send");
        let channels = sent.map(|operation| {
            let channel = &whole["channels"][last(&operation["channel"]["$ref"])];
            let path = channel["address"].as_str().expect("a channel has an address");
            let messages = operation["messages"].as_array().expect("an operation has messages");
            let message = |reference: &Value| {
                let name = last(&reference["$ref"]);
                (name.to_owned(), whole["components"]["messages"][name]["payload"].clone())
            };
            Channel { path: segments(path), messages: messages.iter().map(message).collect() }
        });
        Self { channels: channels.collect(), schemas: Schemas::read(&Value::Object(Map::new())) }
    }

    fn channel(&self, path: &str) -> Option<&Channel> {
        let sent = segments(path);
        let fits = |(known, sent): (&String, &String)| is_parameter(known) || known == sent;
        self.channels
            .iter()
            .find(|channel| channel.path.len() == sent.len() && channel.path.iter().zip(&sent).all(fits))
    }
}

/// The segments of a path, without a slash at its end.
fn segments(path: &str) -> Vec<String> {
    path.trim_end_matches('/').split('/').map(str::to_owned).collect()
}

/// The last part of a reference.
fn last(reference: &Value) -> &str {
    reference.as_str().and_then(|reference| reference.rsplit('/').next()).expect("a reference")
}
