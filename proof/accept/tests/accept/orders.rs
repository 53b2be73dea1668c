//! Placing orders: their shape, required fields, and refusals. Clauses ORD-001 to ORD-053.

use buttonwood_accept::{Dec, Exchange, NewOrder, Value, check, dec, json, laws, same_keys};

/// The keys of every order.
const ORDER: [&str; 17] = [
    "order_id",
    "id",
    "symbol",
    "exchange",
    "price",
    "avg_execution_price",
    "side",
    "type",
    "options",
    "timestamp",
    "timestampms",
    "is_live",
    "is_cancelled",
    "was_forced",
    "executed_amount",
    "remaining_amount",
    "original_amount",
];

fn keys_with<'k>(more: &[&'k str]) -> Vec<&'k str> {
    ORDER.into_iter().chain(["is_hidden"]).chain(more.iter().copied()).collect()
}

fn new(x: &Exchange, key: &str, params: Value) -> buttonwood_accept::Answer {
    x.as_(key).call("/v1/order/new", params)
}

/// A valid order with one field replaced, or removed when it is null.
fn with(field: &str, value: Value) -> Value {
    let mut params = NewOrder::limit("btcusd", "buy", "1", "100.00").params();
    if value.is_null() {
        params.as_object_mut().unwrap().remove(field);
    } else {
        params[field] = value;
    }
    params
}

/// The whole object of a resting order, field by field. Proves ORD-001, ORD-010, ORD-024.
#[test]
fn resting_order() {
    let x = Exchange::start();
    let params = NewOrder::limit("btcusd", "buy", "5", "100").named("a-1").params();
    let answer = new(&x, "trader", params);
    let order = answer.ok();
    same_keys(&order, &keys_with(&["client_order_id"]), &answer);
    let id = order["order_id"].clone();
    let expected = json!({
        "order_id": id, "id": id, "client_order_id": "a-1", "symbol": "btcusd", "exchange": "svc",
        "price": "100.00", "avg_execution_price": "0.00", "side": "buy", "type": "exchange limit", "options": [],
        "timestamp": "1767225600", "timestampms": 1_767_225_600_000_u64, "is_live": true, "is_cancelled": false,
        "was_forced": false, "executed_amount": "0", "remaining_amount": "5", "original_amount": "5",
        "is_hidden": false,
    });
    assert_eq!(order, expected, "{answer}");
}

/// All allowed fields at once. Proves ORD-024.
#[test]
fn every_field_is_taken() {
    let x = Exchange::start();
    let params = json!({
        "symbol": "btcusd", "amount": "5", "price": "100", "side": "buy", "type": "exchange limit",
        "client_order_id": "a-1", "options": ["maker-or-cancel"], "stop_price": "99", "margin_order": false,
        "account": x.key("trader").account,
    });
    let order = new(&x, "trader", params).ok();
    same_keys(&order, &keys_with(&["client_order_id"]), &order);
    assert_eq!((&order["client_order_id"], &order["options"]), (&json!("a-1"), &json!(["maker-or-cancel"])));
    assert_eq!(x.as_("trader").live_ids(), [order["order_id"].as_str().unwrap()]);
}

/// Optional fields: client id, reason, trades; market orders lack some. Proves ORD-001.
#[test]
fn keys_come_and_go() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "5", "30000");
    let trader = x.as_("trader");
    let plain = trader.limit("btcusd", "buy", "1", "100");
    same_keys(&plain, &keys_with(&[]), &plain);
    let cancelled = trader.cancel(plain["order_id"].as_str().unwrap());
    same_keys(&cancelled, &keys_with(&["reason"]), &cancelled);
    let without = |dropped: &[&str]| -> Vec<&str> {
        keys_with(&[]).into_iter().filter(|key| !dropped.contains(key)).collect()
    };
    let sold = x.as_("savings-trader");
    x.as_("counterparty").limit("btcusd", "buy", "1", "29000");
    let sell = sold.place(&NewOrder::market("btcusd", "sell", "0.1"));
    same_keys(&sell, &without(&["price"]), &sell);
    let spend = json!({ "symbol": "btcusd", "side": "buy", "type": "exchange market", "total_spend": "100" });
    let buy = new(&x, "trader", spend).ok();
    same_keys(&buy, &without(&["price", "original_amount", "remaining_amount"]), &buy);
    laws::check(&x);
}

/// Ids are strings, one value under two names, never repeated. Proves ORD-002.
#[test]
fn ids_are_never_reused() {
    let x = Exchange::start();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let order = x.as_("trader").limit("btcusd", "buy", "0.001", "100");
        assert_eq!(order["order_id"], order["id"]);
        assert!(seen.insert(order["order_id"].as_str().unwrap().parse::<u64>().unwrap()), "{order}");
        x.as_("trader").cancel(order["order_id"].as_str().unwrap());
    }
    x.restart();
    let after = x.as_("trader").limit("btcusd", "buy", "0.001", "100");
    let id = after["order_id"].as_str().unwrap().parse::<u64>().unwrap();
    assert!(seen.iter().all(|before| *before < id), "{after}");
    laws::check(&x);
}

/// The average is the weighted mean of the fills. Proves ORD-004, ORD-036.
#[test]
fn average_price() {
    check(
        "
        counterparty sell btcusd 1 @ 30000
        counterparty sell btcusd 1 @ 30200
        trader buy btcusd 2 @ 29000 as B0                   => live, average 0
        trader cancel B0
        trader buy btcusd 2 @ 30200 as B1                   => filled, executed 2, average 30100
        counterparty sell btcusd 0.1 @ 29900
        trader buy btcusd 0.3 @ 30200 as B2                 => live, executed 0.1, average 29900
        counterparty sell btcusd 0.1 @ 30200
        order B2                                            => live, executed 0.2, average 30050
        counterparty sell btcusd 0.1 @ 30200
        order B2                                            => filled, executed 0.3, average 30100
        ",
    );
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    x.as_("counterparty").limit("btcusd", "sell", "2", "30001");
    let order = x.as_("trader").limit("btcusd", "buy", "3", "30001");
    let average = order["avg_execution_price"].as_str().unwrap();
    assert!(average.starts_with("30000.6666666"), "90002 / 3, unrounded: {order}");
}

/// Sides and types in the reply and in later queries. Proves ORD-005, ORD-043.
#[test]
fn sides_and_types() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "5", "30000");
    x.as_("counterparty").limit("btcusd", "buy", "2", "29000");
    let trader = x.as_("trader");
    let spend = json!({ "symbol": "btcusd", "side": "buy", "type": "exchange market", "total_spend": "100" });
    for (params, side, kind) in [
        (NewOrder::limit("btcusd", "buy", "1", "100").params(), "buy", "exchange limit"),
        (NewOrder::limit("btcusd", "sell", "1", "30500").params(), "sell", "exchange limit"),
        (NewOrder::limit("btcusd", "sell", "0.5", "29000").params(), "sell", "exchange limit"),
        (NewOrder::market("btcusd", "sell", "1").params(), "sell", "market sell"),
        (NewOrder::market("btcusd", "sell", "1").params(), "sell", "market sell"),
        (NewOrder::market("btcusd", "buy", "1").params(), "buy", "market buy"),
        (spend, "buy", "market buy"),
    ] {
        let order = new(&x, "trader", params).ok();
        assert_eq!((&order["side"], &order["type"]), (&json!(side), &json!(kind)), "{order}");
        assert_eq!(trader.status(order["order_id"].as_str().unwrap()), order);
    }
    laws::check(&x);
}

/// The time of submission never changes. Proves ORD-006.
#[test]
fn submission_time_stays() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = trader.limit("btcusd", "buy", "1", "30000");
    let id = order["order_id"].as_str().unwrap();
    x.advance(100);
    x.as_("counterparty").limit("btcusd", "sell", "0.5", "30000");
    x.advance(100);
    let cancelled = trader.cancel(id);
    for later in [cancelled, trader.status(id)] {
        assert_eq!(later["timestampms"], order["timestampms"]);
        assert_eq!(later["timestamp"], order["timestamp"]);
    }
}

/// An option is echoed as given, also for orders that it ended: in the reply and in later queries. Proves ORD-010.
#[test]
fn options_are_echoed() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    let trader = x.as_("trader");
    for (option, price, live, reason) in [
        ("maker-or-cancel", "29000", true, None),
        ("maker-or-cancel", "30000", false, Some("MakerOrCancelWouldTake")),
        ("immediate-or-cancel", "29000", false, Some("ImmediateOrCancelWouldPost")),
        ("fill-or-kill", "29000", false, Some("FillOrKillWouldNotFill")),
        ("fill-or-kill", "30000", false, None),
    ] {
        let order = trader.place(&NewOrder::limit("btcusd", "buy", "0.1", price).with_option(option));
        assert_eq!(order["options"], json!([option]), "{order}");
        assert_eq!([&order["is_hidden"], &order["was_forced"]], [&json!(false); 2], "{order}");
        let ended = (order["is_live"] == json!(true), order.get("reason").and_then(Value::as_str));
        assert_eq!(ended, (live, reason), "{order}");
        assert_eq!(trader.status(order["order_id"].as_str().unwrap()), order);
    }
    laws::check(&x);
}

/// Flags and amounts during the life of an order. Proves ORD-007, ORD-008, ORD-009.
#[test]
fn flags_and_amounts() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let id = trader.limit("btcusd", "buy", "1.50", "30000")["order_id"].as_str().unwrap().to_owned();
    let seen = |live: bool, cancelled: bool, executed: &str, remaining: &str| {
        let order = trader.status(&id);
        assert_eq!(order["is_live"], json!(live), "{order}");
        assert_eq!(order["is_cancelled"], json!(cancelled), "{order}");
        assert_eq!(order["executed_amount"], executed, "{order}");
        assert_eq!(order["remaining_amount"], remaining, "{order}");
        assert_eq!(order["original_amount"], "1.5", "{order}");
        let sum = Dec::wire(&order["executed_amount"]) + Dec::wire(&order["remaining_amount"]);
        assert_eq!(sum, Dec::wire(&order["original_amount"]));
    };
    seen(true, false, "0", "1.5");
    x.as_("counterparty").limit("btcusd", "sell", "0.500", "30000");
    seen(true, false, "0.5", "1");
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    seen(false, false, "1.5", "0");
    let id = trader.limit("btcusd", "buy", "1", "30000")["order_id"].as_str().unwrap().to_owned();
    x.as_("counterparty").limit("btcusd", "sell", "0.25", "30000");
    let order = trader.cancel(&id);
    assert_eq!(order["is_live"], json!(false));
    assert_eq!(order["is_cancelled"], json!(true));
    assert_eq!(order["remaining_amount"], "0.75");
    laws::check(&x);
}

/// A client id is shown only to its owner. Proves ORD-011.
#[test]
fn client_ids_are_private() {
    let x = Exchange::start();
    let name = "only-mine-4711";
    let trader = x.as_("trader");
    let order = trader.place(&NewOrder::limit("btcusd", "buy", "1", "30000").named(name));
    assert_eq!(order["client_order_id"], name);
    let id = order["order_id"].as_str().unwrap();
    x.as_("counterparty").limit("btcusd", "sell", "0.4", "30000");
    assert_eq!(trader.status(id)["client_order_id"], name);
    assert_eq!(trader.call("/v1/orders", json!({})).ok()[0]["client_order_id"], name);
    assert_eq!(trader.call("/v1/mytrades", json!({})).ok()[0]["client_order_id"], name);
    assert_eq!(trader.cancel(id)["client_order_id"], name);
    assert_eq!(trader.status(id)["client_order_id"], name, "closed");
    assert_eq!(trader.cancel(id)["client_order_id"], name, "again");
    for path in ["/v1/trades/btcusd", "/v1/book/btcusd", "/v1/pubticker/btcusd"] {
        assert!(!x.get(path).reply.text().contains(name), "{path}");
    }
    let theirs = x.as_("counterparty").call("/v1/mytrades", json!({}));
    assert!(theirs.ok()[0].get("client_order_id").is_none(), "{theirs}");
    assert!(!theirs.reply.text().contains(name));
}

/// Which client ids are allowed. Proves ORD-012.
#[test]
fn client_id_characters() {
    let x = Exchange::start();
    let longest = "x".repeat(100);
    for good in ["a", "A-1.b:c_d#9", &longest] {
        assert_eq!(new(&x, "trader", with("client_order_id", json!(good))).ok()["client_order_id"], good);
    }
    new(&x, "trader", with("client_order_id", json!("x".repeat(101)))).refused(400, "ClientOrderIdTooLong");
    for wrong in [json!(5), json!(true), json!(["a"]), json!({})] {
        new(&x, "trader", with("client_order_id", wrong)).refused(400, "ClientOrderIdMustBeString");
    }
    for wrong in ["a b", "a/b", "ü", "😀", "a\r\nb", "<b>", "a\u{0}"] {
        let answer = new(&x, "trader", with("client_order_id", json!(wrong)));
        let refusal = answer.refused(400, "InvalidParameterValue");
        assert!(refusal.message.contains("client_order_id"), "{answer}");
    }
    assert_eq!(x.as_("trader").live_ids().len(), 3);
}

/// Escapes in a client id are decoded: of TYPE-023, the client ids; labels of addresses and memos do not exist yet.
#[test]
fn client_ids_with_escapes() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    for (written, meant) in
        [(r"a\u002d1", "a-1"), (r"\u0041\u003A\u0062", "A:b"), (r"\u0023\u005f\u002e", "#_.")]
    {
        let nonce = trader.client().next_nonce();
        let fields = r#""symbol":"btcusd","amount":"1","price":"100","side":"buy","type":"exchange limit""#;
        let payload = format!(
            r#"{{"request":"/v1/order/new","nonce":{nonce},{fields},"client_order_id":"{written}"}}"#
        );
        let order = trader.call_payload("/v1/order/new", payload.as_bytes()).ok();
        assert_eq!(order["client_order_id"], meant, "{order}");
        let status = trader.call("/v1/order/status", json!({ "client_order_id": meant })).ok();
        assert_eq!((&status["order_id"], &status["client_order_id"]), (&order["order_id"], &json!(meant)));
    }
}

/// `stop_price` is ignored on a limit order, whatever its value. Proves ORD-042.
#[test]
fn stop_prices_of_limit_orders_are_ignored() {
    let x = Exchange::start();
    for stop in [json!("99"), json!("101"), json!("0.001"), json!("abc"), json!(true), json!([])] {
        let order = new(&x, "trader", with("stop_price", stop.clone())).ok();
        assert_eq!((&order["type"], &order["is_live"]), (&json!("exchange limit"), &json!(true)), "{stop}");
        assert!(order.get("stop_price").is_none(), "{order}");
    }
    assert_eq!(x.as_("trader").live_ids().len(), 6);
    laws::check(&x);
}

/// Several orders may have one client id; it then refers to the newest, live or closed. Proves ORD-013, ORD-068.
#[test]
fn client_ids_may_repeat() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = NewOrder::limit("btcusd", "buy", "1", "100").named("same");
    let (first, second) = (trader.place(&order), trader.place(&order));
    assert_ne!(first["order_id"], second["order_id"]);
    let found =
        || trader.call("/v1/order/status", json!({ "client_order_id": "same" })).ok()["order_id"].clone();
    assert_eq!(found(), second["order_id"]);
    trader.cancel(second["order_id"].as_str().unwrap());
    assert_eq!(found(), second["order_id"], "closed, and an older one lives");
    let third = trader.place(&order);
    trader.cancel(first["order_id"].as_str().unwrap());
    assert_eq!(found(), third["order_id"], "an older one was closed last");
}

/// The required fields of an order. Proves ORD-025, ERR-003.
#[test]
fn missing_fields() {
    let x = Exchange::start();
    for field in ["symbol", "amount", "price", "side", "type"] {
        let answer = new(&x, "trader", with(field, Value::Null));
        let refusal = answer.refused(400, "MissingOrderField");
        assert!(refusal.message.contains(field), "{answer}");
    }
    for side in ["buy", "sell"] {
        let answer =
            new(&x, "trader", json!({ "symbol": "btcusd", "side": side, "type": "exchange market" }));
        let refusal = answer.refused(400, "MissingOrderField");
        assert!(refusal.message.contains("amount"), "{answer}");
    }
    assert_eq!(x.as_("trader").live_ids(), [""; 0]);
    assert_eq!(x.as_("trader").balance("USD"), (dec("100000"), dec("100000")));
}

/// Bad amounts and prices are refused with symbol and value. Proves ORD-026, TYPE-004.
#[test]
fn bad_amounts_and_prices() {
    let x = Exchange::start();
    for (field, reason, too_fine) in
        [("amount", "InvalidQuantity", "1.000000001"), ("price", "InvalidPrice", "100.001")]
    {
        for wrong in ["0", "0.00", "-1", "abc", "1.2.3", "1,5", "NaN", "Infinity", too_fine] {
            let answer = new(&x, "trader", with(field, json!(wrong)));
            let refusal = answer.refused(400, reason);
            assert!(refusal.message.contains(&format!("for symbol BTCUSD: {wrong}; a ")), "{answer}");
            let step = if field == "amount" { "0.00000001, and at least 0.00001" } else { "0.01" };
            assert!(refusal.message.ends_with(&format!(" is a multiple of {step}")), "{answer}");
        }
        for long in ["1234567890123456789", "1.00000000000000000000", "01", "00.1"] {
            let refusal = new(&x, "trader", with(field, json!(long))).refused(400, reason);
            let why = "a decimal has at most 18 digits before the point, 19 behind it, and no leading zeros";
            assert!(refusal.message.ends_with(&format!(": {long}; {why}")), "{}", refusal.message);
        }
        for wrong in [json!(""), json!({}), json!([1]), json!(true)] {
            let refusal = new(&x, "trader", with(field, wrong)).refused(400, reason);
            assert!(refusal.message.contains("for symbol BTCUSD: "), "{}", refusal.message);
        }
        let other = if field == "amount" { r#""price":"100""# } else { r#""amount":"1""# };
        let null = format!(
            r#"{{"request":"/v1/order/new","nonce":{},"symbol":"btcusd",{other},"{field}":null,"side":"buy",
                "type":"exchange limit"}}"#,
            x.as_("trader").client().next_nonce()
        );
        x.as_("trader").call_payload("/v1/order/new", null.as_bytes()).refused(400, reason);
    }
    let refusal =
        new(&x, "trader", with("price", json!("184467440737095516.16"))).refused(400, "InvalidPrice");
    let most = "; a price is a multiple of 0.01, and at most 184467440737095516.15";
    assert!(refusal.message.ends_with(most), "{}", refusal.message);
    new(&x, "trader", with("amount", json!("0.000001"))).refused(400, "InvalidQuantity");
    assert_eq!(x.as_("trader").live_ids(), [""; 0]);
}

/// Bad sides and symbols, the value in quotes. Proves ORD-027.
#[test]
fn bad_sides_and_symbols() {
    let x = Exchange::start();
    for wrong in ["Buy", "SELL", "hold", ""] {
        let answer = new(&x, "trader", with("side", json!(wrong)));
        let refusal = answer.refused(400, "InvalidSide");
        assert!(refusal.message.contains(&format!("for symbol BTCUSD: '{wrong}'")), "{answer}");
    }
    for wrong in ["nosuch", "", "btc-usd", "btcusd "] {
        let answer = new(&x, "trader", with("symbol", json!(wrong)));
        let refusal = answer.refused(400, "InvalidSymbol");
        assert!(refusal.message.contains(&format!("unsupported symbol '{wrong}'")), "{answer}");
    }
}

/// Bad types. Proves ORD-028.
#[test]
fn bad_types() {
    let x = Exchange::start();
    for wrong in ["limit", "Exchange Limit", "market", "", "exchange stop"] {
        let answer = new(&x, "trader", with("type", json!(wrong)));
        let refusal = answer.refused(400, "InvalidOrderType");
        assert!(refusal.message.contains(&format!("for symbol BTCUSD: '{wrong}'")), "{answer}");
    }
}

/// Without options: takes what crosses, rests with the remainder. Proves ORD-029.
#[test]
fn no_options_takes_and_rests() {
    check(
        "
        counterparty sell btcusd 1 @ 30000                  => live, executed 0, remaining 1
        trader buy btcusd 1.5 @ 30000 as B1                 => live, executed 1, remaining 0.5
        book btcusd                                         => bids 0.5 @ 30000; asks none
        ",
    );
    let x = Exchange::start();
    assert_eq!(new(&x, "trader", with("options", json!([]))).ok()["is_live"], json!(true));
}

/// Invalid options. Proves ORD-030.
#[test]
fn bad_options() {
    let x = Exchange::start();
    for wrong in [json!("maker-or-cancel"), json!({}), json!(1), json!(true)] {
        new(&x, "trader", with("options", wrong)).refused(400, "OptionsMustBeArray");
    }
    for wrong in ["good-till-cancel", "", "Maker-Or-Cancel"] {
        let answer = new(&x, "trader", with("options", json!([wrong])));
        let refusal = answer.refused(400, "UnsupportedOption");
        assert!(refusal.message.contains(&format!("\"{wrong}\" is not supported")), "{answer}");
    }
    for several in [
        json!(["maker-or-cancel", "immediate-or-cancel"]),
        json!(["maker-or-cancel", "zzz"]),
        json!(["zzz", "yyy", "xxx"]),
        json!(["auction-only", 1]),
    ] {
        let answer = new(&x, "trader", with("options", several));
        let message = answer.refused(400, "ConflictingOptions").message;
        for option in ["maker-or-cancel", "immediate-or-cancel", "auction-only", "fill-or-kill"] {
            assert!(message.contains(option), "{answer}");
        }
    }
    assert_eq!(x.as_("trader").live_ids(), [""; 0]);
}

/// Post only, all or nothing. Proves ORD-031.
#[test]
fn maker_or_cancel() {
    check(
        "
        counterparty sell btcusd 1 @ 30000 as A1
        trader buy btcusd 2 @ 30000 maker-or-cancel         => cancelled MakerOrCancelWouldTake, executed 0, remaining 2
        order A1                                            => live, executed 0
        trades btcusd                                       => none
        balance trader USD 100000
        trader buy btcusd 1 @ 29999.99 maker-or-cancel as B => live, remaining 1
        book btcusd                                         => bids 1 @ 29999.99; asks 1 @ 30000
        ",
    );
    let x = Exchange::start();
    let order =
        x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").with_option("maker-or-cancel"));
    assert_eq!(order["options"], json!(["maker-or-cancel"]));
}

/// Takes what crosses and never rests. Proves ORD-032, ORD-034.
#[test]
fn immediate_or_cancel() {
    check(
        "
        counterparty sell btcusd 2 @ 30000
        trader buy btcusd 3 @ 30000 immediate-or-cancel     => cancelled ImmediateOrCancelWouldPost, executed 2, remaining 1
        book btcusd                                         => bids none; asks none
        balance trader USD 100000 - 60000 - 240
        trader buy btcusd 1 @ 30000 immediate-or-cancel     => cancelled ImmediateOrCancelWouldPost, executed 0
        counterparty sell btcusd 1 @ 30000
        trader buy btcusd 1 @ 30000 immediate-or-cancel     => filled, executed 1, remaining 0
        ",
    );
}

/// Fills in full or not at all. Proves ORD-033, ORD-034.
#[test]
fn fill_or_kill() {
    check(
        "
        counterparty sell btcusd 1 @ 30000 as A1
        counterparty sell btcusd 1 @ 30010 as A2
        trader buy btcusd 2.1 @ 30010 fill-or-kill          => cancelled FillOrKillWouldNotFill, executed 0, remaining 2.1
        trader buy btcusd 2 @ 30009 fill-or-kill            => cancelled FillOrKillWouldNotFill, executed 0
        order A1                                            => live, executed 0
        trades btcusd                                       => none
        balance trader USD 100000
        trader buy btcusd 2 @ 30010 fill-or-kill            => filled, executed 2, average 30005
        ",
    );
}

/// Block trading and auctions are not configured. Proves ORD-035.
#[test]
fn legacy_options_are_refused() {
    let x = Exchange::start();
    for option in ["indication-of-interest", "auction-only"] {
        new(&x, "trader", with("options", json!([option]))).refused(400, "UnsupportedOption");
    }
}

/// A market order takes and never rests. Proves ORD-043.
#[test]
fn market_orders() {
    check(
        "
        counterparty sell btcusd 1 @ 30000
        counterparty sell btcusd 1 @ 30100
        trader buy btcusd 1.5 at market                     => filled, executed 1.5
        trader buy btcusd 1 at market                       => cancelled ImmediateOrCancelWouldPost, executed 0.5
        book btcusd                                         => bids none; asks none
        balance trader BTC 1002, USD 100000 - 60100 - 240.4
        trader sell btcusd 1 at market                      => cancelled ImmediateOrCancelWouldPost, executed 0
        counterparty buy btcusd 1 @ 30000
        trader sell btcusd 1 at market                      => filled, average 30000
        ",
    );
}

/// A buy for an amount of money spends no more than that, its fee included. Proves ORD-044.
#[test]
fn market_buy_for_money() {
    check(
        "
        counterparty sell btcusd 1 @ 30000
        trader buy btcusd for 3012 at market                => filled, executed 0.1
        balance trader USD 100000 - 3012, BTC 1000.1
        ",
    );
}

/// Margin is not enabled. Proves ORD-045.
#[test]
fn margin_orders() {
    let x = Exchange::start();
    let answer = new(&x, "trader", with("margin_order", json!(true)));
    assert_eq!(answer.status(), 400, "{answer}");
    answer.error();
    assert_eq!(x.as_("trader").live_ids(), [""; 0]);
    assert_eq!(new(&x, "trader", with("margin_order", json!(false))).ok()["is_live"], json!(true));
    new(&x, "trader", with("margin_order", json!("false"))).refused(400, "InvalidParameterValue");
}

/// The reserve of a live order; of BAL-004, the part without withdrawals. Proves ORD-048.
#[test]
fn holds() {
    check(
        "
        trader buy btcusd 2 @ 20000 as B1                   => live
        balance trader USD 100000 available 100000 - 40160
        trader sell btcusd 3 @ 21000 as S1                  => live
        balance trader BTC 1000 available 997
        counterparty sell btcusd 0.5 @ 20000
        balance trader USD 100000 - 10020 available 100000 - 10020 - 30120
        balance trader BTC 1000.5 available 997.5
        trader cancel B1                                    => cancelled Requested, remaining 1.5
        trader cancel S1
        balance trader USD 100000 - 10020, BTC 1000.5
        ",
    );
}

/// A fill at a better price than the limit releases the difference. Proves ORD-048.
#[test]
fn better_fills_release_the_difference() {
    check(
        "
        counterparty sell btcusd 1 @ 29000
        trader buy btcusd 1 @ 30000                         => filled, average 29000
        balance trader USD 100000 - 29000 - 116
        ",
    );
}

/// Insufficient funds, fee included: refused without a trace. Proves ORD-049, ERR-012.
#[test]
fn insufficient_funds() {
    check(
        "
        trader buy btcusd 1 @ 99602                         => refused 406 InsufficientFunds
        trader sell btcusd 1000.00000001 @ 30000            => refused 406 InsufficientFunds
        balance trader USD 100000, BTC 1000
        book btcusd                                         => bids none; asks none
        trader buy btcusd 1 @ 99601.59                      => live
        trader buy btcusd 1 @ 100                           => refused 406 InsufficientFunds
        trader sell btcusd 1000 @ 100000                    => live
        ",
    );
    check(
        "
        counterparty sell btcusd 4 @ 30000                  => live
        trader buy btcusd 4 at market                       => refused 406 InsufficientFunds
        trader buy btcusd for 100000.01 at market           => refused 406 InsufficientFunds
        trader buy btcusd 4 @ 30000 immediate-or-cancel     => refused 406 InsufficientFunds
        trader buy btcusd 4 @ 30000 fill-or-kill            => refused 406 InsufficientFunds
        trader buy btcusd 4 @ 29000 maker-or-cancel         => refused 406 InsufficientFunds
        trader sell btcusd 1000.00000001 at market          => refused 406 InsufficientFunds
        balance trader USD 100000, BTC 1000
        book btcusd                                         => bids none; asks 4 @ 30000
        trades btcusd                                       => none
        ",
    );
    let x = Exchange::start();
    let answer = new(&x, "trader", NewOrder::limit("btcusd", "buy", "7", "20000").params());
    let message = answer.refused(406, "InsufficientFunds").message.to_lowercase();
    for part in ["buy", "btcusd", "20000", "usd", "7", "insufficient funds"] {
        assert!(message.contains(part), "names {part}: {answer}");
    }
    // A fee of 40 basis points is reserved too.
    assert!(message.ends_with("insufficient funds; it reserves 140560 usd, the fee included"), "{answer}");
    // A sell names already what it gives.
    let answer = new(&x, "trader", NewOrder::limit("btcusd", "sell", "1001", "20000").params());
    let message = answer.refused(406, "InsufficientFunds").message;
    assert!(message.ends_with("for price 20000 USD and quantity 1001: insufficient funds"), "{answer}");
    assert_eq!(x.as_("trader").live_ids(), [""; 0]);
}

/// Other methods are refused. Proves ORD-053.
#[test]
fn other_methods() {
    let x = Exchange::start();
    for path in [
        "/v1/order/new",
        "/v1/order/cancel",
        "/v1/order/cancel/session",
        "/v1/order/cancel/all",
        "/v1/order/status",
        "/v1/orders",
        "/v1/mytrades",
    ] {
        for method in ["PUT", "DELETE", "GET"] {
            let answer = x.anyone().send(method, path, &[], b"");
            assert_eq!(answer.status(), 405, "{answer}");
        }
    }
}

/// A list that is written in several slices holds every live order once, the newest first, as each one's own status. Proves ORD-069
/// (part).
#[test]
fn a_long_list_is_whole() {
    const COUNT: usize = 1_100;
    let x = Exchange::start();
    let trader = x.as_("trader");
    let mut placed: Vec<Value> = (0..COUNT)
        .map(|step| trader.limit("btcusd", "buy", "0.001", &format!("{}", 100 + step % 50)))
        .collect();
    placed.reverse();
    let ids = |orders: &[Value]| orders.iter().map(|order| order["order_id"].clone()).collect::<Vec<_>>();
    let listed = trader.call("/v1/orders", json!({})).ok();
    let listed = listed.as_array().unwrap();
    assert_eq!(ids(listed), ids(&placed));
    for at in [0, 499, 500, 999, 1_000, COUNT - 1] {
        assert_eq!(listed[at], trader.status(listed[at]["order_id"].as_str().unwrap()), "{at}");
    }
}

/// Price times amount beyond the range of money is refused at entry, on both sides of every desk, as a buy without money is. Nothing
/// changes, and the exchange starts again. Hole G1; decision D-183.
#[test]
fn no_order_is_worth_more_than_money_can_count() {
    let x = Exchange::start();
    let wrap = json!({ "amount": "9500", "side": "buy" });
    for key in ["margin-000", "trader"] {
        x.as_(key).call("/v1/wrap/gusdusd", wrap.clone()).ok();
    }
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    let highest = "1844674407370955.1615";
    for (key, symbol, amount, price) in [
        ("margin-000", "gusdusd", "9500", highest),
        ("trader", "gusdusd", "9500", highest),
        ("trader", "linkusd", "92234", "184467440737095"),
        ("margin-000", "btcusd", "20000", "1000000000000000"),
        ("perp-000", "btcgusdperp", "20000", "1000000000000000"),
    ] {
        for (side, more) in ["sell", "buy"].into_iter().flat_map(|side| {
            let stop = json!({ "type": "exchange stop limit", "stop_price": price });
            [(side, json!({})), (side, stop), (side, json!({ "margin_order": true }))]
        }) {
            let mut params = json!({
                "symbol": symbol, "side": side, "type": "exchange limit", "amount": amount, "price": price,
            });
            for (name, value) in more.as_object().into_iter().flatten() {
                params[name] = value.clone();
            }
            let answer = x.as_(key).call("/v1/order/new", params);
            assert!((400..500).contains(&answer.status()), "{answer}");
            if more == json!({}) {
                answer.refused(406, "InsufficientFunds");
            }
        }
        assert_eq!(x.as_(key).live_ids().len(), 0);
    }
    // The largest that can be counted rests.
    let most = x.as_("trader").limit("gusdusd", "sell", "9000", "1844674407370955");
    assert_eq!(most["is_live"], true);
    x.kill9();
    x.restart();
    laws::check(&x);
}
