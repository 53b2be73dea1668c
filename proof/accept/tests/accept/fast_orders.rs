//! Calls of the newest socket: answers in order, orders and cancels, and the table of refusals row by row.

use buttonwood_accept::{Dec, Exchange, NewOrder, Socket, Value, dec, json, laws, same_keys};

/// The parameters of a limit order that lives until it is cancelled.
pub(crate) fn limit(symbol: &str, side: &str, quantity: &str, price: &str) -> Value {
    json!({ "symbol": symbol, "side": side, "type": "LIMIT", "timeInForce": "GTC", "quantity": quantity,
        "price": price })
}

/// The same with other fields; `null` leaves one out.
pub(crate) fn with(mut params: Value, changes: &Value) -> Value {
    for (name, value) in changes.as_object().expect("fields") {
        if value.is_null() {
            params.as_object_mut().expect("fields").remove(name);
        } else {
            params[name] = value.clone();
        }
    }
    params
}

/// Places an order, which must be accepted; returns its id.
#[track_caller]
pub(crate) fn place(socket: &mut Socket, params: Value) -> String {
    let answer = socket.ok("order.place", params);
    answer["result"]["orderId"].as_str().unwrap_or_else(|| panic!("no id: {answer}")).to_owned()
}

/// Without a key, nothing private is answered. Proves EVT-024.
#[test]
fn a_public_socket_has_nothing_private() {
    let x = Exchange::start();
    let mut socket = x.socket("/?cancelOnDisconnect=true");
    for name in
        ["orders@account", "orders@session", "balances@account", "balances@account@1s", "positions@account"]
    {
        socket.refused("subscribe", json!([name]), 401, -1002);
        // Nothing of a call with a bad name is subscribed.
        socket.refused("subscribe", json!(["btcusd@trade", name]), 401, -1002);
    }
    assert_eq!(socket.ok("list_subscriptions", Value::Null)["result"], json!([]));
    socket.refused("order.place", limit("btcusd", "BUY", "1", "100"), 401, -1002);
    socket.refused("order.cancel", json!({ "orderId": "1" }), 401, -1002);
    for method in ["order.cancel_all", "order.cancel_session"] {
        socket.refused(method, Value::Null, 401, -1002);
    }
    socket.ok("ping", Value::Null);
}

/// A key needs the role; the refusal names it (D-162).
#[test]
fn roles_are_needed() {
    let x = Exchange::start();
    let mut auditor = x.fast("time-auditor", "/");
    for (method, params) in [
        ("order.place", limit("btcusd", "BUY", "1", "100")),
        ("order.cancel", json!({ "orderId": "1" })),
        ("order.cancel_all", Value::Null),
        ("order.cancel_session", Value::Null),
    ] {
        let message = auditor.refused(method, params, 403, -1002);
        assert!(message.contains("Trader"), "{method}: {message}");
    }
    auditor.ok("subscribe", json!(["orders@account", "balances@account", "positions@account"]));
    assert!(x.as_("trader").live_ids().is_empty());
}

/// The calls that place no order. Proves EVT-025.
#[test]
fn calls_are_answered() {
    let x = Exchange::start();
    let mut socket = x.socket("/");
    assert_eq!(socket.ok("ping", Value::Null), json!({ "id": 1, "status": 200 }));
    assert_eq!(socket.ok("time", Value::Null)["result"], json!({ "serverTime": x.now_ms() }));
    socket.ok("PING", Value::Null);
    socket.ok("Subscribe", json!(["btcusd@trade", "BTCUSD@depth"]));
    socket.ok("SUBSCRIBE", json!(["contractStatus"]));
    let named = socket.ok("list_subscriptions", Value::Null);
    let mut names: Vec<String> = serde_json_from(&named["result"]);
    names.sort();
    assert_eq!(names, ["BTCUSD@depth", "btcusd@trade", "contractStatus"]);
    socket.ok("unsubscribe", json!(["btcusd@trade"]));
    assert_eq!(socket.ok("list_subscriptions", Value::Null)["result"].as_array().map(Vec::len), Some(2));
    let message = socket.refused("order.amend", json!({}), 400, -1020);
    assert!(message.contains("order.amend"), "{message}");
    for (params, wrong) in [
        (Value::Null, "params"),
        (json!("btcusd@trade"), "params"),
        (json!([]), "params"),
        (json!([5]), "params"),
        (json!(["btcusd"]), "btcusd"),
        (json!(["btcusd@depth7"]), "btcusd@depth7"),
        (json!(["zzzusd@trade"]), "zzzusd"),
        (json!(["ethusd@trade", "zzzusd@trade"]), "zzzusd"),
        (json!([format!("{}@trade", "x".repeat(5_000))]), "Unknown symbol"),
    ] {
        for method in ["subscribe", "unsubscribe"] {
            let message = socket.refused(method, params.clone(), 400, -1013);
            assert!(message.contains(wrong), "{params}: {message}");
        }
    }
    assert_eq!(socket.ok("list_subscriptions", Value::Null)["result"].as_array().map(Vec::len), Some(2));

    let rows = socket.ok("conninfo", Value::Null)["rateLimits"].clone();
    let shown: Vec<_> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            same_keys(row, &["rateLimitType", "interval", "intervalNum", "limit", "count"], row);
            ["rateLimitType", "interval", "intervalNum", "limit"]
                .map(|name| row[name].to_string().replace('"', ""))
        })
        .collect();
    let expected = [
        ["REQUEST_WEIGHT", "MINUTE", "1", "30000"],
        ["ORDERS", "SECOND", "10", "1000"],
        ["ORDERS", "DAY", "1", "1000000"],
        ["CONNECTION_ATTEMPTS", "MINUTE", "5", "300"],
    ];
    assert_eq!(shown, expected);
    assert!(rows[0]["count"].as_u64().unwrap() > 20, "{rows}");
}

fn serde_json_from(names: &Value) -> Vec<String> {
    names.as_array().expect("names").iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
}

/// A message that is no request is answered, and ids come back as they were sent. Proves EVT-025.
#[test]
fn what_is_no_request_is_refused() {
    let x = Exchange::start();
    let mut socket = x.socket("/");
    let deep = format!(r#"{{"id":1,"method":"ping","params":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    for (text, id) in [
        ("", Value::Null),
        ("ping", Value::Null),
        ("5", Value::Null),
        ("[]", Value::Null),
        (r#""ping""#, Value::Null),
        (r#"{"id":1,"method":"ping""#, Value::Null),
        (r#"{"id":1,"method":"ping"} x"#, Value::Null),
        (r#"{"id":1,"id":2,"method":"ping"}"#, Value::Null),
        (r#"{"id":1,"method":"ping","method":"time"}"#, Value::Null),
        (r#"{"id":true,"method":"ping"}"#, Value::Null),
        (r#"{"id":1.5,"method":"ping"}"#, Value::Null),
        (r#"{"id":{},"method":"ping"}"#, Value::Null),
        (r#"{"id":123456789012345678901,"method":"ping"}"#, Value::Null),
        (r#"{"id":7}"#, json!(7)),
        (r#"{"id":"a","method":5}"#, json!("a")),
        (r#"{"id":"a","method":null}"#, json!("a")),
        (&deep, Value::Null),
    ] {
        socket.send_text(text);
        let answer = socket.next();
        same_keys(&answer, &["id", "status", "error"], text);
        assert_eq!(
            (&answer["status"], &answer["error"]["code"]),
            (&json!(400), &json!(-1013)),
            "{text}: {answer}"
        );
        assert!(answer["error"]["msg"].as_str().is_some_and(|text| !text.is_empty()), "{answer}");
        assert_eq!(answer["id"], id, "{text}: {answer}");
    }
    for (sent, expected) in [
        ("null", Value::Null),
        ("0", json!(0)),
        ("-3", json!(-3)),
        ("123456789012345678", json!(123_456_789_012_345_678_u64)),
        (r#""""#, json!("")),
        (r#""\u00e9\"x""#, json!("é\"x")),
    ] {
        socket.send_text(&format!(r#"{{"id":{sent},"method":"ping","params":null}}"#));
        assert_eq!(socket.next(), json!({ "id": expected, "status": 200 }));
    }
    socket.send_text(r#"{"method":"ping","more":[1,{"a":null}]}"#);
    assert_eq!(socket.next(), json!({ "id": null, "status": 200 }));
}

/// Answers come in the order of the calls, however long each takes. Proves EVT-025.
#[test]
fn answers_come_in_the_order_of_the_calls() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    for id in 0..300 {
        let (method, params) = match id % 5 {
            0 => ("ping", Value::Null),
            1 => ("order.place", limit("btcusd", "BUY", "0.001", "100")),
            2 => ("depth", json!({ "symbol": "btcusd" })),
            3 => ("order.cancel", json!({ "orderId": "999999" })),
            _ => ("order.place", limit("btcusd", "BUY", "0", "100")),
        };
        socket.send(&json!({ "id": id, "method": method, "params": params }));
    }
    for id in 0..300 {
        let answer = socket.next();
        let expected = if id % 5 > 2 { 400 } else { 200 };
        assert_eq!((&answer["id"], &answer["status"]), (&json!(id), &json!(expected)), "{answer}");
    }
    assert_eq!(x.as_("trader").live_ids().len(), 60);
    laws::check(&x);
}

/// The state of an order by REST, as its answer over the socket words it.
#[track_caller]
fn is_as_rest(x: &Exchange, answer: &Value, status: &str) {
    let result = &answer["result"];
    same_keys(result, &["orderId", "status", "executed", "remaining"], answer);
    assert_eq!(result["status"], status, "{answer}");
    let order = x.as_("trader").status(result["orderId"].as_str().unwrap());
    for (ours, theirs) in [("executed", "executed_amount"), ("remaining", "remaining_amount")] {
        assert_eq!(result[ours], order[theirs], "{answer} {order}");
    }
}

/// The answer to an order has its state after the call, for each type and life. Proves EVT-025.
#[test]
fn orders_are_placed() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    let mut place = |params: Value| socket.ok("order.place", params);
    is_as_rest(&x, &place(limit("btcusd", "BUY", "0.1", "9900")), "OPEN");
    is_as_rest(&x, &place(limit("BTCUSD", "buy", "0.1", "9900.00")), "OPEN");
    x.as_("counterparty").limit("btcusd", "sell", "0.2", "10000");
    let at = |price: &str, life: &str, quantity: &str| {
        with(limit("btcusd", "BUY", quantity, price), &json!({ "timeInForce": life }))
    };
    is_as_rest(&x, &place(at("10000", "GTC", "0.05")), "FILLED");
    is_as_rest(&x, &place(at("10000", "IOC", "0.05")), "FILLED");
    is_as_rest(&x, &place(at("10000", "FOK", "0.025")), "FILLED");
    is_as_rest(&x, &place(at("10000", "FOK", "0.9")), "CANCELED");
    is_as_rest(&x, &place(at("10000", "MOC", "0.1")), "CANCELED");
    is_as_rest(&x, &place(at("9999", "MOC", "0.1")), "OPEN");
    is_as_rest(&x, &place(at("10000", "GTC", "0.1")), "PARTIALLY_FILLED");
    x.as_("counterparty").limit("btcusd", "sell", "0.1", "10100");
    let market = json!({ "symbol": "btcusd", "side": "BUY", "type": "MARKET", "timeInForce": "IOC", "quantity": "0.05" });
    is_as_rest(&x, &place(market.clone()), "FILLED");
    is_as_rest(&x, &place(with(market, &json!({ "quantity": "0.075" }))), "CANCELED");
    for (stop, price) in [("10500", "10600"), ("10400", "10401"), ("10450", "10450")] {
        let params = with(
            limit("btcusd", "BUY", "0.05", price),
            &json!({ "stopPrice": stop, "clientOrderId": price }),
        );
        let answer = place(params);
        let order = x.as_("trader").status(answer["result"]["orderId"].as_str().unwrap());
        assert_eq!(
            (&order["type"], &order["client_order_id"]),
            (&json!("stop-limit"), &json!(price)),
            "{order}"
        );
        assert_eq!(Dec::wire(&order["stop_price"]), dec(stop), "{order}");
    }
    // Amounts may be numbers, and a parameter that no call knows is ignored (D-176).
    let numbers =
        with(limit("btcusd", "BUY", "1", "100"), &json!({ "quantity": 1, "price": 50.5, "note": [1] }));
    is_as_rest(&x, &place(numbers), "OPEN");
    laws::check(&x);
}

/// An order that cannot be read is refused by field, and has no update. Proves EVT-025.
#[test]
fn unreadable_orders_are_named() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    socket.ok("subscribe", json!(["orders@account"]));
    for (name, value) in [
        ("symbol", Value::Null),
        ("symbol", json!(5)),
        ("symbol", json!("zzzusd")),
        ("side", Value::Null),
        ("side", json!("UP")),
        ("side", json!(1)),
        ("type", Value::Null),
        ("type", json!("STOP")),
        ("type", json!(["LIMIT"])),
        ("timeInForce", Value::Null),
        ("timeInForce", json!("DAY")),
        ("timeInForce", json!(true)),
        ("quantity", Value::Null),
        ("quantity", json!("one")),
        ("quantity", json!("")),
        ("quantity", json!("-1")),
        ("quantity", json!("1e3")),
        ("quantity", json!("1.")),
        ("quantity", json!(".5")),
        ("quantity", json!("+1")),
        ("quantity", json!(" 1")),
        ("quantity", json!("0x1")),
        ("quantity", json!("NaN")),
        ("quantity", json!(true)),
        ("quantity", json!({})),
        ("price", Value::Null),
        ("price", json!("a")),
        ("price", json!(-5)),
        ("stopPrice", json!("b")),
        ("stopPrice", json!([])),
        ("clientOrderId", json!("x".repeat(101))),
        ("clientOrderId", json!("a b")),
        ("clientOrderId", json!("é")),
        ("clientOrderId", json!(5)),
        // Only orders of contracts are about an outcome.
        ("eventOutcome", json!("MAYBE")),
        ("eventOutcome", json!("YES")),
        ("eventOutcome", json!(7)),
    ] {
        let mut changes = json!({});
        changes[name] = value.clone();
        let params = with(limit("btcusd", "BUY", "1", "100"), &changes);
        let message = socket.refused("order.place", params, 400, -1013);
        assert!(message.contains(name) || name == "symbol", "{name} {value}: {message}");
    }
    let stop = with(limit("btcusd", "BUY", "1", "100"), &json!({ "type": "MARKET", "stopPrice": "105" }));
    let message = socket.refused("order.place", stop, 400, -1013);
    assert_eq!(message, "Field 'stopPrice' must be left out unless 'type' is LIMIT: 105");
    // `null` in a required field is refused too, in an optional one it is left out.
    for name in ["symbol", "side", "type", "timeInForce", "quantity", "price"] {
        let mut params = limit("btcusd", "BUY", "1", "100");
        params[name] = Value::Null;
        socket.refused("order.place", params, 400, -1013);
    }
    for params in [Value::Null, json!([]), json!("btcusd"), json!(5)] {
        let message = socket.refused("order.place", params, 400, -1013);
        assert!(message.contains("params"), "{message}");
    }
    socket.is_silent();
    let mut fine = limit("btcusd", "BUY", "1", "100");
    fine["stopPrice"] = Value::Null;
    fine["clientOrderId"] = Value::Null;
    place(&mut socket, fine);
    assert_eq!(x.as_("trader").live_ids().len(), 1);
    laws::check(&x);
}

/// An order that a rule refuses is -2010, and its text begins with the reason of REST (D-148). Proves EVT-025.
#[test]
fn refusals_by_rules_begin_with_their_reason() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    let plain = || limit("btcusd", "BUY", "1", "100");
    for (changes, reason) in [
        (json!({ "price": "100.001" }), "InvalidPrice: "),
        (json!({ "price": "0" }), "InvalidPrice: "),
        (json!({ "quantity": "0" }), "InvalidQuantity: "),
        (json!({ "quantity": "0.000001" }), "InvalidQuantity: "),
        (json!({ "quantity": "1.000000001" }), "InvalidQuantity: "),
        (json!({ "quantity": "10000" }), "InsufficientFunds: "),
        (json!({ "side": "SELL", "quantity": "9999999" }), "InsufficientFunds: "),
    ] {
        let params = with(plain(), &changes);
        let message = socket.refused("order.place", params.clone(), 400, -2010);
        assert!(message.starts_with(reason), "{changes}: {message}");
        // REST gives the same reason and the same words.
        let rest = json!({ "symbol": "btcusd", "type": "exchange limit", "amount": params["quantity"],
            "price": params["price"], "side": params["side"].as_str().unwrap().to_lowercase() });
        let refusal = x.as_("trader").call("/v1/order/new", rest).error();
        assert_eq!(format!("{}: ", refusal.reason), reason, "{refusal:?}");
    }
    x.set_status("btcusd", "cancel_only");
    let message = socket.refused("order.place", plain(), 400, -2010);
    assert!(message.starts_with("MarketNotOpen: "), "{message}");
    x.set_status("btcusd", "open");

    // A client id is live once in a session; over REST it may repeat (ORD-013).
    let named = with(plain(), &json!({ "clientOrderId": "mine" }));
    let id = place(&mut socket, named.clone());
    let message = socket.refused("order.place", named.clone(), 400, -2010);
    assert!(message.starts_with("DuplicateOrder: ") && message.contains("mine"), "{message}");
    x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").named("mine"));
    // Another key's order is the newest of that name; the own one lives on.
    let message = socket.refused("order.place", named.clone(), 400, -2010);
    assert!(message.starts_with("DuplicateOrder: "), "{message}");
    socket.ok("order.cancel", json!({ "orderId": id }));
    place(&mut socket, named.clone());
    // Also while the first has no answer yet.
    let other = with(plain(), &json!({ "clientOrderId": "other" }));
    for id in [1_001, 1_002] {
        socket.send(&json!({ "id": id, "method": "order.place", "params": other }));
    }
    let statuses = [socket.next(), socket.next()].map(|answer| answer["status"].clone());
    assert_eq!(statuses, [200, 400]);
    laws::check(&x);
}

/// A live order that lost its client id to a newer one still has it for this key, over a restart too.
#[test]
fn every_live_order_of_a_name_counts() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    let named = with(limit("btcusd", "BUY", "1", "100"), &json!({ "clientOrderId": "mine" }));
    let first = place(&mut socket, named.clone());
    let other = x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").named("mine"));
    x.as_("trader").cancel(other["order_id"].as_str().unwrap());
    for is_again in [false, true] {
        if is_again {
            x.kill9();
            x.restart();
            socket = x.fast("time-nonce", "/");
        }
        socket.ok("subscribe", json!(["orders@session"]));
        let message = socket.refused("order.place", named.clone(), 400, -2010);
        assert!(message.starts_with("DuplicateOrder: "), "{message}");
        let update = socket.next();
        assert_eq!((&update["X"], &update["r"]), (&json!("REJECTED"), &json!("DuplicateOrder")), "{update}");
        assert_eq!(update["c"], "mine", "{update}");
    }
    socket.ok("order.cancel", json!({ "orderId": first }));
    place(&mut socket, named);
    laws::check(&x);
}

/// Names that change nothing weigh as much as others.
#[test]
fn each_name_of_a_subscription_weighs() {
    let x = Exchange::start();
    let mut socket = x.socket("/");
    let weight = |socket: &mut Socket| {
        socket.ok("conninfo", Value::Null)["rateLimits"][0]["count"].as_u64().expect("a count")
    };
    let names: Vec<String> = ["depth", "trade", "bookTicker"].map(|feed| format!("btcusd@{feed}")).to_vec();
    for method in ["subscribe", "subscribe", "unsubscribe", "unsubscribe"] {
        let before = weight(&mut socket);
        socket.ok(method, json!(names));
        // With the call that asks for the count.
        assert_eq!(weight(&mut socket) - before, 4, "{method}");
    }
}

/// Orders of contracts name their outcome, and are refused by the codes of prediction markets.
#[test]
fn contracts_are_placed_with_their_outcome() {
    let x = Exchange::start();
    let expiry = x.now_ms() + 86_400_000;
    let event =
        json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather", "expiry_ms": expiry });
    x.control("/sandbox/predictions/events", &event).ok();
    let mut socket = x.fast("time-nonce", "/");
    let order = with(limit("SVC-RAIN", "BUY", "10", "0.60"), &json!({ "eventOutcome": "YES" }));
    let message = socket.refused("order.place", order.clone(), 400, -2010);
    assert!(message.starts_with("TERMS_NOT_ACCEPTED: "), "{message}");
    x.as_("trader").call("/v1/prediction-markets/terms/accept", json!({})).ok();
    for (changes, wrong) in
        [(json!({ "eventOutcome": null }), "eventOutcome"), (json!({ "eventOutcome": "MAYBE" }), "MAYBE")]
    {
        let message = socket.refused("order.place", with(order.clone(), &changes), 400, -1013);
        assert!(message.contains(wrong), "{message}");
    }
    let market = with(order.clone(), &json!({ "type": "MARKET", "price": null }));
    let message = socket.refused("order.place", market, 400, -1013);
    assert_eq!(message, "Field 'type' must be LIMIT for orders of contracts: MARKET");
    let off_grid = with(order.clone(), &json!({ "price": "0.6001" }));
    socket.refused("order.place", off_grid, 400, -2010);
    socket.ok("subscribe", json!(["orders@account"]));
    let id = place(&mut socket, order.clone());
    let new = socket.next_that(|frame| frame["X"] == "NEW");
    assert_eq!(
        (&new["O"], &new["S"], &new["s"]),
        (&json!("YES"), &json!("BUY"), &json!("SVC-RAIN")),
        "{new}"
    );
    let against = with(order, &json!({ "eventOutcome": "NO", "price": "0.30" }));
    place(&mut socket, against);
    let new = socket.next_that(|frame| frame["X"] == "NEW");
    assert_eq!(
        (&new["O"], &new["S"], Dec::wire(&new["p"])),
        (&json!("NO"), &json!("BUY"), dec("0.30")),
        "{new}"
    );
    socket.ok("order.cancel", json!({ "orderId": id }));
    let live = x.as_("trader").call("/v1/prediction-markets/orders/active", json!({})).ok();
    assert_eq!(live["orders"].as_array().map(Vec::len), Some(1), "{live}");
}

/// One order, all of the account or those of the session are cancelled; what is not live or not one's own is refused. Proves EVT-025.
#[test]
fn orders_are_cancelled() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    let trader = x.as_("trader");
    let foreign = x.as_("counterparty").limit("btcusd", "buy", "1", "90")["order_id"].clone();
    let [first, second] = ["99", "98"].map(|price| place(&mut socket, limit("btcusd", "BUY", "1", price)));
    assert_eq!(socket.ok("order.cancel", json!({ "orderId": first }))["result"], Value::Null);
    let number: u64 = second.parse().unwrap();
    socket.ok("order.cancel", json!({ "orderId": number }));
    assert_eq!(trader.status(&first)["reason"], "Requested");
    for id in
        [json!(first), json!(number), foreign.clone(), json!("999999999"), json!("99999999999999999999999")]
    {
        let message = socket.refused("order.cancel", json!({ "orderId": id }), 400, -1013);
        let shown = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        assert_eq!(message, format!("order not found or already filled: {shown}"));
    }
    for id in [Value::Null, json!(""), json!("x"), json!(-1), json!(1.5), json!([1]), json!(" 1")] {
        let message = socket.refused("order.cancel", json!({ "orderId": id }), 400, -1013);
        assert!(message.contains("orderId"), "{id}: {message}");
    }
    assert_eq!(x.as_("counterparty").live_ids(), [foreign.as_str().unwrap()]);

    let by_rest = trader.limit("btcusd", "buy", "1", "97")["order_id"].as_str().unwrap().to_owned();
    let own = place(&mut socket, limit("btcusd", "BUY", "1", "96"));
    let ids = |result: &Value| -> Vec<String> {
        same_keys(result, &["cancelledOrders", "cancelRejects"], result);
        assert_eq!(result["cancelRejects"], json!([]));
        result["cancelledOrders"].as_array().unwrap().iter().map(Value::to_string).collect()
    };
    assert_eq!(ids(&socket.ok("order.cancel_session", Value::Null)["result"]), [own]);
    assert_eq!(trader.live_ids(), std::slice::from_ref(&by_rest));
    let last = place(&mut socket, limit("btcusd", "BUY", "1", "96"));
    let mut all = ids(&socket.ok("order.cancel_all", json!({}))["result"]);
    let mut expected = vec![by_rest, last];
    all.sort();
    expected.sort();
    assert_eq!(all, expected);
    assert_eq!(ids(&socket.ok("order.cancel_all", Value::Null)["result"]), [""; 0]);
    laws::check(&x);
}

/// While the exchange is halted or in maintenance, orders are refused; cancels go on in a halt.
#[test]
fn a_halt_refuses_orders() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    let ids = ["99", "98"].map(|price| place(&mut socket, limit("btcusd", "BUY", "1", price)));
    x.control("/sandbox/halt", &json!({})).ok();
    let message = socket.refused("order.place", limit("btcusd", "BUY", "1", "97"), 503, -1000);
    assert!(message.starts_with("System: ") && message.contains("halted"), "{message}");
    socket.ok("order.cancel", json!({ "orderId": ids[0] }));
    socket.ok("order.cancel_all", Value::Null);
    assert!(x.as_("trader").live_ids().is_empty());
    x.control("/sandbox/resume", &json!({})).ok();
    place(&mut socket, limit("btcusd", "BUY", "1", "97"));
    x.control("/sandbox/maintenance", &json!({ "on": true })).ok();
    let message = socket.refused("order.place", limit("btcusd", "BUY", "1", "97"), 503, -1000);
    assert!(message.starts_with("Maintenance: "), "{message}");
    x.control("/sandbox/maintenance", &json!({ "on": false })).ok();
    place(&mut socket, limit("btcusd", "BUY", "1", "97"));
    laws::check(&x);
}

/// A key places a thousand orders in ten seconds; cancels that cancel something go on beyond it.
#[test]
fn orders_are_limited_by_key() {
    let x = Exchange::builder().flag("--rate-limits", "on").start();
    let mut socket = x.fast("time-nonce", "/");
    let live = place(&mut socket, limit("btcusd", "BUY", "1", "97"));
    // Those that a rule refuses count, and cost the exchange little.
    let count = 1_500;
    for id in 0..count {
        let params = limit("btcusd", "BUY", "1", "x");
        socket.send(&json!({ "id": id, "method": "order.place", "params": params }));
    }
    let answers: Vec<Value> = (0..count).map(|_| socket.next()).collect();
    let limited: Vec<&Value> = answers.iter().filter(|answer| answer["status"] == 429).collect();
    assert!(!limited.is_empty(), "none of {count} orders was refused");
    assert_eq!(limited[0]["error"]["code"], -1003, "{}", limited[0]);
    let shown = socket.ok("conninfo", Value::Null)["rateLimits"].clone();
    assert!(shown[1]["count"].as_u64().is_some_and(|count| count <= 1_000), "{shown}");
    // Another socket of the key has the same limit, another key has its own.
    let mut second = x.fast("time-nonce", "/");
    assert_eq!(second.call("order.place", limit("btcusd", "BUY", "1", "97"))["status"], 429);
    x.fast("time-counterparty", "/").ok("order.place", limit("btcusd", "BUY", "1", "97"));
    second.ok("order.cancel", json!({ "orderId": live }));
}
