//! Foreign exchange rates, as one list.

use super::Naive;
use buttonwood_engine::{Answer, FxPair, FxRate, NewRates, Outcome, Quote, Rates, RatesReject, Reject};
use buttonwood_model::Time;

/// A row of the list.
#[derive(Clone)]
pub(super) struct Row {
    pair: FxPair,
    millis: u64,
    rate: FxRate,
    provider: String,
}

impl Row {
    fn quote(&self) -> Quote<'_> {
        Quote { time: Time(self.millis * 1_000), rate: self.rate, provider: &self.provider }
    }
}

impl Naive {
    pub(super) fn add_rates(&mut self, new: &NewRates) -> Answer {
        match self.flaw(new) {
            Some(reject) => Outcome::Rejected(Reject::Rates(reject)),
            None => {
                for (millis, rate) in new.rates.iter().copied() {
                    self.fx.push(Row { pair: new.pair, millis, rate, provider: new.provider.clone() });
                }
                Outcome::Done
            }
        }
    }

    fn flaw(&self, new: &NewRates) -> Option<RatesReject> {
        if new.provider.is_empty() {
            return Some(RatesReject::BadProvider);
        }
        if new.rates.is_empty() {
            return Some(RatesReject::BadCount);
        }
        new.rates.iter().enumerate().find_map(|(at, (millis, rate))| {
            let is_known = |known: &Row| known.pair == new.pair && known.millis == *millis;
            if rate.units() == 0 {
                Some(RatesReject::BadRate)
            } else if at > 0 && new.rates[at - 1].0 >= *millis {
                Some(RatesReject::BadTime)
            } else if self.fx.iter().any(is_known) {
                Some(RatesReject::Taken(Time(millis * 1_000)))
            } else {
                None
            }
        })
    }

    /// An amount of a pair's foreign currency in dollars, at the newest rate; zero without one.
    pub(super) fn at_rate(&self, pair: Option<FxPair>, amount: i128) -> i128 {
        let until = self.now.millis();
        let known = self.fx.iter().filter(|row| Some(row.pair) == pair && row.millis <= until);
        let newest = known.max_by_key(|row| row.millis);
        newest.map_or(0, |row| amount * i128::from(row.rate.units()) / 1_000_000_000_000)
    }

    /// The first difference from the rates of the core: in a history, or in the rate of `now`.
    pub(crate) fn differs_from(&self, rates: &Rates, now: Time) -> Option<String> {
        FxPair::ALL.into_iter().find_map(|pair| {
            let mut known: Vec<_> = self.fx.iter().filter(|rate| rate.pair == pair).map(Row::quote).collect();
            known.sort_by_key(|quote| quote.time);
            if !rates.of(pair).eq(known.iter().copied()) {
                return Some(format!("rates of {pair:?} are not {known:?}"));
            }
            let expected = known.iter().rfind(|quote| quote.time <= now);
            let got = rates.at(pair, now);
            (got != expected.copied()).then(|| format!("rate of {pair:?} {got:?}, expected {expected:?}"))
        })
    }
}
