//! Prediction markets over HTTP: clauses PM-001 to PM-036, and the rules of decisions D-106 to D-123.

mod life;
mod payout;
mod sample;

use buttonwood_accept::{Answer, Exchange, Value, json, laws};

/// A control call of the prediction markets.
#[track_caller]
fn control(x: &Exchange, path: &str, body: &Value) -> Answer {
    x.control(&format!("/sandbox/predictions{path}"), body)
}

/// An event with one contract.
fn lone(ticker: &str, expiry_ms: u64) -> Value {
    json!({ "ticker": ticker, "title": "Rain tomorrow", "category": "weather", "expiry_ms": expiry_ms })
}

/// An event with two contracts, one of which wins.
fn several(ticker: &str, expiry_ms: u64) -> Value {
    let mut fields = lone(ticker, expiry_ms);
    fields["contracts"] = json!([{ "ticker": "ANN", "label": "Ann" }, { "ticker": "BOB", "label": "Bob" }]);
    fields
}
