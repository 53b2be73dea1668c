//! Public market data: clauses MKT.

use buttonwood_accept::{Dec, Exchange, Script, Value, dec, json, laws, same_keys};

/// A trade of 0.4 at 30000 bought from a resting sell, and a two-sided book.
fn lively(x: &Exchange) {
    Script::new(x).run(
        "
        counterparty sell btcusd 1 @ 30000
        counterparty sell btcusd 2 @ 30100
        savings-trader sell btcusd 0.5 @ 30100
        trader buy btcusd 0.4 @ 30000
        trader buy btcusd 0.3 @ 29000
        savings-trader buy btcusd 0.7 @ 28500
        ",
    );
}

fn rows(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn tids(trades: &Value) -> Vec<u64> {
    rows(trades).iter().map(|trade| trade["tid"].as_u64().unwrap()).collect()
}

/// All public paths.
const PUBLIC: [&str; 8] = [
    "/v1/symbols",
    "/v1/symbols/details/btcusd",
    "/v1/symbols/details/all",
    "/v1/pubticker/btcusd",
    "/v2/ticker/btcusd",
    "/v1/book/btcusd",
    "/v1/trades/btcusd",
    "/v1/pricefeed",
];

/// Every public path answers without credentials and ignores a body. Proves MKT-001.
#[test]
fn public_paths_need_no_key() {
    let x = Exchange::start();
    lively(&x);
    for path in PUBLIC {
        let body = br#"{"symbol":"ethusd","limit_bids":1,"limit_asks":1,"include_breaks":true}"#;
        let answer = x.anyone().send("GET", path, &[("Content-Type", "application/json")], body);
        assert_eq!(answer.ok(), x.get(path).ok(), "{answer}");
    }
}

/// Wrong method and unknown path. Proves MKT-002, ERR-008.
#[test]
fn wrong_method_and_unknown_path() {
    let x = Exchange::start();
    for path in PUBLIC {
        for method in ["POST", "PUT", "DELETE"] {
            let answer = x.anyone().send(method, path, &[], b"");
            assert_eq!(answer.status(), 405, "{answer}");
        }
    }
    for path in ["/v1/nowhere", "/v3/symbols", "/v1", "/v1/symbols/", "/v1/order"] {
        x.get(path).refused(404, "EndpointNotFound");
        x.anyone().send("POST", path, &[], b"").refused(404, "EndpointNotFound");
    }
}

/// A socket that is asked for without an upgrade says so; a typing error is an unknown path. Proves ERR-008.
#[test]
fn a_socket_is_told_from_a_slip() {
    let x = Exchange::start();
    for path in ["/v1/multimarketdata", "/v2/marketdata"] {
        let message = x.get(path).refused(426, "UpgradeRequired").message;
        assert!(message.contains("Upgrade: websocket"), "{message}");
    }
    for path in ["/v1/order/history", "/v1/riskstats/", "/v1/riskstats/a/b"] {
        let message = x.get(path).refused(404, "EndpointNotFound").message;
        assert_eq!(message, format!("No endpoint at '{path}'"));
    }
}

/// Paths outside of the interface are known too: pages, health checks, control calls. Proves ERR-008.
#[test]
fn wrong_method_outside_the_interface() {
    let x = Exchange::start();
    for (path, allowed) in [
        ("/", "GET, HEAD"),
        ("/site/market.json", "GET, HEAD"),
        ("/health/live", "GET, HEAD"),
        ("/health/ready", "GET, HEAD"),
        ("/sandbox/clock", "GET, HEAD"),
    ] {
        for method in ["POST", "TRACE", "DELETE"] {
            let answer = x.anyone().send(method, path, &[], b"");
            assert_eq!((answer.status(), answer.reply.header("allow")), (405, Some(allowed)), "{answer}");
            assert!(
                answer.error().message.contains(&format!("'{path}' answers to {allowed}, not to {method}"))
            );
        }
        assert_eq!(x.get(path).status(), 200, "{path}");
    }
    let answer = x.get("/sandbox/clock/advance");
    assert_eq!((answer.status(), answer.reply.header("allow")), (405, Some("POST")), "{answer}");
}

/// A HEAD request, as monitors send, gets the headers of the full reply. Proves MKT-001.
#[test]
fn heads_alone() {
    let x = Exchange::start();
    for path in ["/v1/symbols", "/v1/book/btcusd", "/v1/pricefeed", "/sandbox/clock"] {
        let (head, whole) = (x.anyone().send("HEAD", path, &[], b""), x.get(path));
        assert_eq!((head.status(), head.reply.body.len()), (200, 0), "{head}");
        let length = whole.reply.body.len().to_string();
        assert_eq!(head.reply.header("content-length"), Some(length.as_str()), "{head}");
    }
    assert_eq!(x.anyone().send("HEAD", "/v1/order/new", &[], b"").status(), 405);
}

/// The old ticker: best prices, last trade, volumes under the currencies' codes.
/// Proves MKT-003, MKT-004, MKT-005.
#[test]
fn ticker() {
    let x = Exchange::start();
    lively(&x);
    // Takes away the best bid; its limit is lower, so the last price differs from both best prices and from this
    // limit.
    x.as_("counterparty").limit("btcusd", "sell", "0.3", "28900");
    let answer = x.get("/v1/pubticker/btcusd");
    let ticker = answer.ok();
    same_keys(&ticker, &["bid", "ask", "last", "volume"], &answer);
    same_keys(&ticker["volume"], &["BTC", "USD", "timestamp"], &answer);
    let prices = ["bid", "ask", "last"].map(|name| Dec::wire(&ticker[name]));
    assert_eq!(prices, [dec("28500"), dec("30000"), dec("29000")], "{answer}");
    assert_eq!(Dec::wire(&ticker["volume"]["BTC"]), dec("0.7"));
    assert_eq!(Dec::wire(&ticker["volume"]["USD"]), dec("12000") + dec("8700"));
    assert_eq!(ticker["volume"]["timestamp"], json!(x.now_ms()), "{answer}");
    // After 23 hours the trades count; after 25 they are out of the window, but one is still the last.
    x.advance(23 * 3600);
    assert_eq!(Dec::wire(&x.get("/v1/pubticker/btcusd").ok()["volume"]["BTC"]), dec("0.7"));
    x.advance(2 * 3600);
    let later = x.get("/v1/pubticker/btcusd").ok();
    let volumes = ["BTC", "USD"].map(|code| Dec::wire(&later["volume"][code]));
    assert_eq!(volumes, [Dec::ZERO; 2], "{later}");
    assert_eq!(Dec::wire(&later["last"]), dec("29000"));
    assert_eq!(later["volume"]["timestamp"], json!(x.now_ms()), "{later}");
}

/// Missing values are null. Proves MKT-006.
#[test]
fn ticker_of_an_empty_market() {
    let x = Exchange::start();
    let ticker = x.get("/v1/pubticker/btcusd").ok();
    assert_eq!([&ticker["bid"], &ticker["ask"], &ticker["last"]], [&Value::Null; 3]);
    assert!(ticker.as_object().unwrap().contains_key("bid"));
    assert_eq!(Dec::wire(&ticker["volume"]["BTC"]), Dec::ZERO);
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    let ticker = x.get("/v1/pubticker/btcusd").ok();
    assert_eq!(Dec::wire(&ticker["bid"]), dec("100"));
    assert_eq!([&ticker["ask"], &ticker["last"]], [&Value::Null; 2]);
}

/// Unknown symbols: plain text from the old ticker, JSON from the others: of MKT-007, the part without candles (`candles.rs` has that).
#[test]
fn unknown_symbols() {
    let x = Exchange::start();
    let answer = x.get("/v1/pubticker/nosuch");
    assert_eq!(answer.status(), 404, "{answer}");
    assert!(answer.reply.header("content-type").unwrap_or_default().starts_with("text/plain"), "{answer}");
    assert!(answer.reply.text().to_lowercase().contains("nosuch"), "{answer}");
    let long = x.get(&format!("/v1/pubticker/{}", "a".repeat(1_000)));
    assert_eq!(long.status(), 404, "{long}");
    assert_eq!(long.reply.text(), format!("Data for symbol {}… is not yet available", "a".repeat(80)));
    for path in ["/v2/ticker/nosuch", "/v1/book/nosuch", "/v1/trades/nosuch"] {
        let refusal = x.get(path).refused(400, "InvalidSymbol");
        assert!(refusal.message.contains("nosuch"), "{}", refusal.message);
    }
}

/// The new ticker: its keys, the day's extremes, the last price. Proves MKT-008, MKT-009.
#[test]
fn ticker_v2() {
    let x = Exchange::start();
    let mut script = Script::new(&x);
    script.run(
        "
        counterparty sell btcusd 0.1 @ 30000
        trader buy btcusd 0.1 @ 30100
        advance 72000
        counterparty sell btcusd 0.1 @ 31000
        trader buy btcusd 0.1 @ 31100
        advance 3600
        counterparty sell btcusd 0.1 @ 29500
        trader buy btcusd 0.1 @ 29600
        advance 3600
        counterparty sell btcusd 0.1 @ 30500
        trader buy btcusd 0.1 @ 30600
        counterparty sell btcusd 1 @ 32000
        trader buy btcusd 0.1 @ 20000
        ",
    );
    let answer = x.get("/v2/ticker/btcusd");
    let ticker = answer.ok();
    same_keys(&ticker, &["symbol", "open", "high", "low", "close", "changes", "bid", "ask"], &answer);
    assert_eq!(ticker["symbol"], "BTCUSD");
    let prices = ["open", "high", "low", "close", "bid", "ask"].map(|name| Dec::wire(&ticker[name]));
    let expected = ["30000", "31000", "29500", "30500", "20000", "32000"].map(dec);
    assert_eq!(prices, expected, "{answer}");
    // With each step more trades leave the window; the price in force at its beginning is its opening price.
    for (seconds, expected) in [
        (18_000, ["30000", "31000", "29500", "30500"]),
        (63_000, ["31000", "30500", "29500", "30500"]),
        (3_600, ["29500", "30500", "30500", "30500"]),
        (3_600, ["30500", "30500", "30500", "30500"]),
    ] {
        x.advance(seconds);
        let ticker = x.get("/v2/ticker/btcusd").ok();
        let prices = ["open", "high", "low", "close"].map(|name| Dec::wire(&ticker[name]));
        assert_eq!(prices, expected.map(dec), "{ticker}");
    }
    laws::check(&x);
}

/// A trade counts until exactly 24 hours later, in every figure of the past day: in both tickers, the price feed and the
/// front page, after a restart too. Proves MKT-003, MKT-009, MKT-026.
#[test]
fn the_past_day_is_exact() {
    let x = Exchange::start();
    for (amount, price) in [("0.1", "30000"), ("0.2", "30500"), ("0.3", "29800")] {
        x.as_("counterparty").limit("btcusd", "sell", amount, price);
        x.as_("trader").limit("btcusd", "buy", amount, price);
        x.advance(1);
    }
    x.advance(24 * 3600 - 4);
    for (prices, volume, change) in [
        (["30000", "30500", "29800", "29800"], "0.6", "-0.66"),
        (["30000", "30500", "29800", "29800"], "0.5", "-0.66"),
        (["30500", "29800", "29800", "29800"], "0.3", "-2.29"),
        (["29800", "29800", "29800", "29800"], "0", "0.00"),
    ] {
        let shown = || {
            let ticker = x.get("/v2/ticker/btcusd").ok();
            let shown = ["open", "high", "low", "close"].map(|name| Dec::wire(&ticker[name]));
            assert_eq!(shown, prices.map(dec), "{ticker}");
            let ticker = x.get("/v1/pubticker/btcusd").ok();
            assert_eq!(Dec::wire(&ticker["volume"]["BTC"]), dec(volume), "{ticker}");
            let feed = x.get("/v1/pricefeed").ok();
            let row = rows(&feed).iter().find(|row| row["pair"] == "BTCUSD").unwrap();
            assert_eq!(row["percentChange24h"], change, "{row}");
            let table = x.get("/site/market.json").ok();
            let row = rows(&table["rows"]).iter().find(|row| row["symbol"] == "btcusd").unwrap();
            assert_eq!(
                row["change"].as_str().unwrap().trim_start_matches('+'),
                format!("{change} %"),
                "{row}"
            );
        };
        shown();
        x.restart();
        shown();
        x.advance(1);
    }
    laws::check(&x);
}

/// Hourly prices, newest first, at most 24. Proves MKT-010.
#[test]
fn ticker_v2_changes() {
    let x = Exchange::start();
    let price = |hour: u64| (30_000 + hour * 10).to_string();
    let changes =
        || -> Vec<Dec> { rows(&x.get("/v2/ticker/btcusd").ok()["changes"]).iter().map(Dec::wire).collect() };
    assert_eq!(changes(), [Dec::ZERO; 0], "before the first trade");
    for hour in 0..30 {
        x.as_("counterparty").limit("btcusd", "sell", "0.01", &price(hour));
        x.as_("trader").limit("btcusd", "buy", "0.01", &price(hour));
        // Half of the last hour has passed.
        x.advance(if hour < 29 { 3_600 } else { 1_800 });
        if hour == 2 {
            assert_eq!(
                changes(),
                [2, 2, 1, 0].map(|hour| dec(&price(hour))),
                "no older than the first trade"
            );
        }
    }
    let expected: Vec<Dec> = (6..30).rev().map(|hour| dec(&price(hour))).collect();
    assert_eq!(changes(), expected);
}

/// Levels are summed and sorted, all three fields are strings, nothing hidden is shown. Proves MKT-011, MKT-012,
/// MKT-013.
#[test]
fn book() {
    let x = Exchange::start();
    assert_eq!(x.get("/v1/book/btcusd").ok(), json!({ "bids": [], "asks": [] }));
    lively(&x);
    let answer = x.get("/v1/book/btcusd");
    let book = answer.ok();
    same_keys(&book, &["bids", "asks"], &answer);
    for level in rows(&book["bids"]).iter().chain(rows(&book["asks"])) {
        same_keys(level, &["price", "amount", "timestamp"], &answer);
        let seconds: u64 = level["timestamp"].as_str().expect("a string").parse().expect("seconds");
        assert!((1_767_225_600..10_000_000_000).contains(&seconds), "{answer}");
    }
    Script::new(&x).run(
        "
        book btcusd => bids 0.3 @ 29000, 0.7 @ 28500; asks 0.6 @ 30000, 2.5 @ 30100
        ",
    );
    laws::check(&x);
}

/// Each side is limited by itself: 50 levels by default, all of them for 0. Proves MKT-014, LIM-015 (part).
#[test]
fn book_limits() {
    let x = Exchange::start();
    for step in 0..55 {
        x.as_("counterparty").limit("btcusd", "sell", "0.001", &(31_000 + step).to_string());
        x.as_("trader").limit("btcusd", "buy", "0.001", &(29_000 - step).to_string());
    }
    let sides = |query: &str| {
        let book = x.get(&format!("/v1/book/btcusd{query}")).ok();
        (rows(&book["bids"]).len(), rows(&book["asks"]).len(), Dec::wire(&book["bids"][0]["price"]))
    };
    let best = dec("29000");
    assert_eq!(sides(""), (50, 50, best));
    assert_eq!(sides("?limit_bids=0"), (55, 50, best));
    assert_eq!(sides("?limit_asks=0&limit_bids=3"), (3, 55, best));
    assert_eq!(sides("?limit_bids=1&limit_asks=1000"), (1, 55, best));
    laws::check(&x);
}

/// Invalid limits are refused with name and value. Proves MKT-015, TYPE-007, ERR-010.
#[test]
fn bad_limits() {
    let x = Exchange::start();
    for (path, name) in [("book", "limit_bids"), ("book", "limit_asks"), ("trades", "limit_trades")] {
        for wrong in ["-1", "abc", "1.5", "", "1e3"] {
            let answer = x.get(&format!("/v1/{path}/btcusd?{name}={wrong}"));
            let refusal = answer.refused(400, "InvalidParameterValue");
            let why = format!("'{name}' must be a whole number in digits alone: {wrong}");
            assert!(refusal.message.contains(&why), "{answer}");
        }
        // A limit above the existing number returns all, or the maximum (D-15).
        x.get(&format!("/v1/{path}/btcusd?{name}=99999999999999999999999")).ok();
    }
    x.get("/v1/trades/btcusd?limit_trades=0").refused(400, "InvalidParameterValue");
    x.get("/v1/trades/btcusd?since_tid=abc").refused(400, "InvalidParameterValue");
}

/// Public trades, newest first, name the side that was taken
/// and nothing about the accounts. Proves MKT-016, MKT-024.
#[test]
fn trades() {
    let x = Exchange::start();
    lively(&x);
    x.advance(5);
    x.as_("counterparty").limit("btcusd", "sell", "0.1", "29000");
    let answer = x.get("/v1/trades/btcusd");
    let trades = answer.ok();
    let keys = ["timestamp", "timestampms", "tid", "price", "amount", "exchange", "type"];
    for trade in rows(&trades) {
        same_keys(trade, &keys, &answer);
    }
    let shown =
        |trade: &Value| (Dec::wire(&trade["price"]), Dec::wire(&trade["amount"]), trade["type"].clone());
    assert_eq!(shown(&trades[0]), (dec("29000"), dec("0.1"), json!("sell")), "{answer}");
    assert_eq!(shown(&trades[1]), (dec("30000"), dec("0.4"), json!("buy")), "{answer}");
    assert_eq!(trades[0]["exchange"], "svc");
    assert!(trades[0]["tid"].as_u64() > trades[1]["tid"].as_u64(), "{answer}");
    assert_eq!(trades[0]["timestampms"], json!(1_767_225_605_000_u64));
    assert_eq!(trades[0]["timestamp"], json!(1_767_225_605_u64));
    laws::check(&x);
}

/// A trade is named by the side that took, and one of an auction by that: of either side nothing rested. Proves MKT-017.
#[test]
fn trades_are_of_three_types() {
    let x = Exchange::start();
    lively(&x);
    x.as_("counterparty").limit("btcusd", "sell", "0.1", "29000");
    x.schedule_auction("btcusd", &json!({}), 1_200);
    for (actor, side) in [("counterparty", "sell"), ("trader", "buy")] {
        let order = json!({ "symbol": "btcusd", "side": side, "type": "exchange limit", "amount": "2",
            "price": "29500", "options": ["auction-only"] });
        x.as_(actor).call("/v1/order/new", order).ok();
    }
    x.advance(1_200);
    let trades = x.get("/v1/trades/btcusd").ok();
    let types: Vec<&Value> = rows(&trades).iter().map(|trade| &trade["type"]).collect();
    assert_eq!(types[..3], [&json!("auction"), &json!("sell"), &json!("buy")], "{trades}");
    laws::check(&x);
}

/// Three trades, ten seconds apart.
fn three_trades(x: &Exchange) -> Vec<u64> {
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    for _ in 0..3 {
        x.as_("trader").limit("btcusd", "buy", "0.1", "30000");
        x.advance(10);
    }
    tids(&x.get("/v1/trades/btcusd").ok())
}

/// `timestamp` and `since` are one filter; `since_tid` overrides them. Proves MKT-018, MKT-020.
#[test]
fn trades_since() {
    let x = Exchange::start();
    let all = three_trades(&x);
    let second = 1_767_225_610_000_u64;
    let ask = |query: &str| tids(&x.get(&format!("/v1/trades/btcusd?{query}")).ok());
    for name in ["timestamp", "since"] {
        assert_eq!(ask(&format!("{name}={}", second - 1)), all[..2]);
        assert_eq!(ask(&format!("{name}={second}")), all[..1], "after, not at");
        assert_eq!(ask(&format!("{name}={}", second + 60_000)), [0_u64; 0]);
    }
    assert_eq!(ask(&format!("since_tid={}", all[2])), all[..2]);
    for name in ["timestamp", "since"] {
        assert_eq!(ask(&format!("since_tid={}&{name}={}", all[2], second + 60_000)), all[..2]);
    }
    assert_eq!(ask("since_tid=0"), all);
}

/// Paging forward from the first trade misses none. Proves MKT-021.
#[test]
fn walking_forward() {
    let x = Exchange::start();
    let all = three_trades(&x);
    let ask = |query: &str| tids(&x.get(&format!("/v1/trades/btcusd?{query}")).ok());
    assert_eq!(ask("since_tid=0&limit_trades=2"), all[1..], "the oldest two, newest first");
    assert_eq!(ask(&format!("since_tid={}&limit_trades=2", all[1])), all[..1]);
    assert_eq!(ask("timestamp=0&limit_trades=1"), all[2..]);
    assert_eq!(ask("limit_trades=2"), all[..2], "without a start the newest");
}

/// Paging forward by time misses none and repeats none, even if several share a millisecond and the limit is lower.
/// Proves MKT-018, MKT-021.
#[test]
fn walking_forward_by_time() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    for share_a_millisecond in [1, 4, 2, 3] {
        for _ in 0..share_a_millisecond {
            x.as_("trader").limit("btcusd", "buy", "0.01", "30000");
        }
        x.advance(1);
    }
    let all = tids(&x.get("/v1/trades/btcusd").ok());
    assert_eq!(all.len(), 10);
    for limit in [1, 2, 3, 5] {
        let mut walked = Vec::new();
        let mut after = json!(0);
        loop {
            let path = format!("/v1/trades/btcusd?timestamp={after}&limit_trades={limit}");
            let page = x.get(&path).ok();
            let Some(newest) = rows(&page).first() else { break };
            assert!(walked.len() < all.len(), "{path} comes again: {page}");
            after = newest["timestampms"].clone();
            walked.splice(0..0, tids(&page));
        }
        assert_eq!(walked, all, "{limit} a page");
    }
}

/// A query by time does not return trades older than 90 days; without a time, or by id, there is no such bound.
/// Proves MKT-019, MKT-020, TYPE-014.
#[test]
fn trades_of_ninety_days() {
    let x = Exchange::start();
    let all = three_trades(&x);
    let day = 24 * 3600;
    x.advance(90 * day - 60);
    assert_eq!(tids(&x.get("/v1/trades/btcusd?timestamp=0").ok()), all);
    x.advance(120);
    let ask = |query: &str| tids(&x.get(&format!("/v1/trades/btcusd{query}")).ok());
    for query in ["?timestamp=0", "?since=0", "?timestamp=1767225600000", "?timestamp=1"] {
        assert_eq!(ask(query), [0_u64; 0], "{query}");
    }
    for query in ["", "?since_tid=0", "?since_tid=0&timestamp=0"] {
        assert_eq!(ask(query), all, "{query}");
    }
    assert_eq!(ask(&format!("?since_tid={}", all[2])), all[..2]);
    x.as_("trader").limit("btcusd", "buy", "0.1", "30000");
    let newest = tids(&x.get("/v1/trades/btcusd?timestamp=0").ok());
    assert_eq!(newest.len(), 1);
    assert!(!all.contains(&newest[0]));
}

/// Fifty by default, 500 at most, with [`trades_of_ninety_days`]. Proves MKT-022, LIM-015 (part).
#[test]
fn trades_limits() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "10", "30000");
    let trader = x.as_("trader");
    for _ in 0..510 {
        trader.limit("btcusd", "buy", "0.00001", "30000");
    }
    let count = |query: &str| rows(&x.get(&format!("/v1/trades/btcusd{query}")).ok()).len();
    assert_eq!(count(""), 50);
    assert_eq!(count("?limit_trades=120"), 120);
    assert_eq!(count("?limit_trades=500"), 500);
    assert_eq!(count("?limit_trades=501"), 500);
    assert_eq!(count("?limit_trades=1000000000"), 500);
    // All in one millisecond: by time the maximum of a reply, by id the rest.
    assert_eq!(count("?timestamp=0&limit_trades=1"), 500);
    let tid = tids(&x.get("/v1/trades/btcusd?timestamp=0").ok())[0];
    assert_eq!(count(&format!("?since_tid={tid}")), 10);
    assert_eq!(count("?since_tid=0&limit_trades=1"), 1);
    laws::check(&x);
}

/// The field `broken` appears only with the flag. Proves MKT-023.
#[test]
fn broken_only_on_request() {
    let x = Exchange::start();
    three_trades(&x);
    for (query, expected) in [
        ("", false),
        ("?include_breaks=0", false),
        ("?include_breaks=false", false),
        ("?include_breaks=1", true),
        ("?include_breaks=true", true),
    ] {
        let trades = x.get(&format!("/v1/trades/btcusd{query}")).ok();
        for trade in rows(&trades) {
            assert_eq!(trade.get("broken"), expected.then_some(&json!(false)), "{query}: {trade}");
        }
    }
}

/// A price for every listed symbol, closed ones included, with the day's change in percent.
/// Proves MKT-025, MKT-026.
#[test]
fn price_feed() {
    let x = Exchange::start();
    let mut script = Script::new(&x);
    script.run(
        "
        counterparty sell btcusd 1 @ 30000
        trader buy btcusd 1 @ 30000
        advance 7200
        counterparty sell btcusd 1 @ 31000
        trader buy btcusd 1 @ 31000
        status ethusd closed
        ",
    );
    let answer = x.get("/v1/pricefeed");
    let feed = answer.ok();
    let mut pairs: Vec<String> = Vec::new();
    for row in rows(&feed) {
        same_keys(row, &["pair", "price", "percentChange24h"], row);
        assert!(row["price"].is_string() && row["percentChange24h"].is_string(), "{row}");
        pairs.push(row["pair"].as_str().unwrap().to_owned());
    }
    pairs.sort();
    let symbols = x.get("/v1/symbols").ok();
    let mut expected: Vec<String> =
        rows(&symbols).iter().map(|symbol| symbol.as_str().unwrap().to_uppercase()).collect();
    expected.sort();
    assert_eq!(pairs, expected);
    let row = |pair: &str| rows(&feed).iter().find(|row| row["pair"] == pair).unwrap();
    assert_eq!(Dec::wire(&row("BTCUSD")["price"]), dec("31000"));
    // 31000 / 30000 - 1 = 3.333… percent.
    assert_eq!(row("BTCUSD")["percentChange24h"], "3.33");
    assert_eq!(row("ETHUSD")["price"], "0", "never traded");
    // The change covers a day: the older price counts until 24 hours after it was replaced.
    for (seconds, change) in [(20 * 3600, "3.33"), (5 * 3600, "0.00")] {
        x.advance(seconds);
        let feed = x.get("/v1/pricefeed").ok();
        let row = rows(&feed).iter().find(|row| row["pair"] == "BTCUSD").unwrap();
        assert_eq!(Dec::wire(&row["price"]), dec("31000"));
        assert_eq!(row["percentChange24h"], change, "{seconds}");
    }
}
