//! `/v1/marketdata/{symbol}` and `/v1/multimarketdata`.

use super::{Book, END, FIRST, SECOND, scenario, text, trades};
use buttonwood_accept::{Dec, Exchange, Socket, Value, dec, json, laws, same_keys};

/// The frames of a socket, from the whole book to the last order of the scenario, with the book that they make.
struct Frames {
    frames: Vec<Value>,
    book: Book,
}

/// Reads to the end of the scenario and checks numbers, deltas and reasons on the way.
#[track_caller]
fn read(socket: &mut Socket) -> Frames {
    let (mut frames, mut book, mut last) = (Vec::new(), Book::default(), 0);
    while !book.is_at_end() {
        let frame = socket.next();
        assert_eq!(frame["type"], "update", "{frame}");
        assert_eq!(frame["socket_sequence"], frames.len(), "{frame}");
        let id = frame["eventId"].as_u64().expect("an id");
        assert!(id > last, "{frame} after {last}");
        last = id;
        let is_first = frames.is_empty();
        let mut keys = vec!["type", "eventId", "socket_sequence", "events"];
        if !is_first {
            keys.extend(["timestamp", "timestampms"]);
        }
        same_keys(&frame, &keys, &frame);
        for event in frame["events"].as_array().expect("events") {
            if event["type"] == "change" {
                change(&mut book, event, is_first);
            }
        }
        frames.push(frame);
    }
    Frames { frames, book }
}

#[track_caller]
fn change(book: &mut Book, event: &Value, is_first: bool) {
    same_keys(event, &["type", "side", "price", "remaining", "delta", "reason"], event);
    let is_bid = match event["side"].as_str() {
        Some("bid") => true,
        Some("ask") => false,
        _ => panic!("no side: {event}"),
    };
    let before = book.set(is_bid, &event["price"], &event["remaining"]);
    let before = before.map_or(Dec::ZERO, |quantity| dec(&quantity));
    let (delta, now) = (Dec::wire(&event["delta"]), Dec::wire(&event["remaining"]));
    assert_eq!(before + delta, now, "{event}");
    let expected: &[&str] = match (is_first, delta > Dec::ZERO) {
        (true, _) => &["initial"],
        (false, true) => &["place"],
        (false, false) => &["trade", "cancel"],
    };
    assert!(event["reason"].as_str().is_some_and(|reason| expected.contains(&reason)), "{event}");
}

fn events(frames: &[Value]) -> Vec<Vec<Value>> {
    frames.iter().map(|frame| frame["events"].as_array().expect("events").clone()).collect()
}

/// A socket whose first frame has come, so that all that follows is in further ones.
#[track_caller]
fn begun(x: &Exchange, path: &str) -> Socket {
    let mut socket = x.socket(path);
    socket.wait();
    socket
}

/// From the first frame on, the changes make the book of REST, and the trades are those of REST, each with its change. Proves EVT-016, EVT-017,
/// EVT-018.
#[test]
fn changes_make_the_book() {
    let x = Exchange::start();
    let mut early = begun(&x, "/v1/marketdata/btcusd");
    let mut script = scenario(&x);
    script.run(FIRST);
    let mut late = begun(&x, "/v1/marketdata/BTCUSD");
    // Its first frame is the book as it is now.
    let before = Book::of_rest(&x, "btcusd");
    script.run(SECOND);
    script.run(END);
    let all = read(&mut early);
    assert_eq!(all.frames[0]["events"], json!([]));
    let rest = Book::of_rest(&x, "btcusd");
    assert_eq!(all.book, rest);
    let tail = read(&mut late);
    assert_eq!(tail.book, rest);
    let mut first = Book::default();
    for event in tail.frames[0]["events"].as_array().unwrap() {
        change(&mut first, event, true);
    }
    assert_eq!(first, before);
    // A frame is the same for all of its readers.
    let count = tail.frames.len() - 1;
    assert!(count > 10, "{count}");
    assert_eq!(events(&tail.frames[1..]), events(&all.frames[all.frames.len() - count..]));

    let seen: Vec<Value> =
        events(&all.frames).into_iter().flatten().filter(|event| event["type"] == "trade").collect();
    let expected: Vec<Value> = trades(&x, "btcusd")
        .iter()
        .map(|trade| {
            let maker = match trade["type"].as_str().unwrap() {
                "buy" => "ask",
                "sell" => "bid",
                other => other,
            };
            json!({ "type": "trade", "tid": trade["tid"], "price": trade["price"], "amount": trade["amount"],
                "makerSide": maker })
        })
        .collect();
    assert_eq!(seen, expected);
    assert!(seen.iter().any(|trade| trade["makerSide"] == "auction"), "{seen:?}");
    // All of a command is one frame: the trade, its change, and the remainder that rests.
    let taken = events(&all.frames)
        .into_iter()
        .find(|frame| frame.iter().any(|event| event["type"] == "trade"))
        .unwrap();
    let kinds: Vec<String> =
        taken.iter().map(|event| text(event.get("reason").unwrap_or(&event["type"]))).collect();
    assert_eq!(kinds, ["trade", "trade", "place"], "{taken:?}");
    assert_eq!((&taken[0]["tid"], &taken[1]["delta"]), (&seen[0]["tid"], &json!("-1")), "{taken:?}");
    // Orders for an auction alone are not shown.
    let is_hidden = |event: &Value| event["price"] != "30500.00" && event["price"] != "31000.00";
    assert!(events(&all.frames).iter().flatten().all(is_hidden));
    laws::check(&x);
}

/// Each flag leaves out its kind of events and nothing else. Proves EVT-019.
#[test]
fn flags_leave_out() {
    type Sees = fn(&Value) -> bool;
    let x = Exchange::start();
    let mut script = scenario(&x);
    script.run(FIRST);
    let is_auction = |event: &Value| event["type"].as_str().is_some_and(|kind| kind.starts_with("auction_"));
    let flags: [(&str, Sees); 8] = [
        ("bids=false", |event| event["side"] != "bid"),
        ("offers=false", |event| event["side"] != "ask"),
        ("trades=false", |event| event["type"] != "trade"),
        ("auctions=false", |event| !event["type"].as_str().unwrap().starts_with("auction_")),
        ("bids=false&offers=false", |event| event["type"] != "change"),
        ("bids=true&trades=true", |_| true),
        ("bids=false&offers=false&auctions=false", |event| event["type"] == "trade"),
        ("bids=false&offers=false&trades=false&auctions=false", |_| false),
    ];
    let mut full = begun(&x, "/v1/marketdata/btcusd");
    let mut readers: Vec<_> =
        flags.iter().map(|(query, _)| begun(&x, &format!("/v1/marketdata/btcusd?{query}"))).collect();
    script.run(SECOND);
    script.run(END);
    let full = events(&read(&mut full).frames);
    assert!(full.iter().flatten().any(is_auction));
    for ((query, sees), socket) in flags.iter().zip(&mut readers) {
        let seen =
            full.iter().map(|frame| frame.iter().filter(|event| sees(event)).cloned().collect::<Vec<_>>());
        let expected: Vec<Vec<Value>> = seen
            .enumerate()
            .filter(|(at, frame)| *at == 0 || !frame.is_empty())
            .map(|(_, frame)| frame)
            .collect();
        let frames: Vec<Value> = expected.iter().map(|_| socket.next()).collect();
        assert_eq!(events(&frames), expected, "{query}");
        for (at, frame) in frames.iter().enumerate() {
            assert_eq!(frame["socket_sequence"], at, "{query}");
        }
        socket.is_silent();
    }
}

/// The best level of each side, whenever it changes, without deltas. Proves EVT-019.
#[test]
fn the_top_of_the_book() {
    let x = Exchange::start();
    let mut script = scenario(&x);
    script.run(FIRST);
    let mut full = begun(&x, "/v1/marketdata/btcusd");
    let mut top = begun(&x, "/v1/marketdata/btcusd?top_of_book=true");
    script.run(SECOND);
    script.run(END);
    let best = |book: &Book| {
        let by_price = |price: &&String| dec(price);
        let bid =
            book.bids.keys().max_by_key(by_price).map(|price| (price.clone(), book.bids[price].clone()));
        let ask =
            book.asks.keys().min_by_key(by_price).map(|price| (price.clone(), book.asks[price].clone()));
        [("bid", bid), ("ask", ask)]
    };
    let (mut book, mut expected) = (Book::default(), Vec::new());
    for (at, frame) in events(&read(&mut full).frames).into_iter().enumerate() {
        let before = best(&book);
        let mut seen: Vec<Value> = frame.iter().filter(|event| event["type"] != "change").cloned().collect();
        for event in frame.iter().filter(|event| event["type"] == "change") {
            book.set(event["side"] == "bid", &event["price"], &event["remaining"]);
        }
        let mut tops = Vec::new();
        for ((side, before), (_, now)) in before.into_iter().zip(best(&book)) {
            let (price, remaining) = match (before, now) {
                (before, now) if before == now => continue,
                (_, Some(now)) => now,
                (Some((price, _)), None) => (price, "0".to_owned()),
                (None, None) => continue,
            };
            tops.push(json!({ "type": "change", "side": side, "price": price, "remaining": remaining, "reason": "top-of-book" }));
        }
        if at == 0 {
            tops.reverse();
        }
        seen.extend(tops);
        if at == 0 || !seen.is_empty() {
            expected.push(seen);
        }
    }
    let frames: Vec<Value> = expected.iter().map(|_| top.next()).collect();
    assert_eq!(events(&frames), expected);
    top.is_silent();
}

/// Several symbols over one socket: a frame holds one symbol, which each event names; unknown ones are ignored. Proves EVT-019.
#[test]
fn several_symbols() {
    let x = Exchange::start();
    let mut script = scenario(&x);
    script.run(FIRST);
    let symbols = ["btcusd", "ethusd"];
    let mut single = symbols.map(|symbol| begun(&x, &format!("/v1/marketdata/{symbol}")));
    let mut multi = begun(&x, "/v1/multimarketdata?symbols=BTCUSD,none,ethusd,btcusd");
    let mut second = begun(&x, "/v1/multimarketdata?symbols=none,btcusd&trades=false&top_of_book=true");
    script.run(SECOND);
    script.run(END);
    let named = |frame: Vec<Value>, symbol: &str| -> Vec<Value> {
        let named = |mut event: Value| {
            event["symbol"] = json!(symbol.to_uppercase());
            event
        };
        frame.into_iter().map(named).collect()
    };
    let bitcoin = events(&read(&mut single[0]).frames);
    // Its whole book, and the trade of the second part.
    let ether = [single[1].next(), single[1].next()];
    let expected = [
        bitcoin.into_iter().map(|frame| named(frame, "btcusd")).collect::<Vec<_>>(),
        events(&ether).into_iter().map(|frame| named(frame, "ethusd")).collect(),
    ];
    let (mut found, mut last) = ([Vec::new(), Vec::new()], 0);
    for at in 0..expected[0].len() + expected[1].len() {
        let frame = multi.next();
        assert_eq!(frame["socket_sequence"], at, "{frame}");
        let id = frame["eventId"].as_u64().unwrap();
        assert!(id > last, "{frame} after {last}");
        last = id;
        // The first frame of each names it, also of an empty book.
        assert_eq!(frame.get("symbol").is_some(), frame.get("timestamp").is_none(), "{frame}");
        let named = frame["symbol"].as_str().map(str::to_owned);
        let frame = frame["events"].as_array().unwrap().clone();
        let symbol = frame.first().map(|event| event["symbol"].as_str().unwrap().to_owned());
        assert!(named.is_none() || symbol.is_none() || named == symbol, "{named:?} {symbol:?}");
        let symbol = named.or(symbol).expect("a symbol");
        found[usize::from(symbol == "ETHUSD")].push(frame);
    }
    assert_eq!(found, expected);
    multi.is_silent();
    for event in second.next()["events"].as_array().unwrap() {
        assert_eq!(
            (&event["symbol"], &event["reason"]),
            (&json!("BTCUSD"), &json!("top-of-book")),
            "{event}"
        );
    }
    let mut empty = x.socket("/v1/multimarketdata?symbols=ltcusd");
    let first = empty.next();
    assert_eq!((&first["symbol"], &first["events"]), (&json!("LTCUSD"), &json!([])), "{first}");
    for query in ["", "?symbols=", "?symbols=none,zzzusd"] {
        let mut none = x.socket(&format!("/v1/multimarketdata{query}"));
        let text = "Query parameter 'symbols' names no symbol that is listed";
        let expected = json!({ "reason": "NoValidTradingPairs", "result": "error", "message": text });
        assert_eq!(none.next(), expected, "{query}");
    }
}

/// The events of an auction have what REST shows of it.
#[test]
fn auctions_are_told() {
    let x = Exchange::start();
    let now = x.now_ms();
    let mut socket = x.socket("/v1/marketdata/btcusd?bids=false&offers=false&trades=false");
    assert_eq!(socket.next()["events"], json!([]));
    let schedule = json!({ "auction_open_ms": now + 60_000, "first_indicative_ms": now + 120_000,
        "indicative_every_seconds": 60, "last_cancel_time_ms": now + 170_000 });
    x.schedule_auction("btcusd", &schedule, 240);
    x.advance(60);
    scenario(&x).run(
        "
        trader buy btcusd 2 @ 10010 auction-only
        savings-trader sell btcusd 1.5 @ 9990 auction-only
        counterparty sell btcusd 1 @ 10000
        broker buy btcusd 1 @ 9000
        advance 180
        ",
    );
    let mut next = || {
        let frame = socket.next();
        let events = frame["events"].as_array().unwrap().clone();
        assert_eq!(events.len(), 1, "{frame}");
        events[0].clone()
    };
    let open = json!({ "type": "auction_open", "auction_open_ms": now + 60_000, "auction_time_ms": now + 240_000,
        "first_indicative_ms": now + 120_000, "last_cancel_time_ms": now + 170_000 });
    assert_eq!(next(), open);
    let history = x.get("/v1/auction/btcusd/history").ok();
    let mut rows = history.as_array().unwrap().clone();
    rows.reverse();
    assert_eq!(rows.len(), 3, "two indications and the result: {history}");
    for row in &rows {
        let event = next();
        let [kind, price, quantity] = if row["event_type"] == "indicative" {
            ["auction_indicative", "indicative_price", "indicative_quantity"]
        } else {
            ["auction_result", "auction_price", "auction_quantity"]
        };
        let expected = json!({ "type": kind, "eid": row["eid"], "result": row["auction_result"], "time_ms": row["timestampms"],
            "highest_bid_price": row["highest_bid_price"], "lowest_ask_price": row["lowest_ask_price"],
            "collar_price": row["collar_price"], price: row["auction_price"], quantity: row["auction_quantity"] });
        assert_eq!(event, expected);
    }
    laws::check(&x);
}

/// Heartbeats come when they are asked for, and take numbers.
#[test]
fn heartbeats_on_request() {
    let x = Exchange::start();
    let mut socket = x.socket("/v1/marketdata/btcusd?heartbeat=true");
    let mut multi = x.socket("/v1/multimarketdata?symbols=btcusd&heartbeat=true");
    assert_eq!(socket.next()["socket_sequence"], 0);
    assert_eq!(multi.next()["socket_sequence"], 0);
    assert_eq!(socket.next(), json!({ "type": "heartbeat", "socket_sequence": 1 }));
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    assert_eq!(socket.next()["socket_sequence"], 2);
    assert_eq!(multi.next_that(|frame| frame["type"] == "heartbeat")["type"], "heartbeat");
}
