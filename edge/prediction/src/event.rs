//! `GET /v1/prediction-markets/events/{eventTicker}`: one event (PM-003).

use super::find_event;
use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::json;
use buttonwood_wire::prediction::{PredictionEvent, Quotes, event};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/prediction-markets/events/{eventTicker}", answer)
    .coded()
    .about("Reads an event.")
    .notes(&["The ticker may be in any letter case. That of a combo is its symbol."])
    .gives::<PredictionEvent>()
    .refuses(&[404]);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let now = app.now_of(&views);
    let (id, _) = find_event(views.state().predictions(), asked.parameter)?;
    let event = event(views.state(), id, now, Quotes::Shown);
    event.map_or_else(
        || Err(super::not_found("Event", asked.parameter)),
        |event| Ok(Reply::json(json::body(&event))),
    )
}
