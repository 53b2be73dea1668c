//! The history of closed orders: clauses ORD-070 to ORD-073, ORD-078 and ORD-079.

use buttonwood_accept::{Actor, Exchange, NewOrder, Value, json, laws};

const PATH: &str = "/v1/orders/history";

fn rows(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn id(order: &Value) -> String {
    order["order_id"].as_str().unwrap().to_owned()
}

fn millis(order: &Value) -> u64 {
    order["timestampms"].as_u64().unwrap()
}

/// The ids of a page.
fn ids(actor: &Actor, params: Value) -> Vec<String> {
    rows(&actor.call(PATH, params).ok()).iter().map(id).collect()
}

/// Places an order that is cancelled at once.
fn gone(actor: &Actor, symbol: &str) -> String {
    let order = NewOrder::limit(symbol, "buy", "0.01", "100").with_option("immediate-or-cancel");
    id(&actor.place(&order))
}

/// Filled and cancelled orders, each as its status shows it with its trades, the one placed last first, whatever the
/// order of closing; live orders and waiting stop orders are not among them. Proves ORD-070.
#[test]
fn closed_orders_with_their_trades() {
    let x = Exchange::start();
    let (trader, counterparty) = (x.as_("trader"), x.as_("counterparty"));
    assert_eq!(trader.call(PATH, json!({})).ok(), json!([]));
    let maker = id(&trader.place(&NewOrder::limit("btcusd", "buy", "1", "30000").named("maker")));
    let cancelled = id(&trader.limit("ltcusd", "buy", "1", "100"));
    let live = id(&trader.limit("btcusd", "buy", "1", "29000"));
    let stop = id(&trader.place(&NewOrder::limit("btcusd", "buy", "0.1", "41000").with_stop("40000")));
    let unfilled = gone(&trader, "ltcusd");
    counterparty.limit("btcusd", "sell", "0.4", "30000");
    counterparty.limit("ethusd", "sell", "1", "2000");
    let taker = id(&trader.limit("ethusd", "buy", "0.5", "2100"));
    assert_eq!(ids(&trader, json!({})), [&taker, &unfilled].map(String::as_str), "the others are live");
    trader.cancel(&cancelled);
    counterparty.limit("btcusd", "sell", "0.6", "30000");

    let history = trader.call(PATH, json!({})).ok();
    let expected = [&taker, &unfilled, &cancelled, &maker];
    assert_eq!(rows(&history).iter().map(id).collect::<Vec<_>>(), expected.map(String::as_str));
    for order in rows(&history) {
        let params = json!({ "order_id": order["order_id"], "include_trades": true });
        assert_eq!(order, &trader.call("/v1/order/status", params).ok());
        assert_eq!(order["is_live"], false, "{order}");
    }
    let of = |name: &str| -> Vec<Value> { rows(&history).iter().map(|order| order[name].clone()).collect() };
    let trades: Vec<usize> = of("trades").iter().map(|trades| rows(trades).len()).collect();
    assert_eq!(trades, [1, 0, 0, 2]);
    assert_eq!(of("is_cancelled"), [false, true, true, false].map(Value::from));
    assert_eq!(
        of("reason"),
        [json!(null), json!("ImmediateOrCancelWouldPost"), json!("Requested"), json!(null)]
    );
    assert_eq!(of("client_order_id")[3], "maker");
    assert_eq!(history[0]["trades"][0]["aggressor"], true);
    assert_eq!(history[3]["trades"][0]["amount"], "0.6");
    assert_eq!(rows(&counterparty.call(PATH, json!({})).ok()).len(), 2, "one of its three is live");
    for order in [live, stop] {
        trader.cancel(&order);
    }
    assert_eq!(ids(&trader, json!({})).len(), 6);
    laws::check(&x);
}

/// Fifty by default, 500 at most; for past trades alike: of LIM-014, the part without staking. A limit of zero or less,
/// or with a fraction, is refused. Proves ORD-071, ORD-075, ORD-078.
#[test]
fn limits() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "10", "30000");
    let trader = x.as_("trader");
    let orders: Vec<String> =
        (0..510).map(|_| id(&trader.limit("btcusd", "buy", "0.00001", "30000"))).collect();
    let newest = |count: usize| -> Vec<&String> { orders.iter().rev().take(count).collect() };
    for (path, limit) in [(PATH, "limit_orders"), ("/v1/mytrades", "limit_trades")] {
        let page =
            |params: Value| -> Vec<String> { rows(&trader.call(path, params).ok()).iter().map(id).collect() };
        assert_eq!(page(json!({})).iter().collect::<Vec<_>>(), newest(50), "{path}");
        for (asked, shown) in [(1_u64, 1), (7, 7), (500, 500), (501, 500), (1_000_000_000, 500)] {
            assert_eq!(page(json!({ limit: asked })).iter().collect::<Vec<_>>(), newest(shown), "{path}");
        }
        assert_eq!(page(json!({ limit: "7" })).len(), 7, "{path}");
        for wrong in
            [json!(0), json!(-1), json!(1.5), json!(7.0), json!("0"), json!("abc"), json!(true), json!([])]
        {
            let answer = trader.call(path, json!({ limit: wrong }));
            let refusal = answer.refused(400, "InvalidParameterValue");
            assert!(refusal.message.contains(limit), "{answer}");
        }
    }
    laws::check(&x);
}

/// Of one symbol, in any letter case; from a time of placing on, inclusive, whenever the order closed. An unknown symbol
/// is refused by name, for past trades too. Proves ORD-072, ORD-079.
#[test]
fn by_symbol_and_time() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let long = id(&trader.limit("btcusd", "buy", "1", "100"));
    let begin = x.now_ms();
    let mut orders = vec![long.clone()];
    for symbol in ["ethusd", "btcusd"] {
        x.advance(10);
        orders.push(gone(&trader, symbol));
    }
    x.advance(10);
    trader.cancel(&long);
    orders.reverse();
    let of = |params: Value| ids(&trader, params);
    assert_eq!(of(json!({})), orders);
    assert_eq!(of(json!({ "symbol": "BTCUSD" })), [&orders[0], &orders[2]].map(String::as_str));
    assert_eq!(of(json!({ "symbol": "ethusd" })), orders[1..2]);
    assert_eq!(of(json!({ "symbol": "ltcusd" })), [""; 0]);
    for (from, count) in [(0, 3), (begin, 3), (begin + 1, 2), (begin + 20_000, 1), (begin + 20_001, 0)] {
        assert_eq!(of(json!({ "timestamp": from })), orders[..count], "from {from}");
    }
    let seconds = begin / 1_000;
    assert_eq!(of(json!({ "timestamp": seconds + 10 })), orders[..2], "in seconds");
    assert_eq!(of(json!({ "timestamp": begin + 1, "symbol": "btcusd" })), orders[..1]);
    for path in [PATH, "/v1/mytrades"] {
        let refusal = trader.call(path, json!({ "symbol": "nosuch" })).refused(400, "InvalidSymbol");
        assert!(refusal.message.contains("'nosuch'"), "{refusal:?}");
        trader.call(path, json!({ "symbol": 5 })).refused(400, "InvalidParameterValue");
        trader.call(path, json!({ "timestamp": "soon" })).refused(400, "InvalidTimestampInPayload");
    }
    laws::check(&x);
}

/// From timestamp 0, then from the highest returned one plus 1, every closed order is reached once, and then nothing:
/// whatever the order of closing, and with several orders in a millisecond. Proves ORD-073.
#[test]
fn paging_reaches_every_order_once() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let mut open: Vec<String> = Vec::new();
    for round in 0..60_usize {
        for place in 0..10 {
            if (round + place).is_multiple_of(7) {
                open.push(id(&trader.limit("btcusd", "buy", "0.01", "100")));
            } else {
                gone(&trader, "btcusd");
            }
        }
        if round.is_multiple_of(5) && !open.is_empty() {
            trader.cancel(&open.swap_remove(round % open.len()));
        }
        x.advance(1);
    }
    let live = trader.live_ids().len();
    for limit in [500, 50, 7] {
        let (mut reached, mut from) = (Vec::new(), 0);
        for page in 0.. {
            assert!(page < 100, "paging does not come to an end");
            let page = trader.call(PATH, json!({ "timestamp": from, "limit_orders": limit })).ok();
            let Some(newest) = rows(&page).first() else { break };
            assert!(rows(&page).is_sorted_by(|newer, older| millis(newer) >= millis(older)), "newest first");
            from = millis(newest) + 1;
            reached.extend(rows(&page).iter().rev().map(id));
        }
        assert_eq!(reached.len(), 600 - live, "limit {limit}");
        reached.dedup();
        assert_eq!(reached.len(), 600 - live, "limit {limit}");
    }
    laws::check(&x);
}

/// The orders of one millisecond come together, even above the limit, but never more than 500. Proves ORD-071.
#[test]
fn orders_of_one_millisecond() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let mut orders: Vec<String> = (0..60).map(|_| gone(&trader, "btcusd")).collect();
    let page = |limit: u64| ids(&trader, json!({ "timestamp": 0, "limit_orders": limit }));
    orders.reverse();
    for limit in [1, 50, 500] {
        assert_eq!(page(limit), orders);
    }
    (0..450).for_each(|_| drop(gone(&trader, "btcusd")));
    for limit in [1, 500] {
        assert_eq!(page(limit).len(), 500);
        assert_eq!(page(limit)[440..], orders, "the oldest");
    }
    laws::check(&x);
}

/// Keys of the account see it, and a master key that names the account; no other account does. It is the same after a
/// restart. Proves ORD-080, ORD-081.
#[test]
fn only_ones_own_also_after_a_restart() {
    let x = Exchange::start();
    let order = gone(&x.as_("trader"), "btcusd");
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    let filled = id(&x.as_("trader").limit("btcusd", "buy", "1", "30000"));
    let seen = || {
        let own = x.as_("trader").call(PATH, json!({})).ok();
        assert_eq!(rows(&own).iter().map(id).collect::<Vec<_>>(), [filled.as_str(), &order]);
        for key in ["auditor", "second-session"] {
            assert_eq!(x.as_(key).call(PATH, json!({})).ok(), own, "{key}");
        }
        assert_eq!(x.as_("master").call(PATH, json!({ "account": "primary" })).ok(), own);
        assert_eq!(x.as_("broker").call(PATH, json!({})).ok(), json!([]));
        x.as_("fund-manager").call(PATH, json!({})).refused(403, "MissingRole");
        own
    };
    let before = seen();
    x.restart();
    assert_eq!(seen(), before);
    x.kill9();
    x.restart();
    assert_eq!(seen(), before);
}
