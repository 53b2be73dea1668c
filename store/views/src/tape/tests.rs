//! Compares the tape and the history with figures of single trades.

use super::*;
use crate::history::{History, Index, PublicTrade, Query};
use buttonwood_model::TradeId;
use buttonwood_num::Decimal;
use proptest::prelude::*;
use tempfile::{TempDir, tempdir};

const SYMBOL: SymbolId = SymbolId(2);
/// Milliseconds in a day.
const DAY_MILLIS: u64 = 86_400_000;
/// When the tests' markets begin: in the middle of a minute.
const BEGIN: u64 = 1_800_000_034_567;

/// Settled contracts keep their last price and no minutes; a contract with a high number takes no room among the listed symbols.
#[test]
fn a_contract_that_has_ended_keeps_its_last_price() {
    let (mut tape, contract) = (Tape::new(), SymbolId::contract(999_999));
    for ticks in [40, 55] {
        let (price, qty) = (Price::from_ticks(ticks), Qty::from_hundredths(100));
        tape.trade(contract, Time(BEGIN * 1_000), price, qty, Money::ONE);
    }
    assert!(tape.symbols.listed().is_empty() && size_of::<Line>() <= 48);
    tape.end(contract);
    tape.end(SymbolId::contract(1_000_000));
    let line = tape.line(contract).unwrap();
    assert_eq!((line.minutes.capacity(), tape.last(contract)), (0, Some(Price::from_ticks(55))));
    let sums = tape.sums(contract, Time(BEGIN * 1_000)).unwrap();
    assert_eq!((sums.base, sums.window.stretch()), (Qty::ZERO, None));
}

/// A trade of the model: millisecond, ticks, hundredths.
type Trade = (u64, u64, u64);

/// A tape, and a history with the same trades.
struct Market {
    tape: Tape,
    history: History,
    grid: Grid,
    trades: Vec<Trade>,
    _directory: TempDir,
}

impl Market {
    fn new() -> Self {
        let step = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
        let directory = tempdir().unwrap();
        Self {
            tape: Tape::new(),
            history: History::open(directory.path(), Index::new(7)).unwrap(),
            grid: Grid::new(step("0.01"), step("0.001")).unwrap(),
            trades: Vec::new(),
            _directory: directory,
        }
    }

    fn of(trades: &[Trade]) -> Self {
        let mut market = Self::new();
        for trade in trades {
            market.trade(*trade);
        }
        market
    }

    fn trade(&mut self, (millis, ticks, hundredths): Trade) {
        let (price, qty) = (Price::from_ticks(ticks), Qty::from_hundredths(hundredths.into()));
        let time = Time(millis * 1_000 + 321);
        self.tape.trade(SYMBOL, time, price, qty, self.grid.notional(price, qty).unwrap());
        let trade = TradeId(u64::try_from(self.trades.len()).unwrap() + 1);
        self.history.push(&PublicTrade { symbol: SYMBOL, trade, time, price, qty, taker: None });
        self.trades.push((millis, ticks, hundredths));
    }

    fn day(&self, now: u64) -> Option<Day> {
        let sums = self.tape.sums(SYMBOL, Time(now * 1_000 + 999))?;
        let begun = sums.window.stretch();
        let begun = begun.map(|stretch| Query::whole(&self.history).stretch(stretch).unwrap());
        let day = sums.day(begun.as_ref(), &self.grid);
        assert_eq!(sums.window.moved(begun.as_ref()), Move { open: day.open, last: day.last });
        Some(day)
    }

    /// The window summed from single trades.
    fn model(&self, now: u64) -> Option<Day> {
        let (before, within): (Vec<&Trade>, Vec<&Trade>) =
            self.trades.iter().partition(|trade| trade.0 + DAY_MILLIS <= now);
        let last = self.trades.last()?.1;
        let open = before.last().or(within.first())?.1;
        let prices = || within.iter().map(|trade| trade.1);
        let sum = |of: fn(&Trade) -> u128| -> u128 { within.iter().map(|trade| of(trade)).sum() };
        let product = Qty::from_hundredths(sum(|trade| u128::from(trade.1) * u128::from(trade.2)));
        Some(Day {
            last: Price::from_ticks(last),
            open: Price::from_ticks(open),
            high: Price::from_ticks(prices().max().unwrap_or(last)),
            low: Price::from_ticks(prices().min().unwrap_or(last)),
            base: Qty::from_hundredths(sum(|trade| trade.2.into())),
            quote: self.grid.notional(Price::from_ticks(1), product).unwrap(),
        })
    }

    /// The price at the end of each hour before `now`, to the minute.
    fn hours(&self, now: u64) -> Vec<Price> {
        let minute = |millis: u64| millis / MINUTE_MILLIS;
        let close = |hour: u64| {
            self.trades.iter().rfind(|trade| hour == 0 || minute(trade.0) + hour * HOUR <= minute(now))
        };
        (0..HOURS_SHOWN).map_while(close).map(|trade| Price::from_ticks(trade.1)).collect()
    }
}

#[test]
fn a_symbol_without_trades_has_nothing() {
    let tape = Tape::new();
    assert_eq!((tape.last(SYMBOL), Market::new().day(BEGIN)), (None, None));
    assert!(tape.changes(SYMBOL, Time(BEGIN * 1_000)).is_empty());
}

/// Only a day of minutes is kept, and the one in which the window begins, no matter how long a symbol trades.
#[test]
fn keeps_a_day_of_minutes() {
    let minutes = 5 * DAY;
    let trades: Vec<Trade> =
        (0..minutes).map(|minute| (BEGIN + minute * MINUTE_MILLIS, minute + 1, 1)).collect();
    let market = Market::of(&trades);
    assert_eq!(market.tape.line(SYMBOL).unwrap().minutes.len(), 1_441);
    let now = BEGIN + (minutes - 1) * MINUTE_MILLIS;
    assert_eq!(market.tape.changes(SYMBOL, Time(now * 1_000)).len(), 24);
    assert_eq!(market.day(now), market.model(now));
}

/// A trade is in the window until exactly 24 hours later, in steps of a millisecond; without it, all four prices are the
/// last one. Proves MKT-009.
#[test]
fn a_trade_leaves_after_a_day() {
    let market = Market::of(&[(BEGIN, 7, 5), (BEGIN, 9, 1), (BEGIN + 2, 8, 10)]);
    let shown = |now: u64| {
        let day = market.day(now).unwrap();
        ([day.open, day.high, day.low, day.last].map(Price::ticks), day.base.hundredths())
    };
    let end = BEGIN + DAY_MILLIS;
    assert_eq!(shown(BEGIN + 2), ([7, 9, 7, 8], 16));
    assert_eq!(shown(end - 1), ([7, 9, 7, 8], 16));
    assert_eq!(shown(end), ([9, 8, 8, 8], 10));
    assert_eq!(shown(end + 1), ([9, 8, 8, 8], 10));
    assert_eq!(shown(end + 2), ([8, 8, 8, 8], 0));
    assert_eq!(shown(end + 10 * DAY_MILLIS), ([8, 8, 8, 8], 0));
    let price = Price::from_ticks(8);
    assert_eq!(market.tape.changes(SYMBOL, Time((end + DAY_MILLIS) * 1_000)), [price; 24]);
}

/// The same money can be spent repeatedly, within a minute and within a day: the sum saturates.
#[test]
fn more_may_be_traded_than_can_be_counted() {
    let grid = Market::new().grid;
    let (most, rest) = (i128::MAX, 7);
    for minutes in [[5, 5, 5], [5, 6, 6], [5, 6, 7]] {
        let mut tape = Tape::new();
        for (notional, minute) in [most - rest, rest + 1, most].into_iter().zip(minutes) {
            let (qty, notional) = (Qty::from_hundredths(10), Money::from_units(notional));
            tape.trade(SYMBOL, Time(minute * MINUTE), Price::from_ticks(3), qty, notional);
        }
        let day = tape.sums(SYMBOL, Time(7 * MINUTE)).unwrap().day(None, &grid);
        let expected = (Money::from_units(most), Qty::from_hundredths(30));
        assert_eq!((day.quote, day.base), expected, "{minutes:?}");
    }
}

proptest! {
    /// Figures of both tickers and the feed equal those of the single trades, at the last trade, around the millisecond in
    /// which a trade leaves the window, and long after; and what answers another stretch answers it rightly. Proves
    /// MKT-009, MKT-010.
    #[test]
    fn sums_the_trailing_day(
        steps in prop::collection::vec(
            (prop_oneof![0_u64..3, 0_u64..40_000, 0_u64..12_000_000], 1_u64..1_000, 1_u64..1_000),
            1..80,
        ),
        pick in any::<prop::sample::Index>(),
        around in 0_u64..70_000,
        later in 0_u64..120_000_000,
    ) {
        let mut millis = BEGIN;
        let trades: Vec<Trade> = steps
            .into_iter()
            .map(|(wait, ticks, hundredths)| {
                millis += wait;
                (millis, ticks, hundredths)
            })
            .collect();
        let market = Market::of(&trades);
        let leaves = trades[pick.index(trades.len())].0 + DAY_MILLIS;
        let mut kept: Option<Stretched> = None;
        for now in [leaves - 1, leaves, leaves + 1, leaves + around, millis, millis + later] {
            let now = now.max(millis);
            prop_assert_eq!(market.day(now), market.model(now));
            prop_assert_eq!(market.tape.changes(SYMBOL, Time(now * 1_000)), market.hours(now));
            let Some(stretch) = market.tape.window(SYMBOL, Time(now * 1_000)).unwrap().stretch() else { continue };
            let found = Query::whole(&market.history).stretch(stretch).unwrap();
            if let Some(kept) = kept.filter(|kept| kept.answers(&stretch)) {
                prop_assert_eq!((kept.before, kept.traded), (found.before, found.traded));
            }
            kept = Some(found);
        }
        prop_assert_eq!(market.tape.last(SYMBOL), trades.last().map(|trade| Price::from_ticks(trade.1)));
        let bytes = postcard::to_allocvec(&market.tape).unwrap();
        prop_assert_eq!(postcard::from_bytes::<Tape>(&bytes).unwrap(), market.tape);
    }
}
