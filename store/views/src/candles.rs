//! Candles: opening, highest, lowest and closing price, and the volume, of every interval of seven time frames.
//!
//! Only intervals with trades are kept, and of these the ones that an answer can show. A symbol takes at most 64 bytes for each of
//! 8,421 of them; most have few.
//!
//! Clauses: `MKT-027` to `MKT-033`, `MKT-035`.

use buttonwood_engine::{Bar as Remaining, Break, Figures};
use buttonwood_model::{SymbolId, Time};
use buttonwood_num::{Price, Qty};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How long an interval is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// In minutes. Intervals begin at whole multiples of it since 1970, in UTC.
    pub minutes: u64,
    /// How many intervals an answer shows (MKT-032).
    pub shown: u64,
}

/// Every time frame, the shortest first.
pub const FRAMES: [Frame; 7] = [
    Frame { minutes: 1, shown: 1_440 },
    Frame { minutes: 5, shown: 2_015 },
    Frame { minutes: 15, shown: 1_343 },
    Frame { minutes: 30, shown: 1_439 },
    Frame { minutes: 60, shown: 1_463 },
    Frame { minutes: 360, shown: 367 },
    Frame { minutes: 1_440, shown: 364 },
];

impl Frame {
    /// When the interval of a moment begins.
    pub fn start_of(self, time: Time) -> Time {
        self.start(self.interval(time))
    }

    /// The interval of a moment, counted from 1970.
    pub(crate) fn interval(self, time: Time) -> u64 {
        time.0 / (self.minutes * 60 * Time::SECOND)
    }

    /// When an interval begins.
    pub(crate) fn start(self, interval: u64) -> Time {
        Time(interval.saturating_mul(self.minutes * 60 * Time::SECOND))
    }
}

/// One interval (MKT-030). Without a trade all four prices are the last price before it, and the volume is zero (MKT-031).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candle {
    /// When it begins.
    pub start: Time,
    /// The first price.
    pub open: Price,
    /// The highest price.
    pub high: Price,
    /// The lowest price.
    pub low: Price,
    /// The last price.
    pub close: Price,
    /// How much was traded, in the base currency.
    pub volume: Qty,
}

/// The candles of every symbol; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candles {
    symbols: Vec<[Line; FRAMES.len()]>,
}

/// A symbol's candles of one time frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    /// The closing price of the last interval that was dropped.
    before: Option<Price>,
    /// Intervals with trades, oldest first.
    bars: VecDeque<Bar>,
}

/// The trades of one interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Bar {
    interval: u64,
    open: Price,
    high: Price,
    low: Price,
    close: Price,
    volume: Qty,
}

impl Candles {
    /// Records a trade; times never decrease. Contracts have no candles.
    pub fn trade(&mut self, symbol: SymbolId, time: Time, price: Price, qty: Qty) {
        if symbol.is_contract() {
            return;
        }
        if symbol.index() >= self.symbols.len() {
            self.symbols.resize_with(symbol.index() + 1, Default::default);
        }
        let lines = self.symbols.get_mut(symbol.index()).expect("the table has grown to the symbol");
        for (line, frame) in lines.iter_mut().zip(FRAMES) {
            line.record(frame, frame.interval(time), price, qty);
        }
    }

    /// Replaces the intervals of a trade that was broken in full.
    pub fn correct(&mut self, broken: &Break) {
        let Some(figures) = &broken.figures else { return };
        let Some(lines) = self.symbols.get_mut(broken.symbol.index()) else { return };
        for (line, frame) in lines.iter_mut().zip(FRAMES) {
            line.correct(frame, broken.time, figures);
        }
    }

    /// A symbol's candles at `now`, newest first: that of `now` and those before it, without gaps, back to the first trade or as many
    /// as the frame shows. None for a frame that is not one of [`FRAMES`].
    pub fn newest(&self, symbol: SymbolId, frame: Frame, now: Time) -> Vec<Candle> {
        let place = FRAMES.iter().position(|known| *known == frame);
        let line = self.symbols.get(symbol.index()).zip(place).and_then(|(lines, at)| lines.get(at));
        line.map_or_else(Vec::new, |line| line.newest(frame, now))
    }
}

impl Line {
    fn record(&mut self, frame: Frame, interval: u64, price: Price, qty: Qty) {
        if let Some(bar) = self.bars.back_mut().filter(|bar| bar.interval == interval) {
            bar.high = bar.high.max(price);
            bar.low = bar.low.min(price);
            bar.close = price;
            bar.volume += qty;
            return;
        }
        self.bars.push_back(Bar {
            interval,
            open: price,
            high: price,
            low: price,
            close: price,
            volume: qty,
        });
        while let Some(bar) = self.bars.pop_front_if(|bar| bar.interval + frame.shown <= interval) {
            self.before = Some(bar.close);
        }
    }

    fn correct(&mut self, frame: Frame, time: Time, figures: &Figures) {
        let interval = frame.interval(time);
        let Ok(place) = self.bars.binary_search_by_key(&interval, |bar| bar.interval) else {
            // It was dropped. If every trade after this one is kept, it closed the last interval that was dropped.
            let first = self.bars.front().map(|bar| bar.interval);
            let is_kept = |after: Time| first.is_some_and(|first| frame.interval(after) >= first);
            if figures.after.is_none_or(is_kept) {
                self.before = figures.before;
            }
            return;
        };
        let remaining = figures.intervals.iter().find(|other| other.minutes == frame.minutes);
        match (remaining.and_then(|remaining| remaining.bar), self.bars.get_mut(place)) {
            (Some(remaining), Some(bar)) => *bar = Bar::of(interval, &remaining),
            _ => drop(self.bars.remove(place)),
        }
    }

    fn newest(&self, frame: Frame, now: Time) -> Vec<Candle> {
        // The reader's clock may lag behind the last trade.
        let newest = self.bars.back().map_or(0, |last| last.interval).max(frame.interval(now));
        let oldest = (newest + 1).saturating_sub(frame.shown);
        let mut bars = self.bars.iter().rev().peekable();
        let candle = |interval| match bars.next_if(|bar| bar.interval == interval) {
            Some(bar) => Some(bar.candle(frame)),
            // The next bar is the last one before the interval.
            None => Some(still(frame, interval, bars.peek().map(|bar| bar.close).or(self.before)?)),
        };
        (oldest..=newest).rev().map_while(candle).collect()
    }
}

impl Bar {
    fn of(interval: u64, remaining: &Remaining) -> Self {
        let Remaining { open, high, low, close, base: volume, .. } = *remaining;
        Self { interval, open, high, low, close, volume }
    }

    fn candle(&self, frame: Frame) -> Candle {
        let Self { interval, open, high, low, close, volume } = *self;
        Candle { start: frame.start(interval), open, high, low, close, volume }
    }
}

/// An interval without a trade.
fn still(frame: Frame, interval: u64, price: Price) -> Candle {
    let start = frame.start(interval);
    Candle { start, open: price, high: price, low: price, close: price, volume: Qty::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_engine::{Interval, Party};
    use buttonwood_model::{AccountId, OrderId, TradeId};
    use buttonwood_num::Money;
    use proptest::prelude::*;

    const SYMBOL: SymbolId = SymbolId(1);

    /// A trade of the model: time in microseconds, ticks, hundredths.
    type Trade = (u64, u64, u64);

    fn candles_of(trades: &[Trade]) -> Candles {
        let mut candles = Candles::default();
        for (time, ticks, hundredths) in trades {
            let qty = Qty::from_hundredths(u128::from(*hundredths));
            candles.trade(SYMBOL, Time(*time), Price::from_ticks(*ticks), qty);
        }
        candles
    }

    /// The break of one of these trades, with the figures of the others.
    fn break_of(trades: &[Trade], at: usize) -> Break {
        let (time, ticks, hundredths) = trades[at];
        let others = || trades.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, trade)| trade);
        let interval = |frame: Frame| {
            let within = others().filter(|other| frame.interval(Time(other.0)) == frame.interval(Time(time)));
            let bar = within.fold(None, |bar, (_, ticks, hundredths)| {
                let qty = Qty::from_hundredths(u128::from(*hundredths));
                Some(Remaining::with(bar, Price::from_ticks(*ticks), qty, Money::ZERO))
            });
            Interval { minutes: frame.minutes, bar }
        };
        let price = |trade: &Trade| Price::from_ticks(trade.1);
        let party = Party { account: AccountId(1), order: OrderId(1), fee: Money::ZERO };
        Break {
            trade: TradeId(1),
            symbol: SYMBOL,
            time: Time(time),
            price: Price::from_ticks(ticks),
            qty: Qty::from_hundredths(u128::from(hundredths)),
            taker: None,
            buyer: party,
            seller: party,
            is_off_book: false,
            figures: Some(Figures {
                newest: TradeId(1),
                breaks: 0,
                last: others().next_back().map(price),
                before: trades[..at].last().map(price),
                after: trades.get(at + 1).map(|trade| Time(trade.0)),
                value: Money::ZERO,
                intervals: FRAMES.map(interval).to_vec(),
            }),
        }
    }

    /// The same from all single trades.
    fn model(trades: &[Trade], frame: Frame, now: u64) -> Vec<Candle> {
        let span = frame.minutes * 60_000_000;
        let now = trades.last().map_or(now, |last| now.max(last.0)) / span;
        let candle = |interval: u64| {
            let within: Vec<&Trade> = trades.iter().filter(|trade| trade.0 / span == interval).collect();
            let before = trades.iter().rfind(|trade| trade.0 / span < interval).map(|trade| trade.1);
            let open = within.first().map(|trade| trade.1).or(before)?;
            let prices = || within.iter().map(|trade| trade.1);
            Some(Candle {
                start: Time(interval * span),
                open: Price::from_ticks(open),
                high: Price::from_ticks(prices().max().unwrap_or(open)),
                low: Price::from_ticks(prices().min().unwrap_or(open)),
                close: Price::from_ticks(prices().next_back().unwrap_or(open)),
                volume: within.iter().map(|trade| Qty::from_hundredths(u128::from(trade.2))).sum(),
            })
        };
        (0..frame.shown).map_while(|back| candle(now.checked_sub(back)?)).collect()
    }

    #[test]
    fn a_symbol_without_trades_has_none() {
        let candles = candles_of(&[]);
        assert_eq!(candles.newest(SYMBOL, FRAMES[0], Time(5)), []);
        assert_eq!(candles_of(&[(7, 1, 1)]).newest(SymbolId(0), FRAMES[0], Time(9)), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Every frame shows what all single trades come to that are not void, whatever was dropped. Proves MKT-035.
        #[test]
        fn candles_are_those_of_all_trades(
            steps in prop::collection::vec(
                (prop_oneof![0..30_u64, 0..900_u64, 0..400_000_u64], 1..9_u64, 0..9_u64, any::<Option<prop::sample::Index>>()),
                0..60,
            ),
            wait in prop_oneof![0..3_u64, 0..3_000_u64],
        ) {
            let mut time = 1_700_000_000_000_000;
            let mut trades = Vec::new();
            let mut candles = Candles::default();
            for (seconds, ticks, hundredths, broken) in steps {
                time += seconds * 1_000_000;
                let qty = Qty::from_hundredths(u128::from(hundredths));
                candles.trade(SYMBOL, Time(time), Price::from_ticks(ticks), qty);
                trades.push((time, ticks, hundredths));
                if let Some(at) = broken.map(|at| at.index(trades.len())) {
                    candles.correct(&break_of(&trades, at));
                    trades.remove(at);
                }
            }
            let now = time + wait * 60_000_000;
            for frame in FRAMES {
                prop_assert_eq!(candles.newest(SYMBOL, frame, Time(now)), model(&trades, frame, now));
            }
        }
    }
}
