//! What operators do about staking: terms, rewards, and what a sandbox is founded with. D-95, D-97.

use buttonwood_accept::{Exchange, Value, dec, json, laws};

const PROVIDER: &str = "9e0d3bd6-18b5-4f0a-8b0c-5f6f0a7a1c03";
const TERMS: &str = "/sandbox/staking/terms";
const FUND: &str = "/sandbox/staking/fund";

fn terms(change: &Value) -> Value {
    let mut terms = json!({
        "provider_id": PROVIDER, "currency": "SOL", "rate_bps": "540.000001", "deposit_usd_limit": "1000.5",
        "redemption_seconds": 60,
    });
    for (field, value) in change.as_object().unwrap() {
        terms[field] = value.clone();
    }
    terms
}

fn house(x: &Exchange, currency: &str, name: &str) -> Value {
    let ledger = x.get("/sandbox/ledger").ok();
    let mut rows = ledger["currencies"].as_array().unwrap().iter();
    rows.find(|row| row["currency"] == currency).unwrap()["house"][name].clone()
}

/// A sandbox has two providers for four coins, one that redeems at once and one after a week, and a million of each coin for rewards. A
/// restart adds nothing.
#[test]
fn a_sandbox_has_two_providers() {
    let x = Exchange::start();
    for _ in 0..2 {
        for currency in ["ETH", "SOL", "MATIC", "DOT"] {
            assert_eq!(house(&x, currency, "staking_rewards"), "1000000", "{currency}");
            assert_eq!(house(&x, currency, "staking_pool"), "0", "{currency}");
        }
        assert_eq!(house(&x, "BTC", "staking_rewards"), "0");
        x.restart();
    }
    x.stop();
    laws::verified(&x);
}

/// Terms are returned as they are in force; what is left out gets its default. Bad ones are refused with their field, and change nothing.
#[test]
fn terms_are_set() {
    let x = Exchange::start();
    let set = x.control(TERMS, &terms(&json!({}))).ok();
    let expected = json!({
        "result": "ok", "provider_id": PROVIDER, "currency": "SOL", "rate_bps": "540.000001",
        "deposit_usd_limit": "1000.5", "redemption_seconds": 60, "paused": false,
    });
    assert_eq!(set, expected);
    let all = json!({ "redemption_per_day": "2.5", "paused": true });
    let set = x.control(TERMS, &terms(&all)).ok();
    assert_eq!((&set["redemption_per_day"], &set["paused"]), (&json!("2.5"), &json!(true)));
    let set = x.control(TERMS, &terms(&json!({ "redemption_per_day": null, "paused": null }))).ok();
    assert_eq!(set, expected, "null is a field that was left out");
    let before = x.get("/sandbox/ledger").ok()["seq"].clone();
    for (field, wrong) in [
        ("provider_id", json!("9e0d3bd6-18b5-1f0a-8b0c-5f6f0a7a1c03")),
        ("provider_id", json!("x")),
        ("provider_id", Value::Null),
        ("currency", json!("NONE")),
        ("currency", json!(5)),
        ("rate_bps", json!("-1")),
        ("rate_bps", json!("100000.000001")),
        ("rate_bps", json!("1.0000001")),
        ("rate_bps", json!("1e3")),
        ("rate_bps", json!([])),
        ("rate_bps", Value::Null),
        ("deposit_usd_limit", json!("-0.1")),
        ("deposit_usd_limit", json!("ten")),
        ("deposit_usd_limit", json!("99999999999999999999999")),
        ("redemption_seconds", json!(-1)),
        ("redemption_seconds", json!(1.5)),
        ("redemption_seconds", json!(315_360_001)),
        ("redemption_per_day", json!("0")),
        ("redemption_per_day", json!("-1")),
        ("paused", json!("yes")),
        ("paused", json!(1)),
    ] {
        let answer = x.control(TERMS, &terms(&json!({ field: wrong })));
        let refusal = answer.error();
        assert!(answer.status() == 400 && refusal.message.contains(field), "{field}: {answer}");
    }
    assert_eq!(x.get("/sandbox/ledger").ok()["seq"], before, "nothing changed");
}

/// `staking_rewards` is paid from `source`; the pool is paid by stakes alone.
#[test]
fn rewards_are_funded() {
    let x = Exchange::start();
    let source = house(&x, "SOL", "source");
    let funded = x.control(FUND, &json!({ "currency": "SOL", "amount": "12.5" })).ok();
    assert_eq!(funded, json!({ "result": "ok", "currency": "SOL", "amount": "12.5" }));
    assert_eq!(house(&x, "SOL", "staking_rewards"), "1000012.5");
    let after = dec(house(&x, "SOL", "source").as_str().unwrap());
    assert_eq!(dec(source.as_str().unwrap()) - dec("12.5"), after);
    x.admin(&["house", "fund", "staking_rewards", "SOL", "1", "--reason", "x"]).done();
    assert_eq!(house(&x, "SOL", "staking_rewards"), "1000013.5");
    let line = x.admin(&["house", "fund", "staking_pool", "SOL", "1", "--reason", "x"]).refused();
    assert!(line.contains("Field 'name' must be one of"), "{line}");
    for wrong in [
        json!({ "currency": "SOL", "amount": "0" }),
        json!({ "currency": "SOL", "amount": "-1" }),
        json!({ "currency": "SOL", "amount": "99999999999999999999999" }),
        json!({ "currency": "SOL" }),
        json!({ "currency": "NONE", "amount": "1" }),
    ] {
        assert_eq!(x.control(FUND, &wrong).status(), 400, "{wrong}");
    }
    x.stop();
    laws::verified(&x);
}
