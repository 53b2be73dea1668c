//! `GET /v1/prediction-markets/events/{eventTicker}/strike`: the strike of an event (PM-004).

use super::{find_event, not_found};
use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::json;
use buttonwood_wire::prediction::{Strike, strike};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/prediction-markets/events/{eventTicker}/strike", answer)
    .coded()
    .about("Reads the strike of an event.")
    .notes(&["The value is `null` before `availableAt`. An event without a strike is refused with 404."])
    .gives::<Strike>()
    .refuses(&[404]);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let now = app.now_of(&views);
    let (_, event) = find_event(views.state().predictions(), asked.parameter)?;
    let own = event.strike.as_ref().ok_or_else(|| not_found("Strike", asked.parameter))?;
    Ok(Reply::json(json::body(&strike(own, now))))
}
