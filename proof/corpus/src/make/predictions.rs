//! Prediction markets: every command and event of the room, and what waits at the end: a payout half done, live orders, open positions, a
//! dispute, a combo that needs a call, a reward that lacks money.

use super::{control, setup};
use buttonwood_accept::Exchange;
use buttonwood_engine::{Command, PredictionCommand};
use buttonwood_journal::Options;
use buttonwood_sequencer::recover;
use serde_json::{Value, json};
use std::path::Path;

const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;
/// The window for disputes, in seconds.
const WINDOW: u64 = HOUR;
/// Minutes of a day whose snapshots are more than half of it.
const MINUTES: u64 = 725;

/// Events that expire, are resolved, disputed, resolved again and void, combos of each end, claims that are minted, passed on, merged and
/// netted, and rewards of both kinds. A snapshot lies between them; the last command pays one contract of two.
pub(super) fn predictions(data: &Path) {
    let exchange = setup().flag("--snapshot-every", "500").start_in(data);
    terms(&exchange);
    events(&exchange);
    trade(&exchange);
    exchange.restart();
    reward(&exchange);
    end(&exchange);
    leave_open(&exchange);
    exchange.stop();
    pay_half(data);
}

fn terms(x: &Exchange) {
    accept(x, "trader");
    control(
        x,
        "/sandbox/predictions/terms",
        &json!({ "content": "A contract pays a dollar, \"or\" nothing." }),
    );
    for key in ["trader", "counterparty", "load-000"] {
        accept(x, key);
    }
    control(x, "/sandbox/predictions/fees", &json!({ "maker_bps": 150, "taker_bps": 450 }));
}

fn accept(x: &Exchange, key: &str) {
    x.as_(key).call("/v1/prediction-markets/terms/accept", json!({})).ok();
}

fn add(x: &Exchange, ticker: &str, contracts: &[&str], more: &Value) {
    let mut fields = json!({ "ticker": ticker, "title": format!("Will \"{ticker}\" be?"), "category": "corpus",
        "expiry_ms": x.now_ms() + 30 * DAY * 1_000, "dispute_seconds": WINDOW });
    let all = fields.as_object_mut().expect("an object");
    if !contracts.is_empty() {
        let rows = contracts.iter().map(|name| json!({ "ticker": name, "label": format!("The {name}") }));
        all.insert("contracts".to_owned(), rows.collect());
    }
    all.extend(more.as_object().expect("an object").clone());
    control(x, "/sandbox/predictions/events", &fields);
}

fn combo(x: &Exchange, legs: &[(&str, &str)]) -> String {
    let legs: Vec<Value> =
        legs.iter().map(|(symbol, outcome)| json!({ "symbol": symbol, "outcome": outcome })).collect();
    let listed = x.control("/sandbox/predictions/combos", &json!({ "legs": legs })).ok();
    listed["symbol"].as_str().expect("a symbol").to_owned()
}

fn of_event(x: &Exchange, ticker: &str, act: &str, body: &Value) {
    control(x, &format!("/sandbox/predictions/events/{ticker}/{act}"), body);
}

fn events(x: &Exchange) {
    let soon = x.now_ms() + HOUR * 1_000;
    let strike = json!({ "strike": { "type": "reference", "available_ms": soon }, "closed_to": ["US-NY"] });
    add(x, "RAIN", &[], &strike);
    add(x, "MAYOR", &["ANN", "BOB"], &json!({ "source": "the county clerk" }));
    add(x, "COLD", &[], &json!({ "start_ms": soon, "expiry_ms": x.now_ms() + 2 * HOUR * 1_000 }));
    add(x, "PLAIN", &[], &json!({}));
    add(x, "PUSHED", &[], &json!({}));
    add(
        x,
        "VALUED",
        &[],
        &json!({ "price_increment": "0.0001", "quantity_increment": "0.1", "quantity_minimum": "0.5" }),
    );
    add(x, "HALF", &["ONE", "TWO"], &json!({ "exclusive": false }));
    add(x, "OPEN", &[], &json!({}));
    add(x, "DOUBT", &[], &json!({ "dispute_seconds": 0 }));
    of_event(x, "RAIN", "strike", &json!({ "value": "49123.45" }));
    of_event(x, "MAYOR", "halt", &json!({ "halted": true }));
    of_event(x, "MAYOR", "halt", &json!({ "halted": false }));
}

/// The fields of a limit order, such as `buy yes 10 at 0.60`.
fn place(x: &Exchange, key: &str, symbol: &str, words: &str) -> Value {
    let words: Vec<&str> = words.split(' ').collect();
    let [side, outcome, quantity, "at", price] = words.as_slice() else { panic!("no order: {words:?}") };
    let fields = json!({ "symbol": symbol, "orderType": "limit", "side": side, "outcome": outcome,
        "quantity": quantity, "price": price });
    let placed = x.as_(key).call("/v1/prediction-markets/order", fields);
    assert_eq!(placed.status(), 201, "{placed}");
    placed.json()["orderId"].clone()
}

/// Mints at 0.40: the trader has the yes, the counterparty the no.
fn mint(x: &Exchange, symbol: &str, quantity: &str) {
    place(x, "trader", symbol, &format!("buy yes {quantity} at 0.40"));
    place(x, "counterparty", symbol, &format!("buy no {quantity} at 0.60"));
}

fn trade(x: &Exchange) {
    for symbol in
        ["SVC-RAIN", "SVC-MAYOR-ANN", "SVC-PLAIN", "SVC-PUSHED", "SVC-VALUED", "SVC-HALF-ONE", "SVC-HALF-TWO"]
    {
        mint(x, symbol, "20");
    }
    // Passed on at another price, merged in part, and netted.
    place(x, "load-000", "SVC-PUSHED", "buy yes 8 at 0.55");
    place(x, "trader", "SVC-PUSHED", "sell yes 8 at 0.55");
    place(x, "trader", "SVC-RAIN", "sell yes 5 at 0.70");
    place(x, "counterparty", "SVC-RAIN", "sell no 5 at 0.30");
    place(x, "load-000", "SVC-MAYOR-ANN", "buy yes 3 at 0.45");
    place(x, "trader", "SVC-MAYOR-ANN", "buy no 3 at 0.55");
    let order = place(x, "trader", "SVC-OPEN", "buy no 2 at 0.10");
    x.as_("trader").call("/v1/prediction-markets/order/cancel", json!({ "orderId": order })).ok();
    // A combo that fails, one that comes true, and two with a void leg, of which one was passed on.
    let fails = combo(x, &[("SVC-RAIN", "no"), ("SVC-OPEN", "yes")]);
    let holds = combo(x, &[("SVC-RAIN", "yes"), ("SVC-MAYOR-BOB", "yes")]);
    let is_void = combo(x, &[("SVC-PLAIN", "yes"), ("SVC-OPEN", "yes")]);
    let waits = combo(x, &[("SVC-PLAIN", "no"), ("SVC-OPEN", "no")]);
    for symbol in [&fails, &holds, &is_void, &waits] {
        mint(x, symbol, "4");
    }
    place(x, "load-000", &waits, "buy yes 2 at 0.50");
    place(x, "trader", &waits, "sell yes 2 at 0.50");
    place(x, "load-000", "SVC-RAIN", "buy yes 2 at 0.05");
    x.advance(2 * HOUR);
}

/// Seconds until the next time of day in Universal Time.
fn until(x: &Exchange, hour: u64) -> u64 {
    (hour * HOUR + DAY - x.now_ms() / 1_000 % DAY) % DAY
}

/// A day of which more than half is scored, of a pool that is larger than the money for it; and a day's rebates.
fn reward(x: &Exchange) {
    let set = |fields: &Value| control(x, "/sandbox/predictions/rewards", fields);
    x.advance(until(x, 5));
    let pools = json!([{ "event_ticker": "OPEN", "daily_pool_usd": "2000000.00" }]);
    set(&json!({ "enabled": true, "rebate_multiplier_bps": 4_000, "max_spread_cents": 12, "pools": pools }));
    place(x, "trader", "SVC-OPEN", "buy yes 20 at 0.47");
    place(x, "trader", "SVC-OPEN", "buy no 20 at 0.47");
    place(x, "counterparty", "SVC-OPEN", "buy yes 10 at 0.47");
    x.advance(MINUTES * 60);
    set(&json!({ "pools": [] }));
    place(x, "load-000", "SVC-OPEN", "buy no 25 at 0.53");
    x.advance(DAY + until(x, 23));
}

fn resolve(x: &Exchange, ticker: &str, outcomes: &Value) {
    of_event(x, ticker, "resolve", &json!({ "outcomes": outcomes, "source": "the corpus" }));
}

fn end(x: &Exchange) {
    resolve(x, "RAIN", &json!({ "RAIN": "no" }));
    of_event(x, "RAIN", "dispute", &json!({ "reason": "it \"rained\"" }));
    resolve(x, "RAIN", &json!({ "RAIN": "yes" }));
    resolve(x, "MAYOR", &json!({ "ANN": "no", "BOB": "yes" }));
    x.advance(2 * WINDOW);
    of_event(x, "PLAIN", "void", &json!({ "reason": "called off" }));
    of_event(x, "PUSHED", "void", &json!({ "reason": "called off", "at_cost": true }));
    of_event(x, "VALUED", "void", &json!({ "reason": "called off", "value": "0.3333" }));
    resolve(x, "COLD", &json!({ "COLD": "no" }));
    of_event(x, "COLD", "dispute", &json!({ "reason": "a draught" }));
}

/// Positions, a sale that holds claims, and a bid stay.
fn leave_open(x: &Exchange) {
    mint(x, "SVC-DOUBT", "10");
    place(x, "trader", "SVC-DOUBT", "sell yes 6 at 0.90");
    place(x, "load-000", "SVC-DOUBT", "buy yes 2.5 at 0.25");
    resolve(x, "HALF", &json!({ "ONE": "yes", "TWO": "no" }));
}

/// Ends the window of the last event and pays its first contract.
fn pay_half(data: &Path) {
    let small = Options { first_segment_bytes: 65_536, ..Options::default() };
    let mut recovered = recover(data, small).expect("the directory is read");
    let (event, time) = {
        let views = recovered.views();
        let room = views.state().predictions();
        let event = room.find_event("HALF").expect("it is listed");
        let resolution = room.event(event).and_then(|event| event.resolution.as_ref());
        (event, resolution.and_then(|resolution| resolution.settles).expect("it is resolved"))
    };
    let own = |body: PredictionCommand| Command { caller: None, body: body.into() };
    let commands = vec![own(PredictionCommand::Finish(event)), own(PredictionCommand::Work)];
    recovered.commit(time, commands).expect("one contract is paid");
}
