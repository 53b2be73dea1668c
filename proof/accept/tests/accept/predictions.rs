//! Prediction markets over HTTP: clauses PM-001 to PM-036, and the rules of decisions D-106 to D-122.

mod accounts;
mod batches;
mod breaks;
mod day_volumes;
mod ends;
mod funds;
mod halts;
mod history;
mod old_paths;
mod orders;
mod positions;
mod prefixes;
mod public;
mod races;
mod refusals;
mod rewards;
mod rewards_off;
mod rights;
mod seeding;
mod sessions;
mod settled;
mod sorts;
mod statements;
mod stops;
mod terms;
mod unknown;
mod updated;
mod volumes;
mod withheld;

use buttonwood_accept::{Answer, Exchange, Value, json};

const ROOT: &str = "/v1/prediction-markets";
const ORDER: &str = "/v1/prediction-markets/order";
const BATCH: &str = "/v1/prediction-markets/order/batch";
const BATCH_CANCEL: &str = "/v1/prediction-markets/order/batch/cancel";
const CANCEL: &str = "/v1/prediction-markets/order/cancel";
const ACTIVE: &str = "/v1/prediction-markets/orders/active";
const HISTORY: &str = "/v1/prediction-markets/orders/history";
const SETTLED: &str = "/v1/prediction-markets/positions/settled";
const VOLUME: &str = "/v1/prediction-markets/metrics/volume";
const POSITIONS: &str = "/v1/prediction-markets/positions";
const ACCEPT: &str = "/v1/prediction-markets/terms/accept";
const STATUS: &str = "/v1/prediction-markets/terms/status";
/// The contract of the event RAIN.
const RAIN: &str = "SVC-RAIN";

/// An exchange with the event RAIN, whose terms the groups of `trader` and `counterparty` have accepted.
fn exchange() -> Exchange {
    let x = Exchange::start();
    list(&x, json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather" }));
    for key in ["trader", "counterparty"] {
        accept(&x, key);
    }
    x
}

/// Lists an event that expires after a day, unless the fields say otherwise.
fn list(x: &Exchange, mut fields: Value) -> Value {
    if fields.get("expiry_ms").is_none() {
        fields["expiry_ms"] = (x.now_ms() + 86_400_000).into();
    }
    x.control("/sandbox/predictions/events", &fields).ok()
}

fn accept(x: &Exchange, key: &str) {
    assert_eq!(x.as_(key).call(ACCEPT, json!({})).ok(), json!({ "success": true }));
}

/// The fields of a limit order, such as `buy yes 10 at 0.60`.
fn limit(words: &str) -> Value {
    let words: Vec<&str> = words.split(' ').collect();
    let [side, outcome, quantity, "at", price] = words.as_slice() else { panic!("no order: {words:?}") };
    json!({
        "symbol": RAIN, "orderType": "limit", "side": side, "outcome": outcome, "quantity": quantity, "price": price,
    })
}

/// The same with more fields.
fn with(words: &str, more: &Value) -> Value {
    let mut fields = limit(words);
    let more = more.as_object().expect("fields").clone();
    fields.as_object_mut().expect("fields").extend(more);
    fields
}

fn send(x: &Exchange, key: &str, fields: Value) -> Answer {
    x.as_(key).call(ORDER, fields)
}

/// Places an order, which must be accepted.
#[track_caller]
fn place(x: &Exchange, key: &str, fields: Value) -> Value {
    let answer = send(x, key, fields);
    assert_eq!(answer.status(), 201, "{answer}");
    answer.json()
}

/// Some fields of an object.
fn some(object: &Value, names: &[&str]) -> Vec<String> {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    names.iter().map(|name| shown(&object[*name])).collect()
}

/// The account's positions.
fn positions(x: &Exchange, key: &str) -> Vec<Value> {
    let page = x.as_(key).call(POSITIONS, json!({})).ok();
    let rows = page["positions"].as_array().expect("positions").clone();
    assert_eq!(page["total"], rows.len(), "{page}");
    rows
}

/// The ids of the account's live orders of contracts.
fn active(x: &Exchange, key: &str) -> Vec<u64> {
    let page = x.as_(key).call(ACTIVE, json!({})).ok();
    let rows = page["orders"].as_array().expect("orders");
    rows.iter().map(|row| row["orderId"].as_u64().expect("a number")).collect()
}
