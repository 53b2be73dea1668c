//! Candles. Clauses MKT-007, MKT-027 to MKT-034.

use buttonwood_accept::{Exchange, Value, json};

/// The start time of every exchange in these tests: a whole day of UTC.
const START_MS: u64 = 1_767_225_600_000;

fn trade(x: &Exchange, price: &str, amount: &str) {
    x.as_("counterparty").limit("btcusd", "sell", amount, price);
    x.as_("trader").limit("btcusd", "buy", amount, price);
}

fn candles(x: &Exchange, frame: &str) -> Vec<Value> {
    x.get(&format!("/v2/candles/btcusd/{frame}")).ok().as_array().expect("an array").clone()
}

/// Six numbers each, newest first; an interval's prices are its first, highest, lowest and last. Proves MKT-027, MKT-030.
#[test]
fn candles_are_of_the_trades_of_their_interval() {
    let x = Exchange::start();
    for (price, amount) in [("30000", "1"), ("30100", "0.5"), ("29900", "0.25"), ("30050.25", "0.125")] {
        trade(&x, price, amount);
    }
    x.advance(60);
    trade(&x, "30010", "0.00001");
    let shown = candles(&x, "1m");
    let minute = |number: u64| json!(START_MS + number * 60_000);
    assert_eq!(
        shown,
        [
            json!([minute(1), 30010.00, 30010.00, 30010.00, 30010.00, 0.000_01]),
            json!([minute(0), 30000.00, 30100.00, 29900.00, 30050.25, 1.875]),
        ]
    );
    let hour = json!([[START_MS, 30000.00, 30100.00, 29900.00, 30010.00, 1.875_01]]);
    for frame in ["5m", "15m", "30m", "1h", "6h", "1day"] {
        assert_eq!(json!(candles(&x, frame)), hour, "{frame}");
    }
}

/// Other spellings of a frame give the same; other frames are refused by a message that lists them. Proves MKT-028, MKT-029.
#[test]
fn time_frames_have_names() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    x.advance(30_000);
    for [one, other] in [["1h", "1hr"], ["6h", "6hr"], ["1day", "1d"]] {
        assert_eq!(candles(&x, one), candles(&x, other));
    }
    for wrong in ["2m", "1M", "1w", "60", "1H", "%31m", "1m%20", "minute"] {
        let answer = x.get(&format!("/v2/candles/btcusd/{wrong}"));
        let refusal = answer.refused(400, "InvalidParameterValue");
        for name in ["1m", "5m", "15m", "30m", "1h", "6h", "1day"] {
            assert!(refusal.message.contains(name), "{answer}");
        }
    }
}

/// Intervals without trades repeat the close before them; before the first trade there are none. Proves MKT-031.
#[test]
fn quiet_intervals_are_shown() {
    let x = Exchange::start();
    assert!(candles(&x, "1m").is_empty(), "nothing was traded");
    trade(&x, "30000", "1");
    x.advance(180);
    let still = |minute: u64| json!([START_MS + minute * 60_000, 30000.0, 30000.0, 30000.0, 30000.0, 0]);
    let shown = candles(&x, "1m");
    assert_eq!(shown[..3], [still(3), still(2), still(1)]);
    assert_eq!((shown.len(), &shown[3][5]), (4, &json!(1)));
}

/// As many as a frame shows, whatever the query says. Proves MKT-032.
#[test]
fn frames_show_so_many() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    x.advance(400 * 86_400);
    let shown = [
        ("1m", 1_440),
        ("5m", 2_015),
        ("15m", 1_343),
        ("30m", 1_439),
        ("1h", 1_463),
        ("6h", 367),
        ("1day", 364),
    ];
    for (frame, count) in shown {
        assert_eq!(candles(&x, frame).len(), count, "{frame}");
        assert_eq!(candles(&x, &format!("{frame}?limit=5&since=0&limit_bars=x")), candles(&x, frame));
    }
    assert!(candles(&x, "1m").iter().all(|candle| candle[4] == json!(30000.0) && candle[5] == json!(0)));
}

/// Perpetual contracts have candles of a minute; other frames and other symbols are refused. Proves MKT-033, MKT-034.
#[test]
fn derivatives_have_minutes_only() {
    let x = Exchange::start();
    assert_eq!(x.get("/v2/derivatives/candles/BTCGUSDPERP/1m").ok(), json!([]));
    x.get("/v2/derivatives/candles/btcgusdperp/5m").refused(400, "InvalidParameterValue");
    x.get("/v2/derivatives/candles/btcusd/1m").refused(400, "InvalidSymbol");
}

/// An unknown symbol is named in plain text. Proves MKT-007.
#[test]
fn unknown_symbols_are_named_in_plain_text() {
    let x = Exchange::start();
    for path in ["/v2/candles/nosuch/1m", "/v2/derivatives/candles/nosuch/1m"] {
        let answer = x.get(path);
        assert_eq!(answer.status(), 400, "{answer}");
        assert!(answer.reply.text().contains("'nosuch' is not a valid symbol"), "{answer}");
    }
    for path in ["/v2/candles/btcusd", "/v2/candles/btcusd/", "/v2/candles/btcusd/1m/2"] {
        x.get(path).refused(404, "EndpointNotFound");
    }
}

/// A restart, and one that builds everything from the journal, show the same bytes.
#[test]
fn candles_survive() {
    let x = Exchange::start();
    for number in 0..20_u64 {
        trade(&x, &format!("{}", 30_000 + (number * 7) % 50), "0.1");
        x.advance(40);
    }
    let before = candles(&x, "1m");
    x.kill9();
    x.restart();
    assert_eq!(candles(&x, "1m"), before);
    x.stop();
    for entry in std::fs::read_dir(x.data()).expect("the directory") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name == "history") {
            std::fs::remove_dir_all(&path).expect("it goes");
        }
    }
    x.restart();
    assert_eq!(candles(&x, "1m"), before);
}
