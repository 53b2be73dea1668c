//! Error bodies and status codes: clauses ERR.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use buttonwood_accept::{Exchange, NewOrder, json, laws, raw};

/// One refusal of each kind: three keys, its documented reason, a message for people.
/// Proves ERR-001, ERR-008, ERR-011.
#[test]
fn bodies() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = |field: &str, value: buttonwood_accept::Value| {
        let mut params = NewOrder::limit("btcusd", "buy", "1", "100").params();
        params[field] = value;
        trader.call("/v1/order/new", params)
    };
    let answers = [
        (404, "EndpointNotFound", x.get("/v1/nowhere")),
        (405, "EndpointNotFound", x.anyone().send("DELETE", "/v1/symbols", &[], b"")),
        (400, "InvalidSymbol", x.get("/v1/book/nosuch")),
        (400, "InvalidTimestampInPayload", x.get("/v1/trades/btcusd?timestamp=abc")),
        (401, "MissingSecurityHeaders", x.anyone().send("POST", "/v1/orders", &[], b"")),
        (403, "MissingRole", x.as_("auditor").call("/v1/heartbeat", json!({}))),
        (404, "OrderNotFound", trader.call("/v1/order/status", json!({ "order_id": 999_999_999 }))),
        (406, "InsufficientFunds", order("amount", json!("5000"))),
        (400, "InvalidSide", order("side", json!("neither"))),
        (400, "AccountsOnGroupOnlyApi", trader.call("/v1/balances", json!({ "account": "savings" }))),
        (400, "MissingAccounts", x.as_("master").call("/v1/balances", json!({}))),
    ];
    for (status, reason, answer) in &answers {
        let refusal = answer.refused(*status, reason);
        for inside in ["panicked", "src/", ".rs:", "unwrap", "serde", "Error("] {
            assert!(!refusal.message.contains(inside), "reveals internals\n{answer}");
        }
    }
    laws::check(&x);
}

/// Headers that other interfaces choose their version by choose none here: the path alone does. Proves VER-002.
#[test]
fn no_header_selects_a_version() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = trader.limit("btcusd", "buy", "1", "100");
    for (name, value) in [
        ("Accept-Version", "2"),
        ("X-API-Version", "2026-01-01"),
        ("X-SVC-VERSION", "2"),
        ("Accept", "application/vnd.svc.v2+json"),
        ("API-Version", "no such version"),
    ] {
        for path in ["/v1/book/btcusd", "/v1/pubticker/btcusd", "/v2/ticker/btcusd"] {
            let answer = x.anyone().send("GET", path, &[(name, value)], b"");
            assert_eq!(answer.ok(), x.get(path).ok(), "{name}: {value}\n{answer}");
        }
        x.anyone().send("GET", "/v2/book/btcusd", &[(name, value)], b"").refused(404, "EndpointNotFound");
        let mut headers = trader.sign(trader.payload("/v1/orders", json!({})).as_bytes()).headers();
        headers.push((name.to_owned(), value.to_owned()));
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let answer = trader.send("POST", "/v1/orders", &headers, b"");
        assert_eq!(answer.ok(), json!([order]), "{name}: {value}\n{answer}");
    }
}

/// Refused calls leave everything as it was. Proves ERR-012.
#[test]
fn refusals_change_nothing() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    x.as_("counterparty").limit("btcusd", "sell", "1", "30000");
    let id = || -> u64 {
        trader.limit("btcusd", "buy", "1", "20000")["order_id"].as_str().unwrap().parse().unwrap()
    };
    let (first, second) = (id(), id());
    let seen = || {
        let balances: Vec<_> = trader
            .balances()
            .iter()
            .map(|row| (row["currency"].clone(), row["amount"].clone(), row["available"].clone()))
            .collect();
        let paths = ["book", "trades"].map(|what| x.get(&format!("/v1/{what}/btcusd")).ok());
        (balances, trader.call("/v1/orders", json!({})).ok(), paths)
    };
    let before = seen();
    for params in [
        NewOrder::limit("btcusd", "buy", "10", "20000").params(),
        NewOrder::limit("btcusd", "buy", "3", "30000").params(),
        NewOrder::limit("btcusd", "sell", "0.000000001", "20000").params(),
        NewOrder::limit("nosuch", "sell", "1", "20000").params(),
        NewOrder::limit("btcusd", "buy", "1", "1").with_option("nothing").params(),
        json!({}),
    ] {
        trader.call("/v1/order/new", params).error();
    }
    trader.call("/v1/order/cancel", json!({ "order_id": 999_999_999 })).error();
    assert_eq!(seen(), before);
    assert_eq!(id() - second, second - first, "no id was used up");
    laws::check(&x);
}

/// Whatever bytes come, the answer is a refusal and the exchange serves on. Proves ERR-013.
#[test]
fn random_payloads() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    // A small generator of its own, so that a failure repeats.
    let mut state = 0x5eed_u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let pieces: [&str; 20] = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\u0000",
        "\"nonce\"",
        "\"amount\"",
        "1e999",
        "-0",
        "null",
        "true",
        "\u{fffd}",
        "9999999999999999999999",
        "\"request\":\"/v1/order/new\"",
        " ",
        "\"\\ud800\"",
        "0.0000000000000000000000001",
    ];
    for round in 0..300 {
        let length = 1 + draw(12);
        let mut text = String::from("{\"request\":\"/v1/order/new\",");
        for _ in 0..length {
            text.push_str(pieces[usize::try_from(draw(20)).unwrap()]);
        }
        let answer = trader.call_payload("/v1/order/new", text.as_bytes());
        assert!((400..500).contains(&answer.status()), "round {round}\n{answer}");
    }
    trader.limit("btcusd", "buy", "1", "100");
    laws::check(&x);
}

/// Deep nesting, long strings and huge numbers are refused like anything else. Proves ERR-013.
#[test]
fn extreme_payloads() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = |amount: &str| {
        format!(
            r#"{{"request":"/v1/order/new","nonce":{},"symbol":"btcusd","amount":{amount},"price":"100","side":"buy",
                "type":"exchange limit"}}"#,
            trader.client().next_nonce()
        )
    };
    let digits = "9".repeat(5000);
    for amount in [
        digits.as_str(),
        &format!("\"{digits}\""),
        &format!("0.{digits}"),
        &format!("\"{}\"", "x".repeat(5000)),
        "1e1000000",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "\"170141183460469231731687303715884105728\"",
    ] {
        let answer = trader.call_payload("/v1/order/new", order(amount).as_bytes());
        answer.refused(400, "InvalidQuantity");
        assert!(
            answer.reply.body.len() < 2000,
            "the message does not repeat it all: {}",
            answer.reply.body.len()
        );
    }
    let deep = format!("{}{}", "[".repeat(3000), "]".repeat(3000));
    trader.call_payload("/v1/order/new", order(&deep).as_bytes()).refused(400, "InvalidJson");
    trader.limit("btcusd", "buy", "1", "100");
}

/// Browsers take no answer for another media type, caches keep no private one, and no other site shows a page in a frame.
#[test]
fn heads_for_browsers_and_caches() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let public = [x.get("/v1/symbols"), x.get("/"), x.get("/site/front.js")];
    let private = [
        trader.call("/v1/balances", json!({})),
        trader.call("/v1/heartbeat", json!({})),
        trader.call("/v1/order/status", json!({ "order_id": 1 })),
        x.get("/sandbox/clock"),
        x.get("/health/ready"),
        x.get("/v1/nowhere"),
    ];
    for (answer, cache) in
        public.iter().map(|a| (a, None)).chain(private.iter().map(|a| (a, Some("no-store"))))
    {
        assert_eq!(answer.reply.header("x-content-type-options"), Some("nosniff"), "{answer}");
        assert_eq!(answer.reply.header("cache-control"), cache, "{answer}");
    }
    for page in &public[1..] {
        let policy = page.reply.header("content-security-policy").unwrap_or_default();
        assert!(
            policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'self'"),
            "{policy}"
        );
        assert_eq!(page.reply.header("referrer-policy"), Some("no-referrer"), "{page}");
    }
}

/// Where there is no place for another connection it is told so and closed, whether it has asked for something or not; those
/// that are open go on, and once they are gone there is room again. Proves ERR-001.
#[test]
fn too_many_connections() {
    // Each serving thread has files of its own, and its share of the others, rounded up.
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let limited = format!("ulimit -n {}; exec \"$@\"", OWN_FILES + OF_A_THREAD * threads + PLACES);
    let x = Exchange::builder().through(&["sh", "-c", &limited, "sh"]).start();
    let open = || TcpStream::connect(x.address()).expect("the exchange listens");
    let mut lasting: Vec<TcpStream> = (0..PLACES + threads).map(|_| open()).collect();
    let patience = Duration::from_secs(10);
    // One that has asked for nothing yet, and one that is still sending.
    let large = format!("POST /v1/order/new HTTP/1.1\r\nContent-Length: 60000\r\n\r\n{}", "x".repeat(60_000));
    for answer in [raw::receive(open(), patience), raw::send(&x, large.as_bytes(), patience)] {
        assert_eq!(
            (answer.status(), answer.closed, answer.reset),
            (Some(503), true, false),
            "{}",
            answer.text()
        );
        assert_eq!(answer.worded(), Ok(()), "{}", answer.text());
        assert!(answer.text().contains("retry-after: 1\r\n"), "{}", answer.text());
    }
    let request = format!("GET /v1/symbols HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", x.address());
    let mut first = lasting.swap_remove(0);
    first.write_all(request.as_bytes()).unwrap();
    assert_eq!(raw::receive(first, patience).status(), Some(200), "it came while there was room");
    drop(lasting);
    let is_served = || {
        // It may come before the end of those that are gone.
        std::thread::sleep(Duration::from_millis(20));
        raw::send(&x, request.as_bytes(), patience).status() == Some(200)
    };
    assert!((0..200).any(|_| is_served()), "there is room again");
    laws::check(&x);
}

/// Open files that the exchange keeps for itself and for each thread that serves, and those that are left for connections here.
const OWN_FILES: usize = 128;
const OF_A_THREAD: usize = 6;
const PLACES: usize = 10;
