//! Data types, timestamps and precision: clauses TYPE.

use std::collections::BTreeSet;

use buttonwood_accept::{Dec, Exchange, NewOrder, Value, dec, json, laws};

/// Every key whose value is a string, and no decimal, in the specification.
const STRINGS: [&str; 18] = [
    "order_id",
    "id",
    "client_order_id",
    "symbol",
    "exchange",
    "side",
    "type",
    "reason",
    "fee_currency",
    "currency",
    "_timestamp",
    "base_currency",
    "quote_currency",
    "status",
    "product_type",
    "contract_type",
    "contract_price_currency",
    "pair",
];

/// Every key whose value, or each element of it, is a decimal in the specification.
const DECIMALS: [&str; 23] = [
    "price",
    "avg_execution_price",
    "executed_amount",
    "remaining_amount",
    "original_amount",
    "amount",
    "fee_amount",
    "available",
    "availableForWithdrawal",
    "bid",
    "ask",
    "last",
    "open",
    "high",
    "low",
    "close",
    "tick_size",
    "quote_increment",
    "min_order_size",
    "changes",
    "percentChange24h",
    "BTC",
    "USD",
];

/// One trade of 0.4 at 30000, with 0.6 of the sell left on the book.
fn traded(x: &Exchange) -> (Value, Value) {
    let maker = x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    let taker = x.as_("trader").limit("btcusd", "buy", "0.4", "30000");
    (maker, taker)
}

/// A reply to each read call.
fn replies(x: &Exchange, order_id: &str) -> Vec<(String, Value)> {
    let public = [
        "/v1/symbols/details/btcusd",
        "/v1/book/btcusd",
        "/v1/trades/btcusd",
        "/v1/pubticker/btcusd",
        "/v2/ticker/btcusd",
        "/v1/pricefeed",
    ];
    let trader = x.as_("trader");
    let mut all: Vec<(String, Value)> =
        public.iter().map(|path| ((*path).to_owned(), x.get(path).ok())).collect();
    for (path, params) in [
        ("/v1/balances", json!({})),
        ("/v1/mytrades", json!({})),
        ("/v1/orders", json!({})),
        ("/v1/order/status", json!({ "order_id": order_id, "include_trades": true })),
    ] {
        all.push((path.to_owned(), trader.call(path, params).ok()));
    }
    all
}

fn walk(value: &Value, key: &str, visit: &mut impl FnMut(&str, &Value)) {
    visit(key, value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, key, visit)),
        Value::Object(fields) => fields.iter().for_each(|(name, field)| walk(field, name, visit)),
        _ => {}
    }
}

/// Strings are strings, decimals are strings of digits, and a field without a value is omitted, except for a ticker's
/// side of the book. Proves TYPE-001, TYPE-002.
#[test]
fn strings_and_decimals_are_strings() {
    let x = Exchange::start();
    let (_, taker) = traded(&x);
    let away = NewOrder::limit("btcusd", "buy", "1", "20000").named("away");
    let ended = x.as_("trader").place(&away.clone().with_option("immediate-or-cancel"));
    let live = x.as_("trader").place(&away);
    x.as_("trader").cancel(x.as_("trader").limit("btcusd", "buy", "1", "20000")["id"].as_str().unwrap());
    let mut all = replies(&x, taker["order_id"].as_str().unwrap());
    all.extend([("ended".to_owned(), ended), ("live".to_owned(), live)]);
    let mut seen = BTreeSet::new();
    for (path, reply) in all {
        walk(&reply, "", &mut |key, value| {
            if value.is_null() {
                assert!(path.contains("ticker") && key == "bid", "{path}: {key} is null");
            } else if STRINGS.contains(&key) {
                assert!(value.is_string(), "{path} {key} {value}");
                seen.insert(key.to_owned());
            } else if DECIMALS.contains(&key) && !value.is_array() {
                assert!(Dec::wire(value) >= Dec::ZERO, "{path} {key} {value}");
                seen.insert(key.to_owned());
            }
        });
    }
    for key in STRINGS.iter().chain(&DECIMALS) {
        assert!(seen.contains(*key), "no {key} was looked at");
    }
    for absent in ["client_order_id", "reason", "trades", "stop_price"] {
        assert!(taker.get(absent).is_none(), "{absent} has no value: {taker}");
    }
    laws::check(&x);
}

/// A bare JSON number is read digit by digit: all 18 survive, although no double holds them. Proves TYPE-003.
#[test]
fn numbers_are_read_without_loss() {
    let x = Exchange::start();
    x.credit("trader", "BTC", "2000000000");
    let trader = x.as_("trader");
    for (number, amount) in [("1234567890.12345678", "1234567890.12345678"), ("0.00001001", "0.00001001")] {
        let payload = format!(
            r#"{{"request":"/v1/order/new","nonce":{},"symbol":"btcusd","amount":{number},"price":90000.01,
                "side":"sell","type":"exchange limit"}}"#,
            trader.client().next_nonce()
        );
        let order = trader.call_payload("/v1/order/new", payload.as_bytes()).ok();
        assert_eq!(order["original_amount"], amount);
        assert_eq!(order["price"], "90000.01");
    }
    laws::check(&x);
}

/// Seconds and milliseconds of one instant select the same rows, as numbers and as strings. Proves TYPE-005,
/// TYPE-013.
#[test]
fn seconds_and_milliseconds_are_the_same_instant() {
    let x = Exchange::start();
    traded(&x);
    x.advance(100);
    let instant = x.now_ms();
    x.as_("trader").limit("btcusd", "buy", "0.1", "30000");
    let seconds = instant / 1000;
    let trader = x.as_("trader");
    let ask = |timestamp: Value| {
        let answer = trader.call("/v1/mytrades", json!({ "timestamp": timestamp }));
        assert_eq!(answer.ok().as_array().unwrap().len(), 1, "one trade since then\n{answer}");
        answer.ok()
    };
    let expected = ask(json!(instant));
    for other in [json!(seconds), json!(instant.to_string()), json!(seconds.to_string())] {
        assert_eq!(ask(other.clone()), expected, "{other}");
    }
    // The public list returns what came after an instant, so query from the second before.
    for name in ["timestamp", "since"] {
        let public = |timestamp: u64| x.get(&format!("/v1/trades/btcusd?{name}={timestamp}")).ok();
        let (seconds, ms) = (public(seconds - 1), public((seconds - 1) * 1000));
        assert_eq!(seconds, ms, "{name}");
        assert_eq!(seconds.as_array().unwrap().len(), 1, "{name}");
    }
    laws::check(&x);
}

/// Ids are whole numbers, even where they are returned as strings, and are accepted in both forms. Proves TYPE-006.
#[test]
fn ids_are_whole_numbers() {
    let x = Exchange::start();
    let (maker, _) = traded(&x);
    let id: u64 = maker["order_id"].as_str().unwrap().parse().unwrap();
    let counterparty = x.as_("counterparty");
    let by_number = counterparty.call("/v1/order/status", json!({ "order_id": id })).ok();
    assert_eq!(by_number, counterparty.status(&id.to_string()));
    // 2^53 + 1 is not 2^53: the reply names the requested id to the last digit.
    let wide = counterparty.call("/v1/order/status", json!({ "order_id": 9_007_199_254_740_993_u64 }));
    let refusal = wide.refused(404, "OrderNotFound");
    assert!(refusal.message.contains("9007199254740993"), "{wide}");
    let trades = x.get("/v1/trades/btcusd").ok();
    assert!(trades[0]["tid"].is_u64(), "{trades}");
    laws::check(&x);
}

/// In a payload only JSON booleans are booleans; a query accepts `1` and `true`. Proves TYPE-008.
#[test]
fn booleans_are_booleans() {
    let x = Exchange::start();
    let (_, taker) = traded(&x);
    for wrong in [json!("true"), json!(1), json!([])] {
        let params = json!({ "order_id": taker["order_id"], "include_trades": wrong });
        let answer = x.as_("trader").call("/v1/order/status", params);
        let refusal = answer.refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("include_trades"), "{answer}");
    }
    for flag in ["1", "true"] {
        let trades = x.get(&format!("/v1/trades/btcusd?include_breaks={flag}")).ok();
        assert_eq!(trades[0]["broken"], json!(false));
    }
    laws::check(&x);
}

/// An empty list is `[]`. Proves TYPE-009.
#[test]
fn empty_lists_are_arrays() {
    let x = Exchange::start();
    let empty = x.as_("empty");
    for path in ["/v1/orders", "/v1/mytrades", "/v1/balances"] {
        assert_eq!(empty.call(path, json!({})).ok(), json!([]), "{path}");
    }
    assert_eq!(x.get("/v1/trades/btcusd").ok(), json!([]));
    assert_eq!(x.get("/v1/book/btcusd").ok(), json!({ "bids": [], "asks": [] }));
}

/// A fee is price times quantity times basis points, exact to the last decimal, only on the executed part. Proves
/// TYPE-010, TYPE-011.
#[test]
fn fees_are_exact_and_on_the_executed_part() {
    let x = Exchange::start();
    let (seller, buyer) = (x.as_("counterparty"), x.as_("trader"));
    seller.limit("btcusd", "sell", "0.12345678", "30000.01");
    let order =
        buyer.place(&NewOrder::limit("btcusd", "buy", "1", "30000.01").with_option("immediate-or-cancel"));
    assert_eq!(order["executed_amount"], "0.12345678");
    let notional = dec("0.12345678") * dec("30000.01");
    let fees = [(&buyer, notional.bps(40)), (&seller, notional.bps(20))];
    for (actor, fee) in fees {
        let trade = actor.call("/v1/mytrades", json!({})).ok();
        assert_eq!(Dec::wire(&trade[0]["fee_amount"]), fee, "{trade}");
    }
    let start = dec("100000");
    assert_eq!(buyer.balance("USD").0, start - notional - notional.bps(40));
    assert_eq!(seller.balance("USD").0, start + notional - notional.bps(20));
    // Never executed, so never charged.
    let other = x.as_("savings-trader");
    let unfilled = other.limit("btcusd", "buy", "1", "20000");
    other.cancel(unfilled["order_id"].as_str().unwrap());
    assert_eq!(other.balance("USD"), (start, start));
    laws::check(&x);
}

/// In a query a timestamp is a number or is refused, even if another parameter overrides it. Proves TYPE-012,
/// TYPE-016.
#[test]
fn queries_take_timestamps_as_numbers_only() {
    let x = Exchange::start();
    traded(&x);
    for wrong in ["abc", "", "true", "%221700000000%22", "2026-01-01", "1e9"] {
        for (name, beside) in [
            ("timestamp", ""),
            ("since", ""),
            ("timestamp", "&since_tid=0"),
            ("since", "&since_tid=0"),
            ("since", "&timestamp=0"),
        ] {
            let answer = x.get(&format!("/v1/trades/btcusd?{name}={wrong}{beside}"));
            let refusal = answer.refused(400, "InvalidTimestampInPayload");
            assert!(refusal.message.contains(name), "{answer}");
        }
    }
    assert_eq!(x.get("/v1/trades/btcusd?timestamp=0").ok().as_array().unwrap().len(), 1);
}

/// Without a timestamp the newest items are returned; with one before the first trade, everything from the first.
/// Proves TYPE-014, TYPE-015.
#[test]
fn no_timestamp_means_newest_and_zero_means_first() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    for _ in 0..60 {
        x.as_("trader").limit("btcusd", "buy", "0.001", "30000");
        x.advance(1);
    }
    let tids = |trades: &Value| -> Vec<u64> {
        trades.as_array().unwrap().iter().map(|trade| trade["tid"].as_u64().unwrap()).collect()
    };
    let trader = x.as_("trader");
    let all = tids(&trader.call("/v1/mytrades", json!({ "limit_trades": 500 })).ok());
    assert_eq!(all.len(), 60);
    let mine = |params: Value| tids(&trader.call("/v1/mytrades", params).ok());
    assert_eq!(mine(json!({})), all[..50]);
    assert_eq!(tids(&x.get("/v1/trades/btcusd").ok()), all[..50]);
    for early in [json!(0), json!(1), json!("0"), json!(1_000_000_000_000_u64)] {
        assert_eq!(mine(json!({ "timestamp": early })), all[10..], "{early}");
    }
    for early in ["timestamp=0", "timestamp=1", "timestamp=1000000000000", "since=0", "since=1"] {
        assert_eq!(tids(&x.get(&format!("/v1/trades/btcusd?{early}")).ok()), all[10..], "{early}");
    }
    laws::check(&x);
}

/// An invalid timestamp is refused with its name. Proves TYPE-016, ERR-004.
#[test]
fn unreadable_timestamps_are_refused() {
    let x = Exchange::start();
    for wrong in [json!("abc"), json!(true), json!({}), json!(""), json!([]), json!("1 000")] {
        let answer = x.as_("trader").call("/v1/mytrades", json!({ "timestamp": wrong }));
        answer.refused(400, "InvalidTimestampInPayload");
    }
}

/// Both time stamps of an order and of a trade are the same instant, each in its type.
/// Proves TYPE-017, TYPE-018.
#[test]
fn timestamps_have_their_types() {
    let x = Exchange::builder().flag("--start-time", "2026-03-01T12:00:00.789Z").start();
    let (_, taker) = traded(&x);
    let ms = 1_772_366_400_789_u64;
    assert_eq!(taker["timestampms"], json!(ms));
    assert_eq!(taker["timestamp"], json!((ms / 1000).to_string()));
    let mine = x.as_("trader").call("/v1/mytrades", json!({})).ok();
    let public = x.get("/v1/trades/btcusd").ok();
    for trade in [&mine[0], &public[0]] {
        assert_eq!((&trade["timestampms"], &trade["timestamp"]), (&json!(ms), &json!(ms / 1000)));
    }
}

/// Fills may carry two more decimals than the symbol's increment. Proves TYPE-019, ORD-044.
#[test]
fn fills_carry_two_more_decimals() {
    let x = Exchange::start();
    x.as_("counterparty").limit("ethusd", "sell", "10", "448.06");
    let params =
        json!({ "symbol": "ethusd", "side": "buy", "total_spend": "500", "type": "exchange market" });
    let answer = x.as_("trader").call("/v1/order/new", params);
    let order = answer.ok();
    // 500 / 1.004 / 448.06 = 1.111476070…, cut at 10^-6 and two more.
    assert_eq!(order["executed_amount"], "1.11147607", "{answer}");
    let notional = dec("1.11147607") * dec("448.06");
    let spent = dec("100000") - x.as_("trader").balance("USD").0;
    assert_eq!(spent, notional + notional.bps(40));
    assert!(spent <= dec("500"));
    let remaining = &x.as_("counterparty").call("/v1/orders", json!({})).ok()[0]["remaining_amount"];
    assert_eq!(remaining, "8.88852393");
    laws::check(&x);
}

/// Many tiny fills add up to the last decimal. Proves TYPE-020.
#[test]
fn tiny_fills_lose_nothing() {
    let x = Exchange::start();
    let (seller, buyer) = (x.as_("counterparty"), x.as_("trader"));
    seller.limit("btcusd", "sell", "1", "30000.07");
    let mut notional = Dec::ZERO;
    for fill in 0..40 {
        let amount = format!("0.000010{:02}", fill + 1);
        buyer.limit("btcusd", "buy", &amount, "30000.07");
        notional = notional + dec(&amount) * dec("30000.07");
    }
    assert_eq!(buyer.balance("USD").0, dec("100000") - notional - notional.bps(40));
    assert_eq!(seller.balance("USD").0, dec("100000") + notional - notional.bps(20));
    laws::check(&x);
}

/// Balances are truncated, never rounded up: to 15 decimals for fiat, 19 for crypto. Proves TYPE-021.
#[test]
fn served_balances_are_cut() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = trader.limit("elonusd", "buy", "60000.000001", "0.00000000001");
    assert_eq!(order["price"], "0.00000000001");
    // The hold is 0.00000060000000001 x 1.004 = 0.00000060240000001004.
    assert_eq!(trader.balance("USD"), (dec("100000"), dec("99999.999999397599999")));
    // The hold is 0.00000000100000001 x 1.004, the fee rounded up at the nineteenth decimal: 0.0000000010040000101.
    trader.limit("dogebtc", "buy", "1.00000001", "0.000000001");
    assert_eq!(trader.balance("BTC"), (dec("1000"), dec("999.9999999989959999899")));
    // The amount that a withdrawal takes has the decimals of the home network.
    for (code, available) in [("USD", "99999.999999397599999"), ("BTC", "999.99999999")] {
        let row = trader.balances().into_iter().find(|row| row["currency"] == code).unwrap();
        assert_eq!(row["availableForWithdrawal"], available, "{row}");
    }
    laws::check(&x);
}

/// Unknown fields and query parameters are ignored. Proves TYPE-022.
#[test]
fn unknown_fields_are_ignored() {
    let x = Exchange::start();
    let mut params = NewOrder::limit("btcusd", "buy", "1", "100").params();
    params["colour"] = json!("red");
    params["__proto__"] = json!({ "deep": [1, 2] });
    for number in 0..700 {
        params[format!("f{number}")] = json!(number);
    }
    assert_eq!(x.as_("trader").call("/v1/order/new", params).ok()["is_live"], json!(true));
    assert_eq!(x.get("/v1/book/btcusd?colour=red").ok()["bids"][0]["amount"], "1");
    assert_eq!(x.get("/v1/symbols?x=y").ok(), x.get("/v1/symbols").ok());
}

/// Labels, names, memos and ids of clients come back as they were sent, with letters of every script, quotes, controls that JSON escapes, and
/// characters that a client wrote as escapes. Proves TYPE-023.
#[test]
fn texts_come_back_unchanged() {
    let x = Exchange::builder().flag("--funds", "simulated").start();
    let manager = x.as_("fund-manager");
    let text = "Z\u{fc}rich \"2\" \\ / \u{65e5}\u{672c} \u{1f3e6} </script>";
    let made = manager.call("/v1/deposit/bitcoin/newAddress", json!({ "label": text })).ok();
    assert_eq!(made["label"], text);
    let listed = manager.call("/v1/addresses/bitcoin", json!({})).ok();
    assert_eq!(listed[0]["label"], text);
    let cosmos = "cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd02";
    let request = json!({ "address": cosmos, "label": text, "memo": text });
    manager.call("/v1/approvedAddresses/cosmos/request", request).ok();
    let approved = manager.call("/v1/approvedAddresses/account/cosmos", json!({})).ok();
    let entry = &approved["approvedAddresses"][0];
    assert_eq!((&entry["label"], &entry["memo"]), (&json!(text), &json!(text)), "{approved}");
    // The same characters as escapes, surrogates too, which only a raw payload has.
    let master = x.as_("master");
    let name = "S\u{f8}n \u{1f3e6}";
    let payload = master.payload("/v1/account/create", json!({ "name": "NAME" }));
    let payload = payload.replace("NAME", r"S\u00f8n \ud83c\udfe6");
    master.call_payload("/v1/account/create", payload.as_bytes()).ok();
    let accounts = master.call("/v1/account/list", json!({})).ok();
    assert_eq!(accounts[0]["name"], name, "{accounts}");
}

/// JSON replies have the JSON content type, including refusals. Proves TYPE-024.
#[test]
fn json_is_declared() {
    let x = Exchange::start();
    let (_, taker) = traded(&x);
    // `ok` and `refused` check the header; this checks that the list is complete.
    assert_eq!(replies(&x, taker["order_id"].as_str().unwrap()).len(), 10);
    x.get("/v1/symbols").ok();
    x.get("/v1/nowhere").refused(404, "EndpointNotFound");
    x.as_("trader")
        .call("/v1/order/cancel", json!({ "order_id": 999_999_999 }))
        .refused(404, "OrderNotFound");
}
