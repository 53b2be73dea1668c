//! Rebates of makers and rewards for liquidity: terms, payouts and their sums.

use super::*;

const DAY: u64 = 86_400;

fn path(end: &str) -> String {
    format!("{ROOT}/{end}")
}

/// An exchange with rewards, and a pool of ten dollars a day for the event RAIN.
fn rewarding() -> Exchange {
    let x = Exchange::start();
    let expiry = x.now_ms() + 30 * DAY * 1_000;
    let event =
        json!({ "ticker": "RAIN", "title": "Will it rain?", "category": "weather", "expiry_ms": expiry });
    list(&x, event);
    for key in ["trader", "counterparty"] {
        accept(&x, key);
    }
    let pools = json!([{ "event_ticker": "RAIN", "daily_pool_usd": "10.00" }]);
    let set = x.control("/sandbox/predictions/rewards", &json!({ "enabled": true, "pools": pools })).ok();
    let expected = json!({
        "result": "ok", "enabled": true, "rebate_multiplier_bps": 5000, "max_spread_cents": 10,
        "min_payout_threshold_usd": "1.00", "pools": [{ "event_ticker": "RAIN", "daily_pool_usd": "10.00" }],
    });
    assert_eq!(set, expected);
    x
}

/// Makers get the set part of their fees back a day, in rows of their own; the account's rows sum up to its total. Proves PM-029, PM-030,
/// PM-031.
#[test]
fn makers_get_fees_back() {
    let x = rewarding();
    let rules = x.get(&path("maker-rebate/rates")).ok();
    let rule = &rules["rate_rules"][0];
    assert_eq!(some(rule, &["id", "rebate_multiplier_bps"]), ["1", "5000"], "{rules}");
    assert!(rule.get("effective_to").is_none() && rule.get("category").is_none(), "{rules}");
    let trader = x.as_("trader");
    let none = trader.call(&path("maker-rebate/payouts"), json!({})).ok();
    assert_eq!(none, json!({ "payouts": [] }));
    let before = trader.balance("USD").0;
    place(&x, "trader", limit("buy yes 100 at 0.40"));
    place(&x, "counterparty", limit("buy no 100 at 0.60"));
    x.advance(DAY);
    // A fee of 0.40 dollars, of which half comes back.
    assert_eq!(before - trader.balance("USD").0, buttonwood_accept::dec("40.2"));
    let rows = trader.call(&path("maker-rebate/payouts?limit=500"), json!({})).ok();
    let row = &rows["payouts"][0];
    let shown = some(row, &["total_volume_usd", "total_rebate_usd", "total_fill_count", "status"]);
    assert_eq!(shown, ["40", "0.2", "1", "PAID"], "{rows}");
    let paid = row["paid_at"].as_str().expect("a time");
    assert!(["21:00:00.000Z", "22:00:00.000Z"].iter().any(|at| paid.ends_with(at)), "{rows}");
    let total = trader.signed_get(&path("maker-rebate/summary/total"), json!({})).ok();
    let shown = some(&total, &["total_earned_usd", "total_fill_count", "total_volume_usd", "payout_count"]);
    assert_eq!(shown, ["0.2", "1", "40", "1"], "{total}");
    assert_eq!(total["first_payout_date"], &paid[..10]);
    let empty = "maker-rebate/summary/total?dateFrom=2020-01-01&dateTo=2020-01-02";
    let total = trader.signed_get(&path(empty), json!({})).ok();
    assert_eq!(some(&total, &["total_earned_usd", "payout_count"]), ["0", "0"], "{total}");
    assert!(total["first_payout_date"].is_null(), "{total}");
    // A taker gets nothing, and no row.
    let rows = x.as_("counterparty").call(&path("maker-rebate/payouts"), json!({})).ok();
    assert_eq!(rows, json!({ "payouts": [] }));
    // Another rate ends the first rule.
    x.control("/sandbox/predictions/rewards", &json!({ "rebate_multiplier_bps": 10_000 })).ok();
    let rules = x.get(&path("maker-rebate/rates")).ok();
    assert!(rules["rate_rules"][0]["effective_to"].is_string(), "{rules}");
    assert_eq!(rules["rate_rules"][1]["rebate_multiplier_bps"], 10_000, "{rules}");
    let statement = trader.call("/v1/statement", json!({ "currency": "USD", "limit": 1 })).ok();
    assert_eq!(statement[0]["cause"], "reward", "{statement}");
}

/// Orders that rest near the middle share the pool of their event, in whole cents, the day after; a day of less than half of its snapshots
/// earns nothing. Proves PM-032, PM-033, PM-034.
#[test]
fn makers_share_a_pool() {
    let x = rewarding();
    let config = x.get(&path("liquidity-rewards/config")).ok();
    let expected = json!({ "enabled": true, "max_spread_cents": 10, "min_payout_threshold_usd": "1.00" });
    assert_eq!(config, expected);
    for (key, words) in [
        ("trader", "buy yes 100 at 0.48"),
        ("trader", "buy no 100 at 0.48"),
        ("counterparty", "buy yes 100 at 0.48"),
    ] {
        place(&x, key, limit(words));
    }
    let trader = x.as_("trader");
    let before = trader.balance("USD").0;
    x.advance(4 * DAY);
    let days = x.get(&path("liquidity-rewards/events")).ok();
    let last = days["last_score_date"].as_str().expect("a day").to_owned();
    let row = &days["events"][0];
    let shown =
        some(row, &["event_ticker", "category", "daily_pool_usd", "pool_source", "qualifying_maker_count"]);
    assert_eq!(shown, ["RAIN", "weather", "10.00", "event_override", "2"], "{days}");
    assert_eq!(days["pagination"], json!({ "limit": 50, "offset": 0, "total": 1 }));
    for (filter, count) in
        [("category=Weather", 1), ("category=sports,crypto", 0), ("search=RAIN", 1), ("offset=1", 0)]
    {
        let page = x.get(&path(&format!("liquidity-rewards/events?{filter}"))).ok();
        assert_eq!(page["events"].as_array().expect("events").len(), count, "{filter}: {page}");
    }
    let range = format!("dateFrom=2001-01-01&dateTo={last}");
    let long = trader.signed_get(&path(&format!("liquidity-rewards/summary/daily?{range}")), json!({}));
    assert!(long.coded(400, "BAD_REQUEST").contains("five years"), "{long}");
    let from = &last[..8];
    let range = format!("dateFrom={from}01&dateTo={last}");
    let daily = trader.signed_get(&path(&format!("liquidity-rewards/summary/daily?{range}")), json!({})).ok();
    let rows = daily["daily_summaries"].as_array().expect("days");
    let paid: Vec<&Value> = rows.iter().filter(|row| row["payout_status"] == "PAID").collect();
    // 64 × 100 × 1.5 on each of two sides, against 64 × 100 on one: three quarters of the pool.
    assert!(!paid.is_empty(), "{daily}");
    for row in &paid {
        assert_eq!(row["total_reward_usd"], "7.5", "{daily}");
        let part = &row["events"][0];
        assert_eq!(
            some(part, &["event_name", "event_reward_usd", "total_snapshots"]),
            ["Will it rain?", "7.5", "1440"]
        );
        assert_eq!(part["normalized_score"], 0.75, "{daily}");
    }
    let total = trader.signed_get(&path("liquidity-rewards/summary/total"), json!({})).ok();
    let gained = trader.balance("USD").0 - before;
    assert_eq!(
        buttonwood_accept::dec(total["total_earned_usd"].as_str().expect("an amount")),
        gained,
        "{total}"
    );
}

/// Terms out of range are refused by their field and change nothing.
#[test]
fn bad_terms_name_their_field() {
    let x = rewarding();
    let pool =
        |ticker: &str, daily: &str| json!({ "pools": [{ "event_ticker": ticker, "daily_pool_usd": daily }] });
    for (body, field) in [
        (json!({ "enabled": "maybe" }), "enabled"),
        (json!({ "rebate_multiplier_bps": 10_001 }), "rebate_multiplier_bps"),
        (json!({ "rebate_multiplier_bps": -1 }), "rebate_multiplier_bps"),
        (json!({ "max_spread_cents": 0 }), "max_spread_cents"),
        (json!({ "max_spread_cents": 101 }), "max_spread_cents"),
        (json!({ "min_payout_threshold_usd": "-1" }), "min_payout_threshold_usd"),
        (json!({ "pools": 5 }), "pools"),
        (pool("SNOW", "1"), "event_ticker"),
        (pool("RAIN", "0"), "daily_pool_usd"),
        (pool("RAIN", "0.001"), "daily_pool_usd"),
        (pool("RAIN", "x"), "daily_pool_usd"),
    ] {
        let answer = x.control("/sandbox/predictions/rewards", &body);
        assert_eq!(answer.status(), 400, "{body}: {answer}");
        assert!(answer.to_string().contains(field), "{body}: {answer}");
    }
    let config = x.get(&path("liquidity-rewards/config")).ok();
    assert_eq!(config["max_spread_cents"], 10, "{config}");
    // A decided event has no pool.
    x.control("/sandbox/predictions/events/RAIN/void", &json!({ "reason": "it was cancelled" })).ok();
    let answer = x.control("/sandbox/predictions/rewards", &pool("RAIN", "5"));
    assert_eq!(answer.status(), 400, "{answer}");
    let text = answer.to_string();
    assert!(["event_ticker", "RAIN", "not decided"].iter().all(|word| text.contains(word)), "{answer}");
    assert_eq!(x.get(&path("liquidity-rewards/events")).ok()["events"], json!([]));
}
