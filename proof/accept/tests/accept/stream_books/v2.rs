//! `/v2/marketdata`.

use super::{Book, END, FIRST, SECOND, scenario, trades};
use buttonwood_accept::{Exchange, Socket, Value, json, laws, same_keys};
use std::time::Duration;

fn subscription(kind: &str, name: &str, symbols: &[&str]) -> Value {
    json!({ "type": kind, "subscriptions": [{ "name": name, "symbols": symbols }] })
}

fn subscribe(socket: &mut Socket, name: &str, symbols: &[&str]) {
    socket.send(&subscription("subscribe", name, symbols));
}

/// Applies the changes of a frame.
#[track_caller]
fn apply(book: &mut Book, frame: &Value) {
    for change in frame["changes"].as_array().unwrap_or_else(|| panic!("no changes: {frame}")) {
        assert_eq!(change.as_array().map(Vec::len), Some(3), "{frame}");
        let is_bid = match change[0].as_str() {
            Some("buy") => true,
            Some("sell") => false,
            _ => panic!("no side: {frame}"),
        };
        book.set(is_bid, &change[1], &change[2]);
    }
}

/// A trade of REST as this socket words it.
fn worded(trade: &Value, symbol: &str) -> Value {
    json!({ "type": "trade", "symbol": symbol, "event_id": trade["tid"], "timestamp": trade["timestampms"],
        "price": trade["price"], "quantity": trade["amount"], "side": trade["type"], "tid": trade["tid"] })
}

/// The first frame is the whole book with the newest trades, later frames are changes and trades: together the book and the trades of
/// REST. Proves EVT-020, EVT-021.
#[test]
fn changes_make_the_book() {
    let x = Exchange::start();
    let mut script = scenario(&x);
    let mut early = x.socket("/v2/marketdata");
    subscribe(&mut early, "l2", &["BTCUSD"]);
    let first = early.next_event();
    let empty = json!({ "type": "l2_updates", "symbol": "BTCUSD", "changes": [], "trades": [], "auction_events": [] });
    assert_eq!(first, empty);
    script.run(FIRST);
    let mut late = x.socket("/v2/marketdata");
    subscribe(&mut late, "l2", &["btcusd"]);
    let first = late.next_event();
    let mut book = Book::default();
    apply(&mut book, &first);
    assert_eq!(book, Book::of_rest(&x, "btcusd"));
    let mut newest: Vec<Value> = trades(&x, "btcusd").iter().map(|trade| worded(trade, "BTCUSD")).collect();
    newest.reverse();
    assert_eq!(first["trades"], json!(newest));
    assert!(!newest.is_empty());
    script.run(SECOND);
    script.run(END);
    let known = newest.len();
    for (socket, mut book, before) in [(&mut early, Book::default(), 0), (&mut late, book, known)] {
        let mut told = Vec::new();
        while !book.is_at_end() {
            let frame = socket.next_event();
            match frame["type"].as_str().unwrap() {
                "l2_updates" => {
                    same_keys(&frame, &["type", "symbol", "changes"], &frame);
                    assert_eq!(frame["symbol"], "BTCUSD");
                    apply(&mut book, &frame);
                }
                "trade" => told.push(frame),
                kind => assert!(kind.starts_with("auction_") && frame["symbol"] == "BTCUSD", "{frame}"),
            }
        }
        assert_eq!(book, Book::of_rest(&x, "btcusd"));
        let all: Vec<Value> = trades(&x, "btcusd").iter().map(|trade| worded(trade, "BTCUSD")).collect();
        assert_eq!(told, all[before..]);
    }
    laws::check(&x);
}

/// A first frame has the newest fifty trades, the newest first.
#[test]
fn a_first_frame_has_fifty_trades() {
    let x = Exchange::start();
    for _ in 0..55 {
        x.as_("counterparty").limit("btcusd", "sell", "0.01", "30000");
        x.as_("trader").limit("btcusd", "buy", "0.01", "30000");
    }
    let mut socket = x.socket("/v2/marketdata");
    subscribe(&mut socket, "l2", &["BTCUSD"]);
    let all: Vec<Value> =
        trades(&x, "btcusd").iter().rev().take(50).map(|trade| worded(trade, "BTCUSD")).collect();
    assert_eq!(socket.next_event()["trades"], json!(all));
    // Subscribing again sends it again (D-154), and the updates go on once.
    subscribe(&mut socket, "l2", &["BTCUSD"]);
    assert_eq!(socket.next_event()["trades"], json!(all));
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    let expected = json!({ "type": "l2_updates", "symbol": "BTCUSD", "changes": [["buy", "100.00", "1"]] });
    assert_eq!(socket.next_event(), expected);
    socket.send(&subscription("unsubscribe", "l2", &["btcusd"]));
    subscribe(&mut socket, "l2", &["ethusd"]);
    assert_eq!(socket.next_event()["symbol"], "ETHUSD");
    x.as_("trader").limit("btcusd", "buy", "1", "101");
    socket.is_silent();
}

/// Candles are those of REST, under the name that was asked for: all at first, then the newest with each trade (D-156). Proves EVT-021.
#[test]
fn candles_are_those_of_rest() {
    let x = Exchange::start();
    scenario(&x).run(FIRST);
    let names = [
        ("1m", "1m"),
        ("5m", "5m"),
        ("15m", "15m"),
        ("30m", "30m"),
        ("1h", "1h"),
        ("1hr", "1h"),
        ("6h", "6h"),
        ("6hr", "6h"),
        ("1d", "1day"),
        ("1day", "1day"),
    ];
    let mut sockets: Vec<_> = names
        .iter()
        .map(|(name, frame)| {
            let mut socket = x.socket("/v2/marketdata");
            subscribe(&mut socket, &format!("candles_{name}"), &["btcusd"]);
            let first = socket.next_event();
            let expected = json!({ "type": format!("candles_{name}_updates"), "symbol": "BTCUSD",
                "changes": x.get(&format!("/v2/candles/btcusd/{frame}")).ok() });
            assert_eq!(first, expected);
            assert!(first["changes"][0].as_array().unwrap().iter().all(Value::is_number), "{first}");
            socket
        })
        .collect();
    for (price, pause) in [("30123.45", 0), ("30100", 59), ("30050.5", 3_600)] {
        x.advance(pause);
        x.as_("counterparty").limit("btcusd", "sell", "0.125", price);
        x.as_("trader").limit("btcusd", "buy", "0.125", price);
        for ((name, frame), socket) in names.iter().zip(&mut sockets) {
            let newest = x.get(&format!("/v2/candles/btcusd/{frame}")).ok()[0].clone();
            let seen =
                socket.next_that(|told| told["type"] != "heartbeat" && told["changes"] == json!([newest]));
            assert_eq!(seen["type"], format!("candles_{name}_updates"));
        }
    }
}

/// A bad request is answered by field, what is good of it counts, and the socket stays open (D-154). Proves EVT-021.
#[test]
fn bad_requests_are_answered() {
    let x = Exchange::start();
    let mut socket = x.socket("/v2/marketdata");
    let one = |name: Value, symbols: Value| json!([{ "name": name, "symbols": symbols }]);
    let ask = |kind: Value, subscriptions: Value| {
        json!({ "type": kind, "subscriptions": subscriptions }).to_string()
    };
    let fine = || one(json!("l2"), json!(["BTCUSD"]));
    for (message, wrong) in [
        ("subscribe".to_owned(), ""),
        (String::new(), ""),
        ("[]".to_owned(), ""),
        (r#"{"type":"subscribe","type":"subscribe"}"#.to_owned(), ""),
        (json!({ "subscriptions": fine() }).to_string(), "type"),
        (ask(json!("sub"), fine()), "sub"),
        (ask(json!(5), fine()), "type"),
        (json!({ "type": "subscribe" }).to_string(), "subscriptions"),
        (ask(json!("subscribe"), json!("l2")), "subscriptions"),
        (ask(json!("subscribe"), json!([5])), "subscriptions"),
        (ask(json!("subscribe"), json!([{ "symbols": ["BTCUSD"] }])), "name"),
        (ask(json!("subscribe"), json!([{ "name": "l2" }])), "symbols"),
        (ask(json!("subscribe"), one(json!(5), json!(["BTCUSD"]))), "name"),
        (ask(json!("subscribe"), one(json!("l3"), json!(["BTCUSD"]))), "l3"),
        (ask(json!("subscribe"), one(json!("candles_2m"), json!(["BTCUSD"]))), "candles_2m"),
        (ask(json!("subscribe"), one(json!("candles_1M"), json!(["BTCUSD"]))), "candles_1M"),
        (ask(json!("subscribe"), one(json!("l2"), json!("BTCUSD"))), "symbols"),
        (ask(json!("subscribe"), one(json!("l2"), json!([1]))), "symbols"),
        (ask(json!("subscribe"), one(json!("l2"), json!(["ZZZUSD"]))), "ZZZUSD"),
        (ask(json!("unsubscribe"), one(json!("l2"), json!(["ZZZUSD"]))), "ZZZUSD"),
        (ask(json!("subscribe"), one(json!("mark_price"), json!(["BTCUSD"]))), "BTCUSD"),
        (ask(json!("subscribe"), one(json!("funding_amount"), json!(["ETHUSD"]))), "ETHUSD"),
        (ask(json!("subscribe"), one(json!("l2"), json!(["SVC-DEMOBTC"]))), "SVC-DEMOBTC"),
        (format!(r#"{{"type":"subscribe","x":{}{}}}"#, "[".repeat(300), "]".repeat(300)), ""),
    ] {
        socket.send_text(&message);
        let answer = socket.next_event();
        same_keys(&answer, &["result", "reason", "message"], &answer);
        assert_eq!(answer["result"], "error", "{message}: {answer}");
        assert!(answer["message"].as_str().is_some_and(|text| text.contains(wrong)), "{message}: {answer}");
    }
    socket.send(&json!({ "type": "subscribe", "subscriptions": [
        { "name": "l2", "symbols": ["NONE", "btcusd", "ZIP"] }, { "name": "l9", "symbols": ["btcusd"] },
        { "name": "candles_1m", "symbols": ["ethusd"] },
    ] }));
    let mut frames: Vec<Value> = (0..5).map(|_| socket.next_event()).collect();
    let errors = frames.extract_if(.., |frame| frame["result"] == "error");
    let errors: Vec<String> = errors.map(|error| error["message"].as_str().unwrap().to_owned()).collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    for (error, named) in errors.iter().zip(["NONE", "ZIP", "l9"]) {
        assert!(error.contains(named), "{error}");
    }
    let kinds: Vec<&Value> = frames.iter().map(|frame| &frame["type"]).collect();
    assert_eq!(kinds, ["l2_updates", "candles_1m_updates"]);
}

/// Heartbeats come every five seconds; with `sequence` every frame has a number, without gaps.
#[test]
fn frames_are_numbered_on_request() {
    let x = Exchange::start();
    let mut plain = x.socket("/v2/marketdata");
    let mut socket = x.socket("/v2/marketdata?sequence=true");
    subscribe(&mut socket, "l2", &["BTCUSD", "NONE"]);
    subscribe(&mut socket, "candles_1m", &["BTCUSD"]);
    for price in ["100", "101", "102"] {
        x.as_("counterparty").limit("btcusd", "sell", "1", price);
        x.as_("trader").limit("btcusd", "buy", "1", price);
    }
    let (mut at, mut beats) = (0, 0);
    while beats < 2 {
        let frame = socket.next();
        assert_eq!(frame["sequence"], at, "{frame}");
        at += 1;
        if frame["type"] == "heartbeat" {
            same_keys(&frame, &["type", "timestamp", "sequence"], &frame);
            assert_eq!(frame["timestamp"], x.now_ms());
            beats += 1;
        }
    }
    assert!(at > 10, "{at}");
    let beat = plain.next_within(Duration::from_secs(20)).expect("a heartbeat");
    assert_eq!(beat, json!({ "type": "heartbeat", "timestamp": x.now_ms() }));
}

/// Messages weigh as calls do: thirty thousand a minute, and the socket stays open beyond them.
#[test]
fn messages_are_limited() {
    const AT_ONCE: usize = 500;
    let x = Exchange::builder().flag("--rate-limits", "on").start();
    let mut socket = x.socket("/v2/marketdata");
    let message = json!({ "type": "none" });
    let mut reasons = Vec::new();
    while reasons.last().is_none_or(|reason| reason != "RateLimit") {
        assert!(reasons.len() < 90_000, "no message was refused");
        (0..AT_ONCE).for_each(|_| socket.send(&message));
        reasons.extend((0..AT_ONCE).map(|_| socket.next_event()["reason"].clone()));
    }
    let limited = reasons.iter().position(|reason| reason == "RateLimit");
    assert!(limited >= Some(30_000), "{limited:?}");
    // Another socket has a weight of its own.
    let mut other = x.socket("/v2/marketdata");
    other.send(&message);
    assert_eq!(other.next_event()["reason"], "InvalidParameterValue");
}
