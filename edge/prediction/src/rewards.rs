//! Rewards of prediction markets: rates, pools and rebates (PM-029, PM-030, PM-032, PM-033). While they are off, parameters are checked and
//! the answer is 503.

use super::{READ, READERS, has_text};
use buttonwood_call::{App, Asked, Call, Route, SignedQuery};
use buttonwood_engine::State;
use buttonwood_engine::prediction::{Event, RateRule, Rebate};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Day, EventId, Time};
use buttonwood_num::Money;
use buttonwood_wire::contract::{
    DecimalText, Encoded, InEither, InQuery, IsoTime, Label, Nullable, Offset, Rows, Text, Words,
};
use buttonwood_wire::prediction_rewards::{
    PoolSourceName, RebatePayout, RebatePayouts, RebateRule, RebateRules, RebateStatusName, RewardConfig,
    RewardEvent, RewardEvents, RewardPagination, RewardSortName,
};
use buttonwood_wire::time::{iso_date, iso_millis};
use buttonwood_wire::{json, request};
use std::cmp::Reverse;

/// The code of a wrong parameter.
pub(super) const WRONG: &str = "BAD_REQUEST";

/// Public.
pub(crate) const RATES: Route = Route::public("/v1/prediction-markets/maker-rebate/rates", rates)
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
        category: Encoded,
        /// Events with this text in their title.
        search: Encoded,
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

/// Refuses a call while rewards are off.
///
/// # Errors
/// 503, unless they are on.
pub(super) fn check_on(state: &State) -> Result<(), Refusal> {
    if state.predictions().rewards().terms().enabled {
        return Ok(());
    }
    Err(Refusal::coded(503, "SERVICE_UNAVAILABLE", "Rewards of prediction markets are off"))
}

/// A date of the calendar, or `null`.
pub(super) fn date(day: Option<Day>) -> Nullable<String> {
    Nullable(day.map(iso_date))
}

pub(super) fn time(time: Time) -> IsoTime {
    IsoTime(iso_millis(time))
}

/// Every rate is for all categories.
fn rates(app: &App, _asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let state = views.state();
    check_on(state)?;
    let rules = state.predictions().rewards().rules();
    let rate_rules = (1..).zip(rules).map(|(id, rule)| shown_rule(id, rule)).collect();
    Ok(Reply::json(json::body(&RebateRules { rate_rules })))
}

fn shown_rule(id: u64, rule: &RateRule) -> RebateRule {
    RebateRule {
        id,
        rebate_multiplier_bps: rule.bps.into(),
        effective_from: time(rule.from),
        category: None,
        effective_to: rule.until.map(time),
    }
}

fn config(app: &App, _asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let terms = views.state().predictions().rewards().terms();
    let config = RewardConfig {
        enabled: terms.enabled,
        max_spread_cents: terms.enabled.then(|| terms.spread_cents.into()),
        min_payout_threshold_usd: terms.enabled.then(|| DecimalText::dollars(terms.min_payout)),
    };
    Ok(Reply::json(json::body(&config)))
}

/// An event with a pool.
struct Pooled<'a> {
    event: &'a Event,
    pool: Money,
    makers: usize,
}

fn events(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let wanted = WantedEvents::of(asked.query);
    let (limit, offset) = (wanted.limit()?, wanted.offset()?);
    let (category, search) = (wanted.category()?, wanted.search()?);
    let sort = wanted.sort();
    if let Some(sort) = sort.filter(|sort| !RewardSortName::WORDS.contains(sort)) {
        let expected = format!("one of {}", RewardSortName::WORDS.join(", "));
        return Err(Refusal::misfit("Query parameter", "sort", &expected, sort));
    }
    let views = app.exchange.views();
    let state = views.state();
    check_on(state)?;
    let mut pooled: Vec<Pooled<'_>> =
        pools(state).filter(|row| is_wanted(row.event, category.as_deref(), search.as_deref())).collect();
    arrange(&mut pooled, sort.unwrap_or("daily_pool_desc"));
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let pagination =
        RewardPagination { limit: number(limit), offset: number(offset), total: number(pooled.len()) };
    let events = pooled.iter().skip(offset).take(limit).map(shown_event).collect();
    let last_score_date = date(state.predictions().rewards().last_score_day());
    Ok(Reply::json(json::body(&RewardEvents { events, pagination, last_score_date })))
}

/// Every event with a pool; a decided one earns nothing any more.
fn pools(state: &State) -> impl Iterator<Item = Pooled<'_>> {
    let room = state.predictions();
    let pools = room.rewards().terms().pools.iter();
    pools.filter_map(|(id, pool): (&EventId, &Money)| {
        let event = room.event(*id).filter(|event| !event.is_decided())?;
        Some(Pooled { event, pool: *pool, makers: room.rewards().makers_of(*id) })
    })
}

fn is_wanted(event: &Event, categories: Option<&str>, search: Option<&str>) -> bool {
    let is_of = |list: &str| list.split(',').any(|name| name.trim().eq_ignore_ascii_case(&event.category));
    let has = |text: &str| has_text(&event.title, &text.to_lowercase());
    categories.is_none_or(is_of) && search.is_none_or(has)
}

fn arrange(rows: &mut [Pooled<'_>], sort: &str) {
    match sort {
        "daily_pool_asc" => rows.sort_by_key(|row| row.pool),
        "ends_soonest" => rows.sort_by_key(|row| row.event.expiry),
        "ends_latest" => rows.sort_by_key(|row| Reverse(row.event.expiry)),
        "title_asc" => rows.sort_by(|one, other| one.event.title.cmp(&other.event.title)),
        "title_desc" => rows.sort_by(|one, other| other.event.title.cmp(&one.event.title)),
        "category_asc" => rows.sort_by(|one, other| one.event.category.cmp(&other.event.category)),
        "category_desc" => rows.sort_by(|one, other| other.event.category.cmp(&one.event.category)),
        "competition_asc" => rows.sort_by_key(|row| row.makers),
        "competition_desc" => rows.sort_by_key(|row| Reverse(row.makers)),
        _ => rows.sort_by_key(|row| Reverse(row.pool)),
    }
}

fn shown_event(row: &Pooled<'_>) -> RewardEvent {
    RewardEvent {
        event_ticker: row.event.ticker.clone(),
        title: Label(row.event.title.clone()),
        category: Label(row.event.category.clone()),
        daily_pool_usd: DecimalText::dollars(row.pool),
        pool_source: PoolSourceName("event_override"),
        ends_at: time(row.event.expiry),
        qualifying_maker_count: u64::try_from(row.makers).unwrap_or(u64::MAX),
    }
}

fn payouts(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let wanted = WantedPayouts::of(call.either());
    let (limit, offset) = (wanted.limit()?, wanted.offset()?);
    let views = app.exchange.views();
    let state = views.state();
    check_on(state)?;
    let rebates = state.predictions().rewards().rebates(call.account()).iter().rev();
    let payouts = rebates.skip(offset).take(limit).map(shown_rebate).collect();
    Ok(Reply::json(json::body(&RebatePayouts { payouts })))
}

fn shown_rebate(rebate: &Rebate) -> RebatePayout {
    RebatePayout {
        id: rebate.id.saturating_add(1),
        total_volume_usd: DecimalText::exact(rebate.traded.volume),
        total_rebate_usd: DecimalText::exact(rebate.amount),
        total_fill_count: rebate.traded.fills,
        status: RebateStatusName("PAID"),
        paid_at: Nullable(Some(time(rebate.paid))),
        created_at: time(rebate.run),
    }
}
