//! Clearing orders over restarts, kills, halts and races: each settles once or not at all.

use crate::clearing::{
    HOUR, cancel, confirm, confirmed, enter, enter_as, id_of, money, order, status, terms, trades, with,
};
use buttonwood_accept::{Dec, Exchange, dec, json, laws};
use std::thread;

/// A repeated call with the same client id and equal terms has the same answer and enters nothing, also after a restart; other terms are
/// refused, and a refused call uses up no id. Proves D-104.
#[test]
fn a_repeated_call_enters_nothing() {
    let x = Exchange::start();
    let named = |more| with(with(terms(), json!({ "client_transfer_id": "deal-1" })), more);
    let call = |fields| x.as_("trader").call("/v1/clearing/new", fields);
    // Refused, so the id is free.
    call(named(json!({ "price": "0.001" }))).refused(400, "InvalidPrice");
    call(named(json!({ "counterparty_id": "AAAAAAAA" }))).refused(400, "InvalidParameterValue");
    let first = call(named(json!({}))).ok();
    let repeats = || {
        for more in [
            json!({}),
            json!({ "amount": "2.00", "price": 30000, "symbol": "BTCUSD" }),
            json!({ "expires_in_hrs": 24 }),
        ] {
            assert_eq!(call(named(more)).ok(), first);
        }
        let other_spelling = with(terms(), json!({ "clientTransferId": "deal-1" }));
        assert_eq!(call(other_spelling).ok(), first);
        for more in [
            json!({ "amount": "3" }),
            json!({ "price": "30001" }),
            json!({ "side": "buy" }),
            json!({ "symbol": "ethusd" }),
            json!({ "expires_in_hrs": 25 }),
            json!({ "counterparty_id": id_of(&x, "counterparty") }),
        ] {
            let refusal = call(named(more)).refused(400, "InvalidParameterValue");
            assert!(refusal.message.contains("client_transfer_id"), "{refusal:?}");
        }
    };
    repeats();
    x.restart();
    let x = &x;
    let id = first["clearing_id"].as_str().unwrap();
    let call = |fields| x.as_("trader").call("/v1/clearing/new", fields);
    assert_eq!(call(named(json!({}))).ok(), first);
    confirmed(x, "counterparty", id, "buy");
    // The order is closed, and the answer is still that of the entry.
    assert_eq!(call(named(json!({}))).ok(), first);
    assert_eq!(
        x.as_("trader").call("/v1/clearing/trades", json!({})).ok()["results"].as_array().unwrap().len(),
        1
    );
    // One space with transfers, and each account has its own.
    let transfer = json!({ "sourceAccount": "primary", "targetAccount": "savings", "amount": "1", "clientTransferId": "deal-1" });
    x.as_("master").call("/v1/account/transfer/btc", transfer).refused(400, "InvalidParameterValue");
    let transfer = json!({ "sourceAccount": "primary", "targetAccount": "savings", "amount": "1", "clientTransferId": "move-1" });
    x.as_("master").call("/v1/account/transfer/btc", transfer).ok();
    call(with(terms(), json!({ "client_transfer_id": "move-1" }))).refused(400, "InvalidParameterValue");
    let own = x.as_("savings-trader").call("/v1/clearing/new", named(json!({}))).ok();
    assert_ne!(own, first);
    laws::check(x);
}

/// A kill at any time loses nothing that was answered, and settles nothing twice. Proves CLR-014, CLR-016.
#[test]
fn kills_change_nothing() {
    let x = Exchange::start();
    let settled = enter(&x, json!({ "amount": "1" }));
    let fields = with(terms(), json!({ "amount": "1", "clearing_id": settled, "side": "buy" }));
    x.as_("counterparty").call("/v1/clearing/confirm", fields).ok();
    let open = enter(&x, json!({ "expires_in_hrs": 2 }));
    let waits = enter(&x, json!({ "counterparty_id": id_of(&x, "empty") }));
    confirmed(&x, "empty", &waits, "buy");
    let cancelled = enter(&x, json!({}));
    cancel(&x, "trader", &cancelled);
    let all = || [&settled, &open, &waits, &cancelled].map(|id| order(&x, "trader", id));
    let (shown, before) = (all(), money(&x, "trader"));
    x.kill9();
    x.restart();
    assert_eq!((all(), money(&x, "trader")), (shown, before));
    x.credit("empty", "USD", "60000");
    assert_eq!(status(&x, "empty", &waits), "Settled");
    x.kill9();
    x.restart();
    assert_eq!((status(&x, "empty", &waits), trades(&x, "empty").len()), ("Settled".to_owned(), 1));
    assert_eq!(money(&x, "empty"), [dec("2"), Dec::ZERO]);
    assert_eq!(confirm(&x, "empty", &waits, "buy").refused(400, "InvalidClearingId").result, "error");
    // The time of an expiry passes while the exchange is down, or after it: to the second.
    x.advance(2 * HOUR - 1);
    x.kill9();
    x.restart();
    assert_eq!(status(&x, "trader", &open), "AwaitConfirm");
    x.advance(1);
    assert_eq!(status(&x, "trader", &open), "Expired");
    laws::check(&x);
}

/// During a halt nothing is entered, confirmed or settled; cancels and expiries go on, and the resume settles what waits.
#[test]
fn a_halt_stops_settlements() {
    let x = Exchange::start();
    let open = enter(&x, json!({}));
    let waits = enter(&x, json!({ "counterparty_id": id_of(&x, "empty") }));
    confirmed(&x, "empty", &waits, "buy");
    let expires = enter(&x, json!({ "expires_in_hrs": 1 }));
    x.control("/sandbox/halt", &json!({})).ok();
    x.as_("trader").call("/v1/clearing/new", terms()).refused(503, "System");
    confirm(&x, "counterparty", &open, "buy").refused(503, "System");
    let sides = json!({
        "source_counterparty_id": id_of(&x, "trader"), "target_counterparty_id": id_of(&x, "counterparty"), "expires_in_hrs": 1,
    });
    x.as_("broker").call("/v1/clearing/broker/new", with(terms(), sides)).refused(503, "System");
    x.credit("empty", "USD", "60000");
    assert_eq!(status(&x, "trader", &waits), "AttemptSettlement");
    assert_eq!(cancel(&x, "trader", &open), "ok");
    x.advance(HOUR);
    assert_eq!(status(&x, "trader", &expires), "Expired");
    x.control("/sandbox/resume", &json!({})).ok();
    assert_eq!(status(&x, "trader", &waits), "Settled");
    laws::check(&x);
}

/// An account with an order that it entered or confirmed is not closed; one that is only named is, and the order is cancelled.
#[test]
fn a_party_is_not_closed() {
    let x = Exchange::start();
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "desk", "kind": "exchange" })).ok();
    let key = json!({ "group": "one", "account": "desk", "name": "desk", "roles": ["Trader"] });
    x.control("/sandbox/keys", &key).ok();
    x.restart();
    let close = || x.control("/sandbox/accounts/close", &json!({ "group": "one", "account": "desk" }));
    let named = enter(&x, json!({ "counterparty_id": id_of(&x, "desk") }));
    let own = enter_as(&x, "desk", json!({}));
    let refusal = close().error();
    assert!(refusal.message.contains("clearing"), "{refusal:?}");
    cancel(&x, "desk", &own);
    let waits = enter(&x, json!({ "counterparty_id": id_of(&x, "desk") }));
    confirmed(&x, "desk", &waits, "buy");
    close().error();
    x.advance(24 * HOUR);
    assert_eq!(status(&x, "trader", &waits), "Expired");
    // A broker is bound by the orders that it entered.
    x.control("/sandbox/accounts/broker", &json!({ "group": "one", "account": "desk", "broker": true })).ok();
    let sides = json!({
        "source_counterparty_id": id_of(&x, "trader"), "target_counterparty_id": id_of(&x, "counterparty"), "expires_in_hrs": 1,
    });
    let brought = x.as_("desk").call("/v1/clearing/broker/new", with(terms(), sides)).ok();
    close().error();
    cancel(&x, "desk", brought["clearing_id"].as_str().unwrap());
    let named_again = enter(&x, json!({ "counterparty_id": id_of(&x, "desk") }));
    close().ok();
    assert_eq!(status(&x, "trader", &named_again), "Canceled");
    assert_eq!(status(&x, "trader", &named), "Expired");
    laws::check(&x);
}

/// A symbol that is closed to the jurisdiction of a side does not exist for it, at entry and at confirmation. Proves SYM-005.
#[test]
fn jurisdictions_of_both_sides() {
    let x = Exchange::start();
    let details = x.get("/v1/symbols").ok();
    let refused = |symbol: &str| {
        let fields = json!({ "symbol": symbol, "side": "buy", "type": "exchange limit", "price": "1", "amount": "100" });
        let answer = x.as_("restricted").call("/v1/order/new", fields);
        answer.status() == 400 && answer.error().reason == "InvalidSymbol"
    };
    let symbols: Vec<&str> = details.as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    let closed = symbols
        .iter()
        .find(|symbol| !symbol.ends_with("perp") && refused(symbol))
        .expect("a symbol closed to US-NY");
    let deal = json!({ "symbol": closed, "amount": "1000", "price": "1", "side": "sell" });
    x.as_("restricted").call("/v1/clearing/new", deal.clone()).refused(400, "InvalidSymbol");
    let entered = x.as_("trader").call("/v1/clearing/new", deal.clone()).ok();
    let fields = with(deal, json!({ "clearing_id": entered["clearing_id"], "side": "buy" }));
    x.as_("restricted").call("/v1/clearing/confirm", fields).refused(400, "InvalidSymbol");
    assert_eq!(status(&x, "trader", entered["clearing_id"].as_str().unwrap()), "AwaitConfirm");
    laws::check(&x);
}

/// An account has at most 1,000 orders that are open or wait; the refusal names the limit.
#[test]
fn an_account_has_a_thousand_orders() {
    let x = Exchange::start();
    let first = enter(&x, json!({}));
    for _ in 1..1_000 {
        enter(&x, json!({}));
    }
    let refusal = x.as_("trader").call("/v1/clearing/new", terms()).error();
    assert!(refusal.message.contains("1000"), "{refusal:?}");
    let other = enter_as(&x, "counterparty", json!({ "side": "buy" }));
    assert_eq!(confirm(&x, "trader", &other, "sell").status(), 400);
    cancel(&x, "trader", &first);
    confirmed(&x, "trader", &other, "sell");
    enter(&x, json!({}));
    laws::check(&x);
}

/// Of a confirmation and a cancel at the same time one wins, and every reply fits the order of both. Proves CLR-012, CLR-013.
#[test]
fn confirmations_race_with_cancels() {
    let x = Exchange::start();
    for _ in 0..8 {
        let id = enter(&x, json!({ "amount": "0.1", "counterparty_id": id_of(&x, "counterparty") }));
        let fields = with(terms(), json!({ "amount": "0.1", "clearing_id": id, "side": "buy" }));
        let before = money(&x, "trader");
        let (initiator, other) = (x.fresh("trader"), x.fresh("counterparty"));
        let named = json!({ "clearing_id": id });
        let cancels =
            thread::spawn(move || initiator.call("/v1/clearing/cancel", named).ok()["result"].clone());
        let confirms = thread::spawn(move || other.call("/v1/clearing/confirm", fields).status());
        let (cancelled, confirmed) = (cancels.join().unwrap(), confirms.join().unwrap());
        let sold = before[0] - money(&x, "trader")[0];
        match (cancelled.as_str().unwrap(), confirmed) {
            ("ok", 400) => assert_eq!((status(&x, "trader", &id).as_str(), sold), ("Canceled", Dec::ZERO)),
            ("failed", 200) => {
                assert_eq!((status(&x, "trader", &id).as_str(), sold), ("Settled", dec("0.1")));
            }
            other => panic!("no order of events gives {other:?}"),
        }
    }
    laws::check(&x);
}

/// Of several accounts that confirm an open order at the same time one is the counterparty. Proves CLR-010.
#[test]
fn confirmations_race_with_each_other() {
    let x = Exchange::start();
    for _ in 0..6 {
        let id = enter(&x, json!({ "amount": "0.1" }));
        let fields = with(terms(), json!({ "amount": "0.1", "clearing_id": id, "side": "buy" }));
        let keys = ["counterparty", "savings-trader", "broker"];
        let before = keys.map(|key| money(&x, key)[0]);
        let threads = keys.map(|key| {
            let (actor, fields) = (x.fresh(key), fields.clone());
            thread::spawn(move || actor.call("/v1/clearing/confirm", fields).status())
        });
        let statuses = threads.map(|thread| thread.join().unwrap());
        let (won, lost) = (
            statuses.iter().filter(|status| **status == 200),
            statuses.iter().filter(|status| **status == 404),
        );
        assert_eq!((won.count(), lost.count()), (1, 2), "{statuses:?}");
        for ((key, status), before) in keys.iter().zip(statuses).zip(before) {
            let bought = money(&x, key)[0] - before;
            assert_eq!(bought, if status == 200 { dec("0.1") } else { Dec::ZERO }, "{key}");
        }
    }
    laws::check(&x);
}

/// An operator marks the trade of a settlement as reversed by hand, and cannot void it. Proves ORD-021.
#[test]
fn a_settlement_is_broken_by_hand_alone() {
    let x = Exchange::start();
    let id = enter(&x, json!({}));
    confirmed(&x, "counterparty", &id, "buy");
    let tid = trades(&x, "trader")[0]["tid"].clone();
    let before = [money(&x, "trader"), money(&x, "counterparty")];
    let break_it = |kind: &str| x.control("/sandbox/trades/break", &json!({ "tid": tid, "kind": kind }));
    let refusal = break_it("full").refused(400, "InvalidParameterValue");
    assert!(refusal.message.contains("manual"), "{refusal:?}");
    assert!(trades(&x, "trader")[0].get("break").is_none());
    break_it("manual").ok();
    for key in ["trader", "counterparty"] {
        assert_eq!(trades(&x, key)[0]["break"], "manual");
    }
    break_it("manual").refused(400, "InvalidParameterValue");
    assert_eq!([money(&x, "trader"), money(&x, "counterparty")], before);
    assert_eq!(status(&x, "trader", &id), "Settled");
    laws::check(&x);
}

/// The rate that an operator sets is paid by both sides at the settlement, in the quote currency, and the statement shows it as a fee of
/// the order. Proves D-85, D-171.
#[test]
fn both_sides_pay_the_fee() {
    let x = Exchange::start();
    let before = [money(&x, "trader"), money(&x, "counterparty")];
    let id = enter(&x, json!({}));
    x.admin(&["clearing", "fee", "25"]).done();
    confirmed(&x, "counterparty", &id, "buy");
    assert_eq!(money(&x, "trader"), [before[0][0] - dec("2"), before[0][1] + dec("59850")]);
    assert_eq!(money(&x, "counterparty"), [before[1][0] + dec("2"), before[1][1] - dec("60150")]);
    for key in ["trader", "counterparty"] {
        let trade = &trades(&x, key)[0];
        assert_eq!((&trade["fee_amount"], &trade["fee_currency"]), (&json!("150"), &json!("USD")));
        let rows = x.as_(key).call("/v1/statement", json!({ "currency": "USD" })).ok();
        let fee = rows.as_array().unwrap().iter().find(|row| row["cause"] == "fee").expect("a fee").clone();
        assert_eq!((&fee["amount"], &fee["clearing_id"]), (&json!("-150"), &json!(id)));
        let sum = rows.as_array().unwrap().iter().fold(Dec::ZERO, |sum, row| sum + Dec::wire(&row["amount"]));
        assert_eq!(sum, x.as_(key).balance("USD").0);
    }
    // A buyer needs the fee too.
    x.credit("empty", "USD", "60000");
    let waits = enter(&x, json!({ "counterparty_id": id_of(&x, "empty") }));
    confirmed(&x, "empty", &waits, "buy");
    assert_eq!(status(&x, "empty", &waits), "AttemptSettlement");
    x.credit("empty", "USD", "150");
    assert_eq!(status(&x, "empty", &waits), "Settled");
    laws::check(&x);
}

/// What a bank has only advanced settles nothing; once the advance completes, the order settles. Proves CLR-016.
#[test]
fn an_advance_that_completes_settles() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let wire = json!({ "group": "five", "account": "primary", "currency": "USD", "amount": "60000", "method": "ACH" });
    let eid = x.control("/sandbox/banks/wire", &wire).ok()["eid"].clone();
    let id = enter(&x, json!({ "counterparty_id": id_of(&x, "empty") }));
    confirmed(&x, "empty", &id, "buy");
    assert_eq!(status(&x, "empty", &id), "AttemptSettlement");
    x.control("/sandbox/banks/settle", &json!({ "eid": eid, "returned": false })).ok();
    assert_eq!(status(&x, "empty", &id), "Settled");
    laws::check(&x);
}

/// An account that owes for a returned advance neither enters nor confirms. Proves D-167.
#[test]
fn an_account_in_debt_takes_no_part() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    x.control("/sandbox/index/BTC", &json!({ "price": "30000" })).ok();
    let wire = json!({ "group": "five", "account": "primary", "currency": "USD", "amount": "10000", "method": "ACH" });
    let eid = x.control("/sandbox/banks/wire", &wire).ok()["eid"].clone();
    x.as_("trader").limit("btcusd", "sell", "0.3", "30000");
    x.as_("empty").limit("btcusd", "buy", "0.3", "30000");
    x.control("/sandbox/banks/settle", &json!({ "eid": eid, "returned": true })).ok();
    let deal = json!({ "amount": "0.1" });
    let refusal = x
        .as_("empty")
        .call("/v1/clearing/new", with(terms(), deal.clone()))
        .refused(406, "InsufficientFunds");
    assert!(refusal.message.contains("owes"), "{refusal:?}");
    let id = enter_as(&x, "trader", with(deal.clone(), json!({ "side": "buy" })));
    let fields = with(with(terms(), deal), json!({ "clearing_id": id }));
    x.as_("empty").call("/v1/clearing/confirm", fields).refused(406, "InsufficientFunds");
    assert_eq!(status(&x, "trader", &id), "AwaitConfirm");
    // What is owed holds the coin, which no order does.
    x.stop();
    laws::verified(&x);
}
