//! Checks every answer against the published contract, `contract/openapi.json`.
//!
//! The contract is read once per process. An unknown route, status or field fails the test, and so does a missing
//! field.

mod frames;
mod schema;

pub(crate) use frames::check_frame;

use std::sync::OnceLock;

use buttonwood_client::Reply;
use serde_json::Value;

use schema::Schemas;

const TEXT: &str = include_str!("../../../contract/openapi.json");

/// Pages and health checks, which are outside of the interface.
const OUTSIDE: [&str; 11] = [
    "/site/",
    "/markets/",
    "/trade/",
    "/account/",
    "/console/",
    "/operator/",
    "/settings/",
    "/health/",
    "/favicon.ico",
    "/auth/",
    "/.well-known/",
];
/// More of them, as whole paths.
const PAGES: [&str; 13] = [
    "/",
    "/trade",
    "/predictions",
    "/account",
    "/operator",
    "/console",
    "/docs",
    "/openapi.json",
    "/signup",
    "/signin",
    "/password",
    "/end-sessions",
    "/auth",
];

struct Contract {
    operations: Vec<Operation>,
    schemas: Schemas,
    responses: Value,
}

struct Operation {
    method: String,
    /// The segments of its path; a parameter is one in braces.
    path: Vec<String>,
    responses: Value,
}

/// Checks an answer.
///
/// # Errors
/// The difference from the contract, with the route and a pointer into the body.
pub(crate) fn check(method: &str, target: &str, reply: &Reply) -> Result<(), String> {
    static CONTRACT: OnceLock<Contract> = OnceLock::new();
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let contract = CONTRACT.get_or_init(|| Contract::read(TEXT));
    contract.check(method, path, reply).map_err(|why| format!("{method} {path}, {}: {why}", reply.status))
}

impl Contract {
    fn read(text: &str) -> Self {
        let whole: Value = serde_json::from_str(text).expect("the contract is JSON");
        let paths = whole["paths"].as_object().expect("the contract has paths");
        let mut operations: Vec<Operation> = Vec::new();
        for (path, item) in paths.iter().filter(|(_, item)| item["x-stream"] != true) {
            for (method, operation) in item.as_object().expect("a path has operations") {
                operations.push(Operation {
                    method: method.to_ascii_uppercase(),
                    path: path.split('/').map(str::to_owned).collect(),
                    responses: operation["responses"].clone(),
                });
            }
        }
        // A whole path takes precedence over one with a parameter.
        operations
            .sort_by_key(|operation| operation.path.iter().filter(|segment| is_parameter(segment)).count());
        let components = &whole["components"];
        let schemas = Schemas::read(&components["schemas"]);
        Self { operations, schemas, responses: components["responses"].clone() }
    }

    fn check(&self, method: &str, path: &str, reply: &Reply) -> Result<(), String> {
        // A browser's question whether a page may make a call is no call of its own.
        if method == "OPTIONS" && reply.status == 204 && reply.body.is_empty() {
            return Ok(());
        }
        let asked = if method == "HEAD" { "GET" } else { method };
        let is_page = PAGES.contains(&path) || OUTSIDE.iter().any(|page| path.starts_with(page));
        let mut of_path = self.operations.iter().filter(|operation| operation.matches(path)).peekable();
        let is_known = of_path.peek().is_some();
        match of_path.find(|operation| operation.method == asked) {
            Some(operation) => self.answer(operation, method, reply),
            None if is_page && (is_text(reply) || is_oauth_error(reply)) => Ok(()),
            None if reply.status < 400 => Err("the contract has no such route".to_owned()),
            None if is_known && ![405, 400, 503].contains(&reply.status) => {
                Err("the contract has the path for another method".to_owned())
            }
            None => self.refusal(method, reply),
        }
    }

    fn answer(&self, operation: &Operation, method: &str, reply: &Reply) -> Result<(), String> {
        let status = reply.status.to_string();
        let response = &operation.responses[status.as_str()];
        let response = match response["$ref"].as_str() {
            Some(reference) => &self.responses[reference.rsplit('/').next().unwrap_or_default()],
            None => response,
        };
        let content = response["content"].as_object().ok_or("the route does not have this status")?;
        if method == "HEAD" {
            return Ok(());
        }
        let sent = reply.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default();
        let content = content.get(sent).ok_or_else(|| format!("no such media type: '{sent}'"))?;
        if sent != "application/json" {
            return Ok(());
        }
        self.schemas.check(&content["schema"], &body(reply)?)
    }

    /// A reply that needs no route: it must have the three fields of every error.
    fn refusal(&self, method: &str, reply: &Reply) -> Result<(), String> {
        if method == "HEAD" { Ok(()) } else { self.schemas.named("Error", &body(reply)?) }
    }
}

impl Operation {
    fn matches(&self, path: &str) -> bool {
        let sent: Vec<&str> = path.split('/').collect();
        let fits = |(known, sent): (&String, &&str)| {
            if is_parameter(known) { !sent.is_empty() } else { known == sent }
        };
        sent.len() == self.path.len() && self.path.iter().zip(&sent).all(fits)
    }
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{')
}

/// Whether an error has the form of RFC 6749, 5.2.
fn is_oauth_error(reply: &Reply) -> bool {
    let body: Option<Value> = reply.json().ok();
    body.is_some_and(|body| body["error"].is_string() && body["error_description"].is_string())
}

/// Whether the reply is a page or a health check, and not a refusal.
fn is_text(reply: &Reply) -> bool {
    matches!(reply.status, 200 | 202)
        || reply.header("content-type").is_some_and(|kind| kind.starts_with("text/"))
}

fn body(reply: &Reply) -> Result<Value, String> {
    reply.json().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, kind: &str, body: &str) -> Reply {
        let headers = [("content-type", kind)]
            .into_iter()
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")));
        Reply { status, headers: headers.collect(), body: body.to_owned().into() }
    }

    #[track_caller]
    fn wrong(method: &str, path: &str, reply: &Reply) -> String {
        check(method, path, reply).expect_err("this answer departs from the contract")
    }

    /// Each difference is found, and named with its route and its place.
    #[test]
    fn an_answer_that_departs_from_the_contract_is_named() {
        let json = |status, body| reply(status, "application/json", body);
        let clock = r#"{"mode":"manual","now":"2026-01-01T00:00:00.000Z","now_ms":1,"next_due":null}"#;
        assert_eq!(check("GET", "/sandbox/clock?x=1", &json(200, clock)), Ok(()));
        let more = clock.replace('}', r#","more":1}"#);
        assert_eq!(
            wrong("GET", "/sandbox/clock", &json(200, &more)),
            "GET /sandbox/clock, 200: /more: a field that the contract does not have"
        );
        let less = clock.replace(r#","now_ms":1"#, "");
        assert!(wrong("GET", "/sandbox/clock", &json(200, &less)).ends_with("/now_ms: is missing"));
        let other = clock.replace("manual", "odd");
        assert!(wrong("GET", "/sandbox/clock", &json(200, &other)).contains("/mode: "));
        let level = r#"{"bids":[{"price":"1.","amount":"1","timestamp":"1"}],"asks":[]}"#;
        assert!(wrong("GET", "/v1/book/btcusd", &json(200, level)).contains("/bids/0/price: "));
        assert!(
            wrong("GET", "/sandbox/clock", &json(402, clock))
                .ends_with("the route does not have this status")
        );
        assert!(wrong("GET", "/v1/nowhere", &json(200, "{}")).ends_with("the contract has no such route"));
        assert!(wrong("GET", "/v1/nowhere", &json(404, "{}")).contains("/result: is missing"));
        assert!(wrong("POST", "/sandbox/clock", &json(404, "{}")).contains("another method"));
        assert!(wrong("GET", "/sandbox/clock", &reply(200, "text/plain", clock)).contains("media type"));
        assert_eq!(check("GET", "/v1/pubticker/none", &reply(404, "text/plain; charset=utf-8", "x")), Ok(()));
        assert_eq!(check("GET", "/health/ready", &reply(503, "text/plain", "not ready")), Ok(()));
    }
}
