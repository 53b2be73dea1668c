//! The laws that must hold after every scenario.

use std::collections::BTreeMap;

use buttonwood_checker::{Dec, dec};
use serde_json::{Value, json};

use crate::exchange::Exchange;

/// A key that may read, for each account that scenarios use.
const READERS: [&str; 6] = ["auditor", "savings-trader", "counterparty", "broker", "restricted", "empty"];

/// Checks the laws from outside, stops the exchange cleanly and runs `verify` on its directory.
#[track_caller]
pub fn check(exchange: &Exchange) {
    if exchange.is_running() {
        ledger_sums_to_zero(exchange);
        books_are_not_crossed(exchange);
        for reader in READERS {
            holds_equal_open_orders(exchange, reader);
        }
        exchange.stop();
    }
    verified(exchange);
}

/// `verify` must accept the directory of a stopped exchange.
#[track_caller]
pub fn verified(exchange: &Exchange) {
    let output = exchange.verify();
    assert!(
        output.status.success(),
        "verify must exit 0\nstdout: {}\nstderr: {}\nlog: {}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        exchange.log()
    );
}

/// The hold of a key's account must be what its open orders need and what its transfers hold, and no balance may be negative (BAL-009,
/// ORD-048, XFER-019). `pendingWithdrawal` is the sum of what the rows of transfers hold; the listing of rows has a limit of its own.
#[track_caller]
pub fn holds_equal_open_orders(exchange: &Exchange, reader: &str) {
    let actor = exchange.as_(reader);
    let orders = actor.call("/v1/orders", json!({})).ok();
    let mut needed: BTreeMap<String, Dec> = BTreeMap::new();
    for order in orders.as_array().expect("orders are an array") {
        let (base, quote) = currencies(exchange, order["symbol"].as_str().expect("a symbol"));
        let remaining = Dec::wire(&order["remaining_amount"]);
        let (currency, hold) = if order["side"] == "buy" {
            let notional = remaining * Dec::wire(&order["price"]);
            (quote, notional + notional.bps(40))
        } else {
            (base, remaining)
        };
        let sum = needed.entry(currency).or_insert(Dec::ZERO);
        *sum = *sum + hold;
    }
    let rows = actor.call("/v1/balances", json!({ "showPendingBalances": true })).ok();
    for row in rows.as_array().expect("balances are an array") {
        let (amount, available) = (Dec::wire(&row["amount"]), Dec::wire(&row["available"]));
        assert!(available >= Dec::ZERO && amount >= available, "{reader}: {row}");
        let hold = needed.remove(row["currency"].as_str().expect("a code")).unwrap_or(Dec::ZERO);
        let moving = row.get("pendingWithdrawal").map_or(Dec::ZERO, Dec::wire);
        let hold = hold + moving;
        // Balances on the wire are truncated to 15 decimals, each by itself (TYPE-021).
        let off = (amount - available - hold).abs();
        assert!(off < dec("0.00000000000001"), "{reader}: orders and transfers hold {hold}, but {row}");
    }
    needed.retain(|_, hold| *hold != Dec::ZERO);
    assert!(needed.is_empty(), "{reader}: holds without a balance: {needed:?}");
}

/// The balances of customers and house must sum to zero in every currency (INV-LEDGER-2).
#[track_caller]
pub fn ledger_sums_to_zero(exchange: &Exchange) {
    let ledger = exchange.get("/sandbox/ledger").ok();
    for row in ledger["currencies"].as_array().expect("currencies are an array") {
        let house = row["house"].as_object().expect("the house's accounts by name").values().map(Dec::wire);
        let sum = house.fold(Dec::wire(&row["customers"]), |sum, amount| sum + amount);
        assert_eq!((sum, Dec::wire(&row["sum"])), (Dec::ZERO, Dec::ZERO), "{row}");
    }
}

/// No best bid may reach the best ask.
#[track_caller]
fn books_are_not_crossed(exchange: &Exchange) {
    for symbol in ["btcusd", "ethusd", "ethbtc"] {
        let book = exchange.get(&format!("/v1/book/{symbol}?limit_bids=1&limit_asks=1")).ok();
        if let (Some(bid), Some(ask)) = (book["bids"].get(0), book["asks"].get(0)) {
            assert!(Dec::wire(&bid["price"]) < Dec::wire(&ask["price"]), "crossed: {book}");
        }
    }
}

fn currencies(exchange: &Exchange, symbol: &str) -> (String, String) {
    let details = exchange.get(&format!("/v1/symbols/details/{symbol}")).ok();
    let code = |name: &str| -> String {
        details.get(name).and_then(Value::as_str).expect("details name both currencies").to_owned()
    };
    (code("base_currency"), code("quote_currency"))
}
