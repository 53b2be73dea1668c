//! Sessions, nonces and heartbeats: clauses SES.

use super::oauth;
use buttonwood_accept::{Answer, Exchange, NewOrder, Value, json, laws};
use std::sync::Barrier;

fn with_nonce(x: &Exchange, key: &str, nonce: Value) -> Answer {
    x.as_(key).call("/v1/balances", json!({ "nonce": nonce }))
}

/// A call with a nonce written exactly like this, including digits and quotes.
fn with_raw_nonce(x: &Exchange, key: &str, nonce: &str) -> Answer {
    let payload = format!(r#"{{"request":"/v1/balances","nonce":{nonce}}}"#);
    x.as_(key).call_payload("/v1/balances", payload.as_bytes())
}

/// A session is a key: its orders belong to it. Proves SES-001.
#[test]
fn a_session_is_a_key() {
    let x = Exchange::start();
    let first = x.as_("trader").limit("btcusd", "buy", "1", "100");
    let second = x.as_("second-session").limit("btcusd", "buy", "1", "100");
    let cancelled = x.as_("second-session").call("/v1/order/cancel/session", json!({})).ok();
    let id: u64 = second["order_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(cancelled["details"]["cancelledOrders"], json!([id]));
    assert_eq!(x.as_("trader").live_ids(), [first["order_id"].as_str().unwrap()]);
}

/// Nonces must rise; an equal or lower one is refused with the documented message, the nonce and the endpoint. Proves
/// SES-002.
#[test]
fn nonces_increase() {
    let x = Exchange::start();
    with_nonce(&x, "trader", json!(1000)).ok();
    for low in [json!(1000), json!(999), json!(0), json!("1000"), json!("5")] {
        let shown = low.to_string().replace('"', "");
        let answer = with_nonce(&x, "trader", low);
        let message = answer.refused(400, "InvalidNonce").message;
        let words = format!("Nonce '{shown}' has not increased since your last call to the");
        assert!(message.contains(&words) && message.contains("'/v1/balances'"), "{answer}");
        assert!(message.contains("highest is '1000'"), "{answer}");
    }
    let elsewhere = x.as_("trader").call("/v1/heartbeat", json!({ "nonce": 1000 }));
    let message = elsewhere.refused(400, "InvalidNonce").message;
    assert!(message.contains("Nonce '1000' has not") && message.contains("'/v1/heartbeat'"), "{elsewhere}");
    with_nonce(&x, "trader", json!(1001)).ok();
}

/// Each key has its own nonces. Proves SES-003.
#[test]
fn nonces_are_per_key() {
    let x = Exchange::start();
    for key in ["trader", "second-session", "counterparty"] {
        with_nonce(&x, key, json!(77)).ok();
        with_nonce(&x, key, json!(77)).refused(400, "InvalidNonce");
    }
}

/// No nonce at all. Proves SES-004.
#[test]
fn missing_nonce() {
    let x = Exchange::start();
    x.as_("trader")
        .call_payload("/v1/balances", br#"{"request":"/v1/balances"}"#)
        .refused(400, "MissingNonce");
}

/// Any number in any notation, compared exactly; text is not a number. Proves SES-005.
#[test]
fn nonces_of_any_size() {
    let x = Exchange::start();
    // Seconds, milliseconds, microseconds, nanoseconds; around 2^53 and 2^64; thirty digits; decimals; exponents.
    let rising = [
        "1700000000",
        "\"1700000000.12\"",
        "1700000000.125",
        "1.7000000005e9",
        "1700000000000",
        "1700000000000000",
        "9007199254740992",
        "9007199254740993",
        "\"9007199254740994\"",
        "1700000000000000000",
        "1.700000000000000256e+18",
        "\"1.8E18\"",
        "18446744073709551615",
        "18446744073709551616",
        "\"18446744073709551617\"",
        "123456789012345678901234567890",
        "123456789012345678901234567890.5",
        "\"123456789012345678901234567891\"",
        "1.8e+40",
        "18000000000000000000000000000000000000001",
    ];
    for nonce in rising {
        with_raw_nonce(&x, "second-session", nonce).ok();
        with_raw_nonce(&x, "second-session", nonce).refused(400, "InvalidNonce");
    }
    for wrong in ["\"abc\"", "\"\"", "\"12a\"", "\" 1\"", "true", "[]", "{}", "\"-\"", "\"0x10\""] {
        let answer = with_raw_nonce(&x, "trader", wrong);
        let message = answer.refused(400, "InvalidNonce").message;
        assert!(message.contains("was not parseable as a number"), "{answer}");
    }
}

/// A key whose nonce was too high for any later one can start over, also over restarts; other keys cannot. Proves
/// ERR-003.
#[test]
fn nonces_begin_again() {
    let x = Exchange::start();
    let highest = "9".repeat(64);
    for key in ["trader", "second-session"] {
        with_raw_nonce(&x, key, &highest).ok();
        with_raw_nonce(&x, key, "1").refused(400, "InvalidNonce");
    }
    let api_key = x.key("trader").entry["api_key"].clone();
    let reset = |api_key: &Value| x.control("/sandbox/nonces/reset", &json!({ "api_key": api_key }));
    assert_eq!(reset(&api_key).ok(), json!({ "result": "ok", "api_key": api_key }));
    let order = json!({ "nonce": 1, "symbol": "btcusd", "side": "buy", "amount": "1", "price": "100", "type": "exchange limit" });
    x.as_("trader").call("/v1/order/new", order).ok();
    with_raw_nonce(&x, "trader", "1").refused(400, "InvalidNonce");
    x.kill9();
    x.restart();
    with_raw_nonce(&x, "trader", "1").refused(400, "InvalidNonce");
    with_raw_nonce(&x, "trader", "2").ok();
    with_raw_nonce(&x, "second-session", "2").refused(400, "InvalidNonce");
    let refusal = reset(&json!("account-nobody")).refused(400, "InvalidParameterValue");
    assert!(
        refusal.message.contains("'api_key'") && refusal.message.contains("account-nobody"),
        "{refusal:?}"
    );
    x.control("/sandbox/nonces/reset", &json!({})).refused(400, "MissingPayloadKey");
}

/// A valid signature uses up a nonce, even if the call is refused, and it stays used (D-08). Proves SES-006, SES-007.
#[test]
fn when_a_nonce_is_used() {
    let x = Exchange::start();
    let bad_order = |nonce: u64| {
        let mut params = NewOrder::limit("nosuch", "buy", "1", "100").params();
        params["nonce"] = json!(nonce);
        params
    };
    x.as_("trader").call("/v1/order/new", bad_order(10)).refused(400, "InvalidSymbol");
    with_nonce(&x, "trader", json!(10)).refused(400, "InvalidNonce");
    x.as_("auditor").call("/v1/order/new", bad_order(10)).refused(403, "MissingRole");
    with_nonce(&x, "auditor", json!(10)).refused(400, "InvalidNonce");
    let trader = x.as_("trader");
    let mut signed = trader.sign(trader.payload("/v1/balances", json!({ "nonce": 50 })).as_bytes());
    signed.signature = "0".repeat(96);
    trader.call_signed("/v1/balances", &signed).refused(400, "InvalidSignature");
    with_nonce(&x, "trader", json!(50)).ok();
    // A used nonce stays used: after refused calls, after crashes, and after calls that only read.
    let mytrades = json!({ "nonce": 60, "limit_trades": 0 });
    x.as_("second-session").call("/v1/mytrades", mytrades).refused(400, "InvalidParameterValue");
    x.as_("fund-manager").call("/v1/orders", json!({ "nonce": 60 })).refused(403, "MissingRole");
    x.as_("savings-trader").call("/v1/orders", json!({ "nonce": 60, "account": "nobody" })).error();
    x.as_("trader").call("/v1/order/new", bad_order(60)).refused(400, "InvalidSymbol");
    x.as_("auditor")
        .call("/v1/order/cancel", json!({ "nonce": 60, "order_id": 1 }))
        .refused(403, "MissingRole");
    x.as_("counterparty").call("/v1/order/new", json!({ "nonce": 60, "account": "nobody" })).error();
    x.kill9();
    x.restart();
    let keys = ["trader", "auditor", "counterparty", "second-session", "fund-manager", "savings-trader"];
    for key in keys {
        with_nonce(&x, key, json!(60)).refused(400, "InvalidNonce");
        with_nonce(&x, key, json!(70)).ok();
    }
    x.restart();
    for key in keys {
        with_nonce(&x, key, json!(70)).refused(400, "InvalidNonce");
    }
}

/// Of several calls with an equal nonce at once exactly one passes, and a kill loses none. Proves SES-007.
#[test]
fn equal_nonces_at_once() {
    let x = Exchange::start();
    let (key, callers) = ("trader", 6);
    let barrier = Barrier::new(callers);
    let actors: Vec<_> = (0..callers).map(|_| x.fresh(key)).collect();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let threads: Vec<_> = actors
            .into_iter()
            .map(|actor| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    let mut params = NewOrder::limit("btcusd", "buy", "1", "100").params();
                    params["nonce"] = json!(5000);
                    actor.call("/v1/order/new", params).status()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    x.kill9();
    x.restart();
    with_nonce(&x, key, json!(5000)).refused(400, "InvalidNonce");
    assert_eq!(with_nonce(&x, key, json!(5001)).ok().as_array().map(Vec::is_empty), Some(false));
    let orders = x.as_(key).call("/v1/orders", json!({ "nonce": 5002 })).ok();
    assert_eq!(orders.as_array().unwrap().len(), 1);
}

/// Without settings a token lives for a day, an approved address waits for a week, and a nonce that is a time is within half a minute.
/// Proves LIM-013.
#[test]
fn lifetimes_have_their_defaults() {
    let x = Exchange::start();
    let tokens = oauth::grant(&x, "app", oauth::OWNER, &["balances:read"]);
    assert_eq!(tokens["expires_in"], 86_400);
    let token = tokens["access_token"].as_str().unwrap();
    let address = json!({ "address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "label": "cold" });
    let manager = x.as_("fund-manager");
    manager.call("/v1/approvedAddresses/bitcoin/request", address).ok();
    let status = || {
        let list = manager.call("/v1/approvedAddresses/account/bitcoin", json!({})).ok();
        list["approvedAddresses"][0]["status"].clone()
    };
    x.advance(86_399);
    oauth::post(&x, token, "/v1/balances").ok();
    x.advance(1);
    assert_eq!(oauth::post(&x, token, "/v1/balances").status(), 401);
    x.advance(6 * 86_400 - 1);
    assert_eq!(status(), "pending-time");
    x.advance(1);
    assert_eq!(status(), "active");
    let now = x.now_ms() / 1000;
    for (nonce, is_taken) in [(now - 31, false), (now - 30, true), (now + 30, true), (now + 31, false)] {
        assert_eq!(with_nonce(&x, "time-nonce", json!(nonce)).status() == 200, is_taken, "{nonce}");
    }
}

/// A time-based key: within 30 seconds of the exchange's time, in any order, never twice the same change. Proves
/// SES-008.
#[test]
fn time_based_nonces() {
    let x = Exchange::start();
    x.advance(1000);
    let now = x.now_ms() / 1000;
    for good in [now, now - 30, now + 30, now - 5] {
        with_nonce(&x, "time-nonce", json!(good)).ok();
    }
    with_raw_nonce(&x, "time-nonce", &format!("{}.999", now + 29)).ok();
    // The clock is at a whole second, so each of these is just outside of one end.
    let (before, after) = (now - 31, now + 30);
    for far in [
        format!("{before}"),
        format!("{before}.999"),
        format!("{after}.001"),
        format!("{after}.5"),
        format!("\"{after}.999\""),
        format!("{}", after + 1),
        "0".to_owned(),
    ] {
        let answer = with_raw_nonce(&x, "time-nonce", &far);
        let message = answer.refused(400, "InvalidNonce").message;
        let words =
            format!("Nonce '{}' is not within 30 seconds of server time '{now}", far.replace('"', ""));
        assert!(message.contains(&words), "{answer}");
    }
    let order = |name: &str| {
        let mut params = NewOrder::limit("btcusd", "buy", "1", "100").named(name).params();
        params["nonce"] = json!(now);
        params
    };
    let actor = x.as_("time-nonce");
    actor.call("/v1/order/new", order("first")).ok();
    actor.call("/v1/order/new", order("second")).ok();
    actor.call("/v1/order/new", order("first")).refused(400, "InvalidNonce");
    x.advance(20);
    actor.call("/v1/order/new", order("first")).refused(400, "InvalidNonce");
}

/// A change under a time-based nonce has no effect when it is sent again after a crash. Proves SES-007.
#[test]
fn time_based_replay_after_a_crash() {
    let x = Exchange::start();
    let now = x.now_ms() / 1000;
    let payload = |actor: &buttonwood_accept::Actor, nonce: u64| {
        let mut params = NewOrder::limit("btcusd", "buy", "1", "100").params();
        params["nonce"] = json!(nonce);
        actor.payload("/v1/order/new", params)
    };
    let actor = x.as_("time-nonce");
    let captured = actor.sign(payload(&actor, now).as_bytes());
    actor.call_signed("/v1/order/new", &captured).ok();
    x.kill9();
    x.restart();
    let actor = x.as_("time-nonce");
    actor.call_signed("/v1/order/new", &captured).refused(400, "InvalidNonce");
    actor.call_payload("/v1/order/new", payload(&actor, now + 1).as_bytes()).ok();
    assert_eq!(x.as_("trader").live_ids().len(), 2);
    laws::check(&x);
}

/// A heartbeat is always accepted. Proves SES-009.
#[test]
fn heartbeat_reply() {
    let x = Exchange::start();
    for key in ["heartbeat", "trader"] {
        assert_eq!(x.as_(key).call("/v1/heartbeat", json!({})).ok(), json!({ "result": "ok" }));
    }
    x.as_("fund-manager").call("/v1/heartbeat", json!({})).refused(403, "MissingRole");
}

/// After 30 silent seconds a session's orders are cancelled, on all symbols, and no other session's. Proves SES-010,
/// SES-011, SES-015, LIM-012, ORD-054.
#[test]
fn silence_cancels() {
    let x = Exchange::start();
    let session = x.as_("heartbeat");
    let mine = [session.limit("btcusd", "buy", "1", "100"), session.limit("ethusd", "sell", "1", "9000")];
    let other = x.as_("trader").limit("btcusd", "buy", "1", "100");
    x.advance(29);
    assert_eq!(x.as_("trader").live_ids().len(), 3, "not yet");
    x.advance(1);
    assert_eq!(x.as_("trader").live_ids(), [other["order_id"].as_str().unwrap()]);
    for order in mine {
        let ended = x.as_("auditor").status(order["order_id"].as_str().unwrap());
        assert_eq!(
            (&ended["is_cancelled"], &ended["reason"]),
            (&json!(true), &json!("Requested")),
            "{ended}"
        );
    }
    x.advance(3600);
    assert_eq!(x.as_("trader").live_ids().len(), 1, "a key without the option never loses its orders");
    laws::check(&x);
}

/// Any signed call keeps the session alive, even a refused one. Each is tested alone: the call before it is too long
/// ago. Proves SES-012.
#[test]
fn any_call_keeps_a_session() {
    let x = Exchange::start();
    let session = x.as_("heartbeat");
    session.limit("btcusd", "buy", "1", "100");
    let calls: [(&str, Value, u16); 8] = [
        ("/v1/heartbeat", json!({}), 200),
        ("/v1/balances", json!({}), 200),
        ("/v1/orders", json!({ "account": "nobody" }), 400),
        ("/v1/mytrades", json!({ "limit_trades": 0 }), 400),
        ("/v1/order/status", json!({ "order_id": 999_999_999 }), 404),
        ("/v1/order/cancel", json!({ "order_id": "x" }), 400),
        ("/v1/order/new", json!({}), 400),
        ("/v1/order/new", NewOrder::limit("btcusd", "buy", "1", "1000000").params(), 406),
    ];
    for (path, params, status) in calls {
        x.advance(20);
        let answer = session.call(path, params);
        assert_eq!(answer.status(), status, "{answer}");
        x.advance(20);
        assert_eq!(x.as_("auditor").live_ids().len(), 1, "{answer}");
        x.as_("heartbeat").call("/v1/heartbeat", json!({})).ok();
    }
    x.advance(31);
    assert_eq!(x.as_("auditor").live_ids(), [""; 0]);
    laws::check(&x);
}

/// An unauthenticated call is no sign of life. Proves SES-013.
#[test]
fn failed_authentication_keeps_nothing() {
    let x = Exchange::start();
    let session = x.as_("heartbeat");
    session.limit("btcusd", "buy", "1", "100");
    x.advance(20);
    let mut signed = session.sign(session.payload("/v1/heartbeat", json!({})).as_bytes());
    signed.signature = "0".repeat(96);
    session.call_signed("/v1/heartbeat", &signed).refused(400, "InvalidSignature");
    x.get("/v1/book/btcusd").ok();
    x.advance(11);
    assert_eq!(x.as_("auditor").live_ids(), [""; 0]);
}

/// Repeating an old request of the session does not keep it alive. Proves SES-013.
#[test]
fn a_repeated_request_keeps_nothing() {
    let x = Exchange::start();
    let session = x.as_("heartbeat");
    session.limit("btcusd", "buy", "1", "100");
    let beat = session.sign(session.payload("/v1/heartbeat", json!({})).as_bytes());
    session.call_signed("/v1/heartbeat", &beat).ok();
    x.advance(20);
    session.call_signed("/v1/heartbeat", &beat).refused(400, "InvalidNonce");
    x.advance(11);
    assert_eq!(x.as_("auditor").live_ids(), [""; 0]);
}

/// An expired session becomes active again with its next call. Proves SES-014.
#[test]
fn a_session_comes_back() {
    let x = Exchange::start();
    let session = x.as_("heartbeat");
    session.limit("btcusd", "buy", "1", "100");
    x.advance(31);
    let order = session.limit("btcusd", "buy", "2", "100");
    assert_eq!(session.live_ids(), [order["order_id"].as_str().unwrap()]);
    x.advance(31);
    assert_eq!(x.as_("auditor").live_ids(), [""; 0], "and is watched again");
    laws::check(&x);
}
