//! Versions of paths and of replies: clauses VER.

use buttonwood_accept::{Exchange, json};

/// The six paths of version 2 answer under it, and under another version only those that are listed there too. Proves VER-001.
#[test]
fn the_version_is_the_first_segment() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let actor = x.as_("trader-fund-manager");
    let read = |path: &str| x.as_("auditor").signed_get(path, json!({})).ok();
    assert!(actor.call("/v2/transfers", json!({})).ok().is_array());
    assert!(read("/v2/networks/bitcoin/assets").is_object());
    assert_eq!(read("/v2/network/btc"), read("/v1/network/btc"));
    assert!(read("/v2/fxrate/eurusd/1767225600000")["fxPair"].is_string());
    let payment = json!({ "address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "amount": "0.01" });
    let fee = actor.call("/v2/withdraw/bitcoin/btc/feeEstimate", payment.clone()).ok();
    assert!(fee["isOverride"].is_boolean(), "{fee}");
    assert_ne!(actor.call("/v2/withdraw/bitcoin/btc", payment).error().reason, "EndpointNotFound");
    for path in
        ["/v1/networks/bitcoin/assets", "/v1/fxrate/eurusd/1767225600000", "/v3/transfers", "/transfers"]
    {
        for method in ["GET", "POST"] {
            x.anyone().send(method, path, &[], b"").refused(404, "EndpointNotFound");
        }
    }
}

/// The older list of transfers answers with the rows of the newer one. Proves VER-003.
#[test]
fn the_older_list_of_transfers_answers() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let wire =
        json!({ "group": "one", "account": "primary", "currency": "USD", "amount": "7", "method": "Wire" });
    x.control("/sandbox/banks/wire", &wire).ok();
    let [older, newer] =
        ["/v1/transfers", "/v2/transfers"].map(|path| x.as_("trader").call(path, json!({})).ok());
    let rows = |list: &buttonwood_accept::Value| list.as_array().expect("an array").len();
    assert_eq!((rows(&older), rows(&newer)), (1, 1), "{older} {newer}");
    assert_eq!((&older[0]["eid"], &older[0]["amount"]), (&newer[0]["eid"], &newer[0]["amount"]));
}

/// Balances have the time, what is pending for a caller that asks for it, and are of one account. Proves VER-004.
#[test]
fn balances_are_those_of_today() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let wire = json!({ "group": "one", "account": "primary", "currency": "USD", "amount": "25001", "method": "ACH" });
    x.control("/sandbox/banks/wire", &wire).ok();
    let dollars = |params| {
        let rows = x.as_("trader").call("/v1/balances", params).ok();
        rows.as_array().unwrap().iter().find(|row| row["currency"] == "USD").expect("dollars").clone()
    };
    let shown = dollars(json!({ "showPendingBalances": true }));
    assert!(shown["_timestamp"].as_str().is_some_and(|stamp| stamp.starts_with("2026-01-01T")), "{shown}");
    assert_eq!(
        (&shown["pendingDeposit"], &shown["pendingWithdrawal"]),
        (&json!("25001"), &json!("0")),
        "{shown}"
    );
    assert!(dollars(json!({})).get("pendingDeposit").is_none());
    let two = json!({ "account": ["primary", "savings"] });
    x.as_("master").call("/v1/balances", two).refused(400, "MoreThanOneAccount");
}

/// The calls of margin accounts answer, and the account's detail has a virtual number in its description, absent where there is none.
/// Proves VER-006.
#[test]
fn margin_and_virtual_numbers_are_there() {
    let x = Exchange::start();
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    let lent = x.as_("margin-000");
    assert!(lent.call("/v1/margin/account", json!({})).ok().is_object());
    assert!(lent.call("/v1/margin/rates", json!({})).ok().is_object());
    let preview =
        json!({ "symbol": "btcusd", "side": "buy", "type": "limit", "amount": "0.1", "price": "50000" });
    assert!(lent.call("/v1/margin/order/preview", preview).ok().is_object());
    let contract = x.get("/openapi.json").ok().to_string();
    assert!(contract.contains("\"virtual_account_number\""));
    assert!(x.as_("trader").call("/v1/account", json!({})).ok().get("virtual_account_number").is_none());
}
