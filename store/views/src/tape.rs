//! The tape: last trade and trailing 24 hours of every symbol, for both tickers and the price feed.
//!
//! Trades are summed per minute, and only minutes with trades are kept, so a symbol needs at most 1,441 of them. A
//! [`Window`] has the figures of its whole minutes. It begins inside a minute: what was traded in the rest of that minute
//! comes from the history, as a [`Stretch`].
//!
//! Clauses: `MKT-003` to `MKT-006`, `MKT-008` to `MKT-010`, `MKT-025`, `MKT-026`.

use crate::history::{Stretch, Stretched};
use buttonwood_engine::{Bar, Break, Figures};
use buttonwood_model::{SymbolId, SymbolTable, Time};
use buttonwood_num::{Grid, Money, Price, Qty};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Minutes in a day.
const DAY: u64 = 24 * HOUR;
/// Minutes in an hour.
const HOUR: u64 = 60;
/// Microseconds in a minute.
const MINUTE: u64 = 60 * Time::SECOND;
/// Milliseconds in a minute.
const MINUTE_MILLIS: u64 = 60_000;
/// Most hourly prices in a ticker.
const HOURS_SHOWN: u64 = 24;

/// Trades of every symbol; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tape {
    symbols: SymbolTable<Line>,
}

/// A symbol's trailing 24 hours: the trades that are less than 24 hours old, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// Price of the most recent trade, no matter how old.
    pub last: Price,
    /// Price 24 hours ago: of the last trade before the window, or of the first in it if there is none before.
    pub open: Price,
    /// Highest price of a trade in the window; without one, the last price before it.
    pub high: Price,
    /// Lowest price of a trade in the window; without one, the last price before it.
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

/// A symbol's trailing 24 hours, except the minute in which they begin.
///
/// The methods that need it get what [`crate::history::Query::stretch`] returns for [`Window::stretch`].
#[derive(Clone, Copy, Debug)]
pub struct Window {
    last: Price,
    /// The price in force when the whole minutes begin.
    before: Option<Price>,
    /// The first price in the whole minutes.
    first: Option<Price>,
    stretch: Option<Stretch>,
}

impl Window {
    /// The price of the most recent trade, no matter how old.
    pub fn last(&self) -> Price {
        self.last
    }

    /// The rest of the minute in which the window begins, if that minute has trades.
    pub fn stretch(&self) -> Option<Stretch> {
        self.stretch
    }

    /// The change of the price.
    pub fn moved(&self, begun: Option<&Stretched>) -> Move {
        let before = begun.map_or(self.before, |begun| begun.before);
        let first = begun.and_then(|begun| begun.traded).map(|traded| traded.open);
        Move { open: before.or(first).or(self.first).unwrap_or(self.last), last: self.last }
    }
}

/// A window with the figures of its whole minutes.
#[derive(Clone, Copy, Debug)]
pub struct Sums {
    /// The window.
    pub window: Window,
    high: Option<Price>,
    low: Option<Price>,
    base: Qty,
    quote: Money,
}

impl Sums {
    /// The figures of the whole window, by the grid of the symbol.
    pub fn day(&self, begun: Option<&Stretched>, grid: &Grid) -> Day {
        let Move { open, last } = self.window.moved(begun);
        let begun = begun.and_then(|begun| begun.traded);
        let (high, low) = (begun.map(|begun| begun.high()), begun.map(|begun| begun.low()));
        let (base, quote) = begun.map_or((Qty::ZERO, Money::ZERO), |begun| (begun.base(), begun.quote(grid)));
        Day {
            last,
            open,
            high: self.high.max(high).unwrap_or(last),
            low: self.low.into_iter().chain(low).min().unwrap_or(last),
            base: self.base + base,
            quote: self.quote.capped_add(quote),
        }
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
        if let Some(kept) = self.symbols.grown(symbol) {
            kept.record(minute_of(time), price, qty, notional);
        }
    }

    /// Forgets all trades of a symbol but the price of the last one: it will have no more.
    pub fn end(&mut self, symbol: SymbolId) {
        if let Some(line) = self.symbols.get_mut(symbol) {
            *line = Line { before: line.last(), minutes: VecDeque::new() };
        }
    }

    /// Replaces the minute of a trade that was broken in full (MKT-035).
    pub fn correct(&mut self, broken: &Break) {
        if let (Some(figures), Some(line)) = (&broken.figures, self.symbols.get_mut(broken.symbol)) {
            line.correct(minute_of(broken.time), figures);
        }
    }

    /// Price of the most recent trade; `None` if the symbol never traded.
    pub fn last(&self, symbol: SymbolId) -> Option<Price> {
        self.line(symbol)?.last()
    }

    /// The trailing 24 hours at `now`; `None` if the symbol never traded. It sums nothing, so that a list of all symbols
    /// is cheap.
    pub fn window(&self, symbol: SymbolId, now: Time) -> Option<Window> {
        let line = self.line(symbol)?;
        let start = window_start(now);
        let place = line.whole(start);
        let begun = place.checked_sub(1).and_then(|place| line.minutes.get(place));
        let stretch = start.and_then(|start| {
            let until_millis = start - start % MINUTE_MILLIS + (MINUTE_MILLIS - 1);
            // A minute that ends with the last millisecond before the window lies before it as a whole.
            let is_begun =
                begun.is_some_and(|minute| minute.at == start / MINUTE_MILLIS) && start < until_millis;
            is_begun.then_some(Stretch { symbol, after_millis: start, until_millis })
        });
        Some(Window {
            last: line.last()?,
            before: line.close_before(place),
            first: line.minutes.get(place).map(|minute| minute.open),
            stretch,
        })
    }

    /// The same with the figures of the whole minutes.
    pub fn sums(&self, symbol: SymbolId, now: Time) -> Option<Sums> {
        let window = self.window(symbol, now)?;
        let line = self.line(symbol)?;
        let minutes = || line.minutes.range(line.whole(window_start(now))..);
        Some(Sums {
            window,
            high: minutes().map(|minute| minute.high).max(),
            low: minutes().map(|minute| minute.low).min(),
            base: minutes().map(|minute| minute.base).sum(),
            quote: minutes().fold(Money::ZERO, |sum, minute| sum.capped_add(minute.quote)),
        })
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
        self.symbols.get(symbol)
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

    fn correct(&mut self, at: u64, figures: &Figures) {
        let Ok(place) = self.minutes.binary_search_by_key(&at, |minute| minute.at) else {
            // It was dropped. If every trade after this one is kept, it closed the last minute that was dropped.
            let first = self.minutes.front().map(|minute| minute.at);
            let is_kept = |after: Time| first.is_some_and(|first| minute_of(after) >= first);
            if figures.after.is_none_or(is_kept) {
                self.before = figures.before;
            }
            return;
        };
        let minute = figures.intervals.iter().find(|interval| interval.minutes == 1);
        match (minute.and_then(|minute| minute.bar), self.minutes.get_mut(place)) {
            (Some(Bar { open, high, low, close, base, quote }), Some(minute)) => {
                *minute = Minute { at, open, high, low, close, base, quote };
            }
            _ => drop(self.minutes.remove(place)),
        }
    }

    /// Drops the minutes that no window ending at `now` or later contains, not even in part.
    fn prune(&mut self, now: u64) {
        while let Some(minute) = self.minutes.pop_front_if(|minute| minute.at + DAY < now) {
            self.before = Some(minute.close);
        }
    }

    fn last(&self) -> Option<Price> {
        self.close_before(self.minutes.len())
    }

    /// The index of the first kept minute that lies as a whole in a window.
    fn whole(&self, start: Option<u64>) -> usize {
        self.after(start.map(|start| start / MINUTE_MILLIS))
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

/// The last millisecond before the window that ends at `now`.
fn window_start(now: Time) -> Option<u64> {
    now.millis().checked_sub(DAY * MINUTE_MILLIS)
}

fn minute_of(time: Time) -> u64 {
    time.0 / MINUTE
}

#[cfg(test)]
mod tests;
