//! Paths and commands that take symbols and do not know contracts.

use super::*;

const CONTRACT: &str = include_str!("../../../../../contract/openapi.json");

/// Paths that serve contracts.
const SERVED: [&str; 4] = ["/v1/book/{symbol}", "/v1/trades/{symbol}", "/v2/ticker/{symbol}", "/v1/mytrades"];

/// Paths whose refusal does not name the symbol: those without a body, and one that looks for its order first.
const SILENT: [&str; 3] =
    ["/v1/fundingamount/{symbol}", "/v1/nextfundingtimestamp/{symbol}", "/v1/clearing/confirm"];

/// A call that would be taken with another symbol: its key, and its fields without the symbol.
fn sample(path: &str) -> (&'static str, Value) {
    let clearing = json!({ "amount": "1", "price": "0.50", "side": "buy", "expires_in_hrs": 24 });
    match path {
        "/v1/order/new" => {
            ("trader", json!({ "amount": "10", "price": "0.50", "side": "buy", "type": "exchange limit" }))
        }
        "/v1/wrap/{symbol}" => ("trader", json!({ "amount": "1", "side": "buy" })),
        "/v1/instant/quote" => ("trader", json!({ "side": "buy", "totalSpend": "10" })),
        "/v1/instant/quote/{side}/{symbol}" => ("trader", json!({ "totalSpend": "10" })),
        "/v1/instant/execute" => (
            "trader",
            json!({ "side": "buy", "quantity": "10", "price": "0.50", "fee": "0.1", "quoteId": 1 }),
        ),
        "/v1/clearing/new" => ("trader", clearing),
        "/v1/clearing/confirm" => ("trader", with_fields(clearing, &json!({ "clearing_id": "0OQGOZXW" }))),
        "/v1/clearing/broker/new" => {
            let parties =
                json!({ "source_counterparty_id": "R485E04Q", "target_counterparty_id": "Z4929ZDY" });
            ("broker", with_fields(clearing, &parties))
        }
        "/v1/clearing/broker/list" => ("broker", json!({})),
        "/v1/margin/order/preview" => {
            ("margin-000", json!({ "side": "buy", "type": "limit", "amount": "10", "price": "0.50" }))
        }
        "/v1/margin" => ("perp-000", json!({})),
        "/v2/fxrate/{symbol}/{timestamp}" => ("auditor", json!({})),
        _ => ("trader", json!({})),
    }
}

fn with_fields(mut fields: Value, more: &Value) -> Value {
    fields.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
    fields
}

/// The names of the fields of an operation's payload.
fn payload_fields(contract: &Value, operation: &Value) -> Vec<String> {
    let mut schema = &operation["x-payload"];
    while let Some(reference) = schema["$ref"].as_str() {
        schema = &contract["components"]["schemas"][reference.rsplit('/').next().unwrap_or_default()];
    }
    let fields = schema["properties"].as_object();
    fields.into_iter().flat_map(|fields| fields.keys().cloned()).collect()
}

/// Where an operation takes a symbol.
struct Taker {
    method: String,
    path: String,
    is_signed: bool,
    in_query: bool,
}

/// The operations of customers that take a symbol and do not serve contracts.
fn takers() -> Vec<Taker> {
    let contract: Value = serde_json::from_str(CONTRACT).expect("the contract is JSON");
    let mut found = Vec::new();
    let paths = contract["paths"].as_object().expect("paths");
    for (path, item) in paths.iter().filter(|(_, item)| item["x-stream"] != true) {
        let is_ours =
            path.starts_with(ROOT) || path.starts_with("/sandbox/symbols") || SERVED.contains(&path.as_str());
        for (method, operation) in item.as_object().expect("operations").iter().filter(|_| !is_ours) {
            let in_query = operation["parameters"]
                .as_array()
                .is_some_and(|all| all.iter().any(|one| one["name"] == "symbol" && one["in"] == "query"));
            let in_payload = payload_fields(&contract, operation).iter().any(|name| name == "symbol");
            if path.contains("{symbol}") || in_query || in_payload {
                let is_signed = operation.get("security").is_some_and(|all| all[0].get("key").is_some());
                found.push(Taker { method: method.to_uppercase(), path: path.clone(), is_signed, in_query });
            }
        }
    }
    found
}

/// The answer of an operation to a symbol.
fn answer_to(x: &Exchange, taker: &Taker, symbol: &str) -> Answer {
    let (key, mut fields) = sample(&taker.path);
    let mut path = taker.path.replace("{symbol}", symbol).replace("{side}", "buy");
    path = path.replace("{time_frame}", "1m").replace("{timestamp}", &x.now_ms().to_string());
    if taker.in_query {
        path = format!("{path}?symbol={symbol}");
    }
    match (taker.method.as_str(), taker.is_signed) {
        ("GET", true) => x.as_(key).signed_get(&path, fields),
        ("GET", false) => x.get(&path),
        _ => {
            fields["symbol"] = symbol.into();
            x.as_(key).call(&path, fields)
        }
    }
}

/// The answer without the symbol, which some paths show without its hyphens.
fn shown(answer: &Answer, symbol: &str) -> String {
    let body = answer.reply.text().to_lowercase();
    let symbol = symbol.to_lowercase();
    format!("{} {}", answer.status(), body.replace(&symbol, "?").replace(&symbol.replace('-', ""), "?"))
}

/// Every path that takes a symbol answers for a contract as for a symbol that does not exist, in any letter case; a new path is covered as
/// soon as it is in the contract file.
#[test]
fn no_other_path_knows_contracts() {
    let x = exchange();
    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 5 at 0.40"));
    let takers = takers();
    assert!(takers.len() >= 27, "{}", takers.len());
    for taker in &takers {
        let unknown = shown(&answer_to(&x, taker, "SVC-NONE"), "SVC-NONE");
        assert!(unknown.starts_with('4') || unknown.starts_with("200 []"), "{} {unknown}", taker.path);
        let is_named = unknown.contains('?') || SILENT.contains(&taker.path.as_str());
        assert!(is_named, "{}: refused for something else: {unknown}", taker.path);
        for symbol in [RAIN, "svc-rain"] {
            assert_eq!(
                shown(&answer_to(&x, taker, symbol), symbol),
                unknown,
                "{} {}",
                taker.method,
                taker.path
            );
        }
    }
}

/// Commands of operators that take the symbol of a market refuse a contract, and change nothing.
#[test]
fn operators_commands_for_markets_do_not_know_contracts() {
    let x = exchange();
    let auction = json!({ "auction_time_ms": x.now_ms() + 3_600_000 });
    let pairs = [
        (
            "/sandbox/symbols/SVC-RAIN/status",
            "/sandbox/symbols/SVC-NONE/status",
            json!({ "status": "closed" }),
        ),
        ("/sandbox/symbols/svc-rain/auctions", "/sandbox/symbols/svc-none/auctions", auction),
    ];
    for (path, unknown, body) in pairs {
        let refusals =
            [path, unknown].map(|path| x.control(path, &body).refused(400, "InvalidSymbol").message);
        assert_eq!(refusals[0].to_lowercase().replace("rain", "none"), refusals[1].to_lowercase(), "{path}");
    }
    let promotion = json!({ "symbols": ["btcusd", "SVC-RAIN"], "maker_bps": 1, "taker_bps": 1 });
    assert!(x.control("/sandbox/promotions", &promotion).error().message.contains("SVC-RAIN"));
    assert_eq!(x.get("/v1/feepromos").ok(), json!({ "symbols": [] }));
    for name in ["SVC-RAIN", "svc-rain"] {
        let symbol = json!({
            "symbol": name, "base_currency": "BTC", "quote_currency": "USD", "tick_size": "0.01",
            "quote_increment": "0.01", "min_order_size": "1",
        });
        assert_eq!(x.control("/sandbox/symbols", &symbol).status(), 400);
    }
    for arguments in [
        ["symbol", "status", "SVC-RAIN", "closed", "--reason", "x"].as_slice(),
        &["auction", "end", "SVC-RAIN", "--reason", "x"],
        &["fees", "promote", "SVC-RAIN", "--maker-bps", "1", "--taker-bps", "1", "--reason", "x"],
    ] {
        let line = x.admin(arguments).refused();
        assert!(line.contains("SVC-RAIN"), "{arguments:?}: {line}");
    }
    place(&x, "trader", limit("buy yes 10 at 0.60"));
}
