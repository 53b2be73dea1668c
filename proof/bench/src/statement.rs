//! Benchmark 15: the newest 50 lines of a statement among a million rows, against the newest 50 trades.

use std::hint::black_box;
use std::time::Instant;

use buttonwood_engine::{About, Cause};
use buttonwood_model::{Claim, CurrencyId, OrderId, Side, SymbolId, Time, TradeId};
use buttonwood_num::{Money, Price, Qty};
use buttonwood_views::history::{
    EntriesFrom, EntryRow, History, Index, Limit, Lines, Part, Query, Settled, TradeRow,
};

use crate::exchange::{Exchange, customer};
use crate::figures::Spread;
use crate::report::{Goal, Report, Row};
use crate::{Settings, say};

/// Rows of a page.
const PAGE: Limit = Limit { rows: 50, most: 50 };
/// One row in this many is an entry.
const ENTRY_EVERY: u64 = 10;

pub(crate) fn measure(settings: &Settings, goal: Goal, report: &mut Report) {
    let exchange = Exchange::new(1);
    let rows = if settings.quick { 50_000 } else { 1_000_000 };
    say("filling a history");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut history = History::open(folder.path(), Index::new(1)).expect("a history opens");
    (0..rows).for_each(|number| push(&mut history, number));
    history.flush().expect("the disk takes the rows");
    let account = customer(0);
    let query = || Query::whole(&history);
    let statement =
        || Lines::of(&exchange.state, &history, account, None).page(query(), EntriesFrom::Newest, PAGE);
    assert_eq!(statement().expect("the rows are whole").len(), PAGE.rows);
    let calls = if settings.quick { 200 } else { 20_000 };
    let pair = |_| {
        let lines = seconds(calls, || drop(black_box(statement())));
        let trades = seconds(calls, || drop(black_box(query().trades(account, None, None, PAGE))));
        lines / trades
    };
    let spread = Spread::of((0..settings.pairs).map(pair));
    let detail = format!("{rows} rows of one account, one in {ENTRY_EVERY} an entry");
    report.add(Row { number: 15, what: "statement", goal, spread, detail });
}

fn seconds(calls: u32, call: impl Fn()) -> f64 {
    let start = Instant::now();
    (0..calls).for_each(|_| call());
    start.elapsed().as_secs_f64()
}

fn push(history: &mut History, number: u64) {
    let (account, time, amount) = (customer(0), Time(1_700_000_000_000_000 + number), Money::from_units(7));
    if number.is_multiple_of(ENTRY_EVERY) {
        let (currency, cause, about) = (CurrencyId(0), Cause::Deposit, About::Transfer(number));
        history.push(&EntryRow { account, currency, time, amount, balance: amount, cause, about });
        return;
    }
    history.push(&TradeRow {
        account,
        symbol: SymbolId(0),
        order: OrderId(number),
        trade: TradeId(number),
        time,
        claim: Claim::Yes,
        side: Side::Buy,
        part: Part::Taker,
        price: Price::from_ticks(700),
        qty: Qty::from_hundredths(100_000),
        fee: amount,
        client_id: None,
        of_order: None,
        settled: Some(Settled { base: amount, quote: amount }),
        counted: None,
    });
}
