//! Answered calls, for the list of a sandbox's latest ones.

use super::Shared;
use super::rpc::{Request, known_parameters};
use crate::socket::Answer;
use buttonwood_call::SocketCall;
use buttonwood_gate::{Value, items};
use buttonwood_wire::{Json, json};
use std::borrow::Cow;

/// A call without its answer; none where calls are not kept, or no key opened the socket.
pub(super) fn begun(shared: &Shared, request: Option<&Request>) -> Option<SocketCall> {
    let is_kept = shared.started.app.keeps_calls()
        && shared.opener.borrow().as_ref().is_some_and(|opener| opener.known().is_some());
    if !is_kept {
        return None;
    }
    let none =
        SocketCall { method: String::new(), payload: None, unknown: Vec::new(), status: 200, error: None };
    Some(request.map_or(none, call_of))
}

/// Keeps a call with its answer; one that was sent before the frames that follow it succeeded.
pub(super) fn answered(shared: &Shared, mut call: SocketCall, answer: Option<&Answer>) {
    if let Some(answer) = answer {
        call.status = answer.status;
        call.error = answer.error.as_ref().map(|(code, text)| (code.to_string(), text.clone()));
    }
    if let Some(opener) = shared.opener.borrow().as_ref() {
        shared.started.app.note_socket_call(opener, call);
    }
}

fn call_of(request: &Request) -> SocketCall {
    let message = &request.message;
    let others = message.names().filter(|name| !["id", "method", "params"].contains(&&**name));
    let mut unknown: Vec<String> = others.map(Cow::into_owned).collect();
    let payload = json::object(128, |json| {
        if let Some(id @ (Value::Text(_) | Value::Number(_))) = message.field("id") {
            json.field("id", |json| write(json, &id));
        }
        json.plain("method", &request.method);
        if let Some(params) = request.params() {
            let known = known_parameters(&request.method);
            json.object_field("params", |json| {
                for name in known {
                    if let Some(value) = params.field(name) {
                        json.field(name, |json| write(json, &value));
                    }
                }
            });
            unknown.extend(params.names().filter(|name| !known.contains(&&**name)).map(Cow::into_owned));
        } else if let Some(Value::Array(names)) = message.field("params")
            // Of other methods a list may hold anything, a secret too.
            && ["subscribe", "unsubscribe"].contains(&&*request.method)
        {
            let texts = items(names).filter(|item| matches!(item, Value::Text(_)));
            json.array_field("params", texts, |json, name| write(json, &name));
        }
    });
    SocketCall {
        method: request.method.clone(),
        payload: String::from_utf8(payload).ok(),
        unknown,
        status: 200,
        error: None,
    }
}

/// Writes a value as it was sent.
fn write(json: &mut Json, value: &Value<'_>) {
    match value {
        Value::Text(text) => json.text_item(text),
        Value::Null => json.null_item(),
        Value::Bool(flag) => json.flag_item(*flag),
        Value::Number(raw) | Value::Array(raw) | Value::Object(raw) => {
            json.exact_item(|out| out.extend_from_slice(raw.as_bytes()));
        }
    }
}
