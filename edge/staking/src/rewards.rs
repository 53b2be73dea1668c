//! `POST /v1/staking/rewards`: the interest of the account, by provider, currency and rate (STK-018 to STK-020).

use super::shown;
use buttonwood_call::{App, Call, Kinds, Route, not_current};
use buttonwood_engine::staking::{Provider, Rate};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{CurrencyId, Role, Time};
use buttonwood_num::Money;
use buttonwood_tables::{Pair, RatePeriod as Run};
use buttonwood_wire::contract::{DecimalNumber, InPayload, IsoTime, Moment, Needed, Text};
use buttonwood_wire::time::iso_millis;
use buttonwood_wire::{answer, json, request};
use std::collections::BTreeMap;

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route =
    Route::recalling("/v1/staking/rewards", |app, call| Box::pin(answer(app, call)))
        .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
        .kinds(Kinds::Exchange)
        .about("Sums up the account's interest, by provider and currency.")
        .notes(&[
            "A rate period is a run of consecutive accruals at one rate: a rate that returns begins a new \
             one. Only accruals within the asked time count. Without any the answer is empty.",
        ])
        .takes::<RewardsAsked>()
        .gives::<BTreeMap<String, BTreeMap<String, Rewards>>>();

request! {
    /// Which interest of the account.
    struct RewardsAsked in InPayload {
        /// Interest from this time on.
        since: Needed<Moment>,
        /// Interest up to this time; without it up to now.
        until: Moment,
        /// That of this provider alone, a version 4 UUID.
        provider as "providerId": Text,
        /// That in this currency alone.
        currency: Text,
    }
}

answer! {
    /// The interest with a provider in a currency.
    struct Rewards {
        /// The provider.
        provider_id as "providerId": String,
        /// The currency.
        currency: String,
        /// The sum of the interest.
        accrual_total as "accrualTotal": DecimalNumber,
        /// The same by rate, the oldest first.
        rate_periods as "ratePeriods": Vec<RatePeriod>,
    }
}

answer! {
    /// A run of accruals at one rate.
    struct RatePeriod {
        /// The provider.
        provider_id as "providerId": String,
        /// The currency.
        currency: String,
        /// What the rate yields in a year of daily compounding, in percent, rounded to 2 decimals.
        apy_pct as "apyPct": DecimalNumber,
        /// The simple rate of a year, in percent.
        rate_pct as "ratePct": DecimalNumber,
        /// How many accruals.
        accruals as "numberOfAccruals": u64,
        /// Their sum.
        accrual_total as "accrualTotal": DecimalNumber,
        /// The time of the first one.
        first as "firstAccrualAt": IsoTime,
        /// The time of the last one.
        last as "lastAccrualAt": IsoTime,
    }
}

async fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let asked = RewardsAsked::of(call.payload());
    let (since, until) = (asked.since()?, asked.until()?);
    let provider = asked.provider()?.map(|text| shown::provider(&text)).transpose()?;
    let currency = asked.currency()?.map(|code| shown::currency(app, &code)).transpose()?;
    let pairs: Vec<Pair> = {
        let views = app.exchange.views();
        shown::pairs(views.state().staking(), provider, currency).collect()
    };
    let (account, between) = (call.account(), shown::between(Some(since), until));
    let found = app.exchange.query_tables(move |tables| tables.staking_periods(account, between, &pairs));
    let found = found.await.map_err(|fault| not_current(&fault))?;
    Ok(Reply::json(json::body(&rewards(app, &found))))
}

fn rewards(app: &App, runs: &[Run]) -> BTreeMap<String, BTreeMap<String, Rewards>> {
    let mut all: BTreeMap<String, BTreeMap<String, Rewards>> = BTreeMap::new();
    for own in runs.chunk_by(|left, right| left.pair == right.pair) {
        let Some(Run { pair, .. }) = own.first() else { continue };
        let (provider, code) = names(app, *pair);
        let total = own.iter().fold(Money::ZERO, |sum, run| sum.capped_add(run.total));
        let rewards = Rewards {
            provider_id: provider.clone(),
            currency: code.clone(),
            accrual_total: shown::amount(total),
            rate_periods: own.iter().map(|run| period(app, run)).collect(),
        };
        all.entry(provider).or_default().insert(code, rewards);
    }
    all
}

fn period(app: &App, run: &Run) -> RatePeriod {
    let (provider_id, currency) = names(app, run.pair);
    let [first, last] = [run.first, run.last].map(|millis| IsoTime(iso_millis(Time(millis * 1_000))));
    RatePeriod {
        provider_id,
        currency,
        apy_pct: shown::yield_percent(Rate(run.rate)),
        rate_pct: shown::percent(Rate(run.rate)),
        accruals: run.accruals,
        accrual_total: shown::amount(run.total),
        first,
        last,
    }
}

fn names(app: &App, Pair { provider, currency }: Pair) -> (String, String) {
    (Provider(provider).to_string(), code(app, currency))
}

fn code(app: &App, currency: CurrencyId) -> String {
    app.names.currency(currency).code.clone()
}
