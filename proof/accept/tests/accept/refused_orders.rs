//! Orders that a rule refuses: one event each on both generations of sockets, and no other trace.

use buttonwood_accept::{Exchange, NewOrder, Socket, Value, json, laws};

/// The one event of the next array.
#[track_caller]
fn event(socket: &mut Socket) -> Value {
    let array = socket.next_event();
    let events = array.as_array().unwrap_or_else(|| panic!("no array: {array}"));
    assert_eq!(events.len(), 1, "{array}");
    events[0].clone()
}

/// Checks that both sockets tell of one refused order of this reason, and that nobody else knows it.
#[track_caller]
fn is_told_once(x: &Exchange, first: &mut Socket, newest: &mut Socket, reason: &str) {
    let rejected = event(first);
    assert_eq!((&rejected["type"], &rejected["reason"]), (&json!("rejected"), &json!(reason)), "{rejected}");
    assert_eq!((&rejected["is_live"], &rejected["symbol"]), (&json!(false), &json!("btcusd")), "{rejected}");
    let update = newest.next();
    assert_eq!((&update["X"], &update["r"]), (&json!("REJECTED"), &json!(reason)), "{update}");
    let id = rejected["order_id"].as_str().expect("it has an id");
    assert_eq!(update["i"].to_string(), id, "{update}");
    x.as_("trader").call("/v1/order/status", json!({ "order_id": id })).refused(404, "OrderNotFound");
}

/// A readable order that a rule refuses is told once, whichever way it came; what cannot be read is not told. Proves EVT-003, EVT-027.
#[test]
fn a_refused_order_is_told_once() {
    let x = Exchange::start();
    let mut first = x.order_events(&x.as_("trader"), "");
    assert_eq!(first.next()["type"], "subscription_ack");
    assert_eq!(first.next(), json!([]));
    let mut newest = x.fast("time-nonce", "/");
    newest.ok("subscribe", json!(["orders@account"]));
    let wrong = [
        ("1", "100.001", 400, "InvalidPrice"),
        ("0.000000001", "100", 400, "InvalidQuantity"),
        ("1000000", "100000", 406, "InsufficientFunds"),
    ];
    for (amount, price, status, reason) in wrong {
        let order = NewOrder::limit("btcusd", "buy", amount, price);
        x.as_("trader").call("/v1/order/new", order.params()).refused(status, reason);
        is_told_once(&x, &mut first, &mut newest, reason);
        let order = json!({ "symbol": "btcusd", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
            "quantity": amount, "price": price });
        let message = newest.refused("order.place", order, 400, -2010);
        assert!(message.starts_with(reason), "{message}");
        is_told_once(&x, &mut first, &mut newest, reason);
    }
    x.as_("trader")
        .call("/v1/order/new", json!({ "symbol": "btcusd", "side": "buy" }))
        .refused(400, "MissingOrderField");
    newest.refused("order.place", json!({ "symbol": "btcusd", "side": "BUY" }), 400, -1013);
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    let accepted = first.next_event();
    assert_eq!(accepted[0]["type"], "accepted", "{accepted}");
    assert_eq!(newest.next()["X"], "NEW");
    laws::check(&x);
}

/// A sandbox that is strict refuses parameters that no call of the newest socket knows, and the socket stays open.
#[test]
fn a_strict_sandbox_names_unknown_parameters() {
    let x = Exchange::builder().flag("--strict", "on").start();
    let mut socket = x.fast("time-nonce", "/");
    let order = json!({ "symbol": "btcusd", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC",
        "quantity": "1", "price": "100", "clientOrderID": "a" });
    let message = socket.refused("order.place", order.clone(), 400, -1013);
    assert!(message.contains("'clientOrderID'"), "{message}");
    assert!(x.as_("trader").live_ids().is_empty());
    let mut fine = order;
    fine.as_object_mut().unwrap().remove("clientOrderID");
    socket.ok("order.place", fine);
    laws::check(&x);
}
