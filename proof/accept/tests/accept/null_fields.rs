//! `null` in the fields of requests (D-169).

use std::collections::BTreeMap;

use buttonwood_accept::{Answer, Exchange, Value, json};

const CONTRACT: &str = include_str!("../../../../contract/openapi.json");
const BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

/// A call of the contract.
struct Operation {
    method: String,
    path: String,
    by: String,
    roles: Vec<String>,
    /// The fields of its payload or its body, and whether each is required.
    fields: BTreeMap<String, bool>,
    /// The parameters of its query string, and whether each is required.
    query: BTreeMap<String, bool>,
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

fn operations() -> Vec<Operation> {
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let mut found = Vec::new();
    for (path, item) in contract["paths"].as_object().unwrap() {
        if item["x-stream"] == true {
            continue;
        }
        for (method, operation) in item.as_object().unwrap() {
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            let schema = if body.is_null() { &operation["x-payload"] } else { body };
            let name = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
            let schema = name.map_or(schema, |name| &contract["components"]["schemas"][name]);
            let required = texts(&schema["required"]);
            let fields = schema["properties"].as_object().into_iter().flatten();
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let query = parameters.filter(|parameter| parameter["in"] == "query");
            found.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                by: operation["x-by"].as_str().unwrap_or_default().to_owned(),
                roles: texts(&operation["x-roles"]),
                fields: fields.map(|(name, _)| (name.clone(), required.contains(name))).collect(),
                query: query
                    .map(|field| (field["name"].as_str().unwrap().to_owned(), field["required"] == true))
                    .collect(),
            });
        }
    }
    found
}

/// A value that fits a field of most calls.
fn fitting(path: &str, field: &str, x: &Exchange, turn: u64) -> Value {
    match field {
        "symbol" if path == "/sandbox/symbols" => json!(format!("t{turn}usd")),
        "symbol" => json!("btcusd"),
        "side" => json!("buy"),
        "type" if path.contains("addbank") => json!("checking"),
        "type" => json!("exchange market"),
        "amount" => json!("0.01"),
        "totalSpend" => json!("50"),
        "sourceAccount" | "account" => json!("primary"),
        "targetAccount" => json!("savings"),
        "address" => json!(BTC),
        "label" => json!("mine"),
        "accountnumber" => json!("12345678"),
        "routing" => json!("021000021"),
        "name" => json!(format!("Name {turn}")),
        "currency" | "base_currency" => json!("BTC"),
        "quote_currency" => json!("USD"),
        "group" if path == "/sandbox/keys" => json!("one"),
        "group" => json!("one"),
        "kind" if path.contains("break") => json!("full"),
        "kind" => json!("exchange"),
        "accounts_max" => json!(500),
        "custody_terms" | "approve" => json!(true),
        "on" => json!(false),
        "network" => json!("bitcoin"),
        "from" => json!(["127.0.0.1"]),
        "roles" => json!(["Trader"]),
        "api_key" => json!(x.key("broker").credentials.api_key),
        "broadcast" => json!("normal"),
        "status" => json!("open"),
        "pair" => json!("usdeur"),
        "rate" | "tick_size" | "quote_increment" | "min_order_size" => json!("1"),
        "symbols" => json!(["btcusd"]),
        "tiers" => json!([{ "from_usd": "0", "maker_bps": 20, "taker_bps": 40 }]),
        _ => json!(1),
    }
}

fn key(operation: &Operation) -> &'static str {
    let needs = |role: &str| operation.roles.iter().any(|known| known == role);
    match operation.by.as_str() {
        "master" | "group" => "master",
        _ if needs("Trader") => "trader",
        _ if needs("Fund Manager") => "fund-manager",
        _ if needs("Auditor") => "auditor",
        _ => "trader",
    }
}

fn target(path: &str) -> String {
    let values = [
        ("symbol", if path.contains("wrap") { "gusdusd" } else { "btcusd" }),
        ("currency", "btc"),
        ("network", "bitcoin"),
        ("ticker", "btc"),
        ("token", "btc"),
        ("side", "buy"),
        ("group", "one"),
        ("time_frame", "1m"),
        ("timestamp", "1767225600000"),
    ];
    values.iter().fold(path.to_owned(), |path, (name, value)| path.replace(&format!("{{{name}}}"), value))
}

fn send(x: &Exchange, operation: &Operation, fields: Value) -> Answer {
    let path = target(&operation.path);
    match (operation.by.as_str(), operation.method.as_str()) {
        ("control", _) => x.control(&path, &fields),
        (_, "GET") => x.as_(key(operation)).signed_get(&path, fields),
        _ => x.as_(key(operation)).call(&path, fields),
    }
}

/// The fields that the call needs, without `but`.
fn needed(x: &Exchange, operation: &Operation, but: &str, turn: u64) -> Value {
    let mut fields = json!({});
    for (name, required) in &operation.fields {
        if *required && name != but && !["request", "nonce"].contains(&name.as_str()) {
            fields[name] = fitting(&operation.path, name, x, turn);
        }
    }
    if operation.path == "/v1/order/new" {
        fields[if but == "amount" { "total_spend" } else { "amount" }] = json!("50");
    }
    fields
}

fn message(answer: &Answer) -> String {
    answer.json()["message"].as_str().unwrap_or_default().to_owned()
}

/// Every optional field of every call, in payloads and in the bodies of control calls. Proves D-169.
#[test]
fn null_in_an_optional_field_is_the_field_left_out() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let (mut pairs, mut answered, mut turn) = (0, 0, 0);
    for operation in operations() {
        for (field, _) in operation.fields.iter().filter(|(_, required)| !**required) {
            turn += 1;
            let mut fields = needed(&x, &operation, field, turn);
            let left_out = fields.clone();
            fields[field] = Value::Null;
            let answer = send(&x, &operation, fields);
            pairs += 1;
            answered += usize::from(answer.status() < 300);
            if answer.status() < 300 {
                continue;
            }
            let said = message(&answer);
            let context = format!("{} {field}: {answer}", operation.path);
            assert!(answer.status() < 500 || answer.status() == 503, "{context}");
            // The exception: left out, the order would be open to all who have its id.
            if (operation.path.as_str(), field.as_str()) == ("/v1/clearing/new", "counterparty_id") {
                assert!(answer.status() == 400 && said.contains("counterparty_id"), "{context}");
                continue;
            }
            assert!(!said.contains("null"), "{context}");
            if said.contains(field.as_str()) {
                assert_eq!(said, message(&send(&x, &operation, left_out)), "{context}");
            }
        }
    }
    assert!(pairs > 200 && answered * 2 > pairs, "{answered} of {pairs} pairs were answered");
}

/// A field that a call needs, in payloads and in the bodies of control calls. Proves D-169.
#[test]
fn null_in_a_required_field_is_refused() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let mut pairs = 0;
    for operation in operations() {
        for (field, _) in operation.fields.iter().filter(|(_, required)| **required) {
            let mut fields = needed(&x, &operation, field, 1);
            fields[field] = Value::Null;
            let answer = send(&x, &operation, fields);
            pairs += 1;
            assert!((400..500).contains(&answer.status()), "{} {field}: {answer}", operation.path);
        }
    }
    assert!(pairs > 200, "{pairs}");
    let trader = x.as_("trader");
    for (field, reason) in [("price", "InvalidPrice"), ("amount", "InvalidQuantity"), ("side", "InvalidSide")]
    {
        let mut order = json!({ "symbol": "btcusd", "side": "buy", "type": "exchange limit", "price": "1", "amount": "1" });
        order[field] = Value::Null;
        let refusal = trader.call("/v1/order/new", order).refused(400, reason);
        assert!(refusal.message.contains("null"), "{refusal:?}");
    }
}

/// The orders of published clients, which send `null` in what they do not use. Proves D-169.
#[test]
fn orders_with_nulls_are_placed() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = json!({
        "symbol": "btcusd", "side": "buy", "type": "exchange limit", "price": "1", "amount": "1", "stop_price": null,
        "total_spend": null, "options": null, "client_order_id": null, "margin_order": null, "account": null,
    });
    let placed = trader.call("/v1/order/new", order).ok();
    assert_eq!((&placed["is_live"], &placed["client_order_id"]), (&json!(true), &Value::Null));
    let named = json!({ "order_id": placed["order_id"], "client_order_id": null, "include_trades": null });
    trader.call("/v1/order/status", named.clone()).ok();
    assert_eq!(trader.call("/v1/order/cancel", named).ok()["is_cancelled"], true);
    // A text is no null.
    let text = json!({ "order_id": placed["order_id"], "include_trades": "null" });
    trader.call("/v1/order/status", text).refused(400, "InvalidParameterValue");
}

/// In query strings the word `null` is a parameter left out, and nothing at all is an empty text. Proves D-169.
#[test]
fn null_in_a_query_is_the_parameter_left_out() {
    let x = Exchange::start();
    let mut pairs = 0;
    // While rewards are off, these answer 503 to everything.
    let is_off =
        |path: &str| path.ends_with("/maker-rebate/rates") || path.ends_with("/liquidity-rewards/events");
    let all = operations();
    for operation in all.iter().filter(|operation| operation.by == "public" && !is_off(&operation.path)) {
        for (name, required) in &operation.query {
            let others = operation.query.iter().filter(|(other, needed)| **needed && *other != name);
            let others: Vec<String> = others.map(|(other, _)| format!("&{other}=btcgusdperp")).collect();
            let others = others.concat();
            let asked = |value: &str| x.get(&format!("{}?{name}={value}{others}", target(&operation.path)));
            let answer = asked("null");
            pairs += 1;
            assert_eq!(answer.status() >= 400, *required, "{} {name}: {answer}", operation.path);
            // No event has an empty category, which is no error.
            if !required && !operation.path.starts_with("/v1/prediction-markets/") {
                let empty = asked("");
                assert_eq!(empty.status(), 400, "{} {name}: {empty}", operation.path);
            }
        }
    }
    assert!(pairs > 8, "{pairs}");
    // The last of two counts.
    assert_eq!(x.get("/v1/trades/btcusd?limit_trades=0&limit_trades=null").status(), 200);
}
