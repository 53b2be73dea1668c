//! Bad fields of orders, and contracts that take none.

use super::*;

/// Every field that is needed, missing or bad. Proves PM-013, PM-014, PM-016.
#[test]
fn fields_are_checked() {
    let x = exchange();
    let good = limit("buy yes 5 at 0.50");
    for name in ["symbol", "orderType", "side", "outcome", "quantity", "price"] {
        let mut fields = good.clone();
        fields.as_object_mut().unwrap().remove(name);
        let message = send(&x, "trader", fields).coded(400, "InvalidInput");
        assert_eq!(message, format!("Missing required field '{name}'"));
        for wrong in [json!(null), json!(true), json!([]), json!({})] {
            let fields = with("buy yes 5 at 0.50", &json!({ name: wrong }));
            let message = send(&x, "trader", fields).coded(400, "InvalidInput");
            assert!(message.contains(&format!("'{name}'")), "{message}");
        }
    }
    let wrong = |name: &str, value: Value, says: &str| {
        let fields = with("buy yes 5 at 0.50", &json!({ name: value }));
        let message = send(&x, "trader", fields).coded(400, "InvalidInput");
        assert!(message.contains(&format!("'{name}'")) && message.contains(says), "{message}");
    };
    for (name, values) in [
        ("orderType", ["market", "Limit", "exchange limit", ""]),
        ("side", ["Buy", "BUY", "hold", ""]),
        ("outcome", ["Yes", "maybe", "1", ""]),
        ("timeInForce", ["IOC", "auction-only", "good-till-cancel", ""]),
    ] {
        for value in values {
            wrong(name, json!(value), value);
        }
    }
    for value in [
        "0",
        "0.0",
        "1",
        "1.00",
        "1.01",
        "2",
        "0.005",
        "0.501",
        "0.995",
        "99999999999999999999",
        "1e-1",
        "-0.5",
        ".5",
        "x",
        "",
    ] {
        wrong("price", json!(value), value);
    }
    wrong("price", json!("0.505"), "a multiple of 0.01, at least 0.01 and at most 0.99");
    wrong("price", json!(0), "0");
    wrong("price", json!(1), "1");
    for value in [
        "0",
        "0.99",
        "0.5",
        "1.001",
        "5.005",
        "-5",
        "1e2",
        "x",
        "",
        "340282366920938463463374607431768211456",
    ] {
        wrong("quantity", json!(value), value);
    }
    wrong("quantity", json!("0.5"), "a multiple of 0.01, and at least 1");
    for value in
        [json!(5), json!(true), json!(["a"]), json!("a b"), json!("é"), json!("x".repeat(101)), json!("")]
    {
        wrong("clientOrderId", value, "");
    }
    for value in [json!("true"), json!(1), json!([])] {
        wrong("makerOrCancel", value, "");
    }
    wrong("timeInForce", json!(5), "5");
    assert_eq!(active(&x, "trader"), [] as [u64; 0]);
    // Numbers may be sent as numbers, and fields that are not needed as null. The same client id may be used again.
    for _ in 0..2 {
        let fields = with(
            "buy yes 5 at 0.50",
            &json!({
                "price": 0.99, "quantity": 1, "timeInForce": null, "makerOrCancel": null, "stopPrice": null,
                "clientOrderId": "again",
            }),
        );
        let order = place(&x, "trader", fields);
        assert_eq!(some(&order, &["price", "quantity", "clientOrderId"]), ["0.99", "1", "again"], "{order}");
    }
    // A field that is sent twice makes the payload no JSON object; the body is that of every endpoint.
    let payload = x.as_("trader").payload(ORDER, good).replacen('{', r#"{"price":"0.4","#, 1);
    x.as_("trader").call_payload(ORDER, payload.as_bytes()).refused(400, "InvalidJson");
}

/// A contract that is unknown, not begun, halted, expired or resolved takes no orders. Proves PM-020.
#[test]
fn only_open_contracts_take_orders() {
    let x = exchange();
    for symbol in ["SVC-NONE", "RAIN", "SVC-RAIN-RAIN", "btcusd", "", "SVC-"] {
        let fields = with("buy yes 5 at 0.50", &json!({ "symbol": symbol }));
        let message = send(&x, "trader", fields).coded(404, "NOT_FOUND");
        assert!(message.contains(symbol), "{message}");
    }
    let refused = |symbol: &str| {
        let fields = with("buy yes 5 at 0.50", &json!({ "symbol": symbol }));
        let message = send(&x, "trader", fields).coded(400, "InvalidInput");
        assert!(message.contains(symbol), "{message}");
    };
    let start = x.now_ms() + 3_600_000;
    list(&x, json!({ "ticker": "LATER", "title": "Later?", "category": "weather", "start_ms": start }));
    refused("SVC-LATER");
    let order = place(&x, "trader", limit("buy yes 5 at 0.50"));
    x.control("/sandbox/predictions/events/RAIN/halt", &json!({ "halted": true })).ok();
    refused(RAIN);
    assert_eq!(active(&x, "trader").len(), 1, "a halt keeps orders");
    x.as_("trader").call(CANCEL, json!({ "orderId": order["orderId"] })).ok();
    x.control("/sandbox/predictions/events/RAIN/halt", &json!({ "halted": false })).ok();
    place(&x, "trader", limit("buy yes 5 at 0.50"));
    x.advance(3_600);
    place(&x, "trader", with("buy yes 5 at 0.50", &json!({ "symbol": "SVC-LATER" })));
    x.advance(86_400);
    refused(RAIN);
    assert_eq!(active(&x, "trader"), [] as [u64; 0]);
    let resolution = json!({ "outcomes": { "RAIN": "yes" }, "source": "the weather" });
    x.control("/sandbox/predictions/events/RAIN/resolve", &resolution).ok();
    x.advance(3_600);
    refused(RAIN);
}

/// While the exchange is halted, orders are refused for now, in the common body; cancels go on.
#[test]
fn a_halted_exchange_takes_cancels() {
    let x = exchange();
    let order = place(&x, "trader", limit("buy yes 5 at 0.50"));
    x.control("/sandbox/halt", &json!({ "reason": "a test" })).ok();
    send(&x, "trader", limit("buy yes 5 at 0.50")).refused(503, "System");
    x.as_("trader").call(CANCEL, json!({ "orderId": order["orderId"] })).ok();
}
