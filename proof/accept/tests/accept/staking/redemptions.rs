//! Redemptions: at once, after a time, and within a day's maximum.

use super::*;
use buttonwood_accept::{laws, same_keys};

const FIELDS: [&str; 6] =
    ["transactionId", "amount", "amountPaidSoFar", "amountRemaining", "currency", "requestInitiated"];

/// An answer's amount, what is paid, and what remains; the parts sum to the amount.
#[track_caller]
fn parts(row: &Value) -> [Dec; 3] {
    let parts = ["amount", "amountPaidSoFar", "amountRemaining"].map(|name| Dec::wire(&row[name]));
    assert_eq!(parts[0], parts[1] + parts[2], "{row}");
    parts
}

fn all(x: &Exchange, key: &str) -> Vec<Value> {
    list(&x.as_(key), REDEMPTIONS, json!({}))
}

/// A redemption at once is paid with its answer. Proves STK-009, STK-010, STK-011.
#[test]
fn a_redemption_is_paid_at_once() {
    let x = exchange();
    let before = balance(&x, "trader", "ETH");
    stake(&x, "trader", AT_ONCE, "30");
    x.advance(5);
    let answer = unstake(&x, "trader", AT_ONCE, "20.0000000000000000001");
    same_keys(&answer, &FIELDS, "a redemption");
    assert_eq!(parts(&answer), ["20.0000000000000000001", "20.0000000000000000001", "0"].map(dec));
    assert_eq!(
        (&answer["currency"], &answer["requestInitiated"]),
        (&json!("ETH"), &json!("2026-01-01T00:00:05.000Z"))
    );
    assert_eq!(units(sums(&x, "trader").0), 10 * COIN - 1);
    for amount in ["10", "9.9999999999999999999999", "1e1"] {
        assert!(x.as_("trader").call(UNSTAKE, request(AT_ONCE, amount)).status() >= 400);
    }
    x.as_("trader").call(UNSTAKE, request(AT_ONCE, "10")).refused(406, "InsufficientFunds");
    x.as_("counterparty").call(UNSTAKE, request(AT_ONCE, "1")).refused(406, "InsufficientFunds");
    assert_eq!(units(sums(&x, "trader").0), 10 * COIN - 1);
    unstake(&x, "trader", AT_ONCE, "9.9999999999999999999");
    assert_eq!((balance(&x, "trader", "ETH"), staked(&x, "trader", "ETH")), (before, None));
    laws::check(&x);
}

/// A redemption that takes a week is paid then, at the terms of its request; until then it is in the balance, earns nothing and cannot be
/// redeemed again. Proves STK-010.
#[test]
fn a_redemption_takes_its_time() {
    let x = exchange();
    stake(&x, "trader", WEEK, "10");
    let before = balance(&x, "trader", "ETH");
    let answer = unstake(&x, "trader", WEEK, "4");
    assert_eq!(parts(&answer), [dec("4"), Dec::ZERO, dec("4")]);
    assert_eq!(sums(&x, "trader"), (dec("10"), dec("6")));
    x.as_("trader").call(UNSTAKE, request(WEEK, "6.0000000000000000001")).refused(406, "InsufficientFunds");
    // A shorter time counts for those who wait too.
    terms(&x, WEEK, "ETH", "540", DAY);
    let later = unstake(&x, "trader", WEEK, "1");
    let rows = all(&x, "auditor");
    let mut fields = FIELDS.to_vec();
    fields.push("expectedAt");
    same_keys(&rows[0], &fields, "a row");
    let shown: Vec<_> =
        rows.iter().map(|row| (&row["transactionId"], row["expectedAt"].as_str().unwrap())).collect();
    assert_eq!(
        shown,
        [
            (&later["transactionId"], "2026-01-02T00:00:00.000Z"),
            (&answer["transactionId"], "2026-01-02T00:00:00.000Z"),
        ]
    );
    x.advance(DAY - 1);
    assert_eq!(balance(&x, "trader", "ETH"), before);
    x.kill9();
    x.restart();
    assert_eq!(balance(&x, "trader", "ETH"), before);
    let mut pencil = Pencil::new();
    pencil.change(0, 5 * COIN);
    pencil.accrue(ACCRUES, 540);
    assert_eq!(sums(&x, "trader"), (of_units(pencil.amount) + dec("5"), of_units(pencil.amount)));
    x.advance(1);
    assert_eq!(balance(&x, "trader", "ETH"), before + dec("5"));
    assert_eq!(sums(&x, "trader").0, of_units(pencil.amount));
    // Paid ones stay listed, and one is found by its id.
    let rows = all(&x, "trader");
    assert_eq!(
        rows.iter().map(parts).collect::<Vec<_>>(),
        [[dec("1"), dec("1"), Dec::ZERO], [dec("4"), dec("4"), Dec::ZERO],]
    );
    assert_eq!(rows[1]["expectedAt"], "2026-01-02T00:00:00.000Z");
    let one = |id: &Value| list(&x.as_("trader"), REDEMPTIONS, json!({ "transactionId": id }));
    assert_eq!(one(&answer["transactionId"]), [rows[1].clone()]);
    assert_eq!(one(&json!("AAAAAAAA")), Vec::<Value>::new());
    let other =
        list(&x.as_("counterparty"), REDEMPTIONS, json!({ "transactionId": answer["transactionId"] }));
    assert_eq!(other, Vec::<Value>::new());
    assert_eq!(list(&x.as_("trader"), REDEMPTIONS, json!({ "limit": 1 })), [rows[0].clone()]);
    for wrong in [json!("abcdefgh"), json!("ABC"), json!(""), json!(12_345_678)] {
        x.as_("trader")
            .call(REDEMPTIONS, json!({ "transactionId": wrong }))
            .refused(400, "InvalidParameterValue");
    }
    x.as_("trader").call(REDEMPTIONS, json!({ "limit": 0 })).refused(400, "InvalidParameterValue");
    // History has one row of each, at its request.
    let redeemed: Vec<String> = transactions(&x.as_("trader"), &json!({}))
        .iter()
        .filter(|row| row["transactionType"] == "Redeem")
        .map(|row| format!("{} {}", row["amount"].as_str().unwrap(), row["dateTime"].as_str().unwrap()))
        .collect();
    assert_eq!(redeemed, [format!("1 {START}"), format!("4 {START}")]);
    laws::check(&x);
}

/// Within the day's maximum all accounts are paid first come, first served, in parts, and none overtakes; the rest follows at midnight.
#[test]
fn a_day_has_a_maximum() {
    let x = exchange();
    set_terms(
        &x,
        &json!({
            "provider_id": AT_ONCE, "currency": "ETH", "rate_bps": "0", "deposit_usd_limit": "500000",
            "redemption_seconds": 0, "redemption_per_day": "10",
        }),
    );
    for key in ["trader", "counterparty"] {
        stake(&x, key, AT_ONCE, "40");
    }
    let first = unstake(&x, "trader", AT_ONCE, "7");
    assert_eq!(parts(&first), [dec("7"), dec("7"), Dec::ZERO]);
    let second = unstake(&x, "counterparty", AT_ONCE, "8");
    assert_eq!(parts(&second), [dec("8"), dec("3"), dec("5")]);
    let third = unstake(&x, "trader", AT_ONCE, "12");
    assert_eq!(parts(&third), [dec("12"), Dec::ZERO, dec("12")]);
    let expected = |key: &str| -> Vec<String> {
        all(&x, key).iter().map(|row| row["expectedAt"].as_str().unwrap()[..10].to_owned()).collect()
    };
    assert_eq!(
        (expected("trader"), expected("counterparty")),
        (vec!["2026-01-03".to_owned(), "2026-01-01".to_owned()], vec!["2026-01-02".to_owned()],)
    );
    let paid = |key: &str| -> Vec<Dec> { all(&x, key).iter().map(|row| parts(row)[1]).collect() };
    x.advance(DAY - 1);
    assert_eq!((paid("trader"), paid("counterparty")), (vec![Dec::ZERO, dec("7")], vec![dec("3")]));
    x.advance(1);
    assert_eq!((paid("trader"), paid("counterparty")), (vec![dec("5"), dec("7")], vec![dec("8")]));
    // A new request waits behind those before it.
    let fourth = unstake(&x, "counterparty", AT_ONCE, "1");
    assert_eq!(parts(&fourth), [dec("1"), Dec::ZERO, dec("1")]);
    x.kill9();
    x.restart();
    x.advance(DAY);
    assert_eq!((paid("trader"), paid("counterparty")), (vec![dec("12"), dec("7")], vec![dec("1"), dec("8")]));
    assert_eq!(parts(&unstake(&x, "counterparty", AT_ONCE, "3")), [dec("3"), dec("2"), dec("1")]);
    laws::check(&x);
}

/// An account has at most 100 open redemptions of a pair, and those of one instant are paid in order.
#[test]
fn open_redemptions_are_limited() {
    let x = exchange();
    stake(&x, "trader", WEEK, "10");
    for _ in 0..100 {
        unstake(&x, "trader", WEEK, "0.01");
    }
    let message =
        x.as_("trader").call(UNSTAKE, request(WEEK, "0.01")).refused(400, "AccountLimitExceeded").message;
    assert!(message.contains("100"), "{message}");
    assert_eq!(sums(&x, "trader"), (dec("10"), dec("9")));
    stake(&x, "trader", AT_ONCE, "1");
    unstake(&x, "trader", AT_ONCE, "1");
    let before = balance(&x, "trader", "ETH");
    x.advance(7 * DAY);
    assert_eq!(balance(&x, "trader", "ETH"), before + dec("1"));
    unstake(&x, "trader", WEEK, "0.01");
    assert_eq!(list(&x.as_("trader"), REDEMPTIONS, json!({ "limit": 500 })).len(), 102);
    laws::check(&x);
}
