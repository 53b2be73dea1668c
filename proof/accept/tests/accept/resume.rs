//! Resuming: a reader that comes back gets exactly what it missed, over kills too.

use crate::order_events::{Reader, kinds};
use buttonwood_accept::{Exchange, NewOrder, SocketError, Value, json, laws};

/// Events without the numbers of their socket.
fn plain(events: &[Value]) -> Vec<Value> {
    let mut events = events.to_vec();
    for event in &mut events {
        event.as_object_mut().expect("an event").remove("socket_sequence");
    }
    events
}

/// Orders and fills of the trader: six events, from `booked` to `closed`.
fn act(x: &Exchange) {
    x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").named("a"));
    x.as_("counterparty").limit("btcusd", "sell", "0.25", "100");
    x.as_("trader").limit("ethusd", "buy", "1", "90");
    x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
}

const OF_ACT: &str = "accepted booked fill accepted booked cancelled closed cancelled closed";

#[track_caller]
fn resumed(x: &Exchange, after: u64, more: &str) -> Reader {
    let reader = Reader::without_initial(x.order_events(&x.as_("trader"), &format!("?after={after}{more}")));
    assert_eq!(reader.ack["resumed"], true, "{}", reader.ack);
    reader
}

/// The missed events follow the acknowledgement with their ids, then live ones; filters hold for them too.
#[test]
fn missed_events_follow_the_acknowledgement() {
    let x = Exchange::start();
    let mut steady = Reader::of(&x, "auditor", "");
    let mut first = Reader::of(&x, "trader", "");
    assert!(first.ack.get("resumed").is_none(), "{}", first.ack);
    act(&x);
    let count = OF_ACT.split(' ').count();
    let read = first.events(count);
    assert_eq!(kinds(&read).matches("closed").count(), 2, "{read:?}");
    let after = first.last;
    drop(first);
    act(&x);
    act(&x);
    let seen = steady.events(3 * count);
    let mut again = resumed(&x, after, "");
    assert_eq!(plain(&again.events(2 * count)), plain(&seen[count..]));
    act(&x);
    assert_eq!(plain(&again.events(count)), plain(&steady.events(count)));
    let mut fills = resumed(&x, after, "&eventTypeFilter=fill");
    assert_eq!(kinds(&fills.events(3)), "fill fill fill");
    // From every place on; the newest has missed nothing.
    for at in [0, 1, count, 2 * count] {
        let id: u64 = seen[at]["event_id"].as_str().unwrap().parse().unwrap();
        let mut reader = resumed(&x, id, "");
        assert_eq!(plain(&reader.events(3 * count - 1 - at)), plain(&seen[at + 1..]), "{at}");
    }
    let mut newest = resumed(&x, again.last, "");
    x.as_("trader").limit("btcusd", "buy", "1", "10");
    assert_eq!(kinds(&newest.events(2)), "accepted booked");
    laws::check(&x);
}

/// A key of a group resumes the events of all of its accounts, in their order, over a kill too.
#[test]
fn a_key_of_a_group_resumes() {
    let x = Exchange::start();
    let mut steady = Reader::of(&x, "master", "");
    let act = || {
        x.as_("trader").limit("btcusd", "buy", "1", "100");
        x.as_("savings-trader").limit("btcusd", "buy", "1", "99");
        x.as_("counterparty").limit("btcusd", "sell", "1.5", "99");
        x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
        x.as_("savings-trader").call("/v1/order/cancel/all", json!({})).ok();
    };
    act();
    act();
    let seen = steady.events(18);
    for is_again in [false, true] {
        if is_again {
            x.kill9();
            x.restart();
        }
        for at in [0, 3, 8, 16, 17] {
            let after = seen[at]["event_id"].as_str().unwrap();
            let socket = x.order_events(&x.as_("master"), &format!("?after={after}"));
            let mut reader = Reader::without_initial(socket);
            assert_eq!(reader.ack["resumed"], true, "{at}: {}", reader.ack);
            assert_eq!(plain(&reader.events(17 - at)), plain(&seen[at + 1..]), "{at}");
        }
    }
    // Then live ones follow; an account outside of the group has nothing to go on after.
    let mut reader =
        Reader::without_initial(x.order_events(&x.as_("master"), &format!("?after={}", steady.last)));
    let placed = x.as_("savings-trader").limit("btcusd", "buy", "1", "99");
    let next = reader.events(2);
    assert_eq!((&next[0]["order_id"], &next[0]["account_name"]), (&placed["order_id"], &json!("savings")));
    let mut other = Reader::of(&x, "counterparty", "");
    x.as_("counterparty").limit("btcusd", "buy", "1", "1");
    other.events(2);
    let anew = Reader::with_initial(x.order_events(&x.as_("master"), &format!("?after={}", other.last)));
    assert_eq!(anew.ack["resumed"], false, "{}", anew.ack);
    laws::check(&x);
}

/// An id that was never given, or that is another account's, is outside: the live orders follow.
#[test]
fn an_unknown_id_begins_anew() {
    let x = Exchange::start();
    let mut other = Reader::of(&x, "savings-trader", "");
    x.as_("savings-trader").limit("btcusd", "buy", "1", "10");
    other.events(2);
    let live = x.as_("trader").limit("btcusd", "buy", "1", "10")["order_id"].clone();
    for after in [1 << 40, (1 << 53) - 1, other.last] {
        let reader = Reader::with_initial(x.order_events(&x.as_("trader"), &format!("?after={after}")));
        assert_eq!(reader.ack["resumed"], false, "{after}: {}", reader.ack);
        assert_eq!(reader.initial.len(), 1, "{after}");
        assert_eq!(reader.initial[0]["order_id"], live);
    }
}

/// A reader resumes over `kill -9`, a clean stop, and both.
#[test]
fn resuming_outlives_restarts() {
    let x = Exchange::start();
    let count = OF_ACT.split(' ').count();
    let mut reader = Reader::of(&x, "trader", "");
    act(&x);
    let first = reader.events(count);
    let at: u64 = first[2]["event_id"].as_str().unwrap().parse().unwrap();
    let mut expected = plain(&first[3..]);
    for is_killed in [true, false, true] {
        act(&x);
        expected.extend(plain(&reader.events(count)));
        if is_killed {
            x.kill9();
        } else {
            x.stop();
        }
        x.restart();
        reader = resumed(&x, at, "");
        assert_eq!(plain(&reader.events(expected.len())), expected, "killed: {is_killed}");
    }
    act(&x);
    assert_eq!(reader.events(count).len(), count);
    laws::check(&x);
}

/// Thousands of events can be resumed, in arrays of some hundreds.
#[test]
fn a_thousand_events_are_resumed() {
    let x = Exchange::start();
    let mut steady = Reader::of(&x, "auditor", "");
    x.as_("trader").limit("btcusd", "buy", "1", "10");
    steady.events(2);
    let after = steady.last;
    for _ in 0..300 {
        x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "10").with_option("maker-or-cancel"));
        x.as_("trader").call("/v1/order/cancel/session", json!({})).ok();
    }
    let seen = steady.events(1_202);
    for is_again in [false, true] {
        if is_again {
            x.kill9();
            x.restart();
        }
        let mut reader = resumed(&x, after, "");
        assert_eq!(plain(&reader.events(seen.len())), plain(&seen));
    }
}

/// Resumes of a key are limited.
#[test]
fn resumes_are_limited() {
    let x = Exchange::builder().flag("--rate-limits", "on").start();
    let mut refused = None;
    for _ in 0..12 {
        if let Err(error) = x.try_order_events(&x.as_("trader"), "?after=1", json!({})) {
            refused = Some(error);
        }
    }
    let Some(SocketError::Refused { status: 429, body }) = refused else { panic!("{refused:?}") };
    assert!(body.contains("resume ten times a minute"), "{body}");
}

/// The newest socket: the answer to the subscription comes first, then the missed updates.
#[test]
fn the_newest_socket_resumes_orders() {
    let x = Exchange::start();
    let subscribe = |path: &str, name: &str| {
        let mut socket = x.fast("time-nonce", path);
        let answer = socket.ok("subscribe", json!([name]));
        (socket, answer)
    };
    let (mut steady, answer) = subscribe("/", "orders@account");
    assert!(answer.get("resumed").is_none(), "{answer}");
    // Of nine events two are `closed`, which has no update.
    let count = 7;
    act(&x);
    let seen: Vec<Value> = (0..count).map(|_| steady.next()).collect();
    let after = seen[2]["u"].as_u64().expect("an id");
    for is_killed in [false, true] {
        if is_killed {
            x.kill9();
            x.restart();
        }
        let path = format!("/?ordersAfter={after}");
        let mut early = x.fast("time-nonce", &path);
        early.send(&json!({ "id": 9, "method": "subscribe", "params": ["orders@account"] }));
        assert_eq!(early.next(), json!({ "id": 9, "status": 200, "resumed": true }));
        assert_eq!(early.next(), seen[3]);
        let (mut socket, answer) = subscribe(&path, "orders@account");
        assert_eq!(answer["resumed"], true, "{answer}");
        let missed: Vec<Value> = (3..count).map(|_| socket.next()).collect();
        assert_eq!(missed, seen[3..], "killed: {is_killed}");
        let placed = x.as_("trader").limit("btcusd", "buy", "1", "10")["order_id"].clone();
        let placed: u64 = placed.as_str().unwrap().parse().unwrap();
        let new = socket.next_that(|frame| frame["i"] == placed);
        assert_eq!(new["X"], "NEW");
        x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
        // None of these orders is of this key.
        let (mut socket, answer) = subscribe(&path, "orders@session");
        assert_eq!(answer["resumed"], true, "{answer}");
        socket.is_silent();
        let (mut socket, answer) = subscribe(&format!("/?ordersAfter={}", 1_u64 << 50), "orders@account");
        assert_eq!(answer["resumed"], false, "{answer}");
        x.as_("trader").limit("btcusd", "buy", "1", "10");
        assert_eq!(socket.next()["X"], "NEW");
        x.as_("trader").call("/v1/order/cancel/all", json!({})).ok();
    }
    laws::check(&x);
}
