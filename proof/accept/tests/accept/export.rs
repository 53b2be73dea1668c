//! `buttonwood export`: what it writes is what the interface shows, on a running directory and on a stopped one.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use buttonwood_accept::{Exchange, Key, Value, json, private_folder, run_to_end};

/// The start time of every exchange in these tests: a whole day of UTC.
const START_MS: u64 = 1_767_225_600_000;
const TABLES: [&str; 4] = ["orders", "trades", "public_trades", "candles"];

type Row = BTreeMap<String, String>;

fn export(data: &Path, table: &str, more: &[&str]) -> (String, String) {
    let fixed = ["export", "--data", data.to_str().unwrap(), "--table", table];
    let output = run_to_end(&[&fixed, more].concat());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{table} {more:?}: {told}");
    (String::from_utf8(output.stdout).unwrap(), told)
}

fn all(x: &Exchange) -> [String; 4] {
    TABLES.map(|table| export(x.data(), table, &[]).0)
}

/// The rows by their columns' names; no value in these tests needs quotation marks.
fn parsed(csv: &str) -> Vec<Row> {
    let mut lines = csv.lines().map(|line| line.split(','));
    let names: Vec<&str> = lines.next().expect("the line with the names").collect();
    let row = |values: std::str::Split<'_, char>| {
        let values: Vec<&str> = values.collect();
        assert_eq!(values.len(), names.len());
        names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value.to_owned())).collect()
    };
    lines.map(row).collect()
}

fn rows(x: &Exchange, table: &str, more: &[&str]) -> Vec<Row> {
    parsed(&export(x.data(), table, more).0)
}

fn is_of(row: &Row, key: &Key) -> bool {
    row["group"] == key.group && row["account"] == key.account
}

/// A value of the interface as a cell.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(cell).collect(),
        other => other.to_string(),
    }
}

/// Every column that the interface has as a field holds the field's value; returns the other columns. `/v1/mytrades`
/// writes symbols in capitals.
fn compare(row: &Row, shown: &Value) -> Vec<String> {
    let shown = shown.as_object().unwrap();
    let mut others = Vec::new();
    for (name, value) in row {
        match shown.get(name) {
            Some(field) if name == "symbol" => assert_eq!(value, &cell(field).to_lowercase()),
            Some(field) => assert_eq!(value, &cell(field), "{name} of {shown:?}"),
            None if value.is_empty() => {}
            None => others.push(name.clone()),
        }
    }
    others
}

fn trade(x: &Exchange, price: &str, amount: &str) {
    x.as_("counterparty").limit("btcusd", "sell", amount, price);
    x.as_("trader").limit("btcusd", "buy", amount, price);
}

/// Trades, market orders, cancelled and refused ones, on two symbols, minutes apart.
fn busy(x: &Exchange) {
    for (price, amount) in [("30000", "1"), ("30100.25", "0.5"), ("29900", "0.00001")] {
        trade(x, price, amount);
        x.advance(50);
    }
    let trader = x.as_("trader");
    let placed = trader.limit("btcusd", "buy", "0.25", "100");
    x.advance(1);
    trader.cancel(&cell(&placed["order_id"]));
    x.as_("counterparty").limit("ethusd", "sell", "2", "2000");
    let body = json!({
        "client_order_id": "own-1", "symbol": "ethusd", "side": "buy", "type": "exchange market", "total_spend": "100",
    });
    trader.call("/v1/order/new", body).ok();
    let body = json!({
        "client_order_id": "own-2", "symbol": "ethusd", "side": "buy", "type": "exchange limit", "amount": "0.5",
        "price": "2000", "options": ["immediate-or-cancel"],
    });
    trader.call("/v1/order/new", body).ok();
    trader.limit("btcusd", "buy", "0.125", "90");
}

/// An export has the fields of the interface with the same values, and live orders are out.
#[test]
fn exports_what_the_interface_shows() {
    let x = Exchange::start();
    busy(&x);
    let (trader, key) = (x.as_("trader"), x.key("trader"));
    let trades: Vec<Row> = rows(&x, "trades", &[]).into_iter().filter(|row| is_of(row, &key)).collect();
    let mut shown: Vec<Value> = Vec::new();
    for symbol in ["btcusd", "ethusd"] {
        shown.extend(
            trader.call("/v1/mytrades", json!({ "symbol": symbol })).ok().as_array().unwrap().clone(),
        );
    }
    assert_eq!(trades.len(), shown.len());
    for trade in &shown {
        let row = trades.iter().find(|row| row["tid"] == cell(&trade["tid"])).unwrap();
        assert_eq!(compare(row, trade), ["account", "group"]);
    }
    let orders = rows(&x, "orders", &[]);
    let own: Vec<&Row> = orders.iter().filter(|row| is_of(row, &key)).collect();
    assert!(own.len() >= 5, "{orders:?}");
    for row in own {
        let order = trader.status(&row["order_id"]);
        assert_eq!(order["is_live"], json!(false));
        assert_eq!(compare(row, &order), ["account", "closed_timestampms", "group"]);
    }
    let public = rows(&x, "public_trades", &[]);
    let shown = x.get("/v1/trades/btcusd?limit_trades=500&include_breaks=1").ok();
    let own: Vec<&Row> = public.iter().filter(|row| row["symbol"] == "btcusd").rev().collect();
    assert_eq!(own.len(), shown.as_array().unwrap().len());
    for (row, trade) in own.into_iter().zip(shown.as_array().unwrap()) {
        assert_eq!(compare(row, trade), ["symbol"]);
    }
}

/// Candles of every time frame, without gaps, are those that the interface shows.
#[test]
fn exports_candles_without_gaps() {
    let x = Exchange::start();
    busy(&x);
    let candles = rows(&x, "candles", &[]);
    for frame in ["1m", "5m", "15m", "30m", "1h", "6h", "1day"] {
        let shown = x.get(&format!("/v2/candles/btcusd/{frame}")).ok();
        let own = candles.iter().filter(|row| row["symbol"] == "btcusd" && row["time_frame"] == frame).rev();
        let own: Vec<Value> = own
            .map(|row| {
                let number = |name: &str| row[name].parse::<Value>().unwrap();
                ["time", "open", "high", "low", "close", "volume"].map(number).to_vec().into()
            })
            .collect();
        assert_eq!(Value::from(own), shown, "{frame}");
    }
    assert_eq!(
        candles.iter().filter(|row| row["time_frame"] == "1m" && row["symbol"] == "btcusd").count(),
        3
    );
}

/// The bytes are the same while the exchange runs and its newest rows are in no file, with snapshots, after a stop, and
/// without the history's files. The journal number is reported.
#[test]
fn exports_the_same_bytes_always() {
    let x = Exchange::builder().flag("--snapshot-every", "4").start();
    busy(&x);
    let running = all(&x);
    assert!(running.iter().all(|csv| csv.lines().count() > 3), "{running:?}");
    let (_, told) = export(x.data(), "trades", &[]);
    let rows = running[1].lines().count() - 1;
    assert!(told.starts_with(&format!("{rows} rows of trades; everything up to command ")), "{told}");
    x.kill9();
    assert_eq!(all(&x), running, "killed");
    x.restart();
    assert_eq!(all(&x), running, "started again");
    x.stop();
    assert_eq!(all(&x), running, "stopped");
    fs::remove_dir_all(x.data().join("history")).unwrap();
    assert_eq!(all(&x), running, "from the journal alone");
}

/// The first moment of a period is in, the last one is out, whichever way it is written.
#[test]
fn a_period_bounds_an_export() {
    let x = Exchange::start();
    trade(&x, "30000", "0.1");
    for _ in 0..3 {
        x.advance(60);
        trade(&x, "30000", "0.1");
    }
    let times = |table: &str, column: &str, more: &[&str]| -> Vec<u64> {
        let rows = rows(&x, table, more)
            .into_iter()
            .filter(|row| row.get("time_frame").is_none_or(|frame| frame == "1m"));
        let mut times: Vec<u64> = rows.map(|row| row[column].parse::<u64>().unwrap() - START_MS).collect();
        times.dedup();
        times
    };
    let [first, second] = [60, 120].map(|seconds| (START_MS + seconds * 1_000).to_string());
    for (from, to) in
        [(first.as_str(), second.as_str()), ("2026-01-01T00:01:00Z", "2026-01-01T01:02:00+01:00")]
    {
        let period = ["--from", from, "--to", to];
        for (table, column) in [
            ("trades", "timestampms"),
            ("public_trades", "timestampms"),
            ("orders", "closed_timestampms"),
            ("candles", "time"),
        ] {
            assert_eq!(times(table, column, &period), [60_000], "{table} {period:?}");
        }
    }
    assert_eq!(times("trades", "timestampms", &["--from", &second]), [120_000, 180_000]);
    assert_eq!(times("trades", "timestampms", &["--to", "2026-01-01T00:01:00Z"]), [0]);
    assert!(times("candles", "time", &["--from", &first, "--to", &first]).is_empty());
}

/// A file is written whole, is its owner's alone, and takes the place of an older one.
#[test]
fn writes_a_file() {
    let x = Exchange::start();
    trade(&x, "30000", "1");
    let home = private_folder();
    let path = home.path().join("trades.csv");
    fs::write(&path, "older").unwrap();
    let (shown, _) = export(x.data(), "trades", &["--out", path.to_str().unwrap()]);
    assert_eq!(shown, "");
    assert_eq!(fs::read_to_string(&path).unwrap(), export(x.data(), "trades", &[]).0);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "nothing else is left");
}

/// A table that cannot be exported is refused with the flag's name, and nothing is written.
#[test]
fn refuses_what_it_cannot_export() {
    let x = Exchange::start();
    let home = private_folder();
    let data = x.data().to_str().unwrap();
    let nowhere = home.path().join("missing");
    let nowhere = nowhere.to_str().unwrap();
    let out = home.path().join("no-folder").join("out.csv");
    for (arguments, word) in [
        (&["--data", data][..], "--table"),
        (&["--data", data, "--table", "balances"], "--table"),
        (&["--data", data, "--table", "trades", "--from", "yesterday"], "--from 'yesterday'"),
        (&["--data", data, "--table", "trades", "--to", "-5"], "--to '-5'"),
        (&["--data", data, "--table", "trades", "--from", "2", "--to", "1"], "--from 2"),
        (&["--data", data, "--table", "trades", "--format", "xml"], "--format"),
        (&["--data", nowhere, "--table", "trades"], nowhere),
        (&["--data", home.path().to_str().unwrap(), "--table", "trades"], "no journal"),
        (&["--data", data, "--table", "trades", "--out", out.to_str().unwrap()], "no-folder"),
    ] {
        let output = run_to_end(&[&["export"], arguments].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}: {told}");
        assert!(told.contains(word) && !told.contains("panicked"), "{arguments:?}: {told}");
    }
}

/// Trades of contracts of the prediction markets are exported in the order's own view, as `/v1/mytrades` shows them; their orders are not.
#[test]
fn exports_trades_of_contracts() {
    let x = Exchange::start();
    let expiry = x.now_ms() + 86_400_000;
    let event = json!({ "ticker": "RAIN", "title": "Rain", "category": "weather", "expiry_ms": expiry });
    x.control("/sandbox/predictions/events", &event).ok();
    for (name, outcome, price) in [("trader", "yes", "0.60"), ("counterparty", "no", "0.40")] {
        x.as_(name).call("/v1/prediction-markets/terms/accept", json!({})).ok();
        let order = json!({
            "symbol": "SVC-RAIN", "orderType": "limit", "side": "buy", "outcome": outcome, "quantity": "10",
            "price": price,
        });
        assert_eq!(x.as_(name).call("/v1/prediction-markets/order", order).status(), 201);
    }
    let trades = rows(&x, "trades", &[]);
    for (name, outcome, price) in [("trader", "yes", "0.60"), ("counterparty", "no", "0.40")] {
        let key = x.key(name);
        let row = trades.iter().find(|row| is_of(row, &key)).expect("a trade of each account");
        assert_eq!([&row["symbol"], &row["outcome"], &row["price"]], ["svc-rain", outcome, price]);
        let shown = x.as_(name).call("/v1/mytrades", json!({ "symbol": "SVC-RAIN" })).ok();
        assert_eq!(compare(row, &shown[0]), ["account", "group"]);
    }
    assert!(rows(&x, "orders", &[]).iter().all(|row| row["symbol"] != "svc-rain"));
}
