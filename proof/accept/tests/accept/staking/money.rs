//! Stakes, terms and balances.

use super::*;
use buttonwood_accept::{laws, same_keys};

/// A stake leaves the exchange balance at once, and is shown by currency and provider. Proves STK-001, STK-002, STK-005, STK-006; of BAL, that
/// what is staked is in no exchange balance.
#[test]
fn a_stake_leaves_the_balance_at_once() {
    let x = exchange();
    let (before, pool) = (balance(&x, "trader", "ETH"), house(&x, "ETH", "staking_pool"));
    let answer = stake(&x, "trader", AT_ONCE, "30.25");
    let fields = ["transactionId", "providerId", "currency", "amount", "accrualTotal", "rates"];
    same_keys(&answer, &fields, "a stake");
    assert_eq!((&answer["providerId"], &answer["currency"]), (&json!(AT_ONCE), &json!("ETH")));
    assert_eq!((&answer["amount"], &answer["accrualTotal"]), (&json!("30.25"), &json!("0")));
    assert_eq!(answer["rates"], json!({ "rate": "540" }));
    let id = answer["transactionId"].as_str().unwrap();
    let is_code = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit();
    assert!(id.len() == 8 && id.chars().all(is_code), "{id}");
    assert_eq!(x.as_("trader").balance("ETH"), (before - dec("30.25"), before - dec("30.25")));
    assert_eq!(house(&x, "ETH", "staking_pool"), pool + dec("30.25"));
    // A number is accepted where a string is meant.
    let mut bare = request(WEEK, "1");
    bare["amount"] = json!(1.75);
    let answer = exact(&x.as_("fund-manager").call(STAKE, bare));
    assert_eq!((&answer["amount"], &answer["providerId"]), (&json!("1.75"), &json!(WEEK)));
    assert_ne!(answer["transactionId"], id);
    let row = staked(&x, "auditor", "ETH").unwrap();
    let expected = json!({
        "type": "Staking", "currency": "ETH", "balance": "32", "available": "0", "availableForWithdrawal": "32",
        "balanceByProvider": { AT_ONCE: { "balance": "30.25" }, WEEK: { "balance": "1.75" } },
    });
    assert_eq!(row, expected);
    assert_eq!(list(&x.as_("counterparty"), BALANCES, json!({})), Vec::<Value>::new());
    // Nothing is left of a provider whose stake is redeemed.
    unstake(&x, "trader", AT_ONCE, "30.25");
    let row = staked(&x, "trader", "ETH").unwrap();
    assert_eq!(row["balanceByProvider"], json!({ WEEK: { "balance": "1.75" } }));
    assert_eq!(balance(&x, "trader", "ETH"), before - dec("1.75"));
    laws::check(&x);
}

/// The whole balance may be staked, to its last decimal; nothing that an order holds may. Proves STK-007.
#[test]
fn what_is_available_can_be_staked() {
    let x = exchange();
    let all = balance(&x, "trader", "ETH");
    x.as_("trader").limit("ethusd", "sell", "1", "9999");
    let free = all - dec("1");
    x.as_("trader").call(STAKE, request(AT_ONCE, &all.to_string())).refused(406, "InsufficientFunds");
    let above = free + dec("0.0000000000000000001");
    x.as_("trader").call(STAKE, request(AT_ONCE, &above.to_string())).refused(406, "InsufficientFunds");
    set_terms(
        &x,
        &json!({
            "provider_id": AT_ONCE, "currency": "ETH", "rate_bps": "540", "deposit_usd_limit": "1000000000",
            "redemption_seconds": 0,
        }),
    );
    stake(&x, "trader", AT_ONCE, &free.to_string());
    assert_eq!(x.as_("trader").balance("ETH"), (dec("1"), Dec::ZERO));
    assert_eq!(sums(&x, "trader"), (free, free));
    x.as_("empty").call(STAKE, request(AT_ONCE, "0.0000000000000000001")).refused(406, "InsufficientFunds");
    laws::check(&x);
}

/// Rates need no key and are shown for every pair, with a yield to two decimals. Proves STK-003, STK-004, STK-022.
#[test]
fn rates_are_public() {
    let x = Exchange::start();
    for (rate, percent, apy) in [
        ("228.0197", "2.280197", "2.31"),
        ("540", "5.4", "5.55"),
        ("0", "0", "0"),
        ("0.499987", "0.00499987", "0"),
        ("0.499988", "0.00499988", "0.01"),
        ("100000", "1000", "1925283.27"),
    ] {
        terms(&x, AT_ONCE, "ETH", rate, 0);
        let rates = exact(&x.get("/v1/staking/rates"));
        let row = &rates[AT_ONCE]["ETH"];
        same_keys(row, &["providerId", "rate", "apyPct", "ratePct", "depositUsdLimit"], "a rate");
        assert_eq!((&row["providerId"], &row["depositUsdLimit"]), (&json!(AT_ONCE), &json!("500000")));
        let found = [&row["rate"], &row["ratePct"], &row["apyPct"]].map(Dec::wire);
        assert_eq!(found, [rate, percent, apy].map(dec), "{rate}");
    }
    // A paused pair is listed too.
    set_terms(
        &x,
        &json!({
            "provider_id": WEEK, "currency": "BTC", "rate_bps": "12.5", "deposit_usd_limit": "10.5",
            "redemption_seconds": 5, "redemption_per_day": "3", "paused": true,
        }),
    );
    let rates = exact(&x.get("/v1/staking/rates?currency=btc"));
    assert_eq!(
        rates,
        json!({ WEEK: { "BTC": {
        "providerId": WEEK, "rate": "12.5", "apyPct": "0.13", "ratePct": "0.125", "depositUsdLimit": "10.5",
    } } })
    );
    assert_eq!(exact(&x.get("/v1/staking/rates?currency=LTC")), json!({}));
    x.get("/v1/staking/rates?currency=NONE").refused(400, "InvalidCurrency");
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(x.anyone().send(method, "/v1/staking/rates", &[], b"").status(), 405, "{method}");
    }
    for path in ["/v1/balances/earn", "/v1/earn/rates", "/v1/earn/interest"] {
        x.get(path).refused(404, "EndpointNotFound");
        x.as_("trader").call(path, json!({})).refused(404, "EndpointNotFound");
    }
}

/// The limit is that of an account, a provider and a currency in a month: exactly the limit fits, and nothing gives room back. Proves STK-008,
/// LIM-016.
#[test]
fn stakes_are_limited_in_dollars_by_month() {
    let x = exchange();
    set_terms(
        &x,
        &json!({
            "provider_id": AT_ONCE, "currency": "ETH", "rate_bps": "540", "deposit_usd_limit": "10000",
            "redemption_seconds": 0,
        }),
    );
    let refused = |amount: &str| {
        let before = (balance(&x, "trader", "ETH"), sums(&x, "trader"));
        let refusal = x.as_("trader").call(STAKE, request(AT_ONCE, amount));
        let message = refusal.refused(400, "DepositLimitExceeded").message;
        assert!(message.contains("10000") && message.contains(amount), "{message}");
        assert_eq!((balance(&x, "trader", "ETH"), sums(&x, "trader")), before);
    };
    refused("5.0000000000000000001");
    stake(&x, "trader", AT_ONCE, "3");
    refused("2.0000000000000000001");
    unstake(&x, "trader", AT_ONCE, "3");
    refused("2.0000000000000000001");
    stake(&x, "trader", AT_ONCE, "2");
    refused("0.0000000000000000001");
    // Other accounts and other providers have limits of their own.
    stake(&x, "counterparty", AT_ONCE, "5");
    stake(&x, "trader", WEEK, "5");
    // The next month begins at midnight UTC.
    x.advance(31 * DAY - 1);
    refused("0.0000000000000000001");
    x.advance(1);
    stake(&x, "trader", AT_ONCE, "5");
    // The price of the time counts.
    trade(&x, "ethusd", "2100");
    x.advance(28 * DAY);
    set_terms(
        &x,
        &json!({
            "provider_id": AT_ONCE, "currency": "ETH", "rate_bps": "540", "deposit_usd_limit": "10500",
            "redemption_seconds": 0,
        }),
    );
    let above = request(AT_ONCE, "5.0000000000000000001");
    x.as_("trader").call(STAKE, above).refused(400, "DepositLimitExceeded");
    stake(&x, "trader", AT_ONCE, "3");
    // The index counts where it is higher.
    x.control("/sandbox/index/ETH", &json!({ "price": "4200" })).ok();
    let above = request(AT_ONCE, "1.0000000000000000001");
    x.as_("trader").call(STAKE, above).refused(400, "DepositLimitExceeded");
    stake(&x, "trader", AT_ONCE, "1");
    laws::check(&x);
}

/// Stakes, payments and interest that goes to the balance are lines of the statement, which name the transaction.
#[test]
fn the_statement_names_the_transactions() {
    let x = exchange();
    let before = x.as_("trader").call("/v1/statement", json!({})).ok().as_array().unwrap().len();
    let first = stake(&x, "trader", AT_ONCE, "10");
    x.advance(3_600);
    let second = unstake(&x, "trader", AT_ONCE, "10");
    x.advance(ACCRUES - 3_600);
    let lines = x.as_("trader").call("/v1/statement", json!({})).ok();
    let lines = lines.as_array().unwrap();
    let new: Vec<&Value> = lines[..lines.len() - before].iter().collect();
    let interest = 10 * COIN * 3_600 * 540 / (10_000 * 365 * 86_400);
    let expected = [
        ("staking_interest", of_units(interest).to_string()),
        ("redemption", "10".to_owned()),
        ("stake", "-10".to_owned()),
    ];
    for (line, (cause, amount)) in new.iter().zip(&expected) {
        assert_eq!(
            (&line["cause"], &line["amount"], &line["currency"]),
            (&json!(cause), &json!(amount), &json!("ETH"))
        );
    }
    let rows = transactions(&x.as_("trader"), &json!({}));
    assert_eq!(new.len(), 3);
    assert_eq!(
        [&new[0]["transaction_id"], &new[1]["transaction_id"], &new[2]["transaction_id"]],
        [&rows[0]["transactionId"], &second["transactionId"], &first["transactionId"]]
    );
    laws::check(&x);
}

/// What an account has staked and is owed counts in its amount of the proof of reserves, and in the liabilities.
#[test]
fn reserves_count_what_is_staked() {
    let x = exchange();
    let all = balance(&x, "trader", "ETH");
    let cut = |x: &Exchange| {
        let row = x.get("/v1/reserves").ok();
        let rows = row["currencies"].as_array().unwrap().clone();
        let row = rows.into_iter().find(|row| row["currency"] == "ETH").unwrap();
        let proof = x.as_("trader").call("/v1/reserves/proof", json!({ "currency": "ETH" })).ok();
        (Dec::wire(&row["liabilities"]), Dec::wire(&row["assets"]), Dec::wire(&proof["amount"]))
    };
    x.advance(DAY);
    let (liabilities, assets, own) = cut(&x);
    assert_eq!(own, all);
    stake(&x, "trader", AT_ONCE, "20");
    stake(&x, "trader", WEEK, "20");
    unstake(&x, "trader", WEEK, "5");
    x.advance(ACCRUES - 1);
    x.advance(DAY - ACCRUES + 1);
    let earned = sums(&x, "trader").0 - dec("40");
    assert!(earned > Dec::ZERO);
    assert_eq!(cut(&x), (liabilities + earned, assets, own + earned));
    assert_eq!(balance(&x, "trader", "ETH"), all - dec("40"));
    laws::check(&x);
}

/// An account with a stake, or to which a redemption is owed, does not close; afterwards it does.
#[test]
fn an_account_with_a_stake_does_not_close() {
    let x = exchange();
    x.control("/sandbox/accounts", &json!({ "group": "one", "name": "closing", "kind": "exchange" })).ok();
    let send = |from: &str, to: &str, amount: &str| {
        let params = json!({ "sourceAccount": from, "targetAccount": to, "amount": amount });
        x.as_("master").call("/v1/account/transfer/eth", params).ok();
    };
    send("primary", "closing", "2");
    let of = |mut params: Value| {
        params["account"] = json!("closing");
        params
    };
    x.as_("master").call(STAKE, of(request(WEEK, "2"))).ok();
    let close = || x.control("/sandbox/accounts/close", &json!({ "group": "one", "account": "closing" }));
    let message = close().error().message;
    assert!(message.contains('2') && message.contains("ETH"), "{message}");
    x.as_("master").call(UNSTAKE, of(request(WEEK, "2"))).ok();
    assert_eq!(close().status(), 400);
    x.advance(7 * DAY);
    send("closing", "primary", "2");
    close().ok();
    x.as_("master").call(STAKE, of(request(WEEK, "1"))).refused(400, "AccountClosed");
    assert_eq!(list(&x.as_("master"), BALANCES, json!({ "account": "closing" })), Vec::<Value>::new());
    laws::check(&x);
}

/// A halt refuses stakes; redemptions, accruals and payments go on.
#[test]
fn a_halt_refuses_stakes_alone() {
    let x = exchange();
    stake(&x, "trader", WEEK, "5");
    unstake(&x, "trader", WEEK, "1");
    x.control("/sandbox/halt", &json!({ "reason": "a test" })).ok();
    x.as_("trader").call(STAKE, request(AT_ONCE, "1")).refused(503, "System");
    unstake(&x, "trader", WEEK, "1");
    let before = balance(&x, "trader", "ETH");
    x.advance(7 * DAY);
    assert_eq!(balance(&x, "trader", "ETH"), before + dec("2"));
    let interest = json!({ "interestOnly": true });
    assert_eq!(transactions(&x.as_("trader"), &interest).len(), 7);
    x.control("/sandbox/resume", &json!({ "reason": "a test" })).ok();
    stake(&x, "trader", AT_ONCE, "1");
    laws::check(&x);
}

/// A fresh sandbox stakes four coins with two providers, and can pay their interest.
#[test]
fn a_fresh_sandbox_has_two_providers() {
    let x = Exchange::start();
    let rates = exact(&x.get("/v1/staking/rates"));
    let providers = rates.as_object().unwrap();
    assert_eq!(providers.len(), 2);
    for currencies in providers.values() {
        let codes: Vec<&String> = currencies.as_object().unwrap().keys().collect();
        assert_eq!(codes, ["DOT", "ETH", "MATIC", "SOL"]);
    }
    for currency in ["ETH", "SOL", "MATIC", "DOT"] {
        assert_eq!(house(&x, currency, "staking_rewards"), dec("1000000"));
        assert_eq!(house(&x, currency, "staking_pool"), Dec::ZERO);
    }
    trade(&x, "ethusd", "2000");
    let mut waits = Vec::new();
    for provider in providers.keys() {
        stake(&x, "trader", provider, "1");
        unstake(&x, "trader", provider, "1");
    }
    for row in list(&x.as_("trader"), REDEMPTIONS, json!({})) {
        let at = |name: &str| row[name].as_str().unwrap()[..10].to_owned();
        waits.push((at("requestInitiated"), at("expectedAt")));
    }
    waits.sort();
    let days = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(waits, [days("2026-01-01", "2026-01-01"), days("2026-01-01", "2026-01-08")]);
    x.restart();
    assert_eq!(exact(&x.get("/v1/staking/rates")), rates);
    assert_eq!(house(&x, "ETH", "staking_rewards"), dec("1000000"));
    laws::check(&x);
}
