//! Balances, holds and conservation: clauses BAL.

use std::collections::BTreeMap;

use buttonwood_accept::{Actor, Dec, Exchange, Script, Value, dec, json, laws, same_keys};

/// One row per currency held, with its keys and types. Proves BAL-001, BAL-002.
#[test]
fn shape() {
    let x = Exchange::start();
    let answer = x.as_("trader").call("/v1/balances", json!({}));
    let body = answer.ok();
    let rows = body.as_array().unwrap();
    let mut codes = Vec::new();
    for row in rows {
        let keys = ["type", "currency", "amount", "available", "availableForWithdrawal", "_timestamp"];
        same_keys(row, &keys, &answer);
        assert_eq!(row["type"], "exchange");
        let amounts = ["amount", "available", "availableForWithdrawal"].map(|name| Dec::wire(&row[name]));
        assert_eq!(amounts[0], amounts[1], "{answer}");
        codes.push(row["currency"].as_str().unwrap());
    }
    let mut once = codes.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), codes.len(), "one row per currency: {codes:?}");
    let empty = || x.as_("empty").call("/v1/balances", json!({})).ok();
    assert_eq!(empty(), json!([]));
    // 15 decimals of dollars are shown; a smaller balance has no row.
    x.credit("empty", "USD", "0.0000000000000009");
    assert_eq!(empty(), json!([]));
    x.credit("empty", "BTC", "0.5");
    let one = x.as_("empty").balances();
    assert_eq!(one.len(), 1);
    assert_eq!((&one[0]["currency"], Dec::wire(&one[0]["amount"])), (&json!("BTC"), dec("0.5")));
    x.credit("empty", "USD", "0.0000000000000001");
    assert_eq!(x.as_("empty").balance("USD").0, dec("0.000000000000001"));
}

/// A hold lowers the amounts available for trading and for withdrawal at once: of BAL-004 and BAL-005, the part
/// without withdrawals and deposits.
#[test]
fn holds_lower_available() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let order = trader.limit("btcusd", "sell", "2.5", "40000");
    let row = |code: &str| trader.balances().into_iter().find(|row| row["currency"] == code).unwrap();
    let btc = row("BTC");
    let amounts = ["amount", "available", "availableForWithdrawal"].map(|name| Dec::wire(&btc[name]));
    assert_eq!(amounts, [dec("1000"), dec("997.5"), dec("997.5")]);
    trader.cancel(order["order_id"].as_str().unwrap());
    assert_eq!(Dec::wire(&row("BTC")["available"]), dec("1000"));
    laws::check(&x);
}

/// Nothing is pending, so no pending amount appears, requested or not: of BAL-006, the part without transfers; `banks.rs` has the other.
#[test]
fn pending_balances() {
    let x = Exchange::start();
    for flag in [true, false] {
        let rows = x.as_("trader").call("/v1/balances", json!({ "showPendingBalances": flag })).ok();
        for row in rows.as_array().unwrap() {
            assert!(row.get("pendingDeposit").is_none() && row.get("pendingWithdrawal").is_none(), "{row}");
        }
    }
    let wrong = x.as_("trader").call("/v1/balances", json!({ "showPendingBalances": "true" }));
    assert!(wrong.refused(400, "InvalidParameterValue").message.contains("showPendingBalances"), "{wrong}");
}

/// One time for all rows, ISO 8601, never decreasing, also over restarts. Proves BAL-007.
#[test]
fn stamps() {
    let x = Exchange::start();
    let stamp = || {
        let rows = x.as_("trader").balances();
        let stamps: Vec<&str> = rows.iter().map(|row| row["_timestamp"].as_str().unwrap()).collect();
        assert!(stamps.windows(2).all(|pair| pair[0] == pair[1]), "{stamps:?}");
        let stamp = stamps[0].to_owned();
        assert!(stamp.ends_with('Z') && stamp.as_bytes()[10] == b'T' && stamp.len() >= 20, "{stamp}");
        stamp
    };
    let mut before = stamp();
    assert!(before.starts_with("2026-01-01T00:00:00"), "{before}");
    for step in 0..4 {
        match step {
            0 => x.advance(1),
            1 => drop(x.as_("trader").limit("btcusd", "buy", "1", "100")),
            2 => x.restart(),
            _ => {
                x.kill9();
                x.restart();
            }
        }
        let after = stamp();
        assert!(after >= before, "step {step}: {before} then {after}");
        assert!(step > 0 || after.starts_with("2026-01-01T00:00:01"), "it goes with the clock: {after}");
        before = after;
    }
}

/// A list of accounts is refused. Proves BAL-008.
#[test]
fn one_account_only() {
    let x = Exchange::start();
    let master = x.as_("master");
    for accounts in [json!(["primary"]), json!(["primary", "savings"])] {
        master.call("/v1/balances", json!({ "account": accounts })).refused(400, "MoreThanOneAccount");
    }
    assert!(
        !master.call("/v1/balances", json!({ "account": "primary" })).ok().as_array().unwrap().is_empty()
    );
}

/// The total of a currency, summed over all accounts.
fn total(x: &Exchange, currency: &str) -> Dec {
    ["trader", "savings-trader", "counterparty", "broker", "restricted", "empty"]
        .iter()
        .map(|key| x.as_(key).balance(currency).0)
        .sum()
}

/// Trading moves money and creates none: the difference is the fees. Proves BAL-009.
#[test]
fn conservation() {
    let x = Exchange::start();
    let before = ["BTC", "USD", "ETH"].map(|currency| total(&x, currency));
    Script::new(&x).run(
        "
        counterparty sell btcusd 1 @ 30000
        trader buy btcusd 0.4 @ 30000
        broker buy btcusd 1 @ 30000
        savings-trader sell btcusd 0.1 @ 29000
        counterparty sell ethbtc 3 @ 0.05
        restricted buy ethbtc 3 @ 0.06
        trader buy btcusd 0.01 at market
        counterparty cancel all => nothing
        ",
    );
    let mut fees = [Dec::ZERO; 3];
    for key in ["trader", "savings-trader", "counterparty", "broker", "restricted"] {
        for trade in x.as_(key).call("/v1/mytrades", json!({ "limit_trades": 500 })).ok().as_array().unwrap()
        {
            let index = usize::from(trade["fee_currency"] == "USD");
            fees[index] = fees[index] + Dec::wire(&trade["fee_amount"]);
        }
    }
    for (index, currency) in ["BTC", "USD", "ETH"].iter().enumerate() {
        assert_eq!(total(&x, currency), before[index] - fees[index], "{currency}");
    }
    laws::check(&x);
}

/// A credit comes from the source account, once, and survives a restart.
#[test]
fn credits_are_journaled() {
    let x = Exchange::start();
    x.credit("empty", "USD", "12.34");
    x.credit("empty", "USD", "0.66");
    x.kill9();
    x.restart();
    assert_eq!(x.as_("empty").balance("USD"), (dec("13"), dec("13")));
    let refused = |body: Value| {
        let answer = x.control("/sandbox/accounts/credit", &body);
        assert_eq!(answer.status(), 400, "{answer}");
    };
    let credit = |field: &str, value: Value| {
        let mut body = json!({ "group": "five", "account": "primary", "currency": "USD", "amount": "1" });
        body[field] = value;
        body
    };
    refused(credit("amount", json!("-1")));
    refused(credit("amount", json!("abc")));
    refused(credit("currency", json!("NOPE")));
    refused(credit("account", json!("nobody")));
    refused(credit("group", json!("ninety")));
    assert_eq!(x.as_("empty").balance("USD").0, dec("13"));
    laws::check(&x);
}

/// The notional rows of a key, by currency.
fn notional(actor: &Actor, currency: &str) -> BTreeMap<String, Value> {
    let rows = actor.call(&format!("/v1/notionalbalances/{currency}"), json!({})).ok();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| (row["currency"].as_str().unwrap().to_owned(), row.clone())).collect()
}

/// One trade at a price, of the least quantity that suits every symbol.
fn trade(x: &Exchange, symbol: &str, price: &str) {
    x.as_("counterparty").limit(symbol, "sell", "0.01", price);
    x.as_("trader").limit(symbol, "buy", "0.01", price);
}

/// Seven decimal strings in each row, the same rows as in the balances; amounts in the path's own currency are their own value,
/// and a hold lowers the available ones.
///
/// Proves BAL-010, BAL-011.
#[test]
fn notional_rows() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    trade(&x, "btcusd", "50000");
    trader.limit("btcusd", "sell", "2.5", "60000");
    let answer = trader.call("/v1/notionalbalances/usd", json!({}));
    let fields = ["amount", "available", "availableForWithdrawal"];
    let body = answer.ok();
    let balances = trader.balances();
    assert_eq!(body.as_array().unwrap().len(), balances.len());
    for (row, balance) in body.as_array().unwrap().iter().zip(&balances) {
        let notional = fields.map(|field| format!("{field}Notional"));
        let names = ["currency"].into_iter().chain(fields).chain(notional.iter().map(String::as_str));
        same_keys(row, &names.collect::<Vec<_>>(), &answer);
        for field in ["currency"].into_iter().chain(fields) {
            assert_eq!(row[field], balance[field], "{row}");
        }
        for field in &notional {
            Dec::wire(&row[field]);
        }
    }
    let rows = notional(&trader, "usd");
    let values = |code: &str| fields.map(|field| Dec::wire(&rows[code][format!("{field}Notional")]));
    assert_eq!(values("BTC"), [dec("50000500"), dec("49875500"), dec("49875500")]);
    for field in fields {
        assert_eq!(rows["USD"][field], rows["USD"][format!("{field}Notional")]);
    }
    let other = notional(&trader, "btc");
    for field in fields {
        assert_eq!(other["BTC"][field], other["BTC"][format!("{field}Notional")]);
    }
    assert_eq!(x.as_("empty").call("/v1/notionalbalances/usd", json!({})).ok(), json!([]));
    laws::check(&x);
}

/// Fiat and crypto currencies in any letter case; the signed request has the path as called. An unknown one is refused by name.
///
/// Proves BAL-012.
#[test]
fn notional_currencies() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    trade(&x, "btcusd", "50000");
    assert_eq!(notional(&trader, "USD"), notional(&trader, "usd"));
    assert_eq!(notional(&trader, "BTC"), notional(&trader, "bTc"));
    // More decimals than a dollar has are shown of bitcoin: 100,000 dollars less a cost of 502 dollars.
    assert_eq!(notional(&trader, "btc")["USD"]["amountNotional"], "1.98996");
    for wrong in ["xyz", "btcusd", "0", "u$d", "%20"] {
        let refusal = trader.call(&format!("/v1/notionalbalances/{wrong}"), json!({}));
        let message = refusal.refused(400, "InvalidCurrency").message;
        assert!(message.contains(&format!("'{wrong}'")), "{message}");
    }
    let signed = |request: &str| trader.call("/v1/notionalbalances/usd", json!({ "request": request }));
    signed("/v1/notionalbalances/usd").ok();
    signed("/v1/notionalbalances/USD").refused(400, "EndpointMismatch");
    signed("/v1/notionalbalances/{currency}").refused(400, "EndpointMismatch");
    for key in ["auditor", "fund-manager"] {
        x.as_(key).call("/v1/notionalbalances/usd", json!({})).ok();
    }
}

/// The last price of the direct pair in either direction; else through dollars; else nothing.
///
/// Proves BAL-013.
#[test]
fn notional_prices() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let value = |of: &str, currency: &str| notional(&trader, currency)[of]["amountNotional"].clone();
    for (of, currency) in [("BTC", "usd"), ("USD", "btc"), ("LTC", "btc"), ("LTC", "gbp")] {
        assert_eq!(value(of, currency), "0", "{of} in {currency} without a trade");
    }
    x.credit("trader", "LTC", "0.5");
    trade(&x, "ltcusd", "80");
    trade(&x, "btcusd", "60000");
    // 20,000.51 LTC at 80 dollars, a bitcoin at 60,000: one rounding, and 19 decimals are shown.
    assert_eq!(value("LTC", "btc"), "26.6673466666666666666");
    assert_eq!(value("LTC", "usd"), "1600040.8");
    trade(&x, "ltcbtc", "0.002");
    assert_eq!(value("LTC", "btc"), "40.00104", "the direct pair has traded");
    trade(&x, "ltcbtc", "0.001");
    assert_eq!(value("LTC", "btc"), "20.00053", "the last price counts");
    assert_eq!(value("LTC", "gbp"), "0", "neither pounds nor dollars of pounds have a price");
    x.restart();
    let trader = x.as_("trader");
    assert_eq!(notional(&trader, "btc")["LTC"]["amountNotional"], "20.00053");
}
