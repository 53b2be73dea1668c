//! Stop-limit orders, whose rule and trigger are those of their own outcome (F§18.5, D-117).

use super::*;

fn stop(words: &str, stop: &str) -> Value {
    with(words, &json!({ "orderType": "stop-limit", "stopPrice": stop }))
}

/// Trades one pair at a price of yes.
fn trade(x: &Exchange, yes: &str, no: &str) {
    let order = place(x, "counterparty", limit(&format!("buy yes 1 at {yes}")));
    assert_eq!(order["status"], "open", "{order}");
    accept(x, "savings-trader");
    let other = place(x, "savings-trader", limit(&format!("buy no 1 at {no}")));
    assert_eq!(other["status"], "filled", "{other}");
}

/// A buy's stop is between the last price and the limit, a sale's between the limit and the last price, equality allowed, in the view of
/// the order's own outcome. Proves PM-015.
#[test]
fn a_stop_lies_between_the_last_price_and_the_limit() {
    let x = exchange();
    let missing = with("buy yes 1 at 0.50", &json!({ "orderType": "stop-limit" }));
    assert!(send(&x, "trader", missing).coded(400, "InvalidInput").contains("stopPrice"));
    let limit_order = with("buy yes 1 at 0.50", &json!({ "stopPrice": "0.40" }));
    assert!(send(&x, "trader", limit_order).coded(400, "InvalidInput").contains("stopPrice"));
    for option in [json!({ "timeInForce": "immediate-or-cancel" }), json!({ "makerOrCancel": true })] {
        let mut fields = stop("buy yes 1 at 0.50", "0.40");
        fields.as_object_mut().unwrap().extend(option.as_object().unwrap().clone());
        send(&x, "trader", fields).coded(400, "InvalidInput");
    }
    // Without a last trade only the limit counts.
    let refused = |words: &str, at: &str| {
        let message = send(&x, "trader", stop(words, at)).coded(400, "InvalidInput");
        assert!(message.contains("stopPrice") && message.contains(at), "{message}");
    };
    refused("buy yes 1 at 0.50", "0.51");
    refused("buy no 1 at 0.50", "0.51");
    place(&x, "trader", stop("buy yes 1 at 0.50", "0.50"));
    x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
    trade(&x, "0.60", "0.40");
    refused("buy yes 1 at 0.70", "0.59");
    refused("buy no 1 at 0.50", "0.39");
    for (words, at) in
        [("buy yes 1 at 0.70", "0.60"), ("buy no 1 at 0.50", "0.40"), ("buy no 1 at 0.40", "0.40")]
    {
        let order = place(&x, "trader", stop(words, at));
        assert_eq!(order["status"], "open", "{order}");
    }
    // Sales need claims.
    place(&x, "counterparty", limit("buy no 10 at 0.30"));
    place(&x, "trader", limit("buy yes 10 at 0.70"));
    refused("sell yes 1 at 0.50", "0.49");
    refused("sell yes 1 at 0.50", "0.71");
    place(&x, "trader", stop("sell yes 1 at 0.50", "0.70"));
    place(&x, "trader", stop("sell yes 1 at 0.50", "0.50"));
}

/// A waiting stop is open and not in the book; it rests, or trades, once the last price of its own outcome reaches the stop.
#[test]
fn a_stop_enters_when_its_own_outcome_reaches_it() {
    let x = exchange();
    trade(&x, "0.60", "0.40");
    let waiting = place(&x, "trader", stop("buy no 5 at 0.50", "0.45"));
    let shown = some(&waiting, &["status", "orderType", "side", "outcome", "price", "stopPrice"]);
    assert_eq!(shown, ["open", "stop-limit", "buy", "no", "0.50", "0.45"], "{waiting}");
    // A bid for yes at 0.50 would meet it if it were in the book.
    let bid = place(&x, "counterparty", limit("buy yes 1 at 0.50"));
    assert_eq!(bid["status"], "open", "{bid}");
    x.as_("counterparty").call(CANCEL, json!({ "orderId": bid["orderId"] })).ok();
    trade(&x, "0.56", "0.44");
    let bid = place(&x, "counterparty", limit("buy yes 1 at 0.50"));
    assert_eq!(bid["status"], "open", "{bid}");
    x.as_("counterparty").call(CANCEL, json!({ "orderId": bid["orderId"] })).ok();
    trade(&x, "0.55", "0.45");
    let bid = place(&x, "counterparty", limit("buy yes 1 at 0.50"));
    assert_eq!(bid["status"], "filled", "{bid}");
    let rows = x.as_("trader").call(ACTIVE, json!({})).ok();
    let shown = some(&rows["orders"][0], &["orderId", "orderType", "filledQuantity", "avgExecutionPrice"]);
    assert_eq!(shown, [&waiting["orderId"].to_string(), "stop-limit", "1", "0.5"], "{rows}");
}
