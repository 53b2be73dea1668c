//! Sums of an account's rewards in prediction markets (PM-031, PM-034). While they are off, dates are checked and the answer is 503.

use super::rewards::{WRONG, check_on, date, time};
use super::{READ, READERS};
use buttonwood_call::{App, Call, Route, SignedQuery};
use buttonwood_engine::State;
use buttonwood_engine::prediction::{LiquidityRow, Payment, PoolShare, Rebate, eastern};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::Day;
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Date, DecimalNumber, DecimalText, InQuery, Label, Nullable, Shape};
use buttonwood_wire::prediction_rewards::{
    RebateTotal, RewardDay, RewardDays, RewardPart, RewardStatusName, RewardTotal,
};
use buttonwood_wire::time::iso_date;
use buttonwood_wire::{json, request};

/// The most days of a range: five years.
const DAYS_MAX: u64 = 5 * 366;

/// Trader or Auditor.
pub(crate) const REBATES: Route =
    summary::<RebateTotal>("/v1/prediction-markets/maker-rebate/summary/total", rebates)
        .about("Sums up the account's rebates, over all time or over a range of days.");

/// Trader or Auditor.
pub(crate) const DAILY: Route =
    summary::<RewardDays>("/v1/prediction-markets/liquidity-rewards/summary/daily", daily).about(
        "Lists the account's liquidity rewards by day, which needs a range of days, the newest first.",
    );

/// Trader or Auditor.
pub(crate) const TOTAL: Route =
    summary::<RewardTotal>("/v1/prediction-markets/liquidity-rewards/summary/total", rewards)
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

/// Whether a day is in the range; any is without one.
fn is_within(range: Option<[Day; 2]>, day: Day) -> bool {
    range.is_none_or(|[from, to]| from <= day && day <= to)
}

/// A sum; `0` for nothing.
fn sum(amounts: impl Iterator<Item = Money>) -> DecimalText {
    DecimalText::exact(amounts.fold(Money::ZERO, Money::capped_add))
}

fn count(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

/// The rebates that were paid on the days of the range.
fn rebates(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let range = range(call)?;
    let views = app.exchange.views();
    let state = views.state();
    check_on(state)?;
    let all = state.predictions().rewards().rebates(call.account()).iter();
    let rows: Vec<&Rebate> = all.filter(|row| is_within(range, eastern::day(row.paid))).collect();
    let day = |row: Option<&&Rebate>| date(row.map(|row| eastern::day(row.paid)));
    let total = RebateTotal {
        total_earned_usd: sum(rows.iter().map(|row| row.amount)),
        total_fill_count: rows.iter().fold(0, |sum, row| sum.saturating_add(row.traded.fills)),
        total_volume_usd: sum(rows.iter().map(|row| row.traded.volume)),
        payout_count: count(rows.len()),
        first_payout_date: day(rows.first()),
        last_payout_date: day(rows.last()),
    };
    Ok(Reply::json(json::body(&total)))
}

/// The rewards of the days of the range that were paid.
fn rewards(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let range = range(call)?;
    let views = app.exchange.views();
    let state = views.state();
    check_on(state)?;
    let all = state.predictions().rewards().payouts(call.account()).iter();
    let is_paid = |row: &&LiquidityRow| row.payment == Payment::Paid && is_within(range, row.day);
    let rows: Vec<&LiquidityRow> = all.filter(is_paid).collect();
    let total = RewardTotal {
        total_earned_usd: sum(rows.iter().map(|row| row.amount)),
        payout_count: count(rows.len()),
        first_payout_date: date(rows.first().map(|row| row.day)),
        last_payout_date: date(rows.last().map(|row| row.day)),
    };
    Ok(Reply::json(json::body(&total)))
}

fn daily(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let range = range(call)?.ok_or_else(|| missing("dateFrom"))?;
    let views = app.exchange.views();
    let state = views.state();
    check_on(state)?;
    let all = state.predictions().rewards().payouts(call.account()).iter().rev();
    let rows = all.filter(|row| is_within(Some(range), row.day));
    let daily_summaries = rows.map(|row| shown_day(state, row)).collect();
    Ok(Reply::json(json::body(&RewardDays { daily_summaries })))
}

fn shown_day(state: &State, row: &LiquidityRow) -> RewardDay {
    let status = match row.payment {
        Payment::Paid => "PAID",
        Payment::Pending => "PENDING",
        Payment::Zero => "ZERO_AMOUNT",
    };
    RewardDay {
        payout_date: iso_date(row.day),
        total_reward_usd: DecimalText::exact(row.amount),
        payout_status: RewardStatusName(status),
        paid_at: Nullable(row.paid.map(time)),
        events: row.shares.iter().map(|share| shown_share(state, row, share)).collect(),
    }
}

fn shown_share(state: &State, row: &LiquidityRow, share: &PoolShare) -> RewardPart {
    let event = state.predictions().event(share.event);
    let text = |text: Option<&String>| Label(text.cloned().unwrap_or_default());
    RewardPart {
        event_id: share.event.0.saturating_add(1).to_string(),
        event_name: text(event.map(|event| &event.title)),
        category_name: text(event.map(|event| &event.category)),
        normalized_score: DecimalNumber::of(|out| share.share.push_floored(out, MONEY_DECIMALS)),
        snapshot_count: share.snapshots,
        total_snapshots: row.total_snapshots,
        event_reward_usd: DecimalText::exact(share.amount),
    }
}
