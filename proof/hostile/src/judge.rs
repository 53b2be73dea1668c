//! The rules of an answer: no failure of the exchange, JSON that parses, and a refusal with its reason.

use crate::contract::Operation;
use buttonwood_client::Reply;
use serde_json::Value;
use serde_json::value::RawValue;

/// The content of an answer, for the tally.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Verdict {
    pub(crate) status: u16,
    /// The reason of a refusal; empty for others.
    pub(crate) reason: String,
}

/// Judges an answer to a call of an operation; the error says what is wrong with it.
pub(crate) fn judge(operation: &Operation, reply: &Reply) -> Result<Verdict, String> {
    let status = reply.status;
    if status >= 500 && !matches!(status, 501 | 503) {
        return Err(format!("a {status}"));
    }
    let is_json = reply.header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
    let is_odd = operation.odd.contains(&status);
    // By its grammar: a number may be larger than any that is read here.
    if is_json && reply.read::<Box<RawValue>>().is_err() {
        return Err("an answer of JSON that does not parse".to_owned());
    }
    let body: Option<Value> = reply.json().ok();
    if matches!(status, 200 | 201) || (is_odd && !is_json) {
        return Ok(Verdict { status, reason: String::new() });
    }
    let text = |name: &str| body.as_ref().and_then(|body| body.get(name)?.as_str()).unwrap_or_default();
    // Prediction markets have a code in `error` in place of result and reason.
    let reason = if text("result") == "error" { text("reason") } else { text("error") };
    if (reason.is_empty() || text("message").is_empty()) && !is_odd {
        return Err(format!("a {status} without result, reason and message"));
    }
    Ok(Verdict { status, reason: reason.to_owned() })
}

/// A body as a report shows it: short, and without secrets.
pub(crate) fn shown(body: &str) -> String {
    let mut shown: String = body.chars().take(800).collect();
    if let Some(place) = shown.find("\"api_secret\"") {
        shown.truncate(place);
        shown.push_str("\"api_secret\" …");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::By;
    use std::collections::BTreeSet;

    fn judged(status: u16, kind: &str, body: &str) -> Result<Verdict, String> {
        let operation = Operation {
            method: "GET".to_owned(),
            path: "/v1/pubticker/{symbol}".to_owned(),
            by: By::Public,
            for_masters: false,
            kinds: Vec::new(),
            roles: Vec::new(),
            fields: Vec::new(),
            odd: BTreeSet::from([404]),
        };
        let mut headers = http::HeaderMap::new();
        headers.insert("content-type", kind.parse().unwrap());
        judge(&operation, &Reply { status, headers, body: body.to_owned().into() })
    }

    #[test]
    fn failures_and_broken_answers_are_wrong() {
        let json = "application/json";
        assert!(judged(200, json, "{}").is_ok() && judged(404, "text/plain", "unknown").is_ok());
        let refusal = r#"{"result":"error","reason":"Late","message":"Too late"}"#;
        assert!(judged(200, json, r#"{"sent":1e999}"#).is_ok());
        assert_eq!(judged(503, json, refusal).unwrap().reason, "Late");
        assert_eq!(judged(404, json, r#"{"error":"NOT_FOUND","message":"no"}"#).unwrap().reason, "NOT_FOUND");
        for (status, body) in [(500, refusal), (502, refusal), (200, "{"), (400, "{}"), (400, "null")] {
            assert!(judged(status, json, body).is_err(), "{status} {body}");
        }
        assert!(judged(400, "text/plain", "odd").is_err());
    }

    #[test]
    fn a_report_shows_no_secret() {
        assert!(!shown(r#"{"api_key":"k","api_secret":"hush"}"#).contains("hush"));
    }
}
