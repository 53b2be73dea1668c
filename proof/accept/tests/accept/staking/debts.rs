//! Accounts that owe for a returned advance (D-167), and advances under stakes (D-181).

use super::*;
use buttonwood_accept::{Credentials, laws};

/// What an advance gave is not staked. When the advance is returned and spent, the stake is redeemed up to the debt, and the redemption repays
/// it; until then nothing is staked.
#[test]
fn a_debt_is_repaid_by_the_stake() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    x.admin(&["group", "add", "north"]).done();
    x.admin(&["account", "add", "north", "front", "--kind", "exchange"]).done();
    let fields = json!({ "group": "north", "account": "front", "roles": ["Trader", "Fund Manager"] });
    let made = x.control("/sandbox/keys", &fields).ok();
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    let front = x.actor_of(&Credentials::new(text("api_key"), text("api_secret")));
    let bank = |method: &str| {
        let body = json!({
            "group": "north", "account": "front", "currency": "USD", "amount": "1000", "method": method,
        });
        x.control("/sandbox/banks/wire", &body).ok()["eid"].clone()
    };
    terms(&x, WEEK, "USD", "0", 7 * DAY);
    let stake =
        |amount: &str| front.call(STAKE, json!({ "providerId": WEEK, "currency": "USD", "amount": amount }));
    let eid = bank("ACH");
    stake("1").refused(406, "InsufficientFunds");
    bank("Wire");
    stake("1000.01").refused(406, "InsufficientFunds");
    stake("1000").ok();
    x.as_("trader").limit("btcusd", "sell", "0.016", "50000");
    front.limit("btcusd", "buy", "0.016", "50000");
    x.control("/sandbox/banks/settle", &json!({ "eid": eid, "returned": true })).ok();
    // 800 are missing: so much of the stake is redeemed.
    let message = stake("1").refused(406, "InsufficientFunds").message;
    assert!(message.contains("owes"), "{message}");
    let row = list(&front, BALANCES, json!({}))[0].clone();
    assert_eq!((&row["balance"], &row["availableForWithdrawal"]), (&json!("1000"), &json!("200")));
    let open = list(&front, REDEMPTIONS, json!({}));
    assert_eq!((open.len(), &open[0]["amountRemaining"]), (1, &json!("800")));
    let kinds: Vec<Value> =
        transactions(&front, &json!({})).into_iter().map(|row| row["transactionType"].clone()).collect();
    assert_eq!(kinds, ["Redeem", "Deposit"]);
    x.advance(7 * DAY);
    assert_eq!(front.balance("USD").0, Dec::ZERO);
    let row = list(&front, BALANCES, json!({}))[0].clone();
    assert_eq!((&row["balance"], &row["availableForWithdrawal"]), (&json!("200"), &json!("200")));
    // Nothing is owed any more.
    bank("Wire");
    stake("1000").ok();
    laws::check(&x);
}
