//! Batches of orders and of cancels: each entry is answered by itself, and a malformed one refuses the batch.

use super::*;
use buttonwood_accept::{dec, same_keys, wait_until};
use std::time::{Duration, Instant};

fn batch(x: &Exchange, key: &str, orders: &[Value]) -> Answer {
    x.as_(key).call(BATCH, json!({ "orders": orders }))
}

fn entries(answer: &Answer) -> Vec<Value> {
    let body = answer.ok();
    same_keys(&body, &["orders"], &body);
    body["orders"].as_array().expect("a list").clone()
}

/// The status of each order, or the code of each refusal.
fn shown(answer: &Answer) -> Vec<String> {
    let word = |entry: &Value| match entry.get("error") {
        Some(error) => {
            same_keys(entry, &["error", "message"], entry);
            error.as_str().expect("a code").to_owned()
        }
        None => entry["status"].as_str().expect("a status").to_owned(),
    };
    entries(answer).iter().map(word).collect()
}

fn ids(answer: &Answer) -> Vec<u64> {
    entries(answer).iter().map(|order| order["orderId"].as_u64().expect("a number")).collect()
}

/// Entries run in their order, each against what the ones before it left. They are as durable as single orders.
#[test]
fn orders_are_placed_one_by_one() {
    let x = exchange();
    accept(&x, "empty");
    x.credit("empty", "USD", "10");
    let more = json!({ "clientOrderId": "mine" });
    let orders = [
        with("buy yes 10 at 0.60", &more),
        limit("buy no 4 at 0.30"),
        with("buy yes 1 at 0.50", &json!({ "symbol": "SVC-NONE" })),
        limit("sell yes 1 at 0.90"),
        with("buy yes 1 at 0.99", &json!({ "timeInForce": "maker-or-cancel" })),
    ];
    let answer = batch(&x, "empty", &orders);
    let codes = ["open", "open", "NOT_FOUND", "InsufficientFunds", "cancelled"];
    assert_eq!(shown(&answer), codes, "{answer}");
    let placed = entries(&answer);
    let single = place(&x, "counterparty", limit("buy yes 1 at 0.01"));
    assert_eq!(some(&placed[0], &["clientOrderId", "symbol", "price"]), ["mine", RAIN, "0.60"]);
    let without_client_id: Vec<&str> = single.as_object().unwrap().keys().map(String::as_str).collect();
    same_keys(&placed[1], &without_client_id, &answer);
    assert!(placed[2]["message"].as_str().unwrap().contains("SVC-NONE"), "{answer}");
    assert!(placed[3]["message"].as_str().unwrap().contains("contracts of SVC-RAIN on yes"), "{answer}");
    // Later entries see the fills of the earlier ones.
    let answer = batch(&x, "counterparty", &[limit("buy no 10 at 0.45"), limit("sell no 10 at 0.99")]);
    assert_eq!(shown(&answer), ["filled", "open"], "{answer}");
    let live = active(&x, "empty");
    assert_eq!(live, [placed[1]["orderId"].as_u64().unwrap()]);
    x.kill9();
    x.restart();
    assert_eq!(active(&x, "empty"), live);
    assert_eq!(some(&positions(&x, "empty")[0], &["outcome", "totalQuantity"]), ["yes", "10"]);
}

/// Twenty entries are taken, and each has its place in the answer.
#[test]
fn twenty_orders_are_taken() {
    let x = exchange();
    let orders: Vec<Value> = (1..=20).map(|cents| limit(&format!("buy yes 1 at 0.{cents:02}"))).collect();
    let answer = batch(&x, "trader", &orders);
    let prices: Vec<String> = entries(&answer).iter().map(|order| some(order, &["price"]).concat()).collect();
    assert_eq!(prices, (1..=20).map(|cents| format!("0.{cents:02}")).collect::<Vec<_>>());
    let placed = ids(&answer);
    let cancelled = x.as_("trader").call(BATCH_CANCEL, json!({ "orderIds": placed }));
    assert_eq!(shown(&cancelled), ["cancelled"; 20], "{cancelled}");
    assert_eq!(ids(&cancelled), placed);
    assert_eq!(active(&x, "trader"), [] as [u64; 0]);
}

/// A malformed entry refuses the batch before anything runs, and is named by its index and its field.
#[test]
fn a_malformed_entry_refuses_the_batch() {
    let x = exchange();
    let good = limit("buy yes 5 at 0.50");
    let order = |name: &str, value: Value| with("buy yes 5 at 0.50", &json!({ name: value }));
    for (bad, field) in [
        (json!(5), "an object"),
        (json!(null), "an object"),
        (json!([]), "an object"),
        (json!("x"), "an object"),
        (json!({}), "'symbol'"),
        (order("price", json!("1")), "'price'"),
        (order("price", json!("0.505")), "'price'"),
        (order("quantity", json!("0.5")), "'quantity'"),
        (order("side", json!("hold")), "'side'"),
        (order("outcome", json!(null)), "'outcome'"),
        (order("orderType", json!("stop-limit")), "'stopPrice'"),
        (order("timeInForce", json!("IOC")), "'timeInForce'"),
        (order("clientOrderId", json!("a b")), "'clientOrderId'"),
    ] {
        let message = batch(&x, "trader", &[good.clone(), good.clone(), bad]).coded(400, "InvalidInput");
        assert!(message.contains("orders[2]") && message.contains(field), "{message}");
    }
    let payload = x.as_("trader").payload(BATCH, json!({ "orders": [good] }));
    let twice = payload.replacen("\"price\"", "\"price\":\"0.4\",\"price\"", 1);
    let answer = x.as_("trader").call_payload(BATCH, twice.as_bytes());
    assert_eq!(answer.status(), 400, "{answer}");
    for bad in [json!(null), json!({}), json!("x"), json!([]), json!(vec![good.clone(); 21])] {
        let message = x.as_("trader").call(BATCH, json!({ "orders": bad })).coded(400, "InvalidInput");
        assert!(message.contains("'orders'") && message.contains("1 to 20"), "{message}");
    }
    x.as_("trader").call(BATCH, json!({})).coded(400, "InvalidInput");
    assert_eq!(active(&x, "trader"), [] as [u64; 0]);
    // The nonce of a refused batch is used.
    let nonce = "9".repeat(25);
    x.as_("trader").call(BATCH, json!({ "orders": [], "nonce": nonce })).coded(400, "InvalidInput");
    x.as_("trader").call(BATCH, json!({ "orders": [good], "nonce": nonce })).refused(400, "InvalidNonce");
}

/// Entries that a rule refuses are told as orders that were refused alone: those that the exchange refuses one by one, and the one whose
/// figures refuse the batch. Proves EVT-027.
#[test]
fn refused_entries_are_told() {
    let x = exchange();
    let mut socket = x.fast("time-nonce", "/");
    socket.ok("subscribe", json!(["orders@account"]));
    let rejected = |socket: &mut buttonwood_accept::Socket, reason: &str| {
        let update = socket.next();
        assert_eq!((&update["X"], &update["r"]), (&json!("REJECTED"), &json!(reason)), "{update}");
        update
    };
    let good = || limit("buy yes 5 at 0.50");
    let answer = batch(&x, "trader", &[limit("buy yes 99999999 at 0.50"), good()]);
    assert_eq!(shown(&answer), ["InsufficientFunds", "open"], "{answer}");
    rejected(&mut socket, "InsufficientFunds");
    assert_eq!([&socket.next()["X"], &socket.next()["X"]], ["NEW", "OPEN"]);
    for (name, value) in [("price", "0.505"), ("quantity", "0.5")] {
        let bad = with("buy yes 5 at 0.50", &json!({ name: value }));
        batch(&x, "trader", &[good(), bad, good()]).coded(400, "InvalidInput");
        let update = rejected(&mut socket, "InvalidInput");
        assert_eq!(update[if name == "price" { "p" } else { "q" }], value, "{update}");
    }
    // An entry that cannot be read is no order, and the others were not looked at.
    batch(&x, "trader", &[good(), json!({})]).coded(400, "InvalidInput");
    socket.is_silent();
}

/// Terms and the account's kind come before the fields of entries.
#[test]
fn terms_come_before_fields() {
    let x = exchange();
    let bad = json!({ "orders": "none" });
    x.as_("empty").call(BATCH, bad.clone()).coded(403, "TERMS_NOT_ACCEPTED");
    batch(&x, "empty", &[limit("buy yes 1 at 0.50")]).coded(403, "TERMS_NOT_ACCEPTED");
    let fields = json!({ "orders": [], "account": "perps" });
    x.as_("master").call(BATCH, fields).refused(400, "AccountNotOfTypeRequired");
    // Cancels need no acceptance.
    let answer = x.as_("empty").call(BATCH_CANCEL, json!({ "orderIds": [1] }));
    assert_eq!(shown(&answer), ["OrderNotFound"], "{answer}");
}

/// Each id is answered by itself: another account's looks unknown, and one that is named twice is closed the second time.
#[test]
fn orders_are_cancelled_one_by_one() {
    let x = exchange();
    let own = ids(&batch(&x, "trader", &[limit("buy yes 5 at 0.20"), limit("buy yes 5 at 0.21")]));
    let other = place(&x, "counterparty", limit("buy no 5 at 0.20"))["orderId"].as_u64().unwrap();
    let filled = place(&x, "counterparty", limit("buy no 5 at 0.79"))["orderId"].as_u64().unwrap();
    let spot = x.as_("trader").limit("btcusd", "buy", "0.01", "10");
    let spot = spot["order_id"].as_str().unwrap().to_owned();
    let named = json!({ "orderIds": [own[0].to_string(), other, own[0], own[1], spot, 999_999_999] });
    let answer = x.as_("trader").call(BATCH_CANCEL, named);
    let codes = [
        "cancelled",
        "OrderNotFound",
        "OrderNotCancellable",
        "OrderNotCancellable",
        "OrderNotFound",
        "OrderNotFound",
    ];
    assert_eq!(shown(&answer), codes, "{answer}");
    let rows = entries(&answer);
    assert_eq!(some(&rows[0], &["remainingQuantity", "cancelReason"]), ["5", "Requested"], "{answer}");
    assert!(rows[3]["message"].as_str().unwrap().contains("filled"), "{answer}");
    assert_eq!(active(&x, "counterparty"), [other]);
    assert_eq!(x.as_("trader").live_ids(), [spot]);
    let again = x.as_("counterparty").call(BATCH_CANCEL, json!({ "orderIds": [filled, other] }));
    assert_eq!(shown(&again), ["OrderNotCancellable", "cancelled"], "{again}");
    for bad in [json!(null), json!("x"), json!(-1), json!(1.5), json!([1]), json!({}), json!("9".repeat(30))]
    {
        let message = x
            .as_("trader")
            .call(BATCH_CANCEL, json!({ "orderIds": [own[0], bad] }))
            .coded(400, "InvalidInput");
        assert!(message.contains("orderIds[1]"), "{message}");
    }
    for bad in [json!(null), json!([]), json!(own[0]), json!(vec![1; 21])] {
        let message =
            x.as_("trader").call(BATCH_CANCEL, json!({ "orderIds": bad })).coded(400, "InvalidInput");
        assert!(message.contains("'orderIds'"), "{message}");
    }
    x.as_("trader").call(BATCH_CANCEL, json!({})).coded(400, "InvalidInput");
}

/// A halted exchange refuses orders in the common body, after their fields; it takes cancels.
#[test]
fn a_halted_exchange_takes_cancels_of_a_batch() {
    let x = exchange();
    let own = ids(&batch(&x, "trader", &[limit("buy yes 5 at 0.20"), limit("buy yes 5 at 0.21")]));
    x.control("/sandbox/halt", &json!({ "reason": "a test" })).ok();
    batch(&x, "trader", &[limit("buy yes 5 at 0.50")]).refused(503, "System");
    batch(&x, "trader", &[limit("buy yes 5 at 1.50")]).coded(400, "InvalidInput");
    let answer = x.as_("trader").call(BATCH_CANCEL, json!({ "orderIds": own }));
    assert_eq!(shown(&answer), ["cancelled", "cancelled"], "{answer}");
    // A halted event refuses its own orders alone.
    x.control("/sandbox/resume", &json!({ "reason": "a test" })).ok();
    list(&x, json!({ "ticker": "SNOW", "title": "Will it snow?", "category": "weather" }));
    x.control("/sandbox/predictions/events/RAIN/halt", &json!({ "halted": true })).ok();
    let snow = with("buy yes 5 at 0.50", &json!({ "symbol": "SVC-SNOW" }));
    let answer = batch(&x, "trader", &[limit("buy yes 5 at 0.50"), snow]);
    assert_eq!(shown(&answer), ["InvalidInput", "open"], "{answer}");
}

/// A batch moves the same money as single orders do.
#[test]
fn a_batch_pays_as_single_orders_do() {
    let x = exchange();
    let dollars = |key: &str| x.as_(key).balance("USD").0;
    let [trader, counterparty] = ["trader", "counterparty"].map(dollars);
    batch(&x, "trader", &[limit("buy yes 50 at 0.60"), limit("buy yes 50 at 0.60")]).ok();
    let answer = batch(&x, "counterparty", &[limit("buy no 60 at 0.45"), limit("buy no 40 at 0.45")]);
    assert_eq!(shown(&answer), ["filled", "filled"], "{answer}");
    assert_eq!(dollars("trader"), trader - dec("60.4"));
    assert_eq!(dollars("counterparty"), counterparty - dec("42"));
}

/// Each entry takes a token: after twenty, a key waits until ten more have come back.
#[test]
fn each_entry_takes_a_token() {
    let x = Exchange::builder().real_time().flag("--rate-limits", "on").start();
    list(&x, json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather" }));
    accept(&x, "trader");
    let begun = Instant::now();
    let answer = batch(&x, "trader", &vec![limit("buy yes 1 at 0.10"); 20]);
    assert_eq!(shown(&answer), ["open"; 20], "{answer}");
    let trader = x.as_("trader");
    wait_until("a token", || trader.call(ACTIVE, json!({})).status() == 200);
    assert!(begun.elapsed() >= Duration::from_millis(1_050), "{:?}", begun.elapsed());
}

/// A field of an entry that no order has is named with its place, and refused in a strict sandbox. Proves D-176.
#[test]
fn unknown_fields_of_entries_are_named() {
    let misspelt = with("buy yes 1 at 0.60", &json!({ "clientOrderid": "mine" }));
    let orders = [limit("buy yes 1 at 0.50"), misspelt];
    for strict in ["off", "on"] {
        let x = Exchange::builder().flag("--strict", strict).start();
        list(&x, json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather" }));
        accept(&x, "trader");
        let answer = batch(&x, "trader", &orders);
        if strict == "on" {
            let message = answer.coded(400, "InvalidInput");
            assert!(
                message.contains("'orders[1].clientOrderid'") && message.contains("--strict"),
                "{message}"
            );
            assert_eq!(active(&x, "trader"), [] as [u64; 0]);
            batch(&x, "trader", &orders[..1]).ok();
        } else {
            assert_eq!(shown(&answer), ["open", "open"]);
        }
        let key = &x.key("trader").credentials.api_key;
        let calls = x.get(&format!("/sandbox/requests?key={key}&all=true")).ok();
        let calls = calls["requests"].as_array().expect("calls");
        let named: Vec<&Value> = calls.iter().map(|call| &call["unknown_fields"]).collect();
        assert!(named.contains(&&json!(["orders[1].clientOrderid"])), "{named:?}");
    }
}
