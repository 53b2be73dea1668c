//! The endpoints of rewards while these are off.

use super::*;

/// Parameters are checked first; then the answer is that the service is unavailable. Proves PM-029 to PM-034 as far as rewards are off.
#[test]
fn rewards_are_off() {
    let x = Exchange::start();
    let path = |end: &str| format!("{ROOT}/{end}");
    assert_eq!(x.get(&path("liquidity-rewards/config")).ok(), json!({ "enabled": false }));
    let off = |answer: Answer| assert!(answer.coded(503, "SERVICE_UNAVAILABLE").contains("off"), "{answer}");
    let bad = |answer: Answer, field: &str| {
        let message = answer.coded(400, "BAD_REQUEST");
        assert!(message.contains(field), "{message}");
    };
    off(x.get(&path("maker-rebate/rates?category=weather")));
    off(x.get(&path("liquidity-rewards/events?category=a,b&sort=ends_latest&limit=500&offset=3&search=x")));
    for (query, field) in [
        ("sort=best", "daily_pool_desc"),
        ("limit=0", "limit"),
        ("limit=x", "limit"),
        ("offset=-1", "offset"),
    ] {
        bad(x.get(&path(&format!("liquidity-rewards/events?{query}"))), field);
    }
    let trader = x.as_("trader");
    off(trader.call(&path("maker-rebate/payouts?limit=5"), json!({})));
    off(trader.call(&path("maker-rebate/payouts"), json!({ "limit": 1000, "offset": 0 })));
    bad(trader.call(&path("maker-rebate/payouts"), json!({ "limit": 0 })), "limit");
    bad(trader.call(&path("maker-rebate/payouts?offset=x"), json!({})), "offset");
    let range = "?dateFrom=2026-01-01&dateTo=2026-01-31";
    for end in
        ["maker-rebate/summary/total", "liquidity-rewards/summary/daily", "liquidity-rewards/summary/total"]
    {
        off(trader.signed_get(&path(&format!("{end}{range}")), json!({})));
        off(trader.signed_get(&path(&format!("{end}{range}")), json!({ "request": path(end) })));
        for (query, field) in [
            ("?dateFrom=2026-01-01", "dateTo"),
            ("?dateTo=2026-01-01", "dateFrom"),
            ("?dateFrom=2026-02-01&dateTo=2026-01-31", "dateTo"),
            ("?dateFrom=2020-01-01&dateTo=2026-01-31", "dateTo"),
            ("?dateFrom=2026-02-30&dateTo=2026-03-31", "dateFrom"),
            ("?dateFrom=yesterday&dateTo=2026-03-31", "dateFrom"),
        ] {
            bad(trader.signed_get(&path(&format!("{end}{query}")), json!({})), field);
        }
    }
    off(trader.signed_get(&path("maker-rebate/summary/total"), json!({})));
    off(trader.signed_get(&path("liquidity-rewards/summary/total"), json!({})));
    bad(trader.signed_get(&path("liquidity-rewards/summary/daily"), json!({})), "dateFrom");
}
