//! `/v1/order/events`: each order's events in order, their fields equal to REST, filters and numbers.

use crate::oauth::{base64, grant, text};
use buttonwood_accept::{Exchange, NewOrder, Socket, SocketError, Value, json, laws, same_keys};
use std::time::Duration;

/// A reader that checks the numbers of what it reads: `socket_sequence` without gaps, `event_id` rising.
pub(crate) struct Reader {
    socket: Socket,
    pub(crate) ack: Value,
    pub(crate) initial: Vec<Value>,
    next: u64,
    /// The id of the last event.
    pub(crate) last: u64,
    /// The events of the longest array.
    pub(crate) longest: usize,
    /// Events that came with others and were not asked for yet.
    ready: Vec<Value>,
}

impl Reader {
    /// Reads the events of a key.
    #[track_caller]
    pub(crate) fn of(x: &Exchange, key: &str, query: &str) -> Self {
        Self::with_initial(x.order_events(&x.as_(key), query))
    }

    /// Reads a socket whose first frames are the acknowledgement and the live orders.
    #[track_caller]
    pub(crate) fn with_initial(socket: Socket) -> Self {
        let mut reader = Self::without_initial(socket);
        reader.initial = reader.array();
        for order in &reader.initial {
            assert!(order["type"] == "initial" && order.get("event_id").is_none(), "{order}");
        }
        reader
    }

    /// Reads a socket whose live orders are not sent.
    #[track_caller]
    pub(crate) fn without_initial(mut socket: Socket) -> Self {
        let ack = socket.next();
        assert_eq!(ack["type"], "subscription_ack", "{ack}");
        assert!(ack.get("socket_sequence").is_none(), "{ack}");
        Self { socket, ack, initial: Vec::new(), next: 0, last: 0, longest: 0, ready: Vec::new() }
    }

    fn number(&mut self, numbered: &Value) {
        assert_eq!(numbered["socket_sequence"], self.next, "{numbered}");
        self.next += 1;
    }

    /// The next heartbeat, which is no part of an array.
    #[track_caller]
    fn heartbeat(&mut self) -> Value {
        let frame = self.socket.next();
        assert_eq!(frame["type"], "heartbeat", "{frame}");
        self.number(&frame);
        frame
    }

    /// The next array.
    #[track_caller]
    fn array(&mut self) -> Vec<Value> {
        // With each heartbeat five seconds have passed.
        for _ in 0..5 {
            let frame = self.socket.next();
            if frame["type"] == "heartbeat" {
                self.number(&frame);
                continue;
            }
            let events = frame.as_array().unwrap_or_else(|| panic!("no array: {frame}")).clone();
            for event in &events {
                self.number(event);
            }
            return events;
        }
        panic!("no events come")
    }

    /// So many further events.
    #[track_caller]
    pub(crate) fn events(&mut self, count: usize) -> Vec<Value> {
        while self.ready.len() < count {
            let events = self.array();
            self.longest = self.longest.max(events.len());
            for event in events {
                let id: u64 = event["event_id"].as_str().expect("an id is a text").parse().expect("a number");
                assert!(id > self.last && id < 1 << 53, "{event} after {}", self.last);
                self.last = id;
                self.ready.push(event);
            }
        }
        self.ready.drain(..count).collect()
    }

    /// The kinds of so many further events.
    #[track_caller]
    fn kinds(&mut self, count: usize) -> String {
        kinds(&self.events(count))
    }

    /// No event has come.
    #[track_caller]
    fn is_silent(&mut self) {
        assert!(self.ready.is_empty(), "{:?}", self.ready);
        self.socket.is_silent();
    }
}

pub(crate) fn kinds(events: &[Value]) -> String {
    events.iter().map(|event| event["type"].as_str().expect("a kind")).collect::<Vec<_>>().join(" ")
}

/// The fields that events and REST share.
const SHARED: [&str; 14] = [
    "order_id",
    "client_order_id",
    "symbol",
    "side",
    "timestamp",
    "timestampms",
    "is_live",
    "is_cancelled",
    "is_hidden",
    "avg_execution_price",
    "executed_amount",
    "remaining_amount",
    "original_amount",
    "price",
];

/// The event has what REST shows of its order.
#[track_caller]
fn agrees(event: &Value, order: &Value) {
    for name in SHARED {
        assert_eq!(event.get(name), order.get(name), "{name}: {event} {order}");
    }
    assert_eq!(event["order_type"], order["type"], "{event}");
    assert_eq!(event.get("behavior"), order["options"].get(0), "{event}");
}

/// The acknowledgement, then all live orders as they stand, in an array that is empty when none is live; an auditor reads them too.
/// Proves EVT-001.
#[test]
fn a_socket_begins_with_the_live_orders() {
    let x = Exchange::start();
    let none = Reader::of(&x, "auditor", "");
    assert!(none.initial.is_empty());
    let keys = ["type", "accountId", "subscriptionId", "symbolFilter", "apiSessionFilter", "eventTypeFilter"];
    same_keys(&none.ack, &keys, &none.ack);
    assert!(none.ack["accountId"].is_u64() && none.ack["subscriptionId"].is_string(), "{}", none.ack);
    let trader = x.as_("trader");
    trader.place(&NewOrder::limit("btcusd", "buy", "2", "30000").named("one"));
    trader.place(&NewOrder::limit("ethusd", "sell", "1.5", "4000").with_option("maker-or-cancel"));
    trader.place(&NewOrder::limit("btcusd", "buy", "1", "31000").with_stop("30500"));
    let gone = trader.limit("btcusd", "buy", "1", "100");
    trader.cancel(gone["order_id"].as_str().unwrap());
    x.as_("counterparty").limit("btcusd", "sell", "0.5", "30000");
    for key in ["auditor", "trader", "second-session"] {
        let mut reader = Reader::of(&x, key, "");
        let live = trader.call("/v1/orders", json!({})).ok();
        let live = live.as_array().unwrap();
        assert_eq!(reader.initial.len(), 3);
        for event in &reader.initial {
            let order =
                live.iter().find(|order| order["order_id"] == event["order_id"]).expect("a live order");
            agrees(event, order);
            assert_eq!(event["api_session"], x.key("trader").credentials.api_key, "{event}");
        }
        reader.is_silent();
    }
    laws::check(&x);
}

/// Places an order of the trader and compares its events with its kinds.
#[track_caller]
fn sequence(x: &Exchange, reader: &mut Reader, order: &NewOrder, expected: &str) -> Vec<Value> {
    let placed = x.as_("trader").place(order);
    let events = reader.events(expected.split(' ').count());
    assert_eq!(kinds(&events), expected, "{order:?}");
    for event in &events {
        assert_eq!(event["order_id"], placed["order_id"], "{event}");
        assert_eq!(event["timestampms"], x.now_ms(), "{event}");
    }
    let last = events.last().unwrap();
    agrees(last, &x.as_("trader").status(placed["order_id"].as_str().unwrap()));
    events
}

/// Every order begins with `accepted` and ends with `closed`, with its fills and the end of its remainder between them. Proves EVT-003, EVT-004,
/// EVT-005, EVT-006, EVT-007, EVT-011.
#[test]
fn each_order_has_its_sequence() {
    let x = Exchange::start();
    let mut reader = Reader::of(&x, "auditor", "");
    let buy = |amount: &str, price: &str| NewOrder::limit("btcusd", "buy", amount, price);
    let offer = |amount: &str, price: &str| x.as_("counterparty").limit("btcusd", "sell", amount, price);

    let rests = sequence(&x, &mut reader, &buy("1", "9900").named("a"), "accepted booked");
    let accepted = &rests[0];
    let order = x.as_("trader").status(accepted["order_id"].as_str().unwrap());
    agrees(accepted, &order);
    let fields = [
        "type",
        "order_id",
        "event_id",
        "api_session",
        "client_order_id",
        "symbol",
        "side",
        "order_type",
        "timestamp",
        "timestampms",
        "is_live",
        "is_cancelled",
        "is_hidden",
        "avg_execution_price",
        "executed_amount",
        "remaining_amount",
        "original_amount",
        "price",
        "socket_sequence",
    ];
    for event in &rests {
        same_keys(event, &fields, event);
    }

    offer("0.4", "10000");
    let events = sequence(&x, &mut reader, &buy("1", "10000").named("b"), "accepted fill booked");
    let amounts = |name: &str| -> Vec<&Value> { events.iter().map(|event| &event[name]).collect() };
    assert_eq!(amounts("executed_amount"), ["0", "0.4", "0.4"]);
    assert_eq!(amounts("remaining_amount"), ["1", "0.6", "0.6"]);
    assert_eq!(amounts("client_order_id"), ["b"; 3]);
    assert_eq!(amounts("is_live"), [true; 3]);

    offer("1", "10100");
    let events = sequence(&x, &mut reader, &buy("0.25", "10100"), "accepted fill closed");
    assert_eq!((&events[1]["is_live"], &events[2]["is_cancelled"]), (&json!(false), &json!(false)));
    let option = |amount: &str, option: &str| buy(amount, "10100").with_option(option);
    for (order, expected, reason) in [
        (option("0.5", "maker-or-cancel"), "accepted cancelled closed", "MakerOrCancelWouldTake"),
        (option("2", "fill-or-kill"), "accepted cancelled closed", "FillOrKillWouldNotFill"),
        (option("1", "immediate-or-cancel"), "accepted fill cancelled closed", "ImmediateOrCancelWouldPost"),
        (NewOrder::market("btcusd", "buy", "1"), "accepted cancelled closed", "ImmediateOrCancelWouldPost"),
    ] {
        let events = sequence(&x, &mut reader, &order, expected);
        let cancelled = &events[events.len() - 2];
        assert_eq!((&cancelled["reason"], &cancelled["is_cancelled"]), (&json!(reason), &json!(true)));
        assert!(events.iter().all(|event| event["type"] != "booked"), "{events:?}");
    }
    // The other side takes what rests.
    offer("0.6", "10000");
    assert_eq!(reader.kinds(2), "fill closed");
    x.as_("trader").cancel(accepted["order_id"].as_str().unwrap());
    let events = reader.events(2);
    assert_eq!(kinds(&events), "cancelled closed");
    assert_eq!(events[0]["reason"], "Requested");
    agrees(&events[1], &x.as_("trader").status(accepted["order_id"].as_str().unwrap()));
    laws::check(&x);
}

/// A fill is the trade that REST shows to the digit, of makers and takers, with each trade's fee. Proves EVT-010.
#[test]
fn fills_are_the_trades() {
    let x = Exchange::start();
    let mut reader = Reader::without_initial(x.order_events(&x.as_("trader"), "?eventTypeFilter=fill"));
    let mut other = Reader::without_initial(x.order_events(&x.as_("counterparty"), "?eventTypeFilter=fill"));
    for (amount, price) in [("0.37", "30000.01"), ("1.00000001", "30000.02"), ("2", "30001")] {
        x.as_("counterparty").limit("btcusd", "sell", amount, price);
    }
    x.as_("trader").limit("btcusd", "buy", "3", "30001");
    x.as_("counterparty").limit("btcusd", "sell", "0.00001", "30001");
    x.as_("trader").limit("ethbtc", "buy", "1", "0.05");
    x.as_("counterparty").limit("ethbtc", "sell", "0.3", "0.05");
    for (key, reader) in [("trader", &mut reader), ("counterparty", &mut other)] {
        let trades = x.as_(key).call("/v1/mytrades", json!({})).ok();
        let mut trades = trades.as_array().unwrap().clone();
        trades.reverse();
        let fills = reader.events(trades.len());
        assert!(trades.len() >= 4, "{trades:?}");
        for (event, trade) in fills.iter().zip(&trades) {
            let fill = &event["fill"];
            same_keys(fill, &["trade_id", "liquidity", "price", "amount", "fee", "fee_currency"], event);
            assert_eq!(fill["trade_id"], trade["tid"].to_string(), "{event} {trade}");
            for (ours, theirs) in [
                ("price", "price"),
                ("amount", "amount"),
                ("fee", "fee_amount"),
                ("fee_currency", "fee_currency"),
            ] {
                assert_eq!(fill[ours], trade[theirs], "{ours}: {event} {trade}");
            }
            let liquidity = if trade["aggressor"] == true { "Taker" } else { "Maker" };
            assert_eq!(fill["liquidity"], liquidity, "{event} {trade}");
            assert_eq!(event["order_id"], trade["order_id"], "{event} {trade}");
        }
        reader.is_silent();
    }
    laws::check(&x);
}

/// A batch cancel reports each order, also one that can be cancelled no more before its auction, which stays as it was (D-158). Proves AUCT-003, EVT-008,
/// EVT-009.
#[test]
fn batch_cancels_report_each_order() {
    let x = Exchange::start();
    x.schedule_auction("btcusd", &json!({}), 120);
    let trader = x.as_("trader");
    let bound = trader.place(&NewOrder::limit("btcusd", "buy", "1", "101").with_option("auction-only"));
    let id = bound["order_id"].as_str().unwrap();
    x.advance(60);
    let mut reader = Reader::of(&x, "trader", "");
    assert_eq!(kinds(&reader.initial), "initial");
    assert_eq!(reader.initial[0]["order_type"], "auction-only exchange limit", "{:?}", reader.initial);
    for cancel in ["all", "session"] {
        let placed = [trader.limit("btcusd", "buy", "1", "99"), trader.limit("ethusd", "buy", "1", "98")];
        assert_eq!(reader.kinds(4), "accepted booked accepted booked");
        trader.call(&format!("/v1/order/cancel/{cancel}"), json!({})).ok();
        let events = reader.events(5);
        for order in &placed {
            let own: Vec<Value> =
                events.iter().filter(|event| event["order_id"] == order["order_id"]).cloned().collect();
            assert_eq!(kinds(&own), "cancelled closed", "{events:?}");
            assert_eq!(own[0]["reason"], "Requested", "{events:?}");
        }
        let kept = events.iter().find(|event| event["order_id"] == bound["order_id"]).unwrap();
        assert_eq!((&kept["type"], &kept["reason"]), (&json!("cancel_rejected"), &json!("IneligibleTiming")));
    }
    let before = trader.status(id);
    trader.cancel(id);
    let event = &reader.events(1)[0];
    assert_eq!((&event["type"], &event["is_live"]), (&json!("cancel_rejected"), &json!(true)), "{event}");
    assert_eq!(trader.status(id), before, "the order stays as it was");
    // An order that is not live has no event.
    trader.call("/v1/order/cancel", json!({ "order_id": 999_999 })).error();
    x.advance(60);
    let events = reader.events(2);
    assert_eq!(kinds(&events), "cancelled closed");
    assert_eq!(events[0]["reason"], "AuctionCancelled");
    laws::check(&x);
}

/// Filters of one kind are joined by or, of several kinds by and; a filtered event takes no number. Proves EVT-012.
#[test]
fn filters_narrow_the_events() {
    let x = Exchange::start();
    let [one, two] = ["trader", "second-session"].map(|key| x.key(key).credentials.api_key.clone());
    x.as_("trader").limit("ethusd", "buy", "1", "10");
    x.as_("second-session").limit("btcusd", "buy", "1", "10");
    let query = format!(
        "?symbolFilter=BTCUSD&symbolFilter=ethbtc&apiSessionFilter={two}&eventTypeFilter=booked&eventTypeFilter=closed"
    );
    let mut narrow = Reader::without_initial(x.order_events(&x.as_("trader"), &query));
    assert_eq!(narrow.ack["symbolFilter"], json!(["BTCUSD", "ethbtc"]));
    assert_eq!(narrow.ack["apiSessionFilter"], json!([two]));
    assert_eq!(narrow.ack["eventTypeFilter"], json!(["booked", "closed"]));
    let mut of_symbol = Reader::of(&x, "trader", "?symbolFilter=btcusd");
    assert_eq!(of_symbol.initial.len(), 1, "{:?}", of_symbol.initial);
    assert_eq!(of_symbol.initial[0]["symbol"], "btcusd");
    let mut of_session = Reader::of(
        &x,
        "trader",
        &format!("?apiSessionFilter={one}&eventTypeFilter=initial&eventTypeFilter=fill"),
    );
    assert_eq!(of_session.initial.len(), 1);
    assert_eq!(of_session.initial[0]["symbol"], "ethusd");
    let nothing = Reader::of(&x, "trader", "?symbolFilter=ltcusd");
    assert!(nothing.initial.is_empty(), "the account has no orders of this symbol");
    // A reader of a symbol that is not listed would wait in silence for ever.
    let unknown = x.try_order_events(&x.as_("trader"), "?symbolFilter=btcusd&symbolFilter=zzzusd", json!({}));
    let Err(SocketError::Refused { status: 400, body }) = unknown else { panic!("{unknown:?}") };
    assert!(body.contains("InvalidSymbol") && body.contains("'zzzusd'"), "{body}");

    x.as_("trader").limit("btcusd", "buy", "1", "11");
    x.as_("second-session").limit("ethusd", "buy", "1", "12");
    let seen = x.as_("second-session").limit("btcusd", "buy", "1", "13");
    x.as_("counterparty").limit("btcusd", "sell", "1", "13");
    let events = narrow.events(2);
    assert_eq!(kinds(&events), "booked closed");
    assert!(events.iter().all(|event| event["order_id"] == seen["order_id"]), "{events:?}");
    assert_eq!(of_symbol.kinds(6), "accepted booked accepted booked fill closed");
    x.as_("trader").limit("btcusd", "buy", "1", "14");
    x.as_("counterparty").limit("btcusd", "sell", "0.5", "14");
    let fill = &of_session.events(1)[0];
    assert_eq!((&fill["type"], &fill["api_session"]), (&json!("fill"), &json!(one)));
    narrow.is_silent();
    laws::check(&x);
}

/// Heartbeats come every five seconds of real time, are numbered like events, and are no part of an array. Proves EVT-013.
#[test]
fn heartbeats_are_numbered() {
    let x = Exchange::start();
    let mut quiet = x.order_events(&x.as_("trader"), "?heartbeat=false");
    let mut reader = Reader::of(&x, "trader", "");
    let mut filtered = Reader::without_initial(x.order_events(&x.as_("trader"), "?eventTypeFilter=fill"));
    let first = reader.heartbeat();
    same_keys(&first, &["type", "timestampms", "sequence", "trace_id", "socket_sequence"], &first);
    assert_eq!((&first["sequence"], &first["timestampms"]), (&json!(0), &json!(x.now_ms())), "{first}");
    assert!(first["trace_id"].is_string(), "{first}");
    x.as_("trader").limit("btcusd", "buy", "1", "10");
    assert_eq!(reader.kinds(2), "accepted booked");
    let second = reader.heartbeat();
    assert_eq!((&second["sequence"], &second["socket_sequence"]), (&json!(1), &json!(3)), "{second}");
    assert_ne!(second["trace_id"], first["trace_id"]);
    assert_eq!(filtered.heartbeat()["sequence"], 0, "a filter of events is none of heartbeats");
    let frames = [quiet.next(), quiet.next(), quiet.next()];
    assert_eq!((&frames[0]["type"], &frames[1]), (&json!("subscription_ack"), &json!([])));
    assert_eq!(frames[2].as_array().map(Vec::len), Some(2), "{frames:?}");
    let none = quiet.next_within(Duration::from_millis(50));
    assert_eq!(none, None, "it has no heartbeats");
}

/// A master key reads all accounts of its group by their names, or the one that it names; a key of an account reads its own alone, whoever
/// trades with it. Proves EVT-014, EVT-015.
#[test]
fn events_are_of_the_own_accounts() {
    let x = Exchange::start();
    let mut group = Reader::of(&x, "master", "");
    let mut audited = Reader::of(&x, "master-auditor", "");
    let one = x.try_order_events(&x.as_("master"), "", json!({ "account": "savings" })).unwrap();
    let mut one = Reader::with_initial(one);
    let mut primary = Reader::of(&x, "trader", "");
    let mut savings = Reader::of(&x, "savings-trader", "");
    x.as_("counterparty").limit("btcusd", "sell", "3", "30000");
    x.as_("broker").limit("btcusd", "sell", "1", "30001");
    x.as_("savings-trader").limit("btcusd", "buy", "1", "30000");
    x.as_("trader").limit("btcusd", "buy", "1", "30000");
    for reader in [&mut group, &mut audited] {
        let events = reader.events(6);
        let names: Vec<&Value> = events.iter().map(|event| &event["account_name"]).collect();
        assert_eq!(names, ["savings", "savings", "savings", "primary", "primary", "primary"]);
        let keys = ["savings-trader", "trader"].map(|key| x.key(key).credentials.api_key.clone());
        assert_eq!(
            (&events[0]["api_session"], &events[3]["api_session"]),
            (&json!(keys[0]), &json!(keys[1]))
        );
        reader.is_silent();
    }
    for (reader, key) in
        [(&mut one, "savings-trader"), (&mut primary, "trader"), (&mut savings, "savings-trader")]
    {
        let events = reader.events(3);
        assert_eq!(kinds(&events), "accepted fill closed");
        let session = &x.key(key).credentials.api_key;
        assert!(events.iter().all(|event| event["api_session"] == **session), "{events:?}");
        assert!(events.iter().all(|event| event.get("account_name").is_none()), "{events:?}");
        reader.is_silent();
    }
    laws::check(&x);
}

/// An order that names the money to spend shows it in each of its events, also to a reader that missed them. Proves EVT-006.
#[test]
fn a_spending_order_shows_its_money() {
    let x = Exchange::start();
    let mut reader = Reader::of(&x, "trader", "");
    // Close to the ask, or that would be beyond the collar.
    x.as_("trader").limit("btcusd", "buy", "0.1", "990");
    reader.events(2);
    let after = reader.last;
    x.as_("counterparty").limit("btcusd", "sell", "0.1", "1000");
    let spend =
        json!({ "symbol": "btcusd", "side": "buy", "type": "exchange market", "total_spend": "250.50" });
    x.as_("trader").call("/v1/order/new", spend).ok();
    x.as_("trader").limit("btcusd", "buy", "1", "10");
    let check = |events: &[Value]| {
        assert_eq!(kinds(events), "accepted fill cancelled closed accepted booked");
        for event in &events[..4] {
            assert_eq!(event["total_spend"], "250.5", "{event}");
            assert!(event.get("original_amount").is_none(), "{event}");
            assert!(event.get("cancel_command_id").is_none(), "no command asked for it: {event}");
        }
        assert!(events[4..].iter().all(|event| event.get("total_spend").is_none()), "{events:?}");
    };
    check(&reader.events(6));
    for is_again in [false, true] {
        if is_again {
            x.kill9();
            x.restart();
        }
        let socket = x.order_events(&x.as_("trader"), &format!("?after={after}"));
        check(&Reader::without_initial(socket).events(6));
    }
    laws::check(&x);
}

/// Cancels that one call asked for share its number, also for a reader that missed them.
#[test]
fn a_cancel_has_the_number_of_its_command() {
    let x = Exchange::start();
    let mut reader = Reader::of(&x, "trader", "");
    let trader = x.as_("trader");
    let placed = trader.limit("btcusd", "buy", "1", "10");
    for price in ["11", "12"] {
        trader.limit("btcusd", "buy", "1", price);
    }
    reader.events(2);
    let after = reader.last;
    trader.cancel(placed["order_id"].as_str().unwrap());
    trader.call("/v1/order/cancel/all", json!({})).ok();
    let ids = |events: &[Value]| -> Vec<Value> {
        let cancelled = events.iter().filter(|event| event["type"] == "cancelled");
        cancelled.map(|event| event["cancel_command_id"].clone()).collect()
    };
    let seen = reader.events(10);
    let [one, all, also_all] = &ids(&seen)[..] else { panic!("{seen:?}") };
    assert!(one.as_str().is_some_and(|id| id.parse::<u64>().is_ok()), "{seen:?}");
    assert!(one != all && all == also_all, "{seen:?}");
    let closed = seen.iter().filter(|event| event["type"] != "cancelled");
    assert!(closed.into_iter().all(|event| event.get("cancel_command_id").is_none()), "{seen:?}");
    let missed = x.order_events(&trader, &format!("?after={after}"));
    assert_eq!(ids(&Reader::without_initial(missed).events(10)), ids(&seen));
}

/// Orders of keys, of a socket and of an app are told alike; a conversion has no event. Proves EVT-014, EVT-027.
#[test]
fn orders_of_every_way_are_told() {
    let x = Exchange::start();
    let mut reader = Reader::of(&x, "auditor", "");
    let mut fast = x.fast("time-nonce", "/");
    let order = json!({ "symbol": "btcusd", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "1",
        "price": "100", "clientOrderId": "same" });
    fast.ok("order.place", order);
    x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "1", "100").named("same"));
    let token = text(&grant(&x, "app", "owner@one.test", &["orders:create"]), "access_token");
    let mut payload = NewOrder::limit("btcusd", "buy", "1", "100").named("same").params();
    payload["request"] = json!("/v1/order/new");
    let bearer = format!("Bearer {token}");
    let payload = base64(payload.to_string().as_bytes());
    let fields = [("Authorization", bearer.as_str()), ("X-SVC-PAYLOAD", &payload)];
    x.anyone().send("POST", "/v1/order/new", &fields, b"").ok();
    x.as_("trader-fund-manager").call("/v1/wrap/gusdusd", json!({ "amount": "1", "side": "buy" })).ok();
    let client_id = text(&crate::oauth::app(&x, "app"), "client_id");
    let events = reader.events(6);
    assert_eq!(kinds(&events), "accepted booked accepted booked accepted booked");
    let sessions = [
        x.key("time-nonce").credentials.api_key.clone(),
        x.key("trader").credentials.api_key.clone(),
        client_id,
    ];
    for (pair, session) in events.chunks(2).zip(&sessions) {
        for (event, first) in pair.iter().zip(&events) {
            assert_eq!(event["api_session"], *session, "{event}");
            let mut plain = event.clone();
            for name in ["order_id", "event_id", "api_session", "socket_sequence"] {
                plain[name] = first[name].clone();
            }
            assert_eq!(plain, *first);
        }
    }
    reader.is_silent();
    laws::check(&x);
}

/// The fund's takeover of a position, off the book, is told to the accounts that it concerns.
#[test]
fn trades_off_the_book_are_told_to_their_accounts() {
    let x = Exchange::start();
    let pin = |price: &str| x.control("/sandbox/index/BTC", &json!({ "price": price })).ok();
    x.control("/sandbox/ledger/insurance", &json!({ "currency": "GUSD", "amount": "1000000" })).ok();
    pin("50000");
    x.as_("perp-001").limit("btcgusdperp", "sell", "20", "50000");
    x.as_("perp-000").limit("btcgusdperp", "buy", "20", "50000");
    let mut reader = Reader::of(&x, "perp-000", "");
    let mut others = Reader::of(&x, "perp-002", "");
    pin("45000");
    // First the book is tried, where nobody buys.
    let events = reader.events(6);
    assert_eq!(kinds(&events), "accepted cancelled closed accepted fill closed", "{events:?}");
    assert!(events.iter().all(|event| event["api_session"] == "exchange"), "{events:?}");
    let events = &events[3..];
    assert_eq!(events[1]["fill"]["liquidity"], "Taker", "{events:?}");
    let trades = x.as_("perp-000").call("/v1/mytrades", json!({ "symbol": "btcgusdperp" })).ok();
    let told: u64 = events[1]["fill"]["trade_id"].as_str().unwrap().parse().unwrap();
    let is_told = |trade: &&Value| trade["tid"] == told;
    let trade = trades.as_array().unwrap().iter().find(is_told).expect("the trade");
    assert_eq!(events[1]["fill"]["price"], trade["price"], "{events:?} {trade}");
    others.is_silent();
    laws::check(&x);
}

/// When the session of a key falls silent, each of its orders is reported cancelled and closed.
#[test]
fn a_silent_session_loses_its_orders() {
    let x = Exchange::start();
    let mut reader = Reader::of(&x, "auditor", "");
    let orders = [("btcusd", "100"), ("ethusd", "90")]
        .map(|(symbol, price)| x.as_("heartbeat").limit(symbol, "buy", "1", price)["order_id"].clone());
    assert_eq!(reader.kinds(4), "accepted booked accepted booked");
    x.advance(30);
    let events = reader.events(4);
    for id in orders {
        let own: Vec<Value> = events.iter().filter(|event| event["order_id"] == id).cloned().collect();
        assert_eq!(kinds(&own), "cancelled closed", "{events:?}");
        assert_eq!(own[0]["reason"], "Requested", "{events:?}");
    }
}
