//! Staking over HTTP: clauses STK-001 to STK-022, and the rules of decisions D-95 to D-104.

mod days;
mod debts;
mod history;
mod money;
mod redemptions;
mod refusals;
mod retries;
mod statement;

use buttonwood_accept::{Actor, Answer, Dec, Exchange, Value, dec, json};

/// Providers of these tests: one that redeems at once, and one after a week.
const AT_ONCE: &str = "0b9a2f2e-7f0c-4a64-9a54-3f6d1c1e2a01";
const WEEK: &str = "6f1d8c53-9b1e-4d43-8f0e-5b7a9d3c4e02";

const STAKE: &str = "/v1/staking/stake";
const UNSTAKE: &str = "/v1/staking/unstake";
const HISTORY: &str = "/v1/staking/history";
const REWARDS: &str = "/v1/staking/rewards";
const REDEMPTIONS: &str = "/v1/staking/redemptions";
const BALANCES: &str = "/v1/balances/staking";

/// The start of every exchange in these tests, and of its first day: 2026-01-01.
const START: u64 = 1_767_225_600_000;
const DAY: u64 = 86_400;
/// Seconds of a day until interest accrues.
const ACCRUES: u64 = 20 * 3_600;

/// Units in one coin.
const COIN: i128 = 10_i128.pow(19);

/// An exchange where both providers stake ETH at 540 basis points, and where ETH was traded at 2,000 dollars.
fn exchange() -> Exchange {
    let x = Exchange::start();
    trade(&x, "ethusd", "2000");
    terms(&x, AT_ONCE, "ETH", "540", 0);
    terms(&x, WEEK, "ETH", "540", 7 * DAY);
    x
}

/// Trades a little of a symbol at a price.
fn trade(x: &Exchange, symbol: &str, price: &str) {
    x.as_("counterparty").limit(symbol, "sell", "0.01", price);
    let bought = x.as_("trader").limit(symbol, "buy", "0.01", price);
    assert_eq!(bought["executed_amount"], "0.01", "{bought}");
}

/// Sets terms with a limit of 500,000 dollars.
fn terms(x: &Exchange, provider: &str, currency: &str, rate: &str, seconds: u64) {
    set_terms(
        x,
        &json!({
            "provider_id": provider, "currency": currency, "rate_bps": rate, "deposit_usd_limit": "500000",
            "redemption_seconds": seconds,
        }),
    );
}

fn set_terms(x: &Exchange, terms: &Value) -> Value {
    x.control("/sandbox/staking/terms", terms).ok()
}

fn request(provider: &str, amount: &str) -> Value {
    json!({ "providerId": provider, "currency": "ETH", "amount": amount })
}

fn stake(x: &Exchange, key: &str, provider: &str, amount: &str) -> Value {
    exact(&x.as_(key).call(STAKE, request(provider, amount)))
}

fn unstake(x: &Exchange, key: &str, provider: &str, amount: &str) -> Value {
    exact(&x.as_(key).call(UNSTAKE, request(provider, amount)))
}

/// An answer in which every JSON number is the string of its digits, so that none of them passes a float.
fn exact(answer: &Answer) -> Value {
    answer.ok();
    let (mut text, mut is_text, mut is_escaped, mut is_number) = (String::new(), false, false, false);
    for letter in answer.reply.text().chars() {
        let is_digit = !is_text && (letter.is_ascii_digit() || (is_number && letter == '.') || letter == '-');
        assert!(is_text || !matches!(letter, 'e' | 'E') || !is_number, "an exponent: {answer}");
        if is_digit != is_number {
            text.push('"');
            is_number = is_digit;
        }
        text.push(letter);
        if letter == '"' && !is_escaped {
            is_text = !is_text;
        }
        is_escaped = is_text && letter == '\\' && !is_escaped;
    }
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The rows of a list.
fn list(actor: &Actor, path: &str, params: Value) -> Vec<Value> {
    exact(&actor.call(path, params)).as_array().expect("an array").clone()
}

/// The staking balance of a currency: what is staked or owed, what can be redeemed, and what is with each provider.
fn staked(x: &Exchange, key: &str, currency: &str) -> Option<Value> {
    list(&x.as_(key), BALANCES, json!({})).into_iter().find(|row| row["currency"] == currency)
}

/// What is staked or owed of ETH, and what can be redeemed.
fn sums(x: &Exchange, key: &str) -> (Dec, Dec) {
    let row = staked(x, key, "ETH");
    row.map_or((Dec::ZERO, Dec::ZERO), |row| {
        (Dec::wire(&row["balance"]), Dec::wire(&row["availableForWithdrawal"]))
    })
}

/// The exchange balance of a currency.
fn balance(x: &Exchange, key: &str, currency: &str) -> Dec {
    x.as_(key).balance(currency).0
}

/// The balance of a house account.
fn house(x: &Exchange, currency: &str, name: &str) -> Dec {
    let ledger = x.get("/sandbox/ledger").ok();
    let row =
        ledger["currencies"].as_array().unwrap().iter().find(|row| row["currency"] == currency).cloned();
    Dec::wire(&row.expect("the currency is listed")["house"][name])
}

/// Every transaction, newest first, with its provider.
fn transactions(actor: &Actor, params: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for group in list(actor, HISTORY, params.clone()) {
        for row in group["transactions"].as_array().expect("an array") {
            let mut row = row.clone();
            row["providerId"] = group["providerId"].clone();
            all.push(row);
        }
    }
    all
}

/// A decimal in units of 10⁻¹⁹.
fn units(amount: Dec) -> i128 {
    let text = amount.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    format!("{whole}{fraction:0<19}").parse().expect("a decimal of at most 19 places")
}

/// Units of 10⁻¹⁹ as a decimal.
fn of_units(units: i128) -> Dec {
    let digits = format!("{units:0>20}");
    let (whole, fraction) = digits.split_at(digits.len() - 19);
    dec(&format!("{whole}.{fraction}"))
}

/// A stake computed with a pencil: amounts times whole seconds, one division for each day, rounded down.
struct Pencil {
    amount: i128,
    at: u64,
    sum: i128,
    total: i128,
}

impl Pencil {
    fn new() -> Self {
        Self { amount: 0, at: 0, sum: 0, total: 0 }
    }

    /// Adds an amount, or takes it, at a second.
    fn change(&mut self, second: u64, amount: i128) {
        self.sum += self.amount * i128::from(second - self.at);
        (self.at, self.amount) = (second, self.amount + amount);
    }

    /// The interest of the day that ends at a second, at a rate in basis points; it joins the stake.
    fn accrue(&mut self, second: u64, rate: i128) -> i128 {
        self.change(second, 0);
        let interest = self.sum * rate / (10_000 * 365 * 86_400);
        self.sum = 0;
        self.amount += interest;
        self.total += interest;
        interest
    }
}
