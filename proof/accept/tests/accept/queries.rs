//! Order status, live orders and past trades: clauses ORD-014 to ORD-020 and ORD-064 to ORD-080.

use buttonwood_accept::{Dec, Exchange, NewOrder, Value, dec, json, laws, same_keys};

const TRADE: [&str; 12] = [
    "price",
    "amount",
    "timestamp",
    "timestampms",
    "type",
    "aggressor",
    "fee_currency",
    "fee_amount",
    "tid",
    "order_id",
    "exchange",
    "is_auction_fill",
];

fn trade_keys<'k>(more: &[&'k str]) -> Vec<&'k str> {
    TRADE.into_iter().chain(more.iter().copied()).collect()
}

fn rows(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn tids(trades: &Value) -> Vec<u64> {
    rows(trades).iter().map(|trade| trade["tid"].as_u64().unwrap()).collect()
}

/// The maker sells 1; the taker buys 0.4 of it at 30000, below its limit. Both orders have client ids.
fn traded(x: &Exchange) -> (String, String) {
    let maker = x.as_("counterparty").place(&NewOrder::limit("btcusd", "sell", "1", "30000").named("maker"));
    let taker = x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "0.4", "30100").named("taker"));
    let id = |order: &Value| order["order_id"].as_str().unwrap().to_owned();
    (id(&maker), id(&taker))
}

/// A past trade from both sides, field by field. Proves ORD-014, ORD-015, ORD-016, ORD-017, ORD-019, ORD-020.
#[test]
fn past_trade() {
    let x = Exchange::start();
    let (maker, taker) = traded(&x);
    let keys = trade_keys(&["client_order_id", "is_clearing_fill", "symbol"]);
    let tid = x.get("/v1/trades/btcusd").ok()[0]["tid"].clone();
    for (key, id, name, side, aggressor, fee) in [
        ("trader", taker, "taker", "Buy", true, dec("48")),
        ("counterparty", maker, "maker", "Sell", false, dec("24")),
    ] {
        let answer = x.as_(key).call("/v1/mytrades", json!({}));
        let trades = answer.ok();
        let trade = &trades[0];
        same_keys(trade, &keys, &answer);
        assert_eq!(Dec::wire(&trade["fee_amount"]), fee, "{answer}");
        assert_eq!((Dec::wire(&trade["price"]), Dec::wire(&trade["amount"])), (dec("30000"), dec("0.4")));
        let expected = [
            ("type", json!(side)),
            ("aggressor", json!(aggressor)),
            ("fee_currency", json!("USD")),
            ("tid", tid.clone()),
            ("order_id", json!(id)),
            ("client_order_id", json!(name)),
            ("exchange", json!("svc")),
            ("is_auction_fill", json!(false)),
            ("is_clearing_fill", json!(false)),
            ("symbol", json!("BTCUSD")),
            ("timestamp", json!(1_767_225_600)),
            ("timestampms", json!(1_767_225_600_000_u64)),
        ];
        for (field, value) in expected {
            assert_eq!(trade[field], value, "{field}\n{answer}");
        }
    }
    laws::check(&x);
}

/// The same with a seller as the taker, without client ids; the fee equals the change of the balance. Proves ORD-014,
/// ORD-015, ORD-016, ORD-017.
#[test]
fn past_trade_of_a_seller_who_takes() {
    let x = Exchange::start();
    let maker = x.as_("trader").limit("btcusd", "buy", "1", "30000");
    let taker = x.as_("counterparty").limit("btcusd", "sell", "0.4", "29900");
    for (key, order, side, aggressor, fee, money) in [
        ("trader", maker, "Buy", false, "24", dec("100000") - dec("12000") - dec("24")),
        ("counterparty", taker, "Sell", true, "48", dec("100000") + dec("12000") - dec("48")),
    ] {
        let answer = x.as_(key).call("/v1/mytrades", json!({}));
        let trade = answer.ok()[0].clone();
        same_keys(&trade, &trade_keys(&["is_clearing_fill", "symbol"]), &answer);
        let found = (&trade["type"], &trade["aggressor"], &trade["order_id"]);
        assert_eq!(found, (&json!(side), &json!(aggressor), &order["order_id"]), "{answer}");
        let found = ["price", "amount", "fee_amount"].map(|name| Dec::wire(&trade[name]));
        assert_eq!(found, [dec("30000"), dec("0.4"), dec(fee)], "{answer}");
        assert_eq!(x.as_(key).balance("USD").0, money, "{key}");
    }
    laws::check(&x);
}

/// The same trade inside a status: without symbol and clearing flag. Proves ORD-014, ORD-020, ORD-067.
#[test]
fn trades_in_status() {
    let x = Exchange::start();
    let (maker, taker) = traded(&x);
    let trader = x.as_("trader");
    let with = |id: &str, include: bool| {
        trader.call("/v1/order/status", json!({ "order_id": id, "include_trades": include })).ok()
    };
    let order = with(&taker, true);
    let past = trader.call("/v1/mytrades", json!({})).ok();
    assert_eq!(rows(&order["trades"]).len(), 1);
    same_keys(&order["trades"][0], &trade_keys(&["client_order_id"]), &order);
    for key in TRADE {
        assert_eq!(order["trades"][0][key], past[0][key], "{key}");
    }
    assert!(with(&taker, false).get("trades").is_none());
    let mut without = order.clone();
    without.as_object_mut().unwrap().remove("trades");
    assert_eq!(trader.status(&taker), without);
    let away = NewOrder::limit("btcusd", "buy", "1", "100");
    for unfilled in [away.clone().with_option("immediate-or-cancel"), away] {
        let unfilled = trader.place(&unfilled);
        assert_eq!(with(unfilled["order_id"].as_str().unwrap(), true)["trades"], json!([]));
    }
    let theirs = x
        .as_("counterparty")
        .call("/v1/order/status", json!({ "order_id": maker, "include_trades": true }))
        .ok();
    assert_eq!(theirs["trades"][0]["tid"], order["trades"][0]["tid"]);
    assert_eq!(theirs["trades"][0]["order_id"], json!(maker));
}

/// One id for both parties and the public, rising from trade to trade over all symbols and over a crash. Proves
/// ORD-018.
#[test]
fn trade_ids() {
    let x = Exchange::start();
    let mut public = Vec::new();
    for symbols in [["btcusd", "ethusd"], ["ethusd", "btcusd"]] {
        for symbol in symbols {
            x.as_("counterparty").limit(symbol, "sell", "1", "3000");
            for _ in 0..3 {
                x.as_("trader").limit(symbol, "buy", "0.1", "3000");
            }
            public.splice(0..0, tids(&x.get(&format!("/v1/trades/{symbol}?limit_trades=3")).ok()));
        }
        x.kill9();
        x.restart();
    }
    assert_eq!(public.len(), 12);
    assert!(public.windows(2).all(|pair| pair[0] > pair[1]), "newest first, growing: {public:?}");
    for key in ["trader", "counterparty"] {
        assert_eq!(tids(&x.as_(key).call("/v1/mytrades", json!({})).ok()), public);
    }
}

/// Status by either id, for Trader and Auditor. Proves ORD-064, ORD-065.
#[test]
fn status() {
    let x = Exchange::start();
    let placed = x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").named("mine"));
    for key in ["trader", "auditor", "second-session"] {
        for params in [json!({ "order_id": placed["order_id"] }), json!({ "client_order_id": "mine" })] {
            assert_eq!(x.as_(key).call("/v1/order/status", params).ok(), placed, "{key}");
        }
    }
    x.as_("fund-manager")
        .call("/v1/order/status", json!({ "order_id": placed["order_id"] }))
        .refused(403, "MissingRole");
}

/// Both ids, or none. Proves ORD-066.
#[test]
fn status_with_both_or_neither() {
    let x = Exchange::start();
    let placed = x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").named("mine"));
    let both = json!({ "order_id": placed["order_id"], "client_order_id": "mine" });
    x.as_("trader").call("/v1/order/status", both).refused(400, "InvalidParameterValue");
    x.as_("trader").call("/v1/order/status", json!({})).refused(400, "MissingOrderField");
}

/// Live orders of all sessions of the account, newest first: of ORD-069, the part without stop orders.
#[test]
fn live_orders() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    assert_eq!(trader.call("/v1/orders", json!({})).ok(), json!([]));
    let partly = trader.limit("btcusd", "buy", "1", "30000");
    x.as_("counterparty").limit("btcusd", "sell", "0.5", "30000");
    let second = x.as_("second-session").limit("ethusd", "buy", "1", "100");
    let gone = trader.limit("btcusd", "buy", "1", "100");
    trader.cancel(gone["order_id"].as_str().unwrap());
    x.as_("savings-trader").limit("btcusd", "buy", "1", "100");
    let last = trader.limit("ltcusd", "sell", "1", "100");
    let orders = trader.call("/v1/orders", json!({})).ok();
    let ids: Vec<&Value> = rows(&orders).iter().map(|order| &order["order_id"]).collect();
    assert_eq!(ids, [&last["order_id"], &second["order_id"], &partly["order_id"]]);
    assert_eq!((&orders[0], &orders[2]["executed_amount"]), (&last, &json!("0.5")));
    assert_eq!(x.as_("auditor").call("/v1/orders", json!({})).ok(), orders);
    laws::check(&x);
}

/// Past trades of all symbols or of one. Proves ORD-074, ORD-079.
#[test]
fn past_trades_by_symbol() {
    let x = Exchange::start();
    for (symbol, price) in [("btcusd", "30000"), ("ethusd", "2000"), ("btcusd", "30000"), ("btcusd", "30000")]
    {
        x.as_("counterparty").limit(symbol, "sell", "0.1", price);
        x.as_("trader").limit(symbol, "buy", "0.1", price);
    }
    let trader = x.as_("trader");
    let of = |params: Value| -> Vec<Value> {
        let trades = trader.call("/v1/mytrades", params).ok();
        rows(&trades).iter().map(|trade| trade["symbol"].clone()).collect()
    };
    assert_eq!(of(json!({})), ["BTCUSD", "BTCUSD", "ETHUSD", "BTCUSD"]);
    assert_eq!(of(json!({ "symbol": "btcusd" })), ["BTCUSD"; 3]);
    assert_eq!(of(json!({ "symbol": "ETHUSD" })), ["ETHUSD"]);
    assert_eq!(of(json!({ "symbol": "ltcusd" })), [""; 0]);
    trader.call("/v1/mytrades", json!({ "symbol": "nosuch" })).refused(400, "InvalidSymbol");
}

/// Fifty by default, 500 at most; a limit of zero or less is refused. Proves ORD-075, ORD-078.
#[test]
fn past_trades_limits() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "10", "30000");
    let trader = x.as_("trader");
    for _ in 0..510 {
        trader.limit("btcusd", "buy", "0.00001", "30000");
    }
    let count = |params: Value| rows(&trader.call("/v1/mytrades", params).ok()).len();
    assert_eq!(count(json!({})), 50);
    assert_eq!(count(json!({ "limit_trades": 7 })), 7);
    assert_eq!(count(json!({ "limit_trades": 500 })), 500);
    assert_eq!(count(json!({ "limit_trades": 501 })), 500);
    assert_eq!(count(json!({ "limit_trades": 1_000_000_000 })), 500);
    for wrong in [json!(0), json!(-1), json!(1.5), json!("abc"), json!(true), json!([])] {
        let answer = trader.call("/v1/mytrades", json!({ "limit_trades": wrong }));
        let refusal = answer.refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("limit_trades"), "{answer}");
    }
    laws::check(&x);
}

/// The trades of one millisecond come together, even above the limit, but never more than 500; a query of their order
/// returns the rest. Proves ORD-075.
#[test]
fn past_trades_of_one_millisecond() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let maker = x.as_("counterparty").limit("btcusd", "sell", "10", "30000");
    let buy = |times: usize| (0..times).for_each(|_| drop(trader.limit("btcusd", "buy", "0.00001", "30000")));
    let from = |timestamp: u64, rows: usize| {
        let params = json!({ "timestamp": timestamp, "limit_trades": rows });
        tids(&trader.call("/v1/mytrades", params).ok())
    };
    buy(60);
    assert_eq!([1, 50, 500].map(|rows| from(0, rows).len()), [60; 3]);
    assert_eq!(rows(&trader.call("/v1/mytrades", json!({ "timestamp": 0 })).ok()).len(), 60);
    buy(450);
    let params = json!({ "order_id": maker["order_id"], "include_trades": true });
    let mut all = tids(&x.as_("counterparty").call("/v1/order/status", params).ok()["trades"]);
    all.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!(all.len(), 510);
    for rows in [1, 50, 500, 1_000] {
        assert_eq!(from(0, rows), all[10..], "the oldest, newest first");
    }
    assert_eq!(from(x.now_ms() + 1, 1), [0_u64; 0]);
    laws::check(&x);
}

/// From a time on, inclusive: the time of the trade counts, even for an order placed long before it. Proves ORD-076.
#[test]
fn past_trades_from_a_time() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    let mut times = Vec::new();
    for _ in 0..3 {
        times.push(x.now_ms());
        x.as_("trader").limit("btcusd", "buy", "0.1", "30000");
        x.advance(10);
    }
    for key in ["trader", "counterparty"] {
        let from = |ms: u64| -> Vec<u64> {
            let trades = x.as_(key).call("/v1/mytrades", json!({ "timestamp": ms })).ok();
            rows(&trades).iter().rev().map(|trade| trade["timestampms"].as_u64().unwrap()).collect()
        };
        assert_eq!(from(times[0]), times, "{key}");
        assert_eq!(from(times[1]), times[1..], "{key}");
        assert_eq!(from(times[1] + 1), times[2..], "{key}");
        assert_eq!(from(times[2] + 1), [0_u64; 0], "{key}");
    }
}

/// Paging with the highest timestamp plus one returns every trade once, then nothing. Proves ORD-077.
#[test]
fn past_trades_paging() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    for step in 0..17 {
        x.as_("trader").limit("btcusd", "buy", "0.001", "30000");
        // Sometimes several trades share a millisecond.
        if step % 3 == 0 {
            x.advance(1);
        }
    }
    let trader = x.as_("trader");
    let mut walked = Vec::new();
    let mut from = 0;
    for page in 0.. {
        assert!(page < 50, "paging does not come to an end");
        let page = trader.call("/v1/mytrades", json!({ "timestamp": from, "limit_trades": 5 })).ok();
        let Some(newest) = rows(&page).first() else { break };
        let times: Vec<u64> =
            rows(&page).iter().map(|trade| trade["timestampms"].as_u64().unwrap()).collect();
        assert!(times.windows(2).all(|pair| pair[0] >= pair[1]), "newest first: {times:?}");
        let mut page_ids = tids(&page);
        page_ids.reverse();
        walked.extend(page_ids);
        from = newest["timestampms"].as_u64().unwrap() + 1;
    }
    let mut all = tids(&trader.call("/v1/mytrades", json!({ "limit_trades": 500 })).ok());
    all.reverse();
    assert_eq!(all.len(), 17);
    assert_eq!(walked, all);
    laws::check(&x);
}

/// No query shows another account's data. Proves ORD-080.
#[test]
fn queries_show_only_ones_own() {
    let x = Exchange::start();
    let (maker, _) = traded(&x);
    let broker = x.as_("broker");
    assert_eq!(broker.call("/v1/orders", json!({})).ok(), json!([]));
    assert_eq!(broker.call("/v1/mytrades", json!({})).ok(), json!([]));
    broker.call("/v1/order/status", json!({ "order_id": maker })).refused(404, "OrderNotFound");
    broker.call("/v1/order/status", json!({ "client_order_id": "maker" })).refused(404, "OrderNotFound");
    x.as_("auditor").call("/v1/order/status", json!({ "order_id": maker })).refused(404, "OrderNotFound");
}

/// A restart changes nothing: orders, their queue positions, their fills, past trades. Proves ORD-081.
#[test]
fn a_restart_changes_nothing() {
    let x = Exchange::start();
    let (maker, taker) = traded(&x);
    let behind = x.as_("broker").limit("btcusd", "sell", "1", "30000");
    let gone = x.as_("trader").limit("btcusd", "buy", "1", "100");
    let gone = gone["order_id"].as_str().unwrap();
    x.as_("trader").cancel(gone);
    let seen = || {
        let (trader, counterparty) = (x.as_("trader"), x.as_("counterparty"));
        let mut all = vec![trader.status(&taker), counterparty.status(&maker), trader.status(gone)];
        for actor in [trader, counterparty] {
            all.push(actor.call("/v1/orders", json!({})).ok());
            all.push(actor.call("/v1/mytrades", json!({})).ok());
            let balances = actor.balances();
            all.extend(
                balances.into_iter().map(|row| json!([row["currency"], row["amount"], row["available"]])),
            );
        }
        let paths = [
            "/v1/book/btcusd",
            "/v1/trades/btcusd",
            "/v1/pubticker/btcusd",
            "/v2/ticker/btcusd",
            "/v1/pricefeed",
        ];
        all.extend(paths.map(|path| x.get(path).ok()));
        all
    };
    let before = seen();
    x.restart();
    assert_eq!(seen(), before, "after a clean stop");
    x.kill9();
    x.restart();
    assert_eq!(seen(), before, "after a kill");
    // The older order is still first at its price.
    x.as_("trader").limit("btcusd", "buy", "0.6", "30000");
    assert_eq!(x.as_("counterparty").status(&maker)["remaining_amount"], "0");
    assert_eq!(x.as_("broker").status(behind["order_id"].as_str().unwrap())["executed_amount"], "0");
    laws::check(&x);
}
