//! The judge after every crash: everything answered is there exactly, and nothing is there that was never sent.

use std::collections::{BTreeMap, BTreeSet};

use buttonwood_accept::{Actor, Dec, Exchange, Value, dec, json, laws};

use crate::memory::{HOUR_MS, Known, Memory};

/// Which orders are queried one by one. Live orders, trades and balances are always compared as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those touched since the last check.
    Touched,
    /// Every order ever sent.
    All,
}

/// Checks one key's memory against a recovered exchange and settles what was unknown. Returns how many acknowledged
/// orders were compared.
pub fn check(x: &Exchange, memory: &mut Memory, scope: Scope) -> u64 {
    let actor = x.as_(&memory.key);
    spent_nonces(&actor, memory);
    let places: Vec<usize> = match scope {
        Scope::Touched => memory.touched.iter().copied().collect(),
        Scope::All => (0..memory.orders.len()).collect(),
    };
    let compared = places.iter().filter(|place| order(&actor, memory, **place)).count();
    memory.touched.clear();
    live_orders(&actor, memory);
    own_trades(&actor, memory);
    let hour = hour(x);
    balances(&actor, memory, hour);
    figures(&actor, memory, hour);
    // Orders of derivatives accounts hold nothing, and neither do buys on margin.
    if !memory.key.starts_with("perp-") && !memory.key.starts_with("margin-") {
        laws::holds_equal_open_orders(x, &memory.key);
    }
    u64::try_from(compared).expect("a count is a number")
}

/// The last acknowledged nonce and everything below it must be used up. This check comes first, since any other call
/// of this key would use them up too.
fn spent_nonces(actor: &Actor, memory: &Memory) {
    if memory.nonce > 0 {
        for spent in [memory.nonce, memory.nonce - 1] {
            actor.call("/v1/balances", json!({ "nonce": spent })).refused(400, "InvalidNonce");
        }
    }
}

/// Compares one order and settles it. True if it had been acknowledged.
fn order(actor: &Actor, memory: &mut Memory, place: usize) -> bool {
    let order = &mut memory.orders[place];
    let params = match order.id() {
        Some(id) => json!({ "order_id": id }),
        None => json!({ "client_order_id": order.name }),
    };
    let answer = actor.call("/v1/order/status", params);
    let was_told = order.told().is_some();
    match (&order.known, answer.status()) {
        (Known::Nothing, 404) => order.known = Known::Never,
        (Known::Never, 404) => {}
        (Known::Never, _) => panic!("{} must not exist\n{answer}", order.name),
        (Known::Told(_), 404) => panic!("{} was acknowledged and is gone: {order:?}\n{answer}", order.name),
        (Known::Nothing | Known::Told(_), _) => {
            let found = answer.ok();
            assert!(order.admits(&found), "{} is not as it was told: {order:?}\n{answer}", order.name);
            order.tell(found);
        }
    }
    was_told
}

fn live_orders(actor: &Actor, memory: &Memory) {
    let live = actor.call("/v1/orders", json!({})).ok();
    let found: BTreeMap<&str, &Value> = live
        .as_array()
        .expect("orders are an array")
        .iter()
        .map(|order| (order["client_order_id"].as_str().unwrap_or_default(), order))
        .collect();
    let known: BTreeMap<&str, &Value> = memory
        .orders
        .iter()
        .filter(|order| order.is_live())
        .map(|order| (order.name.as_str(), order.told().expect("what is live was told")))
        .collect();
    let names = |map: &BTreeMap<&str, &Value>| map.keys().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (found_names, known_names) = (names(&found), names(&known));
    assert_eq!(found_names, known_names, "{}: live orders found, and those known", memory.key);
    for (name, order) in found {
        assert_eq!(Some(&order), known.get(name), "{name} of {}: live, not as told", memory.key);
    }
}

/// All own trades, page by page.
fn past_trades(actor: &Actor) -> BTreeMap<u64, Value> {
    let mut past = BTreeMap::new();
    let mut from = 0;
    loop {
        let page = actor.call("/v1/mytrades", json!({ "timestamp": from, "limit_trades": 500 })).ok();
        let before = past.len();
        for trade in page.as_array().expect("trades are an array") {
            past.insert(trade["tid"].as_u64().expect("a trade has an id"), trade.clone());
            // Not the millisecond after it: a page may end between two trades of one millisecond.
            from = from.max(trade["timestampms"].as_u64().expect("a trade has a time"));
        }
        if past.len() == before {
            return past;
        }
    }
}

fn own_trades(actor: &Actor, memory: &mut Memory) {
    let past = past_trades(actor);
    for (id, seen) in &memory.trades {
        assert_eq!(past.get(id), Some(seen), "{}: trade {id} was shown before the crash", memory.key);
    }
    let mut filled: BTreeMap<&str, Dec> = BTreeMap::new();
    let sent: BTreeSet<&str> = memory.orders.iter().map(|order| order.name.as_str()).collect();
    for trade in past.values() {
        let name = trade["client_order_id"].as_str().unwrap_or_default();
        assert!(sent.contains(name), "{} never sent the order of {trade}", memory.key);
        let sum = filled.entry(name).or_insert(Dec::ZERO);
        *sum = *sum + Dec::wire(&trade["amount"]);
    }
    for order in &memory.orders {
        let trades = filled.get(order.name.as_str()).copied().unwrap_or(Dec::ZERO);
        let executed = order.told().map_or(Dec::ZERO, |told| Dec::wire(&told["executed_amount"]));
        assert_eq!(trades, executed, "{}: its trades, and what it executed", order.name);
    }
    memory.trades = past;
}

/// Positions and risk figures are those that were read last, if nothing may have changed them; positions are what the trades lead to.
fn figures(actor: &Actor, memory: &Memory, hour: u64) {
    let known = memory.sure_figures().filter(|figures| figures.hour == hour);
    for (path, params, told) in known.iter().flat_map(|figures| &figures.replies) {
        let found = actor.call(path, params.clone()).ok();
        assert_eq!(&found, told, "{}: {path} found, and as it was told", memory.key);
    }
    if !memory.key.starts_with("perp-") {
        return;
    }
    let signed = |trade: &Value| {
        let amount = Dec::wire(&trade["amount"]);
        if trade["type"] == "Buy" { amount } else { -amount }
    };
    let expected = memory.trades.values().fold(Dec::ZERO, |sum, trade| sum + signed(trade));
    let positions = actor.call("/v1/positions", json!({})).ok();
    let rows = positions.as_array().expect("positions are an array");
    let held = rows.iter().fold(Dec::ZERO, |sum, row| sum + Dec::wire(&row["quantity"]));
    assert_eq!(held, expected, "{}: its position, and its trades", memory.key);
}

/// What a margin account owes; nothing for others.
fn owed(actor: &Actor, key: &str) -> Dec {
    if !key.starts_with("margin-") {
        return Dec::ZERO;
    }
    let account = actor.call("/v1/margin/account", json!({})).ok();
    account.pointer("/totalBorrowed/value").map_or(Dec::ZERO, Dec::wire)
}

/// An account's balance is its initial balance plus what its trades moved; what it owes counts against it, and every trade of a perpetual is
/// at one price, so that only its fee moves.
fn balances(actor: &Actor, memory: &Memory, hour: u64) {
    let mut expected = memory.start.clone();
    let mut post = |currency: &str, amount: Dec| {
        let sum = expected.entry(currency.to_owned()).or_insert(Dec::ZERO);
        *sum = *sum + amount;
    };
    for trade in memory.trades.values() {
        let order = memory.named(trade["client_order_id"].as_str().unwrap_or_default());
        let symbol = order.and_then(|place| memory.orders[place].sent["symbol"].as_str()).expect("a symbol");
        if !symbol.ends_with("perp") {
            let (base, quote) = symbol.split_at(3);
            let amount = Dec::wire(&trade["amount"]);
            let notional = amount * Dec::wire(&trade["price"]);
            let (got, paid) = if trade["type"] == "Buy" { (amount, notional) } else { (-amount, -notional) };
            post(&base.to_uppercase(), got);
            post(&quote.to_uppercase(), -paid);
        }
        post(trade["fee_currency"].as_str().expect("a fee has a currency"), -Dec::wire(&trade["fee_amount"]));
    }
    let owed = owed(actor, &memory.key);
    post("USD", owed);
    // What full hours charge and pay is less than this.
    let is_charged = memory.key.starts_with("margin-") || memory.key.starts_with("perp-");
    let most = if is_charged && memory.hour != hour { dec("20") } else { dec("0.00000000000002") };
    for row in actor.balances() {
        let currency = row["currency"].as_str().expect("a balance has a currency");
        let expected = expected.remove(currency).unwrap_or(Dec::ZERO);
        // Balances on the wire are truncated to 15 decimals (TYPE-021).
        let off = (Dec::wire(&row["amount"]) - expected).abs();
        assert!(off < most, "{}: its trades lead to {expected}, but {row}", memory.key);
    }
    expected.retain(|_, amount| amount.abs() >= most);
    assert!(expected.is_empty(), "{}: balances that are not there: {expected:?}", memory.key);
}

/// The hour on the exchange's clock.
pub fn hour(x: &Exchange) -> u64 {
    x.get("/sandbox/clock").ok()["now_ms"].as_u64().expect("a time in milliseconds") / HOUR_MS
}

/// Balances of a key's account, by currency.
pub fn holdings(x: &Exchange, key: &str) -> BTreeMap<String, Dec> {
    let code = |row: &Value| row["currency"].as_str().expect("a balance has a currency").to_owned();
    x.as_(key).balances().iter().map(|row| (code(row), Dec::wire(&row["amount"]))).collect()
}
