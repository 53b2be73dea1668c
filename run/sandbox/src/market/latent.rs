//! One latent price for each asset, in dollars: a function of the seed and of time. Every book is quoted from these.
//!
//! A price is the start price times the exponential of a walk: the whole market's and the asset's own. An operator's pin and fresh prices
//! of feeds take its place while they last.

use super::asset::{Asset, Motion, asset};
use super::noise::of_text;
use super::walk::{DEVIATION, Moment};
use buttonwood_engine::Indices;
use buttonwood_model::{CurrencyId, Time};
use buttonwood_num::{Money, Round};
use std::cell::OnceCell;

/// The walk of the whole market.
const COMMON: u64 = 0x6d61_726b_6574;
/// One, as logarithms and factors are counted.
const ONE: i128 = 1_000_000_000_000;
/// A year's standard deviation of one percent over a period of a walk.
const PERCENT: i128 = 2_577_871_000;
/// How far a pegged price goes from its start.
const PEG: i128 = ONE / 10_000 * 4;
/// The volatility of a pegged price's own walk in a year, in percent.
const PEG_VOLATILITY: i128 = 1;

/// The prices of all assets.
#[derive(Debug)]
pub(crate) struct Latent {
    seed: u64,
    /// By currency.
    assets: Vec<Option<Priced>>,
}

/// An asset with a price.
#[derive(Debug)]
struct Priced {
    kind: Asset,
    start: Money,
    /// The number of its own walk.
    walk: u64,
}

impl Latent {
    /// The prices of these currencies, each with its code and its start price, if it has any.
    pub(crate) fn new<'a>(seed: u64, currencies: impl Iterator<Item = (&'a str, Option<Money>)>) -> Self {
        let priced = |(code, start): (&str, Option<Money>)| {
            Some(Priced { kind: asset(code), start: start?, walk: of_text(code) })
        };
        Self { seed, assets: currencies.map(priced).collect() }
    }

    /// The kind of a currency that has a price.
    pub(crate) fn kind(&self, currency: CurrencyId) -> Option<Asset> {
        self.assets.get(currency.index())?.as_ref().map(|asset| asset.kind)
    }

    /// The prices at a moment.
    pub(crate) fn at<'a>(&'a self, time: Time, indices: &'a Indices) -> Prices<'a> {
        let moment = Moment::of(self.seed, time.seconds());
        let common = moment.value(COMMON);
        Prices {
            assets: &self.assets,
            indices,
            time,
            moment,
            common,
            known: vec![OnceCell::new(); self.assets.len()],
        }
    }
}

/// The prices at a moment; each is computed when it is first wanted.
#[derive(Debug)]
pub(crate) struct Prices<'a> {
    assets: &'a [Option<Priced>],
    indices: &'a Indices,
    time: Time,
    moment: Moment,
    common: i128,
    known: Vec<OnceCell<Option<Money>>>,
}

impl Prices<'_> {
    /// The price of a currency, in dollars.
    pub(crate) fn of(&self, currency: CurrencyId) -> Option<Money> {
        *self.known.get(currency.index())?.get_or_init(|| {
            let given = self.indices.pin(currency);
            let given = given.or_else(|| self.indices.of_feeds(currency, self.time));
            given.or_else(|| self.assets.get(currency.index())?.as_ref()?.price(&self.moment, self.common))
        })
    }
}

impl Priced {
    fn price(&self, moment: &Moment, common: i128) -> Option<Money> {
        let factor = match self.kind.motion {
            Motion::Still => ONE,
            Motion::Pegged => ONE + folded(moment.value(self.walk) * PEG_VOLATILITY * PERCENT / DEVIATION),
            Motion::Walks { volatility, common: share } => {
                let own = (1_000_000 - share * share).isqrt();
                let walk = (share * common + own * moment.value(self.walk)) / 1_000;
                exponential(walk * volatility * PERCENT / DEVIATION)
            }
        };
        self.start.mul_div(factor, ONE, Round::Down).filter(|price| *price > Money::ZERO)
    }
}

/// A walk that turns back at both ends of the peg.
fn folded(walk: i128) -> i128 {
    let place = (walk + PEG).rem_euclid(4 * PEG);
    place.min(4 * PEG - place) - PEG
}

/// The exponential of a logarithm, by its series.
fn exponential(logarithm: i128) -> i128 {
    let logarithm = logarithm.clamp(-4 * ONE, 4 * ONE);
    let (mut sum, mut term) = (0, ONE);
    for place in 1..64 {
        sum += term;
        term = term * logarithm / (place * ONE);
    }
    sum.max(1)
}

#[cfg(test)]
mod tests;
