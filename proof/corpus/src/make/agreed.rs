//! Clearing orders and stakes: every event of both rooms, and orders, days and redemptions that wait at the end.

use super::{control, setup};
use buttonwood_accept::Exchange;
use serde_json::{Value, json};
use std::path::Path;

const HOUR: u64 = 3_600;
/// Seconds of a day until interest accrues, and a minute more.
const ACCRUED: u64 = 20 * HOUR + 60;
/// A provider that the sandbox does not have.
const PROVIDER: &str = "7d0c1c2e-5b1f-4a3e-8f5d-2a6b9c4d7e10";

/// Orders of clearing that are settled at once, later, or not at all, with a broker, a fee and a name; stakes, days that are paid in time,
/// late or not yet, redemptions in parts, and a debt that a stake repays. A snapshot lies between them, and the process is killed at the end.
pub(super) fn agreed(data: &Path) {
    let exchange = setup().flag("--funds", "simulated").flag("--snapshot-every", "60").start_in(data);
    clear(&exchange);
    exchange.restart();
    stake(&exchange);
    // These wait at the end.
    enter(&exchange, "trader", "1", &json!({ "expires_in_hrs": 100 }));
    let brokered = enter_between(&exchange);
    confirm(&exchange, "counterparty", &brokered, "1", "buy");
    let waits = enter(&exchange, "empty", "7", &json!({ "expires_in_hrs": "48" }));
    confirm(&exchange, "trader", &waits, "7", "buy");
    repay(&exchange);
    exchange.kill9();
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn id_of(exchange: &Exchange, key: &str) -> Value {
    exchange.key(key).entry["counterparty_id"].clone()
}

fn joined(mut fields: Value, more: &Value) -> Value {
    let all = fields.as_object_mut().expect("an object");
    all.extend(more.as_object().expect("an object").clone());
    fields
}

/// The terms of so many LTC at 40.
fn terms(amount: &str, side: &str) -> Value {
    json!({ "symbol": "ltcusd", "amount": amount, "price": "40", "side": side })
}

/// Enters a sale and returns its id.
fn enter(exchange: &Exchange, key: &str, amount: &str, more: &Value) -> String {
    let fields = joined(terms(amount, "sell"), more);
    text(&exchange.as_(key).call("/v1/clearing/new", fields).ok()["clearing_id"])
}

/// Enters a sale of the trader's to the counterparty, as their broker.
fn enter_between(exchange: &Exchange) -> String {
    let [source, target] = ["trader", "counterparty"].map(|key| id_of(exchange, key));
    let parties =
        json!({ "source_counterparty_id": source, "target_counterparty_id": target, "expires_in_hrs": 24 });
    let fields = joined(terms("1", "sell"), &parties);
    text(&exchange.as_("broker").call("/v1/clearing/broker/new", fields).ok()["clearing_id"])
}

fn confirm(exchange: &Exchange, key: &str, id: &str, amount: &str, side: &str) {
    let fields = joined(terms(amount, side), &json!({ "clearing_id": id }));
    exchange.as_(key).call("/v1/clearing/confirm", fields).ok();
}

fn clear(exchange: &Exchange) {
    exchange.admin(&["clearing", "fee", "12"]).done();
    let mark = |is_broker: bool| json!({ "group": "one", "account": "savings", "broker": is_broker });
    control(exchange, "/sandbox/accounts/broker", &mark(true));
    control(exchange, "/sandbox/accounts/broker", &mark(false));
    let other = id_of(exchange, "counterparty");
    let alias = json!({ "group": "one", "account": "primary", "counterparty_id": other, "alias": "S\u{fc}d \"&\" Co" });
    control(exchange, "/sandbox/clearing/alias", &alias);
    // At once, and the same call again.
    let named = json!({ "counterparty_id": other, "client_transfer_id": "corpus-1" });
    let first = enter(exchange, "trader", "1", &named);
    assert_eq!(enter(exchange, "trader", "1", &named), first);
    confirm(exchange, "counterparty", &first, "1", "buy");
    let brokered = enter_between(exchange);
    confirm(exchange, "trader", &brokered, "1", "sell");
    confirm(exchange, "counterparty", &brokered, "1", "buy");
    // Cancelled, and expired.
    let cancelled = enter(exchange, "trader", "2", &json!({}));
    exchange.as_("trader").call("/v1/clearing/cancel", json!({ "clearing_id": cancelled })).ok();
    enter(exchange, "trader", "3", &json!({ "expires_in_hrs": 1 }));
    // The money for one of two comes, so that the other is tried in vain.
    for amount in ["4", "5"] {
        let waits = enter(exchange, "empty", amount, &json!({ "counterparty_id": other }));
        confirm(exchange, "counterparty", &waits, amount, "buy");
    }
    exchange.credit("empty", "LTC", "5");
    exchange.advance(HOUR);
    close_named(exchange);
}

/// An account is closed that more orders name than one command cancels.
fn close_named(exchange: &Exchange) {
    let account = json!({ "group": "one", "name": "gone", "kind": "exchange" });
    control(exchange, "/sandbox/accounts", &account);
    let accounts = exchange.as_("master").call("/v1/account/list", json!({})).ok();
    let row = accounts.as_array().expect("a list").iter().find(|row| row["account"] == "gone");
    let named = json!({ "counterparty_id": row.expect("the account is listed")["counterparty_id"] });
    for _ in 0..101 {
        enter(exchange, "counterparty", "1", &named);
    }
    control(exchange, "/sandbox/accounts/close", &json!({ "group": "one", "account": "gone" }));
}

fn set(exchange: &Exchange, currency: &str, more: &Value) {
    let fields = json!({ "provider_id": PROVIDER, "currency": currency, "rate_bps": "365.125",
        "deposit_usd_limit": "500000", "redemption_seconds": 7_200 });
    control(exchange, "/sandbox/staking/terms", &joined(fields, more));
}

fn request(currency: &str, amount: &str, id: &str) -> Value {
    let fields = json!({ "providerId": PROVIDER, "currency": currency, "amount": amount });
    if id.is_empty() { fields } else { joined(fields, &json!({ "clientTransferId": id })) }
}

fn stake(exchange: &Exchange) {
    let call = |key: &str, act: &str, fields: Value| {
        exchange.as_(key).call(&format!("/v1/staking/{act}"), fields).ok();
    };
    for symbol in ["ethusd", "ltcusd"] {
        for (key, side) in [("counterparty", "sell"), ("trader", "buy")] {
            exchange.as_(key).limit(symbol, side, "0.1", "2000");
        }
    }
    control(exchange, "/sandbox/staking/fund", &json!({ "currency": "ETH", "amount": "12.5" }));
    set(exchange, "ETH", &json!({ "redemption_per_day": "1.5" }));
    set(exchange, "LTC", &json!({ "redemption_seconds": 0 }));
    call("trader", "stake", request("ETH", "10", "corpus-2"));
    call("trader", "stake", request("ETH", "10.0", "corpus-2"));
    call("savings-trader", "stake", request("ETH", "3.3333333333333333333", ""));
    call("counterparty", "stake", request("LTC", "2", ""));
    exchange.advance(HOUR);
    call("trader", "unstake", request("ETH", "1", "corpus-3"));
    call("savings-trader", "unstake", request("ETH", "1", ""));
    exchange.advance(ACCRUED);
    set(exchange, "ETH", &json!({ "redemption_per_day": "1.5", "rate_bps": "730" }));
    // A day of LTC waits for money, and is paid late; the next ones wait still.
    control(exchange, "/sandbox/staking/fund", &json!({ "currency": "LTC", "amount": "0.0002" }));
    exchange.advance(24 * HOUR);
    exchange.restart();
    call("counterparty", "unstake", request("LTC", "2", ""));
    exchange.advance(2 * 24 * HOUR);
    set(exchange, "ETH", &json!({ "paused": true, "redemption_per_day": "0.25" }));
    call("trader", "unstake", request("ETH", "2", ""));
    exchange.advance(3 * HOUR);
}

/// A bank takes an advance back that was spent: the stake is redeemed up to the debt.
fn repay(exchange: &Exchange) {
    let poor = exchange.key("empty");
    set(exchange, "USD", &json!({}));
    let wire = |method: &str| {
        let fields = json!({ "group": poor.group, "account": poor.account, "currency": "USD", "amount": "125.25",
            "method": method });
        exchange.control("/sandbox/banks/wire", &fields).ok()["eid"].clone()
    };
    wire("Wire");
    exchange.as_("empty").call("/v1/staking/stake", request("USD", "60", "")).ok();
    let returned = wire("ACH");
    let spent =
        ["debit", &poor.group, &poor.account, "USD", "350", "--reference", "spent", "--reason", "corpus"];
    exchange.admin(&spent).done();
    exchange.control("/sandbox/banks/settle", &json!({ "eid": returned, "returned": true })).ok();
}
