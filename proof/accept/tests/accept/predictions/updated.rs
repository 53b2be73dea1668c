//! When a live order last changed.

use super::*;

/// `updatedAt` of a live order is the time of its newest trade, and without trades that of its placement. Proves PM-017.
#[test]
fn a_live_order_was_updated_by_its_newest_trade() {
    let x = exchange();
    let traded = place(&x, "trader", limit("buy yes 10 at 0.60"));
    let quiet = place(&x, "trader", limit("buy yes 10 at 0.10"));
    x.advance(10);
    place(&x, "counterparty", limit("buy no 3 at 0.40"));
    x.advance(10);
    let taker = place(&x, "counterparty", limit("buy no 4 at 0.40"));
    let rows = || {
        let rows = x.as_("trader").call(ACTIVE, json!({})).ok()["orders"].clone();
        rows.as_array().unwrap().clone()
    };
    let check = |rows: &[Value]| {
        assert_eq!(some(&rows[0], &["orderId", "updatedAt"]), some(&quiet, &["orderId", "createdAt"]));
        assert_eq!(some(&rows[1], &["orderId", "createdAt"]), some(&traded, &["orderId", "createdAt"]));
        assert_eq!(rows[1]["updatedAt"], taker["createdAt"]);
        assert_ne!(rows[1]["updatedAt"], rows[1]["createdAt"]);
    };
    check(&rows());
    x.kill9();
    x.restart();
    check(&rows());
}
