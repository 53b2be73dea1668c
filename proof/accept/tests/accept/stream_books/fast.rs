//! The public streams of the newest socket.

use super::{Book, END, FIRST, SECOND, scenario, text, trades};
use buttonwood_accept::{Dec, Exchange, Socket, Value, dec, json, laws, same_keys};

fn subscribed(x: &Exchange, path: &str, name: &str) -> Socket {
    let mut socket = x.socket(path);
    socket.ok("subscribe", json!([name]));
    socket
}

/// Applies pairs of price and quantity.
#[track_caller]
fn apply(book: &mut Book, is_bid: bool, levels: &Value) {
    for level in levels.as_array().unwrap_or_else(|| panic!("no levels: {levels}")) {
        assert_eq!(level.as_array().map(Vec::len), Some(2), "{levels}");
        book.set(is_bid, &level[0], &level[1]);
    }
}

/// Reads frames of `@depth` to the last order, from an update id on; each begins where the one before ended.
#[track_caller]
fn follow(socket: &mut Socket, book: &mut Book, mut last: Option<u64>) {
    while !book.is_at_end() {
        let frame = socket.next();
        same_keys(&frame, &["e", "E", "s", "U", "u", "b", "a"], &frame);
        assert_eq!((&frame["e"], &frame["s"]), (&json!("depthUpdate"), &json!("BTCUSD")), "{frame}");
        let [from, to] = ["U", "u"].map(|name| frame[name].as_u64().expect("an id"));
        assert!(from < to && last.is_none_or(|last| last == from), "{frame} after {last:?}");
        last = Some(to);
        apply(book, true, &frame["b"]);
        apply(book, false, &frame["a"]);
    }
}

/// The best levels of a side of REST's book, as pairs.
fn best(x: &Exchange, side: &str, limit: usize) -> Value {
    let book = x.get("/v1/book/btcusd?limit_bids=0&limit_asks=0").ok();
    let levels = book[side].as_array().unwrap().iter().take(limit);
    levels.map(|level| json!([level["price"], level["amount"]])).collect()
}

/// Without a snapshot the first frame is the first change; with one it is the book, or its best levels, and then each frame continues the
/// one before. Proves EVT-023, EVT-026.
#[test]
fn depth_makes_the_book() {
    let x = Exchange::start();
    let mut script = scenario(&x);
    // From an empty book on, no snapshot is needed.
    let mut early = subscribed(&x, "/", "btcusd@depth");
    let mut slow = subscribed(&x, "/", "btcusd@depth@100ms");
    script.run(FIRST);
    let before = Book::of_rest(&x, "btcusd");
    let mut whole = [
        subscribed(&x, "/?snapshot=-1", "BTCUSD@depth"),
        subscribed(&x, "/?snapshot=-5", "btcusd@depth@100ms"),
    ];
    let firsts = whole.each_mut().map(|socket| {
        let first = socket.next();
        assert_eq!(first["U"], first["u"], "{first}");
        let mut book = Book::default();
        apply(&mut book, true, &first["b"]);
        apply(&mut book, false, &first["a"]);
        assert_eq!(book, before);
        (book, first["u"].as_u64())
    });
    let mut top = subscribed(&x, "/?snapshot=1", "btcusd@depth");
    let first = top.next();
    assert_eq!((&first["b"], &first["a"]), (&best(&x, "bids", 1), &best(&x, "asks", 1)), "{first}");
    assert_eq!((&first["U"], first["u"].as_u64()), (&first["u"], firsts[0].1));
    let mut none = subscribed(&x, "/?snapshot=0", "btcusd@depth");
    none.is_silent();
    script.run(SECOND);
    script.run(END);
    let rest = Book::of_rest(&x, "btcusd");
    for (socket, (mut book, last)) in whole.iter_mut().zip(firsts.clone()) {
        follow(socket, &mut book, last);
        assert_eq!(book, rest);
    }
    for socket in [&mut early, &mut slow] {
        let mut book = Book::default();
        follow(socket, &mut book, None);
        assert_eq!(book, rest);
    }
    for (socket, mut book) in [(&mut top, before.clone()), (&mut none, before)] {
        follow(socket, &mut book, firsts[0].1);
        assert_eq!(book, rest);
    }
    laws::check(&x);
}

/// Update ids go on over a crash, and are those of `depth` and of whole levels (D-151). Proves EVT-026.
#[test]
fn update_ids_outlive_restarts() {
    let x = Exchange::start();
    scenario(&x).run(FIRST);
    let ids = |x: &Exchange| {
        let first = subscribed(x, "/?snapshot=-1", "btcusd@depth").next();
        let levels = subscribed(x, "/", "btcusd@depth5").next();
        let ticker = subscribed(x, "/", "btcusd@bookTicker").next();
        let called = x.socket("/").ok("depth", json!({ "symbol": "btcusd" }))["result"].clone();
        let all = [&first["u"], &levels["lastUpdateId"], &ticker["u"], &called["lastUpdateId"]];
        all.map(|id| id.as_u64().expect("an id"))
    };
    let before = ids(&x);
    assert!(before.iter().all(|id| *id == before[0] && *id > 0), "{before:?}");
    // A command that leaves the book as it is leaves its id.
    x.as_("trader").limit("ethusd", "buy", "1", "10");
    assert_eq!(ids(&x), before);
    x.kill9();
    x.restart();
    assert_eq!(ids(&x), before);
    x.as_("trader").limit("btcusd", "buy", "1", "10");
    assert!(ids(&x)[0] > before[0]);
}

/// Levels come whole, at the subscription and after changes; the call `depth` has as many as it is asked for. Proves EVT-025, EVT-026.
#[test]
fn levels_are_those_of_rest() {
    let x = Exchange::start();
    let mut script = scenario(&x);
    script.run(FIRST);
    for at in 0..25 {
        x.as_("trader").limit("btcusd", "buy", "0.01", &format!("{}.5", 20_000 + at));
        x.as_("counterparty").limit("btcusd", "sell", "0.25", &format!("{}.25", 40_000 + at));
    }
    let is_current = |frame: &Value, limit: usize| {
        frame["bids"] == best(&x, "bids", limit) && frame["asks"] == best(&x, "asks", limit)
    };
    let names = [
        ("btcusd@depth5", 5),
        ("btcusd@depth10", 10),
        ("BTCUSD@depth20", 20),
        ("btcusd@depth5@100ms", 5),
        ("btcusd@depth10@100ms", 10),
        ("btcusd@depth20@100ms", 20),
    ];
    let mut sockets = names.map(|(name, limit)| {
        let mut socket = subscribed(&x, "/", name);
        let first = socket.next();
        same_keys(&first, &["lastUpdateId", "symbol", "bids", "asks"], &first);
        assert_eq!(first["symbol"], "BTCUSD");
        assert!(is_current(&first, limit), "{first}");
        socket
    });
    script.run(SECOND);
    for ((_, limit), socket) in names.iter().zip(&mut sockets) {
        socket.next_that(|frame| is_current(frame, *limit));
    }
    let mut socket = x.socket("/");
    for (params, limit) in [
        (json!({ "symbol": "btcusd" }), 100),
        (json!({ "symbol": "BTCUSD", "limit": 1 }), 1),
        (json!({ "symbol": "btcusd", "limit": "7" }), 7),
        (json!({ "symbol": "btcusd", "limit": 5_001 }), 5_000),
        (json!({ "symbol": "btcusd", "limit": null }), 100),
    ] {
        let book = socket.ok("depth", params.clone())["result"].clone();
        same_keys(&book, &["lastUpdateId", "bids", "asks"], &book);
        assert!(is_current(&book, limit), "{params}: {book}");
    }
    for (params, wrong) in [
        (json!({}), "symbol"),
        (json!({ "symbol": 5 }), "symbol"),
        (json!({ "symbol": "none" }), "none"),
        (json!({ "symbol": "btcusd", "limit": 0 }), "limit"),
        (json!({ "symbol": "btcusd", "limit": "x" }), "limit"),
        (json!({ "symbol": "btcusd", "limit": -1 }), "limit"),
        (json!({ "symbol": "btcusd", "limit": 1.5 }), "limit"),
        (Value::Null, "params"),
        (json!(["btcusd"]), "params"),
    ] {
        let message = socket.refused("depth", params.clone(), 400, -1013);
        assert!(message.contains(wrong), "{params}: {message}");
    }
}

/// The trades are those of REST, in order. Proves EVT-026.
#[test]
fn trades_are_those_of_rest() {
    let x = Exchange::start();
    let mut socket = subscribed(&x, "/", "btcusd@trade");
    let mut script = scenario(&x);
    script.run(FIRST);
    script.run(SECOND);
    let all = trades(&x, "btcusd");
    assert!(all.len() > 5, "{all:?}");
    for trade in all {
        let frame = socket.next();
        // The maker bought where the taker sells; in an auction no side rested.
        let expected = json!({ "E": trade["timestampms"].as_u64().unwrap() * 1_000_000, "s": "BTCUSD", "t": trade["tid"],
            "p": trade["price"], "q": trade["amount"], "m": trade["type"] == "sell" });
        assert_eq!(frame, expected);
    }
    socket.is_silent();
}

/// The best level of each side and the last trade are those of REST, at first and in the end; an empty side is `"0"`. Proves EVT-026.
#[test]
fn the_ticker_is_that_of_rest() {
    let x = Exchange::start();
    let mut socket = subscribed(&x, "/", "btcusd@bookTicker");
    let first = socket.next();
    same_keys(&first, &["u", "E", "s", "b", "B", "a", "A"], &first);
    let sides = ["b", "B", "a", "A"].map(|name| text(&first[name]));
    assert_eq!(sides, ["0"; 4]);
    let mut script = scenario(&x);
    script.run(FIRST);
    script.run(SECOND);
    let book = x.get("/v1/book/btcusd").ok();
    let last = trades(&x, "btcusd").pop().expect("a trade");
    let expected = |frame: &Value| {
        [("bids", "b", "B"), ("asks", "a", "A")].into_iter().all(|(side, price, quantity)| {
            match book[side].get(0) {
                Some(level) => frame[price] == level["price"] && frame[quantity] == level["amount"],
                None => frame[price] == "0" && frame[quantity] == "0",
            }
        }) && frame["c"] == last["price"]
            && frame["C"] == last["amount"]
    };
    let now = socket.next_that(expected);
    assert_eq!(now["s"], "BTCUSD");
    let ticker = x.get("/v1/pubticker/btcusd").ok();
    assert_eq!(Dec::wire(&ticker["last"]), dec(&text(&now["c"])));
    let fresh = subscribed(&x, "/", "BTCUSD@bookTicker").next();
    assert!(expected(&fresh), "{fresh}");
    assert_eq!(fresh["u"], now["u"]);
    // A change behind the best level makes no frame.
    x.as_("trader").limit("btcusd", "buy", "1", "10");
    socket.is_silent();
}

/// The weight that a socket has used, this call included.
#[track_caller]
fn weight(socket: &mut Socket) -> u64 {
    socket.ok("conninfo", Value::Null)["rateLimits"][0]["count"].as_u64().expect("a count")
}

/// A call weighs 1, and `depth` 1 for each hundred levels.
#[test]
fn depth_weighs_by_its_levels() {
    let x = Exchange::start();
    for at in 0..150 {
        x.as_("trader").limit("btcusd", "buy", "0.001", &format!("{}", 1_000 + at));
    }
    let mut socket = x.socket("/");
    assert_eq!([weight(&mut socket), weight(&mut socket)], [1, 2]);
    for (limit, weighs) in [(5_000, 2), (100, 1), (101, 2), (1, 1)] {
        let before = weight(&mut socket);
        socket.ok("depth", json!({ "symbol": "btcusd", "limit": limit }));
        assert_eq!(weight(&mut socket), before + weighs + 1, "{limit}");
    }
}
