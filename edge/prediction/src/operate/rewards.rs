//! `predictions rewards`: the terms of rebates and of rewards for liquidity (D-120).

use super::{find_event, switch};
use buttonwood_engine::prediction::{Event, RewardChange};
use buttonwood_engine::{PredictionCommand, PredictionReject, Reject, State};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::EventId;
use buttonwood_num::Money;
use buttonwood_operate::{Argument, Command, Effect, Form, Operator, field::money};
use buttonwood_wire::contract::{
    Decimal, DecimalText, Done, InPayload, Needed, Objects, Optional, Sent, Switch, Text, WholeUpTo,
};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// The events that may have a pool.
const UNDECIDED: &str = "the ticker of an event that is not decided";

/// Also `POST /sandbox/predictions/rewards`. A field that is left out stays as it is; `pools` replaces all pools.
pub(crate) const COMMAND: Command =
    Command::once("predictions rewards", Effect::SetsTerms, |operator, fields| {
        Box::pin(run(operator, fields))
    })
    .after("predictions fees")
    .about("Sets the rebates of makers and the pools that reward liquidity.")
    .takes::<Rewards>(&[
        Argument::new("enabled", Form::Option),
        Argument::new("rebate_multiplier_bps", Form::Option),
        Argument::new("max_spread_cents", Form::Option),
        Argument::new("min_payout_threshold_usd", Form::Option),
        Argument::new("pools", Form::File),
    ])
    .gives::<RewardsSet>();

request! {
    /// Terms of rewards.
    struct Rewards in InPayload {
        /// Whether rewards are on.
        enabled: Sent<Switch>,
        /// The part of their fees that makers get back, in basis points.
        rebate_multiplier_bps: WholeUpTo<10_000>,
        /// How far from the middle an order scores, in cents; at least 1.
        max_spread_cents: WholeUpTo<100>,
        /// The smallest reward of a day for liquidity that is paid, in dollars.
        min_payout_threshold_usd: Decimal,
        /// Every pool.
        pools: Optional<Objects<Pool<'static>>>,
    }
}

request! {
    /// What the makers of an event share each day.
    struct Pool in InPayload {
        /// The ticker of the event.
        event_ticker: Needed<Text>,
        /// The pool of a day, in dollars and whole cents.
        daily_pool_usd: Needed<Decimal>,
    }
}

answer! {
    /// The terms of rewards that are in force.
    struct RewardsSet {
        /// Always `ok`.
        result: Done,
        /// Whether rewards are on.
        enabled: bool,
        /// The part of their fees that makers get back, in basis points.
        rebate_multiplier_bps: u64,
        /// How far from the middle an order scores, in cents.
        max_spread_cents: u64,
        /// The smallest reward of a day for liquidity that is paid, in dollars.
        min_payout_threshold_usd: DecimalText,
        /// Every pool.
        pools: Vec<PoolSet>,
    }
}

answer! {
    /// A pool that is in force.
    struct PoolSet {
        /// The ticker of the event.
        event_ticker: String,
        /// The pool of a day, in dollars.
        daily_pool_usd: DecimalText,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let change = read(operator, fields)?;
    let mut shown = operator.exchange.views().state().predictions().rewards().terms().clone();
    shown.change(change.clone());
    let refuse = |reject| {
        let Reject::Prediction(reject) = reject else { return None };
        // An event may have been decided since the call was read.
        let (field, expected, got) = if reject == PredictionReject::BadRewards {
            ("pools", "at most 1000 pools", "more")
        } else if reject == PredictionReject::Ended {
            ("event_ticker", UNDECIDED, "one that was decided")
        } else {
            return None;
        };
        Some(bad_value(field, expected, got))
    };
    operator.send(PredictionCommand::SetRewards(Arc::new(change)), refuse).await?;
    let pools = shown.pools.iter().map(|(id, pool)| PoolSet {
        event_ticker: ticker_of(operator.exchange.views().state(), *id),
        daily_pool_usd: DecimalText::dollars(*pool),
    });
    Ok(json::body(&RewardsSet {
        result: Done,
        enabled: shown.enabled,
        rebate_multiplier_bps: shown.rebate_bps.into(),
        max_spread_cents: shown.spread_cents.into(),
        min_payout_threshold_usd: DecimalText::dollars(shown.min_payout),
        pools: pools.collect(),
    }))
}

fn ticker_of(state: &State, id: EventId) -> String {
    state.predictions().event(id).map_or_else(String::new, |event| event.ticker.clone())
}

fn read(operator: &Operator<'_>, fields: &Payload) -> Result<RewardChange, Refusal> {
    let request = Rewards::of(fields);
    let spread = request.max_spread_cents()?;
    if spread == Some(0) {
        return Err(bad_value("max_spread_cents", "a whole number from 1 to 100", "0"));
    }
    let least = request.min_payout_threshold_usd();
    let least = least.map(|text| dollars("min_payout_threshold_usd", &text)).transpose()?;
    let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    Ok(RewardChange {
        enabled: switch("enabled", request.enabled())?,
        rebate_bps: request.rebate_multiplier_bps()?.map(narrow),
        spread_cents: spread.map(narrow),
        min_payout: least,
        pools: request.pools()?.map(|sent| pools(operator, &sent)).transpose()?,
    })
}

fn pools(operator: &Operator<'_>, sent: &[Payload]) -> Result<Vec<(EventId, Money)>, Refusal> {
    let mut pools: Vec<(EventId, Money)> = Vec::new();
    for sent in sent {
        let pool = Pool::of(sent);
        let (ticker, amount) = (pool.event_ticker()?, pool.daily_pool_usd()?);
        let event = find_event(operator, &ticker).map_err(|_| unknown(&ticker))?;
        let is_decided =
            operator.exchange.views().state().predictions().event(event.id).is_some_and(Event::is_decided);
        if is_decided {
            return Err(bad_value("event_ticker", UNDECIDED, &ticker));
        }
        if pools.iter().any(|(id, _)| *id == event.id) {
            return Err(bad_value("event_ticker", "in one pool only", &ticker));
        }
        let cents = "a positive number of dollars with at most two decimals";
        let is_cents =
            amount.rsplit_once('.').is_none_or(|(_, decimals)| decimals.trim_end_matches('0').len() <= 2);
        let daily = dollars("daily_pool_usd", &amount)?;
        if daily <= Money::ZERO || !is_cents {
            return Err(bad_value("daily_pool_usd", cents, &amount));
        }
        pools.push((event.id, daily));
    }
    Ok(pools)
}

fn unknown(ticker: &str) -> Refusal {
    bad_value("event_ticker", "the ticker of an event", ticker)
}

fn dollars(field: &str, text: &str) -> Result<Money, Refusal> {
    money(text).ok_or_else(|| bad_value(field, "a number of dollars with at most 19 decimals", text))
}
