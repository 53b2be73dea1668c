//! The settings of a user's pages, an object of their own making: `/site/preferences`.

use super::caller::Caller;
use super::fields;
use buttonwood_call::{App, Later};
use buttonwood_gate::{Payload, Refusal, Value};
use buttonwood_http::Reply;
use buttonwood_identity::{Command, PREFERENCES_MAX, UserId};
use buttonwood_wire::field::bad_value;
use std::sync::Arc;

/// The preferences of a user as a JSON object; an empty one before the first.
pub(crate) fn preferences_of(app: &App, user: UserId) -> String {
    let views = app.exchange.views();
    views.state().identity().preferences(user).unwrap_or("{}").to_owned()
}

pub(super) fn show(caller: &Caller<'_>) -> Result<Reply, Refusal> {
    let value = preferences_of(caller.app, caller.browser.user);
    Ok(Reply::json(format!("{{\"value\":{value}}}").into_bytes()))
}

pub(super) fn set<'a>(caller: &'a Caller<'a>, fields: Payload) -> Later<'a> {
    Box::pin(async move {
        let value = value(&fields)?.to_owned();
        let set = caller.submit(Command::SetPreferences(caller.browser.session, Arc::new(value))).await?;
        set.map_err(|reject| caller.refusal(&reject))?;
        Ok(fields::done())
    })
}

/// The object as it was sent. The pages' own block of data has it later, so numbers that no reader takes are refused too.
fn value(fields: &Payload) -> Result<&str, Refusal> {
    let sent = fields.sent("value").ok_or_else(|| Refusal::missing_key("value"))?;
    let is_readable = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
    match sent {
        Value::Object(text) if text.len() > PREFERENCES_MAX => {
            let size = format!("{} bytes", text.len());
            Err(bad_value("value", &format!("an object of at most {PREFERENCES_MAX} bytes as text"), &size))
        }
        Value::Object(text) if is_readable(text) => Ok(text),
        Value::Object(_)
        | Value::Text(_)
        | Value::Number(_)
        | Value::Bool(_)
        | Value::Null
        | Value::Array(_) => Err(bad_value("value", "an object", sent.shown())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object is kept as it was sent; all else is refused with what was sent.
    #[test]
    fn values_are_objects() {
        let read = |text: &str| {
            let fields = Payload::read_body(text.as_bytes().to_vec()).expect("JSON");
            value(&fields).map(str::to_owned).map_err(|refusal| refusal.message)
        };
        assert_eq!(
            read(r#"{"value": {"a" : [1, {"b":null}]}}"#).as_deref(),
            Ok(r#"{"a" : [1, {"b":null}]}"#)
        );
        let longest = format!("{{\"a\":\"{}\"}}", "x".repeat(PREFERENCES_MAX - 8));
        assert_eq!(read(&format!("{{\"value\":{longest}}}")), Ok(longest.clone()));
        for (sent, words) in [
            ("{}".to_owned(), "'value'"),
            (r#"{"value":null}"#.to_owned(), "'value' must be an object: null"),
            (r#"{"value":[1]}"#.to_owned(), "'value' must be an object: [1]"),
            (r#"{"value":"{}"}"#.to_owned(), "'value' must be an object: {}"),
            (r#"{"value":7}"#.to_owned(), "'value' must be an object: 7"),
            (r#"{"value":{"a":1e999}}"#.to_owned(), "'value' must be an object"),
            (
                format!("{{\"value\":{}}}", longest.replace("x\"", "xx\"")),
                "at most 8192 bytes as text: 8193 bytes",
            ),
        ] {
            let refused = read(&sent).unwrap_err();
            assert!(refused.contains(words), "{sent:.80}: {refused}");
        }
    }
}
