//! `staking terms`: the terms of a provider and a currency; and the money that interest is paid from (STK-003, D-95, D-97).

use buttonwood_engine::staking::{PairTerms, Provider, Rate, Reject as StakingReject, Terms, WAIT_MAX};
use buttonwood_engine::{Reject, StakingCommand};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::{Decimal as Number, MONEY_DECIMALS, Money, push_trimmed};
use buttonwood_operate::field::{self, bad_amount};
use buttonwood_operate::{Argument, Command, Effect, Form, HOUSE, Operator};
use buttonwood_wire::contract::{Decimal, DecimalText, Done, Flag, InPayload, Needed, Text, WholeUpTo};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Decimals of a rate in basis points.
const RATE_DECIMALS: u8 = 6;

/// Also `POST /sandbox/staking/terms`. To pause a pair takes one operator (D-184).
pub(crate) const TERMS: Command =
    Command::once("staking terms", Effect::SetsTerms, |operator, fields| Box::pin(set(operator, fields)))
        .about(
            "Sets the terms of staking a currency with a provider, new or changed; a changed rate counts after the next accrual, and an \
             option that is left out gets its default.",
        )
        .after("funding set")
        .alone(only_pauses)
        .takes::<SetTerms>(&[
            Argument::new("provider_id", Form::Place),
            Argument::new("currency", Form::Place),
            Argument::new("rate_bps", Form::Option),
            Argument::new("deposit_usd_limit", Form::Option),
            Argument::new("redemption_seconds", Form::Option),
            Argument::new("redemption_per_day", Form::Option),
            Argument::new("paused", Form::Switch),
        ])
        .gives::<StakingTermsSet>();

/// `POST /sandbox/staking/fund`, which pays what interest comes from.
pub(crate) const FUND: Command = HOUSE
    .called::<Fund, StakingFunded>(|operator, fields| Box::pin(fund(operator, fields)))
    .about("Pays `staking_rewards` from the house's source account; a day of interest that waits and can be paid now is paid first.");

request! {
    /// Terms of staking.
    struct SetTerms in InPayload {
        /// The provider: a uuid of version 4.
        provider_id: Needed<Text>,
        /// The currency.
        currency: Needed<Text>,
        /// The simple yearly rate in basis points, with at most 6 decimals; at most 100,000.
        rate_bps: Needed<Decimal>,
        /// The most dollars that an account may stake in a month (UTC).
        deposit_usd_limit: Needed<Decimal>,
        /// How long a redemption takes, in seconds.
        redemption_seconds: Needed<WholeUpTo<WAIT_MAX>>,
        /// The most that is paid out on a UTC day, above zero; without it nothing bounds that.
        redemption_per_day: Decimal,
        /// Whether new stakes are refused.
        paused: Flag<false>,
    }
}

request! {
    /// Money that interest is paid from.
    struct Fund in InPayload {
        /// The currency.
        currency: Needed<Text>,
        /// How much.
        amount: Needed<Decimal>,
    }
}

answer! {
    /// The terms of a provider and a currency.
    struct StakingTermsSet {
        /// Always `ok`.
        result: Done,
        /// The provider.
        provider_id: String,
        /// The currency.
        currency: String,
        /// The rate, in basis points.
        rate_bps: DecimalText,
        /// The most dollars that an account may stake in a month.
        deposit_usd_limit: DecimalText,
        /// How long a redemption takes, in seconds.
        redemption_seconds: u64,
        /// The most that is paid out on a UTC day.
        redemption_per_day: Option<DecimalText>,
        /// Whether new stakes are refused.
        paused: bool,
    }
}

answer! {
    /// The payment to `staking_rewards`.
    struct StakingFunded {
        /// Always `ok`.
        result: Done,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
    }
}

/// The terms that the fields ask for.
fn read(operator: &Operator<'_>, fields: &Payload) -> Result<PairTerms, Refusal> {
    let request = SetTerms::of(fields);
    let (provider, code) = (request.provider_id()?, request.currency()?);
    let provider: Provider =
        provider.parse().map_err(|_| bad_value("provider_id", "a uuid of version 4", &provider))?;
    let currency = operator.find_currency(&code)?;
    let (rate, limit) = (request.rate_bps()?, request.deposit_usd_limit()?);
    let rate = rate_of(&rate)
        .ok_or_else(|| bad_value("rate_bps", "a decimal of 0 to 100000 with at most 6 decimals", &rate))?;
    let limit = field::money(&limit)
        .ok_or_else(|| bad_value("deposit_usd_limit", "an amount of dollars, 0 or more", &limit))?;
    let per_day = request.redemption_per_day().map(|text| {
        let most = field::money(&text).filter(|most| *most > Money::ZERO);
        most.ok_or_else(|| bad_value("redemption_per_day", "an amount above 0", &text))
    });
    let (wait, per_day) = (request.redemption_seconds()?, per_day.transpose()?);
    Ok(PairTerms {
        provider,
        currency,
        terms: Terms { rate, limit, wait, per_day, paused: request.paused()? },
    })
}

/// A rate in basis points.
fn rate_of(text: &str) -> Option<Rate> {
    let decimal = Number::parse(text.as_bytes()).ok()?;
    let rate = Rate(u64::try_from(decimal.units(RATE_DECIMALS)?).ok()?);
    (rate <= Rate::MAX).then_some(rate)
}

/// Whether the fields change nothing but that new stakes are refused.
fn only_pauses(operator: &Operator<'_>, fields: &Payload) -> bool {
    let Ok(PairTerms { provider, currency, terms }) = read(operator, fields) else { return false };
    let views = operator.exchange.views();
    let now = views.state().staking().find(provider, currency).map(|(_, pair)| pair.terms);
    now.is_some_and(|now| terms.paused && terms == Terms { paused: true, ..now })
}

async fn set(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let set = read(operator, fields)?;
    let refuse = |reject| {
        (reject == Reject::Staking(StakingReject::TooManyPairs)).then(|| {
            let expected = "one of at most 1000 pairs of a provider and a currency";
            bad_value("provider_id", expected, &set.provider.to_string())
        })
    };
    operator.send(StakingCommand::SetTerms(Arc::new(set)), refuse).await?;
    let Terms { rate, limit, wait, per_day, paused } = set.terms;
    Ok(json::body(&StakingTermsSet {
        result: Done,
        provider_id: set.provider.to_string(),
        currency: operator.names.currency(set.currency).code.clone(),
        rate_bps: DecimalText::of(|out| push_trimmed(out, rate.0.into(), RATE_DECIMALS)),
        deposit_usd_limit: shown(limit),
        redemption_seconds: wait,
        redemption_per_day: per_day.map(shown),
        paused,
    }))
}

async fn fund(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Fund::of(fields);
    let (code, text) = (request.currency()?, request.amount()?);
    let currency = operator.find_currency(&code)?;
    let amount = field::amount(&text)?;
    let refuse = |reject| matches!(reject, Reject::Staking(_)).then(|| bad_amount(&text));
    operator.send(StakingCommand::Fund(currency, amount), refuse).await?;
    operator.catch_up().await;
    let currency = operator.names.currency(currency).code.clone();
    Ok(json::body(&StakingFunded { result: Done, currency, amount: shown(amount) }))
}

fn shown(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}
