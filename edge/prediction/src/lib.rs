//! The chapter of prediction markets (PM-001 to PM-036): refusals have a code, and names are in camel case.

mod accept;
mod active;
mod batch;
mod cancel;
mod categories;
mod collateral;
mod combo;
mod combos;
mod day_volume;
mod event;
mod events;
mod history;
mod operate;
mod order;
mod positions;
mod refusal;
mod rewards;
mod samples;
mod settled;
mod strike;
mod summaries;
mod terms;
mod terms_status;
mod volume;

pub use samples::{has_more_than_samples, sample_combo, samples};

use buttonwood_call::{App, Face, Route};
use buttonwood_engine::Predictions;
use buttonwood_engine::prediction::Event;
use buttonwood_gate::{Refusal, quoted};
use buttonwood_model::{EventId, Role, Scope, SymbolId};

/// Orders, positions and rewards.
pub const FACE: Face = Face {
    routes: &[
        order::ROUTE,
        cancel::ROUTE,
        batch::ORDERS,
        batch::CANCELS,
        active::ROUTE,
        history::ROUTE,
        positions::ROUTE,
        settled::ROUTE,
        volume::ROUTE,
        accept::ROUTE,
        terms_status::ROUTE,
        rewards::RATES,
        rewards::PAYOUTS,
        summaries::REBATES,
        rewards::CONFIG,
        rewards::EVENTS,
        summaries::DAILY,
        summaries::TOTAL,
    ],
    ..Face::NONE
};

/// Events and terms, which are public, and the commands of operators.
pub const EVENTS: Face = Face {
    routes: &[
        events::ROUTE,
        events::NEWLY_LISTED,
        events::RECENTLY_SETTLED,
        events::UPCOMING,
        event::ROUTE,
        strike::ROUTE,
        collateral::ROUTE,
        day_volume::DAY,
        day_volume::HOURLY,
        categories::ROUTE,
        combos::ROUTE,
        combo::ROUTE,
        terms::ROUTE,
        Route::operating("/sandbox/predictions/events", &operate::event::COMMAND)
            .after("/sandbox/staking/fund"),
        Route::operating("/sandbox/predictions/events/{event}/halt", &operate::life::COMMAND)
            .after("/sandbox/predictions/events")
            .about("Halts the trading of an event and of combos with a leg on it, or lets it go on."),
        Route::operating("/sandbox/predictions/events/{event}/strike", &operate::strike::COMMAND)
            .after("/sandbox/predictions/events/{event}/halt"),
        Route::operating("/sandbox/predictions/events/{event}/resolve", &operate::resolve::RESOLVE_CALL)
            .after("/sandbox/predictions/events/{event}/strike"),
        Route::operating("/sandbox/predictions/events/{event}/dispute", &operate::resolve::DISPUTE_CALL)
            .after("/sandbox/predictions/events/{event}/resolve"),
        Route::operating("/sandbox/predictions/events/{event}/void", &operate::void::CALL)
            .after("/sandbox/predictions/events/{event}/dispute"),
        Route::operating("/sandbox/predictions/combos", &operate::combo::CALL)
            .after("/sandbox/predictions/events/{event}/void"),
        Route::operating("/sandbox/predictions/terms", &operate::terms::COMMAND)
            .after("/sandbox/predictions/combos"),
        Route::operating("/sandbox/predictions/fees", &operate::fees::COMMAND)
            .after("/sandbox/predictions/terms"),
        Route::operating("/sandbox/predictions/rewards", &operate::rewards::COMMAND)
            .after("/sandbox/predictions/fees"),
    ],
    commands: operate::COMMANDS,
    ..Face::NONE
};

/// The roles that read orders, positions and rewards (PM-036).
const READERS: &[Role] = &[Role::Trader, Role::Auditor];
/// The scopes of which a token needs one for that.
const READ: &[Scope] = &[Scope::OrdersRead];

/// The contract of a filter.
///
/// # Errors
/// 404 if there is none.
fn contract_of(app: &App, name: Option<&str>) -> Result<Option<SymbolId>, Refusal> {
    let find = |name| app.find_contract(name).map(|(id, _)| id).ok_or_else(|| not_found("Contract", name));
    name.map(find).transpose()
}

/// The code of what does not exist.
const NOT_FOUND: &str = "NOT_FOUND";

/// Something that does not exist, with the name that the request gave it.
pub(crate) fn not_found(kind: &str, name: &str) -> Refusal {
    Refusal::coded(404, NOT_FOUND, format!("{kind} not found: '{}'", quoted(name)))
}

/// The event with a ticker in any letter case; a combo's is its symbol.
pub(crate) fn find_event<'a>(
    predictions: &'a Predictions,
    ticker: &str,
) -> Result<(EventId, &'a Event), Refusal> {
    let id = predictions.find_event(&ticker.to_ascii_uppercase());
    let found = id.and_then(|id| Some((id, predictions.event(id)?)));
    found.ok_or_else(|| not_found("Event", ticker))
}

/// Events that a listing looks at without a pause.
const SCANNED: usize = 1_000;

/// Looks at all events, combos included, the newest first, and returns what `choose` makes of them. The views' lock is held for some events
/// at a time; an event that is listed after the start is left out.
async fn scan<T>(app: &App, mut choose: impl FnMut(EventId, &Event) -> Option<T>) -> Vec<T> {
    let mut end = app.exchange.views().state().predictions().events().len();
    let mut chosen = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(SCANNED);
        {
            let views = app.exchange.views();
            let some = numbered(views.state().predictions()).skip(start).take(end - start);
            chosen.extend(some.rev().filter_map(|(id, event)| choose(id, event)));
        }
        end = start;
        tokio::task::yield_now().await;
    }
    chosen
}

/// Whether a title has a text, which is in lower case, in any letter case.
fn has_text(title: &str, text: &str) -> bool {
    if !title.is_ascii() || !text.is_ascii() {
        return title.to_lowercase().contains(text);
    }
    text.is_empty()
        || title.as_bytes().windows(text.len()).any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}

/// Every event with its id, in the order of their listing. Combos are among them.
fn numbered(
    predictions: &Predictions,
) -> impl DoubleEndedIterator<Item = (EventId, &Event)> + ExactSizeIterator {
    let all = predictions.events().iter().enumerate();
    all.map(|(at, event)| (EventId::from_index(at), event))
}
