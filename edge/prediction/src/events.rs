//! `GET /v1/prediction-markets/events`, and the listings of new, settled and coming events (PM-001, PM-005 to PM-007, PM-010).

use super::{has_text, numbered, scan};
use buttonwood_call::{App, Asked, Route};
use buttonwood_engine::prediction::{Event, Status};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{EventId, Time};
use buttonwood_wire::contract::{
    Encoded, InQuery, Offset, Query, Repeated, RepeatedOf, RepeatedWords, Rows, Shape,
};
use buttonwood_wire::prediction::{EventPage, EventStatusName, ListingPagination, Quotes, event};
use buttonwood_wire::{Json, json, request, words};
use std::borrow::Cow;

/// Anybody.
pub(crate) const ROUTE: Route =
    Route::public_recalling("/v1/prediction-markets/events", |app, asked| Box::pin(answer(app, asked)))
        .coded()
        .about("Lists events, the newest first.")
        .notes(&[
            "Values of one filter are alternatives; an event must fit every filter. `category` ignores \
             case. Combos are listed by `/v1/prediction-markets/combos` alone. No event has sports data, so \
             a filter of sports matches none.",
        ])
        .takes::<Events>()
        .gives::<EventPage>();

/// Anybody.
pub(crate) const NEWLY_LISTED: Route =
    Route::public_recalling("/v1/prediction-markets/events/newly-listed", |app, asked| {
        Box::pin(newly_listed(app, asked))
    })
    .coded()
    .about("Lists the events that were listed in the past 24 hours, the newest first.")
    .takes::<Listing>()
    .gives::<EventPage>();

/// Anybody.
pub(crate) const RECENTLY_SETTLED: Route =
    Route::public_recalling("/v1/prediction-markets/events/recently-settled", |app, asked| {
        Box::pin(recently_settled(app, asked))
    })
    .coded()
    .about(
        "Lists the events that were settled in the past 24 hours, the latest first; void ones are left out.",
    )
    .notes(&["The prices of their contracts are left out."])
    .takes::<Listing>()
    .gives::<EventPage>();

/// Anybody.
pub(crate) const UPCOMING: Route =
    Route::public_recalling("/v1/prediction-markets/events/upcoming", |app, asked| {
        Box::pin(upcoming(app, asked))
    })
    .coded()
    .about("Lists the events whose trading has not begun, the soonest first.")
    .takes::<Listing>()
    .gives::<EventPage>();

words! {
    /// The kind of a sports market.
    pub(crate) struct SportsMarketTypeName: "moneyline", "spread", "total", "prop", "correct_score", "to_advance", "futures", "other"
}

words! {
    /// The subject of a sports market.
    pub(crate) struct SportsMarketSubjectName: "contest", "team", "player", "participant", "other"
}

request! {
    /// Which events.
    pub(crate) struct Events in InQuery {
        /// Events of these categories alone.
        category: Repeated,
        /// Events with these statuses alone.
        status: RepeatedOf<EventStatusName>,
        /// Events of these sports alone.
        sport: RepeatedWords,
        /// Events with sports markets of these kinds alone.
        sports_market_type: RepeatedOf<SportsMarketTypeName>,
        /// Events with sports markets on these subjects alone.
        sports_market_subject: RepeatedOf<SportsMarketSubjectName>,
        /// Events with sports markets of these scopes alone.
        sports_market_scope: RepeatedWords,
        /// Events with sports markets on these metrics alone.
        sports_market_metric: RepeatedWords,
        /// A part of the title, in any letter case.
        search: Encoded,
        /// How many events at most; more than 500 are 500.
        limit: Rows<50, 500>,
        /// How many events are left out before the first one.
        offset: Offset,
    }
}

request! {
    /// Which events.
    pub(crate) struct Listing in InQuery {
        /// Events of these categories alone.
        category: Repeated,
        /// Events of these sports alone.
        sport: RepeatedWords,
        /// Events with sports markets of these kinds alone.
        sports_market_type: RepeatedOf<SportsMarketTypeName>,
        /// Events with sports markets on these subjects alone.
        sports_market_subject: RepeatedOf<SportsMarketSubjectName>,
        /// Events with sports markets of these scopes alone.
        sports_market_scope: RepeatedWords,
        /// Events with sports markets on these metrics alone.
        sports_market_metric: RepeatedWords,
        /// How many events at most; more than 500 are 500.
        limit: Rows<50, 500>,
        /// How many events are left out before the first one.
        offset: Offset,
    }
}

/// The parts of a request that all listings have.
struct Filter<'a> {
    categories: Vec<Cow<'a, str>>,
    /// Whether it names sports, which no event has.
    is_sports: bool,
    limit: usize,
    offset: usize,
}

impl<'a> Filter<'a> {
    fn of(query: Query<'a>) -> Result<Self, Refusal> {
        let request = Listing::of(query);
        let categories = request.category()?;
        let sports = [
            request.sport()?.len(),
            request.sports_market_type()?.len(),
            request.sports_market_subject()?.len(),
            request.sports_market_scope()?.len(),
            request.sports_market_metric()?.len(),
        ];
        let is_sports = sports.into_iter().any(|count| count > 0);
        Ok(Self { categories, is_sports, limit: request.limit()?, offset: request.offset()? })
    }

    fn takes(&self, event: &Event) -> bool {
        let is_meant = |category: &Cow<'_, str>| category.eq_ignore_ascii_case(&event.category);
        event.legs.is_empty()
            && !self.is_sports
            && (self.categories.is_empty() || self.categories.iter().any(is_meant))
    }

    /// The part of the events that is returned, and how many there are.
    fn page(&self, all: Vec<EventId>) -> (Vec<EventId>, ListingPagination) {
        let pagination = pagination(self.limit, self.offset, all.len());
        (all.into_iter().skip(self.offset).take(self.limit).collect(), pagination)
    }
}

/// The part of a listing that is returned.
pub(super) fn pagination(limit: usize, offset: usize, total: usize) -> ListingPagination {
    let [limit, offset, total] = [limit, offset, total].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
    ListingPagination { limit, offset, total }
}

/// The length of the past that `newly-listed` and `recently-settled` show.
const DAY: u64 = 24 * 3_600 * Time::SECOND;

async fn answer(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let filter = Filter::of(asked.query)?;
    let request = Events::of(asked.query);
    let statuses = request.status()?;
    let search = request.search()?.map(|text| text.to_lowercase());
    let is_meant = |event: &Event| {
        (statuses.is_empty() || statuses.contains(&event.status.name()))
            && search.as_ref().is_none_or(|search| has_text(&event.title, search))
    };
    let all = scan(app, |id, event| (filter.takes(event) && is_meant(event)).then_some(id)).await;
    Ok(list(app, &filter, all, Quotes::Shown).await)
}

async fn newly_listed(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let filter = Filter::of(asked.query)?;
    let all = {
        let views = app.exchange.views();
        let now = app.now_of(&views);
        let is_new = |event: &Event| event.listed.plus(DAY) > now;
        let newest = numbered(views.state().predictions()).rev().take_while(|(_, event)| is_new(event));
        newest.filter(|(_, event)| filter.takes(event)).map(|(id, _)| id).collect()
    };
    Ok(list(app, &filter, all, Quotes::Shown).await)
}

async fn recently_settled(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let filter = Filter::of(asked.query)?;
    let all = {
        let views = app.exchange.views();
        let (now, predictions) = (app.now_of(&views), views.state().predictions());
        let ended = predictions.ended().filter_map(|id| Some((id, predictions.event(id)?)));
        let is_new = |event: &Event| event.resolved.is_some_and(|time| time.plus(DAY) > now);
        let latest = ended.take_while(|(_, event)| is_new(event));
        let settled = latest.filter(|(_, event)| event.status == Status::Settled && filter.takes(event));
        settled.map(|(id, _)| id).collect()
    };
    Ok(list(app, &filter, all, Quotes::Emptied).await)
}

async fn upcoming(app: &App, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let filter = Filter::of(asked.query)?;
    let is_meant = |event: &Event| event.status == Status::Approved && filter.takes(event);
    let mut all = scan(app, |id, event| is_meant(event).then_some((event.start, id))).await;
    all.sort_unstable();
    Ok(list(app, &filter, all.into_iter().map(|(_, id)| id).collect(), Quotes::Shown).await)
}

/// Events that are written without a pause. An event may have a hundred contracts.
const AT_ONCE: usize = 10;
/// Bytes of an event with one contract, about.
const EVENT_BYTES: usize = 1_600;

/// Lists a page of events. The lock of the views is held for a few events at a time.
async fn list(app: &App, filter: &Filter<'_>, all: Vec<EventId>, quotes: Quotes) -> Reply {
    let now = app.now_of(&app.exchange.views());
    let (page, pagination) = filter.page(all);
    let mut rows = Json::with_capacity(page.len() * EVENT_BYTES);
    for (at, some) in page.chunks(AT_ONCE).enumerate() {
        if at > 0 {
            tokio::task::yield_now().await;
        }
        let views = app.exchange.views();
        let events = some.iter().filter_map(|id| event(views.state(), *id, now, quotes));
        events.for_each(|event| event.write(&mut rows));
    }
    let rows = rows.into_bytes();
    Reply::json(json::object(rows.len() + 96, |json| {
        json.elements_field("data", &rows);
        pagination.write_field(json, "pagination");
    }))
}
