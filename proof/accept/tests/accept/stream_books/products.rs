//! Perpetuals and contracts of prediction markets on the public streams.

use super::{Book, text, trades};
use buttonwood_accept::{Dec, Exchange, Socket, Value, json, laws, same_keys};

const BTC: &str = "btcgusdperp";

fn pin(x: &Exchange, price: &str) {
    x.control("/sandbox/index/BTC", &json!({ "price": price })).ok();
}

fn subscribe(x: &Exchange, name: &str, symbol: &str) -> Socket {
    let mut socket = x.socket("/v2/marketdata");
    socket.send(&json!({ "type": "subscribe", "subscriptions": [{ "name": name, "symbols": [symbol] }] }));
    socket
}

/// The mark price is that of REST at first and with each change. Proves EVT-021.
#[test]
fn the_mark_price_is_that_of_rest() {
    let x = Exchange::start();
    pin(&x, "50000");
    let mut socket = subscribe(&x, "mark_price", BTC);
    let first = socket.next_event();
    same_keys(&first, &["type", "symbol", "changes"], &first);
    assert_eq!((&first["type"], &first["symbol"]), (&json!("mark_price_updates"), &json!("BTCGUSDPERP")));
    let mark = |x: &Exchange| Dec::wire(&x.get(&format!("/v1/riskstats/{BTC}")).ok()["mark_price"]);
    let is_current = |frame: &Value, x: &Exchange| Dec::wire(&frame["changes"][0]["mark_price"]) == mark(x);
    assert!(is_current(&first, &x), "{first}");
    for price in ["50500", "49000.5"] {
        pin(&x, price);
        let seen = socket.next_that(|frame| frame["type"] == "mark_price_updates" && is_current(frame, &x));
        assert_eq!(seen["changes"][0]["timestamp"], x.now_ms() * 1_000_000, "{seen}");
    }
    // An order may move the mark.
    x.as_("perp-001").limit(BTC, "sell", "5", "49010");
    x.as_("perp-002").limit(BTC, "buy", "5", "49005");
    let fresh = subscribe(&x, "mark_price", BTC).next_event();
    assert!(is_current(&fresh, &x), "{fresh}");
}

/// Funding is that of REST: the hour that was cut, and the next one as it would be. Proves EVT-021.
#[test]
fn funding_is_that_of_rest() {
    let x = Exchange::start();
    pin(&x, "50000");
    x.as_("perp-001").limit(BTC, "sell", "2", "50100");
    x.as_("perp-003").limit(BTC, "buy", "0.1", "49900");
    let mut socket = subscribe(&x, "funding_amount", "BTCGUSDPERP");
    x.advance(3_600);
    let is_cut = |frame: &Value| {
        frame["type"] == "funding_amount_updates" && frame["changes"][0]["is_realized"] == true
    };
    let cut = socket.next_that(is_cut);
    let change = &cut["changes"][0];
    let keys =
        ["timestamp", "funding_amount", "funding_date_time", "funding_interval_in_minutes", "is_realized"];
    same_keys(change, &keys, &cut);
    let answer = x.get(&format!("/v1/fundingamount/{BTC}"));
    let shown = answer.ok();
    let exact = |name: &str| {
        let body = answer.reply.text();
        let (_, rest) = body.split_once(&format!("\"{name}\":")).expect("the field");
        rest.split([',', '}']).next().unwrap().to_owned()
    };
    assert_eq!(text(&change["funding_amount"]), exact("fundingAmount"), "{cut} {shown}");
    assert_eq!(change["funding_date_time"], shown["fundingDateTimeUTC"], "{cut} {shown}");
    assert_eq!(change["funding_interval_in_minutes"], 60);
    let mut fresh = subscribe(&x, "funding_amount", BTC);
    let again = fresh.next_event();
    assert_eq!(again["changes"][0]["funding_amount"], change["funding_amount"], "{again}");
    let estimate = fresh.next_event();
    assert_eq!(estimate["changes"][0]["is_realized"], false, "{estimate}");
    assert_eq!(
        text(&estimate["changes"][0]["funding_amount"]),
        exact("estimatedFundingAmount"),
        "{estimate} {shown}"
    );
}

/// Contracts are on the first generation and on the newest socket, in the view of yes, as REST shows them.
#[test]
fn contracts_are_in_the_view_of_yes() {
    const ORDER: &str = "/v1/prediction-markets/order";
    const RAIN: &str = "SVC-RAIN";
    let x = Exchange::start();
    let event = json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather",
        "expiry_ms": x.now_ms() + 86_400_000 });
    x.control("/sandbox/predictions/events", &event).ok();
    for key in ["trader", "counterparty"] {
        x.as_(key).call("/v1/prediction-markets/terms/accept", json!({})).ok();
    }
    let mut v1 = x.socket("/v1/marketdata/svc-rain");
    let mut multi = x.socket("/v1/multimarketdata?symbols=SVC-RAIN,BTCUSD");
    let mut depth = x.socket("/?snapshot=-1");
    depth.ok("subscribe", json!(["svc-rain@depth"]));
    let mut trade = x.socket("/");
    trade.ok("subscribe", json!(["SVC-RAIN@trade"]));
    let place = |key: &str, side: &str, outcome: &str, quantity: &str, price: &str| {
        let order = json!({ "symbol": RAIN, "orderType": "limit", "side": side, "outcome": outcome, "quantity": quantity,
            "price": price });
        let answer = x.as_(key).call(ORDER, order);
        assert_eq!(answer.status(), 201, "{answer}");
    };
    place("trader", "buy", "yes", "10", "0.60");
    place("counterparty", "buy", "no", "4", "0.40");
    place("counterparty", "buy", "no", "5", "0.30");
    place("trader", "buy", "yes", "1", "0.01");
    let rest = Book::of_rest(&x, RAIN);
    assert_eq!((rest.bids.len(), rest.asks.len()), (2, 1), "{rest:?}");
    let mut book = Book::default();
    while book != rest {
        let frame = v1.next();
        for event in frame["events"].as_array().unwrap().iter().filter(|event| event["type"] == "change") {
            book.set(event["side"] == "bid", &event["price"], &event["remaining"]);
        }
    }
    let mut book = Book::default();
    while book != rest {
        let frame = depth.next();
        assert_eq!(frame["s"], RAIN, "{frame}");
        for (is_bid, side) in [(true, "b"), (false, "a")] {
            for level in frame[side].as_array().unwrap() {
                book.set(is_bid, &level[0], &level[1]);
            }
        }
    }
    let named = multi.next_that(|frame| frame["events"].as_array().is_some_and(|events| !events.is_empty()));
    assert_eq!(named["events"][0]["symbol"], RAIN, "{named}");
    let shown = trades(&x, RAIN);
    assert_eq!(shown.len(), 1);
    let told = trade.next();
    for (ours, theirs) in [("t", "tid"), ("p", "price"), ("q", "amount")] {
        assert_eq!(told[ours], shown[0][theirs], "{told} {}", shown[0]);
    }
    x.stop();
    laws::verified(&x);
}
