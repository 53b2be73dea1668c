//! Sums of an account's rewards in prediction markets (PM-031, PM-034). They are off: dates are checked, and the answer is 503.

use super::rewards::{WRONG, off};
use super::{READ, READERS};
use crate::app::App;
use crate::call::Call;
use crate::route::{Route, SignedQuery};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Day;
use buttonwood_wire::contract::{Date, InQuery, Shape};
use buttonwood_wire::prediction_rewards::{RebateTotal, RewardDays, RewardTotal};
use buttonwood_wire::request;

/// The most days of a range: five years.
const DAYS_MAX: u64 = 5 * 366;

/// Trader or Auditor.
pub(crate) const REBATES: Route =
    summary::<RebateTotal>("/v1/prediction-markets/maker-rebate/summary/total", |_, call| summed(call))
        .about("Sums up the account's rebates, over all time or over a range of days.");

/// Trader or Auditor.
pub(crate) const DAILY: Route =
    summary::<RewardDays>("/v1/prediction-markets/liquidity-rewards/summary/daily", daily).about(
        "Lists the account's liquidity rewards by day, which needs a range of days, the newest first.",
    );

/// Trader or Auditor.
pub(crate) const TOTAL: Route =
    summary::<RewardTotal>("/v1/prediction-markets/liquidity-rewards/summary/total", |_, call| summed(call))
        .about("Sums up the account's liquidity rewards, over all time or over a range of days.");

const fn summary<T: Shape>(path: &'static str, answer: fn(&App, &Call) -> Result<Reply, Refusal>) -> Route {
    Route::signed_get(path, answer)
        .roles(READERS)
        .scopes(READ)
        .queried(SignedQuery::Optional)
        .coded_as(WRONG)
        .notes(&[
            "`dateFrom` and `dateTo` come together, are days in Eastern Time, and span at most five years.",
        ])
        .takes::<Days>()
        .gives::<T>()
}

request! {
    /// A range of days.
    struct Days in InQuery {
        /// From this day on; only with `dateTo`.
        date_from as "dateFrom": Date,
        /// Up to this day, which is included; only with `dateFrom`.
        date_to as "dateTo": Date,
    }
}

/// The first and the last day, if the call names them.
///
/// # Errors
/// When only one of them is named, the last is before the first, or the range is too long.
fn range(call: &Call) -> Result<Option<[Day; 2]>, Refusal> {
    let days = Days::of(call.query());
    let [from, to] = match (days.date_from()?, days.date_to()?) {
        (None, None) => return Ok(None),
        (Some(from), Some(to)) => [from, to],
        (Some(_), None) => return Err(missing("dateTo")),
        (None, Some(_)) => return Err(missing("dateFrom")),
    };
    let sent = call.query().value("dateTo").unwrap_or_default();
    if to < from {
        return Err(Refusal::misfit("Query parameter", "dateTo", "no day before 'dateFrom'", sent));
    }
    if to.0.saturating_sub(from.0) > DAYS_MAX {
        return Err(Refusal::misfit(
            "Query parameter",
            "dateTo",
            "at most five years after 'dateFrom'",
            sent,
        ));
    }
    Ok(Some([from, to]))
}

fn missing(name: &str) -> Refusal {
    Refusal::missing_key(name).and("'dateFrom' and 'dateTo' come together")
}

fn summed(call: &Call) -> Result<Reply, Refusal> {
    range(call)?;
    off()
}

fn daily(_app: &App, call: &Call) -> Result<Reply, Refusal> {
    match range(call)? {
        Some(_) => off(),
        None => Err(missing("dateFrom")),
    }
}
