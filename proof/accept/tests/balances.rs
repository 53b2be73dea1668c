//! Balances, holds and conservation: clauses BAL.

use buttonwood_accept::{Dec, Exchange, Script, Value, dec, json, laws, same_keys};

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

/// Nothing is pending, so no pending amount appears, requested or not: of BAL-006, the part without deposits.
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
