//! Cancel on disconnect: a connection's own orders go with it, and no others.

use crate::fast_orders::{limit, place};
use crate::order_events::{Reader, kinds};
use buttonwood_accept::{Exchange, Socket, Value, json, laws, wait_until};

/// Sockets and their orders: two that cancel on disconnect, one that does not, and an order by REST; the same account.
struct Desk {
    cancelling: Socket,
    /// The orders of the first socket.
    gone: Vec<String>,
    others: Vec<Socket>,
    /// All other orders.
    stay: Vec<String>,
}

fn desk(x: &Exchange) -> Desk {
    let mut cancelling = x.fast("time-nonce", "/?cancelOnDisconnect=true");
    let mut beside = x.fast("time-nonce", "/?cancelOnDisconnect=true");
    let mut plain = x.fast("time-nonce", "/");
    let gone = ["99", "98", "97"].map(|price| place(&mut cancelling, limit("btcusd", "BUY", "1", price)));
    let mut stay = vec![
        place(&mut beside, limit("btcusd", "BUY", "1", "96")),
        place(&mut plain, limit("btcusd", "BUY", "1", "95")),
        x.as_("trader").limit("btcusd", "buy", "1", "94")["order_id"].as_str().unwrap().to_owned(),
    ];
    stay.sort();
    Desk { cancelling, gone: gone.into(), others: vec![beside, plain], stay }
}

fn live(x: &Exchange) -> Vec<String> {
    let mut ids = x.as_("trader").live_ids();
    ids.sort();
    ids
}

/// However a connection ends, its orders are cancelled, and those of the key's other connections and of REST stay. Proves EVT-022.
#[test]
fn a_connection_takes_its_own_orders() {
    type End = fn(&Exchange, Socket);
    let ends: [(&str, End); 4] = [
        ("closed", |_, socket| socket.close()),
        ("cut", |_, socket| drop(socket)),
        ("a broken protocol", |_, mut socket| {
            socket.send_text(&"x".repeat(70_000));
            assert_eq!(socket.close_code(), Some(1009));
        }),
        ("a key that is disabled and enabled", |x, mut socket| {
            let key = json!({ "api_key": x.key("time-nonce").credentials.api_key });
            x.control("/sandbox/keys/disable", &key).ok();
            assert_eq!(socket.close_code(), Some(1008));
            x.control("/sandbox/keys/enable", &key).ok();
        }),
    ];
    for (how, end) in ends {
        let x = Exchange::start();
        let Desk { cancelling, gone, others, mut stay } = desk(&x);
        let mut events = Reader::of(&x, "auditor", "");
        end(&x, cancelling);
        if how.starts_with("a key") {
            // Every socket of the key ends.
            drop(others);
            stay.remove(0);
            wait_until(how, || live(&x) == stay);
            continue;
        }
        wait_until(how, || live(&x) == stay);
        let seen = events.events(2 * gone.len());
        assert_eq!(kinds(&seen), "cancelled closed cancelled closed cancelled closed", "{how}");
        let order: Vec<&Value> = seen.iter().step_by(2).map(|event| &event["order_id"]).collect();
        let mut sorted = gone.clone();
        sorted.sort_by_key(|id| std::cmp::Reverse(id.parse::<u64>().unwrap()));
        assert_eq!(order, sorted.iter().collect::<Vec<_>>(), "the newest first");
        assert!(seen.iter().step_by(2).all(|event| event["reason"] == "Requested"), "{how} {seen:?}");
        // The others' end does the same to theirs.
        drop(others);
        stay.remove(0);
        wait_until("the second connection's order is gone", || live(&x) == stay);
        laws::check(&x);
    }
}

/// A crash and a stop of the exchange end all connections: their orders are gone before it is ready. Proves EVT-022.
#[test]
fn no_such_order_outlives_the_exchange() {
    for is_killed in [true, false] {
        let x = Exchange::start();
        let Desk { cancelling, gone, others, mut stay } = desk(&x);
        stay.remove(0);
        if is_killed {
            x.kill9();
        } else {
            x.stop();
        }
        x.restart();
        assert_eq!(live(&x), stay, "killed: {is_killed}");
        for id in gone {
            assert_eq!(x.as_("trader").status(&id)["reason"], "Requested");
        }
        drop((cancelling, others));
        laws::check(&x);
    }
}

/// Fills of a connection stay, and a handshake that is refused cancels nothing.
#[test]
fn fills_stay() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/?cancelOnDisconnect=true");
    let id = place(&mut socket, limit("btcusd", "BUY", "1", "99"));
    x.as_("counterparty").limit("btcusd", "sell", "0.25", "99");
    assert!(x.try_fast("time-nonce", "/?cancelOnDisconnect=maybe", x.next_handshake()).is_err());
    assert_eq!(live(&x), std::slice::from_ref(&id));
    let listed = x.get("/sandbox/streams").ok();
    assert_eq!(listed["streams"][0]["cancel_on_disconnect"], true, "{listed}");
    let all = json!({ "all": true, "fault": "drop" });
    assert_eq!(x.control("/sandbox/streams/fault", &all).ok(), json!({ "result": "ok", "connections": 1 }));
    wait_until("the order is cancelled", || live(&x).is_empty());
    let order = x.as_("trader").status(&id);
    assert_eq!(
        (&order["executed_amount"], &order["remaining_amount"]),
        (&json!("0.25"), &json!("0.75")),
        "{order}"
    );
    laws::check(&x);
}

/// Any call over a socket is a sign of life of its session.
#[test]
fn calls_are_signs_of_life() {
    let x = Exchange::start();
    let mut socket = x.fast("time-heartbeat", "/");
    let id = place(&mut socket, limit("btcusd", "BUY", "1", "99"));
    for method in ["ping", "time", "list_subscriptions"] {
        x.advance(29);
        socket.ok(method, Value::Null);
        assert_eq!(live(&x), std::slice::from_ref(&id), "{method}");
    }
    x.advance(30);
    assert!(live(&x).is_empty());
    socket.ok("ping", Value::Null);
    laws::check(&x);
}
