//! Cancelling: one order, a session's, an account's. Clauses ORD-054 to ORD-063.

use buttonwood_accept::{Exchange, NewOrder, Value, check, dec, json, laws, same_keys};

/// A cancel by id, as a number or as text, returns the order as it ended. Proves ORD-054, ORD-056.
#[test]
fn by_id() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for as_number in [true, false] {
        let placed = trader.limit("btcusd", "buy", "1", "100");
        let id = placed["order_id"].as_str().unwrap();
        let sent = if as_number { json!(id.parse::<u64>().unwrap()) } else { json!(id) };
        let answer = trader.call("/v1/order/cancel", json!({ "order_id": sent }));
        let cancelled = answer.ok();
        let mut expected = placed.clone();
        expected["is_live"] = json!(false);
        expected["is_cancelled"] = json!(true);
        expected["reason"] = json!("Requested");
        assert_eq!(cancelled, expected, "{answer}");
        assert_eq!(trader.status(id), expected);
    }
    assert_eq!(x.get("/v1/book/btcusd").ok()["bids"], json!([]));
    laws::check(&x);
}

/// A partly filled order keeps its fills. Proves ORD-055.
#[test]
fn partly_filled() {
    check(
        "
        trader buy btcusd 1 @ 30000 as B1
        counterparty sell btcusd 0.3 @ 30000
        trader cancel B1                    => cancelled Requested, executed 0.3, remaining 0.7, average 30000
        balance trader BTC 1000.3, USD 100000 - 9000 - 18
        book btcusd                         => bids none; asks none
        ",
    );
}

/// A second cancel has no effect, and neither has one of a filled order. Proves ORD-057.
#[test]
fn repeat_cancel_changes_nothing() {
    check(
        "
        trader buy btcusd 1 @ 30000 as B1
        trader cancel B1                    => cancelled Requested, remaining 1
        balance trader USD 100000
        trader cancel B1                    => cancelled Requested, remaining 1
        balance trader USD 100000
        trader buy btcusd 1 @ 30000 as B2
        counterparty sell btcusd 1 @ 30000
        trader cancel B2                    => filled, executed 1, remaining 0
        trader buy btcusd 1 @ 30000 immediate-or-cancel as B3
        trader cancel B3                    => cancelled ImmediateOrCancelWouldPost
        ",
    );
}

/// A client id that was used again means the newest order that had it: a repeated cancel returns how that one ended, and never touches an
/// older one, whether the newest was cancelled, was filled on entry, or the exchange has started again since. Proves D-175.
#[test]
fn a_repeated_cancel_by_client_id_hits_no_older_order() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let named = |option: &str, amount: &str, price: &str| {
        let mut order = json!({
            "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": amount, "price": price,
            "client_order_id": "mine",
        });
        if !option.is_empty() {
            order["options"] = json!([option]);
        }
        trader.call("/v1/order/new", order).ok()
    };
    let cancel = || trader.call("/v1/order/cancel", json!({ "client_order_id": "mine" })).ok();
    let status = || trader.call("/v1/order/status", json!({ "client_order_id": "mine" })).ok();
    let is_live =
        |order: &Value| trader.status(order["order_id"].as_str().unwrap())["is_live"] == json!(true);
    let older = named("", "1", "100");
    let newer = named("", "1", "101");
    let cancelled = cancel();
    assert_eq!(cancelled["order_id"], newer["order_id"]);
    assert_eq!(cancel(), cancelled);
    assert_eq!(status(), cancelled);
    assert!(is_live(&older));
    // One that closed on entry is the newest then.
    let closed = named("immediate-or-cancel", "1", "100");
    assert_eq!(cancel()["order_id"], closed["order_id"]);
    assert!(is_live(&older));
    // A refused one never was.
    let resting = named("", "1", "99");
    let refused = json!({
        "symbol": "btcusd", "side": "buy", "type": "exchange limit", "amount": "1000000", "price": "100",
        "client_order_id": "mine",
    });
    trader.call("/v1/order/new", refused).refused(406, "InsufficientFunds");
    assert_eq!(cancel()["order_id"], resting["order_id"]);
    assert!(is_live(&older));
    x.restart();
    let again = x.fresh("trader");
    let cancelled = again.call("/v1/order/cancel", json!({ "client_order_id": "mine" })).ok();
    assert_eq!(cancelled["order_id"], resting["order_id"], "after a start too");
    again.cancel(older["order_id"].as_str().unwrap());
    laws::check(&x);
}

/// To the caller, another account's order does not exist. Proves ORD-058, ORD-080.
#[test]
fn unknown_and_foreign() {
    let x = Exchange::start();
    let order = x.as_("counterparty").place(&NewOrder::limit("btcusd", "sell", "1", "30000").named("theirs"));
    for key in ["trader", "savings-trader"] {
        let actor = x.as_(key);
        for path in ["/v1/order/cancel", "/v1/order/status"] {
            let foreign = actor.call(path, json!({ "order_id": order["order_id"] }));
            let foreign = foreign.refused(404, "OrderNotFound").message;
            let unknown =
                actor.call(path, json!({ "order_id": "999999999" })).refused(404, "OrderNotFound").message;
            let id = order["order_id"].as_str().unwrap();
            assert_eq!(foreign.replace(id, "#"), unknown.replace("999999999", "#"), "same words for both");
            actor.call(path, json!({ "client_order_id": "theirs" })).refused(404, "OrderNotFound");
        }
    }
    assert_eq!(x.as_("counterparty").live_ids().len(), 1);
    laws::check(&x);
}

/// A client id works too; no id at all does not. Proves ORD-059.
#[test]
fn by_client_id() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    trader.place(&NewOrder::limit("btcusd", "buy", "1", "100").named("mine"));
    let cancelled = trader.call("/v1/order/cancel", json!({ "client_order_id": "mine" })).ok();
    assert_eq!((&cancelled["is_cancelled"], &cancelled["reason"]), (&json!(true), &json!("Requested")));
    let answer = trader.call("/v1/order/cancel", json!({}));
    assert_eq!(answer.status(), 400, "{answer}");
    assert!(answer.error().message.contains("order_id"), "{answer}");
}

/// A session's orders on every symbol, and no other session's. Proves ORD-060, ORD-054, SES-001.
#[test]
fn session() {
    check(
        "
        trader buy btcusd 1 @ 100 as T1
        trader buy ethusd 1 @ 100 as T2
        trader buy ltcusd 1 @ 50 as T3
        second-session buy btcusd 1 @ 100 as S1
        counterparty buy btcusd 1 @ 100 as C1
        trader cancel T3
        trader cancel session               => T1, T2
        order T1                            => cancelled Requested
        order T2                            => cancelled Requested
        order S1                            => live
        order C1                            => live
        balance trader USD 100000 available 100000 - 100.4
        trader cancel session               => nothing
        second-session cancel session       => S1
        balance trader USD 100000
        ",
    );
}

/// A master key cancels only the orders it placed itself, on the account it names. Proves ORD-060, AUTH-016.
#[test]
fn session_of_a_master_key() {
    let x = Exchange::start();
    let master = x.as_("master");
    let place = |account: &str, symbol: &str| {
        let mut order = NewOrder::limit(symbol, "buy", "1", "100").params();
        order["account"] = json!(account);
        master.call("/v1/order/new", order).ok()["order_id"].as_str().unwrap().to_owned()
    };
    let mine = [place("primary", "btcusd"), place("primary", "ethusd")];
    let elsewhere = place("savings", "btcusd");
    let theirs = x.as_("trader").limit("btcusd", "buy", "1", "100")["order_id"].as_str().unwrap().to_owned();
    let cancel = |account: &str| -> Vec<String> {
        let answer = master.call("/v1/order/cancel/session", json!({ "account": account })).ok();
        let ids = answer["details"]["cancelledOrders"].as_array().unwrap().clone();
        ids.iter().map(ToString::to_string).collect()
    };
    assert_eq!(cancel("primary"), mine);
    assert_eq!(
        (x.as_("trader").live_ids(), x.as_("savings-trader").live_ids()),
        (vec![theirs], vec![elsewhere.clone()])
    );
    assert_eq!(cancel("savings"), [elsewhere]);
    laws::check(&x);
}

/// An account's orders of all its sessions, and no other account's. Proves ORD-063, ORD-054.
#[test]
fn all() {
    check(
        "
        trader buy btcusd 1 @ 100 as T1
        second-session sell ethusd 1 @ 9000 as S1
        heartbeat buy ltcusd 1 @ 50 as H1
        savings-trader buy btcusd 1 @ 100 as V1
        counterparty buy btcusd 1 @ 100 as C1
        trader cancel all                   => T1, S1, H1
        order S1                            => cancelled Requested
        order V1                            => live
        order C1                            => live
        balance trader USD 100000, ETH 20000
        trader cancel all                   => nothing
        ",
    );
}

/// A cancel by client id concurrent with the placement ends the order or finds none; it never returns a live order.
/// Proves ORD-056, ORD-058, ORD-059.
#[test]
fn cancel_meets_placing() {
    let x = Exchange::start();
    let (places, cancels) = (x.fresh("trader"), x.fresh("second-session"));
    let barrier = std::sync::Barrier::new(2);
    let answers: Vec<_> = std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..300 {
                barrier.wait();
                places.place(&NewOrder::limit("btcusd", "buy", "0.001", "100").named(&format!("n{number}")));
            }
        });
        let cancel = |number: u32| {
            barrier.wait();
            cancels.call("/v1/order/cancel", json!({ "client_order_id": format!("n{number}") }))
        };
        (0..300).map(cancel).collect()
    });
    for answer in answers {
        if answer.status() == 200 {
            assert_eq!(answer.ok()["is_cancelled"], json!(true), "{answer}");
        } else {
            answer.refused(404, "OrderNotFound");
        }
    }
    laws::check(&x);
}

/// The shape of the reply: ids are integers, both lists are always present. Proves ORD-061.
#[test]
fn reply_shape() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for path in ["/v1/order/cancel/session", "/v1/order/cancel/all"] {
        let nothing = json!({ "result": "ok", "details": { "cancelledOrders": [], "cancelRejects": [] } });
        assert_eq!(trader.call(path, json!({})).ok(), nothing);
        let live = trader.limit("btcusd", "buy", "1", "100");
        let gone = trader.limit("btcusd", "buy", "1", "100");
        trader.cancel(gone["order_id"].as_str().unwrap());
        let answer = trader.call(path, json!({}));
        let body = answer.ok();
        same_keys(&body["details"], &["cancelledOrders", "cancelRejects"], &answer);
        let id: u64 = live["order_id"].as_str().unwrap().parse().unwrap();
        assert_eq!(body["details"], json!({ "cancelledOrders": [id], "cancelRejects": [] }), "{answer}");
    }
    assert_eq!(trader.balance("USD"), (dec("100000"), dec("100000")));
    laws::check(&x);
}
