//! Rewards of prediction markets: rates, pools and rebates (PM-029, PM-030, PM-032, PM-033). They are off: parameters are checked, and the
//! answer is 503.

use super::{READ, READERS};
use crate::app::App;
use crate::call::{Asked, Call};
use crate::route::{Route, SignedQuery};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::contract::{InEither, InQuery, Offset, Rows, Text, Words};
use buttonwood_wire::prediction_rewards::{
    RebatePayouts, RebateRules, RewardConfig, RewardEvents, RewardSortName,
};
use buttonwood_wire::{json, request};

/// The code of a wrong parameter.
pub(super) const WRONG: &str = "BAD_REQUEST";

/// Public.
pub(crate) const RATES: Route = Route::public("/v1/prediction-markets/maker-rebate/rates", |_, _| off())
    .coded_as(WRONG)
    .about("Lists the parts of maker fees that are given back.")
    .takes::<WantedRates>()
    .gives::<RebateRules>();

/// Public.
pub(crate) const CONFIG: Route = Route::public("/v1/prediction-markets/liquidity-rewards/config", config)
    .coded_as(WRONG)
    .about("Reports how liquidity is rewarded.")
    .gives::<RewardConfig>();

/// Public.
pub(crate) const EVENTS: Route = Route::public("/v1/prediction-markets/liquidity-rewards/events", events)
    .coded_as(WRONG)
    .about("Lists the events whose makers are rewarded.")
    .takes::<WantedEvents>()
    .gives::<RewardEvents>();

/// Trader or Auditor.
pub(crate) const PAYOUTS: Route = Route::reading("/v1/prediction-markets/maker-rebate/payouts", payouts)
    .roles(READERS)
    .scopes(READ)
    .queried(SignedQuery::Optional)
    .coded_as(WRONG)
    .about("Lists the account's rebates, the newest first.")
    .notes(&["Its parameters may be in the query string too; of one in both the payload counts."])
    .takes::<WantedPayouts>()
    .gives::<RebatePayouts>();

request! {
    /// Which rates.
    struct WantedRates in InQuery {
        /// Rates for this category alone.
        category: Text,
    }
}

request! {
    /// Which events.
    struct WantedEvents in InQuery {
        /// Events of these categories alone, with commas between them.
        category: Text,
        /// Events with this text in their title.
        search: Text,
        /// The order of the list; `daily_pool_desc` is the default.
        sort: Text,
        /// How many events; more than 100 are 100.
        limit: Rows<50, 100>,
        /// How many events are left out before the first one.
        offset: Offset,
    }
}

request! {
    /// Which rebates.
    struct WantedPayouts in InEither {
        /// How many rebates; more than 100 are 100.
        limit: Rows<50, 100>,
        /// How many rebates are left out before the first one.
        offset: Offset,
    }
}

/// The refusal while rewards are off.
pub(super) fn off() -> Result<Reply, Refusal> {
    Err(Refusal::coded(503, "SERVICE_UNAVAILABLE", "Rewards of prediction markets are off"))
}

#[expect(clippy::unnecessary_wraps, reason = "the form of every endpoint")]
fn config(_app: &App, _asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let config = RewardConfig { enabled: false, max_spread_cents: None, min_payout_threshold_usd: None };
    Ok(Reply::json(json::body(&config)))
}

fn events(_app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let wanted = WantedEvents::of(asked.query);
    wanted.limit()?;
    wanted.offset()?;
    if let Some(sort) = wanted.sort().filter(|sort| !RewardSortName::WORDS.contains(sort)) {
        let expected = format!("one of {}", RewardSortName::WORDS.join(", "));
        return Err(Refusal::misfit("Query parameter", "sort", &expected, sort));
    }
    off()
}

fn payouts(_app: &App, call: &Call) -> Result<Reply, Refusal> {
    let wanted = WantedPayouts::of(call.either());
    wanted.limit()?;
    wanted.offset()?;
    off()
}
