//! `GET /v1/staking/rates`: what each provider pays (STK-003, STK-004).

use super::shown;
use buttonwood_call::{App, Asked, Route};
use buttonwood_engine::staking;
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{DecimalNumber, InQuery, Text};
use buttonwood_wire::field::bad_query;
use buttonwood_wire::{answer, json, request};
use std::collections::BTreeMap;

/// Everyone.
pub(crate) const ROUTE: Route = Route::public("/v1/staking/rates", answer)
    .about("Shows the rates and limits of staking, by provider and currency.")
    .notes(&[
        "New terms are shown at once. A changed rate counts after the next accrual, at 20:00 UTC: the day \
         that runs keeps its own. A pair that takes no new stakes for now is listed too.",
    ])
    .takes::<RatesAsked>()
    .gives::<BTreeMap<String, BTreeMap<String, StakingRate>>>();

request! {
    /// Which rates.
    struct RatesAsked in InQuery {
        /// Those of this currency alone.
        currency: Text,
    }
}

answer! {
    /// The terms of a provider for a currency.
    struct StakingRate {
        /// The provider.
        provider_id as "providerId": String,
        /// The simple rate of a year, in basis points.
        rate: DecimalNumber,
        /// What the rate yields in a year of daily compounding, in percent, rounded to 2 decimals.
        apy_pct as "apyPct": DecimalNumber,
        /// The simple rate of a year, in percent.
        rate_pct as "ratePct": DecimalNumber,
        /// The most dollars that an account may stake in a calendar month (UTC).
        deposit_usd_limit as "depositUsdLimit": DecimalNumber,
    }
}

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let wanted = RatesAsked::of(asked.query).currency();
    let unknown =
        |code| bad_query("currency", "a listed currency", code).with_reason(Reason::InvalidCurrency);
    let wanted = wanted.map(|code| app.currency_id(code).ok_or_else(|| unknown(code))).transpose()?;
    let terms: Vec<staking::PairTerms> = {
        let views = app.exchange.views();
        let pairs = views.state().staking().pairs().map(|(_, pair)| staking::PairTerms {
            provider: pair.provider,
            currency: pair.currency,
            terms: pair.terms,
        });
        pairs.filter(|set| wanted.is_none_or(|wanted| set.currency == wanted)).collect()
    };
    let mut rates: BTreeMap<String, BTreeMap<String, StakingRate>> = BTreeMap::new();
    for set in terms {
        let (provider, currency) = (set.provider.to_string(), app.names.currency(set.currency).code.clone());
        let rate = StakingRate {
            provider_id: provider.clone(),
            rate: shown::basis_points(set.terms.rate),
            apy_pct: shown::yield_percent(set.terms.rate),
            rate_pct: shown::percent(set.terms.rate),
            deposit_usd_limit: shown::amount(set.terms.limit),
        };
        rates.entry(provider).or_default().insert(currency, rate);
    }
    Ok(Reply::json(json::body(&rates)))
}
