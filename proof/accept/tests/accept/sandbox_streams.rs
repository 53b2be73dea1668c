//! Sandbox control of sockets: the list, and faults on the way to their clients.

use buttonwood_accept::{Exchange, Value, json, same_keys, wait_until};

fn listed(x: &Exchange) -> Vec<Value> {
    x.get("/sandbox/streams").ok()["streams"].as_array().expect("sockets").clone()
}

fn fault(x: &Exchange, body: &Value) -> u64 {
    let done = x.control("/sandbox/streams/fault", body).ok();
    assert_eq!(done["result"], "ok", "{done}");
    done["connections"].as_u64().expect("a count")
}

/// All open sockets, the oldest first, with their kinds, keys, subscriptions and counts.
#[test]
fn open_sockets_are_listed() {
    let x = Exchange::start();
    assert_eq!(listed(&x), [Value::Null; 0]);
    let mut events = x.order_events(&x.as_("second-session"), "");
    events.next();
    let mut v1 = x.socket("/v1/marketdata/btcusd");
    v1.next();
    let mut multi = x.socket("/v1/multimarketdata?symbols=ethusd,BTCUSD");
    multi.next();
    multi.next();
    let mut v2 = x.socket("/v2/marketdata");
    v2.send(&json!({ "type": "subscribe", "subscriptions": [{ "name": "l2", "symbols": ["BTCUSD"] }] }));
    v2.next();
    let mut public = x.socket("/");
    public.ok("subscribe", json!(["btcusd@trade", "BTCUSD@depth"]));
    let mut private = x.fast("time-nonce", "/?cancelOnDisconnect=true");
    private.ok("subscribe", json!(["orders@account"]));
    let rows = listed(&x);
    let keys = ["connection", "kind", "key", "subscriptions", "sent", "queued_bytes", "cancel_on_disconnect"];
    for row in &rows {
        same_keys(row, &keys, row);
    }
    let column = |name: &str| -> Vec<Value> { rows.iter().map(|row| row[name].clone()).collect() };
    let kinds = ["order-events", "market-data-v1", "multi-market-data", "market-data-v2", "fast", "fast"];
    assert_eq!(column("kind"), kinds);
    let key = |name: &str| json!(name);
    assert_eq!(
        column("key"),
        [key("second-session"), Value::Null, Value::Null, Value::Null, Value::Null, key("time-nonce")]
    );
    assert_eq!(column("cancel_on_disconnect"), [false, false, false, false, false, true]);
    assert_eq!(column("queued_bytes"), [0; 6]);
    let mut numbers = column("connection").iter().map(|one| one.as_u64().unwrap()).collect::<Vec<_>>();
    assert!(numbers.is_sorted(), "{numbers:?}");
    numbers.dedup();
    assert_eq!(numbers.len(), 6);
    assert!(column("sent").iter().all(|sent| sent.as_u64() >= Some(1)), "{rows:?}");
    let mut names: Vec<&str> =
        rows[4]["subscriptions"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["BTCUSD@depth", "btcusd@trade"]);
    assert_eq!(rows[5]["subscriptions"], json!(["orders@account"]));
    public.ok("unsubscribe", json!(["btcusd@trade"]));
    assert_eq!(listed(&x)[4]["subscriptions"], json!(["BTCUSD@depth"]));
    v1.close();
    wait_until("a closed socket leaves the list", || listed(&x).len() == 5);
    drop(multi);
    wait_until("so does one that is cut", || listed(&x).len() == 4);
}

/// A fault is for one socket, for those of a key, or for all; a cut one gets no close frame.
#[test]
fn sockets_are_cut() {
    let x = Exchange::start();
    let mut first = x.fast("time-nonce", "/");
    let mut second = x.fast("time-nonce", "/");
    let mut events = x.order_events(&x.as_("trader"), "");
    let mut public = x.socket("/v2/marketdata");
    wait_until("all are listed", || listed(&x).len() == 4);
    let number = listed(&x)[0]["connection"].clone();
    assert_eq!(fault(&x, &json!({ "connection": number, "fault": "drop" })), 1);
    assert_eq!(first.close_code(), None);
    second.ok("ping", Value::Null);
    assert_eq!(fault(&x, &json!({ "key": "time-nonce", "fault": "drop" })), 1);
    assert_eq!(second.close_code(), None);
    assert_eq!(fault(&x, &json!({ "key": "time-nonce", "fault": "drop" })), 0);
    assert_eq!(fault(&x, &json!({ "all": true, "fault": "drop" })), 2);
    assert_eq!((events.close_code(), public.close_code()), (None, None));
    wait_until("the list is empty", || listed(&x).is_empty());
}

/// A stalled socket gets nothing until it goes on; skipped frames leave a gap in the numbers, and doubled ones come twice.
#[test]
fn frames_are_held_back_skipped_and_doubled() {
    let x = Exchange::start();
    let mut socket = x.socket("/v1/marketdata/btcusd");
    assert_eq!(socket.next()["socket_sequence"], 0);
    let place = |price: u64| x.as_("trader").limit("btcusd", "buy", "1", &price.to_string());
    let all = |name: &str| assert_eq!(fault(&x, &json!({ "all": true, "fault": name })), 1);
    let some = |name: &str, frames: u64| {
        assert_eq!(fault(&x, &json!({ "all": true, "fault": name, "frames": frames })), 1);
    };
    all("stall");
    place(10);
    place(11);
    wait_until("two frames wait", || listed(&x)[0]["queued_bytes"].as_u64() > Some(200));
    socket.is_silent();
    all("resume");
    assert_eq!(
        (&socket.next()["socket_sequence"], &socket.next()["socket_sequence"]),
        (&json!(1), &json!(2))
    );
    some("skip", 2);
    (12..15).for_each(|price| drop(place(price)));
    let frame = socket.next();
    assert_eq!(frame["socket_sequence"], 5, "{frame}");
    some("duplicate", 2);
    (15..18).for_each(|price| drop(place(price)));
    let numbers: Vec<Value> = (0..5).map(|_| socket.next()["socket_sequence"].clone()).collect();
    assert_eq!(numbers, [6, 6, 7, 7, 8]);
}

/// Wrong faults and targets are refused by field, and change nothing.
#[test]
fn wrong_faults_are_refused() {
    let x = Exchange::start();
    let mut socket = x.socket("/");
    socket.ok("ping", Value::Null);
    let connection = listed(&x)[0]["connection"].clone();
    for (body, status, wrong) in [
        (json!({}), 400, "fault"),
        (json!({ "all": true }), 400, "fault"),
        (json!({ "all": true, "fault": "explode" }), 400, "explode"),
        (json!({ "all": true, "fault": 5 }), 400, "fault"),
        (json!({ "fault": "drop" }), 400, "target"),
        (json!({ "all": false, "fault": "drop" }), 400, "target"),
        (json!({ "all": true, "key": "trader", "fault": "drop" }), 400, "target"),
        (json!({ "connection": connection, "key": "trader", "fault": "drop" }), 400, "target"),
        (json!({ "connection": 999_999, "fault": "drop" }), 404, "999999"),
        (json!({ "connection": "x", "fault": "drop" }), 400, "connection"),
        (json!({ "connection": -1, "fault": "drop" }), 400, "connection"),
        (json!({ "key": 5, "fault": "drop" }), 400, "key"),
        (json!({ "all": "maybe", "fault": "drop" }), 400, "all"),
        (json!({ "all": true, "fault": "skip" }), 400, "frames"),
        (json!({ "all": true, "fault": "skip", "frames": 0 }), 400, "frames"),
        (json!({ "all": true, "fault": "duplicate", "frames": 1_000_001 }), 400, "frames"),
        (json!({ "all": true, "fault": "skip", "frames": "x" }), 400, "frames"),
    ] {
        let answer = x.control("/sandbox/streams/fault", &body);
        assert_eq!(answer.status(), status, "{answer}");
        assert!(answer.error().message.contains(wrong), "{answer}");
    }
    assert_eq!(fault(&x, &json!({ "key": "nobody", "fault": "drop" })), 0);
    socket.ok("ping", Value::Null);
    x.anyone().send("POST", "/sandbox/streams", &[], b"{}").error();
}
