//! The history of transactions: fields, filters and paging.

use super::*;
use buttonwood_accept::{laws, same_keys};

fn kinds(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["transactionType"].as_str().unwrap()).collect()
}

/// Stakes, redemptions and interest of two providers over some days: `(type, time)` of every row is known.
fn busy() -> Exchange {
    let x = exchange();
    terms(&x, AT_ONCE, "BTC", "100", 0);
    trade(&x, "btcusd", "20000");
    x.control("/sandbox/staking/fund", &json!({ "currency": "BTC", "amount": "10" })).ok();
    for day in 0..4 {
        stake(&x, "trader", AT_ONCE, "2");
        stake(&x, "trader", WEEK, "3");
        x.as_("trader")
            .call(STAKE, json!({ "providerId": AT_ONCE, "currency": "btc", "amount": "0.5" }))
            .ok();
        x.advance(if day == 0 { 100 } else { DAY - ACCRUES + 100 });
        unstake(&x, "trader", AT_ONCE, "1");
        x.advance(ACCRUES - 100);
    }
    x
}

/// A row has its fields, and interest its price; transactions are grouped by provider. Proves STK-012, STK-013.
#[test]
fn rows_have_these_fields() {
    let x = busy();
    let groups = list(&x.as_("auditor"), HISTORY, json!({}));
    assert_eq!(groups.len(), 2);
    for group in &groups {
        same_keys(group, &["providerId", "transactions"], "a group");
    }
    let rows = transactions(&x.as_("trader"), &json!({}));
    let fields = ["transactionId", "transactionType", "amountCurrency", "amount", "dateTime", "providerId"];
    for row in &rows {
        let mut fields = fields.to_vec();
        if row["transactionType"] == "Interest" {
            fields.extend(["priceCurrency", "priceAmount"]);
            assert_eq!(row["priceCurrency"], "USD");
            let price = if row["amountCurrency"] == "BTC" { "20000" } else { "2000" };
            assert_eq!(row["priceAmount"], price);
        }
        same_keys(row, &fields, row);
    }
    let mut ids: Vec<&str> = rows.iter().map(|row| row["transactionId"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rows.len(), "ids are never repeated");
    let count = |kind: &str| kinds(&rows).iter().filter(|of| **of == kind).count();
    assert_eq!([count("Deposit"), count("Redeem"), count("Interest")], [12, 4, 12]);
    laws::check(&x);
}

/// Pages by time reach every transaction once and end with an empty list, and no page ends inside a millisecond. Proves STK-014, STK-015,
/// STK-017, LIM-014.
#[test]
fn paging_reaches_every_transaction_once() {
    let x = busy();
    // Many transactions of one millisecond.
    for _ in 0..9 {
        stake(&x, "trader", AT_ONCE, "0.01");
    }
    let trader = x.as_("trader");
    let key = |row: &Value| row["transactionId"].as_str().unwrap().to_owned();
    let time = |row: &Value| row["dateTime"].as_str().unwrap().parse::<u64>().unwrap();
    let all = transactions(&trader, &json!({ "limit": 500 }));
    assert_eq!(all.len(), 37);
    for limit in [1, 2, 3, 7, 500] {
        let (mut seen, mut until) = (Vec::new(), None);
        loop {
            let mut params = json!({ "limit": limit });
            if let Some(millis) = until {
                params["until"] = json!(iso(millis));
            }
            let page = transactions(&trader, &params);
            let Some(lowest) = page.iter().map(time).min() else { break };
            until = Some(lowest - 1);
            seen.extend(page.iter().map(key));
        }
        let mut expected: Vec<String> = all.iter().map(key).collect();
        seen.sort();
        expected.sort();
        assert_eq!(seen, expected, "pages of {limit}");
    }
    // A larger limit is 500, and a page is cut short rather than end inside a millisecond.
    assert_eq!(transactions(&trader, &json!({ "limit": 100_000 })).len(), 37);
    assert_eq!(transactions(&trader, &json!({ "limit": "12" })).len(), 12);
    for limit in [json!(0), json!(-1), json!(1.5), json!("x"), json!(true), json!([])] {
        trader.call(HISTORY, json!({ "limit": limit })).refused(400, "InvalidParameterValue");
    }
    for _ in 0..60 {
        x.advance(1);
        stake(&x, "trader", AT_ONCE, "0.01");
    }
    assert_eq!(transactions(&trader, &json!({})).len(), 50, "fifty by default");
    laws::check(&x);
}

/// Milliseconds as ISO 8601; the days of these tests are in January 2026.
fn iso(millis: u64) -> String {
    let since = millis.checked_sub(START).map_or(0, |since| since);
    let (seconds, rest) = (since / 1_000, since % 1_000);
    if millis < START {
        return "2025-12-31T23:59:59.999Z".to_owned();
    }
    let (day, hour) = (1 + seconds / DAY, seconds % DAY / 3_600);
    format!("2026-01-{day:02}T{hour:02}:{:02}:{:02}.{rest:03}Z", seconds % 3_600 / 60, seconds % 60)
}

/// The newest come first, with `sortAsc` the oldest, and `limit` counts before grouping. Proves STK-016.
#[test]
fn filters_and_order() {
    let x = busy();
    let trader = x.as_("trader");
    let times = |params: Value| -> Vec<u64> {
        let rows = transactions(&trader, &params);
        rows.iter().map(|row| row["dateTime"].as_str().unwrap().parse().unwrap()).collect()
    };
    let grouped = |params: Value| list(&trader, HISTORY, params);
    for group in grouped(json!({ "limit": 500 })) {
        let times: Vec<&str> = group["transactions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["dateTime"].as_str().unwrap())
            .collect();
        assert!(times.is_sorted_by(|left, right| left >= right));
    }
    assert_eq!(times(json!({ "limit": 3, "sortAsc": true })), [START; 3], "the oldest three");
    let newest = START + (3 * DAY + ACCRUES) * 1_000;
    assert_eq!(times(json!({ "limit": 3 })), [newest; 3]);
    let rows = transactions(&trader, &json!({ "interestOnly": true }));
    assert_eq!((rows.len(), kinds(&rows).iter().all(|kind| *kind == "Interest")), (12, true));
    let count = |params: Value| transactions(&trader, &params).len();
    assert_eq!(count(json!({ "interestOnly": false, "sortAsc": false })), 28);
    assert_eq!(count(json!({ "providerId": WEEK })), 8);
    assert_eq!(count(json!({ "providerId": AT_ONCE.to_uppercase() })), 20);
    assert_eq!(count(json!({ "providerId": AT_ONCE, "currency": "btc" })), 8);
    assert_eq!(count(json!({ "currency": "ETH", "interestOnly": true })), 8);
    assert_eq!(count(json!({ "currency": "LTC" })), 0);
    // A provider that is none.
    assert_eq!(count(json!({ "providerId": "00000000-0000-4000-8000-000000000000" })), 0);
    // Both ends are included, in any zone and with fractions.
    let whole = json!({ "since": "2026-01-01T20:00:00Z", "until": "2026-01-01T20:00:00Z" });
    assert_eq!(count(whole), 6, "interest, and the stakes of the same instant");
    let zoned =
        json!({ "since": "2026-01-01T21:00:00.000000+01:00", "until": "2026-01-01T15:00:00.9-05:00" });
    assert_eq!(count(zoned), 6);
    assert_eq!(
        count(json!({ "since": "2026-01-01T20:00:00.0000001Z", "until": "2026-01-01T20:00:00.9999Z" })),
        0
    );
    assert_eq!(count(json!({ "since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z" })), 0);
    assert_eq!(count(json!({ "since": "1960-01-01T00:00:00Z", "until": "1969-01-01T00:00:00Z" })), 0);
    assert_eq!(count(json!({ "since": null, "until": null, "limit": null, "currency": null })), 28);
    assert_eq!(list(&x.as_("counterparty"), HISTORY, json!({})), Vec::<Value>::new());
    laws::check(&x);
}

/// Times, providers and currencies that cannot be read are refused. Proves STK-014, STK-018.
#[test]
fn what_cannot_be_read_is_refused() {
    let x = exchange();
    let trader = x.as_("trader");
    for path in [HISTORY, REWARDS] {
        let with = |name: &str, value: Value| {
            let mut params = json!({ "since": "2026-01-01T00:00:00Z" });
            params[name] = value;
            trader.call(path, params)
        };
        for name in ["since", "until"] {
            for wrong in [
                json!("2026-01-01T00:00:00"),
                json!("2026-01-01"),
                json!("yesterday"),
                json!(""),
                json!("1767225600"),
                json!(1_767_225_600),
                json!(true),
                json!({}),
                json!("2026-02-30T00:00:00Z"),
            ] {
                let message = with(name, wrong.clone()).refused(400, "InvalidTimestampInPayload").message;
                assert!(message.contains(name), "{message}");
            }
        }
        for wrong in ["", "1", "0b9a2f2e-7f0c-1a64-9a54-3f6d1c1e2a01", "0b9a2f2e7f0c4a649a543f6d1c1e2a01"] {
            with("providerId", json!(wrong)).refused(400, "InvalidParameterValue");
        }
        with("providerId", json!(7)).refused(400, "InvalidParameterValue");
        with("currency", json!("NONE")).refused(400, "InvalidCurrency");
        with("currency", json!(5)).refused(400, "InvalidParameterValue");
    }
    for (name, wrong) in [("interestOnly", json!("true")), ("sortAsc", json!(1))] {
        trader.call(HISTORY, json!({ name: wrong })).refused(400, "InvalidParameterValue");
    }
    trader.call(REWARDS, json!({})).refused(400, "MissingPayloadKey");
    trader.call(REWARDS, json!({ "since": null })).refused(400, "InvalidTimestampInPayload");
    let nothing = exact(&trader.call(REWARDS, json!({ "since": "2026-01-01T00:00:00Z" })));
    assert_eq!(nothing, json!({}));
    let none = exact(&trader.call(
        REWARDS,
        json!({
            "since": "2026-01-01T00:00:00Z", "providerId": "00000000-0000-4000-8000-000000000000",
        }),
    ));
    assert_eq!(none, json!({}));
    laws::check(&x);
}
