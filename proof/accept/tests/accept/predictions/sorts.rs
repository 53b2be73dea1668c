//! Orders of lists, and the edges of their pages and periods.

use super::*;

/// Three contracts of which the trader has ten yes each, bought at 0.30, 0.50 and 0.40, that bid 0.35, 0.20 and 0.40 now.
fn three_positions() -> Exchange {
    let x = exchange();
    accept(&x, "restricted");
    for ticker in ["SNOW", "HAIL"] {
        list(&x, json!({ "ticker": ticker, "title": ticker, "category": "weather" }));
    }
    for (symbol, price, other, bid) in [
        (RAIN, "0.30", "0.70", "0.35"),
        ("SVC-SNOW", "0.50", "0.50", "0.20"),
        ("SVC-HAIL", "0.40", "0.60", "0.40"),
    ] {
        let symbol = json!({ "symbol": symbol });
        place(&x, "trader", with(&format!("buy yes 10 at {price}"), &symbol));
        place(&x, "counterparty", with(&format!("buy no 10 at {other}"), &symbol));
        place(&x, "restricted", with(&format!("buy yes 1 at {bid}"), &symbol));
    }
    x
}

/// The tickers of the positions that a call lists, and how many there are in all.
fn tickers(x: &Exchange, path: &str, fields: Value) -> (String, u64) {
    let page = x.as_("trader").call(path, fields).ok();
    let rows = page["positions"].as_array().expect("positions");
    let names: Vec<&str> = rows.iter().map(|row| &row["symbol"].as_str().expect("a symbol")[4..]).collect();
    (names.join(" "), page["total"].as_u64().expect("a number"))
}

/// Results are sorted as values are, in both directions, and a plus sign may be escaped in the query string. Proves PM-024.
#[test]
fn positions_are_sorted_by_their_results() {
    let x = three_positions();
    // Results are 0.50, -3 and 0, values 3.50, 2 and 4.
    for (sort, expected) in [
        ("unrealizedPnl", "SNOW HAIL RAIN"),
        ("+unrealizedPnl", "SNOW HAIL RAIN"),
        ("-unrealizedPnl", "RAIN HAIL SNOW"),
        ("positionValue", "SNOW RAIN HAIL"),
        ("-positionValue", "HAIL RAIN SNOW"),
        ("unrealizedPNL", "HAIL RAIN SNOW"),
        ("", "HAIL RAIN SNOW"),
    ] {
        assert_eq!(tickers(&x, POSITIONS, json!({ "sort": sort })).0, expected, "{sort}");
    }
    for (query, expected) in [
        ("sort=%2BpositionValue", "SNOW RAIN HAIL"),
        ("sort=+positionValue", "SNOW RAIN HAIL"),
        ("sort=-unrealizedPnl", "RAIN HAIL SNOW"),
        ("sort=%2DunrealizedPnl&limit=2", "RAIN HAIL"),
    ] {
        assert_eq!(tickers(&x, &format!("{POSITIONS}?{query}"), json!({})).0, expected, "{query}");
    }
}

/// A page that begins at the end or after it is empty, and its total is that of all. Proves PM-024.
#[test]
fn positions_end_with_their_last_page() {
    let x = three_positions();
    for (offset, expected) in [
        (json!(2), "SNOW"),
        (json!(3), ""),
        (json!(4), ""),
        (json!(u64::MAX), ""),
        (json!("9".repeat(30)), ""),
    ] {
        let fields = json!({ "offset": offset, "limit": 5 });
        assert_eq!(tickers(&x, POSITIONS, fields), (expected.to_owned(), 3), "{offset}");
    }
    assert_eq!(tickers(&x, POSITIONS, json!({ "limit": 1_000_000 })).1, 3);
}

/// Pages of live and of closed orders are empty from their end on; a far offset is no error.
#[test]
fn orders_end_with_their_last_page() {
    let x = exchange();
    let ids: Vec<u64> = (0..2)
        .map(|_| place(&x, "trader", limit("buy yes 1 at 0.01"))["orderId"].as_u64().expect("an id"))
        .collect();
    let pages = |path: &str| {
        [0, 1, 2, 3, 10_000].map(|offset| {
            let page = x.as_("trader").call(path, json!({ "offset": offset, "limit": 1 })).ok();
            page["orders"]
                .as_array()
                .expect("orders")
                .iter()
                .map(|row| row["orderId"].clone())
                .collect::<Vec<_>>()
        })
    };
    let expected = || [vec![json!(ids[1])], vec![json!(ids[0])], vec![], vec![], vec![]];
    assert_eq!(pages(ACTIVE), expected());
    for id in &ids {
        x.as_("trader").call(CANCEL, json!({ "orderId": id })).ok();
    }
    assert_eq!((pages(ACTIVE), pages(HISTORY)), ([vec![], vec![], vec![], vec![], vec![]], expected()));
}

/// A period of closed orders has its first millisecond and not its last; an empty one is no error, and one that ends before it begins is.
/// Proves PM-023.
#[test]
fn periods_have_their_first_moment_alone() {
    let x = exchange();
    let order = place(&x, "trader", limit("buy yes 1 at 0.01"));
    x.advance(10);
    x.as_("trader").call(CANCEL, json!({ "orderId": order["orderId"] })).ok();
    let at = x.now_ms();
    let count = |fields: Value| {
        let page = x.as_("trader").call(HISTORY, fields).ok();
        page["orders"].as_array().expect("orders").len()
    };
    for (from, to, expected) in
        [(at, at + 1, 1), (at - 1, at, 0), (at, at, 0), (at + 1, at + 2, 0), (at - 10_000, at + 10_000, 1)]
    {
        assert_eq!(count(json!({ "from": from, "to": to })), expected, "{from} {to}");
    }
    assert_eq!([count(json!({ "from": at })), count(json!({ "from": at + 1 }))], [1, 0]);
    assert_eq!([count(json!({ "to": at })), count(json!({ "to": at + 1 }))], [0, 1]);
    let message =
        x.as_("trader").call(HISTORY, json!({ "from": at, "to": at - 1 })).coded(400, "InvalidInput");
    assert!(message.contains("'from'"), "{message}");
}

/// Payouts of rebates are listed in pages, the newest first, and their sums have both days of a range. Proves PM-030, PM-031.
#[test]
fn rebates_have_pages_and_days() {
    let x = Exchange::start();
    let expiry = x.now_ms() + 10 * 86_400_000;
    list(&x, json!({ "ticker": "RAIN", "title": "Rain", "category": "weather", "expiry_ms": expiry }));
    x.control("/sandbox/predictions/rewards", &json!({ "enabled": true })).ok();
    for key in ["trader", "counterparty"] {
        accept(&x, key);
    }
    let trader = x.as_("trader");
    for quantity in [100, 300] {
        place(&x, "trader", limit(&format!("buy yes {quantity} at 0.40")));
        place(&x, "counterparty", limit(&format!("buy no {quantity} at 0.60")));
        x.advance(86_400);
    }
    let page = |query: &str| -> Vec<String> {
        let payouts = trader.call(&format!("{ROOT}/maker-rebate/payouts?{query}"), json!({})).ok();
        let rows = payouts["payouts"].as_array().expect("payouts");
        rows.iter().map(|row| some(row, &["total_rebate_usd", "paid_at"]).join(" ")).collect()
    };
    let newest = "0.6 2026-01-02T22:00:00.000Z".to_owned();
    let oldest = "0.2 2026-01-01T22:00:00.000Z".to_owned();
    assert_eq!(page(""), [newest.clone(), oldest.clone()]);
    assert_eq!((page("limit=1"), page("offset=1"), page("offset=2")), (vec![newest], vec![oldest], vec![]));
    let total = |from: &str, to: &str| {
        let path = format!("{ROOT}/maker-rebate/summary/total?dateFrom={from}&dateTo={to}");
        let total = trader.signed_get(&path, json!({})).ok();
        some(&total, &["total_earned_usd", "payout_count"]).join(" ")
    };
    let [before, first, second, after] = ["2025-12-31", "2026-01-01", "2026-01-02", "2026-01-03"];
    for (from, to, expected) in [
        (first, second, "0.8 2"),
        (before, first, "0.2 1"),
        (second, after, "0.6 1"),
        (first, first, "0.2 1"),
        (before, before, "0 0"),
        (after, after, "0 0"),
    ] {
        assert_eq!(total(from, to), expected, "{from} to {to}");
    }
}
