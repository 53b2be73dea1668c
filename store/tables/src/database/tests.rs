//! The tables against sums over all rows, in whatever steps they come; and what an opening makes of a file.

use super::*;
use crate::{
    Amount, Between, ClearingOrder, ClearingPart as Place, Hours, PaidRedemption, Pair, Payment, RatePeriod,
    StakingPage, StakingTransaction, TransactionKind, WantedClearing,
};
use buttonwood_model::{
    AccountId, Claim, CurrencyId, OrderId, Product, Side, SymbolId, SymbolStatus, Time, TradeId,
};
use buttonwood_num::{Decimal, Grid, Money, Price, Qty};
use buttonwood_views::Bars;
use buttonwood_views::history::{
    ClearingEnd, ClearingRow, FundingRow, Part, PublicTrade, StakingKind, StakingRow, TradeRow,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tempfile::{TempDir, tempdir};

const ORIGIN: &str = "0badcafe files-1";

fn symbols() -> Vec<Symbol> {
    let decimal = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
    let symbol = |name: &str, tick, lot| {
        let grid = Grid::new(decimal(tick), decimal(lot)).unwrap();
        Symbol {
            name: name.to_owned(),
            base: CurrencyId(0),
            quote: CurrencyId(1),
            qty_min: Qty::from_hundredths(100),
            grid,
            product: Product::Spot,
            status: SymbolStatus::Open,
            wrap_enabled: false,
            closed_to: Vec::new(),
        }
    };
    vec![symbol("btcusd", "0.01", "0.00000001"), symbol("batusd", "0.0005", "5")]
}

/// A trade as both rows that the history has of it for one account.
fn rows_of(
    number: u64,
    (seconds, symbol, account, ticks, hundredths): (u64, u32, u32, u64, u64),
) -> [Row; 2] {
    let (symbol, time, trade) =
        (SymbolId(symbol), Time(1_700_000_000_000_000 + seconds * Time::SECOND), TradeId(number));
    let (price, qty) = (Price::from_ticks(ticks), Qty::from_hundredths(hundredths.into()));
    let side = if ticks.is_multiple_of(2) { Side::Buy } else { Side::Sell };
    let off_book = Part::OffBook(Money::from_units(ticks.into()));
    let parts = [Part::Maker, Part::Taker, Part::Auction, off_book, Part::Clearing];
    let part = parts[usize::try_from(ticks % 5).unwrap()];
    let public = PublicTrade { symbol, trade, time, price, qty, taker: Some(side) };
    let own = TradeRow {
        account: AccountId(account),
        symbol,
        order: OrderId(number),
        trade,
        time,
        claim: Claim::Yes,
        side,
        part,
        price,
        qty,
        fee: Money::ZERO,
        client_id: None,
        of_order: None,
        settled: None,
        counted: None,
    };
    [Row::Public(public), Row::Trade(own)]
}

fn reached(seq: u64) -> Reached {
    Reached { seq, lengths: Lengths { public: 8 + seq, ..Lengths::empty() }, void: 0 }
}

fn step(database: &mut Database, rows: &[Row], seq: u64) {
    database.update(&symbols(), rows.iter().copied().map(Ok::<_, Fault>), reached(seq)).unwrap();
}

fn opened(directory: &TempDir) -> (Database, Opened) {
    Database::open(directory.path(), ORIGIN).unwrap()
}

/// Every value of a table as text, by row.
fn dump(database: &Database, table: &str) -> Vec<Vec<String>> {
    let sql = format!("SELECT * FROM {table} ORDER BY 1, 2, 3");
    let mut statement = database.connection.prepare(&sql).unwrap();
    let columns = statement.column_count();
    let shown = |value: Value| match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text,
        other @ (Value::Null | Value::Real(_) | Value::Blob(_)) => panic!("{other:?}"),
    };
    let row =
        |row: &rusqlite::Row<'_>| Ok((0..columns).map(|column| shown(row.get(column).unwrap())).collect());
    statement.query_map((), row).unwrap().map(Result::unwrap).collect()
}

/// The closed candles and those in progress of a pass over the trades.
fn candles_of(rows: &[Row]) -> Vec<Vec<String>> {
    let (symbols, mut bars, mut all) = (symbols(), Bars::default(), Vec::new());
    for row in rows {
        let Row::Public(row) = row else { continue };
        bars.trade(row.symbol, row.time, row.price, row.qty, |frame, candle, _| {
            all.push((row.symbol, frame, candle));
        });
    }
    all.extend(bars.in_progress());
    let shown = |(symbol, frame, candle): &(SymbolId, buttonwood_views::Frame, buttonwood_views::Candle)| {
        let Symbol { name, grid, .. } = &symbols[symbol.index()];
        let price = |price| crate::decimal::text(|out| grid.push_price(out, price));
        let [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map(price);
        let volume = crate::decimal::text(|out| grid.push_qty(out, candle.volume));
        let numbers = [frame.minutes, candle.start.millis()];
        (name.clone(), numbers, vec![open, high, low, close, volume])
    };
    let mut all: Vec<_> = all.iter().map(shown).collect();
    all.sort();
    let row = |(name, numbers, texts): (String, [u64; 2], Vec<String>)| {
        [vec![name], numbers.map(|number| number.to_string()).to_vec(), texts].concat()
    };
    all.into_iter().map(row).collect()
}

/// Trades, base and notional by side and role.
type Sums = [(u64, u128, i128); 4];

/// Trades, base and notional of every account, symbol, day and column of the table.
fn volumes_of(rows: &[Row]) -> Vec<Vec<String>> {
    let symbols = symbols();
    let mut sums: BTreeMap<(u32, &str, u64), Sums> = BTreeMap::new();
    for row in rows {
        let Row::Trade(row) = row else { continue };
        if let Part::OffBook(_) | Part::Clearing = row.part {
            continue;
        }
        let symbol = &symbols[row.symbol.index()];
        let day = row.time.millis() / 86_400_000 * 86_400_000;
        let place = usize::from(row.side == Side::Sell) + 2 * usize::from(row.part == Part::Taker);
        let sum = &mut sums.entry((row.account.0, &symbol.name, day)).or_default()[place];
        sum.0 += 1;
        sum.1 += row.qty.hundredths();
        sum.2 += symbol.grid.notional(row.price, row.qty).unwrap().units();
    }
    let row = |((account, name, day), sums): ((u32, &str, u64), Sums)| {
        let grid = &symbols.iter().find(|symbol| symbol.name == name).unwrap().grid;
        let figures = sums.iter().flat_map(|(count, base, notional)| {
            let base = crate::decimal::text(|out| grid.push_qty(out, Qty::from_hundredths(*base)));
            let notional = crate::decimal::text(|out| {
                Money::from_units(*notional).push_floored(out, buttonwood_num::MONEY_DECIMALS);
            });
            [base, notional, count.to_string()]
        });
        [account.to_string(), name.to_owned(), day.to_string()].into_iter().chain(figures).collect()
    };
    sums.into_iter().map(row).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// In whatever steps the rows come, with or without a new opening between them, the tables hold what all rows sum to.
    #[test]
    fn tables_are_the_sums_of_all_rows(
        trades in prop::collection::vec(
            (prop_oneof![0..30_u64, 0..4_000_u64, 0..200_000_u64], 0..2_u32, 0..3_u32, 1..9_u64, 1..500_u64), 1..60),
        steps in prop::collection::vec(1..20_usize, 1..9),
        reopens in any::<bool>(),
    ) {
        let mut time = 0;
        let rows: Vec<Row> = trades.into_iter().zip(1..).flat_map(|((wait, symbol, account, ticks, hundredths), number)| {
            time += wait;
            rows_of(number, (time, symbol, account, ticks, hundredths))
        }).collect();
        let directory = tempdir().unwrap();
        let (mut database, _) = opened(&directory);
        let (mut rest, mut seq) = (rows.as_slice(), 0);
        for size in steps.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*size));
            seq += 1;
            step(&mut database, now, seq);
            rest = later;
            if reopens {
                drop(database);
                let (again, found) = opened(&directory);
                prop_assert_eq!((again.reached(), found), (reached(seq), Opened::Continued));
                database = again;
            }
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(dump(&database, "candles"), candles_of(&rows));
        prop_assert_eq!(dump(&database, "daily_volumes"), volumes_of(&rows));
        let mut whole = Database::temporary().unwrap();
        step(&mut whole, &rows, 1);
        prop_assert_eq!(database.difference(&whole).unwrap(), None);
        step(&mut whole, &rows_of(1_000, (time, 0, 0, 1, 1))[..1], 2);
        prop_assert_eq!(database.difference(&whole).unwrap(), Some("candles"));
    }
}

fn some_rows() -> Vec<Row> {
    (1..5).flat_map(|number| rows_of(number, (number * 50, 0, 1, number, 7))).collect()
}

/// A step that fails at one of its rows changes nothing, and the next one goes on.
#[test]
fn a_failed_step_changes_nothing() {
    let directory = tempdir().unwrap();
    let (mut database, found) = opened(&directory);
    assert_eq!((found, database.reached().seq), (Opened::New, 0));
    let rows = some_rows();
    step(&mut database, &rows[..4], 1);
    let failing = rows.iter().copied().map(Ok).chain([Err(Fault::Row { table: "none" })]);
    assert!(matches!(database.update(&symbols(), failing, reached(2)), Err(Fault::Row { table: "none" })));
    assert_eq!(database.reached(), reached(1));
    assert_eq!(dump(&database, "candles"), candles_of(&rows[..4]));
    step(&mut database, &rows[4..], 2);
    assert_eq!(dump(&database, "candles"), candles_of(&rows));
}

/// Damages a database.
type Spoil = fn(&Path);

/// A database of another origin or version, a damaged one, and a file that is none are removed; an empty one takes their
/// place.
#[test]
fn what_does_not_fit_is_built_again() {
    let spoils: [(Opened, Spoil); 4] = [
        (Opened::Damaged, |path| {
            fs::write(path, "no database, although it is long enough for a header of one".repeat(9)).unwrap();
        }),
        (Opened::Damaged, |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes[4_096..].fill(0xee);
            fs::write(path, bytes).unwrap();
        }),
        (Opened::Foreign, |path| {
            Connection::open(path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
        }),
        (Opened::Foreign, |path| {
            Connection::open(path).unwrap().execute("UPDATE progress SET origin = 'other'", ()).unwrap();
        }),
    ];
    for (expected, spoil) in spoils {
        let directory = tempdir().unwrap();
        let (mut database, _) = opened(&directory);
        step(&mut database, &some_rows(), 1);
        drop(database);
        spoil(&directory.path().join(FILE));
        let (mut database, found) = opened(&directory);
        assert_eq!((found, database.reached().seq), (expected, 0));
        assert!(dump(&database, "candles").is_empty());
        step(&mut database, &some_rows(), 1);
        assert_eq!(dump(&database, "candles"), candles_of(&some_rows()));
    }
}

/// A database that another program has locked refuses for now, and reads go on beside a writer.
#[test]
fn a_locked_database_is_refused_for_now() {
    let directory = tempdir().unwrap();
    let (mut database, _) = opened(&directory);
    step(&mut database, &some_rows(), 1);
    let other = Connection::open(directory.path().join(FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = database.update(&symbols(), std::iter::empty::<Result<Row, Fault>>(), reached(2));
    assert!(refused.is_err_and(|fault| !fault.is_damage()));
    let read = Database::read(directory.path(), ORIGIN).unwrap().unwrap();
    assert_eq!((read.reached(), read.difference(&database).unwrap()), (reached(1), None));
    assert_eq!(
        read.sizes().unwrap().iter().map(|size| size.table).collect::<Vec<_>>(),
        [
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
            "contract_sales"
        ]
    );
    assert!(read.sizes().unwrap()[..2].iter().all(|size| size.rows > 0) && read.bytes().unwrap() > 0);
    other.execute_batch("ROLLBACK").unwrap();
    step(&mut database, &[], 2);
    assert_eq!(database.reached(), reached(2));
    assert!(Database::read(directory.path(), "other").unwrap().is_none());
}

/// Amounts and payments of this many hours: one account receives what the other one pays, in both symbols.
fn funding(hours: u64) -> Vec<Row> {
    let row = |hour: u64, symbol: u32, account: Option<u32>, amount: i128| {
        let hour = Time(hour * 3_600 * Time::SECOND);
        let amount = Money::from_units(amount);
        Row::Funding(FundingRow { account: account.map(AccountId), symbol: SymbolId(symbol), hour, amount })
    };
    let of = |hour: u64| {
        let amount = i128::from(hour) * 500_000_000_000_000_000;
        [0, 1].into_iter().flat_map(move |symbol| {
            [(None, amount), (Some(1), 2 * amount), (Some(2), -2 * amount)]
                .map(|(account, amount)| row(hour, symbol, account, amount))
        })
    };
    (1..=hours).flat_map(of).collect()
}

/// Payments and amounts are found by account or symbol and by hours, newest first, whatever steps they came in.
#[test]
fn funding_is_found_newest_first() {
    let directory = tempdir().unwrap();
    let (mut database, _) = opened(&directory);
    let rows = funding(5);
    for (rows, seq) in rows.chunks(4).zip(1..) {
        step(&mut database, rows, seq);
    }
    let mut whole = Database::temporary().unwrap();
    step(&mut whole, &rows, 1);
    assert_eq!(database.difference(&whole).unwrap(), None);
    let hour = |hour: u64| hour * 3_600_000;
    let hours = |from: u64, to: u64, rows| Hours { from: hour(from), to: hour(to), rows };
    let paid = |account, hours| {
        let found: Vec<Payment> = database.funding_payments(AccountId(account), hours).unwrap();
        let shown = |row: Payment| (row.time.millis() / hour(1), row.symbol, row.is_credit, row.amount);
        found.into_iter().map(shown).collect::<Vec<_>>()
    };
    let row =
        |hour, symbol: &str, is_credit, amount: &str| (hour, symbol.to_owned(), is_credit, amount.to_owned());
    assert_eq!(
        paid(1, hours(2, 3, 100)),
        [
            row(3, "batusd", false, "0.3"),
            row(3, "btcusd", false, "0.3"),
            row(2, "batusd", false, "0.2"),
            row(2, "btcusd", false, "0.2"),
        ]
    );
    assert_eq!(paid(2, hours(0, 9, 1)), [row(5, "batusd", true, "0.5")]);
    assert_eq!(
        (paid(3, hours(0, 9, 9)), paid(2, hours(3, 2, 9)), paid(2, hours(0, 9, 0))),
        (vec![], vec![], vec![])
    );
    let last = Amount { time: Time(5 * 3_600 * Time::SECOND), amount: "0.25".to_owned() };
    assert_eq!(database.funding_amounts("btcusd", hours(0, 9, 1)).unwrap(), [last]);
    let all = Hours { from: 0, to: u64::MAX, rows: usize::MAX };
    assert_eq!(database.funding_amounts("btcusd", all).unwrap().len(), 5);
    assert!(database.funding_amounts("none", all).unwrap().is_empty());
}

/// A closed clearing order between accounts 1 and 2, every third one a broker's, which is account 3.
fn clearing(number: u64) -> Row {
    let minute = |number| Time(number * 60 * Time::SECOND);
    let ends = [ClearingEnd::Settled, ClearingEnd::Expired, ClearingEnd::Cancelled];
    let (source, target) = if number.is_multiple_of(2) { (1, 2) } else { (2, 1) };
    Row::Clearing(ClearingRow {
        number,
        symbol: SymbolId(u32::from(number > 3)),
        side: Side::Buy,
        price: Price::from_ticks(number * 100),
        qty: Qty::from_hundredths(500),
        end: ends[usize::try_from(number % 3).unwrap()],
        is_confirmed: number.is_multiple_of(3),
        source: AccountId(source),
        source_order: OrderId(10 * number),
        target: Some(AccountId(target)),
        target_order: number.is_multiple_of(3).then_some(OrderId(10 * number + 1)),
        broker: number.is_multiple_of(3).then_some(AccountId(3)),
        submitted: minute(number),
        expires: minute(60 * number),
        changed: minute(100 - number),
    })
}

/// Closed clearing orders are found by account and by every condition, newest first, whatever steps they came in.
#[test]
fn clearing_orders_are_found_newest_first() {
    let directory = tempdir().unwrap();
    let (mut database, _) = opened(&directory);
    let rows: Vec<Row> = (1..=6).map(clearing).collect();
    for (rows, seq) in rows.chunks(4).zip(1..) {
        step(&mut database, rows, seq);
    }
    let mut whole = Database::temporary().unwrap();
    step(&mut whole, &rows, 1);
    assert_eq!(database.difference(&whole).unwrap(), None);
    let found = |account, wanted: WantedClearing| {
        let wanted = WantedClearing { rows: if wanted.rows == 0 { 9 } else { wanted.rows }, ..wanted };
        let found = database.clearing_orders(AccountId(account), &wanted).unwrap();
        // Open orders are chosen by the same conditions.
        let every = WantedClearing { rows: 9, ..WantedClearing::default() };
        let mut kept = database.clearing_orders(AccountId(account), &every).unwrap();
        kept.retain(|order| wanted.takes(order));
        kept.truncate(wanted.rows);
        assert_eq!(kept, found, "{wanted:?}");
        found.iter().map(|row| row.number).collect::<Vec<_>>()
    };
    let all = WantedClearing::default();
    assert_eq!((found(1, all.clone()), found(4, all.clone())), (vec![6, 5, 4, 3, 2, 1], vec![]));
    assert_eq!(found(3, WantedClearing { is_broker: Some(true), ..all.clone() }), [6, 3]);
    assert_eq!(found(1, WantedClearing { is_broker: Some(true), ..all.clone() }), []);
    assert_eq!(found(1, WantedClearing { is_broker: Some(false), rows: 2, ..all.clone() }), [6, 5]);
    assert_eq!(found(1, WantedClearing { symbol: Some("btcusd".to_owned()), ..all.clone() }), [3, 2, 1]);
    assert_eq!(found(1, WantedClearing { side: Some("buy"), ..all.clone() }), [6, 4, 2]);
    assert_eq!(found(1, WantedClearing { side: Some("sell"), ..all.clone() }), [5, 3, 1]);
    assert_eq!(found(1, WantedClearing { status: Some("Canceled".to_owned()), ..all.clone() }), [5, 2]);
    assert_eq!(found(1, WantedClearing { other: Some(AccountId(2)), ..all.clone() }).len(), 6);
    assert_eq!(found(1, WantedClearing { other: Some(AccountId(3)), ..all.clone() }), []);
    assert_eq!(found(1, WantedClearing { after: Some(4 * 60_000), ..all.clone() }), [6, 5]);
    assert_eq!(found(1, WantedClearing { submitted: Some((120_000, 240_000)), ..all.clone() }), [4, 3, 2]);
    assert_eq!(found(1, WantedClearing { submitted: Some((240_000, u64::MAX)), ..all.clone() }), [6, 5, 4]);
    assert_eq!(found(1, WantedClearing { expires: Some((0, 3_600_000)), ..all.clone() }), [1]);
    assert_eq!(found(1, WantedClearing { changed_from: Some(98 * 60 * Time::SECOND), ..all }), [2, 1]);
    let one = |account, number| database.clearing_order(AccountId(account), number).unwrap();
    let expected = ClearingOrder {
        number: 3,
        part: Place::Target,
        symbol: "btcusd".to_owned(),
        source_buys: true,
        price: "3.00".to_owned(),
        quantity: "0.00000005".to_owned(),
        status: "Settled".to_owned(),
        is_confirmed: true,
        source: AccountId(2),
        source_order: OrderId(30),
        target: Some(AccountId(1)),
        target_order: Some(OrderId(31)),
        broker: Some(AccountId(3)),
        submitted: Time(180 * Time::SECOND),
        expires: Time(180 * 60 * Time::SECOND),
        changed: Time(97 * 60 * Time::SECOND),
    };
    assert_eq!(one(1, 3), Some(expected));
    assert_eq!((one(4, 3), one(1, 9)), (None, None));
    assert_eq!(
        database.any_clearing_order(3).unwrap().map(|row| (row.part, row.source)),
        Some((Place::Source, AccountId(2)))
    );
    assert_eq!(database.any_clearing_order(9).unwrap(), None);
    assert_eq!(one(3, 6).map(|row| row.part), Some(Place::Broker));
}

/// A transaction of account 1: `pair` 0 to 2 of two providers and two currencies.
fn staked(number: u64, millis: u64, pair: u8, kind: StakingKind) -> Row {
    Row::Staking(StakingRow {
        account: AccountId(1),
        provider: [1 + pair / 2; 16],
        currency: CurrencyId(u16::from(pair % 2)),
        number,
        amount: Money::from_units(i128::from(number)),
        time: Time(millis * 1_000 + 7),
        kind,
    })
}

fn pair(number: u8) -> Pair {
    Pair { provider: [1 + number / 2; 16], currency: CurrencyId(u16::from(number % 2)) }
}

const EVER: Between = Between { from: i64::MIN, until: i64::MAX };

/// Pages by time reach every transaction once, also those that share a millisecond; filters and directions fit.
#[test]
fn transactions_of_staking_are_paged() {
    let directory = tempdir().unwrap();
    let (mut database, _) = opened(&directory);
    let interest = StakingKind::Interest { rate: 365, price: Money::from_units(20) };
    let rows: Vec<Row> = (1..=40_u64)
        .map(|number| {
            let kind = [StakingKind::Deposit, StakingKind::Redeem, interest];
            let kind = kind[usize::try_from(number % 3).unwrap()];
            staked(number, 1_000 + number / 4, u8::try_from(number % 3).unwrap(), kind)
        })
        .collect();
    for (rows, seq) in rows.chunks(7).zip(1..) {
        step(&mut database, rows, seq);
    }
    let mut whole = Database::temporary().unwrap();
    step(&mut whole, &rows, 1);
    assert_eq!(database.difference(&whole).unwrap(), None);
    let page = |wanted: &StakingPage| database.staking_transactions(AccountId(1), wanted).unwrap();
    let numbers = |rows: &[StakingTransaction]| rows.iter().map(|row| row.number).collect::<Vec<_>>();
    let all = StakingPage {
        between: EVER,
        pairs: None,
        interest_only: false,
        is_ascending: false,
        rows: 500,
        most: 500,
    };
    assert_eq!(numbers(&page(&all)), (1..=40).rev().collect::<Vec<_>>());
    let pairs = (0..3).map(pair).collect::<Vec<_>>();
    assert_eq!(page(&StakingPage { pairs: Some(pairs.clone()), ..all.clone() }), page(&all));
    for rows in [1, 3, 4, 5, 9] {
        let (mut reached, mut until) = (Vec::new(), i64::MAX);
        loop {
            let found = page(&StakingPage { between: Between { until, ..EVER }, rows, ..all.clone() });
            let Some(last) = found.last() else { break };
            until = last.millis.cast_signed() - 1;
            reached.extend(numbers(&found));
        }
        assert_eq!(reached, (1..=40).rev().collect::<Vec<_>>(), "pages of {rows}");
    }
    let oldest = page(&StakingPage { is_ascending: true, rows: 5, ..all.clone() });
    assert_eq!(numbers(&oldest), [1, 2, 3], "the next millisecond has four");
    let wanted = StakingPage { interest_only: true, pairs: Some(pairs), rows: 3, ..all.clone() };
    assert_eq!(numbers(&page(&wanted)), [38, 35, 32]);
    assert_eq!(page(&wanted)[0].price.as_deref(), Some("0.000000000000000002"));
    let wanted = StakingPage { pairs: Some(vec![pair(1)]), is_ascending: true, rows: 3, ..all.clone() };
    assert_eq!(numbers(&page(&wanted)), [1, 4, 7]);
    assert!(page(&wanted).iter().all(|row| row.kind == TransactionKind::Redeem && row.price.is_none()));
    assert!(page(&StakingPage { pairs: Some(Vec::new()), ..all.clone() }).is_empty());
    let between = Between { from: 1_010, until: 1_010 };
    assert_eq!(numbers(&page(&StakingPage { between, ..all.clone() })), [40]);
    assert!(page(&StakingPage { between: Between { from: 2, until: 1 }, ..all }).is_empty());
    assert!(database.staking_transactions(AccountId(2), &wanted).unwrap().is_empty());
}

/// A run ends where the rate changes, also where it changes back; accruals beyond the range do not count.
#[test]
fn periods_are_runs_of_one_rate() {
    let directory = tempdir().unwrap();
    let (mut database, _) = opened(&directory);
    let rates = [365, 365, 730, 365, 365, 365];
    let rows: Vec<Row> = (1..)
        .zip(rates)
        .map(|(day, rate)| staked(day, day * 10, 0, StakingKind::Interest { rate, price: Money::ZERO }))
        .chain([
            staked(7, 35, 0, StakingKind::Deposit),
            staked(8, 40, 1, StakingKind::Interest { rate: 1, price: Money::ZERO }),
        ])
        .collect();
    step(&mut database, &rows, 1);
    let periods = |between, pairs: &[u8]| {
        let pairs: Vec<Pair> = pairs.iter().copied().map(pair).collect();
        let found = database.staking_periods(AccountId(1), between, &pairs).unwrap();
        let shown = |run: &RatePeriod| (run.rate, run.accruals, run.total.units(), run.first, run.last);
        found.iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(periods(EVER, &[0]), [(365, 2, 3, 10, 20), (730, 1, 3, 30, 30), (365, 3, 15, 40, 60)]);
    assert_eq!(
        periods(Between { from: 20, until: 59 }, &[0, 1]),
        [(365, 1, 2, 20, 20), (730, 1, 3, 30, 30), (365, 2, 9, 40, 50), (1, 1, 8, 40, 40),]
    );
    assert!(periods(EVER, &[2]).is_empty());
}

/// Paid redemptions are found by their requests, newest first, and by their number.
#[test]
fn paid_redemptions_are_found() {
    let directory = tempdir().unwrap();
    let (mut database, _) = opened(&directory);
    let paid =
        |number, millis| staked(number, millis, 0, StakingKind::Paid { requested: Time(number * 1_000) });
    step(&mut database, &[staked(1, 1, 0, StakingKind::Redeem), paid(3, 8), paid(1, 9), paid(2, 9)], 1);
    let found = database.paid_redemptions(AccountId(1), 2).unwrap();
    assert_eq!(found.iter().map(|row| row.number).collect::<Vec<_>>(), [3, 2]);
    let expected = PaidRedemption {
        number: 1,
        pair: pair(0),
        amount: "0.0000000000000000001".to_owned(),
        requested: 1,
        paid: 9,
    };
    assert_eq!(database.paid_redemption(AccountId(1), 1).unwrap(), Some(expected));
    assert_eq!(database.paid_redemption(AccountId(2), 1).unwrap(), None);
}
