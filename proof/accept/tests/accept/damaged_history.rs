//! A damaged file of the history is built again from the journal: until then a call that needs it is refused with 503, never with
//! 500, no call shows another row, and the health check says why.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use buttonwood_accept::{Answer, Exchange, NewOrder, Setup, Value, json, laws, private_folder};

const FILES: [&str; 7] = [
    "trades.log",
    "orders.log",
    "public.log",
    "funding.log",
    "entries.log",
    "conversions.log",
    "clearing.log",
];
/// Longer than any rebuild here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keys of accounts with a balance, whose statements together read most of the changes.
const KEYS: [&str; 4] = ["trader", "counterparty", "broker", "savings-trader"];

fn history(data: &Path, file: &str) -> PathBuf {
    data.join("history").join(file)
}

/// A damage to a file, which may be open in a running exchange.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Flip,
    Cut,
    Header,
}

const DAMAGES: [Damage; 3] = [Damage::Flip, Damage::Cut, Damage::Header];

fn spoil(path: &Path, damage: Damage) {
    let bytes = fs::read(path).unwrap();
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let middle = bytes.len() / 2;
    match damage {
        Damage::Flip => file.write_all_at(&[!bytes[middle]], middle.try_into().unwrap()),
        Damage::Cut => file.set_len(middle.try_into().unwrap()),
        Damage::Header => file.write_all_at(&[!bytes[3]], 3),
    }
    .unwrap();
}

/// Trades, closed orders, conversions, clearing orders and hours of funding.
fn trade(x: &Exchange) {
    for step in 0..20 {
        x.as_("counterparty").limit("btcusd", "sell", "0.01", &format!("{}", 30_000 + step));
        x.as_("trader").limit("btcusd", "buy", "0.01", &format!("{}", 30_000 + step));
        let placed = x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "0.01", "100"));
        x.as_("trader").cancel(placed["order_id"].as_str().unwrap());
        x.as_("trader").call("/v1/wrap/gusdusd", json!({ "side": "buy", "amount": "10" })).ok();
        let terms = json!({ "symbol": "btcusd", "side": "sell", "amount": "0.01", "price": "30000" });
        let entered = x.as_("trader").call("/v1/clearing/new", terms).ok();
        x.as_("trader").call("/v1/clearing/cancel", json!({ "clearing_id": entered["clearing_id"] })).ok();
        x.advance(1_800);
    }
}

/// Answers that together need every row of every file; `order` was cancelled.
fn read(x: &Exchange, order: &str) -> Vec<Answer> {
    let trader = x.as_("trader");
    // The changes of all accounts lie in one file, each with what the search for others needs.
    let all = || json!({ "timestamp": 1, "limit_entries": 500 });
    let statements = KEYS.map(|key| x.as_(key).call("/v1/statement", all()));
    let mut answers: Vec<Answer> = statements.into();
    answers.extend([
        trader.call("/v1/mytrades", json!({ "timestamp": 1, "limit_trades": 500 })),
        trader.call("/v1/orders/history", json!({ "timestamp": 1, "limit_orders": 500 })),
        x.as_("counterparty").call("/v1/mytrades", json!({ "timestamp": 1, "limit_trades": 500 })),
        x.as_("counterparty").call("/v1/orders/history", json!({ "timestamp": 1, "limit_orders": 500 })),
        trader.call("/v1/order/status", json!({ "order_id": order })),
        trader.call("/v1/clearing/list", json!({ "limit_orders": 500 })),
        x.as_("master").call("/v1/transactions", json!({ "timestamp_nanos": 1 })),
        x.get("/v1/trades/btcusd?timestamp=1&limit_trades=500"),
        x.get("/v2/ticker/btcusd"),
        x.get("/sandbox/history"),
    ]);
    answers
}

/// The body of an answer. The size of the database depends on how it was made, and the command that it has reached on the reads.
fn shown(answer: &Answer) -> Value {
    let mut shown = answer.json();
    for field in ["bytes", "seq"] {
        shown.as_object_mut().and_then(|shown| shown.remove(field));
    }
    shown
}

fn health(x: &Exchange) -> String {
    let health = x.get("/health/ready");
    assert_eq!(health.status(), 200, "orders are taken: {health}");
    health.reply.text()
}

/// Reads until every answer is whole and the health check names no trouble. Until then an answer is right or refused with 503.
fn heals(x: &Exchange, order: &str, expected: &[Value], case: &str) -> usize {
    let begin = Instant::now();
    let mut refused = 0;
    loop {
        let answers = read(x, order);
        let bad = answers.iter().filter(|answer| answer.status() != 200).count();
        for (answer, expected) in answers.iter().zip(expected) {
            match answer.status() {
                200 => assert_eq!(shown(answer), *expected, "{case}"),
                _ => drop(answer.refused(503, "System")),
            }
        }
        refused += bad;
        if bad == 0 && health(x) == "ready\n" {
            return refused;
        }
        assert!(begin.elapsed() < PATIENCE, "{case}: {}\n{}", health(x), x.log());
        thread::yield_now();
    }
}

/// Waits until a file has again what it had. A row that no call needs is mended by the read of every row after a start, which may
/// come later than the answers.
fn is_mended(x: &Exchange, file: &str, whole: &[u8], case: &str) {
    let begin = Instant::now();
    while !fs::read(history(x.data(), file)).unwrap().starts_with(whole) {
        assert!(begin.elapsed() < PATIENCE, "{case}: {}", x.log());
        thread::yield_now();
    }
}

/// An exchange with a history, the id of a cancelled order, and what it answers.
fn with_history(setup: Setup) -> (Exchange, String, Vec<Value>) {
    let x = setup.start();
    let placed = x.as_("trader").place(&NewOrder::limit("btcusd", "buy", "0.01", "100"));
    let order = placed["order_id"].as_str().unwrap().to_owned();
    x.as_("trader").cancel(&order);
    trade(&x);
    let answers = read(&x, &order);
    assert!(answers.iter().all(|answer| answer.status() == 200));
    let expected = answers.iter().map(shown).collect();
    (x, order, expected)
}

/// Every file, damaged in any way while the exchange is stopped: it starts, and heals.
#[test]
fn a_stopped_history_heals() {
    let (x, order, expected) = with_history(Exchange::builder());
    for (file, damage) in FILES.into_iter().flat_map(|file| DAMAGES.map(|damage| (file, damage))) {
        x.stop();
        let whole = fs::read(history(x.data(), file)).unwrap();
        spoil(&history(x.data(), file), damage);
        // The database then reads every row too.
        fs::remove_file(history(x.data(), "tables.db")).unwrap();
        x.restart();
        let case = format!("{file}, {damage:?}");
        heals(&x, &order, &expected, &case);
        is_mended(&x, file, &whole, &case);
    }
    x.stop();
    assert!(x.verify().status.success());
    x.restart();
    laws::check(&x);
}

/// Every file, damaged in any way while the exchange runs on it and has its rows in no memory: it heals while orders go on, and
/// the health check says why calls are refused.
#[test]
fn a_running_history_heals() {
    let (x, order, expected) = with_history(Exchange::builder());
    x.stop();
    let whole = FILES.map(|file| fs::read(history(x.data(), file)).unwrap());
    x.restart();
    let mut refused = 0;
    let files = FILES.into_iter().enumerate();
    for ((number, file), damage) in files.flat_map(|file| DAMAGES.map(|damage| (file, damage))) {
        // A damaged header makes the first start read the whole journal, after which memory has the rows.
        for _ in 0..2 {
            x.stop();
            x.restart();
        }
        heals(&x, &order, &expected, file);
        spoil(&history(x.data(), file), damage);
        fs::remove_file(history(x.data(), "tables.db")).unwrap();
        let case = format!("{file}, {damage:?}");
        refused += heals(&x, &order, &expected, &case);
        // No query reads a header, or the row in the middle of the changes, which is another account's; the next start finds both.
        let is_read = !matches!((file, damage), (_, Damage::Header) | ("entries.log", Damage::Flip));
        if is_read {
            is_mended(&x, file, &whole[number], &case);
        }
    }
    assert!(refused > 0 && x.log().contains("the history is built again from the journal"), "{}", x.log());
    assert!(x.log().contains("the history is whole again"), "{}", x.log());
    x.stop();
    x.restart();
    heals(&x, &order, &expected, "a damaged header is mended at the next start");
    FILES.iter().zip(&whole).for_each(|(file, whole)| is_mended(&x, file, whole, "at the next start"));
    x.stop();
    assert!(x.verify().status.success());
}

/// A start reads every row once, so that damage is mended before a call needs the row.
#[test]
fn damage_is_found_without_a_call() {
    let (x, order, expected) = with_history(Exchange::builder());
    for file in FILES {
        x.stop();
        let whole = fs::read(history(x.data(), file)).unwrap();
        spoil(&history(x.data(), file), Damage::Flip);
        x.restart();
        is_mended(&x, file, &whole, file);
        heals(&x, &order, &expected, file);
    }
}

/// The history's database is built again as soon as a query finds that it is damaged, also while nothing is traded.
#[test]
fn a_running_database_heals() {
    let (x, order, expected) = with_history(Exchange::builder());
    let spoils: [fn(&Path); 4] = [
        |path| fs::write(path, vec![7; 20_000]).unwrap(),
        |path| OpenOptions::new().write(true).open(path).unwrap().set_len(0).unwrap(),
        |path| OpenOptions::new().write(true).open(path).unwrap().set_len(5_000).unwrap(),
        |path| fs::remove_file(path).unwrap(),
    ];
    for (number, spoil) in spoils.into_iter().enumerate() {
        // Started again, all of it is in this file, and none in the log of commits.
        x.stop();
        x.restart();
        heals(&x, &order, &expected, "before");
        spoil(&history(x.data(), "tables.db"));
        heals(&x, &order, &expected, &format!("database {number}"));
    }
    x.stop();
    assert!(x.verify().status.success());
}

/// Where the archived journal cannot be found, what it alone can build again stays refused, with the reason; all else is served, also
/// when the file was too short at the start. With the archive it heals.
#[test]
fn what_the_archive_has_stays_refused_without_it() {
    let home = private_folder();
    let archive = home.path().join("archive");
    let small = || Exchange::builder().flag("--segment-bytes", "65536").flag("--snapshot-every", "60");
    let archiving =
        || small().flag("--keep-journal", "0").flag("--archive", archive.to_str().expect("a plain path"));
    let (x, order, _) = with_history(archiving());
    while fs::read_dir(&archive).map_or(0, Iterator::count) < 3 {
        trade(&x);
    }
    let expected: Vec<Value> = read(&x, &order).iter().map(shown).collect();
    x.stop();
    for (file, damage) in
        ["trades.log", "orders.log"].into_iter().flat_map(|file| DAMAGES.map(|damage| (file, damage)))
    {
        if let Damage::Header = damage {
            spoil(&history(x.data(), file), damage);
        } else {
            let bytes = fs::read(history(x.data(), file)).unwrap();
            let early = OpenOptions::new().write(true).open(history(x.data(), file)).unwrap();
            match damage {
                Damage::Cut => early.set_len(100).unwrap(),
                _ => early.write_all_at(&[!bytes[30]], 30).unwrap(),
            }
        }
        let without = small().start_in(x.data());
        let begin = Instant::now();
        loop {
            let answers = read(&without, &order);
            let refused = answers.iter().filter(|answer| answer.status() != 200);
            refused.for_each(|answer| drop(answer.refused(503, "System")));
            let is_lost = health(&without)
                .contains("is archived where it cannot be found (--archive names the folder)");
            if is_lost || (matches!(damage, Damage::Header) && health(&without) == "ready\n") {
                break;
            }
            assert!(begin.elapsed() < PATIENCE, "{file} {damage:?}: {}\n{}", health(&without), without.log());
        }
        let newest = without.as_("trader").limit("btcusd", "buy", "0.001", "99");
        without.as_("trader").cancel(newest["order_id"].as_str().unwrap());
        assert_eq!(without.as_("trader").status(newest["order_id"].as_str().unwrap())["is_cancelled"], true);
        if !matches!(damage, Damage::Header) {
            assert!(
                without.log().contains("ERROR") && without.log().contains("cannot be found"),
                "{}",
                without.log()
            );
        }
        without.stop();
        let with = archiving().start_in(x.data());
        let begin = Instant::now();
        while read(&with, &order).iter().any(|answer| answer.status() != 200) || health(&with) != "ready\n" {
            assert!(begin.elapsed() < PATIENCE, "{}\n{}", health(&with), with.log());
        }
        let trades = with.as_("trader").call("/v1/mytrades", json!({ "timestamp": 1, "limit_trades": 500 }));
        assert_eq!(shown(&trades), expected[KEYS.len()]);
        with.stop();
    }
}
