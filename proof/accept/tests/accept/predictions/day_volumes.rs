//! The contracts that were traded on a day, by category. The tests' clock starts on 1 January 2026.

use super::*;

fn rows(x: &Exchange, path: &str) -> Value {
    x.get(&format!("{ROOT}/volume/{path}")).ok()
}

/// Each trade counts once, for its taker, in the hour and the category of its contract; a kill changes nothing.
#[test]
fn contracts_of_a_day_are_summed() {
    let x = Exchange::start();
    let expiry = x.now_ms() + 5 * 86_400_000;
    for (ticker, category) in [("RAIN", "weather"), ("SNOW", "weather"), ("VOTE", "politics")] {
        let fields =
            json!({ "ticker": ticker, "title": "Will it?", "category": category, "expiry_ms": expiry });
        list(&x, fields);
    }
    for key in ["trader", "counterparty"] {
        accept(&x, key);
    }
    let trade = |ticker: &str, quantity: &str| {
        let symbol = json!({ "symbol": format!("SVC-{ticker}") });
        place(&x, "trader", with(&format!("buy yes {quantity} at 0.60"), &symbol));
        place(&x, "counterparty", with(&format!("buy no {quantity} at 0.40"), &symbol));
    };
    trade("RAIN", "10");
    trade("SNOW", "2.5");
    trade("VOTE", "1");
    x.advance(3_600);
    trade("RAIN", "4");
    let path = format!("{ROOT}/volume/2026-01-01");
    let message = x.get(&path).coded(400, "InvalidInput");
    assert!(message.contains("'date'") && message.contains("2026-01-01"), "{message}");
    x.get(&format!("{path}/hourly")).coded(400, "InvalidInput");
    x.advance(23 * 3_600);
    trade("VOTE", "7");
    let day = json!([
        { "categoryPath": ["politics"], "volume": "1" },
        { "categoryPath": ["weather"], "volume": "16.5" },
    ]);
    let hours = json!([
        { "periodStart": "2026-01-01T00:00:00.000Z", "categoryPath": ["politics"], "volume": "1" },
        { "periodStart": "2026-01-01T00:00:00.000Z", "categoryPath": ["weather"], "volume": "12.5" },
        { "periodStart": "2026-01-01T01:00:00.000Z", "categoryPath": ["weather"], "volume": "4" },
    ]);
    let check = || {
        assert_eq!(rows(&x, "2026-01-01"), day);
        assert_eq!(rows(&x, "2026-01-01/hourly"), hours);
    };
    check();
    x.kill9();
    x.restart();
    check();
    x.advance(24 * 3_600);
    assert_eq!(rows(&x, "2026-01-02"), json!([{ "categoryPath": ["politics"], "volume": "7" }]));
}

/// A date that is none, of a day that is not over, or older than a year is refused and named.
#[test]
fn dates_are_checked() {
    let x = Exchange::start();
    x.advance(86_400);
    for (date, says) in [
        ("2026-1-1", "yyyy-mm-dd"),
        ("2026-02-30", "yyyy-mm-dd"),
        ("20260101", "yyyy-mm-dd"),
        ("1969-12-31", "1970"),
        ("today", "yyyy-mm-dd"),
        ("2026-01-02", "over"),
        ("2026-01-03", "over"),
        ("2199-12-31", "over"),
        ("2025-01-01", "last year"),
        ("1970-01-01", "last year"),
    ] {
        for hourly in ["", "/hourly"] {
            let message = x.get(&format!("{ROOT}/volume/{date}{hourly}")).coded(400, "InvalidInput");
            assert!(message.contains(date) && message.contains(says), "{message}");
        }
    }
    for date in ["2026-01-01", "2025-12-31", "2025-01-02"] {
        assert_eq!(rows(&x, date), json!([]), "{date}");
        assert_eq!(rows(&x, &format!("{date}/hourly")), json!([]), "{date}");
    }
}
