//! The histories of all pairs.

use crate::{FxPair, FxRate, NewRates};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{Time, TradeId};
use serde::{Deserialize, Serialize};

/// All rates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The names of all providers; a rate refers to its own by position.
    providers: Vec<String>,
    /// By pair; each history is sorted by time, with no time twice.
    histories: BTreeMap<FxPair, Vec<Stored>>,
}

/// A rate in its history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stored {
    /// Milliseconds since 1970: as precise as a reply shows it.
    millis: u64,
    rate: FxRate,
    provider: u32,
    /// The id that the next order or trade was to get when the rate was added.
    next_id: u64,
}

/// A rate with its time and its provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote<'a> {
    /// The time from which it is the pair's rate.
    pub time: Time,
    /// Dollars per one unit of the foreign currency.
    pub rate: FxRate,
    /// The name of its source.
    pub provider: &'a str,
}

impl Rates {
    /// The newest rate that is not later than `time`; `None` before the first one (FX-008).
    pub fn at(&self, pair: FxPair, time: Time) -> Option<Quote<'_>> {
        let history = self.history(pair);
        let after = history.partition_point(|stored| stored.millis <= time.millis());
        history.get(after.checked_sub(1)?).map(|stored| self.quote(stored))
    }

    /// Like [`Rates::at`], of the rates that stood when a trade got its id: a rate may be added later than its time.
    pub fn known_to(&self, trade: TradeId, pair: FxPair, time: Time) -> Option<Quote<'_>> {
        let mut until = self.history(pair).iter().rev().skip_while(|stored| stored.millis > time.millis());
        until.find(|stored| stored.next_id <= trade.0).map(|stored| self.quote(stored))
    }

    /// The rate of exactly this millisecond.
    pub fn exactly_at(&self, pair: FxPair, time: Time) -> Option<Quote<'_>> {
        self.at(pair, time).filter(|quote| quote.time.millis() == time.millis())
    }

    /// Every rate of a pair, oldest first.
    pub fn of(&self, pair: FxPair) -> impl Iterator<Item = Quote<'_>> {
        self.history(pair).iter().map(|stored| self.quote(stored))
    }

    fn history(&self, pair: FxPair) -> &[Stored] {
        self.histories.get(&pair).map_or(&[], Vec::as_slice)
    }

    fn quote(&self, stored: &Stored) -> Quote<'_> {
        let index = usize::try_from(stored.provider).unwrap_or(usize::MAX);
        Quote {
            time: Time(stored.millis * 1_000),
            rate: stored.rate,
            provider: self.providers.get(index).map_or("", String::as_str),
        }
    }

    /// Adds rates that [`crate::decide`] has checked.
    pub(crate) fn add(&mut self, added: NewRates, next_id: u64) {
        let NewRates { pair, provider, rates } = added;
        let known = self.providers.iter().position(|name| *name == provider);
        let place = known.unwrap_or_else(|| {
            self.providers.push(provider);
            self.providers.len() - 1
        });
        let provider = u32::try_from(place).expect("fewer than 2^32 providers");
        let history = self.histories.entry(pair).or_default();
        history.extend(rates.into_iter().map(|(millis, rate)| Stored { millis, rate, provider, next_id }));
        // Most often the new rates are the latest, and the sort finds them in order.
        history.sort_by_key(|stored| stored.millis);
    }
}
