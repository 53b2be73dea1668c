//! What orders hold, and orders that cannot be paid for.

use super::*;
use buttonwood_accept::dec;

/// A buy holds its cost and the larger fee, a sale its claims. Proves PM-019.
#[test]
fn orders_hold_what_they_need() {
    let x = exchange();
    accept(&x, "empty");
    x.credit("empty", "USD", "100");
    let available = || x.as_("empty").balance("USD").1;
    // 100 × 0.40, and 5 % of 40.
    let order = place(&x, "empty", limit("buy no 100 at 0.40"));
    assert_eq!(available(), dec("58"));
    let message = send(&x, "empty", limit("buy yes 100 at 0.57")).coded(422, "InsufficientFunds");
    assert!(message.contains("59.15 USD") && message.contains("58 available"), "{message}");
    place(&x, "empty", limit("buy yes 100 at 0.10"));
    x.as_("empty").call(CANCEL, json!({ "orderId": order["orderId"] })).ok();
    let message = send(&x, "empty", limit("sell yes 1 at 0.50")).coded(422, "InsufficientFunds");
    assert!(
        message.contains("1 contracts of SVC-RAIN on yes") && message.contains("0 available"),
        "{message}"
    );
    place(&x, "counterparty", limit("buy no 100 at 0.90"));
    place(&x, "empty", limit("sell yes 60 at 0.50"));
    send(&x, "empty", limit("sell yes 40.01 at 0.50")).coded(422, "InsufficientFunds");
    place(&x, "empty", limit("sell yes 40 at 0.50"));
    let rows = positions(&x, "empty");
    assert_eq!(some(&rows[0], &["totalQuantity", "quantityOnHold"]), ["100", "100"], "{rows:?}");
}

/// Accounts of other kinds do not trade contracts, and have empty lists.
#[test]
fn accounts_of_other_kinds_do_not_trade() {
    let x = exchange();
    for kind in ["derivatives", "margin", "custody"] {
        let name = format!("a-{kind}");
        x.control("/sandbox/accounts", &json!({ "group": "one", "name": name, "kind": kind })).ok();
        let fields = with("buy yes 1 at 0.50", &json!({ "account": name }));
        send(&x, "master", fields).refused(400, "AccountNotOfTypeRequired");
        if kind != "custody" {
            // Before the order's own fields.
            let fields = with("buy yes 1 at 5", &json!({ "account": name }));
            send(&x, "master", fields).refused(400, "AccountNotOfTypeRequired");
        }
        let rows = x.as_("master").call(POSITIONS, json!({ "account": name })).ok();
        assert_eq!(rows, json!({ "positions": [], "total": 0 }));
        let rows = x.as_("master").call(ACTIVE, json!({ "account": name })).ok();
        assert_eq!(rows["orders"], json!([]));
    }
}

/// Where an event is closed to a jurisdiction, its accounts sell and cancel, and do not buy (D-119).
#[test]
fn accounts_of_a_closed_jurisdiction_only_sell() {
    let x = exchange();
    list(
        &x,
        json!({ "ticker": "VOTE", "title": "Who wins?", "category": "politics", "closed_to": ["US-NY"] }),
    );
    accept(&x, "restricted");
    for outcome in ["yes", "no"] {
        let fields = with(&format!("buy {outcome} 1 at 0.50"), &json!({ "symbol": "SVC-VOTE" }));
        let message = send(&x, "restricted", fields).coded(403, "ACCOUNT_RESTRICTED_SELL_ONLY");
        assert!(message.contains("SVC-VOTE"), "{message}");
        let fields = with(&format!("sell {outcome} 1 at 0.50"), &json!({ "symbol": "SVC-VOTE" }));
        send(&x, "restricted", fields).coded(422, "InsufficientFunds");
    }
    place(&x, "restricted", limit("buy yes 1 at 0.50"));
}
