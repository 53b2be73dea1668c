//! Candles of all time from a pass over public trades, for an export and for the history's tables.
//!
//! [`Candles`](crate::Candles) keeps what an answer shows; here a candle leaves as soon as a later trade closes it, so that
//! memory holds one a symbol and time frame.

use crate::{Candle, FRAMES, Frame};
use buttonwood_model::{SymbolId, Time};
use buttonwood_num::{Price, Qty};

/// The candle in progress of every symbol and time frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bars {
    symbols: Vec<[Option<Candle>; FRAMES.len()]>,
}

impl Bars {
    /// Records a trade; times never decrease. Each candle that it closes goes to `closed`, with the time when the next
    /// one with a trade begins. Contracts have no candles.
    pub fn trade(
        &mut self,
        symbol: SymbolId,
        time: Time,
        price: Price,
        qty: Qty,
        mut closed: impl FnMut(Frame, Candle, Time),
    ) {
        if symbol.is_contract() {
            return;
        }
        if symbol.index() >= self.symbols.len() {
            self.symbols.resize(symbol.index() + 1, [None; FRAMES.len()]);
        }
        let bars = self.symbols.get_mut(symbol.index()).expect("the table has grown to the symbol");
        for (bar, frame) in bars.iter_mut().zip(FRAMES) {
            let start = frame.start_of(time);
            match bar {
                Some(bar) if bar.start == start => bar.add(price, qty),
                _ => {
                    if let Some(whole) = bar.replace(Candle::of_trade(start, price, qty)) {
                        closed(frame, whole, start);
                    }
                }
            }
        }
    }

    /// The candles in progress, by symbol and time frame.
    pub fn in_progress(&self) -> impl Iterator<Item = (SymbolId, Frame, Candle)> {
        self.symbols.iter().enumerate().flat_map(|(symbol, bars)| {
            let known = bars.iter().zip(FRAMES).filter_map(|(bar, frame)| Some((frame, (*bar)?)));
            known.map(move |(frame, bar)| (SymbolId::from_index(symbol), frame, bar))
        })
    }
}

impl Candle {
    /// The candle of one trade.
    pub fn of_trade(start: Time, price: Price, qty: Qty) -> Self {
        Self { start, open: price, high: price, low: price, close: price, volume: qty }
    }

    /// Adds a later trade of its interval.
    pub fn add(&mut self, price: Price, qty: Qty) {
        self.high = self.high.max(price);
        self.low = self.low.min(price);
        self.close = price;
        self.volume += qty;
    }

    /// This candle, and those without a trade after it that begin before `until` (MKT-031).
    pub fn until(self, frame: Frame, until: Time) -> impl Iterator<Item = Self> {
        let first = frame.interval(self.start);
        let starts = (first + 1..).map(move |interval| frame.start(interval));
        let price = self.close;
        let still = starts.take_while(move |start| *start < until).map(move |start| Self {
            start,
            open: price,
            high: price,
            low: price,
            close: price,
            volume: Qty::ZERO,
        });
        std::iter::once(self).chain(still)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Candles;
    use proptest::prelude::*;

    const SYMBOL: SymbolId = SymbolId(1);

    /// Contracts have no candles, so that a contract takes no room here.
    #[test]
    fn contracts_have_no_candles() {
        let (mut bars, mut candles, contract) =
            (Bars::default(), Candles::default(), SymbolId::contract(999_999));
        let (time, price, qty) =
            (Time(1_700_000_000_000_000), Price::from_ticks(40), Qty::from_hundredths(100));
        candles.trade(contract, time, price, qty);
        bars.trade(contract, time, price, qty, |_, _, _| {});
        assert_eq!((bars.in_progress().count(), candles), (0, Candles::default()));
        assert!(bars.symbols.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Closed candles and those in progress, with the still ones between them, are those that the views show.
        #[test]
        fn they_are_the_candles_of_the_views(
            steps in prop::collection::vec((prop_oneof![0..30_u64, 0..900_u64, 0..40_000_u64], 1..9_u64, 0..9_u64), 1..40),
            wait in prop_oneof![0..3_u64, 0..300_u64],
        ) {
            let mut now = Time(1_700_000_000_000_000);
            let (mut bars, mut candles) = (Bars::default(), Candles::default());
            let mut all: Vec<(Frame, Candle)> = Vec::new();
            for (seconds, ticks, hundredths) in steps {
                now = now.plus(seconds * Time::SECOND);
                let (price, qty) = (Price::from_ticks(ticks), Qty::from_hundredths(u128::from(hundredths)));
                candles.trade(SYMBOL, now, price, qty);
                bars.trade(SYMBOL, now, price, qty, |frame, candle, next| {
                    all.extend(candle.until(frame, next).map(|candle| (frame, candle)));
                });
            }
            now = now.plus(wait * 60 * Time::SECOND);
            for (symbol, frame, candle) in bars.in_progress() {
                prop_assert_eq!(symbol, SYMBOL);
                all.extend(candle.until(frame, now.plus(1)).map(|candle| (frame, candle)));
            }
            for frame in FRAMES {
                let own: Vec<Candle> = all.iter().rev().filter(|(of, _)| *of == frame).map(|(_, candle)| *candle).collect();
                let shown = candles.newest(SYMBOL, frame, now);
                prop_assert!(own.starts_with(&shown));
                prop_assert!(own.len() == shown.len() || shown.len() == usize::try_from(frame.shown).unwrap());
            }
        }
    }
}
