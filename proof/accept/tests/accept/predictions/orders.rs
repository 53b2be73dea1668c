//! Orders: their reply, fills of every kind, options, cancels, and the list of live orders.

use super::*;
use buttonwood_accept::{dec, same_keys};

/// The reply has the documented fields, in the view of the order's own outcome. Proves PM-013, PM-017.
#[test]
fn a_placed_order_is_shown_in_its_own_view() {
    let x = exchange();
    let order = place(&x, "trader", with("buy no 10 at 0.30", &json!({ "clientOrderId": "mine" })));
    let names = [
        "orderId",
        "clientOrderId",
        "status",
        "symbol",
        "side",
        "outcome",
        "orderType",
        "timeInForce",
        "quantity",
        "filledQuantity",
        "remainingQuantity",
        "price",
        "avgExecutionPrice",
        "createdAt",
        "updatedAt",
        "contractMetadata",
    ];
    same_keys(&order, &names, &order);
    assert!(order["orderId"].is_u64() && order["avgExecutionPrice"].is_null(), "{order}");
    let shown = some(&order, &names[1..12]);
    let expected = ["mine", "open", RAIN, "buy", "no", "limit", "good-til-cancel", "10", "0", "10", "0.30"];
    assert_eq!(shown, expected, "{order}");
    assert_eq!(order["contractMetadata"]["eventTicker"], "RAIN");
    assert_eq!(order["createdAt"], order["updatedAt"]);
    // Its book is that of yes: a buy of no is an ask at one less its price.
    let book = x.get("/v1/book/svc-rain").ok();
    assert_eq!(book["asks"][0]["price"], "0.70", "{book}");
    let other = place(&x, "counterparty", with("buy yes 5 at 0.70", &json!({ "symbol": "svc-Rain" })));
    let shown = some(&other, &["status", "symbol", "filledQuantity", "avgExecutionPrice"]);
    assert_eq!(shown, ["filled", RAIN, "5", "0.7"], "{other}");
    let rows = x.as_("trader").call(ACTIVE, json!({})).ok();
    let shown =
        some(&rows["orders"][0], &["status", "filledQuantity", "remainingQuantity", "avgExecutionPrice"]);
    assert_eq!(shown, ["open", "5", "5", "0.3"], "{rows}");
}

/// Buys of both outcomes mint, sales of both merge, and others pass claims on; each pays the fee of its part. Proves PM-018, PM-019,
/// PM-028.
#[test]
fn bids_meet_asks_of_every_kind() {
    let x = exchange();
    let dollars = |key: &str| x.as_(key).balance("USD").0;
    let [trader, counterparty] = ["trader", "counterparty"].map(dollars);
    // A mint at 0.60: the taker pays 5 % of 0.40 a contract, the maker 1 %.
    place(&x, "trader", limit("buy yes 100 at 0.60"));
    let taken = place(&x, "counterparty", limit("buy no 100 at 0.45"));
    assert_eq!(some(&taken, &["status", "avgExecutionPrice"]), ["filled", "0.4"], "{taken}");
    assert_eq!(dollars("trader"), trader - dec("60.4"));
    assert_eq!(dollars("counterparty"), counterparty - dec("42"));
    for (key, fee, price, outcome) in [("trader", "0.4", "0.60", "yes"), ("counterparty", "2", "0.40", "no")]
    {
        let trades = x.as_(key).call("/v1/mytrades", json!({ "symbol": RAIN })).ok();
        let shown = some(&trades[0], &["fee_currency", "fee_amount", "price", "outcome", "amount"]);
        assert_eq!(shown, ["USD", fee, price, outcome, "100"], "{trades}");
    }
    // A transfer of no at 0.50.
    accept(&x, "empty");
    x.credit("empty", "USD", "100");
    place(&x, "counterparty", limit("sell no 40 at 0.50"));
    let bought = place(&x, "empty", limit("buy no 40 at 0.50"));
    assert_eq!(some(&bought, &["status", "filledQuantity", "avgExecutionPrice"]), ["filled", "40", "0.5"]);
    assert_eq!(dollars("empty"), dec("79"), "100 − 20 − 5 % of 20");
    // A merge at 0.70 for yes: 30 pairs disappear.
    place(&x, "trader", limit("sell yes 30 at 0.70"));
    let sold = place(&x, "empty", limit("sell no 30 at 0.25"));
    assert_eq!(some(&sold, &["status", "avgExecutionPrice"]), ["filled", "0.3"], "{sold}");
    assert_eq!(dollars("empty"), dec("87.55"), "79 + 9 − 5 % of 9");
    let held = |key: &str| {
        let rows = positions(&x, key);
        rows.iter().map(|row| some(row, &["outcome", "totalQuantity"]).join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(
        (held("trader"), held("counterparty"), held("empty")),
        (vec!["yes 70".to_owned()], vec!["no 60".to_owned()], vec!["no 10".to_owned()])
    );
}

/// Orders that end at once are placed all the same, and say why they ended. Proves PM-013, PM-014, PM-017.
#[test]
fn orders_that_end_at_once_are_placed() {
    let x = exchange();
    place(&x, "counterparty", limit("buy no 5 at 0.40"));
    for (option, price, reason) in [
        (json!({ "timeInForce": "fill-or-kill" }), "0.60", "FillOrKillWouldNotFill"),
        (json!({ "timeInForce": "maker-or-cancel" }), "0.60", "MakerOrCancelWouldTake"),
        (json!({ "makerOrCancel": true }), "0.60", "MakerOrCancelWouldTake"),
        (json!({ "timeInForce": "immediate-or-cancel" }), "0.50", "ImmediateOrCancelWouldPost"),
    ] {
        let order = place(&x, "trader", with(&format!("buy yes 8 at {price}"), &option));
        let shown = some(&order, &["status", "filledQuantity", "remainingQuantity", "cancelReason"]);
        assert_eq!(shown, ["cancelled", "0", "8", reason], "{order}");
        assert_eq!(order["cancelledAt"], order["updatedAt"], "{order}");
    }
    let order =
        place(&x, "trader", with("buy yes 8 at 0.60", &json!({ "timeInForce": "immediate-or-cancel" })));
    let shown =
        some(&order, &["status", "filledQuantity", "remainingQuantity", "avgExecutionPrice", "timeInForce"]);
    assert_eq!(shown, ["cancelled", "5", "3", "0.6", "immediate-or-cancel"], "{order}");
    assert_eq!(active(&x, "trader"), [] as [u64; 0]);
    // A maker-or-cancel that rests is open. The other outcome of the same account is no counterparty.
    let order = place(&x, "trader", with("buy yes 8 at 0.60", &json!({ "makerOrCancel": true })));
    assert_eq!(some(&order, &["status", "timeInForce"]), ["open", "maker-or-cancel"], "{order}");
    let crossing = place(&x, "trader", limit("buy no 8 at 0.40"));
    let shown = some(&crossing, &["status", "remainingQuantity", "cancelReason"]);
    assert_eq!(shown, ["cancelled", "8", "SelfCrossPrevented"], "{crossing}");
    assert_eq!(active(&x, "trader"), [order["orderId"].as_u64().unwrap()]);
}

/// A cancel takes a number or its digits. Proves PM-021.
#[test]
fn an_order_is_cancelled_once() {
    let x = exchange();
    for as_text in [false, true] {
        let id = place(&x, "trader", limit("buy yes 5 at 0.20"))["orderId"].as_u64().unwrap();
        let named = if as_text { json!(id.to_string()) } else { json!(id) };
        let foreign =
            x.as_("counterparty").call(CANCEL, json!({ "orderId": named })).coded(404, "OrderNotFound");
        assert!(foreign.contains(&id.to_string()), "{foreign}");
        let done = x.as_("trader").call(CANCEL, json!({ "orderId": named })).ok();
        let message = format!("Order {id} cancelled successfully");
        assert_eq!(done, json!({ "result": "ok", "message": message }));
        let again =
            x.as_("trader").call(CANCEL, json!({ "orderId": named })).coded(422, "OrderNotCancellable");
        assert!(again.contains(&id.to_string()) && again.contains("cancelled"), "{again}");
        assert_eq!(active(&x, "trader"), [] as [u64; 0]);
    }
    place(&x, "trader", limit("buy yes 5 at 0.20"));
    let filled = place(&x, "counterparty", limit("buy no 5 at 0.80"));
    let message = x.as_("counterparty").call(CANCEL, json!({ "orderId": filled["orderId"] }));
    assert!(message.coded(422, "OrderNotCancellable").contains("filled"));
    x.as_("trader").call(CANCEL, json!({})).coded(400, "InvalidInput");
    for wrong in [
        json!(null),
        json!("x"),
        json!(-1),
        json!(1.5),
        json!([1]),
        json!(true),
        json!(""),
        json!("9".repeat(30)),
    ] {
        let message = x.as_("trader").call(CANCEL, json!({ "orderId": wrong })).coded(400, "InvalidInput");
        assert!(message.contains("orderId"), "{message}");
    }
    x.as_("trader").call(CANCEL, json!({ "orderId": 999_999_999 })).coded(404, "OrderNotFound");
    // An order of another product is unknown here, and an order of a contract is unknown there.
    let spot = x.as_("trader").limit("btcusd", "buy", "0.01", "10");
    x.as_("trader").call(CANCEL, json!({ "orderId": spot["order_id"] })).coded(404, "OrderNotFound");
    let own = place(&x, "trader", limit("buy yes 5 at 0.20"));
    let named = json!({ "order_id": own["orderId"] });
    x.as_("trader").call("/v1/order/cancel", named.clone()).refused(404, "OrderNotFound");
    assert_eq!(x.as_("trader").live_ids(), [spot["order_id"].as_str().unwrap()]);
    assert_eq!(active(&x, "trader").len(), 1);
    // The switch for all orders takes those of contracts too.
    x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
    assert_eq!(active(&x, "trader"), [] as [u64; 0]);
}

/// The list of live orders: the newest placed first, in pages, of one contract. Proves PM-022.
#[test]
fn live_orders_are_listed_in_pages() {
    let x = exchange();
    list(&x, json!({ "ticker": "SNOW", "title": "Will it snow?", "category": "weather" }));
    let ids: Vec<u64> = (0..60)
        .map(|number| {
            let symbol = if number % 2 == 0 { RAIN } else { "SVC-SNOW" };
            let order = place(&x, "trader", with("buy yes 1 at 0.01", &json!({ "symbol": symbol })));
            order["orderId"].as_u64().unwrap()
        })
        .collect();
    let page = |path: &str, fields: Value| {
        let page = x.as_("trader").call(path, fields).ok();
        let rows = page["orders"].as_array().unwrap();
        let found: Vec<u64> = rows.iter().map(|row| row["orderId"].as_u64().unwrap()).collect();
        (found, some(&page["pagination"], &["limit", "offset", "count"]).join(" "))
    };
    let newest =
        |from: usize, count: usize| ids.iter().rev().skip(from).take(count).copied().collect::<Vec<u64>>();
    assert_eq!(page(ACTIVE, json!({})), (newest(0, 50), "50 0 50".to_owned()));
    assert_eq!(page(ACTIVE, json!({ "offset": 50 })), (newest(50, 10), "50 50 10".to_owned()));
    assert_eq!(page(ACTIVE, json!({ "limit": "1000" })), (newest(0, 60), "100 0 60".to_owned()));
    assert_eq!(page(ACTIVE, json!({ "limit": 3, "offset": 2 })), (newest(2, 3), "3 2 3".to_owned()));
    // In the query string too, whether it is signed or not; the payload counts before it.
    let queried = "/v1/prediction-markets/orders/active?limit=3&offset=2";
    assert_eq!(page(queried, json!({})), (newest(2, 3), "3 2 3".to_owned()));
    assert_eq!(page(queried, json!({ "request": ACTIVE })), (newest(2, 3), "3 2 3".to_owned()));
    assert_eq!(page(queried, json!({ "limit": 1 })), (newest(2, 1), "1 2 1".to_owned()));
    let snow: Vec<u64> =
        newest(0, 60).into_iter().filter(|id| ids.iter().position(|of| of == id).unwrap() % 2 == 1).collect();
    assert_eq!(page(ACTIVE, json!({ "symbol": "svc-snow" })).0, snow);
    assert!(
        x.as_("trader")
            .call(ACTIVE, json!({ "symbol": "SVC-NONE" }))
            .coded(404, "NOT_FOUND")
            .contains("SVC-NONE")
    );
    x.as_("trader").call(ACTIVE, json!({ "symbol": "btcusd" })).coded(404, "NOT_FOUND");
    for (field, wrong) in [
        ("limit", json!(0)),
        ("limit", json!(-1)),
        ("limit", json!("x")),
        ("limit", json!(1.5)),
        ("limit", json!([])),
        ("offset", json!(-1)),
        ("offset", json!("1e2")),
        ("symbol", json!(5)),
    ] {
        let message = x.as_("trader").call(ACTIVE, json!({ field: wrong })).coded(400, "InvalidInput");
        assert!(message.contains(field), "{message}");
    }
}
