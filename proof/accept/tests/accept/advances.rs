//! Advances of banks together with loans, trades and the other accounts of their group (D-181).

use buttonwood_accept::{Actor, Answer, Dec, Exchange, Value, dec, json, laws};
use buttonwood_client::Credentials;

/// An address of the network's own specification (EIP-55).
const ETH: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const DAY: u64 = 24 * 3_600;

/// The group that gets advances; its keys act for one account each.
const GROUP: &str = "north";

/// Simulated funds, bitcoin's index pinned at 50,000, no fees but in `with_fees`.
fn start() -> Exchange {
    let x = with_fees();
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    x
}

fn with_fees() -> Exchange {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    pin(&x, "50000");
    x.admin(&["group", "add", GROUP]).done();
    x
}

fn pin(x: &Exchange, price: &str) {
    x.control("/sandbox/index/BTC", &json!({ "price": price })).ok();
}

/// Opens an account of the group; returns a key that trades and moves funds.
fn open(x: &Exchange, name: &str, kind: &str) -> Actor {
    x.admin(&["account", "add", GROUP, name, "--kind", kind]).done();
    key_of(x, name)
}

/// A new key of an account.
fn key_of(x: &Exchange, name: &str) -> Actor {
    key(x, json!({ "group": GROUP, "account": name, "roles": ["Trader", "Fund Manager"] }))
}

fn key(x: &Exchange, fields: Value) -> Actor {
    let made = x.control("/sandbox/keys", &fields).ok();
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    x.actor_of(&Credentials::new(text("api_key"), text("api_secret")))
}

fn bank(x: &Exchange, account: &str, amount: &str, method: &str) -> u64 {
    let body = json!({
        "group": GROUP, "account": account, "currency": "USD", "amount": amount, "method": method,
    });
    x.control("/sandbox/banks/wire", &body).ok()["eid"].as_u64().expect("a number")
}

fn settle(x: &Exchange, eid: u64, returned: bool) {
    x.control("/sandbox/banks/settle", &json!({ "eid": eid, "returned": returned })).ok();
}

fn credit(x: &Exchange, account: &str, currency: &str, amount: &str) {
    let body = json!({ "group": GROUP, "account": account, "currency": currency, "amount": amount });
    x.control("/sandbox/accounts/credit", &body).ok();
}

fn order(actor: &Actor, symbol: &str, side: &str, amount: &str, price: &str, more: Value) -> Answer {
    let mut params = json!({
        "symbol": symbol, "side": side, "type": "exchange limit", "amount": amount, "price": price,
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    actor.call("/v1/order/new", params)
}

fn transfer(x: &Exchange, from: &str, to: &str, currency: &str, amount: &str) -> Answer {
    let master = key(x, json!({ "group": GROUP, "roles": ["Fund Manager"] }));
    let fields = json!({ "sourceAccount": from, "targetAccount": to, "amount": amount });
    master.call(&format!("/v1/account/transfer/{currency}"), fields)
}

/// The row of a currency: amount, available, for withdrawal.
fn amounts(actor: &Actor, code: &str) -> [Dec; 3] {
    let rows = actor.call("/v1/balances", json!({})).ok();
    let row = rows.as_array().unwrap().iter().find(|row| row["currency"] == code).cloned();
    let row =
        row.unwrap_or_else(|| json!({ "amount": "0", "available": "0", "availableForWithdrawal": "0" }));
    ["amount", "available", "availableForWithdrawal"].map(|field| Dec::wire(&row[field]))
}

fn figure(actor: &Actor, field: &str) -> Dec {
    Dec::wire(&actor.call("/v1/margin/account", json!({})).ok()[field]["value"])
}

/// The refusal names the advance.
#[track_caller]
fn refused_for_the_advance(answer: &Answer) {
    let message = answer.refused(406, "InsufficientFunds").message;
    assert!(message.contains("advance"), "{message}");
}

/// An advance carries no margin order, and what a margin account may let go is counted without it. Once returned it counts as borrowed,
/// so liquidation comes in time.
#[test]
fn an_advance_is_no_margin() {
    let x = with_fees();
    let margin = open(&x, "margin", "margin");
    open(&x, "front", "exchange");
    let buy =
        |amount: &str| order(&margin, "btcusd", "buy", amount, "50000", json!({ "margin_order": true }));
    let eid = bank(&x, "margin", "10000", "ACH");
    x.as_("trader").limit("btcusd", "sell", "0.4", "50000");
    buy("0.4").refused(406, "InsufficientFunds");
    buy("0.01").refused(406, "InsufficientFunds");
    assert_eq!(figure(&margin, "totalBorrowed"), Dec::ZERO);
    // Its own 10,000 carry the order.
    bank(&x, "margin", "10000", "Wire");
    buy("0.4").ok();
    assert_eq!(figure(&margin, "totalBorrowed"), dec("80"));
    // (20,000 - v) may be at most 5 times (9,920 - v): v is 7,400.
    let [_, _, free] = amounts(&margin, "BTC");
    assert_eq!(free, dec("0.148"));
    transfer(&x, "margin", "front", "btc", "0.14800001").refused(406, "InsufficientFunds");
    transfer(&x, "margin", "front", "btc", "0.145").ok();
    settle(&x, eid, true);
    assert_eq!(figure(&margin, "totalBorrowed"), dec("10080"));
    assert_eq!(figure(&margin, "marginAssetValue"), dec("2670"));
    assert_eq!(amounts(&margin, "BTC")[2], Dec::ZERO, "nothing leaves an account in debt");
    // 0.255 at 41,000 are 10,455: 375 are left, and maintenance is 522.75.
    x.as_("trader").limit("btcusd", "buy", "1", "41000");
    x.as_("counterparty").limit("btcusd", "sell", "1", "41100");
    pin(&x, "41000");
    x.advance(1);
    assert!(amounts(&margin, "BTC")[0] < dec("0.255"), "a part was sold");
    assert!(figure(&margin, "totalBorrowed") < dec("5000"));
    laws::check(&x);
}

/// A return that leaves a margin account below maintenance liquidates it at once: its debt is no asset.
#[test]
fn a_returned_advance_counts_as_borrowed() {
    let x = start();
    let margin = open(&x, "margin", "margin");
    let eid = bank(&x, "margin", "10000", "ACH");
    bank(&x, "margin", "2200", "Wire");
    x.as_("trader").limit("btcusd", "sell", "0.22", "50000");
    order(&margin, "btcusd", "buy", "0.22", "50000", json!({ "margin_order": true })).ok();
    assert_eq!(figure(&margin, "totalBorrowed"), Dec::ZERO);
    pin(&x, "41500");
    x.as_("trader").limit("btcusd", "buy", "1", "41500");
    x.as_("counterparty").limit("btcusd", "sell", "1", "41600");
    x.advance(1);
    assert_eq!(figure(&margin, "marginAssetValue"), dec("10330"));
    // 1,200 dollars and 9,130 of bitcoin against the 10,000 of the bank: 330, and maintenance is 456.5.
    settle(&x, eid, true);
    x.advance(1);
    assert!(amounts(&margin, "BTC")[0] < dec("0.22"), "a part was sold");
    assert!(figure(&margin, "totalBorrowed") < dec("5000"));
    x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
    laws::check(&x);
}

/// The gain of an advance within its group, at any price, does not leave through another account.
#[test]
fn an_advance_does_not_leave_through_another_account() {
    let x = with_fees();
    let (front, back) = (open(&x, "front", "exchange"), open(&x, "back", "exchange"));
    back.call("/v1/approvedAddresses/ethereum/request", json!({ "address": ETH, "label": "mine" })).ok();
    x.advance(7 * DAY);
    let eid = bank(&x, "front", "10000", "ACH");
    credit(&x, "back", "LINK", "0.1");
    order(&back, "linkusd", "sell", "0.1", "99000", json!({})).ok();
    order(&front, "linkusd", "buy", "0.1", "99000", json!({})).ok();
    back.call("/v1/wrap/gusdusd", json!({ "side": "buy", "amount": "9800" })).ok();
    let withdraw =
        |amount: &str| back.call("/v2/withdraw/ethereum/gusd", json!({ "address": ETH, "amount": amount }));
    assert_eq!(amounts(&back, "GUSD"), [dec("9800"), dec("9800"), Dec::ZERO]);
    refused_for_the_advance(&withdraw("9800"));
    refused_for_the_advance(&withdraw("5"));
    settle(&x, eid, true);
    // Now it is a debt of the group, and stays so.
    refused_for_the_advance(&withdraw("9800"));
    assert_eq!(amounts(&front, "USD")[2], Dec::ZERO);
    // The money beyond the debt leaves.
    bank(&x, "back", "1000", "Wire");
    let [_, _, free] = amounts(&back, "GUSD");
    assert!(free > dec("900") && free < dec("1000"), "{free}");
    withdraw(&(free.to_string().split('.').next().unwrap().to_owned() + ".00")).ok();
    laws::check(&x);
}

/// The figure that is shown for withdrawal is the one that is checked, to the last cent; a coin counts 90 % of its index.
#[test]
fn the_last_cent_beyond_the_advances_leaves() {
    let x = start();
    let (front, back) = (open(&x, "front", "exchange"), open(&x, "back", "exchange"));
    bank(&x, "front", "1000", "ACH");
    credit(&x, "back", "BTC", "0.02");
    // 1,000 of the advance are there, and 900 more of bitcoin.
    assert_eq!(amounts(&back, "BTC"), [dec("0.02"); 3]);
    x.as_("trader").limit("btcusd", "sell", "0.02", "50000");
    order(&front, "btcusd", "buy", "0.02", "50000", json!({})).ok();
    // Both have bitcoin now: 1,800 against the advance of 1,000.
    let [_, _, free] = amounts(&back, "BTC");
    assert_eq!(free, dec("0.01777777"));
    assert_eq!(amounts(&front, "BTC")[2], dec("0.01777777"));
    // A transfer within the group takes nothing away.
    transfer(&x, "back", "front", "btc", "0.02").ok();
    let [_, _, free] = amounts(&front, "BTC");
    assert_eq!(free, dec("0.01777777"));
    front.call("/v1/approvedAddresses/bitcoin/request", json!({ "address": BTC, "label": "mine" })).ok();
    let withdraw =
        |amount: &str| front.call("/v2/withdraw/bitcoin/btc", json!({ "address": BTC, "amount": amount }));
    // The address is approved after a week, and the advance has cleared then; a further one binds again.
    x.advance(7 * DAY);
    assert_eq!(amounts(&front, "BTC")[2], dec("0.04"));
    bank(&x, "front", "1000", "ACH");
    x.as_("trader").limit("btcusd", "sell", "0.02", "50000");
    order(&front, "btcusd", "buy", "0.02", "50000", json!({})).ok();
    let [_, _, free] = amounts(&front, "BTC");
    assert_eq!(free, dec("0.03777777"));
    refused_for_the_advance(&withdraw("0.03777778"));
    withdraw("0.03777777").ok();
    laws::check(&x);
}

/// An address of the network's own specification (BIP-173).
const BTC: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

/// While a group has an advance, its trades may give up what it owns beside it, and then 5 % of the advance, against the index: an incoming
/// order is refused or cancelled, a resting one is cancelled, an instant order is refused.
#[test]
fn trades_give_up_what_is_owned_and_a_twentieth_of_the_advances() {
    let x = start();
    let front = open(&x, "front", "exchange");
    bank(&x, "front", "20000", "ACH");
    bank(&x, "front", "1000", "Wire");
    let buy = |amount: &str, price: &str| order(&front, "btcusd", "buy", amount, price, json!({}));
    let other = x.as_("counterparty");
    let sell = |amount: &str, price: &str| other.limit("btcusd", "sell", amount, price);
    // A bitcoin counts 45,000: this takes 700 of the 1,000 dollars of its own, and nothing of the bound.
    sell("0.1", "52000");
    buy("0.1", "52000").ok();
    // These take more than is left of them: 250 and 400 of 1,000 are given up.
    sell("0.1", "52500");
    assert_eq!(buy("0.1", "52500").ok()["remaining_amount"], "0");
    sell("0.1", "54000");
    assert_eq!(buy("0.1", "54000").ok()["remaining_amount"], "0");
    sell("0.07", "55000");
    let next = sell("0.02", "55000")["order_id"].as_str().unwrap().to_owned();
    // 350 more pass; the rest is cancelled and says why.
    let cut = buy("0.08", "55000").ok();
    assert_eq!(
        (&cut["executed_amount"], &cut["reason"]),
        (&json!("0.07"), &json!("InsufficientFunds")),
        "{cut}"
    );
    refused_for_the_advance(&buy("0.001", "55000"));
    assert_eq!(other.status(&next)["remaining_amount"], "0.02");
    other.cancel(&next);
    // A bid that would give up more is cancelled when it meets someone.
    let bid = buy("0.001", "52500").ok()["order_id"].as_str().unwrap().to_owned();
    sell("0.001", "52500");
    let ended = front.status(&bid);
    assert_eq!((&ended["is_cancelled"], &ended["executed_amount"]), (&json!(true), &json!("0")), "{ended}");
    // At the index and better it trades on.
    other.call("/v1/order/cancel/all", json!({})).ok();
    sell("0.001", "50000");
    assert_eq!(buy("0.001", "50000").ok()["executed_amount"], "0.001");
    // Within the group nothing is given up.
    let back = open(&x, "back", "exchange");
    credit(&x, "back", "BTC", "0.01");
    order(&back, "btcusd", "sell", "0.01", "52000", json!({})).ok();
    assert_eq!(buy("0.01", "52000").ok()["executed_amount"], "0.01");
    // It is so after a crash, and over once the advance has cleared.
    x.kill9();
    x.restart();
    x.as_("counterparty").limit("btcusd", "sell", "0.01", "52000");
    let front = key_of(&x, "front");
    let buy = |amount: &str, price: &str| order(&front, "btcusd", "buy", amount, price, json!({}));
    refused_for_the_advance(&buy("0.001", "52000"));
    x.advance(5 * DAY);
    assert_eq!(buy("0.001", "52000").ok()["executed_amount"], "0.001");
    laws::check(&x);
}

/// The debt of a returned advance stands in its place: what the advance bought elsewhere in the group gives up no more than before, and
/// nothing more is advanced until the debt is repaid.
#[test]
fn a_debt_stands_in_the_place_of_its_advance() {
    let x = start();
    let [front, back] = ["front", "back"].map(|name| open(&x, name, "exchange"));
    let advance = bank(&x, "front", "10000", "ACH");
    front.call("/v1/wrap/gusdusd", json!({ "amount": "10000", "side": "buy" })).ok();
    transfer(&x, "front", "back", "gusd", "10000").ok();
    settle(&x, advance, true);
    back.call("/v1/wrap/gusdusd", json!({ "amount": "10000", "side": "sell" })).ok();
    let other = x.as_("counterparty");
    other.limit("btcusd", "sell", "0.1", "99000");
    let buy = |amount: &str, price: &str| order(&back, "btcusd", "buy", amount, price, json!({}));
    refused_for_the_advance(&buy("0.1", "99000"));
    other.call("/v1/order/cancel/all", json!({})).ok();
    // 500 in all, as before the return: 475 pass, since 1,100 do not pay what the bitcoins count less, and 50 more do not.
    bank(&x, "back", "1100", "Wire");
    other.limit("btcusd", "sell", "0.19", "52500");
    other.limit("btcusd", "sell", "0.02", "52500");
    assert_eq!(buy("0.19", "52500").ok()["executed_amount"], "0.19");
    refused_for_the_advance(&buy("0.02", "52500"));
    // A further credit waits, of whichever account of the group.
    bank(&x, "back", "7", "ACH");
    let before = amounts(&back, "USD")[0];
    bank(&x, "front", "4000", "Wire");
    bank(&x, "front", "5999.99", "Wire");
    assert_eq!([&back, &front].map(|actor| amounts(actor, "USD")[0]), [before, Dec::ZERO]);
    x.kill9();
    x.restart();
    let back = key_of(&x, "back");
    bank(&x, "front", "0.01", "Wire");
    assert_eq!(amounts(&back, "USD")[0], before + dec("7"), "nothing is owed");
    laws::check(&x);
}

/// Orders of a group with an advance may never fill, so the house goes by none of them: they make no price of an instant order.
#[test]
fn orders_of_a_group_with_an_advance_are_no_offers() {
    let x = start();
    x.control("/sandbox/index/LINK", &json!({ "price": "10" })).ok();
    let front = open(&x, "front", "exchange");
    bank(&x, "front", "10000", "Wire");
    order(&front, "linkusd", "buy", "100", "10", json!({})).ok();
    let seller = x.as_("counterparty");
    let quote = || {
        let params = json!({ "symbol": "linkusd", "side": "sell", "totalSpend": "20" });
        seller.call("/v1/instant/quote", params)
    };
    quote().ok();
    let advance = bank(&x, "front", "1", "ACH");
    quote().refused(400, "InvalidQuantity");
    settle(&x, advance, false);
    quote().ok();
}

/// A trade is not voided while a party's group has an advance, since what the party returns would leave unmetered, nor once a party's
/// account is closed.
#[test]
fn a_break_returns_no_advance() {
    let x = start();
    let (front, _back) = (open(&x, "front", "exchange"), open(&x, "back", "exchange"));
    bank(&x, "front", "10000", "Wire");
    let traded = |price: &str| {
        x.as_("counterparty").limit("btcusd", "sell", "0.01", price);
        order(&front, "btcusd", "buy", "0.01", price, json!({})).ok();
        front.call("/v1/mytrades", json!({ "symbol": "btcusd" })).ok()[0]["tid"].clone()
    };
    let void = |tid: &Value| x.control("/sandbox/trades/break", &json!({ "tid": tid, "kind": "full" }));
    let tid = traded("50000");
    let advance = bank(&x, "front", "1", "ACH");
    let refusal = void(&tid).refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("kind") && refusal.message.contains("advance"), "{refusal:?}");
    settle(&x, advance, false);
    void(&tid).ok();
    let tid = traded("50000");
    for (currency, amount) in [("btc", "0.01"), ("usd", "9501")] {
        transfer(&x, "front", "back", currency, amount).ok();
    }
    x.admin(&["account", "close", GROUP, "front"]).done();
    let refusal = void(&tid).refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("closed"), "{refusal:?}");
    laws::check(&x);
}

/// Open advances of a group are at most 25,000 dollars: a further credit waits until it fits, or has cleared.
#[test]
fn a_further_credit_waits() {
    let x = start();
    let (front, back) = (open(&x, "front", "exchange"), open(&x, "back", "exchange"));
    let first = bank(&x, "front", "20000", "ACH");
    let second = bank(&x, "back", "5000.01", "ACH");
    assert_eq!(amounts(&back, "USD")[0], Dec::ZERO);
    let rows = back.call("/v1/balances", json!({ "showPendingBalances": true })).ok();
    assert_eq!(rows[0]["pendingDeposit"], "5000.01", "{rows}");
    bank(&x, "back", "5000", "ACH");
    assert_eq!(amounts(&back, "USD"), [dec("5000"), dec("5000"), Dec::ZERO]);
    settle(&x, first, false);
    assert_eq!(amounts(&back, "USD"), [dec("10000.01"), dec("10000.01"), Dec::ZERO]);
    assert_eq!(amounts(&front, "USD"), [dec("20000"); 3]);
    // One that waits can be returned, and moves no money.
    let third = bank(&x, "front", "30000", "ACH");
    let fourth = bank(&x, "front", "40000", "ACH");
    settle(&x, third, true);
    assert_eq!(amounts(&front, "USD"), [dec("20000"); 3]);
    // Operators set the limit. A waiting credit that fits is advanced.
    for wrong in ["-1", "x"] {
        x.admin(&["bank", "limit", wrong, "--reason", "test"]).refused();
    }
    x.admin(&["bank", "limit", "60000", "--reason", "test"]).done();
    assert_eq!(amounts(&front, "USD"), [dec("60000"), dec("60000"), dec("20000")]);
    x.admin(&["bank", "limit", "100", "--reason", "test"]).done();
    bank(&x, "front", "7", "ACH");
    x.kill9();
    x.restart();
    x.advance(5 * DAY);
    let [front, back] = ["front", "back"].map(|name| key_of(&x, name));
    assert_eq!(amounts(&front, "USD"), [dec("60007"); 3], "all have cleared");
    assert_eq!(amounts(&back, "USD"), [dec("10000.01"); 3]);
    let again = x.control("/sandbox/banks/settle", &json!({ "eid": fourth }));
    again.refused(400, "InvalidParameterValue");
    assert!(second > first);
    laws::check(&x);
}
