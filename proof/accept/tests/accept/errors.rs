//! Error bodies and status codes: clauses ERR.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use buttonwood_accept::{Exchange, NewOrder, json, laws, raw, wait_until};

/// One refusal of each kind: three fields, its documented reason, a message for people. Proves ERR-001, ERR-008,
/// ERR-011.
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

/// Headers that select a version elsewhere select none here: only the path does. Proves VER-002.
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

/// Refused calls change nothing; a readable order takes an id for its one event (D-147). Proves ERR-012.
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
    let readable = 3;
    assert_eq!(id() - second, second - first + readable, "no other id was used up");
    laws::check(&x);
}

/// Random bytes are refused, and the exchange continues to serve. Proves ERR-013.
#[test]
fn random_payloads() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    // Its own small generator, so that a failure can be repeated.
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

/// Deep nesting, long strings and huge numbers are refused like any other error. Proves ERR-013.
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

/// Browsers do not guess another media type, caches do not store private replies, and other sites cannot show a page
/// in a frame.
#[test]
fn heads_for_browsers_and_caches() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let public = [x.get("/v1/symbols"), x.get("/site/leaf.svg")];
    let page = x.get("/");
    let private = [
        trader.call("/v1/balances", json!({})),
        trader.call("/v1/heartbeat", json!({})),
        trader.call("/v1/order/status", json!({ "order_id": 1 })),
        x.get("/sandbox/clock"),
        x.get("/health/ready"),
        x.get("/v1/nowhere"),
    ];
    for (answer, cache) in private
        .iter()
        .chain([&page])
        .map(|a| (a, Some("no-store")))
        .chain([(&public[0], None), (&public[1], Some("no-cache"))])
    {
        assert_eq!(answer.reply.header("x-content-type-options"), Some("nosniff"), "{answer}");
        assert_eq!(answer.reply.header("cache-control"), cache, "{answer}");
    }
    let policy = page.reply.header("content-security-policy").unwrap_or_default();
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'self'"), "{policy}");
    assert_eq!(page.reply.header("referrer-policy"), Some("same-origin"), "{page}");
}

/// Connections of each serving thread in these tests.
const PLACES: usize = 10;
/// Connections of these that one address may have.
const OF_ADDRESS: usize = 8;
/// Open files that the exchange reserves for itself with the operators' socket and the metrics' listener, and for each thread that
/// serves, the one of the metrics included.
const OWN_FILES: usize = 128 + 224 + 16;
const OF_A_THREAD: usize = 22;

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// An exchange that allows few connections.
fn small_exchange() -> Exchange {
    let files = OWN_FILES + OF_A_THREAD * (threads() + 1) + PLACES * threads();
    let limited = format!("ulimit -n {files}; exec \"$@\"");
    Exchange::builder().through(&["sh", "-c", &limited, "sh"]).start()
}

/// A connection from an address of this machine.
fn connect_from(x: &Exchange, last: u8) -> TcpStream {
    raw::connect_from(x, [127, 0, 0, last])
}

const PATIENCE: Duration = Duration::from_secs(10);

/// The status of a request on this connection.
fn answer_on(mut stream: TcpStream, x: &Exchange, path: &str) -> Option<u16> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", x.address());
    stream.write_all(request.as_bytes()).ok()?;
    raw::receive(stream, PATIENCE).status()
}

/// An address has a share of the connections. A further one is refused, whether or not it has sent anything. The open
/// ones continue, and once they close there is room again. Proves ERR-001.
#[test]
fn too_many_connections() {
    let x = small_exchange();
    let mut lasting: Vec<TcpStream> = (0..OF_ADDRESS * threads()).map(|_| connect_from(&x, 2)).collect();
    // One that has sent nothing yet, and one that is still sending.
    let mut large = connect_from(&x, 2);
    let order = format!("POST /v1/order/new HTTP/1.1\r\nContent-Length: 60000\r\n\r\n{}", "x".repeat(60_000));
    large.write_all(order.as_bytes()).unwrap();
    for answer in [connect_from(&x, 2), large].map(|stream| raw::receive(stream, PATIENCE)) {
        assert_eq!(
            (answer.status(), answer.closed, answer.reset),
            (Some(503), true, false),
            "{}",
            answer.text()
        );
        assert_eq!(answer.worded(), Ok(()), "{}", answer.text());
        assert!(answer.text().contains("retry-after: 1\r\n"), "{}", answer.text());
        assert!(answer.text().contains("from this address"), "{}", answer.text());
    }
    let first = lasting.swap_remove(0);
    assert_eq!(answer_on(first, &x, "/v1/symbols"), Some(200), "it came while there was room");
    drop(lasting);
    // A connection may arrive before the others are closed.
    wait_until("room again", || answer_on(connect_from(&x, 2), &x, "/v1/symbols") == Some(200));
    laws::check(&x);
}

/// When idle connections have taken all places, others are still served: the connection that is idle for longest is
/// closed.
#[test]
fn idle_connections_make_place() {
    let x = small_exchange();
    let crowd = |last| (0..OF_ADDRESS * threads()).map(|_| connect_from(&x, last)).collect::<Vec<_>>();
    let (mut first, second, mut third) = (crowd(2), crowd(3), crowd(4));
    for _ in 0..3 {
        assert_eq!(answer_on(connect_from(&x, 5), &x, "/health/ready"), Some(200));
        x.fresh("trader").call("/v1/balances", json!({})).ok();
    }
    let oldest = raw::receive(first.remove(0), PATIENCE);
    assert_eq!((oldest.closed, oldest.bytes.len()), (true, 0), "it was idle for longest");
    let newest = third.pop().expect("there are some");
    assert_eq!(answer_on(newest, &x, "/health/live"), Some(200), "it came last of the crowds");
    drop((first, second, third));
    laws::check(&x);
}
