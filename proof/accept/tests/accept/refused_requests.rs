//! `GET /sandbox/requests`: why the calls of a key were refused.

use buttonwood_accept::{Exchange, Signed, Value, json, same_keys};

fn requests(x: &Exchange, name: &str) -> Vec<Value> {
    let key = x.key(name).credentials.api_key.clone();
    let answer = x.get(&format!("/sandbox/requests?key={key}"));
    answer.ok()["requests"].as_array().unwrap().clone()
}

/// Each entry says what was sent, what was wrong and what would have been right.
#[test]
fn refused_calls_are_explained() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    assert!(requests(&x, "trader").is_empty());
    trader.call("/v1/balances", json!({ "nonce": 7_000 })).ok();
    assert!(requests(&x, "trader").is_empty(), "calls that are answered are not kept");

    // A nonce that was used.
    trader.call("/v1/order/status", json!({ "nonce": "7000", "order_id": 5 })).refused(400, "InvalidNonce");
    // A signature of another text.
    let sent = trader.sign(br#"{"request":"/v1/balances","nonce":7001}"#);
    let wrong = Signed { signature: "ab".repeat(48), ..sent.clone() };
    trader.call_signed("/v1/balances", &wrong).refused(400, "InvalidSignature");
    // A payload that is no JSON.
    trader
        .call_payload("/v1/order/new", br#"{"request":"/v1/order/new","nonce":}"#)
        .refused(400, "InvalidJson");
    // A header is missing.
    let headers = [("X-SVC-APIKEY", sent.api_key.as_str()), ("X-SVC-SIGNATURE", sent.signature.as_str())];
    trader.send("POST", "/v1/balances", &headers, b"").refused(400, "MissingPayloadHeader");
    // A path that does not exist, and a method that does not fit.
    trader.call("/v1/nowhere", json!({ "nonce": 7_002 })).refused(404, "EndpointNotFound");
    trader.send("DELETE", "/v1/balances", &headers, b"").error();

    let kept = requests(&x, "trader");
    let field = |name: &str| -> Vec<&Value> { kept.iter().map(|one| &one[name]).collect() };
    assert_eq!(field("check"), ["path", "path", "headers", "payload", "signature", "nonce"]);
    assert_eq!(field("status"), [405, 404, 400, 400, 400, 400]);
    assert_eq!(
        field("route"),
        [
            "DELETE /v1/balances",
            "POST /v1/nowhere",
            "POST /v1/balances",
            "POST /v1/order/new",
            "POST /v1/balances",
            "POST /v1/order/status"
        ]
    );
    assert!(field("highest_nonce").iter().all(|nonce| **nonce == "7000"), "{kept:?}");
    let [_, _, headless, malformed, unsigned, stale] = kept.as_slice() else { panic!("{kept:?}") };
    for one in &kept {
        let names = [
            "number",
            "key",
            "time_ms",
            "route",
            "status",
            "reason",
            "message",
            "unknown_fields",
            "payload",
            "signed",
            "expected_signature",
            "signature",
            "highest_nonce",
            "check",
        ];
        same_keys(one, &names, one);
        assert_eq!(one["time_ms"], 1_767_225_600_000_u64);
    }
    assert_eq!(stale["payload"]["nonce"], "7000");
    assert!(stale["message"].as_str().unwrap().contains("has not increased"), "{stale}");
    assert_eq!(unsigned["signed"], sent.payload);
    assert_eq!(unsigned["expected_signature"], sent.signature, "the signature that would have fitted");
    assert_eq!(unsigned["signature"], wrong.signature, "the one that was sent");
    assert_eq!(unsigned["payload"], json!({ "request": "/v1/balances", "nonce": 7001 }));
    assert_eq!(malformed["payload"], r#"{"request":"/v1/order/new","nonce":}"#, "as text");
    assert_eq!(malformed["reason"], "InvalidJson");
    assert_eq!((&headless["payload"], &headless["signed"]), (&Value::Null, &Value::Null));
    assert_eq!(headless["expected_signature"], Value::Null);
    // An entry can be used: the same payload with the signature shown passes.
    let mended = Signed { signature: unsigned["expected_signature"].as_str().unwrap().to_owned(), ..wrong };
    trader.call_signed("/v1/balances", &mended).ok();
}

/// Every later check has its name too, and keys are kept apart.
#[test]
fn the_check_that_failed_is_named() {
    let x = Exchange::start();
    let order = |amount: &str| json!({ "symbol": "btcusd", "amount": amount, "price": "100", "side": "buy", "type": "exchange limit" });
    x.as_("auditor").call("/v1/order/new", order("1")).refused(403, "MissingRole");
    let empty = x.as_("empty");
    empty.call("/v1/order/new", order("0")).refused(400, "InvalidQuantity");
    empty.call("/v1/order/new", order("1")).refused(406, "InsufficientFunds");
    x.set_status("btcusd", "cancel_only");
    empty.call("/v1/order/new", order("1")).refused(400, "MarketNotOpen");
    empty.call("/v1/balances", json!({ "account": "savings" })).refused(400, "AccountsOnGroupOnlyApi");
    empty.call("/v1/balances", json!({ "request": "/v1/orders" })).refused(400, "EndpointMismatch");
    empty.signed_get("/v1/order/events", json!({})).refused(426, "UpgradeRequired");
    let checks = |name: &str| -> Vec<String> {
        requests(&x, name).iter().map(|one| one["check"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(checks("empty"), ["parameters", "request", "account", "market", "funds", "parameters"]);
    assert_eq!(checks("auditor"), ["role"]);
    let refused = &requests(&x, "auditor")[0];
    assert!(refused["message"].as_str().unwrap().contains("[Trader]"), "{refused}");
    assert!(checks("trader").is_empty());
}

/// The newest hundred, the newest first; none of them with a secret.
#[test]
fn a_hundred_are_kept() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for number in 0..130 {
        trader.call("/v1/order/status", json!({ "order_id": number })).refused(404, "OrderNotFound");
    }
    let kept = requests(&x, "trader");
    let ids: Vec<u64> = kept.iter().map(|one| one["payload"]["order_id"].as_u64().unwrap()).collect();
    assert_eq!(ids, (30..130).rev().collect::<Vec<_>>());
    let text = x.get(&format!("/sandbox/requests?key={}", x.key("trader").credentials.api_key)).reply.text();
    let secret = x.key("trader").entry["api_secret"].as_str().unwrap().to_owned();
    assert!(secret.len() > 10 && !text.contains(&secret));
}

/// Without a key, the calls of all keys come in the order in which they were answered, though the clock stands still.
#[test]
fn calls_of_all_keys_are_listed() {
    let x = Exchange::start();
    let order = |id: u64| json!({ "order_id": id });
    for (name, id) in [("trader", 1), ("auditor", 2), ("trader", 3), ("empty", 4)] {
        x.as_(name).call("/v1/order/status", order(id)).refused(404, "OrderNotFound");
    }
    x.as_("empty").call("/v1/balances", json!({})).ok();
    let listed = |query: &str| -> Vec<Value> {
        x.get(&format!("/sandbox/requests{query}")).ok()["requests"].as_array().unwrap().clone()
    };
    let refused = listed("");
    let ids: Vec<u64> = refused.iter().map(|one| one["payload"]["order_id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [4, 3, 2, 1]);
    assert_eq!(refused[2]["key"], x.key("auditor").credentials.api_key);
    let numbers: Vec<u64> = refused.iter().map(|one| one["number"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|newer, older| newer > older), "{numbers:?}");
    let all = listed("?all=true");
    assert_eq!((all.len(), &all[0]["route"]), (5, &json!("POST /v1/balances")));
    assert_eq!(all[0]["signature"], all[0]["expected_signature"]);
}

/// An unknown key, and another method.
#[test]
fn wrong_questions_are_refused() {
    let x = Exchange::start();
    let message = x.get("/sandbox/requests?key=account-nobody").refused(404, "InvalidApiKey").message;
    assert!(message.contains("'account-nobody'"), "{message}");
    x.get("/sandbox/requests?key=").refused(404, "InvalidApiKey");
    assert_eq!(x.control("/sandbox/requests", &json!({})).status(), 405);
    let key = x.key("trader").credentials.api_key.clone();
    let headers = [("X-Forwarded-For", "192.0.2.1")];
    let answer = x.anyone().send("GET", &format!("/sandbox/requests?key={key}"), &headers, b"");
    answer.refused(403, "RemoteAddressForbidden");
}

/// Calls over sockets are listed with their parameters, those that a method does not know by their names alone.
#[test]
fn calls_over_sockets_are_listed() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    socket.ok("subscribe", json!(["orders@account"]));
    let order = json!({ "symbol": "btcusd", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "1",
        "price": "100.001", "apiSecret": "do not keep me" });
    socket.refused("order.place", order, 400, -2010);
    socket.refused("order.amend", json!({ "signature": "nor me" }), 400, -1020);
    x.socket("/").ok("ping", Value::Null);
    let key = &x.key("time-nonce").credentials.api_key;
    let listed = |all: &str| {
        let answer = x.get(&format!("/sandbox/requests?key={key}{all}"));
        assert!(!answer.reply.text().contains(" me\""), "{answer}");
        answer.ok()["requests"].as_array().unwrap().clone()
    };
    let refused = listed("");
    let [amend, place] = &refused[..] else { panic!("{refused:?}") };
    assert_eq!(place["route"], "SOCKET order.place");
    assert_eq!((&place["status"], &place["reason"]), (&json!(400), &json!("InvalidPrice")), "{place}");
    assert!(place["message"].as_str().unwrap().starts_with("InvalidPrice: "), "{place}");
    assert_eq!(place["unknown_fields"], json!(["apiSecret"]));
    let params = json!({ "symbol": "btcusd", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
        "quantity": "1", "price": "100.001" });
    assert_eq!(place["payload"]["params"], params, "{place}");
    assert_eq!((&amend["route"], &amend["check"]), (&json!("SOCKET order.amend"), &json!("path")), "{amend}");
    assert_eq!(amend["unknown_fields"], json!(["signature"]));
    let all = listed("&all=true");
    let subscribed = all.iter().find(|call| call["route"] == "SOCKET subscribe").expect("it is listed");
    assert_eq!((&subscribed["status"], &subscribed["reason"]), (&json!(200), &Value::Null), "{subscribed}");
    assert_eq!(subscribed["payload"]["params"], json!(["orders@account"]));
    assert!(all.iter().all(|call| call["route"] != "SOCKET ping"), "a public socket has no key");
}
