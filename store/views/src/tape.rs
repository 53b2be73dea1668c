//! The tape: last trade and trailing 24 hours of every symbol, for both tickers and the price feed.
//!
//! Trades are summed per minute, and only minutes with trades are kept, so a symbol needs at most 1,441 of them. A
//! window therefore moves by whole minutes: it consists of the 1,440 minutes that end with the minute of `now`.
//!
//! Clauses: `MKT-003` to `MKT-006`, `MKT-008` to `MKT-010`, `MKT-025`, `MKT-026`.

use buttonwood_model::{SymbolId, Time};
use buttonwood_num::{Money, Price, Qty};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Minutes in the trailing window.
const DAY: u64 = 24 * HOUR;
/// Minutes in an hour.
const HOUR: u64 = 60;
/// Microseconds in a minute.
const MINUTE: u64 = 60 * Time::SECOND;
/// Most hourly prices in a ticker.
const HOURS_SHOWN: u64 = 24;

/// Trades of every symbol; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tape {
    symbols: Vec<Line>,
}

/// A symbol's trailing 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// Price of the most recent trade, no matter how old.
    pub last: Price,
    /// Price 24 hours ago: of the last trade before the window, or of the first in it if there is none before.
    pub open: Price,
    /// Highest price in force during the window, including the opening one.
    pub high: Price,
    /// Lowest price in force during the window, including the opening one.
    pub low: Price,
    /// Volume in the window, in the base currency.
    pub base: Qty,
    /// Volume in the window, in the quote currency; it saturates, for minutes and for the day.
    pub quote: Money,
}

/// The change of a symbol's price in its trailing 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Price 24 hours ago, as [`Day::open`].
    pub open: Price,
    /// Price of the most recent trade, no matter how old.
    pub last: Price,
}

impl Move {
    /// The change from the opening price to the last one, in hundredths of a percent, rounded toward zero (MKT-026).
    pub fn change(&self) -> i128 {
        let (open, last) = (i128::from(self.open.ticks()), i128::from(self.last.ticks()));
        (last - open) * 10_000 / open.max(1)
    }
}

/// The stored trades of one symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    /// Close of the last minute that was dropped.
    before: Option<Price>,
    /// Minutes with trades, oldest first.
    minutes: VecDeque<Minute>,
}

/// The trades of one minute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Minute {
    /// Minutes since 1970.
    at: u64,
    open: Price,
    high: Price,
    low: Price,
    close: Price,
    base: Qty,
    quote: Money,
}

impl Tape {
    /// A tape without trades.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a trade; times never decrease.
    pub fn trade(&mut self, symbol: SymbolId, time: Time, price: Price, qty: Qty, notional: Money) {
        if symbol.index() >= self.symbols.len() {
            self.symbols.resize_with(symbol.index() + 1, Line::default);
        }
        let line = self.symbols.get_mut(symbol.index()).expect("the table has grown to the symbol");
        line.record(minute_of(time), price, qty, notional);
    }

    /// Price of the most recent trade; `None` if the symbol never traded.
    pub fn last(&self, symbol: SymbolId) -> Option<Price> {
        self.line(symbol)?.last()
    }

    /// The trailing 24 hours at `now`; `None` if the symbol never traded.
    pub fn day(&self, symbol: SymbolId, now: Time) -> Option<Day> {
        let line = self.line(symbol)?;
        let start = line.start(now);
        let Move { open, last } = line.moved(start)?;
        let mut day = Day { last, open, high: open, low: open, base: Qty::ZERO, quote: Money::ZERO };
        for minute in line.minutes.range(start..) {
            day.high = day.high.max(minute.high);
            day.low = day.low.min(minute.low);
            day.base += minute.base;
            day.quote = day.quote.capped_add(minute.quote);
        }
        Some(day)
    }

    /// The change of price in the trailing 24 hours at `now`; `None` if the symbol never traded. It sums nothing, so
    /// that a list of all symbols is cheap.
    pub fn moved(&self, symbol: SymbolId, now: Time) -> Option<Move> {
        let line = self.line(symbol)?;
        line.moved(line.start(now))
    }

    /// Closing prices of the past hours, at most 24, newest first (MKT-010). The newest hour ends with the minute of
    /// `now`. An hour without trades repeats the close before it; hours before the first trade are left out.
    pub fn changes(&self, symbol: SymbolId, now: Time) -> Vec<Price> {
        let Some(line) = self.line(symbol) else { return Vec::new() };
        let now = minute_of(now);
        // The newest hour includes all trades, even if the reader's clock lags behind the last one.
        let ends =
            (1..HOURS_SHOWN).map_while(|hour| line.close_before(line.after(now.checked_sub(hour * HOUR))));
        line.last().into_iter().chain(ends).collect()
    }

    fn line(&self, symbol: SymbolId) -> Option<&Line> {
        self.symbols.get(symbol.index())
    }
}

impl Line {
    fn record(&mut self, at: u64, price: Price, qty: Qty, notional: Money) {
        match self.minutes.back_mut() {
            Some(minute) if minute.at == at => {
                minute.high = minute.high.max(price);
                minute.low = minute.low.min(price);
                minute.close = price;
                minute.base += qty;
                minute.quote = minute.quote.capped_add(notional);
            }
            newest => {
                assert!(newest.is_none_or(|newest| newest.at < at), "time never goes back");
                let (base, quote) = (qty, notional);
                self.minutes.push_back(Minute {
                    at,
                    open: price,
                    high: price,
                    low: price,
                    close: price,
                    base,
                    quote,
                });
                self.prune(at);
            }
        }
    }

    /// Drops the minutes that no window ending at `now` or later contains.
    fn prune(&mut self, now: u64) {
        while let Some(minute) = self.minutes.pop_front_if(|minute| minute.at + DAY <= now) {
            self.before = Some(minute.close);
        }
    }

    fn last(&self) -> Option<Price> {
        self.close_before(self.minutes.len())
    }

    /// The index of the first kept minute in the window that ends at `now`.
    fn start(&self, now: Time) -> usize {
        self.after(minute_of(now).checked_sub(DAY))
    }

    /// From the price in force before the window that begins at `start`, or else from the window's first price, to
    /// the last.
    fn moved(&self, start: usize) -> Option<Move> {
        let open = self.close_before(start).or_else(|| self.minutes.get(start).map(|minute| minute.open))?;
        Some(Move { open, last: self.last()? })
    }

    /// The index of the first kept minute after `minute`.
    fn after(&self, minute: Option<u64>) -> usize {
        self.minutes.partition_point(|kept| minute.is_some_and(|minute| kept.at <= minute))
    }

    /// The price in force before the kept minute at index `place`.
    fn close_before(&self, place: usize) -> Option<Price> {
        let minute = place.checked_sub(1).and_then(|place| self.minutes.get(place));
        minute.map(|minute| minute.close).or(self.before)
    }
}

fn minute_of(time: Time) -> u64 {
    time.0 / MINUTE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SYMBOL: SymbolId = SymbolId(2);

    /// A trade of the model: minute, ticks, hundredths, notional.
    type Trade = (u64, u64, u128, i128);

    fn at(minute: u64) -> Time {
        Time(minute * MINUTE + 59 * Time::SECOND)
    }

    fn tape_of(trades: &[Trade]) -> Tape {
        let mut tape = Tape::new();
        for (minute, ticks, hundredths, notional) in trades {
            let (qty, notional) = (Qty::from_hundredths(*hundredths), Money::from_units(*notional));
            tape.trade(SYMBOL, at(*minute), Price::from_ticks(*ticks), qty, notional);
        }
        tape
    }

    /// The window summed from individual trades.
    fn day_of(trades: &[Trade], now: u64) -> Option<Day> {
        let last = trades.last()?.1;
        let (before, within): (Vec<&Trade>, Vec<&Trade>) =
            trades.iter().partition(|trade| trade.0 + DAY <= now);
        let open = before.last().or(within.first())?.1;
        let prices = || within.iter().map(|trade| trade.1).chain([open]);
        Some(Day {
            last: Price::from_ticks(last),
            open: Price::from_ticks(open),
            high: Price::from_ticks(prices().max()?),
            low: Price::from_ticks(prices().min()?),
            base: within.iter().map(|trade| Qty::from_hundredths(trade.2)).sum(),
            quote: within.iter().map(|trade| Money::from_units(trade.3)).sum(),
        })
    }

    fn changes_of(trades: &[Trade], now: u64) -> Vec<Price> {
        let close = |hour: u64| trades.iter().rfind(|trade| trade.0 + hour * HOUR <= now);
        (0..HOURS_SHOWN).map_while(close).map(|trade| Price::from_ticks(trade.1)).collect()
    }

    #[test]
    fn a_symbol_without_trades_has_nothing() {
        let tape = Tape::new();
        assert_eq!((tape.last(SYMBOL), tape.day(SYMBOL, at(5))), (None, None));
        assert_eq!(tape.moved(SYMBOL, at(5)), None);
        assert!(tape.changes(SYMBOL, at(5)).is_empty());
    }

    /// Only a day of minutes is kept, no matter how long a symbol trades.
    #[test]
    fn keeps_a_day_of_minutes() {
        let trades: Vec<Trade> = (0..5 * DAY).map(|minute| (minute, minute + 1, 1, 1)).collect();
        let tape = tape_of(&trades);
        assert_eq!(tape.symbols[SYMBOL.index()].minutes.len(), 1_440);
        assert_eq!(tape.changes(SYMBOL, at(5 * DAY - 1)).len(), 24);
    }

    /// A quiet symbol keeps its price: open, high and close are its last trade.
    #[test]
    fn a_quiet_day_repeats_the_last_price() {
        let tape = tape_of(&[(100, 7, 5, 35)]);
        let day = tape.day(SYMBOL, at(100 + 10 * DAY)).unwrap();
        let price = Price::from_ticks(7);
        assert_eq!((day.last, day.open, day.high, day.low), (price, price, price, price));
        assert_eq!((day.base, day.quote), (Qty::ZERO, Money::ZERO));
        assert_eq!(tape.changes(SYMBOL, at(100 + 10 * DAY)), [price; 24]);
    }

    /// The same money can be spent repeatedly, within a minute and within a day: the sum saturates.
    #[test]
    fn more_may_be_traded_than_can_be_counted() {
        let (most, rest) = (i128::MAX, 7);
        for minutes in [[5, 5, 5], [5, 6, 6], [5, 6, 7]] {
            let trades = [most - rest, rest + 1, most].into_iter().zip(minutes);
            let trades: Vec<Trade> = trades.map(|(notional, minute)| (minute, 3, 10, notional)).collect();
            let day = tape_of(&trades).day(SYMBOL, at(7)).unwrap();
            assert_eq!(
                (day.quote, day.base),
                (Money::from_units(most), Qty::from_hundredths(30)),
                "{minutes:?}"
            );
        }
    }

    proptest! {
        /// Figures of both tickers and the feed equal those summed from individual trades, at the last trade and long
        /// after. Proves MKT-009, MKT-010.
        #[test]
        fn sums_the_trailing_day(
            steps in prop::collection::vec((0_u64..200, 1_u64..1_000, 1_u128..1_000, 1_i128..1_000), 1..80),
            later in 0_u64..2_000,
        ) {
            let mut minute = 30_000_000;
            let trades: Vec<Trade> = steps
                .into_iter()
                .map(|(wait, ticks, hundredths, notional)| {
                    minute += wait;
                    (minute, ticks, hundredths, notional)
                })
                .collect();
            let tape = tape_of(&trades);
            for now in [minute, minute + later] {
                let day = day_of(&trades, now);
                prop_assert_eq!(tape.day(SYMBOL, at(now)), day);
                prop_assert_eq!(tape.moved(SYMBOL, at(now)), day.map(|Day { open, last, .. }| Move { open, last }));
                prop_assert_eq!(tape.changes(SYMBOL, at(now)), changes_of(&trades, now));
            }
            prop_assert_eq!(tape.last(SYMBOL), trades.last().map(|trade| Price::from_ticks(trade.1)));
            let bytes = postcard::to_allocvec(&tape).unwrap();
            prop_assert_eq!(postcard::from_bytes::<Tape>(&bytes).unwrap(), tape);
        }
    }
}
