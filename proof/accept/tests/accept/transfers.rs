//! The listings of transfers: clauses XFER-001 to XFER-009.

use buttonwood_accept::{Exchange, Value, json, laws, same_keys};

const PATHS: [&str; 2] = ["/v1/transfers", "/v2/transfers"];

fn credit(x: &Exchange, currency: &str, amount: &str, reference: &str) {
    let mut body = json!({ "group": "one", "account": "primary", "currency": currency, "amount": amount });
    if !reference.is_empty() {
        body["reference"] = json!(reference);
    }
    x.control("/sandbox/accounts/credit", &body).ok();
}

fn list(x: &Exchange, path: &str, params: Value) -> Vec<Value> {
    x.as_("auditor").call(path, params).ok().as_array().unwrap().clone()
}

fn amounts(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["amount"].as_str().unwrap()).collect()
}

/// Credits and debits of operators are rows with their reference as purpose; the balances that a sandbox starts with are none.
/// Version 1 has the same rows. Proves XFER-002, XFER-008.
#[test]
fn credits_and_debits() {
    let x = Exchange::start();
    for path in PATHS {
        assert_eq!(list(&x, path, json!({})), [Value::Null; 0]);
    }
    x.advance(5);
    credit(&x, "USD", "12.5", "wire-\"7\"");
    credit(&x, "BTC", "0.0000000000000000001", "");
    x.admin(&["debit", "one", "primary", "USD", "2.5", "--reason", "a test"]).done();
    let rows = list(&x, "/v2/transfers", json!({}));
    assert_eq!(list(&x, "/v1/transfers", json!({})), rows, "these have no network");
    let plain = ["type", "status", "timestampms", "eid", "currency", "amount"];
    same_keys(&rows[0], &plain, "a debit");
    same_keys(&rows[1], &plain, "a credit without a reference");
    same_keys(&rows[2], &[&plain[..], &["purpose"]].concat(), "a credit with a reference");
    let shown: Vec<[&Value; 4]> =
        rows.iter().map(|row| [&row["type"], &row["status"], &row["currency"], &row["amount"]]).collect();
    assert_eq!(shown[0], ["AdminDebit", "Complete", "USD", "2.5"]);
    assert_eq!(shown[1], ["AdminCredit", "Complete", "BTC", "0.0000000000000000001"]);
    assert_eq!(shown[2], ["AdminCredit", "Complete", "USD", "12.5"]);
    assert_eq!(rows[2]["purpose"], "wire-\"7\"");
    let eids: Vec<u64> = rows.iter().map(|row| row["eid"].as_u64().unwrap()).collect();
    assert!(eids.is_sorted_by(|newer, older| newer > older), "{eids:?}");
    assert!(rows.iter().all(|row| row["timestampms"] == x.now_ms()), "{rows:?}");
    assert_eq!(list(&x, "/v2/transfers", json!({ "account": "primary" })), rows);
    let others = x.as_("master").call("/v2/transfers", json!({ "account": "savings" }));
    assert_eq!(others.ok(), json!([]));
    x.restart();
    assert_eq!(list(&x, "/v2/transfers", json!({})), rows);
    laws::check(&x);
}

/// Ten by default, at most fifty; by currency in any letter case, by network, and strictly later than a time in seconds or
/// milliseconds. Proves XFER-001, XFER-007.
#[test]
fn filters_and_limits() {
    let x = Exchange::start();
    let begin = x.now_ms();
    for number in 1..=60 {
        x.advance(1);
        credit(&x, if number % 2 == 0 { "USD" } else { "ETH" }, &number.to_string(), "");
    }
    for path in PATHS {
        let page = |params: Value| {
            let rows = list(&x, path, params);
            amounts(&rows).iter().map(|amount| amount.parse::<u64>().unwrap()).collect::<Vec<_>>()
        };
        let newest = |count: u64| (61 - count..=60).rev().collect::<Vec<_>>();
        assert_eq!(page(json!({})), newest(10));
        for (asked, shown) in
            [(json!(1), 1), (json!("7"), 7), (json!(50), 50), (json!(51), 50), (json!(u64::MAX), 50)]
        {
            assert_eq!(page(json!({ "limit_transfers": asked })), newest(shown));
        }
        assert_eq!(page(json!({ "currency": "usd", "limit_transfers": 3 })), [60, 58, 56]);
        assert_eq!(page(json!({ "currency": "ETH", "limit_transfers": 2 })), [59, 57]);
        assert_eq!(page(json!({ "currency": "BTC" })), [0; 0]);
        // Strictly later: the row of that very millisecond is not there; the oldest page comes first.
        let at = |number: u64| begin + 1_000 * number;
        assert_eq!(page(json!({ "timestamp": at(58) })), [60, 59]);
        assert_eq!(page(json!({ "timestamp": at(58) - 1 })), [60, 59, 58]);
        assert_eq!(page(json!({ "timestamp": at(58) / 1_000 })), [60, 59], "in seconds");
        assert_eq!(page(json!({ "timestamp": at(60) })), [0; 0]);
        assert_eq!(page(json!({ "timestamp": 0, "limit_transfers": 3 })), [3, 2, 1]);
        assert_eq!(page(json!({ "timestamp": at(3), "limit_transfers": 2, "currency": "Usd" })), [6, 4]);
        let of_network = page(json!({ "network": "Bitcoin" }));
        assert_eq!(
            of_network,
            if path == PATHS[0] { newest(10) } else { Vec::new() },
            "version 1 has no networks"
        );
        assert_eq!(page(json!({ "show_completed_deposit_advances": false })), newest(10));
    }
    laws::check(&x);
}

/// A client that pages with the highest timestamp reaches every row once, with several rows in a millisecond; one that overfills a
/// page comes whole. Proves XFER-007.
#[test]
fn paging_reaches_every_row_once() {
    let x = Exchange::start();
    for round in 0..12_u64 {
        x.advance(1);
        for number in 0..=(round % 4) {
            credit(&x, "USD", &format!("{round}.{}", number + 1), "");
        }
    }
    x.advance(1);
    (0..12).for_each(|_| credit(&x, "USD", "7", ""));
    x.advance(1);
    credit(&x, "USD", "8", "");
    for path in PATHS {
        for limit in [1, 3, 10, 50] {
            let (mut reached, mut from) = (Vec::new(), 0);
            for page in 0.. {
                assert!(page < 100, "paging does not come to an end");
                let rows = list(&x, path, json!({ "timestamp": from, "limit_transfers": limit }));
                let Some(newest) = rows.first() else { break };
                from = newest["timestampms"].as_u64().unwrap();
                reached.extend(rows.iter().rev().map(|row| row["eid"].as_u64().unwrap()));
            }
            assert_eq!(reached.len(), 43, "{path} by {limit}");
            assert!(reached.is_sorted_by(|older, newer| older < newer), "{path} by {limit}: {reached:?}");
        }
    }
}

/// Internal transfers name the method `Internal` and no network. Proves XFER-004.
#[test]
fn internal_transfers_have_a_method() {
    let x = Exchange::start();
    let params = json!({ "sourceAccount": "primary", "targetAccount": "savings", "amount": "1" });
    x.as_("master").call("/v1/account/transfer/usd", params).ok();
    for path in PATHS {
        let rows = list(&x, path, json!({}));
        assert_eq!(rows[0]["method"], "Internal");
        assert!(rows[0].get("network").is_none() && rows[0].get("feeAmount").is_none(), "{rows:?}");
    }
}

/// A parameter that cannot be read is refused by field and value.
#[test]
fn wrong_parameters() {
    let x = Exchange::start();
    credit(&x, "USD", "1", "");
    for path in PATHS {
        for (field, value, reason) in [
            ("currency", json!("nosuch"), "InvalidCurrency"),
            ("currency", json!(""), "InvalidCurrency"),
            ("currency", json!(5), "InvalidParameterValue"),
            ("currency", json!(["USD"]), "InvalidParameterValue"),
            ("timestamp", json!("soon"), "InvalidTimestampInPayload"),
            ("timestamp", json!(-1), "InvalidTimestampInPayload"),
            ("timestamp", json!(true), "InvalidTimestampInPayload"),
            ("limit_transfers", json!(0), "InvalidParameterValue"),
            ("limit_transfers", json!(-1), "InvalidParameterValue"),
            ("limit_transfers", json!(1.5), "InvalidParameterValue"),
            ("limit_transfers", json!("ten"), "InvalidParameterValue"),
            ("show_completed_deposit_advances", json!("false"), "InvalidParameterValue"),
            ("show_completed_deposit_advances", json!(0), "InvalidParameterValue"),
        ] {
            let mut params = json!({});
            params[field] = value;
            let message = x.as_("auditor").call(path, params).refused(400, reason).message;
            assert!(message.contains(field), "{message}");
        }
    }
    x.as_("auditor").call("/v2/transfers", json!({ "network": 5 })).refused(400, "InvalidParameterValue");
    x.as_("master").call("/v2/transfers", json!({})).refused(400, "MissingAccounts");
    assert_eq!(list(&x, "/v2/transfers", json!({})).len(), 1);
}

/// Money from a bank for the account.
fn wire(x: &Exchange, amount: &str, method: &str) -> Value {
    let body = json!({
        "group": "one", "account": "primary", "currency": "USD", "amount": amount, "method": method,
        "accountnumber": "000123451111", "routing": "021000021",
    });
    x.control("/sandbox/banks/wire", &body).ok()["eid"].clone()
}

fn statuses(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["status"].as_str().unwrap()).collect()
}

/// An advance stays listed next to its completion, which names it. Without completed advances it is listed until it completes, and
/// takes no place on a page after that. Proves XFER-009.
#[test]
fn completed_advances_are_listed_on_demand() {
    const CLEARING: u64 = 5 * 86_400;
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let eid = wire(&x, "25", "ACH");
    let hidden = json!({ "show_completed_deposit_advances": false });
    x.advance(CLEARING - 1);
    for path in PATHS {
        let rows = list(&x, path, hidden.clone());
        assert_eq!((statuses(&rows), &rows[0]["eid"]), (vec!["Advanced"], &eid), "{path}");
    }
    x.advance(1);
    let check = || {
        for path in PATHS {
            let rows = list(&x, path, json!({}));
            assert_eq!(statuses(&rows), ["Complete", "Advanced"], "{path}");
            assert_eq!((&rows[0]["advanceEid"], &rows[1]["eid"]), (&eid, &eid), "{path}");
            assert_eq!(list(&x, path, json!({ "show_completed_deposit_advances": true })), rows);
            assert_eq!(list(&x, path, hidden.clone()), rows[..1], "{path}");
            let from_the_first =
                json!({ "show_completed_deposit_advances": false, "timestamp": 0, "limit_transfers": 1 });
            assert_eq!(list(&x, path, from_the_first), rows[..1], "{path}");
        }
    };
    check();
    x.kill9();
    x.restart();
    check();
}

/// A returned advance and a returned payment leave both listings, and stay among the transactions. Proves XFER-006.
#[test]
fn returned_transfers_leave_the_listings() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let manager = x.as_("fund-manager");
    let bank = json!({ "accountnumber": "000123451111", "routing": "021000021", "type": "checking", "name": "Acme" });
    manager.call("/v1/payments/addbank", bank).ok();
    wire(&x, "100", "Wire");
    let advance = wire(&x, "25", "ACH");
    let methods = manager.call("/v1/payments/methods", json!({})).ok();
    let payment = json!({ "bankId": methods["banks"][0]["bankId"], "amount": "10" });
    let payment = manager.call("/v1/payments/sen/withdraw", payment).ok();
    for path in PATHS {
        assert_eq!(statuses(&list(&x, path, json!({}))), ["Pending", "Advanced", "Complete"], "{path}");
    }
    for returned in [json!({ "eid": advance }), json!({ "withdrawalId": payment["withdrawalId"] })] {
        let mut body = returned;
        body["returned"] = json!(true);
        x.control("/sandbox/banks/settle", &body).ok();
    }
    for _ in 0..2 {
        for path in PATHS {
            for shown in [true, false] {
                let rows = list(&x, path, json!({ "show_completed_deposit_advances": shown }));
                assert_eq!(amounts(&rows), ["100"], "{path}");
            }
        }
        x.advance(5 * 86_400);
        x.restart();
    }
    let all = x.as_("master").call("/v1/transactions", json!({})).ok().to_string();
    assert_eq!(all.matches("\"Returned\"").count(), 2, "{all}");
}
