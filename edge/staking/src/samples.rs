//! The providers that a sandbox is given once, and the coins that their rewards are paid from.

use buttonwood_engine::staking::{PairTerms, Provider, Rate, Terms};
use buttonwood_engine::{Body, StakingCommand, State};
use buttonwood_model::CurrencyId;
use buttonwood_num::{MONEY_DECIMALS, Money};
use std::sync::Arc;

/// Providers of a sandbox: how long each takes to redeem, in seconds.
const PROVIDERS: [(&str, u64); 2] =
    [("0b2c5a1e-6f4d-4c8e-9a57-3d1e8f60b7a1", 0), ("7d9e3f42-81ac-4b06-b5d3-c26a904e1f58", 7 * 86_400)];

/// The currencies of each provider, and their rates in millionths of a basis point.
const RATES: [(&str, u64); 4] =
    [("ETH", 228_019_700), ("SOL", 590_000_000), ("MATIC", 540_000_000), ("DOT", 1_050_000_000)];

/// The most dollars that an account may stake with a pair in a month.
const LIMIT: i128 = 500_000;

/// The coins of each currency that rewards are paid from.
const REWARDS: i128 = 1_000_000;

/// The terms of the providers, and the money of their rewards, for a sandbox without any pair.
pub fn samples(state: &State) -> Vec<Body> {
    if state.staking().pairs().next().is_some() {
        return Vec::new();
    }
    let coins = RATES.into_iter().filter_map(|(code, rate)| {
        let place = state.currencies().iter().position(|currency| currency.code == code)?;
        Some((CurrencyId::from_index(place), Rate(rate)))
    });
    let coins: Vec<_> = coins.collect();
    let providers = PROVIDERS.into_iter().filter_map(|(text, wait)| Some((text.parse().ok()?, wait)));
    let pairs = providers.flat_map(|provider| coins.iter().map(move |coin| (provider, *coin)));
    let terms = pairs.map(|((provider, wait), (currency, rate))| set(provider, currency, wait, rate));
    let funds = coins.iter().map(|(currency, _)| StakingCommand::Fund(*currency, whole(REWARDS)).into());
    terms.chain(funds).collect()
}

fn set(provider: Provider, currency: CurrencyId, wait: u64, rate: Rate) -> Body {
    let terms = Terms { rate, limit: whole(LIMIT), wait, per_day: None, paused: false };
    StakingCommand::SetTerms(Arc::new(PairTerms { provider, currency, terms })).into()
}

fn whole(amount: i128) -> Money {
    Money::from_units(amount * 10_i128.pow(u32::from(MONEY_DECIMALS)))
}
