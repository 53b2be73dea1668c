//! Readers that do not read: states and differences wait in a handful of frames, a sequence ends its reader, and memory stays bounded.

use crate::fast_orders::limit;
use crate::order_events::Reader;
use buttonwood_accept::{Exchange, Socket, Value, json, laws, wait_until};

/// The only open socket as the sandbox lists it; none if there is none.
fn listed(x: &Exchange) -> Option<Value> {
    x.get("/sandbox/streams").ok()["streams"].get(0).cloned()
}

/// Puts a fault on all sockets.
fn fault(x: &Exchange, fault: &str) {
    x.control("/sandbox/streams/fault", &json!({ "all": true, "fault": fault })).ok();
}

/// So many changes of the book, of its best level and of the trader's balances.
fn change(x: &Exchange, count: u32) {
    let trader = x.as_("trader");
    for at in 0..count {
        trader.limit("btcusd", "buy", "0.01", &format!("{}", 1_000 + at));
    }
}

/// A book of the frames' levels: prices with their quantities.
fn levels(side: &Value) -> Vec<(String, String)> {
    let level =
        |level: &Value| (level[0].as_str().unwrap().to_owned(), level[1].as_str().unwrap().to_owned());
    side.as_array().expect("levels").iter().map(level).collect()
}

/// After three hundred changes, a reader of a state that did not read gets a handful of frames, of which the last is the newest.
#[test]
fn states_are_replaced() {
    for name in ["btcusd@bookTicker", "btcusd@depth5@100ms", "balances@account"] {
        let x = Exchange::start();
        let mut socket = x.fast("time-nonce", "/");
        socket.ok("subscribe", json!([name]));
        socket.next();
        fault(&x, "stall");
        change(&x, 300);
        // Its queue holds one frame, however many there were.
        wait_until("a frame waits", || listed(&x).is_some_and(|one| one["queued_bytes"].as_u64() > Some(0)));
        let queued = listed(&x).unwrap()["queued_bytes"].as_u64().unwrap();
        assert!(queued < 4_096, "{name}: {queued}");
        let is_newest = |frame: &Value| match name {
            "btcusd@bookTicker" => frame["b"] == "1299.00",
            "balances@account" => {
                let usd = x.as_("trader").balance("USD").1;
                frame["B"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|row| row["a"] == "USD" && buttonwood_accept::Dec::wire(&row["f"]) == usd)
            }
            _ => frame["bids"][0][0] == "1299.00",
        };
        fault(&x, "resume");
        let mut count = 1;
        while !is_newest(&socket.next()) {
            count += 1;
        }
        assert!(count <= 5, "{name}: {count} frames");
        laws::check(&x);
    }
}

/// Differences that wait merge into one correct frame, which continues the one before it.
#[test]
fn differences_are_merged() {
    let x = Exchange::start();
    let mut socket = x.socket("/?snapshot=-1");
    socket.ok("subscribe", json!(["btcusd@depth"]));
    let mut last = socket.next()["u"].clone();
    fault(&x, "stall");
    let trader = x.as_("trader");
    change(&x, 250);
    x.as_("counterparty").limit("btcusd", "sell", "0.5", "1240");
    trader.limit("btcusd", "buy", "2", "1100");
    x.as_("counterparty").limit("btcusd", "sell", "1", "9000");
    fault(&x, "resume");
    let (mut bids, mut count) = (std::collections::BTreeMap::new(), 0);
    let rest = x.get("/v1/book/btcusd?limit_bids=0&limit_asks=0").ok();
    let expected: std::collections::BTreeMap<String, String> = rest["bids"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| {
            (level["price"].as_str().unwrap().to_owned(), level["amount"].as_str().unwrap().to_owned())
        })
        .collect();
    while bids != expected {
        let frame = socket.next();
        assert_eq!(frame["U"], last, "{frame}");
        last = frame["u"].clone();
        for (price, quantity) in levels(&frame["b"]) {
            if quantity == "0" {
                bids.remove(&price)
            } else {
                bids.insert(price, quantity)
            };
        }
        count += 1;
    }
    assert!(count <= 5, "{count} frames");
    laws::check(&x);
}

/// A reader of a sequence that does not read loses its socket once its queue is full, leaves the list at once, and takes nobody with it.
#[test]
fn a_full_queue_closes_its_socket() {
    type Open = fn(&Exchange) -> Socket;
    let kinds: [(&str, Open); 4] = [
        ("orders of the first generation", |x| x.order_events(&x.as_("trader"), "")),
        ("changes of the first generation", |x| x.socket("/v1/marketdata/btcusd")),
        ("orders of the newest", |x| {
            let mut socket = x.fast("time-nonce", "/");
            socket.ok("subscribe", json!(["orders@account"]));
            socket
        }),
        ("trades of the newest", |x| {
            let mut socket = x.socket("/");
            socket.ok("subscribe", json!(["btcusd@trade"]));
            socket
        }),
    ];
    for (kind, open) in kinds {
        let x = Exchange::builder().flag("--stream-buffer-bytes", "16384").start();
        let mut socket = open(&x);
        wait_until("it is listed", || listed(&x).is_some());
        fault(&x, "stall");
        let mut most = 0;
        let mut at = 0;
        while let Some(one) = listed(&x) {
            most = most.max(one["queued_bytes"].as_u64().unwrap());
            x.as_("counterparty").limit("btcusd", "sell", "0.01", "100");
            x.as_("trader").limit("btcusd", "buy", "0.01", "100");
            at += 1;
            assert!(at < 2_000, "{kind}: it still reads: {one}");
        }
        assert!(most <= 16_384, "{kind}: {most} bytes waited");
        assert!(most > 4_096, "{kind}: it was closed with {most} bytes");
        assert_eq!(socket.close_code(), Some(1008), "{kind}");
        // A new one is served.
        let mut reader = Reader::of(&x, "trader", "");
        x.as_("trader").limit("btcusd", "buy", "0.01", "90");
        reader.events(2);
        laws::check(&x);
    }
}

/// A cancel of thousands of orders reaches every reader of them, in short arrays, though its events are more than may wait for one socket; who was
/// away resumes them all.
#[test]
fn a_cancel_of_thousands_closes_no_reader() {
    const ORDERS: usize = 5_100;
    let x = Exchange::start();
    let mut trader = x.fast("time-nonce", "/");
    for _ in 0..ORDERS / 100 {
        for _ in 0..100 {
            let params = limit("btcusd", "BUY", "0.001", "100");
            trader.send(&json!({ "id": 1, "method": "order.place", "params": params }));
        }
        (0..100).for_each(|_| assert_eq!(trader.next()["status"], 200));
    }
    let mut reader = Reader::of(&x, "trader", "");
    assert_eq!(reader.initial.len(), ORDERS);
    x.as_("trader").limit("btcusd", "buy", "0.001", "100");
    reader.events(2);
    let after = reader.last;
    trader.ok("subscribe", json!(["orders@account"]));
    x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
    let events = reader.events(2 * (ORDERS + 1));
    let is = |event: &Value, kind: &str| event["type"] == kind;
    assert_eq!(events.iter().filter(|event| is(event, "cancelled")).count(), ORDERS + 1);
    assert_eq!(events.iter().filter(|event| is(event, "closed")).count(), ORDERS + 1);
    assert!(reader.longest <= 100, "{}", reader.longest);
    (0..=ORDERS).for_each(|_| assert_eq!(trader.next()["X"], "CANCELED"));
    let again = x.order_events(&x.as_("trader"), &format!("?after={after}"));
    let mut again = Reader::without_initial(again);
    assert_eq!(again.ack["resumed"], true, "{}", again.ack);
    // Its ids say which event it is; each socket numbers its own frames.
    let last =
        |events: &[Value]| events.last().map(|event| [event["event_id"].clone(), event["order_id"].clone()]);
    assert_eq!(last(&again.events(events.len())), last(&events));
    let mut fast = x.fast("time-nonce", &format!("/?ordersAfter={after}"));
    assert_eq!(fast.ok("subscribe", json!(["orders@account"]))["resumed"], true);
    (0..=ORDERS).for_each(|_| assert_eq!(fast.next()["X"], "CANCELED"));
    laws::check(&x);
}

/// All queues together have a bound: beyond it the socket with the longest queue goes, and the others stay.
#[test]
fn all_queues_have_a_bound() {
    let x = Exchange::builder()
        .flag("--stream-buffer-bytes", "65536")
        .flag("--stream-total-bytes", "65536")
        .start();
    let _first = x.socket("/v1/marketdata/btcusd");
    let _second = x.socket("/v1/marketdata/btcusd?bids=false");
    let open = || x.get("/sandbox/streams").ok()["streams"].as_array().unwrap().clone();
    wait_until("both are listed", || open().len() == 2);
    fault(&x, "stall");
    let mut at = 0;
    while open().len() == 2 {
        let waiting: u64 = open().iter().map(|one| one["queued_bytes"].as_u64().unwrap()).sum();
        assert!(waiting <= 65_536 + 4_096, "{waiting}");
        x.as_("counterparty").limit("btcusd", "sell", "0.01", "100");
        x.as_("trader").limit("btcusd", "buy", "0.01", "100");
        at += 1;
        assert!(at < 2_000, "both still wait");
    }
    assert_eq!(open().len(), 1);
    let home = buttonwood_accept::private_folder();
    for (buffer, total) in [("0", "65536"), ("65536", "1000")] {
        let setup =
            Exchange::builder().flag("--stream-buffer-bytes", buffer).flag("--stream-total-bytes", total);
        let line = setup.refuses_in(&home.path().join("data"));
        assert!(line.contains("--stream-"), "{line}");
    }
}
