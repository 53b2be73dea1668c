//! A reply together with its request, so that a failing test shows both.

use std::collections::BTreeSet;
use std::fmt;

use buttonwood_client::{Refusal, Reply};
use serde_json::Value;

use crate::contract;

/// A request and its reply.
#[derive(Clone, Debug)]
pub struct Answer {
    /// A short form of the request.
    pub sent: String,
    /// The reply.
    pub reply: Reply,
}

impl Answer {
    /// Checks the reply against the contract and returns it.
    #[track_caller]
    pub(crate) fn of_contract(self, method: &str, path: &str) -> Self {
        if let Err(why) = contract::check(method, path, &self.reply) {
            panic!("not as contract/openapi.json says: {why}\n{self}");
        }
        self
    }

    /// HTTP status code.
    pub fn status(&self) -> u16 {
        self.reply.status
    }

    /// The body of an answer that must be 200 and JSON.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.reply.status, 200, "expected 200\n{self}");
        self.json()
    }

    /// The body, which must be JSON with the right content type.
    #[track_caller]
    pub fn json(&self) -> Value {
        let kind = self.reply.header("content-type").unwrap_or_default();
        assert!(kind.starts_with("application/json"), "content type {kind:?}\n{self}");
        self.reply.json().unwrap_or_else(|error| panic!("{error}\n{self}"))
    }

    /// The error body of an answer that must be this refusal, with exactly the three keys of ERR-001; a missing role may be in `error` too,
    /// where other refusals of the route have a code (D-114).
    #[track_caller]
    pub fn refused(&self, status: u16, reason: &str) -> Refusal {
        assert!(self.json().get("reason").is_some(), "expected the common body\n{self}");
        let refusal = self.error();
        assert_eq!((self.reply.status, refusal.reason.as_str()), (status, reason), "wrong refusal\n{self}");
        refusal
    }

    /// The message of an answer that must be this refusal, with exactly the two keys of prediction markets (PM-035).
    #[track_caller]
    pub fn coded(&self, status: u16, code: &str) -> String {
        let body = self.json();
        same_keys(&body, &["error", "message"], self);
        assert_eq!(
            (self.reply.status, body["error"].as_str()),
            (status, Some(code)),
            "wrong refusal\n{self}"
        );
        body["message"].as_str().unwrap_or_default().to_owned()
    }

    /// The error body of an answer that must be a refusal of some kind. A code of prediction markets is its reason.
    #[track_caller]
    pub fn error(&self) -> Refusal {
        assert!(self.reply.status >= 400, "expected a refusal\n{self}");
        let body = self.json();
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        if body.get("result").is_none() {
            same_keys(&body, &["error", "message"], self);
            return Refusal { result: "error".to_owned(), reason: text("error"), message: text("message") };
        }
        if body.get("error").is_some() {
            same_keys(&body, &["result", "reason", "error", "message"], self);
            assert_eq!(
                (text("error"), text("reason")),
                ("MissingRole".to_owned(), "MissingRole".to_owned()),
                "{self}"
            );
        } else {
            same_keys(&body, &["result", "reason", "message"], self);
        }
        let refusal: Refusal = self.reply.read().unwrap_or_else(|error| panic!("{error}\n{self}"));
        assert_eq!(refusal.result, "error", "{self}");
        assert!(!refusal.message.is_empty(), "a message is never empty\n{self}");
        refusal
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body: String = self.reply.text().chars().take(2_000).collect();
        write!(f, "  sent:     {}\n  received: {} {body}", self.sent, self.reply.status)
    }
}

/// Asserts that an object has exactly these keys.
#[track_caller]
pub fn same_keys(object: &Value, expected: &[&str], context: impl fmt::Display) {
    let map = object.as_object().unwrap_or_else(|| panic!("not an object: {object}\n{context}"));
    let found: BTreeSet<&str> = map.keys().map(String::as_str).collect();
    let expected: BTreeSet<&str> = expected.iter().copied().collect();
    assert!(
        found == expected,
        "keys differ: missing {:?}, not expected {:?}\n{context}",
        expected.difference(&found).collect::<Vec<_>>(),
        found.difference(&expected).collect::<Vec<_>>(),
    );
}
