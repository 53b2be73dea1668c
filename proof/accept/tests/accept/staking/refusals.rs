//! Refusals: fields, amounts, roles, kinds of accounts, and the terms of a pair. None of them changes anything.

use super::*;
use buttonwood_accept::laws;

/// All that a refused call could change.
fn state(x: &Exchange) -> Value {
    let accounts: Vec<Value> = ["trader", "counterparty", "empty"]
        .into_iter()
        .map(|key| json!([list(&x.as_(key), BALANCES, json!({})), transactions(&x.as_(key), &json!({}))]))
        .collect();
    let eth = x.as_("trader").balance("ETH");
    json!([accounts, eth.0, eth.1, exact(&x.get("/v1/staking/rates"))])
}

/// Every field is needed, and has its type and its values. Proves STK-007, ERR-008 for staking.
#[test]
fn fields_are_checked() {
    let x = exchange();
    stake(&x, "trader", AT_ONCE, "5");
    let before = state(&x);
    for path in [STAKE, UNSTAKE] {
        let with = |name: &str, value: Value| {
            let mut params = request(AT_ONCE, "1");
            params[name] = value;
            x.as_("trader").call(path, params)
        };
        for name in ["providerId", "currency", "amount"] {
            let mut params = request(AT_ONCE, "1");
            params.as_object_mut().unwrap().remove(name);
            let message = x.as_("trader").call(path, params).refused(400, "MissingPayloadKey").message;
            assert!(message.contains(name), "{message}");
        }
        for wrong in [
            json!("0"),
            json!("0.0"),
            json!(0),
            json!("-1"),
            json!(-1),
            json!("1e1"),
            json!("+1"),
            json!("1."),
            json!(".5"),
            json!("1,5"),
            json!(" 1"),
            json!(""),
            json!("one"),
            json!("NaN"),
            json!("Infinity"),
            json!("0.00000000000000000001"),
            json!("1.00000000000000000001"),
            json!("17014118346046923174"),
            json!("9".repeat(60)),
            json!("9".repeat(5_000)),
            Value::Null,
            json!(true),
            json!([1]),
            json!({ "value": 1 }),
        ] {
            with("amount", wrong.clone()).refused(400, "InvalidQuantity");
        }
        for wrong in [
            json!(""),
            json!("none"),
            json!("0b9a2f2e7f0c4a649a543f6d1c1e2a01"),
            json!(1),
            json!([]),
            Value::Null,
        ] {
            with("providerId", wrong).refused(400, "InvalidParameterValue");
        }
        let unknown = with("providerId", json!("00000000-0000-4000-8000-000000000000"));
        unknown.refused(400, "InvalidParameterValue");
        with("currency", json!("NONE")).refused(400, "InvalidCurrency");
        // This provider does not stake it.
        with("currency", json!("LTC")).refused(400, "InvalidCurrency");
        for wrong in [json!(1), json!([]), Value::Null] {
            with("currency", wrong).refused(400, "InvalidParameterValue");
        }
    }
    assert_eq!(state(&x), before);
    laws::check(&x);
}

/// A trader and a fund manager stake, an auditor reads; the path may lack its leading slash. Proves AUTH-008, AUTH-032, AUTH-033.
#[test]
fn roles_and_the_path() {
    let x = exchange();
    let slashless = |key: &str, path: &str, mut params: Value| {
        params["request"] = json!(path.trim_start_matches('/'));
        x.as_(key).call(path, params)
    };
    for key in ["trader", "fund-manager", "trader-fund-manager"] {
        exact(&slashless(key, STAKE, request(AT_ONCE, "1")));
        exact(&slashless(key, UNSTAKE, request(AT_ONCE, "1")));
        exact(&x.as_(key).call(STAKE, request(AT_ONCE, "1")));
    }
    for (path, params) in [(STAKE, request(AT_ONCE, "1")), (UNSTAKE, request(AT_ONCE, "1"))] {
        for key in ["auditor", "master-auditor"] {
            let mut params = params.clone();
            params["account"] = json!("primary");
            let message = x.as_(key).call(path, params).refused(403, "MissingRole").message;
            assert!(message.contains("[Trader, Fund Manager]"), "{message}");
        }
    }
    let reads = [
        (BALANCES, json!({})),
        (HISTORY, json!({})),
        (REWARDS, json!({ "since": "2026-01-01T00:00:00Z" })),
        (REDEMPTIONS, json!({})),
    ];
    for (path, params) in &reads {
        for key in ["trader", "fund-manager", "auditor"] {
            exact(&slashless(key, path, params.clone()));
            exact(&x.as_(key).call(path, params.clone()));
        }
        for wrong in ["v1/staking", "/v1/staking/stakes", "v1/orders"] {
            let mut params = params.clone();
            params["request"] = json!(wrong);
            x.as_("trader").call(path, params).refused(400, "EndpointMismatch");
        }
        x.as_("master").call(path, params.clone()).refused(400, "MissingAccounts");
    }
    laws::check(&x);
}

/// Access tokens have no scope for staking. Proves OAUTH-040 for staking.
#[test]
fn tokens_are_refused() {
    let contract: Value = serde_json::from_str(include_str!("../../../../../contract/openapi.json")).unwrap();
    for path in [BALANCES, STAKE, UNSTAKE, HISTORY, REWARDS, REDEMPTIONS] {
        assert_eq!(contract["paths"][path]["post"]["x-scopes"], json!([]), "{path}");
    }
    let x = exchange();
    for path in [BALANCES, STAKE, UNSTAKE, HISTORY, REWARDS, REDEMPTIONS] {
        let answer = x.anyone().send("POST", path, &[("Authorization", "Bearer none")], b"");
        assert!((401..=403).contains(&answer.status()), "{answer}");
    }
}

/// Accounts of other kinds do not stake and have nothing to read.
#[test]
fn other_kinds_are_refused() {
    let x = exchange();
    for kind in ["custody", "derivatives", "margin"] {
        x.control("/sandbox/accounts", &json!({ "group": "one", "name": format!("a-{kind}"), "kind": kind }))
            .ok();
        for (path, mut params) in [
            (STAKE, request(AT_ONCE, "1")),
            (UNSTAKE, request(AT_ONCE, "1")),
            (BALANCES, json!({})),
            (HISTORY, json!({})),
            (REWARDS, json!({ "since": "2026-01-01T00:00:00Z" })),
            (REDEMPTIONS, json!({})),
        ] {
            params["account"] = json!(format!("a-{kind}"));
            let message = x.as_("master").call(path, params).refused(400, "AccountNotOfTypeRequired").message;
            assert!(message.contains(kind), "{message}");
        }
    }
    laws::check(&x);
}

/// A paused pair takes no stakes and redeems; without a dollar price there is no stake.
#[test]
fn a_pair_may_be_paused_or_have_no_price() {
    let x = exchange();
    stake(&x, "trader", AT_ONCE, "5");
    let paused = |paused: bool| {
        set_terms(
            &x,
            &json!({
                "provider_id": AT_ONCE, "currency": "ETH", "rate_bps": "540", "deposit_usd_limit": "500000",
                "redemption_seconds": 0, "paused": paused,
            }),
        )
    };
    paused(true);
    let message = x.as_("trader").call(STAKE, request(AT_ONCE, "1")).error().message;
    assert_eq!(x.as_("trader").call(STAKE, request(AT_ONCE, "1")).status(), 400);
    assert!(message.contains("ETH"), "{message}");
    unstake(&x, "trader", AT_ONCE, "2");
    paused(false);
    stake(&x, "trader", AT_ONCE, "1");
    terms(&x, AT_ONCE, "LTC", "540", 0);
    let params = json!({ "providerId": AT_ONCE, "currency": "LTC", "amount": "1" });
    let message = x.as_("trader").call(STAKE, params.clone()).error().message;
    assert!(message.contains("LTC") && message.contains("price"), "{message}");
    assert_eq!(x.as_("trader").call(STAKE, params.clone()).status(), 400);
    trade(&x, "ltcusd", "100");
    exact(&x.as_("trader").call(STAKE, params));
    laws::check(&x);
}

/// Of two redemptions of the whole stake at once, one succeeds.
#[test]
fn two_redemptions_race_for_one_stake() {
    let x = exchange();
    for round in 0..5 {
        stake(&x, "trader", AT_ONCE, "3");
        let keys = ["trader", "trader-fund-manager"];
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let threads = keys.map(|key| {
                let actor = x.as_(key);
                scope.spawn(move || actor.call(UNSTAKE, request(AT_ONCE, "3")))
            });
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut statuses: Vec<u16> = answers.iter().map(Answer::status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 406], "round {round}");
        assert_eq!(sums(&x, "trader"), (Dec::ZERO, Dec::ZERO));
    }
    laws::check(&x);
}

/// The terms of a pair have bounds, and a wrong one changes nothing.
#[test]
fn terms_are_checked() {
    let x = exchange();
    let before = state(&x);
    let with = |name: &str, value: Value| {
        let mut terms = json!({
            "provider_id": AT_ONCE, "currency": "ETH", "rate_bps": "540", "deposit_usd_limit": "500000",
            "redemption_seconds": 0,
        });
        terms[name] = value;
        x.control("/sandbox/staking/terms", &terms)
    };
    for (name, wrong) in [
        ("provider_id", json!("none")),
        ("provider_id", json!("0b9a2f2e-7f0c-1a64-9a54-3f6d1c1e2a01")),
        ("currency", json!("NONE")),
        ("rate_bps", json!("-1")),
        ("rate_bps", json!("100000.000001")),
        ("rate_bps", json!("0.0000001")),
        ("rate_bps", json!("x")),
        ("deposit_usd_limit", json!("-1")),
        ("deposit_usd_limit", json!("1e3")),
        ("redemption_seconds", json!(-1)),
        ("redemption_seconds", json!(1.5)),
        ("redemption_per_day", json!("0")),
        ("redemption_per_day", json!("-1")),
        ("paused", json!("yes")),
    ] {
        let answer = with(name, wrong.clone());
        assert!((400..500).contains(&answer.status()), "{name} {wrong}: {answer}");
    }
    for name in ["provider_id", "currency", "rate_bps", "deposit_usd_limit", "redemption_seconds"] {
        let mut terms = json!({
            "provider_id": AT_ONCE, "currency": "ETH", "rate_bps": "540", "deposit_usd_limit": "500000",
            "redemption_seconds": 0,
        });
        terms.as_object_mut().unwrap().remove(name);
        assert_eq!(x.control("/sandbox/staking/terms", &terms).status(), 400, "{name}");
    }
    for (currency, amount) in [("NONE", "1"), ("ETH", "0"), ("ETH", "-1"), ("ETH", "x")] {
        let body = json!({ "currency": currency, "amount": amount });
        let answer = x.control("/sandbox/staking/fund", &body);
        assert!((400..500).contains(&answer.status()), "{currency} {amount}: {answer}");
    }
    assert_eq!(state(&x), before);
    // The answer has the terms, with what was left out.
    let set = set_terms(
        &x,
        &json!({
            "provider_id": AT_ONCE, "currency": "eth", "rate_bps": "540.5", "deposit_usd_limit": "10",
            "redemption_seconds": 60, "redemption_per_day": "5",
        }),
    );
    assert_eq!(set["result"], "ok");
    assert_eq!((&set["rate_bps"], &set["redemption_per_day"]), (&json!("540.5"), &json!("5")));
    assert_eq!((&set["paused"], &set["redemption_seconds"]), (&json!(false), &json!(60)));
    laws::check(&x);
}
