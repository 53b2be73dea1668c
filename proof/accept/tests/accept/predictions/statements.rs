//! Statements of accounts whose contracts become void, merge and change hands: each row by its cause, and their sums.

use super::public::text;
use super::*;
use buttonwood_accept::{Dec, dec, laws};

const DOLLARS: &str = "1000";

/// An exchange on which `restricted` and `empty` trade too; `empty` has a thousand dollars.
fn of_four() -> Exchange {
    let x = exchange();
    accept(&x, "restricted");
    accept(&x, "empty");
    x.credit("empty", "USD", DOLLARS);
    x
}

/// Cause and amount of the rows of the account's dollars, oldest first, without those that an operator caused. All rows sum to the balance.
#[track_caller]
fn rows(x: &Exchange, key: &str) -> Vec<String> {
    let fields = json!({ "currency": "USD", "limit_entries": 500 });
    let page = x.as_(key).call("/v1/statement", fields).ok();
    let mut rows = page.as_array().expect("rows").clone();
    rows.sort_by_key(|row| row["entry_id"].as_u64());
    let sum = rows.iter().fold(Dec::ZERO, |sum, row| sum + Dec::wire(&row["amount"]));
    let last = Dec::wire(&rows.last().expect("a row")["balance"]);
    let off = (sum - x.as_(key).balance("USD").0).abs();
    assert!(sum == last && off < dec("0.000000000000001"), "{key}: {sum}, {last}");
    let own = rows
        .iter()
        .filter(|row| ["trade", "fee", "refund", "netting", "payout"].contains(&&*text(&row["cause"])));
    own.map(|row| format!("{} {}", text(&row["cause"]), text(&row["amount"]))).collect()
}

#[track_caller]
fn void(x: &Exchange, fields: &Value) {
    let mut body = fields.clone();
    body["reason"] = "called off".into();
    x.control("/sandbox/predictions/events/RAIN/void", &body).ok();
}

/// A merge pays both sides of the dollar as trades; a void pays each account its cost, once, as a refund.
#[test]
fn a_merge_is_a_trade_and_a_void_a_refund() {
    let x = of_four();
    place(&x, "trader", limit("buy yes 10 at 0.60"));
    place(&x, "counterparty", limit("buy no 10 at 0.40"));
    place(&x, "trader", limit("sell yes 4 at 0.70"));
    place(&x, "counterparty", limit("sell no 4 at 0.30"));
    void(&x, &json!({}));
    let expected = |key: &str| match key {
        "trader" => ["trade -6", "fee -0.04", "trade 2.8", "fee -0.012", "refund 3.6"],
        _ => ["trade -4", "fee -0.2", "trade 1.2", "fee -0.06", "refund 2.4"],
    };
    for key in ["trader", "counterparty"] {
        assert_eq!(rows(&x, key), expected(key), "{key}");
    }
    x.kill9();
    x.restart();
    for key in ["trader", "counterparty"] {
        assert_eq!(rows(&x, key), expected(key), "{key}");
    }
    laws::check(&x);
}

/// Where claims changed hands, a void at cost pays shares of the escrow.
#[test]
fn a_void_at_cost_is_a_refund() {
    let x = of_four();
    place(&x, "trader", limit("buy yes 10 at 0.40"));
    place(&x, "counterparty", limit("buy no 10 at 0.60"));
    place(&x, "trader", limit("sell yes 10 at 0.70"));
    place(&x, "empty", limit("buy yes 10 at 0.70"));
    void(&x, &json!({ "at_cost": true }));
    assert_eq!(rows(&x, "trader"), ["trade -4", "fee -0.04", "trade 7", "fee -0.03"]);
    for (key, traded, fee, refund) in [
        ("counterparty", "-6", "-0.2", "4.6153846153846153846"),
        ("empty", "-7", "-0.15", "5.3846153846153846153"),
    ] {
        let expected = [format!("trade {traded}"), format!("fee {fee}"), format!("refund {refund}")];
        assert_eq!(rows(&x, key), expected, "{key}");
    }
    laws::check(&x);
}

/// A void by value pays it to each yes and the rest of the dollar to each no; a value of zero pays one side alone.
#[test]
fn a_void_by_value_is_a_refund() {
    for (value, expected) in
        [("0.25", [Some("refund 2.5"), Some("refund 7.5")]), ("0", [None, Some("refund 10")])]
    {
        let x = of_four();
        place(&x, "trader", limit("buy yes 10 at 0.40"));
        place(&x, "counterparty", limit("buy no 10 at 0.60"));
        void(&x, &json!({ "value": value }));
        for (key, expected) in ["trader", "counterparty"].into_iter().zip(expected) {
            let rows = rows(&x, key);
            assert_eq!(rows.get(2).map(String::as_str), expected, "{key}: {rows:?}");
            assert!(rows.len() <= 3, "{rows:?}");
        }
        laws::check(&x);
    }
}
