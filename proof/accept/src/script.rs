//! Scenarios as text: actors, orders, expected results, and balances.
//!
//! ```text
//! counterparty sell btcusd 1 @ 30000.00 as A1       => live
//! trader buy btcusd 0.4 @ 30100.00 as B1            => filled, average 30000
//! order A1                                          => live, executed 0.4, remaining 0.6
//! book btcusd                                       => bids none; asks 0.6 @ 30000
//! trades btcusd                                     => 0.4 @ 30000 buy
//! balance trader BTC 1000 + 0.4, USD 100000 - 12048
//! ```
//!
//! Actors are key names of `credentials.json`. An amount of money may be a sum, to show where a balance comes from.
//! Further lines: `KEY buy btcusd 1 at market`, `KEY buy btcusd for 500 at market`, `KEY cancel A1`,
//! `KEY cancel all => A1, B1 but C1` (which could not be cancelled), `KEY cancel session => nothing`,
//! `credit KEY BTC 5`, `status btcusd cancel_only`, `auction btcusd in 120`, `advance 60`. An order line may name an
//! option after its price. `#` starts a comment. Every scenario ends with [`laws::check`].

use std::collections::BTreeMap;

use buttonwood_checker::{Dec, dec};
use buttonwood_client::NewOrder;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::exchange::Exchange;
use crate::laws;

/// Runs a scenario on a new exchange.
#[track_caller]
pub fn check(text: &str) {
    let exchange = Exchange::start();
    Script::new(&exchange).run(text);
    laws::check(&exchange);
}

/// A running scenario; it remembers the names of its orders.
#[derive(Debug)]
pub struct Script<'x> {
    exchange: &'x Exchange,
    /// Order name to (key, order id).
    orders: BTreeMap<String, (String, String)>,
}

impl<'x> Script<'x> {
    /// A scenario on a running exchange; it does not stop the exchange.
    pub fn new(exchange: &'x Exchange) -> Self {
        Self { exchange, orders: BTreeMap::new() }
    }

    /// The id of an order that the script named.
    pub fn id(&self, name: &str) -> String {
        self.orders.get(name).unwrap_or_else(|| panic!("no order named {name}")).1.clone()
    }

    /// Runs some lines.
    #[track_caller]
    pub fn run(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                self.step(line).unwrap_or_else(|trouble| {
                    panic!("scenario line {}: {line}\n{trouble}", number + 1);
                });
            }
        }
    }

    fn step(&mut self, line: &str) -> Result<(), String> {
        let (action, expected) = line.split_once("=>").map_or((line, ""), |(a, e)| (a.trim(), e.trim()));
        let words: Vec<&str> = action.split_whitespace().collect();
        match words.as_slice() {
            ["order", name] => {
                let (key, id) = self.find(name)?;
                outcome(
                    &self.exchange.as_(&key).call("/v1/order/status", json!({ "order_id": id })),
                    expected,
                )
            }
            ["book", symbol] => self.book(symbol, expected),
            ["trades", symbol] => self.trades(symbol, expected),
            ["balance", key, ..] => self.balance(key, action),
            ["credit", key, currency, amount] => {
                self.exchange.credit(key, currency, amount);
                Ok(())
            }
            ["status", symbol, status] => {
                self.exchange.set_status(symbol, status);
                Ok(())
            }
            ["auction", symbol, "in", seconds] => {
                let seconds: u64 = seconds.parse().map_err(|_| "seconds are a number")?;
                self.exchange.schedule_auction(symbol, &json!({}), seconds);
                Ok(())
            }
            ["advance", seconds] => {
                self.exchange.advance(seconds.parse().map_err(|_| "seconds are a number")?);
                Ok(())
            }
            [key, "cancel", what @ ("all" | "session")] => self.cancel_many(key, what, expected),
            [key, "cancel", name] => {
                let (_, id) = self.find(name)?;
                outcome(&self.exchange.as_(key).call("/v1/order/cancel", json!({ "order_id": id })), expected)
            }
            [key, side @ ("buy" | "sell"), symbol, rest @ ..] => {
                self.place(key, side, symbol, rest, expected)
            }
            _ => Err("not a line of a scenario".to_owned()),
        }
    }

    fn place(
        &mut self,
        key: &str,
        side: &str,
        symbol: &str,
        rest: &[&str],
        expected: &str,
    ) -> Result<(), String> {
        let (rest, name) = match rest {
            [rest @ .., "as", name] => (rest, Some(*name)),
            rest => (rest, None),
        };
        let params = match rest {
            [amount, "@", price] => NewOrder::limit(symbol, side, amount, price).params(),
            [amount, "@", price, "stop", stop] => {
                NewOrder::limit(symbol, side, amount, price).with_stop(stop).params()
            }
            [amount, "@", price, option] => {
                NewOrder::limit(symbol, side, amount, price).with_option(option).params()
            }
            [amount, "at", "market"] => NewOrder::market(symbol, side, amount).params(),
            ["for", spend, "at", "market"] => {
                json!({ "symbol": symbol, "side": side, "total_spend": spend, "type": "exchange market" })
            }
            _ => {
                return Err("an order is AMOUNT @ PRICE [OPTION | stop PRICE] or AMOUNT at market".to_owned());
            }
        };
        let answer = self.exchange.as_(key).call("/v1/order/new", params);
        outcome(&answer, expected)?;
        if let (Some(name), 200) = (name, answer.status()) {
            let id = answer.ok()["order_id"].as_str().ok_or("an id is a string")?.to_owned();
            self.orders.insert(name.to_owned(), (key.to_owned(), id));
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Result<(String, String), String> {
        self.orders.get(name).cloned().ok_or_else(|| format!("no order named {name}"))
    }

    fn cancel_many(&self, key: &str, what: &str, expected: &str) -> Result<(), String> {
        let answer = self.exchange.as_(key).call(&format!("/v1/order/cancel/{what}"), json!({}));
        let body = answer.ok();
        let (cancelled, kept) = expected.split_once(" but ").unwrap_or((expected, "nothing"));
        for (field, names) in [("cancelledOrders", cancelled), ("cancelRejects", kept)] {
            let mut expected_ids = Vec::new();
            for name in names.split(',').map(str::trim).filter(|name| *name != "nothing") {
                let id = self.find(name)?.1;
                expected_ids.push(id.parse::<u64>().map_err(|_| format!("an id is a number: {id}"))?);
            }
            expected_ids.sort_unstable();
            let mut found: Vec<u64> = serde_json::from_value(body["details"][field].clone())
                .map_err(|error| format!("{error}\n{answer}"))?;
            found.sort_unstable();
            same(&found, &expected_ids, &answer)?;
        }
        same(&body["result"], &json!("ok"), &answer)
    }

    fn book(&self, symbol: &str, expected: &str) -> Result<(), String> {
        let answer = self.exchange.get(&format!("/v1/book/{symbol}?limit_bids=0&limit_asks=0"));
        let book = answer.ok();
        for side in expected.split(';').map(str::trim) {
            let (name, levels) = side.split_once(' ').ok_or("a side is `bids …` or `asks …`")?;
            let levels = if levels == "none" { "" } else { levels };
            let expected: Vec<(Dec, Dec)> = levels
                .split(',')
                .map(str::trim)
                .filter(|level| !level.is_empty())
                .map(|level| level.split_once(" @ ").map(|(amount, price)| (dec(amount), dec(price))))
                .collect::<Option<_>>()
                .ok_or("a level is AMOUNT @ PRICE")?;
            let found: Vec<(Dec, Dec)> = rows(&book[name])
                .iter()
                .map(|level| (Dec::wire(&level["amount"]), Dec::wire(&level["price"])))
                .collect();
            same(&found, &expected, &answer)?;
        }
        Ok(())
    }

    fn trades(&self, symbol: &str, expected: &str) -> Result<(), String> {
        let answer = self.exchange.get(&format!("/v1/trades/{symbol}?limit_trades=500"));
        let expected: Vec<(Dec, Dec, &str)> = expected
            .split(',')
            .map(str::trim)
            .filter(|trade| *trade != "none")
            .map(|trade| match *trade.split_whitespace().collect::<Vec<_>>().as_slice() {
                [amount, "@", price, side] => Some((dec(amount), dec(price), side)),
                _ => None,
            })
            .collect::<Option<_>>()
            .ok_or("a trade is AMOUNT @ PRICE SIDE")?;
        let body = answer.ok();
        let found: Vec<(Dec, Dec, &str)> = rows(&body)
            .iter()
            .map(|trade| {
                let side = trade["type"].as_str().unwrap_or_default();
                (Dec::wire(&trade["amount"]), Dec::wire(&trade["price"]), side)
            })
            .collect();
        same(&found, &expected, &answer)
    }

    /// `balance KEY CUR SUM [available SUM], CUR SUM …`
    fn balance(&self, key: &str, action: &str) -> Result<(), String> {
        let list = action.splitn(3, ' ').nth(2).ok_or("a balance names a currency")?;
        for row in list.split(',').map(str::trim) {
            let (currency, rest) = row.split_once(' ').ok_or("a balance is CODE AMOUNT")?;
            let (amount, available) = rest.split_once("available").unwrap_or((rest, rest));
            let (expected_amount, expected_available) = (sum(amount)?, sum(available)?);
            let (found_amount, found_available) = self.exchange.as_(key).balance(currency);
            let context = format!("{key}'s {currency}: amount, available");
            same(&(found_amount, found_available), &(expected_amount, expected_available), &context)?;
        }
        Ok(())
    }
}

/// Compares an order, or a refusal, with `live, executed 0.4` and the like.
fn outcome(answer: &Answer, expected: &str) -> Result<(), String> {
    for part in expected.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let words: Vec<&str> = part.split_whitespace().collect();
        if let ["refused", status, reason] = words.as_slice() {
            let refusal = answer.error();
            same(
                &(answer.status().to_string().as_str(), refusal.reason.as_str()),
                &(*status, *reason),
                answer,
            )?;
            continue;
        }
        let order = answer.ok();
        let flags = (&order["is_live"], &order["is_cancelled"], order.get("reason"));
        match words.as_slice() {
            ["live"] => same(&flags, &(&json!(true), &json!(false), None), answer)?,
            ["filled"] => {
                same(&flags, &(&json!(false), &json!(false), None), answer)?;
                if let Some(remaining) = order.get("remaining_amount") {
                    same(remaining, &json!("0"), answer)?;
                }
            }
            ["cancelled", reason] => {
                same(&flags, &(&json!(false), &json!(true), Some(&json!(reason))), answer)?;
            }
            // Compared as text, since there are no trailing zeros here.
            ["executed", amount] => same(&order["executed_amount"], &json!(amount), answer)?,
            ["remaining", amount] => same(&order["remaining_amount"], &json!(amount), answer)?,
            ["average", price] => same(&Dec::wire(&order["avg_execution_price"]), &dec(price), answer)?,
            _ => return Err(format!("not an outcome: {part}")),
        }
    }
    if expected.is_empty() {
        answer.ok();
    }
    Ok(())
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// `100 - 2.5 + 1`
fn sum(text: &str) -> Result<Dec, String> {
    let mut total = Dec::ZERO;
    let mut minus = false;
    for word in text.split_whitespace() {
        match word {
            "+" => minus = false,
            "-" => minus = true,
            _ => {
                let term = Dec::parse(word).ok_or_else(|| format!("not an amount: {word}"))?;
                total = if minus { total - term } else { total + term };
            }
        }
    }
    Ok(total)
}

fn same<T: std::fmt::Debug + PartialEq>(
    found: &T,
    expected: &T,
    context: &impl std::fmt::Display,
) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("  expected: {expected:?}\n  found:    {found:?}\n{context}"))
    }
}
