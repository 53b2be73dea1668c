//! What a directory needs for staking: the key of the codes of transactions, and in a sandbox two providers and their rewards.

use crate::trouble::Trouble;
use buttonwood_engine::staking::{PairTerms, Provider, Rate, Terms};
use buttonwood_engine::{Body, Command, StakingCommand, State};
use buttonwood_model::{CurrencyId, Time};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_sandbox::Draw;
use buttonwood_sequencer::Recovered;
use std::sync::Arc;

/// Parts the key of codes from all else that is drawn.
const CODES: u64 = 0x7374_616B_696E_6773;

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

/// Gives a sandbox what it lacks: the key, and once its providers and their rewards.
pub(crate) fn furnish(recovered: &mut Recovered, seed: u64, given: bool, time: Time) -> Result<(), Trouble> {
    draw_key(recovered, given.then_some(seed), time)?;
    let missing = {
        let views = recovered.views();
        missing(views.state())
    };
    commit(recovered, time, missing)
}

/// Draws the key of the codes, if the directory has none; it follows from a seed that was given.
pub(crate) fn draw_key(recovered: &mut Recovered, seed: Option<u64>, time: Time) -> Result<(), Trouble> {
    if recovered.views().state().staking().has_key() {
        return Ok(());
    }
    let draw = Draw::new(seed.unwrap_or_default() ^ CODES, seed.is_some());
    let mut draw = draw.map_err(|error| Trouble::System(format!("the system has no randomness: {error}")))?;
    commit(recovered, time, vec![StakingCommand::SetKey(draw.id_key()).into()])
}

/// The terms of the providers, and the money of their rewards, for a sandbox without any pair.
fn missing(state: &State) -> Vec<Body> {
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

fn commit(recovered: &mut Recovered, time: Time, bodies: Vec<Body>) -> Result<(), Trouble> {
    if bodies.is_empty() {
        return Ok(());
    }
    let commands = bodies.into_iter().map(|body| Command { caller: None, body }).collect();
    Ok(recovered.commit(time, commands)?)
}
