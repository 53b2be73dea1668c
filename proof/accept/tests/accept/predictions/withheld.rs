//! Orders of groups with an advance, and of accounts in debt: their refusals name the reason (D-167, D-181).

use super::*;
use buttonwood_accept::Actor;
use buttonwood_client::Credentials;

fn open(x: &Exchange) -> Actor {
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    x.admin(&["group", "add", "north"]).done();
    x.admin(&["account", "add", "north", "front", "--kind", "exchange"]).done();
    let made = x
        .control("/sandbox/keys", &json!({ "group": "north", "account": "front", "roles": ["Trader"] }))
        .ok();
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    x.actor_of(&Credentials::new(text("api_key"), text("api_secret")))
}

/// The refusal of a buy beyond the group's own money names its advance, and that of an order of an account in debt names the debt.
#[test]
fn the_advance_or_the_debt_is_named() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    list(&x, json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather" }));
    let front = open(&x);
    front.call(ACCEPT, json!({})).ok();
    let refused = |fields: Value| front.call(ORDER, fields).coded(422, "InsufficientFunds");
    assert!(!refused(limit("buy yes 1 at 0.50")).contains("advance"));
    x.control(
        "/sandbox/accounts/credit",
        &json!({ "group": "north", "account": "front", "currency": "USD", "amount": "50" }),
    )
    .ok();
    let wire = json!({
        "group": "north", "account": "front", "currency": "USD", "amount": "100", "method": "ACH",
    });
    let eid = x.control("/sandbox/banks/wire", &wire).ok()["eid"].clone();
    assert!(refused(limit("buy yes 200 at 0.50")).contains("advance"));
    assert!(!refused(limit("sell yes 1 at 0.50")).contains("advance"));
    // It buys a coin with the advance, and the payment is returned.
    x.credit("counterparty", "BTC", "1");
    x.as_("counterparty").limit("btcusd", "sell", "0.002", "50000");
    front.limit("btcusd", "buy", "0.002", "50000");
    x.control("/sandbox/banks/settle", &json!({ "eid": eid, "returned": true })).ok();
    for words in ["buy yes 1 at 0.50", "sell yes 1 at 0.50"] {
        let message = refused(limit(words));
        assert!(message.contains("owes") && message.contains("USD"), "{message}");
    }
}
