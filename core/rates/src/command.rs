//! Adding rates: the room's only command, and its only event.

use crate::{FxPair, FxRate, Rates};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_model::{BytesRef, Outbox, Time, commands, named};
use serde::{Deserialize, Serialize};

/// Rates of one command at most: it stays below 300 KB in the journal.
pub const RATES_MAX: usize = 10_000;

/// Bytes of a provider's name at most.
const PROVIDER_MAX: usize = 50;

/// A command of this room. No key may send one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Add rates of one pair and one provider.
    AddRates(Arc<NewRates>),
}

/// New rates of one pair and one provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewRates {
    /// The pair.
    pub pair: FxPair,
    /// The name of their source: 1 to 50 bytes without control characters.
    pub provider: String,
    /// Milliseconds since 1970 and the rate, sorted by time.
    pub rates: Vec<(u64, FxRate)>,
}

impl NewRates {
    /// Whether a text may be the name of a provider.
    pub fn is_provider(name: &str) -> bool {
        !name.is_empty() && name.len() <= PROVIDER_MAX && !name.chars().any(char::is_control)
    }
}

commands!(Command, "rates", { AddRates { 0: rates } = "add" 1: exchange neither });

/// An infrequent event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Infrequent {
    /// Rates were added.
    RatesAdded(NewRates),
}

named!(Infrequent, "rates", { RatesAdded { 0: rates } = "added" 1 });

/// Why a command of this room is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The provider has no name, or one that is too long or holds control characters.
    BadProvider,
    /// There is no rate, or there are more than [`RATES_MAX`].
    BadCount,
    /// A rate is zero.
    BadRate,
    /// A time is not after the one before it, or too late to be counted in microseconds.
    BadTime,
    /// The pair has a rate of this time already.
    Taken(Time),
}

/// Decides a command.
///
/// # Errors
/// [`Reject`]; nothing was written then.
pub fn decide<E: From<BytesRef>>(
    rates: &Rates,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    let Command::AddRates(new) = command;
    if !NewRates::is_provider(&new.provider) {
        return Err(Reject::BadProvider);
    }
    if new.rates.is_empty() || new.rates.len() > RATES_MAX {
        return Err(Reject::BadCount);
    }
    let mut earlier = None;
    for (millis, rate) in &new.rates {
        if rate.units() == 0 {
            return Err(Reject::BadRate);
        }
        if earlier.is_some_and(|earlier| earlier >= *millis) || millis.checked_mul(1_000).is_none() {
            return Err(Reject::BadTime);
        }
        earlier = Some(*millis);
        let time = Time(millis * 1_000);
        if rates.exactly_at(new.pair, time).is_some() {
            return Err(Reject::Taken(time));
        }
    }
    out.push_named(&Infrequent::RatesAdded(NewRates::clone(new)));
    Ok(())
}

/// Applies an infrequent event. `next_id` is the next id of orders and trades.
pub fn evolve(rates: &mut Rates, next_id: u64, event: Infrequent) {
    let Infrequent::RatesAdded(added) = event;
    rates.add(added, next_id);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quote;
    use alloc::vec;
    use buttonwood_model::TradeId;

    fn new(provider: &str, rates: &[(u64, u64)]) -> NewRates {
        let rates = rates.iter().map(|(millis, units)| (*millis, FxRate::from_units(*units))).collect();
        NewRates { pair: FxPair::EurUsd, provider: provider.into(), rates }
    }

    fn try_add(rates: &Rates, new: NewRates) -> Result<(), Reject> {
        let mut out = Outbox::<BytesRef>::default();
        decide(rates, &Command::AddRates(Arc::new(new)), &mut out)
    }

    #[track_caller]
    fn add(rates: &mut Rates, new: NewRates) {
        assert_eq!(try_add(rates, new.clone()), Ok(()));
        evolve(rates, 7, Infrequent::RatesAdded(new));
    }

    fn at(rates: &Rates, millis: u64) -> Option<(u64, u64, &str)> {
        let quote = rates.at(FxPair::EurUsd, Time(millis * 1_000 + 999))?;
        Some((quote.time.millis(), quote.rate.units(), quote.provider))
    }

    #[test]
    fn the_newest_rate_that_is_not_later_is_found() {
        let mut rates = Rates::default();
        assert_eq!(at(&rates, 5), None);
        add(&mut rates, new("one", &[(10, 1), (30, 3)]));
        add(&mut rates, new("two", &[(20, 2), (40, 4)]));
        for (millis, expected) in [
            (9, None),
            (10, Some((10, 1, "one"))),
            (19, Some((10, 1, "one"))),
            (20, Some((20, 2, "two"))),
            (39, Some((30, 3, "one"))),
            (u64::MAX / 1_000 - 1, Some((40, 4, "two"))),
        ] {
            assert_eq!(at(&rates, millis), expected, "{millis}");
        }
        assert_eq!(rates.at(FxPair::GbpUsd, Time(50_000)), None);
        let all: Vec<_> = rates.of(FxPair::EurUsd).map(|Quote { time, .. }| time.millis()).collect();
        assert_eq!(all, vec![10, 20, 30, 40]);
    }

    #[test]
    fn a_rate_added_later_than_its_time_is_unknown_to_earlier_trades() {
        let mut rates = Rates::default();
        add(&mut rates, new("one", &[(10, 1)]));
        evolve(&mut rates, 20, Infrequent::RatesAdded(new("two", &[(20, 2)])));
        let known = |trade, millis: u64| {
            let quote = rates.known_to(TradeId(trade), FxPair::EurUsd, Time(millis * 1_000));
            quote.map(|quote| quote.rate.units())
        };
        assert_eq!([6, 7, 19, 20].map(|trade| known(trade, 25)), [None, Some(1), Some(1), Some(2)]);
        assert_eq!((known(20, 19), known(20, 9)), (Some(1), None));
    }

    #[test]
    fn invalid_rates_are_refused() {
        let mut rates = Rates::default();
        add(&mut rates, new("one", &[(10, 1)]));
        let long = "p".repeat(PROVIDER_MAX + 1);
        let most = u64::MAX / 1_000;
        for (new, reject) in [
            (new("", &[(20, 1)]), Reject::BadProvider),
            (new("a\n", &[(20, 1)]), Reject::BadProvider),
            (new(&long, &[(20, 1)]), Reject::BadProvider),
            (new("two", &[]), Reject::BadCount),
            (new("two", &vec![(20, 1); RATES_MAX + 1]), Reject::BadCount),
            (new("two", &[(20, 0)]), Reject::BadRate),
            (new("two", &[(20, 1), (20, 1)]), Reject::BadTime),
            (new("two", &[(21, 1), (20, 1)]), Reject::BadTime),
            (new("two", &[(most + 1, 1)]), Reject::BadTime),
            (new("two", &[(5, 1), (10, 1)]), Reject::Taken(Time(10_000))),
        ] {
            assert_eq!(try_add(&rates, new.clone()), Err(reject), "{:?}", new.provider);
        }
        assert_eq!(try_add(&rates, new("two", &[(most, 1)])), Ok(()));
        let other = NewRates { pair: FxPair::GbpUsd, ..new("two", &[(10, 1)]) };
        assert_eq!(try_add(&rates, other), Ok(()), "the time is taken for another pair only");
    }
}
