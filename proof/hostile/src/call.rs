//! A call: an operation, the key that makes it, and its fields.

use crate::contract::{By, Operation, Place};
use crate::people::Key;
use crate::raw;
use crate::server::{Request, control};
use serde_json::{Map, Value};

/// A call that can be made again, with another nonce.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The place of its operation.
    pub(crate) operation: usize,
    /// The place of its key; none for public and control calls.
    pub(crate) who: Option<usize>,
    /// Its fields by name, each at most once.
    pub(crate) fields: Vec<(Place, String, Value)>,
}

impl Call {
    /// The value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(_, known, _)| known == name).map(|(.., value)| value)
    }

    /// The value of a field as text, empty if there is none.
    pub(crate) fn text(&self, name: &str) -> String {
        self.field(name).map(raw::plain).unwrap_or_default()
    }

    /// Sets a field, or adds it in the body.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        let value = value.into();
        match self.fields.iter_mut().find(|(_, known, _)| known == name) {
            Some((.., old)) => *old = value,
            None => self.fields.push((Place::Body, name.to_owned(), value)),
        }
    }

    /// Removes a field.
    pub(crate) fn remove(&mut self, name: &str) {
        self.fields.retain(|(_, known, _)| known != name);
    }

    /// The path with its parameters and query.
    pub(crate) fn target(&self, operation: &Operation) -> String {
        let mut target = operation.path.clone();
        let mut query = String::new();
        for (place, name, value) in &self.fields {
            let text = raw::escaped(&raw::plain(value));
            match place {
                Place::Path => target = target.replace(&format!("{{{name}}}"), &text),
                Place::Query => {
                    query.push(if query.is_empty() { '?' } else { '&' });
                    query.extend([raw::escaped(name).as_str(), "=", &text]);
                }
                Place::Body => {}
            }
        }
        target + &query
    }

    /// The JSON of its payload or body.
    fn body(&self, target: &str, nonce: Option<u64>) -> String {
        let fields = self.fields.iter().filter(|(place, ..)| *place == Place::Body);
        let mut body: Map<String, Value> =
            fields.map(|(_, name, value)| (name.clone(), value.clone())).collect();
        if let Some(nonce) = nonce {
            body.entry("request").or_insert_with(|| target.into());
            body.entry("nonce").or_insert_with(|| nonce.into());
        }
        raw::text(&Value::Object(body))
    }

    /// The request of this call. A signed one needs its key.
    pub(crate) fn request(&self, operation: &Operation, key: Option<&Key>) -> Result<Request, String> {
        let target = self.target(operation);
        if operation.by == By::Control && operation.method == "POST" {
            return Ok(control(&target, self.body(&target, None)));
        }
        let mut headers = Vec::new();
        if operation.by == By::Key {
            let key = key.ok_or("a signed call needs a key")?;
            let body = self.body(&target, Some(key.client.next_nonce()));
            headers = key.client.sign(body.as_bytes()).map_err(|error| error.to_string())?.headers();
        }
        Ok(Request { method: operation.method.clone(), target, headers, body: String::new() })
    }

    /// The line of a report: no secret is in it.
    pub(crate) fn shown(&self, operation: &Operation) -> String {
        let target = self.target(operation);
        let body = self.body(&target, None);
        let text = format!("{} {target} {body}", operation.method);
        text.chars().take(1_500).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn fields_go_where_they_belong() {
        let operation = Operation {
            method: "POST".to_owned(),
            path: "/v1/wrap/{symbol}".to_owned(),
            by: By::Control,
            for_masters: false,
            kinds: Vec::new(),
            roles: Vec::new(),
            fields: Vec::new(),
            odd: BTreeSet::new(),
        };
        let mut call = Call { operation: 0, who: None, fields: Vec::new() };
        call.fields.push((Place::Path, "symbol".to_owned(), json!("a/b")));
        call.fields.push((Place::Query, "limit".to_owned(), json!(5)));
        call.set("amount", raw::raw("007"));
        call.set("side", "buy");
        call.remove("side");
        assert_eq!(call.shown(&operation), r#"POST /v1/wrap/a%2Fb?limit=5 {"amount":007}"#);
        let request = call.request(&operation, None).unwrap();
        assert_eq!(request.body, r#"{"amount":007}"#);
    }
}
