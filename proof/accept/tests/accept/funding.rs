//! Funding of perpetuals: amounts, payments and reports, recomputed with a pencil (chapter Derivatives).

use std::collections::BTreeMap;

use buttonwood_accept::{Answer, Dec, Exchange, dec, laws, same_keys, spreadsheet};
use rusqlite::Connection;
use serde_json::{Value, json};

const BTC: &str = "btcgusdperp";
const PAYMENTS: &str = "/v1/perpetuals/fundingPayment";
const REPORT: &str = "/v1/perpetuals/fundingpaymentreport/records.json";
const SHEET: &str = "/v1/perpetuals/fundingpaymentreport/records.xlsx";
const AMOUNTS: &str = "/v1/fundingamountreport/records.xlsx";
const SPREADSHEET: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The start of every exchange in these tests: a whole day of UTC.
const START: u64 = 1_767_225_600_000;
const HOUR: u64 = 3_600_000;

fn pin(x: &Exchange, currency: &str, price: &str) {
    x.control(&format!("/sandbox/index/{currency}"), &json!({ "price": price })).ok();
}

fn limit(x: &Exchange, key: &str, symbol: &str, side: &str, amount: &str, price: &str) -> Value {
    x.as_(key).limit(symbol, side, amount, price)
}

/// An exchange whose bitcoin index is 50,000, where one coin and a half were bought at a price, and an ask of half a coin is left there, with
/// a bid at 49,900.
/// The trades pay no fees; the marks are taken a second after the hour.
fn traded(price: &str) -> Exchange {
    let x = Exchange::start();
    x.control("/sandbox/fees", &json!({ "maker_bps": 0, "taker_bps": 0, "auction_bps": 0 })).ok();
    pin(&x, "BTC", "50000");
    limit(&x, "perp-001", BTC, "sell", "2", price);
    limit(&x, "perp-000", BTC, "buy", "1", price);
    limit(&x, "perp-002", BTC, "buy", "0.5", price);
    limit(&x, "perp-003", BTC, "buy", "0.1", "49900");
    x
}

/// A whole number ÷ another, rounded half even at 12 decimals.
fn half_even(dividend: i128, divisor: i128) -> Dec {
    let (dividend, sign) = (dividend * 1_000_000_000_000, if dividend < 0 { -1 } else { 1 });
    let (whole, rest) = (dividend.abs() / divisor, dividend.abs() % divisor);
    let is_up = 2 * rest > divisor || (2 * rest == divisor && whole % 2 == 1);
    let units = whole + i128::from(is_up);
    let digits = format!("{units:0>13}");
    let (integer, fraction) = digits.split_at(digits.len() - 12);
    let value = dec(&format!("{integer}.{fraction}"));
    if sign < 0 { -value } else { value }
}

/// The funding amount of an hour, by the sums of its minutes (open + high + low + close) in whole dollars.
fn amount(minutes: impl IntoIterator<Item = i128>) -> Dec {
    half_even(minutes.into_iter().sum(), 4 * 24 * 60)
}

/// A field that is a JSON number, with every digit that was sent.
fn number(answer: &Answer, field: &str) -> Dec {
    answer.ok();
    let text = answer.reply.text();
    let (_, rest) = text.split_once(&format!("\"{field}\":")).unwrap_or_else(|| panic!("no {field}: {text}"));
    dec(rest.split([',', '}']).next().unwrap())
}

fn shown(x: &Exchange, symbol: &str) -> Answer {
    x.get(&format!("/v1/fundingamount/{symbol}"))
}

fn payments(x: &Exchange, key: &str, query: &str) -> Vec<Value> {
    let rows = x.as_(key).call(&format!("{PAYMENTS}{query}"), json!({})).ok();
    rows.as_array().expect("payments are an array").clone()
}

/// The change by a payment.
fn change(row: &Value) -> Dec {
    let value = Dec::wire(&row["quantity"]["value"]);
    match row["action"].as_str() {
        Some("Credit") => value,
        Some("Debit") => -value,
        other => panic!("no action: {other:?}"),
    }
}

fn row(time: u64, action: &str, value: &str, symbol: &str) -> Value {
    json!({
        "eventType": "Hourly Funding Transfer", "timestamp": time, "assetCode": "GUSD", "action": action,
        "quantity": { "currency": "GUSD", "value": value }, "instrumentSymbol": symbol,
    })
}

fn money(x: &Exchange, key: &str) -> Dec {
    x.as_(key).balance("GUSD").0
}

/// Before the first hour is cut there is nothing, and the times are those of the clock; other symbols give 404 without a body.
/// Proves PERP-014, PERP-015.
#[test]
fn nothing_is_paid_before_the_first_hour() {
    let x = Exchange::start();
    x.advance(1_234);
    for symbol in [BTC, "ETHGUSDPERP"] {
        let answer = shown(&x, symbol);
        same_keys(
            &answer.ok(),
            &[
                "symbol",
                "fundingDateTimeUTC",
                "fundingDateTime",
                "fundingTimestampMilliSecs",
                "nextFundingTimestamp",
                "amount",
                "fundingAmount",
                "estimatedFundingAmount",
            ],
            &answer,
        );
        let funding = answer.ok();
        assert_eq!(funding["symbol"], symbol.to_ascii_uppercase());
        assert_eq!(funding["fundingDateTimeUTC"], "2026-01-01T00:00:00.000Z");
        assert_eq!(
            (&funding["fundingTimestampMilliSecs"], &funding["nextFundingTimestamp"]),
            (&json!(START), &json!(START + HOUR))
        );
        for field in ["amount", "fundingAmount", "estimatedFundingAmount"] {
            assert_eq!(number(&answer, field), Dec::ZERO);
        }
        assert_eq!(x.get(&format!("/v1/nextfundingtimestamp/{symbol}")).ok(), json!(START + HOUR));
    }
    for symbol in ["btcusd", "none"] {
        for path in ["fundingamount", "nextfundingtimestamp"] {
            let answer = x.get(&format!("/v1/{path}/{symbol}"));
            assert_eq!((answer.status(), answer.reply.text().as_str()), (404, ""), "{path} {symbol}");
        }
    }
    assert!(payments(&x, "perp-000", "").is_empty());
    let head = x.get(&format!("{AMOUNTS}?symbol={BTC}"));
    assert_eq!(spreadsheet::rows(&head.reply.body).len(), 1, "only the head row");
    laws::check(&x);
}

/// Each hour's amount is the mean of its minutes ÷ 24; longs pay shorts position × amount, once, and the payments sum to zero.
/// A kill between the hours changes nothing. Proves PERP-013, PERP-016, PERP-017, PERP-018, PERP-019.
#[test]
fn longs_pay_shorts_each_hour() {
    let x = traded("50040");
    assert_eq!(number(&shown(&x, BTC), "estimatedFundingAmount"), Dec::ZERO, "the first minute runs");
    x.advance(1_800);
    // The first minute begins without a premium and ends with 40; the others have 40 throughout.
    let first_minutes = |minutes: usize| [80].into_iter().chain(std::iter::repeat_n(160, minutes - 1));
    let half = half_even(first_minutes(30).sum(), 4 * 24 * 30);
    assert_eq!(number(&shown(&x, BTC), "estimatedFundingAmount"), half);
    let before = ["perp-000", "perp-001", "perp-002"].map(|key| money(&x, key));
    x.advance(1_799);
    assert!(payments(&x, "perp-000", "").is_empty(), "the hour is not over");
    x.advance(1);
    let first = amount(first_minutes(60));
    assert_eq!(first, dec("1.652777777778"));
    let answer = shown(&x, BTC);
    assert_eq!((number(&answer, "amount"), number(&answer, "fundingAmount")), (first, first));
    let funding = answer.ok();
    assert_eq!(funding["fundingDateTimeUTC"], "2026-01-01T01:00:00.000Z");
    assert_eq!(
        (&funding["fundingTimestampMilliSecs"], &funding["nextFundingTimestamp"]),
        (&json!(START + HOUR), &json!(START + 2 * HOUR))
    );
    let one = row(START + HOUR, "Debit", "1.652777777778", "BTCGUSDPERP");
    assert_eq!(
        payments(&x, "perp-000", ""),
        [json!({ "eventType": "Hourly Funding Transfer", "hourlyFundingTransfer": one })]
    );
    assert_eq!(
        payments(&x, "perp-001", "")[0]["hourlyFundingTransfer"],
        row(START + HOUR, "Credit", "2.479166666667", "BTCGUSDPERP")
    );
    x.kill9();
    x.restart();
    // Three hours in one move: each is paid once, under its own time.
    x.advance(3 * 3_600);
    x.kill9();
    x.restart();
    let later = amount(std::iter::repeat_n(160, 60));
    let mut sums: BTreeMap<u64, Dec> = BTreeMap::new();
    for (key, position, before) in
        [("perp-000", "1", before[0]), ("perp-001", "-1.5", before[1]), ("perp-002", "0.5", before[2])]
    {
        let rows: Vec<Value> =
            payments(&x, key, "").iter().map(|row| row["hourlyFundingTransfer"].clone()).collect();
        let times: Vec<u64> = rows.iter().map(|row| row["timestamp"].as_u64().unwrap()).collect();
        assert_eq!(times, [4, 3, 2, 1].map(|hour| START + hour * HOUR), "{key}");
        let changes: Vec<Dec> = rows.iter().map(change).collect();
        let expected = [later, later, later, first].map(|amount| -(dec(position) * amount));
        assert_eq!(changes, expected, "{key}");
        assert_eq!(money(&x, key), before + expected.into_iter().sum(), "{key}");
        for (time, change) in times.into_iter().zip(changes) {
            let sum = sums.entry(time).or_insert(Dec::ZERO);
            *sum = *sum + change;
        }
    }
    assert!(sums.values().all(|sum| *sum == Dec::ZERO), "{sums:?}");
    laws::check(&x);
}

/// A book below the index makes shorts pay; the amount is never more than 0.05 % of the mark, unless operators set another cap. Proves PERP-017, PERP-018.
#[test]
fn shorts_pay_below_the_index_and_amounts_are_capped() {
    let x = traded("49976");
    x.advance(2 * 3_600);
    let expected = amount(std::iter::repeat_n(-96, 60));
    assert_eq!((number(&shown(&x, BTC), "amount"), expected), (dec("-1"), dec("-1")));
    let rows = payments(&x, "perp-001", "");
    assert_eq!(rows[0]["hourlyFundingTransfer"], row(START + 2 * HOUR, "Debit", "1.5", "BTCGUSDPERP"));
    // The last trade, moved to the bid, makes a premium of 2,390, which would be 99.58…: the mark is kept at 50,025, of which 0.05 % is
    // 25.0125.
    x.as_("perp-001").call("/v1/order/cancel/all", json!({})).ok();
    limit(&x, "perp-001", BTC, "sell", "0.1", "52400");
    limit(&x, "perp-002", BTC, "buy", "0.1", "52390");
    x.advance(2 * 3_600);
    assert_eq!(number(&shown(&x, BTC), "amount"), dec("25.0125"));
    let rows = payments(&x, "perp-002", "");
    assert_eq!(rows[0]["hourlyFundingTransfer"], row(START + 4 * HOUR, "Debit", "12.50625", "BTCGUSDPERP"));
    let set = x.admin(&["funding", "set", "--cap-bps", "10"]).done();
    assert_eq!(set, json!({ "result": "ok", "cap_bps": 10, "depth": "1000" }));
    x.kill9();
    x.restart();
    x.advance(3_600);
    assert_eq!(number(&shown(&x, BTC), "amount"), dec("50.025"));
    // Bids of 10,229 dollars and asks of 5,240 are too few.
    let set = x.admin(&["funding", "set", "--cap-bps", "0", "--depth", "10300.5"]).done();
    assert_eq!(set, json!({ "result": "ok", "cap_bps": 0, "depth": "10300.5" }));
    x.admin(&["funding", "set", "--cap-bps", "10"]).done();
    x.advance(2 * 3_600);
    assert_eq!(number(&shown(&x, BTC), "amount"), Dec::ZERO);
    for words in [
        ["--cap-bps", "10001"],
        ["--cap-bps", "-1"],
        ["--depth", "0"],
        ["--depth", "1000000000.1"],
        ["--depth", "x"],
    ] {
        x.admin(&[["funding", "set"], words].concat()).refused();
    }
    laws::check(&x);
}

/// Orders that are small or far from the index make no difference, whatever the last trade was: the averages of 1,000 dollars on each side
/// count (D-177). Proves PERP-017.
#[test]
fn a_painted_book_moves_no_money() {
    let x = traded("50040");
    x.as_("perp-001").call("/v1/order/cancel/all", json!({})).ok();
    // One lot below and above a price far from the index, and a trade there.
    limit(&x, "perp-001", BTC, "sell", "0.0001", "51990");
    limit(&x, "perp-002", BTC, "buy", "0.0001", "51990");
    limit(&x, "perp-001", BTC, "sell", "0.0001", "52000");
    limit(&x, "perp-002", BTC, "buy", "0.0001", "51980");
    x.advance(2 * 3_600);
    assert_eq!(number(&shown(&x, BTC), "amount"), Dec::ZERO);
    // An ask of 2,100 dollars more than 5 % above the index changes nothing.
    limit(&x, "perp-001", BTC, "sell", "0.04", "52500.5");
    x.advance(3_600);
    assert_eq!(number(&shown(&x, BTC), "amount"), Dec::ZERO);
    x.as_("perp-001").call("/v1/order/cancel/all", json!({})).ok();
    x.as_("perp-002").call("/v1/order/cancel/all", json!({})).ok();
    limit(&x, "perp-001", BTC, "sell", "0.01", "50000");
    limit(&x, "perp-001", BTC, "sell", "1", "50100");
    // 500 dollars at 50,000 and 500 at 50,100: the last trade at 51,990 counts as 50,049.950049…, and 49.950049… ÷ 24 is the amount.
    x.advance(2 * 3_600);
    assert_eq!(number(&shown(&x, BTC), "amount"), dec("2.081252081252"));
    laws::check(&x);
}

/// `since` and `to` are milliseconds, both included; without them the past 24 hours are shown. The payload's `request` may name the
/// query string or not. Proves PERP-021.
#[test]
fn payments_are_filtered_by_time() {
    let x = traded("50040");
    x.advance(30 * 3_600);
    let key = "perp-000";
    let times = |rows: Vec<Value>| -> Vec<u64> {
        let hours = rows.iter().map(|row| row["hourlyFundingTransfer"]["timestamp"].as_u64().unwrap());
        hours.map(|time| (time - START) / HOUR).collect()
    };
    let down = |from: u64, to: u64| (from..=to).rev().collect::<Vec<_>>();
    let at = |hour: u64| START + hour * HOUR;
    assert_eq!(times(payments(&x, key, "")), down(6, 30));
    assert_eq!(times(payments(&x, key, "?since=0")), down(1, 30));
    assert_eq!(times(payments(&x, key, &format!("?since={}&to={}", at(3), at(5)))), down(3, 5));
    assert_eq!(times(payments(&x, key, &format!("?since={}&to={}", at(3) + 1, at(5) - 1))), [4]);
    assert_eq!(times(payments(&x, key, &format!("?to={}", at(7)))), down(6, 7));
    assert!(payments(&x, key, &format!("?since={}&to={}", at(5), at(3))).is_empty());
    let query = format!("{PAYMENTS}?since={}", at(29));
    let bare = json!({ "request": PAYMENTS });
    assert_eq!(times(x.as_(key).call(&query, bare).ok().as_array().unwrap().clone()), down(29, 30));
    let in_payload = json!({ "since": at(29), "to": at(29).to_string() });
    assert_eq!(times(x.as_(key).call(PAYMENTS, in_payload).ok().as_array().unwrap().clone()), [29]);
    let other = json!({ "request": format!("{PAYMENTS}?since=0") });
    x.as_(key).call(&query, other).refused(400, "EndpointMismatch");
    for (name, value) in [("since", "x"), ("to", "-1"), ("since", ""), ("to", "1.5"), ("since", "2026-01-01")]
    {
        let refusal = x
            .as_(key)
            .call(&format!("{PAYMENTS}?{name}={value}"), json!({}))
            .refused(400, "InvalidParameterValue");
        assert!(
            refusal.message.contains(&format!("'{name}'")) && refusal.message.contains(value),
            "{refusal:?}"
        );
    }
    x.as_(key).call(PAYMENTS, json!({ "since": true })).refused(400, "InvalidParameterValue");
    laws::check(&x);
}

/// Any account may be asked, but only derivatives accounts have payments; Trader and Auditor may ask. Proves AUTH-034.
#[test]
fn traders_and_auditors_see_their_own_payments() {
    let x = traded("50040");
    x.advance(3_600);
    let sheet = |key: &str| x.as_(key).signed_get(SHEET, json!({}));
    for key in ["trader", "margin-000", "perp-003", "auditor"] {
        assert!(payments(&x, key, "").is_empty(), "{key}");
        assert_eq!(x.as_(key).call(REPORT, json!({})).ok(), json!([]), "{key}");
        assert_eq!(spreadsheet::rows(&sheet(key).reply.body).len(), 1, "{key}");
    }
    assert_eq!(payments(&x, "perp-auditor", ""), payments(&x, "perp-000", ""));
    x.as_("perp-fund-manager").call(PAYMENTS, json!({})).refused(403, "MissingRole");
    x.as_("perp-fund-manager").call(REPORT, json!({})).refused(403, "MissingRole");
    sheet("perp-fund-manager").refused(403, "MissingRole");
    x.anyone().get(SHEET).error();
    laws::check(&x);
}

/// Without `numRows` a report has the hours of a year. Proves LIM-015, with the trades and the book of `market_data.rs`.
#[test]
fn a_report_has_the_hours_of_a_year() {
    let x = traded("50040");
    x.advance(8_765 * 3_600);
    assert_eq!(report(&x, "").len(), 8_760);
    assert_eq!(report(&x, "?numRows=8764").len(), 8_764);
    let answer = x.get(&format!("{AMOUNTS}?symbol={BTC}"));
    assert_eq!(sheet_of(&answer, "FundingAmount_BTCGUSDPERP.xlsx").len(), 1 + 8_760);
}

fn report(x: &Exchange, query: &str) -> Vec<Value> {
    let rows = x.as_("perp-000").call(&format!("{REPORT}{query}"), json!({})).ok();
    rows.as_array().expect("rows are an array").clone()
}

/// The rows of a report as a sheet has them, with its head.
fn as_sheet(rows: &[Value]) -> Vec<Vec<Value>> {
    let head = [
        "eventType",
        "timestamp",
        "assetCode",
        "action",
        "quantity currency",
        "quantity value",
        "instrumentSymbol",
    ];
    let cells = |row: &Value| {
        let quantity = &row["quantity"];
        let cells = [
            &row["eventType"],
            &row["timestamp"],
            &row["assetCode"],
            &row["action"],
            &quantity["currency"],
            &quantity["value"],
            &row["instrumentSymbol"],
        ];
        cells.map(Value::clone).to_vec()
    };
    [head.map(Value::from).to_vec()].into_iter().chain(rows.iter().map(cells)).collect()
}

/// The spreadsheet of an answer.
fn sheet_of(answer: &Answer, name: &str) -> Vec<Vec<Value>> {
    assert_eq!(answer.status(), 200, "{answer}");
    assert_eq!(answer.reply.header("content-type"), Some(SPREADSHEET));
    assert_eq!(answer.reply.header("content-disposition"), Some(&*format!("attachment; filename={name}")));
    spreadsheet::rows(&answer.reply.body)
}

/// The account's report has the same rows as JSON and as a spreadsheet, by whole days or the last ones, the newest first.
/// Proves PERP-020, PERP-022, PERP-023, PERP-024.
#[test]
fn payments_are_reported_by_days() {
    let x = traded("50040");
    x.advance(50 * 3_600);
    let hours = |rows: &[Value]| -> Vec<u64> {
        rows.iter().map(|row| (row["timestamp"].as_u64().unwrap() - START) / HOUR).collect()
    };
    let down = |from: u64, to: u64| (from..=to).rev().collect::<Vec<_>>();
    let all = report(&x, "");
    assert_eq!(hours(&all), down(1, 50));
    assert_eq!(all[0], row(START + 50 * HOUR, "Debit", "1.666666666667", "BTCGUSDPERP"));
    for (query, expected) in [
        ("?numRows=3", down(48, 50)),
        ("?fromDate=2026-01-01&toDate=2026-01-01", down(1, 23)),
        ("?fromDate=2026-01-02&toDate=2026-01-02", down(24, 47)),
        ("?fromDate=2026-01-01&toDate=2026-01-02&numRows=2", down(46, 47)),
        ("?fromDate=2026-01-02&toDate=2026-01-02&numRows=1000", down(24, 47)),
        ("?fromDate=2025-12-01&toDate=2025-12-31", vec![]),
    ] {
        let rows = report(&x, query);
        assert_eq!(hours(&rows), expected, "{query}");
        let answer = x.as_("perp-000").signed_get(&format!("{SHEET}{query}"), json!({}));
        assert_eq!(sheet_of(&answer, "FundingPayment_Report.xlsx"), as_sheet(&rows), "{query}");
    }
    let bare = json!({ "request": REPORT });
    x.as_("perp-000").call(&format!("{REPORT}?numRows=1"), bare).refused(400, "EndpointMismatch");
    for (query, reason, words) in [
        ("fromDate=2026-01-01", "MissingPayloadKey", ["'fromDate'", "'toDate'"]),
        ("toDate=2026-01-01", "MissingPayloadKey", ["'fromDate'", "'toDate'"]),
        ("fromDate=2026-02-30&toDate=2026-03-01", "InvalidParameterValue", ["'fromDate'", "2026-02-30"]),
        ("fromDate=2026-01-01&toDate=tomorrow", "InvalidParameterValue", ["'toDate'", "tomorrow"]),
        ("fromDate=2026-01-02&toDate=2026-01-01", "InvalidParameterValue", ["'toDate'", "2026-01-01"]),
        ("numRows=0", "InvalidParameterValue", ["'numRows'", "0"]),
        ("numRows=-1", "InvalidParameterValue", ["'numRows'", "-1"]),
        ("numRows=many", "InvalidParameterValue", ["'numRows'", "many"]),
    ] {
        let path = |path: &str| format!("{path}?{query}");
        let public = format!("{AMOUNTS}?symbol={BTC}&{query}");
        for answer in [
            x.as_("perp-000").call(&path(REPORT), json!({})),
            x.as_("perp-000").signed_get(&path(SHEET), json!({})),
            x.get(&public),
        ] {
            let refusal = answer.refused(400, reason);
            assert!(words.iter().all(|word| refusal.message.contains(word)), "{refusal:?}");
        }
    }
    laws::check(&x);
}

/// The public report has one row per hour of a perpetual, the newest first, by the rules of the other one. Proves PERP-025, PERP-026.
#[test]
fn amounts_are_reported_by_hours() {
    let x = traded("50040");
    x.advance(26 * 3_600);
    let read = |query: &str| {
        let answer = x.get(&format!("{AMOUNTS}?symbol={query}"));
        sheet_of(&answer, "FundingAmount_BTCGUSDPERP.xlsx")
    };
    let head =
        ["symbol", "fundingDateTimeUTC", "fundingTimestampMilliSecs", "amount"].map(Value::from).to_vec();
    let line = |day: u64, hour: u64, amount: &str| {
        let time = START + (24 * (day - 1) + hour) * HOUR;
        let shown = format!("2026-01-{day:02}T{hour:02}:00:00.000Z");
        vec![json!("BTCGUSDPERP"), json!(shown), json!(time), json!(amount)]
    };
    let all = read(BTC);
    assert_eq!(all.len(), 27);
    assert_eq!(all[..2], [head.clone(), line(2, 2, "1.666666666667")]);
    assert_eq!(all[26], line(1, 1, "1.652777777778"));
    assert_eq!(read("BtcGusdPerp&numRows=1"), [head.clone(), line(2, 2, "1.666666666667")]);
    assert_eq!(
        read(&format!("{BTC}&fromDate=2026-01-01&toDate=2026-01-01&numRows=1")),
        [head, line(1, 23, "1.666666666667")]
    );
    assert_eq!(read(&format!("{BTC}&fromDate=2026-01-02&toDate=2026-01-03")).len(), 4);
    x.get(AMOUNTS).refused(400, "MissingPayloadKey");
    for symbol in ["btcusd", "none", ""] {
        x.get(&format!("{AMOUNTS}?symbol={symbol}")).refused(400, "InvalidSymbol");
    }
    // A changed table does not pass `verify`; the database is built again from the rows.
    x.stop();
    let file = x.data().join("history").join("tables.db");
    Connection::open(&file).unwrap().execute("UPDATE funding_payments SET amount = '1'", ()).unwrap();
    let output = x.verify();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && words.contains("funding_payments"), "{words}");
    std::fs::remove_file(file).unwrap();
    x.restart();
    assert_eq!(read(BTC), all);
    assert_eq!(report(&x, "").len(), 26);
    laws::check(&x);
}
