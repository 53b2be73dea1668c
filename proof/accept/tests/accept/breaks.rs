//! Broken trades. Clauses MKT-023, MKT-035, ORD-021 to ORD-023.

use buttonwood_accept::{Answer, Dec, Exchange, Value, dec, json, laws, run_to_end};

/// `counterparty` sells and `trader` buys; returns the id of the trade.
fn trade(x: &Exchange, price: &str, amount: &str) -> u64 {
    x.as_("counterparty").limit("btcusd", "sell", amount, price);
    x.as_("trader").limit("btcusd", "buy", amount, price);
    tids(x, "")[0]
}

fn public(x: &Exchange, query: &str) -> Vec<Value> {
    x.get(&format!("/v1/trades/btcusd{query}")).ok().as_array().expect("an array").clone()
}

fn tids(x: &Exchange, query: &str) -> Vec<u64> {
    public(x, query).iter().map(|trade| trade["tid"].as_u64().expect("a number")).collect()
}

#[track_caller]
fn call(x: &Exchange, tid: u64, kind: &str) -> Answer {
    x.control("/sandbox/trades/break", &json!({ "tid": tid, "kind": kind }))
}

#[track_caller]
fn break_trade(x: &Exchange, tid: u64, kind: &str) {
    assert_eq!(call(x, tid, kind).ok(), json!({ "result": "ok" }));
}

/// Balances of both traders and of the house.
fn money(x: &Exchange) -> Value {
    let ledger = x.get("/sandbox/ledger").ok();
    let all = ledger["currencies"].as_array().expect("an array").iter();
    let traded: Vec<&Value> =
        all.filter(|row| row["currency"] == "BTC" || row["currency"] == "USD").collect();
    let own = |actor: &str| ["BTC", "USD"].map(|currency| x.as_(actor).balance(currency));
    json!([format!("{:?}", [own("trader"), own("counterparty")]), traded])
}

/// The public view of the market, apart from the time.
fn market(x: &Exchange) -> Value {
    let mut ticker = x.get("/v1/pubticker/btcusd").ok();
    ticker["volume"]["timestamp"] = Value::Null;
    let candles = |frame: &str| x.get(&format!("/v2/candles/btcusd/{frame}")).ok();
    let candles = ["1m", "5m", "15m", "30m", "1h", "6h", "1day"].map(candles);
    json!([
        ticker,
        x.get("/v2/ticker/btcusd").ok(),
        x.get("/v1/pricefeed").ok(),
        x.get("/v1/book/btcusd").ok(),
        public(x, ""),
        candles,
    ])
}

fn own(x: &Exchange, actor: &str) -> Vec<Value> {
    x.as_(actor)
        .call("/v1/mytrades", json!({ "symbol": "btcusd" }))
        .ok()
        .as_array()
        .expect("an array")
        .clone()
}

/// A trade broken in full is void: money, fees and the market are as if it had never been made. Proves MKT-035, ORD-023.
#[test]
fn a_full_break_leaves_no_trace() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    x.advance(90);
    trade(&x, "30200", "0.25");
    let (before, seen) = (money(&x), market(&x));
    let tid = trade(&x, "29900", "0.5");
    assert_ne!((money(&x), market(&x)), (before.clone(), seen.clone()));
    break_trade(&x, tid, "full");
    assert_eq!(money(&x), before);
    assert_eq!(market(&x), seen);
    // The same for one in the middle, and for the rest.
    let first = tids(&x, "")[1];
    break_trade(&x, first, "full");
    let ticker = x.get("/v1/pubticker/btcusd").ok();
    assert_eq!((&ticker["last"], &ticker["volume"]["BTC"]), (&json!("30200.00"), &json!("0.25")));
    break_trade(&x, tids(&x, "")[0], "full");
    assert!(tids(&x, "").is_empty());
    assert_eq!(x.get("/v1/pubticker/btcusd").ok()["last"], Value::Null);
    assert_eq!(x.get("/v2/candles/btcusd/1day").ok(), json!([]));
    let feed = x.get("/v1/pricefeed").ok();
    let row = feed.as_array().unwrap().iter().find(|row| row["pair"] == "BTCUSD").unwrap();
    assert_eq!(*row, json!({ "pair": "BTCUSD", "price": "0", "percentChange24h": "0.00" }));
    laws::check(&x);
}

/// The orders of a void trade have executed less and keep what is open; nothing returns to the book. Proves ORD-023.
#[test]
fn orders_have_executed_less() {
    let x = Exchange::start();
    let sell = x.as_("counterparty").limit("btcusd", "sell", "3", "30000");
    let sell = sell["order_id"].as_str().unwrap();
    let buy = x.as_("trader").limit("btcusd", "buy", "1", "30000");
    let buy = buy["order_id"].as_str().unwrap();
    let voided = tids(&x, "")[0];
    x.as_("trader").limit("btcusd", "buy", "0.5", "30000");
    let book = x.get("/v1/book/btcusd").ok();
    break_trade(&x, voided, "full");
    let amounts = |order: &Value| {
        ["executed_amount", "remaining_amount", "original_amount", "avg_execution_price"]
            .map(|field| Dec::wire(&order[field]))
    };
    let live = x.as_("counterparty").status(sell);
    assert_eq!(amounts(&live), ["0.5", "1.5", "3", "30000"].map(dec));
    assert_eq!(live["is_live"], true);
    let closed = x.as_("trader").status(buy);
    assert_eq!(amounts(&closed), ["0", "0", "1", "0"].map(dec));
    assert_eq!((&closed["is_live"], &closed["is_cancelled"]), (&json!(false), &json!(false)));
    assert_eq!(x.get("/v1/book/btcusd").ok(), book);
    let listed = x.as_("counterparty").call("/v1/orders", json!({})).ok();
    assert_eq!(amounts(&listed[0]), amounts(&live));
    // It goes on, and its answers stay corrected when it is cancelled, and again.
    x.as_("trader").limit("btcusd", "buy", "0.25", "30000");
    for _ in 0..2 {
        let cancelled = x.as_("counterparty").cancel(sell);
        assert_eq!(amounts(&cancelled), ["0.75", "1.25", "3", "30000"].map(dec));
    }
    assert_eq!(amounts(&x.as_("counterparty").status(sell)), ["0.75", "1.25", "3", "30000"].map(dec));
    laws::check(&x);
}

/// A trade broken manually keeps its money and its place in every figure, and carries the mark. Proves ORD-021, ORD-022.
#[test]
fn a_manual_break_is_a_mark() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    let tid = trade(&x, "30100", "0.5");
    let (before, mut seen) = (money(&x), market(&x));
    let order = own(&x, "trader")[0]["order_id"].clone();
    let status = x.as_("trader").status(order.as_str().unwrap());
    break_trade(&x, tid, "manual");
    assert_eq!(money(&x), before);
    // The list of trades alone is another.
    seen[4].as_array_mut().unwrap().remove(0);
    assert_eq!(market(&x), seen);
    assert_eq!(x.as_("trader").status(order.as_str().unwrap()), status);
    for actor in ["trader", "counterparty"] {
        let marks: Vec<Value> = own(&x, actor).iter().map(|row| row["break"].clone()).collect();
        assert_eq!(marks, [json!("manual"), Value::Null], "{actor}");
        assert!(own(&x, actor)[1].get("break").is_none(), "an unbroken trade has no such field");
    }
    laws::check(&x);
}

/// The owner of a void trade still sees it, marked, in both lists of own trades. Proves ORD-021.
#[test]
fn own_trades_carry_the_mark() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    let tid = trade(&x, "30100", "0.5");
    break_trade(&x, tid, "full");
    for actor in ["trader", "counterparty"] {
        let rows = own(&x, actor);
        assert_eq!((&rows[0]["tid"], &rows[0]["break"]), (&json!(tid), &json!("full")));
        let order = json!({ "order_id": rows[0]["order_id"], "include_trades": true });
        let order = x.as_(actor).call("/v1/order/status", order).ok();
        assert_eq!((&order["trades"][0]["tid"], &order["trades"][0]["break"]), (&json!(tid), &json!("full")));
        let past = x.as_(actor).call("/v1/orders/history", json!({ "symbol": "btcusd" })).ok();
        assert_eq!(past[0], order);
    }
}

/// Public lists show broken trades of both kinds only on request, and then say which they are. A page without them is as full
/// as one with them. Proves MKT-023.
#[test]
fn public_lists_leave_broken_trades_out() {
    let x = Exchange::start();
    let made: Vec<u64> = (0..12)
        .map(|_| {
            x.advance(1);
            trade(&x, "30000", "0.01")
        })
        .collect();
    let kept: Vec<u64> = [0, 1, 4, 5, 9].map(|at| made[at]).to_vec();
    for (at, tid) in made.iter().enumerate().filter(|(_, tid)| !kept.contains(tid)) {
        break_trade(&x, *tid, if at % 2 == 0 { "manual" } else { "full" });
    }
    let newest_first = |ids: &[u64]| ids.iter().rev().copied().collect::<Vec<u64>>();
    for query in ["", "?include_breaks=0", "?include_breaks=false", "?limit_trades=5", "?since_tid=0"] {
        assert_eq!(tids(&x, query), newest_first(&kept), "{query}");
        assert!(public(&x, query).iter().all(|trade| trade.get("broken").is_none()), "{query}");
    }
    assert_eq!(tids(&x, "?limit_trades=3"), newest_first(&kept[2..]));
    assert_eq!(tids(&x, "?since_tid=0&limit_trades=3"), newest_first(&kept[..3]));
    let from = public(&x, "?include_breaks=1")[10]["timestampms"].as_u64().unwrap();
    assert_eq!(tids(&x, &format!("?timestamp={from}&limit_trades=2")), newest_first(&kept[2..4]));
    for query in ["?include_breaks=1", "?include_breaks=true"] {
        assert_eq!(tids(&x, query), newest_first(&made));
        for row in public(&x, query) {
            let is_kept = kept.contains(&row["tid"].as_u64().unwrap());
            assert_eq!(row["broken"], json!(!is_kept), "{row}");
        }
    }
    assert_eq!(tids(&x, "?include_breaks=1&limit_trades=4"), newest_first(&made[8..]));
    x.get("/v1/trades/btcusd?include_breaks=yes").refused(400, "InvalidParameterValue");
}

/// Wrong calls are refused by field and value and change nothing; a trade is broken once. Proves ORD-023.
#[test]
fn wrong_breaks_are_refused() {
    let x = Exchange::start();
    let tid = trade(&x, "30000", "1");
    let order = own(&x, "trader")[0]["order_id"].as_str().unwrap().parse::<u64>().unwrap();
    let (before, seen) = (money(&x), market(&x));
    for unknown in [0, order, tid + 1, u64::MAX] {
        for kind in ["full", "manual"] {
            let refusal = call(&x, unknown, kind).refused(400, "InvalidParameterValue");
            let named = refusal.message.contains("'tid'") && refusal.message.contains(&unknown.to_string());
            assert!(named, "{}", refusal.message);
        }
    }
    for (body, needed) in [
        (json!({ "kind": "full" }), "tid"),
        (json!({ "tid": tid }), "kind"),
        (json!({ "tid": tid, "kind": "half" }), "half"),
        (json!({ "tid": tid, "kind": "Full" }), "Full"),
        (json!({ "tid": tid, "kind": 1 }), "kind"),
        (json!({ "tid": "x", "kind": "full" }), "tid"),
        (json!({ "tid": -1, "kind": "full" }), "tid"),
        (json!({ "tid": [tid], "kind": "full" }), "tid"),
    ] {
        let answer = x.control("/sandbox/trades/break", &body);
        assert_eq!(answer.status(), 400, "{body}");
        assert!(answer.error().message.contains(needed), "{answer}");
    }
    assert_eq!((money(&x), market(&x)), (before, seen));
    break_trade(&x, tid, "manual");
    for kind in ["manual", "full"] {
        let refusal = call(&x, tid, kind).refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("'manual'"), "{}", refusal.message);
    }
    assert_eq!(own(&x, "trader")[0]["break"], "manual");
    laws::check(&x);
}

/// A full break is refused while an account lacks what it would return, by account and amount; money that orders hold does
/// not count. It is taken once the money is there. Proves ORD-023.
#[test]
fn money_that_is_gone_cannot_be_returned() {
    let x = Exchange::start();
    let (held, _) = x.as_("trader").balance("BTC");
    let tid = trade(&x, "30000", "1");
    let (all, _) = x.as_("trader").balance("BTC");
    assert_eq!(all, held + dec("1"));
    let rest = x.as_("trader").limit("btcusd", "sell", &(all - dec("0.25")).to_string(), "31000");
    let before = money(&x);
    let refusal = call(&x, tid, "full").refused(406, "InsufficientFunds");
    for part in ["account 'primary'", "0.75 BTC", &tid.to_string()] {
        assert!(refusal.message.contains(part), "{part}: {}", refusal.message);
    }
    assert_eq!(money(&x), before);
    x.as_("trader").cancel(rest["order_id"].as_str().unwrap());
    break_trade(&x, tid, "full");
    laws::check(&x);
}

/// A trade's break moves the reference of the collar back. Proves ORD-023.
#[test]
fn the_collar_follows() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    let tid = trade(&x, "31000", "1");
    let place = || {
        x.as_("counterparty").limit("btcusd", "sell", "0.1", "32000");
        let buy = x.as_("trader").limit("btcusd", "buy", "0.1", "32000");
        x.as_("counterparty").call("/v1/order/cancel/all", json!({})).ok();
        (buy["is_cancelled"].clone(), buy["reason"].clone())
    };
    break_trade(&x, tid, "full");
    assert_eq!(place(), (json!(true), json!("ExceedsPriceLimits")), "5 % above 30000 is 31500");
    trade(&x, "31000", "1");
    assert_eq!(place().0, false, "5 % above 31000 is 32550");
}

/// Breaks survive a crash, a clean stop and a verification. Proves MKT-035, ORD-022, ORD-023.
#[test]
fn breaks_are_durable() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    x.advance(3_700);
    let [manual, full] =
        [("30100", "0.5"), ("30300", "0.25")].map(|(price, amount)| trade(&x, price, amount));
    break_trade(&x, manual, "manual");
    break_trade(&x, full, "full");
    let seen = || json!([money(&x), market(&x), own(&x, "trader"), public(&x, "?include_breaks=1")]);
    let before = seen();
    x.kill9();
    x.restart();
    assert_eq!(seen(), before);
    x.restart();
    assert_eq!(seen(), before);
    call(&x, full, "full").refused(400, "InvalidParameterValue");
    x.stop();
    assert!(x.verify().status.success());
}

/// A trade of an auction is broken like any other. Proves MKT-035, ORD-023.
#[test]
fn auction_trades_are_broken_too() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    let (before, volume) = (money(&x), x.get("/v1/pubticker/btcusd").ok()["volume"]["BTC"].clone());
    x.schedule_auction("btcusd", &json!({}), 1_200);
    for (actor, side) in [("counterparty", "sell"), ("trader", "buy")] {
        let order = json!({ "symbol": "btcusd", "side": side, "type": "exchange limit", "amount": "2",
            "price": "30100", "options": ["auction-only"] });
        x.as_(actor).call("/v1/order/new", order).ok();
    }
    x.advance(1_200);
    let tid = tids(&x, "")[0];
    assert_eq!(public(&x, "")[0]["type"], "auction");
    break_trade(&x, tid, "full");
    assert_eq!(money(&x), before);
    let ticker = x.get("/v1/pubticker/btcusd").ok();
    assert_eq!((&ticker["volume"]["BTC"], &ticker["last"]), (&volume, &json!("30000.00")));
    laws::check(&x);
}

/// An export marks broken trades, corrects the orders of void ones and leaves these out of the candles. Proves MKT-035,
/// ORD-021, ORD-023.
#[test]
fn exports_know_of_breaks() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    let [manual, full] =
        [("30100", "0.5"), ("30300", "0.25")].map(|(price, amount)| trade(&x, price, amount));
    break_trade(&x, manual, "manual");
    break_trade(&x, full, "full");
    let data = x.data().to_str().unwrap();
    let export = |table: &str| {
        let output = run_to_end(&["export", "--data", data, "--table", table]);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let column = |table: &str, from_the_end: usize| -> Vec<String> {
        let lines = export(table);
        lines.lines().skip(1).map(|line| line.rsplit(',').nth(from_the_end).unwrap().to_owned()).collect()
    };
    // The outcome of a contract is the last column of trades.
    assert_eq!(column("trades", 1), ["", "", "manual", "manual", "full", "full"]);
    assert_eq!(column("public_trades", 0), ["false", "true", "true"]);
    let candles = export("candles");
    assert!(
        candles.contains("btcusd,1m,1767225600000,30000.00,30100.00,30000.00,30100.00,1.5\n"),
        "{candles}"
    );
    let executed = |line: &str| line.rsplit(',').nth(3).unwrap().to_owned();
    let orders: Vec<String> = export("orders").lines().skip(1).map(executed).collect();
    assert_eq!(orders, ["1", "1", "0.5", "0.5", "0", "0"]);
}
