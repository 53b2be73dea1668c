//! Accounts of other kinds, and closed ones.

use super::*;

/// An account that does not trade contracts has empty lists, whatever other accounts of its group traded.
#[test]
fn lists_of_other_kinds_are_empty() {
    let x = exchange();
    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 10 at 0.40"));
    place(&x, "trader", limit("buy yes 1 at 0.10"));
    let resolution = json!({ "outcomes": { "RAIN": "yes" }, "source": "the weather" });
    x.control("/sandbox/predictions/events/RAIN/resolve", &resolution).ok();
    x.advance(3_600);
    let own = x.as_("trader").call(SETTLED, json!({})).ok();
    assert_eq!(own["total"], 1, "{own}");
    for kind in ["derivatives", "margin", "custody"] {
        let name = format!("a-{kind}");
        x.control("/sandbox/accounts", &json!({ "group": "one", "name": name, "kind": kind })).ok();
        let call = |path: &str, mut fields: Value| {
            fields["account"] = name.as_str().into();
            x.as_("master").call(path, fields).ok()
        };
        assert_eq!(call(POSITIONS, json!({})), json!({ "positions": [], "total": 0 }), "{kind}");
        assert_eq!(call(SETTLED, json!({})), json!({ "positions": [], "total": 0 }), "{kind}");
        for path in [ACTIVE, HISTORY] {
            assert_eq!(call(path, json!({}))["orders"], json!([]), "{kind} {path}");
        }
        let volume = call(VOLUME, json!({ "eventTicker": "RAIN" }));
        let row = &volume["contracts"][0];
        assert_eq!(some(row, &["userAggressorQty", "userRestingQty"]), ["0", "0"], "{kind} {volume}");
    }
}

/// A closed account places and accepts nothing, which comes before the fields, and its lists can be read.
#[test]
fn a_closed_account_does_not_trade() {
    let x = exchange();
    accept(&x, "empty");
    x.credit("empty", "USD", "10");
    let order = place(&x, "empty", limit("buy yes 1 at 0.10"));
    let close = || x.control("/sandbox/accounts/close", &json!({ "group": "five", "account": "primary" }));
    let message = close().refused(400, "InvalidParameterValue").message;
    assert!(message.contains("live orders"), "{message}");
    x.as_("empty").call(CANCEL, json!({ "orderId": order["orderId"] })).ok();
    x.admin(&["debit", "five", "primary", "USD", "10", "--reason", "x"]).done();
    close().ok();
    for words in ["buy yes 1 at 0.10", "sell no 1 at 0.10", "buy yes 1 at 5"] {
        send(&x, "empty", limit(words)).refused(400, "AccountClosed");
    }
    let closed = x.as_("empty").call(HISTORY, json!({})).ok();
    assert_eq!(closed["orders"][0]["orderId"], order["orderId"], "{closed}");
    for path in [ACTIVE, POSITIONS, SETTLED] {
        x.as_("empty").call(path, json!({})).ok();
    }
}

/// An account that has earned rewards stays open until they are paid; the refusal names them. After that it is closed, and gets nothing.
#[test]
fn rewards_are_paid_before_an_account_is_closed() {
    let x = exchange();
    x.control("/sandbox/predictions/rewards", &json!({ "enabled": true })).ok();
    accept(&x, "empty");
    x.credit("empty", "USD", "100");
    place(&x, "empty", limit("buy yes 100 at 0.40"));
    place(&x, "counterparty", limit("buy no 100 at 0.60"));
    place(&x, "counterparty", limit("buy yes 100 at 0.40"));
    place(&x, "empty", limit("sell yes 100 at 0.40"));
    let take_all = || {
        let left = x.as_("empty").balance("USD").0.to_string();
        x.admin(&["debit", "five", "primary", "USD", &left, "--reason", "x"]).done();
        left
    };
    let close = || x.control("/sandbox/accounts/close", &json!({ "group": "five", "account": "primary" }));
    // 100, less 1 % of 40 as maker and 5 % of 40 as taker.
    assert_eq!(take_all(), "97.6");
    let message = close().refused(400, "InvalidParameterValue").message;
    assert!(message.contains("not with unpaid rewards of prediction markets"), "{message}");
    x.advance(86_400);
    assert_eq!(take_all(), "0.2");
    close().ok();
    x.advance(2 * 86_400);
    assert_eq!(x.as_("empty").call("/v1/balances", json!({})).ok(), json!([]));
    let payouts = x.as_("empty").call(&format!("{ROOT}/maker-rebate/payouts"), json!({})).ok();
    assert_eq!(payouts["payouts"].as_array().map(Vec::len), Some(1), "{payouts}");
    buttonwood_accept::laws::check(&x);
}
