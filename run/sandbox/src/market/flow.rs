//! The trades of a beat: how many, which way, how large.
//!
//! Trades come in bursts: now and then a minute of a symbol, or of the whole market, has many more than others. Those who trade mostly
//! go one way for some minutes, as they do elsewhere, so prices do not bounce between bid and ask with each trade.

use super::noise::{below, mix};
use super::walk::liveliness;
use buttonwood_model::Side;

/// One, as expectations and noise are counted.
pub(crate) const ONE: u64 = 1_000_000;
/// Most trades of a symbol in a beat.
const TRADES_MAX: u64 = 6;
/// Symbols with so many trades an hour have spreads that are small against what their prices move: their trades often go against the run.
const MIXED: u64 = 300;
/// Seconds for which most trades of a symbol go one way.
const RUN: u64 = 480;

/// The number that parts their draws from each other.
const ALL: u64 = 11;
const OWN: u64 = 12;
const COUNT: u64 = 13;
const WAY: u64 = 14;
const TURN: u64 = 15;
const SIZE: u64 = 16;

/// The trades of a symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    pub(crate) seed: u64,
    /// The number of the symbol.
    pub(crate) symbol: u64,
    /// How many there are in an hour, on average.
    pub(crate) hourly: u64,
}

impl Flow {
    /// How many trades the beat has that begins at a second and lasts so many.
    pub(crate) fn count(&self, second: u64, length: u64) -> u64 {
        let minute = second / 60;
        let all = if below(mix(self.seed, &[ALL, minute]), 30) == 0 { 3 } else { 1 };
        let own = if below(mix(self.seed, &[OWN, self.symbol, minute]), 20) == 0 { 8 } else { 1 };
        let expected = self.hourly * length * ONE / 3_600 * liveliness(second) / 100 * all * own * 7 / 10;
        let (whole, rest) = (expected / ONE, expected % ONE);
        let drawn = below(mix(self.seed, &[COUNT, self.symbol, second]), ONE);
        (whole + u64::from(drawn < rest)).min(TRADES_MAX)
    }

    /// Which way a trade goes.
    pub(crate) fn side(&self, second: u64, number: u64) -> Side {
        let run = (second + below(self.symbol, RUN)) / RUN;
        let buys = mix(self.seed, &[WAY, self.symbol, run]) & 1 == 0;
        let turns =
            self.hourly >= MIXED && below(mix(self.seed, &[TURN, self.symbol, second, number]), 4) == 0;
        if buys == turns { Side::Sell } else { Side::Buy }
    }

    /// The size of a trade, from 0 to below a million parts: mostly small.
    pub(crate) fn size(&self, second: u64, number: u64) -> u64 {
        let drawn = below(mix(self.seed, &[SIZE, self.symbol, second, number]), ONE);
        drawn * drawn / ONE / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(hourly: u64) -> Flow {
        Flow { seed: 3, symbol: 77, hourly }
    }

    /// A day has about the trades that it should have, and its busiest minutes have many more than others.
    #[test]
    fn trades_come_in_bursts() {
        let minute =
            |minute: u64| (0..15).map(|beat| flow(400).count(minute * 60 + beat * 4, 4)).sum::<u64>();
        let mut minutes: Vec<u64> = (0..1_440).map(minute).collect();
        let all: u64 = minutes.iter().sum();
        assert!((7_000..13_000).contains(&all), "{all}");
        minutes.sort_unstable();
        assert!(minutes[1_400] > 3 * minutes[720], "{} {}", minutes[1_400], minutes[720]);
    }

    /// Both sides trade about equally, for some minutes mostly one of them.
    #[test]
    fn trades_go_one_way_for_a_while() {
        for (hourly, is_mixed) in [(100, false), (400, true)] {
            let buys: Vec<bool> =
                (0..86_400 / 4).map(|beat| flow(hourly).side(beat * 4, 0) == Side::Buy).collect();
            let count = buys.iter().filter(|buys| **buys).count();
            assert!((8_000..13_600).contains(&count), "{count}");
            let same = buys.windows(2).filter(|two| two[0] == two[1]).count();
            let most = if is_mixed { 12_000..15_500 } else { 21_400..21_600 };
            assert!(most.contains(&same), "{is_mixed}: {same}");
        }
    }
}
