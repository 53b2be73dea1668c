//! Cancels of a session's orders, by its call and by its silence.

use super::*;
use buttonwood_accept::{Dec, dec};

/// The claims of an account on each outcome.
fn held(x: &Exchange, key: &str) -> Vec<String> {
    positions(x, key).iter().map(|row| some(row, &["outcome", "totalQuantity"]).join(" ")).collect()
}

/// The key `key` of the trader's account has a sale that holds one side of a pair, a bid, and a stop that waits. Returns their ids, the
/// newest first.
fn three_orders(x: &Exchange, key: &str) -> Vec<u64> {
    let id = |order: Value| order["orderId"].as_u64().expect("an id");
    place(x, "trader", limit("buy yes 10 at 0.60"));
    place(x, "counterparty", limit("buy no 10 at 0.40"));
    let sale = id(place(x, key, limit("sell yes 4 at 0.99")));
    place(x, "counterparty", limit("buy yes 10 at 0.70"));
    place(x, "trader", limit("buy no 10 at 0.30"));
    assert_eq!(held(x, "trader"), ["yes 4", "no 4"]);
    let bid = id(place(x, key, limit("buy yes 5 at 0.10")));
    let stop = with("buy yes 5 at 0.90", &json!({ "orderType": "stop-limit", "stopPrice": "0.80" }));
    let stop = id(place(x, key, stop));
    assert_eq!(active(x, "trader"), [stop, bid, sale]);
    vec![stop, bid, sale]
}

/// All orders of the session are cancelled, a waiting stop too, and the pairs that they held net; those of another session stay.
#[track_caller]
fn are_cancelled(x: &Exchange, ids: &[u64], before: Dec, cancel: impl FnOnce()) {
    let other = place(x, "trader", limit("buy yes 1 at 0.05"))["orderId"].as_u64().expect("an id");
    let dollars = x.as_("trader").balance("USD").0;
    assert!(dollars < before);
    cancel();
    assert_eq!((active(x, "trader"), held(x, "trader")), (vec![other], vec![]));
    let (amount, available) = x.as_("trader").balance("USD");
    assert_eq!(amount - dollars, dec("4"), "four pairs net");
    // 0.05 and 5 % of it.
    assert_eq!(amount - available, dec("0.0525"));
    let closed = x.as_("trader").call(HISTORY, json!({ "status": "cancelled" })).ok();
    let rows = closed["orders"].as_array().expect("orders").clone();
    let mut found: Vec<u64> = rows.iter().map(|row| row["orderId"].as_u64().expect("an id")).collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(found, ids);
    for row in rows {
        assert_eq!(row["cancelReason"], "Requested", "{row}");
    }
}

/// `/v1/order/cancel/session` takes orders of contracts, and names them.
#[test]
fn a_session_cancels_its_orders() {
    let x = exchange();
    let before = x.as_("trader").balance("USD").0;
    let ids = three_orders(&x, "second-session");
    are_cancelled(&x, &ids, before, || {
        let done = x.as_("second-session").call("/v1/order/cancel/session", json!({})).ok();
        let mut named: Vec<u64> = numbers(&done["details"]["cancelledOrders"]);
        named.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(named, ids, "{done}");
    });
}

fn numbers(ids: &Value) -> Vec<u64> {
    ids.as_array().expect("ids").iter().map(|id| id.as_u64().expect("an id")).collect()
}

/// A session that must send heartbeats loses its orders of contracts after 30 silent seconds, and not before.
#[test]
fn silence_cancels_orders_of_contracts() {
    let x = exchange();
    let before = x.as_("trader").balance("USD").0;
    let ids = three_orders(&x, "heartbeat");
    x.advance(20);
    x.as_("heartbeat").call(ACTIVE, json!({})).ok();
    x.advance(29);
    assert_eq!(active(&x, "trader").len(), 3);
    are_cancelled(&x, &ids, before, || x.advance(1));
}

/// An operator's cancel of a contract's orders takes those of every account, and none of another contract.
#[test]
fn an_operator_cancels_a_contracts_orders() {
    let x = exchange();
    list(&x, json!({ "ticker": "SNOW", "title": "Will it snow?", "category": "weather" }));
    let kept = place(&x, "trader", with("buy yes 1 at 0.05", &json!({ "symbol": "SVC-SNOW" })));
    place(&x, "trader", limit("buy yes 1 at 0.05"));
    place(&x, "counterparty", limit("buy no 1 at 0.05"));
    let done = x.admin(&["order", "cancel", "--symbol", "svc-rain", "--reason", "x"]).done();
    assert_eq!(done["live_orders"], 2, "{done}");
    assert_eq!(active(&x, "trader"), [kept["orderId"].as_u64().expect("an id")]);
    assert_eq!(active(&x, "counterparty"), [] as [u64; 0]);
}
