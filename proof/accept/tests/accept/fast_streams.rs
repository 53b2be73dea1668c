//! Private streams of the newest socket: orders, balances and positions, compared with REST.

use crate::fast_orders::{limit, place, with};
use buttonwood_accept::{Dec, Exchange, NewOrder, Socket, Value, dec, json, laws, same_keys};
use std::collections::BTreeMap;

/// The statuses of so many updates of orders.
#[track_caller]
fn updates(socket: &mut Socket, count: usize) -> Vec<Value> {
    let updates: Vec<Value> = (0..count).map(|_| socket.next()).collect();
    let mut last = 0;
    for update in &updates {
        assert_eq!(update["e"], "orderUpdate", "{update}");
        let id = update["u"].as_u64().expect("an id");
        assert!(id > last, "{update} after {last}");
        last = id;
    }
    updates
}

#[track_caller]
fn statuses(updates: &[Value]) -> String {
    updates.iter().map(|update| update["X"].as_str().expect("a status")).collect::<Vec<_>>().join(" ")
}

/// A field of an update as a decimal; one that is left out is zero.
fn amount(update: &Value, name: &str) -> Dec {
    update.get(name).map_or(Dec::ZERO, Dec::wire)
}

/// A client that sends an order straight after its subscription misses none of the order's updates, however long the first frames of the other
/// streams take. Proves EVT-026.
#[test]
fn an_order_sent_after_a_subscription_is_seen() {
    let x = Exchange::start();
    let symbols = x.get("/v1/symbols").ok();
    let symbols =
        symbols.as_array().expect("symbols").iter().map(|symbol| symbol.as_str().expect("a symbol"));
    let mut streams: Vec<String> = symbols.map(|symbol| format!("{symbol}@depth")).collect();
    streams.push("orders@session".to_owned());
    for first in [0, 8, 16, 24] {
        let open = |key: usize| x.fast(&format!("socket-{key:03}"), "/?snapshot=-1");
        let mut sockets: Vec<Socket> = (first..first + 8).map(open).collect();
        for socket in &mut sockets {
            let order = limit("btcusd", "BUY", "0.001", "100");
            socket.send(&json!({ "id": 1, "method": "subscribe", "params": streams }));
            socket.send(&json!({ "id": 2, "method": "order.place", "params": order }));
        }
        for socket in &mut sockets {
            // The answer of the order and its two updates come in any order.
            let mut frames: Vec<Value> = Vec::new();
            while frames.len() < 3 {
                frames.push(socket.next_that(|frame| frame["id"] == 2 || frame["e"] == "orderUpdate"));
            }
            let statuses = frames.iter().filter_map(|frame| frame["X"].as_str()).collect::<Vec<_>>();
            assert_eq!(statuses, ["NEW", "OPEN"], "{frames:?}");
        }
    }
    laws::check(&x);
}

/// Each order's updates follow its life, with amounts, prices, fees and reasons as REST shows them. Proves EVT-026.
#[test]
fn updates_follow_each_order() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    socket.ok("subscribe", json!(["orders@account"]));
    let trader = x.as_("trader");
    x.as_("counterparty").limit("btcusd", "sell", "0.4", "10000.5");
    let placed = trader.place(&NewOrder::limit("btcusd", "buy", "1", "10000.5").named("mine"));
    let id = placed["order_id"].as_str().unwrap();
    let seen = updates(&mut socket, 3);
    assert_eq!(statuses(&seen), "NEW PARTIALLY_FILLED OPEN");
    let nanos = x.now_ms() * 1_000_000;
    for update in &seen {
        let shared = ["e", "E", "s", "i", "c", "S", "o", "X", "p", "q", "z", "T", "u"];
        for name in shared {
            assert!(update.get(name).is_some(), "no {name}: {update}");
        }
        assert_eq!(
            (&update["s"], &update["i"].to_string(), &update["c"]),
            (&json!("BTCUSD"), &id.to_owned(), &json!("mine"))
        );
        assert_eq!(
            (&update["S"], &update["o"], &update["p"]),
            (&json!("BUY"), &json!("LIMIT"), &placed["price"])
        );
        assert_eq!((&update["E"], &update["T"]), (&json!(nanos), &json!(nanos)), "{update}");
        assert_eq!(update["q"], placed["original_amount"], "{update}");
        for empty in ["P", "O", "r"] {
            assert!(update.get(empty).is_none(), "{empty}: {update}");
        }
    }
    same_keys(&seen[0], &["e", "E", "s", "i", "c", "S", "o", "X", "p", "q", "z", "T", "u"], &seen[0]);
    let trade = &trader.call("/v1/mytrades", json!({ "symbol": "btcusd" })).ok()[0];
    let fill = &seen[1];
    assert_eq!((&fill["L"], &fill["t"], &fill["n"]), (&trade["price"], &trade["tid"], &trade["fee_amount"]));
    assert_eq!((&fill["Z"], &fill["z"], &fill["m"]), (&trade["amount"], &json!("0.6"), &json!(false)));
    assert_eq!((&seen[2]["Z"], &seen[2]["z"]), (&placed["executed_amount"], &placed["remaining_amount"]));

    x.as_("counterparty").limit("btcusd", "sell", "0.1", "10000.5");
    x.as_("counterparty").limit("btcusd", "sell", "0.2", "10000.5");
    let seen = updates(&mut socket, 2);
    assert_eq!(statuses(&seen), "PARTIALLY_FILLED PARTIALLY_FILLED");
    assert_eq!([&seen[0]["Z"], &seen[1]["Z"], &seen[1]["z"]], ["0.1", "0.2", "0.3"], "the last execution");
    assert!(seen.iter().all(|update| update["m"] == true), "{seen:?}");
    trader.cancel(id);
    let seen = updates(&mut socket, 1);
    assert_eq!(
        (&seen[0]["X"], &seen[0]["r"], &seen[0]["Z"]),
        (&json!("CANCELED"), &json!("Requested"), &json!("0.7"))
    );

    let buy = |amount: &str| NewOrder::limit("btcusd", "buy", amount, "10100");
    x.as_("counterparty").limit("btcusd", "sell", "1", "10100");
    for (order, expected, reason) in [
        (buy("1").with_option("maker-or-cancel"), "NEW CANCELED", "MakerOrCancelWouldTake"),
        (buy("2").with_option("fill-or-kill"), "NEW CANCELED", "FillOrKillWouldNotFill"),
        (buy("0.5"), "NEW FILLED", ""),
        (
            buy("1").with_option("immediate-or-cancel"),
            "NEW PARTIALLY_FILLED CANCELED",
            "ImmediateOrCancelWouldPost",
        ),
        (NewOrder::limit("btcusd", "sell", "2", "10500"), "NEW OPEN", ""),
    ] {
        trader.place(&order);
        let seen = updates(&mut socket, expected.split(' ').count());
        assert_eq!(statuses(&seen), expected, "{order:?}");
        let last = seen.last().unwrap();
        assert_eq!(last["r"].as_str().unwrap_or_default(), reason, "{last}");
        let rest = trader.status(&last["i"].to_string());
        assert_eq!(amount(last, "z"), Dec::wire(&rest["remaining_amount"]), "{last} {rest}");
    }
    laws::check(&x);
}

/// The answer to a `subscribe` comes before its first frames, and after the answers to the calls before it.
#[test]
fn the_answer_comes_before_the_first_frames() {
    let x = Exchange::start();
    x.as_("counterparty").limit("btcusd", "sell", "1", "10000");
    let mut socket = x.fast("time-nonce", "/?snapshot=-1");
    let streams = json!(["btcusd@depth", "btcusd@bookTicker", "balances@account", "orders@account"]);
    for round in 0..20 {
        let id = |call: u64| 10 * round + call;
        let order = limit("btcusd", "BUY", "0.001", "100");
        socket.send(&json!({ "id": id(1), "method": "order.place", "params": order }));
        socket.send(&json!({ "id": id(2), "method": "subscribe", "params": streams }));
        socket.send(&json!({ "id": id(3), "method": "unsubscribe", "params": streams }));
        socket.send(&json!({ "id": id(4), "method": "list_subscriptions" }));
        let mut ids = Vec::new();
        let mut first = std::collections::BTreeSet::new();
        while ids.len() < 4 {
            let frame = socket.next();
            if let Some(call) = frame["id"].as_u64().filter(|_| frame.get("status").is_some()) {
                assert_eq!(frame["status"], 200, "{frame}");
                assert!(call != id(2) || first.is_empty(), "{first:?} came before their answer");
                ids.push(call);
            } else if frame["e"] != "orderUpdate" {
                first.insert(frame["e"].as_str().unwrap_or("ticker").to_owned());
            }
        }
        assert_eq!(ids, [1, 2, 3, 4].map(id));
        let names: Vec<&str> = first.iter().map(String::as_str).collect();
        assert_eq!(names, ["balanceUpdate", "depthUpdate", "ticker"]);
    }
    socket.is_silent();
    laws::check(&x);
}

/// `orders@session` has the orders of the key alone, and no stream has those of another account.
#[test]
fn a_session_sees_its_own_orders() {
    let x = Exchange::start();
    let mut account = x.fast("time-nonce", "/");
    let mut session = x.fast("time-nonce", "/");
    let mut other = x.fast("time-savings", "/");
    for (socket, name) in
        [(&mut account, "orders@account"), (&mut session, "orders@session"), (&mut other, "orders@account")]
    {
        socket.ok("subscribe", json!([name]));
    }
    let first = x.as_("trader").limit("btcusd", "buy", "1", "100")["order_id"].clone();
    let second = place(&mut session, limit("btcusd", "BUY", "1", "100"));
    x.as_("counterparty").limit("btcusd", "sell", "2", "100");
    let own = updates(&mut session, 3);
    assert_eq!(statuses(&own), "NEW OPEN FILLED");
    let second: u64 = second.parse().unwrap();
    assert!(own.iter().all(|update| update["i"] == second), "{own:?}");
    let all = updates(&mut account, 6);
    assert_eq!(statuses(&all), "NEW OPEN NEW OPEN FILLED FILLED");
    assert_eq!(all[0]["i"].to_string(), first.as_str().unwrap());
    // The first that the other account sees is its own.
    let third = x.as_("savings-trader").limit("btcusd", "buy", "1", "100")["order_id"].clone();
    assert_eq!(updates(&mut other, 1)[0]["i"].to_string(), third.as_str().unwrap());
    account.ok("unsubscribe", json!(["orders@account"]));
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    account.is_silent();
    laws::check(&x);
}

/// The balances that REST shows, by currency: the whole amount and what is available of it.
fn balances(x: &Exchange, key: &str) -> BTreeMap<String, [Value; 2]> {
    let rows = x.as_(key).balances();
    let row = |row: &Value| {
        (row["currency"].as_str().unwrap().to_owned(), [row["amount"].clone(), row["available"].clone()])
    };
    rows.iter().map(row).collect()
}

/// Reads frames of balances until they are as REST shows them; later frames have only what changed.
#[track_caller]
fn follow(
    socket: &mut Socket,
    known: &mut BTreeMap<String, [Value; 2]>,
    expected: &BTreeMap<String, [Value; 2]>,
) {
    while known != expected {
        let frame = socket.next();
        same_keys(&frame, &["e", "E", "u", "B"], &frame);
        assert_eq!(frame["e"], "balanceUpdate");
        let rows = frame["B"].as_array().expect("rows");
        let is_first = known.is_empty();
        for row in rows {
            same_keys(row, &["a", "f", "c"], row);
            let now = [row["c"].clone(), row["f"].clone()];
            let before = known.insert(row["a"].as_str().unwrap().to_owned(), now.clone());
            assert!(is_first || before != Some(now), "nothing changed: {frame}");
        }
        assert!(!rows.is_empty(), "{frame}");
    }
}

/// Balances begin with all of them, and then follow orders, fills, conversions and credits. Proves EVT-026.
#[test]
fn balances_follow_rest() {
    let x = Exchange::start();
    let mut socket = x.fast("time-nonce", "/");
    socket.ok("subscribe", json!(["balances@account"]));
    let mut slow = x.fast("time-auditor", "/");
    slow.ok("subscribe", json!(["balances@account@1s"]));
    let (mut known, mut slowly) = (BTreeMap::new(), BTreeMap::new());
    follow(&mut socket, &mut known, &balances(&x, "trader"));
    assert!(known.len() > 3, "all balances come first: {known:?}");
    x.as_("trader").limit("btcusd", "buy", "1", "100");
    follow(&mut socket, &mut known, &balances(&x, "trader"));
    x.as_("counterparty").limit("btcusd", "sell", "0.3", "100");
    follow(&mut socket, &mut known, &balances(&x, "trader"));
    x.as_("trader").call("/v1/wrap/gusdusd", json!({ "amount": "5", "side": "buy" })).ok();
    follow(&mut socket, &mut known, &balances(&x, "trader"));
    x.credit("trader", "ETH", "1.5");
    follow(&mut socket, &mut known, &balances(&x, "trader"));
    follow(&mut slow, &mut slowly, &balances(&x, "trader"));
    // A frame that waits for its interval is not lost when another reader begins meanwhile.
    x.credit("trader", "ETH", "1");
    follow(&mut slow, &mut slowly, &balances(&x, "trader"));
    x.credit("trader", "ETH", "1");
    let mut late = x.fast("time-auditor", "/");
    late.ok("subscribe", json!(["balances@account@1s"]));
    follow(&mut late, &mut BTreeMap::new(), &balances(&x, "trader"));
    follow(&mut slow, &mut slowly, &balances(&x, "trader"));
    follow(&mut socket, &mut known, &balances(&x, "trader"));
    // Another account's are no part of it.
    x.credit("savings-trader", "ETH", "1");
    socket.is_silent();
    laws::check(&x);
}

/// Makes a key for sockets on an account.
fn key_for(x: &Exchange, group: &str, account: &str) {
    let key = json!({ "group": group, "account": account, "roles": ["Trader"], "name": "fast", "time_based_nonce": true });
    x.control("/sandbox/keys", &key).ok();
    // The start writes the new key to the file of credentials.
    x.restart();
}

/// The positions of a frame: type, symbol, outcome and quantity.
#[track_caller]
fn positions(frame: &Value) -> Vec<(String, String, String, Dec)> {
    same_keys(frame, &["e", "E", "u", "A", "P"], frame);
    assert_eq!(frame["e"], "positionReport", "{frame}");
    assert!(frame["A"].is_u64(), "{frame}");
    let text =
        |row: &Value, name: &str| row[name].as_str().unwrap_or_else(|| panic!("{name}: {frame}")).to_owned();
    let row = |row: &Value| {
        assert_eq!(
            (row["a"].as_array().map(Vec::len), &row["a"][0]["t"]),
            (Some(1), &json!("position")),
            "{frame}"
        );
        (text(row, "t"), text(row, "s"), text(row, "o"), Dec::wire(&row["a"][0]["v"]))
    };
    frame["P"].as_array().expect("rows").iter().map(row).collect()
}

fn position(kind: &str, symbol: &str, outcome: &str, quantity: &str) -> Vec<(String, String, String, Dec)> {
    vec![(kind.to_owned(), symbol.to_owned(), outcome.to_owned(), dec(quantity))]
}

/// Positions of perpetuals are those of REST, short ones negative, and one that closes is told as zero. Proves EVT-026.
#[test]
fn positions_of_perpetuals_follow_rest() {
    let x = Exchange::start();
    key_for(&x, "perp", "perp-000");
    x.control("/sandbox/index/BTC", &json!({ "price": "50000" })).ok();
    let mut socket = x.fast("fast", "/");
    socket.ok("subscribe", json!(["positions@account", "orders@account"]));
    assert_eq!(positions(&socket.next()), [], "the first frame has all positions, here none");
    x.as_("perp-001").limit("btcgusdperp", "sell", "2", "50000");
    let order = limit("btcgusdperp", "BUY", "1.5", "50000");
    place(&mut socket, order.clone());
    let is_report = |frame: &Value| frame["e"] == "positionReport";
    let expected = |quantity: &str| position("perp", "BTCGUSDPERP", "UNSPECIFIED", quantity);
    assert_eq!(positions(&socket.next_that(is_report)), expected("1.5"));
    assert_eq!(
        Dec::wire(&x.as_("perp-000").call("/v1/positions", json!({})).ok()[0]["quantity"]),
        dec("1.5")
    );
    let mut second = x.fast("fast", "/");
    second.ok("subscribe", json!(["positions@account"]));
    assert_eq!(positions(&second.next()), expected("1.5"));
    x.as_("perp-002").limit("btcgusdperp", "buy", "4", "50000");
    place(&mut socket, with(order.clone(), &json!({ "side": "SELL", "quantity": "1.5" })));
    assert_eq!(positions(&socket.next_that(is_report)), expected("0"));
    assert_eq!(x.as_("perp-000").call("/v1/positions", json!({})).ok(), json!([]));
    place(&mut socket, with(order, &json!({ "side": "SELL", "quantity": "0.5" })));
    assert_eq!(positions(&socket.next_that(is_report)), expected("-0.5"));
    laws::check(&x);
}

/// Positions of contracts are those of REST, a no negative; the public stream tells the status of each contract.
#[test]
fn positions_of_contracts_follow_rest() {
    let x = Exchange::start();
    let mut status = x.socket("/");
    status.ok("subscribe", json!(["contractStatus"]));
    let event = json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather",
        "expiry_ms": x.now_ms() + 86_400_000, "dispute_seconds": 0 });
    x.control("/sandbox/predictions/events", &event).ok();
    let listed = status.next_that(|frame| frame["s"] == "SVC-RAIN");
    for (name, value) in [
        ("e", json!("contractStatus")),
        ("E", json!(x.now_ms())),
        ("k", json!("RAIN")),
        ("n", json!("active")),
    ] {
        assert_eq!(listed[name], value, "{name}: {listed}");
    }
    assert!(listed["i"].is_u64() && listed["c"].is_string(), "{listed}");
    for key in ["trader", "counterparty"] {
        x.as_(key).call("/v1/prediction-markets/terms/accept", json!({})).ok();
    }
    let (mut yes, mut no) = (x.fast("time-nonce", "/"), x.fast("time-counterparty", "/"));
    for socket in [&mut yes, &mut no] {
        socket.ok("subscribe", json!(["positions@account"]));
        assert_eq!(positions(&socket.next()), []);
    }
    let order = |side: &str, outcome: &str, price: &str| {
        with(limit("SVC-RAIN", side, "10", price), &json!({ "eventOutcome": outcome }))
    };
    place(&mut yes, order("BUY", "YES", "0.60"));
    place(&mut no, order("BUY", "NO", "0.40"));
    assert_eq!(
        positions(&yes.next_that(|frame| frame["e"] == "positionReport")),
        position("ec", "SVC-RAIN", "YES", "10")
    );
    assert_eq!(
        positions(&no.next_that(|frame| frame["e"] == "positionReport")),
        position("ec", "SVC-RAIN", "NO", "-10")
    );
    let held = x.as_("trader").call("/v1/prediction-markets/positions", json!({})).ok();
    assert_eq!(held["positions"].as_array().map(Vec::len), Some(1), "{held}");
    let resolve = json!({ "outcomes": { "RAIN": "yes" }, "source": "the weather office" });
    x.control("/sandbox/predictions/events/RAIN/resolve", &resolve).ok();
    let settled = status.next_that(|frame| frame["s"] == "SVC-RAIN" && frame["n"] == "settled");
    assert_eq!(settled["o"], "under_review", "{settled}");
    for (socket, outcome, payout) in [(&mut yes, "YES", "10"), (&mut no, "NO", "0")] {
        let frame = socket.next_that(|frame| frame["e"] == "positionReport");
        let amounts = json!([
            { "t": "position", "v": "0" },
            { "t": "settlement_payout", "v": payout, "c": "USD" },
        ]);
        let row = json!({ "t": "ec", "s": "SVC-RAIN", "a": amounts, "o": outcome });
        assert_eq!(frame["P"], json!([row]), "{frame}");
    }
    x.stop();
    laws::verified(&x);
}
