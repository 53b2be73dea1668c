//! Compares the history with the simplest model of one, and tests damage.

mod bytes;
mod mending;
mod moving;
mod resuming;
mod rig;

use super::bucket;
use super::query::NEAR_MAX;
use super::row::Timed;
use super::{
    Fault, History, Index, Lengths, Limit, Look, OrderEventRow, OrderRow, PastOrder, Position, Query, Scan,
    Since, TradeRow,
};
use buttonwood_disk::Folder;
use buttonwood_disk::watched::{Call, Warden, Watched};
use buttonwood_engine::OrderState;
use buttonwood_model::{AccountId, ClientId, OrderId, SymbolId, Time};
use proptest::prelude::*;
use rig::{KEY, Rig, Row, Step, TINY, append_all, client_id, step};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io};
use tempfile::{TempDir, tempdir};

const ALICE: AccountId = AccountId(0);
const BOB: AccountId = AccountId(1);
/// Later than any other time.
const EVER: Time = Time(u64::MAX);
const BTCUSD: SymbolId = SymbolId(0);
const FILES: [&str; 10] = [
    "trades.log",
    "orders.log",
    "public.log",
    "funding.log",
    "entries.log",
    "conversions.log",
    "clearing.log",
    "staking.log",
    "predictions.log",
    "order_events.log",
];

/// A page may have all trades of its orders.
const ALL: usize = usize::MAX;

impl Timed for PastOrder {
    fn millis(&self) -> u64 {
        self.row.millis()
    }
}

/// The newest `limit` rows of a list that is ordered oldest first.
fn newest<R: Clone>(rows: &[R], limit: usize) -> Vec<R> {
    rows.iter().rev().take(limit).cloned().collect()
}

/// A history that is shown one look at a time.
struct Shown<'a>(&'a History);

impl Look for Shown<'_> {
    fn look(&self, see: &mut dyn FnMut(&History)) {
        see(self.0);
    }
}

/// The answer of a query. It must be the same whether or not the query releases the history between two rows. A query
/// of memory alone gives the same answer, or says that rows are missing.
fn told<T: PartialEq + std::fmt::Debug>(history: &History, ask: impl Fn(Query<'_>) -> Result<T, Fault>) -> T {
    let whole = ask(Query::whole(history)).unwrap();
    assert_eq!(ask(Query::far(&Shown(history))).unwrap(), whole);
    match ask(Query::near(history)) {
        Ok(near) => assert_eq!(near, whole),
        Err(fault) => assert!(matches!(fault, Fault::Away), "{fault}"),
    }
    whole
}

/// A page of exactly this many rows, even if one millisecond has more.
fn exactly(rows: usize) -> Limit {
    Limit { rows, most: rows }
}

/// The oldest page of rows that are ordered oldest first, cut back to its last whole millisecond.
fn oldest<R: Timed + Clone>(rows: &[R], limit: Limit) -> Vec<R> {
    let mut page = rows[..limit.rows.min(rows.len())].to_vec();
    if let Some(next) = rows.get(limit.rows).map(Timed::millis) {
        page.retain(|row| row.millis() < next);
        if page.is_empty() {
            let millisecond = rows.iter().filter(|row| row.millis() == next).cloned();
            page = millisecond.take(limit.most).collect();
        }
    }
    page.reverse();
    page
}

/// Runs every query about accounts and compares the answers with the model.
fn compare_accounts(rig: &Rig, millis: u64, limit: Limit) {
    for (account, symbol) in (0..4).flat_map(|account| (0..5).map(move |symbol| (AccountId(account), symbol)))
    {
        let symbol = (symbol < 4).then_some(SymbolId(symbol));
        let (trades, orders) = (rig.trades(account, symbol), rig.past_orders(account, symbol));
        let history = &rig.history;
        assert_eq!(
            told(history, |query| query.trades(account, symbol, None, limit)),
            newest(&trades, limit.rows)
        );
        assert_eq!(
            told(history, |query| query.orders(account, symbol, None, limit, ALL)),
            newest(&orders, limit.rows)
        );
        let trades: Vec<_> = trades.into_iter().filter(|row| row.millis() >= millis).collect();
        let orders: Vec<_> = orders.into_iter().filter(|row| row.millis() >= millis).collect();
        assert_eq!(
            told(history, |query| query.trades(account, symbol, Some(millis), limit)),
            oldest(&trades, limit)
        );
        assert_eq!(
            told(history, |query| query.orders(account, symbol, Some(millis), limit, ALL)),
            oldest(&orders, limit)
        );
    }
}

/// Runs every query for public trades and compares the answers with the model.
fn compare_public(rig: &Rig, millis: u64, trade: u64, limit: Limit) {
    for symbol in (0..4).map(SymbolId) {
        let all = rig.public(symbol);
        let ask = |since| told(&rig.history, |query| query.public_trades(symbol, since, limit));
        assert_eq!(ask(Since::Newest), newest(&all, limit.rows));
        let from: Vec<_> = all.iter().copied().filter(|row| row.millis() >= millis).collect();
        assert_eq!(ask(Since::FromTime(millis)), oldest(&from, limit));
        let after: Vec<_> = all.iter().copied().filter(|row| row.trade.0 > trade).collect();
        let page = &after[..limit.rows.min(after.len())];
        assert_eq!(ask(Since::AfterTrade(trade)), newest(page, limit.rows));
    }
}

/// Queries every order by its ids, and its trades, under every account, and compares the answers with the model.
fn compare_orders(rig: &Rig) {
    let all: Vec<OrderRow> = (0..4).flat_map(|account| rig.orders(AccountId(account), None)).collect();
    for account in (0..4).map(AccountId) {
        for row in &all {
            let found = told(&rig.history, |query| query.order(account, row.order.id));
            assert_eq!(found, (row.order.account == account).then_some(*row));
            let mut trades = rig.trades(row.order.account, None);
            trades.retain(|trade| trade.order == row.order.id);
            trades.reverse();
            assert_eq!(told(&rig.history, |query| query.trades_of(row.trades)), trades);
        }
        assert_eq!(told(&rig.history, |query| query.order(account, OrderId(u64::MAX))), None);
        for client_id in (0..4).map(client_id) {
            let own = all
                .iter()
                .filter(|row| row.order.account == account && row.order.client_id == Some(client_id));
            let last_placed = own.max_by_key(|row| row.order.id);
            assert_eq!(
                told(&rig.history, |query| query.order_by_client_id(account, &client_id, EVER, Time(0)))
                    .as_ref(),
                last_placed
            );
            // Orders placed before a live order are not returned: the live one was placed later.
            for live in &all {
                let bounded = told(&rig.history, |query| {
                    query.order_by_client_id(account, &client_id, EVER, live.order.placed)
                });
                let later = |row: &&OrderRow| row.order.id > live.order.id;
                assert_eq!(bounded.as_ref().filter(later), last_placed.filter(later));
            }
        }
    }
}

fn contents(directory: &TempDir) -> Vec<Vec<u8>> {
    FILES.iter().map(|file| fs::read(directory.path().join(file)).unwrap()).collect()
}

/// The rows of events among others.
fn changes(rows: &[Row]) -> Vec<OrderEventRow> {
    let change = |row: &Row| {
        if let Row::OrderEvent(change) = row {
            Some(change.into())
        } else if let Row::Refused(event) = row {
            Some(event.into())
        } else {
            None
        }
    };
    rows.iter().filter_map(change).collect()
}

/// The index after a round trip through a checkpoint.
fn restored(index: &Index) -> Index {
    Index::decode(&index.encode(Vec::new()).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Every answer equals the model's, flushed or not, and never contains another account's rows. Proves ORD-070,
    /// ORD-072, ORD-074, ORD-076, ORD-080.
    #[test]
    fn account_queries_answer_as_the_model(
        steps in prop::collection::vec(step(), 0..250),
        after in 0_u64..60,
        rows in 1_usize..12,
        beyond in 0_usize..12,
    ) {
        let directory = tempdir().unwrap();
        let mut rig = Rig::new(directory.path());
        let begin = rig.time.millis();
        rig.run(&steps);
        compare_accounts(&rig, begin + after, Limit { rows, most: rows + beyond });
        compare_orders(&rig);
        let none = Limit { rows: 0, most: beyond };
        prop_assert!(told(&rig.history, |query| query.trades(ALICE, None, Some(0), none)).is_empty());
        prop_assert!(told(&rig.history, |query| query.orders(ALICE, None, Some(0), none, ALL)).is_empty());
    }

    /// Queries for the newest, from a time on, and after a trade equal the model. Proves MKT-020, MKT-021.
    #[test]
    fn public_queries_answer_as_the_model(
        steps in prop::collection::vec(step(), 0..250),
        after in 0_u64..60,
        trade in 0_u64..200,
        rows in 1_usize..12,
        beyond in 0_usize..12,
    ) {
        let directory = tempdir().unwrap();
        let mut rig = Rig::new(directory.path());
        let begin = rig.time.millis();
        rig.run(&steps);
        compare_public(&rig, begin + after, trade, Limit { rows, most: rows + beyond });
    }

    /// A history cut to a checkpoint and given the rest again equals the straight run byte for byte, and so does an
    /// index that never had a file.
    #[test]
    fn replay_equals_the_straight_run(
        steps in prop::collection::vec(step(), 1..200),
        cut in any::<prop::sample::Index>(),
    ) {
        let straight = tempdir().unwrap();
        let mut rig = Rig::new(straight.path());
        rig.run(&steps);
        rig.history.flush().unwrap();
        let cut = cut.index(rig.rows.len() + 1);
        let (before, after) = rig.rows.split_at(cut);

        let crashed = tempdir().unwrap();
        let mut history = History::open_with(crashed.path().into(), Index::new(KEY), TINY).unwrap();
        append_all(&mut history, before);
        history.flush().unwrap();
        history.sync().unwrap();
        let checkpoint = restored(history.index());
        // Later rows reach the file in part and are lost.
        append_all(&mut history, &after[..after.len() / 2]);
        history.flush().unwrap();
        drop(history);

        let mut history = History::open_with(crashed.path().into(), checkpoint, TINY).unwrap();
        append_all(&mut history, after);
        history.flush().unwrap();
        prop_assert!(history.index() == rig.history.index());
        prop_assert_eq!(contents(&crashed), contents(&straight));

        let mut alone = Index::new(KEY);
        let mut thrown_away = Vec::new();
        for row in &rig.rows {
            thrown_away.clear();
            match row {
                Row::Trade(row) => alone.push(row, &mut thrown_away),
                Row::Order(row) => alone.push(row, &mut thrown_away),
                Row::Public(row) => alone.push(row, &mut thrown_away),
                Row::Funding(row) => alone.push(row, &mut thrown_away),
                Row::Entry(row) => alone.push(row, &mut thrown_away),
                Row::Conversion(row) => alone.push(row, &mut thrown_away),
                Row::Clearing(row) => alone.push(row, &mut thrown_away),
                Row::Staking(row) => alone.push(row, &mut thrown_away),
                Row::Prediction(row) => alone.push(row, &mut thrown_away),
                Row::OrderEvent(change) => {
                    alone.push(&OrderEventRow::from(change), &mut thrown_away)
                }
                Row::Refused(event) => {
                    alone.push(&OrderEventRow::from(event), &mut thrown_away)
                }
            };
        }
        prop_assert!(&alone == history.index());
    }
}

/// A venue with many trades in few milliseconds, some of which alone overfill a page.
fn crowded(directory: &Path) -> Rig {
    let mut rig = Rig::new(directory);
    for (account, symbol) in [(0, 0), (0, 1), (1, 0)] {
        rig.step(Step::Place { account, symbol, client: None });
    }
    for round in 0..400 {
        rig.step(Step::Trade { order: round, qty: 1, fee: 1 });
        rig.step(Step::Wait(if round % 50 < 25 { 30 } else { 700 }));
    }
    rig
}

/// A venue where orders close in another order than they were placed, many in the same millisecond.
fn scattered(directory: &Path) -> Rig {
    let mut rig = Rig::new(directory);
    for round in 0..300_usize {
        rig.step(Step::Place { account: 0, symbol: u16::from(round % 3 == 0), client: None });
        rig.step(Step::Trade { order: round * 7, qty: 1, fee: 1 });
        if round % 3 > 0 {
            rig.step(Step::Close { order: round * 5, reason: None });
        }
        rig.step(Step::Wait(if round % 50 < 25 { 90 } else { 700 }));
    }
    rig
}

/// Paging from zero, then from the highest time plus one, reaches every trade exactly once and ends with an empty
/// page, even if many share a millisecond. Proves ORD-077.
#[test]
fn paging_reaches_every_trade_once() {
    let directory = tempdir().unwrap();
    let rig = crowded(directory.path());
    for (symbol, rows) in [(None, 1), (None, 7), (Some(BTCUSD), 3), (None, 500)] {
        let limit = Limit { rows, most: 500 };
        let mut reached: Vec<TradeRow> = Vec::new();
        let mut from = 0;
        loop {
            let page = told(&rig.history, |query| query.trades(ALICE, symbol, Some(from), limit));
            let Some(newest) = page.first() else { break };
            assert!(page.len() <= rows || page.iter().all(|row| row.millis() == newest.millis()));
            from = newest.millis() + 1;
            reached.extend(page.iter().rev());
        }
        assert_eq!(reached, rig.trades(ALICE, symbol));
    }
}

/// A millisecond with more rows than `most` is cut after its oldest ones. Proves ORD-075.
#[test]
fn no_page_is_longer_than_its_most() {
    let directory = tempdir().unwrap();
    let rig = crowded(directory.path());
    let all = rig.trades(ALICE, None);
    let first = all.iter().filter(|row| row.millis() == all[0].millis()).count();
    for (rows, most, expected) in [(1, 10, 10), (10, 10, 10), (1, first - 1, first - 1), (1, first, first)] {
        let page = told(&rig.history, |query| query.trades(ALICE, None, Some(0), Limit { rows, most }));
        assert_eq!(page, newest(&all[..expected], expected), "{rows} rows, {most} at most");
    }
}

/// Paging forward by time misses no trade and repeats none, even with small pages. Proves MKT-021.
#[test]
fn walking_by_time_misses_none() {
    let directory = tempdir().unwrap();
    let rig = crowded(directory.path());
    for rows in [1, 7, 500] {
        let mut reached = Vec::new();
        let mut from = 0;
        loop {
            let limit = Limit { rows, most: 500 };
            let page = told(&rig.history, |query| query.public_trades(BTCUSD, Since::FromTime(from), limit));
            let Some(newest) = page.first() else { break };
            from = newest.time.millis() + 1;
            reached.extend(page.iter().rev().copied());
        }
        assert_eq!(reached, rig.public(BTCUSD), "{rows} rows a page");
    }
}

/// Paging forward by trade id misses no trade, and no page exceeds the limit. Proves MKT-021.
#[test]
fn walking_by_trade_id_misses_none() {
    let directory = tempdir().unwrap();
    let rig = crowded(directory.path());
    let mut reached = Vec::new();
    let mut after = 0;
    loop {
        let page =
            told(&rig.history, |query| query.public_trades(BTCUSD, Since::AfterTrade(after), exactly(7)));
        let Some(newest) = page.first() else { break };
        assert!(page.len() <= 7);
        after = newest.trade.0;
        reached.extend(page.iter().rev().copied());
    }
    assert_eq!(reached, rig.public(BTCUSD));
}

/// Paging from zero, then from the highest time of placing plus one, reaches every closed order exactly once and ends
/// with an empty page, whatever the order of closing and the number of trades of a page. Proves ORD-073.
#[test]
fn paging_reaches_every_order_once() {
    let directory = tempdir().unwrap();
    let rig = scattered(directory.path());
    for (symbol, rows, most_trades) in
        [(None, 1, ALL), (None, 7, 60), (Some(BTCUSD), 3, ALL), (None, 500, 60), (None, 500, ALL)]
    {
        let limit = Limit { rows, most: 500 };
        let mut reached: Vec<PastOrder> = Vec::new();
        let mut from = 0;
        loop {
            let page =
                told(&rig.history, |query| query.orders(ALICE, symbol, Some(from), limit, most_trades));
            let Some(newest) = page.first() else { break };
            let trades: usize = page[..page.len() - 1].iter().map(|order| order.trades.len()).sum();
            assert!(trades <= most_trades, "{trades} trades");
            assert!(page.len() <= rows || page.iter().all(|row| row.millis() == newest.millis()));
            from = newest.millis() + 1;
            reached.extend(page.into_iter().rev());
        }
        assert!(reached == rig.past_orders(ALICE, symbol), "{rows} rows, {most_trades} trades");
    }
}

/// A page ends before the order with which it would have too many trades, but not before its first one.
#[test]
fn no_page_has_too_many_trades() {
    let directory = tempdir().unwrap();
    let mut rig = Rig::new(directory.path());
    for trades in [3, 2, 0, 4] {
        rig.step(Step::Place { account: 0, symbol: 0, client: None });
        (0..trades).for_each(|_| rig.step(Step::Trade { order: 0, qty: 1, fee: 1 }));
        rig.step(Step::Close { order: 0, reason: None });
        rig.step(Step::Wait(1_000));
    }
    let all = rig.past_orders(ALICE, None);
    for (most_trades, oldest, newest) in [(0, 1, 2), (3, 1, 2), (4, 1, 2), (5, 3, 2), (6, 3, 3), (9, 4, 4)] {
        let page =
            |from| told(&rig.history, |query| query.orders(ALICE, None, from, exactly(10), most_trades));
        let (from_zero, last) = (page(Some(0)), page(None));
        assert!(from_zero.iter().rev().eq(&all[..oldest]), "{most_trades} trades");
        assert!(last.iter().rev().eq(&all[all.len() - newest..]), "{most_trades} trades");
    }
}

/// A client id used by several orders finds the one placed last, even if another closed later. Proves ORD-068.
#[test]
fn a_shared_client_id_finds_the_order_placed_last() {
    let directory = tempdir().unwrap();
    let mut rig = Rig::new(directory.path());
    for _ in 0..2 {
        rig.step(Step::Place { account: 0, symbol: 0, client: Some(1) });
        rig.step(Step::Wait(5));
    }
    rig.step(Step::Close { order: 1, reason: None });
    rig.step(Step::Wait(5));
    rig.step(Step::Close { order: 0, reason: None });
    let found =
        told(&rig.history, |query| query.order_by_client_id(ALICE, &client_id(1), EVER, Time(0))).unwrap();
    assert_eq!(found.order.id, OrderId(2));
    let before = Time(found.closed.0 - 1);
    assert_eq!(
        told(&rig.history, |query| query.order_by_client_id(ALICE, &client_id(1), before, Time(0))),
        None
    );
    assert_eq!(told(&rig.history, |query| query.order_by_client_id(BOB, &client_id(1), EVER, Time(0))), None);
}

/// Orders whose ids share a hash bucket are distinguished.
#[test]
fn orders_of_one_bucket_are_told_apart() {
    let directory = tempdir().unwrap();
    let mut rig = Rig::new(directory.path());
    rig.step(Step::Place { account: 0, symbol: 0, client: Some(0) });
    rig.step(Step::Close { order: 0, reason: None });
    let [first] = rig.orders(ALICE, None)[..] else { panic!("one order closed") };

    let bucket_of = |order| bucket::of_order(OrderId(order));
    let twin =
        (2..10_000_000).find(|order| bucket_of(*order) == bucket_of(first.order.id.0)).map(OrderId).unwrap();
    assert_ne!(bucket_of(first.order.id.0), bucket_of(first.order.id.0 + 1));
    assert_ne!(bucket_of(first.order.id.0), bucket_of(first.order.id.0 + 256));
    let bucket_of = |name: &ClientId| bucket::of_client(KEY, ALICE, name);
    let mut names = (0..).map(|number: u32| ClientId::new(&number.to_string()).unwrap());
    let name = names.find(|name| bucket_of(name) == bucket_of(&first.order.client_id.unwrap())).unwrap();

    assert_eq!(told(&rig.history, |query| query.order(ALICE, twin)), None);
    assert_eq!(told(&rig.history, |query| query.order_by_client_id(ALICE, &name, EVER, Time(0))), None);
    let second = OrderRow { order: OrderState { id: twin, client_id: Some(name), ..first.order }, ..first };
    rig.history.push(&second);
    for row in [first, second] {
        assert_eq!(told(&rig.history, |query| query.order(ALICE, row.order.id)), Some(row));
        assert_eq!(
            told(&rig.history, |query| query.order_by_client_id(
                ALICE,
                &row.order.client_id.unwrap(),
                EVER,
                Time(0)
            )),
            Some(row)
        );
    }
}

/// The result of opening a history after `spoil` changed one of its files.
fn after_spoiling(file: &str, spoil: impl FnOnce(&mut Vec<u8>)) -> (TempDir, Result<History, Fault>) {
    let directory = tempdir().unwrap();
    let mut rig = crowded(directory.path());
    rig.step(Step::Close { order: 0, reason: None });
    rig.history.flush().unwrap();
    let index = rig.history.index().clone();
    drop(rig);
    let path = directory.path().join(file);
    let mut bytes = fs::read(&path).unwrap();
    spoil(&mut bytes);
    fs::write(&path, bytes).unwrap();
    let opened = History::open(directory.path(), index);
    (directory, opened)
}

/// A flipped bit anywhere in a row is an error of the query that reads the row.
#[test]
fn damage_gives_an_error() {
    for offset in 8..160 {
        let (_directory, history) = after_spoiling("trades.log", |bytes| bytes[offset] ^= 0x10);
        let history = history.unwrap();
        let answers = [
            Query::whole(&history).trades(ALICE, None, None, exactly(1_000)),
            Query::whole(&history).trades(BOB, None, Some(0), exactly(1_000)),
        ];
        assert!(answers.iter().any(|answer| matches!(answer, Err(Fault::Damaged { .. }))), "byte {offset}");
    }
    let (_directory, history) = after_spoiling("orders.log", |bytes| bytes[30] ^= 1);
    let history = history.unwrap();
    assert!(matches!(Query::whole(&history).order(ALICE, OrderId(1)), Err(Fault::Damaged { at: 8, .. })));
    assert!(matches!(
        Query::whole(&history).orders(ALICE, None, None, exactly(1), ALL),
        Err(Fault::Damaged { at: 8, .. })
    ));
}

/// A scan returns every row once, in the order in which they were appended; missing and short files give none.
#[test]
fn a_scan_returns_every_row() {
    let directory = tempdir().unwrap();
    let mut rig = crowded(directory.path());
    rig.step(Step::Close { order: 0, reason: None });
    rig.history.flush().unwrap();
    let lengths = rig.history.index().lengths();
    let folder = Folder::from(directory.path());
    let scan = Scan::open(&folder, lengths).unwrap().unwrap();
    let Scan { trades, orders, public, funding, entries, .. } = scan;
    let Scan { conversions, clearing, staking, predictions, order_events, .. } = scan;
    let of = |pick: fn(&Row) -> bool| rig.rows.iter().filter(|row| pick(row)).copied().collect::<Vec<Row>>();
    let scanned: Vec<Row> = trades.map(|row| Row::Trade(row.unwrap())).collect();
    assert_eq!(scanned, of(|row| matches!(row, Row::Trade(_))));
    let scanned: Vec<Row> = orders.map(|row| Row::Order(row.unwrap())).collect();
    assert_eq!(scanned, of(|row| matches!(row, Row::Order(_))));
    let scanned: Vec<Row> = public.map(|row| Row::Public(row.unwrap())).collect();
    assert_eq!(scanned, of(|row| matches!(row, Row::Public(_))));
    let scanned: Vec<Row> = funding.map(|row| Row::Funding(row.unwrap())).collect();
    assert_eq!(scanned, of(|row| matches!(row, Row::Funding(_))));
    let scanned: Vec<Row> = entries.map(|row| Row::Entry(row.unwrap())).collect();
    assert_eq!(scanned, of(|row| matches!(row, Row::Entry(_))));
    let scanned: Vec<Row> = conversions.map(|row| Row::Conversion(row.unwrap())).collect();
    assert_eq!(scanned, of(|row| matches!(row, Row::Conversion(_))));
    let scanned: Vec<Row> = clearing.map(|row| Row::Clearing(row.unwrap())).collect();
    assert_eq!(scanned, of(|row| matches!(row, Row::Clearing(_))));
    let scanned: Vec<Row> = staking.map(|row| Row::Staking(row.unwrap())).collect();
    assert_eq!(scanned, of(|row| matches!(row, Row::Staking(_))));
    let scanned: Vec<Row> = predictions.map(|row| Row::Prediction(row.unwrap())).collect();
    assert_eq!(scanned, of(|row| matches!(row, Row::Prediction(_))));
    assert_eq!(order_events.map(Result::unwrap).collect::<Vec<_>>(), changes(&rig.rows));
    fs::write(directory.path().join("orders.log"), b"BWorder1").unwrap();
    assert!(Scan::open(&folder, lengths).unwrap().is_none());
    fs::remove_file(directory.path().join("orders.log")).unwrap();
    assert!(Scan::open(&folder, lengths).unwrap().is_none());
}

/// The rows after any point are those that were appended then, whether they are in the files, in memory, or both.
#[test]
fn a_live_history_returns_the_rows_after_a_point() {
    let directory = tempdir().unwrap();
    let mut rig = Rig::new(directory.path());
    rig.step(Step::Place { account: 0, symbol: 0, client: None });
    let mut points = vec![(rig.history.index().lengths(), 0)];
    for round in 0..60 {
        rig.step(Step::Trade { order: round, qty: 1, fee: 1 });
        if round % 7 == 0 {
            rig.history.flush().unwrap();
        }
        points.push((rig.history.index().lengths(), rig.rows.len()));
    }
    for (from, count) in points {
        let scan = rig.history.after(from);
        let Scan { trades, orders, public, funding, entries, .. } = scan;
        let Scan { conversions, clearing, staking, predictions, order_events, .. } = scan;
        let expected = |pick: fn(&Row) -> bool| {
            rig.rows[count..].iter().filter(|row| pick(row)).copied().collect::<Vec<_>>()
        };
        let found: Vec<Row> = trades.map(|row| Row::Trade(row.unwrap())).collect();
        assert_eq!(found, expected(|row| matches!(row, Row::Trade(_))));
        let found: Vec<Row> = public.map(|row| Row::Public(row.unwrap())).collect();
        assert_eq!(found, expected(|row| matches!(row, Row::Public(_))));
        let found: Vec<Row> = funding.map(|row| Row::Funding(row.unwrap())).collect();
        assert_eq!(found, expected(|row| matches!(row, Row::Funding(_))));
        let found: Vec<Row> = entries.map(|row| Row::Entry(row.unwrap())).collect();
        assert_eq!(found, expected(|row| matches!(row, Row::Entry(_))));
        let found: Vec<Row> = conversions.map(|row| Row::Conversion(row.unwrap())).collect();
        assert_eq!(found, expected(|row| matches!(row, Row::Conversion(_))));
        let found: Vec<Row> = clearing.map(|row| Row::Clearing(row.unwrap())).collect();
        assert_eq!(found, expected(|row| matches!(row, Row::Clearing(_))));
        let found: Vec<Row> = staking.map(|row| Row::Staking(row.unwrap())).collect();
        assert_eq!(found, expected(|row| matches!(row, Row::Staking(_))));
        let found: Vec<Row> = predictions.map(|row| Row::Prediction(row.unwrap())).collect();
        assert_eq!(found, expected(|row| matches!(row, Row::Prediction(_))));
        assert_eq!(order_events.map(Result::unwrap).collect::<Vec<_>>(), changes(&rig.rows[count..]));
        assert_eq!(orders.count(), 0);
    }
}

/// A scan ends with an error at the first damaged row.
#[test]
fn a_scan_ends_at_damage() {
    let directory = tempdir().unwrap();
    let mut rig = crowded(directory.path());
    rig.history.flush().unwrap();
    let path = directory.path().join("public.log");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let scan = Scan::open(&Folder::from(directory.path()), rig.history.index().lengths()).unwrap().unwrap();
    let rows: Vec<_> = scan.public.collect();
    let (last, whole) = rows.split_last().unwrap();
    assert!(matches!(last, Err(Fault::Damaged { .. })) && !whole.is_empty());
    assert!(whole.iter().all(Result::is_ok));
}

/// A position that is no row of the file is an error too.
#[test]
fn a_strange_position_gives_an_error() {
    let (_directory, history) = after_spoiling("trades.log", |_| {});
    let history = history.unwrap();
    for at in [1, 9, 1 << 20, u64::MAX] {
        assert!(
            matches!(Query::whole(&history).trades_of(Position::new(at)), Err(Fault::Damaged { .. })),
            "{at}"
        );
    }
}

/// Files that do not match the index are refused; rows after its end are cut off.
#[test]
fn opens_only_what_the_index_knows() {
    for file in FILES {
        let (_directory, history) = after_spoiling(file, |bytes| bytes.truncate(bytes.len() - 1));
        assert!(matches!(history, Err(Fault::Short { .. })));
        let (_directory, history) = after_spoiling(file, |bytes| bytes[0] ^= 1);
        assert!(matches!(history, Err(Fault::Foreign { .. })));
        let (directory, history) = after_spoiling(file, |bytes| bytes.extend_from_slice(b"torn"));
        let lengths = history.unwrap().index().lengths();
        let held = FILES.map(|file| fs::metadata(directory.path().join(file)).unwrap().len());
        let Lengths { trades, orders, public, funding, entries, .. } = lengths;
        let Lengths { conversions, clearing, staking, predictions, order_events, .. } = lengths;
        let first = [trades, orders, public, funding, entries];
        let rest = [conversions, clearing, staking, predictions, order_events];
        assert_eq!(held[..], [first, rest].concat());
    }
}

/// With an empty index the history starts empty, even if the directory holds files.
#[test]
fn an_empty_index_begins_anew() {
    let (directory, history) = after_spoiling("trades.log", |_| {});
    drop(history);
    let history = History::open(directory.path(), Index::new(KEY)).unwrap();
    assert!(told(&history, |query| query.trades(ALICE, None, None, exactly(10))).is_empty());
    assert!(contents(&directory).iter().all(|bytes| bytes.len() == 8));
}

/// A disk whose next syncs fail, this many times.
#[derive(Debug)]
struct Failing(AtomicU32);

impl Warden for Failing {
    fn around(&self, _: &Path, call: Call<'_>, act: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
        let fewer = |left: u32| left.checked_sub(1);
        if call == Call::Sync && self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer).is_ok() {
            return Err(io::Error::other("the disk has failed"));
        }
        act()
    }
}

/// A failed write of an earlier process is reported once, when the files are opened. It does not affect this process,
/// whose writes can be made durable. A disk that still fails is an error at once.
#[test]
fn a_failure_of_an_earlier_life_is_told_at_the_opening() {
    for (failures, opens) in [(1, true), (2, false)] {
        let place = tempdir().unwrap();
        let folder = Folder::new(Arc::new(Watched::by(Failing(AtomicU32::new(failures)))), place.path());
        match History::open(folder, Index::new(KEY)) {
            Ok(history) => assert!(opens && history.sync().is_ok()),
            Err(fault) => assert!(!opens && matches!(fault, Fault::Io { action: "cut", .. }), "{fault}"),
        }
    }
}

/// The trades of an order with very many are not all read from memory in one look, but in several short looks.
#[test]
fn very_many_trades_are_not_told_at_one_look() {
    let directory = tempdir().unwrap();
    let mut history = History::open(directory.path(), Index::new(KEY)).unwrap();
    let mut newest = None;
    let mut trade = |history: &mut History, number| {
        newest = Some(history.push(&rig::trade_of_order(number, newest)));
        newest
    };
    let count = u64::try_from(NEAR_MAX).unwrap();
    let many = (1..=count).fold(None, |_, number| trade(&mut history, number));
    assert_eq!(Query::near(&history).trades_of(many).unwrap().len(), NEAR_MAX);
    let more = trade(&mut history, count + 1);
    assert!(matches!(Query::near(&history).trades_of(more), Err(Fault::Away)));
    assert_eq!(told(&history, |query| query.trades_of(more)).len(), NEAR_MAX + 1);
}
