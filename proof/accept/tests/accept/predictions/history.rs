//! Closed orders, and traded quantities.

use super::*;

/// The ids of a page of closed orders, and its pagination.
fn page(x: &Exchange, path: &str, fields: Value) -> (Vec<u64>, String) {
    let page = x.as_("trader").call(path, fields).ok();
    let rows = page["orders"].as_array().expect("orders");
    let ids = rows.iter().map(|row| row["orderId"].as_u64().expect("a number")).collect();
    (ids, some(&page["pagination"], &["limit", "offset", "count"]).join(" "))
}

/// Closed orders in their own view, the one that closed last first: by status, contract and time of closing, also after a crash. Proves
/// PM-017, PM-023.
#[test]
fn closed_orders_are_listed() {
    let x = exchange();
    list(&x, json!({ "ticker": "SNOW", "title": "Will it snow?", "category": "weather" }));
    let id = |order: &Value| order["orderId"].as_u64().expect("a number");
    let filled = place(&x, "trader", with("buy no 10 at 0.40", &json!({ "clientOrderId": "first" })));
    let cancelled = place(&x, "trader", with("buy yes 3 at 0.20", &json!({ "symbol": "SVC-SNOW" })));
    x.advance(10);
    place(&x, "counterparty", limit("buy yes 10 at 0.60"));
    let middle = x.now_ms();
    x.advance(10);
    x.as_("trader").call(CANCEL, json!({ "orderId": id(&cancelled) })).ok();
    let at_once =
        place(&x, "trader", with("sell no 4 at 0.50", &json!({ "timeInForce": "immediate-or-cancel" })));
    let all = vec![id(&at_once), id(&cancelled), id(&filled)];
    let check = || {
        assert_eq!(page(&x, HISTORY, json!({})), (all.clone(), "50 0 3".to_owned()));
        let rows = x.as_("trader").call(HISTORY, json!({})).ok();
        let names = [
            "status",
            "side",
            "outcome",
            "price",
            "filledQuantity",
            "remainingQuantity",
            "avgExecutionPrice",
        ];
        let expected = [
            ["cancelled", "sell", "no", "0.50", "0", "4", "null"],
            ["cancelled", "buy", "yes", "0.20", "0", "3", "null"],
            ["filled", "buy", "no", "0.40", "10", "0", "0.4"],
        ];
        for (row, expected) in rows["orders"].as_array().unwrap().iter().zip(expected) {
            assert_eq!(some(row, &names), expected, "{row}");
        }
        assert_eq!(rows["orders"][0]["cancelReason"], "ImmediateOrCancelWouldPost", "{rows}");
        assert_eq!(rows["orders"][1]["cancelReason"], "Requested", "{rows}");
        assert_eq!(rows["orders"][2]["clientOrderId"], "first", "{rows}");
    };
    check();
    let ids = |fields: Value| page(&x, HISTORY, fields).0;
    assert_eq!(ids(json!({ "status": "filled" })), all[2..]);
    assert_eq!(ids(json!({ "status": "cancelled" })), all[..2]);
    assert_eq!(ids(json!({ "symbol": "svc-snow" })), all[1..2]);
    // From is inclusive, to is exclusive.
    assert_eq!(ids(json!({ "to": middle })), [] as [u64; 0]);
    assert_eq!(ids(json!({ "from": middle, "to": middle + 1 })), all[2..]);
    assert_eq!(ids(json!({ "from": middle + 1 })), all[..2]);
    assert_eq!(ids(json!({ "from": middle, "offset": 20_000 })), all);
    assert_eq!(
        page(&x, HISTORY, json!({ "limit": 1, "offset": 1 })),
        (all[1..2].to_vec(), "1 1 1".to_owned())
    );
    assert_eq!(page(&x, HISTORY, json!({ "limit": 5_000 })).1, "1000 0 3");
    let queried = format!("{HISTORY}?status=filled&limit=5");
    assert_eq!(page(&x, &queried, json!({ "request": HISTORY })), (all[2..].to_vec(), "5 0 1".to_owned()));
    // The lists of spot orders have none of them.
    assert_eq!(x.as_("trader").call("/v1/orders/history", json!({})).ok(), json!([]));
    let named = json!({ "order_id": id(&filled) });
    x.as_("trader").call("/v1/order/status", named).refused(404, "OrderNotFound");
    x.kill9();
    x.restart();
    check();
}

/// Bad parameters of closed orders. Proves PM-023.
#[test]
fn parameters_of_closed_orders_are_checked() {
    let x = exchange();
    for (fields, field) in [
        (json!({ "status": "open" }), "status"),
        (json!({ "status": "Filled" }), "status"),
        (json!({ "status": 1 }), "status"),
        (json!({ "from": 2_000_000_000_001_u64, "to": 2_000_000_000_000_u64 }), "from"),
        (json!({ "from": "yesterday" }), "from"),
        (json!({ "to": -1 }), "to"),
        (json!({ "limit": 0 }), "limit"),
        (json!({ "offset": 10_001 }), "offset"),
        (json!({ "offset": -1 }), "offset"),
        (json!({ "symbol": true }), "symbol"),
    ] {
        let message = x.as_("trader").call(HISTORY, fields).coded(400, "InvalidInput");
        assert!(message.contains(&format!("'{field}'")), "{message}");
    }
    x.as_("trader").call(HISTORY, json!({ "symbol": "SVC-NONE" })).coded(404, "NOT_FOUND");
    // A refusal quotes the value as it was sent, in the payload or in the query string.
    let vast = "999999999999999999999999999999";
    for (path, fields, quoted) in [
        (HISTORY, json!({ "offset": vast }), vast),
        (&format!("{HISTORY}?offset={vast}"), json!({ "request": HISTORY }), vast),
        (HISTORY, json!({ "from": 2_000_000_001, "to": "2000000000" }), "'to', 2000000000: 2000000001"),
    ] {
        let message = x.as_("trader").call(path, fields).coded(400, "InvalidInput");
        assert!(message.ends_with(&format!(" {quoted}")), "{message}");
    }
}

/// Traded quantities of an event: of all takers, and of the account on both sides. Proves PM-026.
#[test]
fn traded_quantities_are_counted() {
    let x = exchange();
    let contracts = json!([{ "ticker": "ANN", "label": "Ann" }, { "ticker": "BOB", "label": "Bob" }]);
    list(&x, json!({ "ticker": "CUP", "title": "Who wins?", "category": "sports", "contracts": contracts }));
    let ann = json!({ "symbol": "SVC-CUP-ANN" });
    place(&x, "trader", with("buy yes 10 at 0.40", &ann));
    place(&x, "counterparty", with("buy no 4 at 0.60", &ann));
    let middle = x.now_ms();
    x.advance(10);
    place(&x, "counterparty", with("buy no 3 at 0.60", &ann));
    place(&x, "counterparty", with("buy no 5 at 0.50", &ann));
    place(&x, "trader", with("buy yes 5 at 0.50", &ann));
    let volume = |fields: Value| {
        let mut all = json!({ "eventTicker": "cup" });
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let volume = x.as_("trader").call(VOLUME, all).ok();
        assert_eq!(volume["eventTicker"], "CUP");
        let names = ["symbol", "totalQty", "userAggressorQty", "userRestingQty"];
        let rows = volume["contracts"].as_array().unwrap().clone();
        rows.iter().map(|row| some(row, &names).join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(volume(json!({})), ["SVC-CUP-ANN 12 5 7", "SVC-CUP-BOB 0 0 0"]);
    assert_eq!(volume(json!({ "endTime": middle + 1 }))[0], "SVC-CUP-ANN 4 0 4");
    assert_eq!(volume(json!({ "endTime": middle }))[0], "SVC-CUP-ANN 0 0 0");
    assert_eq!(volume(json!({ "startTime": middle }))[0], "SVC-CUP-ANN 12 5 7");
    assert_eq!(volume(json!({ "startTime": middle + 1 }))[0], "SVC-CUP-ANN 8 5 3");
    let bad = |fields: Value, field: &str| {
        let message = x.as_("trader").call(VOLUME, fields).coded(400, "InvalidInput");
        assert!(message.contains(&format!("'{field}'")), "{message}");
    };
    bad(json!({}), "eventTicker");
    bad(json!({ "eventTicker": null }), "eventTicker");
    bad(json!({ "eventTicker": "CUP", "startTime": "x" }), "startTime");
    bad(json!({ "eventTicker": "CUP", "startTime": middle + 1, "endTime": middle }), "startTime");
    x.as_("trader").call(VOLUME, json!({ "eventTicker": "NONE" })).coded(404, "NOT_FOUND");
}

/// `/v1/order/status` and `/v1/order/cancel` have no order of a contract; the refusal names the list that has it: of a live one and, for a
/// status, of a closed one too, by either id. Proves D-287.
#[test]
fn a_refusal_says_where_orders_of_contracts_are() {
    let x = exchange();
    let fields = with("buy yes 10 at 0.60", &json!({ "clientOrderId": "mine" }));
    let order = place(&x, "trader", fields)["orderId"].clone();
    let named = [json!({ "order_id": order.to_string() }), json!({ "client_order_id": "mine" })];
    let refused = |key: &str, path: &str, fields: &Value| {
        x.as_(key).call(path, fields.clone()).refused(404, "OrderNotFound").message
    };
    let says = |message: &str, list: &str| {
        let place = format!("{ROOT}/orders/{list}");
        assert!(message.contains(RAIN) && message.contains(&place), "{message}");
    };
    for fields in &named {
        for path in ["/v1/order/status", "/v1/order/cancel"] {
            says(&refused("trader", path, fields), "active");
            assert!(
                !refused("counterparty", path, fields).contains(RAIN),
                "another account's looks like none"
            );
        }
    }
    x.as_("trader").call(CANCEL, json!({ "orderId": order })).ok();
    for fields in &named {
        says(&refused("trader", "/v1/order/status", fields), "history");
        let foreign = refused("counterparty", "/v1/order/status", fields);
        assert!(!foreign.contains(RAIN), "another account's looks like none: {foreign}");
    }
    let unknown = refused("trader", "/v1/order/status", &json!({ "client_order_id": "other" }));
    assert_eq!(unknown, "Order with client_order_id 'other' not found");
}
