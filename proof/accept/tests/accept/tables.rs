//! The history's database: it has every row, is built again when it is gone or damaged, and delays no order.

use std::fs;
use std::path::PathBuf;

use buttonwood_accept::{Exchange, Value, json};
use rusqlite::Connection;

fn trade(x: &Exchange, price: &str) {
    x.as_("counterparty").limit("btcusd", "sell", "0.01", price);
    x.as_("trader").limit("btcusd", "buy", "0.01", price);
}

/// Damages a database.
type Spoil = fn(&PathBuf);

fn file(x: &Exchange) -> PathBuf {
    x.data().join("history").join("tables.db")
}

/// How many rows candles and volumes have. There are no payments of funding, although hours have amounts once bitcoin has a price.
fn rows(x: &Exchange) -> [u64; 2] {
    let shown = x.get("/sandbox/history").ok();
    let tables = shown["tables"].as_array().unwrap();
    let names: Vec<&Value> = tables.iter().map(|table| &table["table"]).collect();
    let expected = [
        "candles",
        "daily_volumes",
        "funding_amounts",
        "funding_payments",
        "clearing_orders",
        "staking_transactions",
        "staking_redemptions",
        "contract_orders",
        "contract_settlements",
        "contract_parts",
        "contract_sales",
    ];
    assert_eq!(names, expected);
    assert!(tables[3..].iter().all(|table| table["rows"] == 0));
    assert!(shown["bytes"].as_u64().unwrap() > 0);
    [0, 1].map(|place: usize| tables[place]["rows"].as_u64().unwrap())
}

/// The whole content of the tables.
fn content(x: &Exchange) -> Vec<Vec<String>> {
    assert!(!x.is_running());
    let database = Connection::open(file(x)).unwrap();
    let dump = |table: &str| {
        let mut statement = database.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2, 3")).unwrap();
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            Ok((0..columns).map(|column| format!("{:?}", row.get_ref(column).unwrap())).collect())
        };
        statement.query_map((), row).unwrap().map(Result::unwrap).collect::<Vec<Vec<String>>>()
    };
    [dump("candles"), dump("daily_volumes")].concat()
}

fn verified(x: &Exchange) -> String {
    let output = x.verify();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// An answer has the caller's own last trade; deleting the database and starting again gives the same tables.
#[test]
fn tables_have_every_trade() {
    let x = Exchange::start();
    assert_eq!(rows(&x), [0, 0]);
    trade(&x, "30000");
    assert_eq!(rows(&x), [7, 2], "a candle of each frame, a volume of each account");
    x.advance(60);
    trade(&x, "30001");
    assert_eq!(rows(&x), [8, 2], "another minute of the same five minutes");
    x.advance(86_400);
    trade(&x, "30002");
    assert_eq!(rows(&x), [15, 4]);
    x.stop();
    let kept = content(&x);
    let told = verified(&x);
    assert!(told.contains("is as the journal gives it: candles 15 rows, daily_volumes 4 rows,"), "{told}");
    fs::remove_file(file(&x)).unwrap();
    assert!(verified(&x).contains("no database of the history"));
    x.restart();
    assert_eq!(rows(&x), [15, 4]);
    assert!(
        x.log().contains("database is built from") && x.log().contains("database is built: "),
        "{}",
        x.log()
    );
    assert!(!x.log().contains("WARN"), "a database that is not there yet is no trouble: {}", x.log());
    x.kill9();
    verified(&x);
    x.restart();
    x.stop();
    let names = || fs::read_dir(x.data().join("history")).unwrap().count();
    let before = names();
    verified(&x);
    assert_eq!(names(), before, "verify makes no file");
    assert_eq!(content(&x), kept);
}

/// A database that is damaged, or of another version, is built again, and so is one that vanishes while the exchange runs.
#[test]
fn what_is_damaged_is_built_again() {
    let x = Exchange::start();
    trade(&x, "30000");
    x.stop();
    let kept = content(&x);
    let spoils: [(&str, Spoil); 3] = [
        ("damaged", |path| fs::write(path, vec![7; 20_000]).unwrap()),
        ("damaged", |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes[4_096..].fill(0xee);
            fs::write(path, bytes).unwrap();
        }),
        ("of another version", |path| {
            Connection::open(path).unwrap().pragma_update(None, "user_version", 77).unwrap();
        }),
    ];
    for (word, spoil) in spoils {
        spoil(&file(&x));
        let told = verified(&x);
        assert!(told.contains("no database of the history"), "{told}");
        x.restart();
        assert_eq!(rows(&x), [7, 2]);
        assert!(x.log().contains(word), "{}", x.log());
        x.stop();
        assert_eq!(content(&x), kept, "{word}");
    }
    x.restart();
    fs::remove_file(file(&x)).unwrap();
    trade(&x, "30000");
    assert_eq!(rows(&x), [7, 2]);
    x.stop();
    verified(&x);
}

/// While another program holds the database, orders go on, the health check says why it lags, and its queries are refused
/// instead of answered with old rows.
#[test]
fn a_locked_database_delays_no_order() {
    let x = Exchange::start();
    trade(&x, "30000");
    assert_eq!(rows(&x), [7, 2]);
    let other = Connection::open(file(&x)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    x.advance(60);
    trade(&x, "30001");
    x.get("/sandbox/history").refused(503, "System");
    let health = x.get("/health/ready");
    assert_eq!(health.status(), 200);
    assert!(health.reply.text().contains("the history's database lags: database is locked"), "{health}");
    trade(&x, "30002");
    assert_eq!(x.get("/v1/trades/btcusd").ok().as_array().unwrap().len(), 3);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(rows(&x), [8, 2]);
    assert_eq!(x.get("/health/ready").reply.text(), "ready\n");
    x.stop();
    verified(&x);
}

/// While the database lags, the status of an order waits for it only where nothing else can know the order: live and closed orders, ids that were
/// not given yet, and orders of other accounts are answered. Of ORD-064, ORD-080.
#[test]
fn a_status_waits_only_for_what_the_database_alone_can_know() {
    let x = Exchange::start();
    let trader = x.as_("trader");
    let own = |order: &Value| order["order_id"].as_str().expect("an id").to_owned();
    trade(&x, "30000");
    assert_eq!(rows(&x), [7, 2]);
    let other = Connection::open(file(&x)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    x.advance(60);
    let live = own(&trader.limit("btcusd", "buy", "0.01", "20000"));
    let closed = own(&trader.limit("btcusd", "buy", "0.01", "20001"));
    trader.cancel(&closed);
    let foreign = own(&x.as_("counterparty").limit("btcusd", "sell", "0.01", "29000"));
    let matched = own(&trader.limit("btcusd", "buy", "0.01", "29000"));
    let newest = own(&x.as_("counterparty").limit("btcusd", "buy", "0.01", "20000"));
    assert_eq!(trader.status(&live)["is_live"], true);
    assert_eq!(trader.status(&closed)["is_cancelled"], true);
    assert_eq!(trader.status(&matched)["executed_amount"], "0.01");
    let status = |id: &str| trader.call("/v1/order/status", json!({ "order_id": id }));
    let above = (newest.parse::<u64>().expect("a number") + 1).to_string();
    for absent in ["0", &above, "9007199254740991", "18446744073709551615", &foreign, &newest] {
        status(absent).refused(404, "OrderNotFound");
    }
    let tid = x.get("/v1/trades/btcusd").ok()[0]["tid"].to_string();
    let unknown = status(&tid);
    assert_eq!(unknown.reply.header("retry-after"), Some("1"));
    unknown.refused(503, "System");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(rows(&x)[1], 2);
    status(&tid).refused(404, "OrderNotFound");
}

/// A void trade counts in no table; one that is only marked counts. Proves MKT-035.
#[test]
fn tables_leave_void_trades_out() {
    let x = Exchange::start();
    trade(&x, "30000");
    x.stop();
    let kept = content(&x);
    x.restart();
    x.advance(60);
    trade(&x, "30001");
    assert_eq!(rows(&x), [8, 2]);
    let shown = x.get("/v1/trades/btcusd").ok();
    for (place, kind, expected) in [(1, "manual", [8, 2]), (0, "full", [7, 2])] {
        x.control("/sandbox/trades/break", &json!({ "tid": shown[place]["tid"], "kind": kind })).ok();
        assert_eq!(rows(&x), expected, "{kind}");
    }
    x.stop();
    assert_eq!(content(&x), kept);
    let told = verified(&x);
    assert!(told.contains("is as the journal gives it: candles 7 rows, daily_volumes 2 rows,"), "{told}");
    fs::remove_file(file(&x)).unwrap();
    x.restart();
    x.stop();
    assert_eq!(content(&x), kept);
    verified(&x);
}

/// A table that differs from the journal is an error of `verify`, which names the table and the remedy.
#[test]
fn verify_compares_the_tables() {
    let x = Exchange::start();
    trade(&x, "30000");
    x.stop();
    for (table, change) in [
        ("candles", "UPDATE candles SET high = '30000.01' WHERE minutes = 5"),
        (
            "daily_volumes",
            "DELETE FROM daily_volumes WHERE account = (SELECT max(account) FROM daily_volumes)",
        ),
        ("progress", "UPDATE progress SET seq = seq - 1"),
    ] {
        let whole = fs::read(file(&x)).unwrap();
        Connection::open(file(&x)).unwrap().execute(change, ()).unwrap();
        let output = x.verify();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && told.contains(table) && told.contains("history/tables.db"),
            "{told}"
        );
        fs::write(file(&x), whole).unwrap();
        for name in ["tables.db-wal", "tables.db-shm"] {
            fs::remove_file(file(&x).with_file_name(name)).ok();
        }
    }
    verified(&x);
}
