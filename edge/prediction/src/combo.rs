//! `GET /v1/prediction-markets/combos/{instrumentSymbol}`: one combo (PM-009).

use buttonwood_call::{App, Asked, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_wire::json;
use buttonwood_wire::prediction::{Combo, combo};

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/prediction-markets/combos/{instrumentSymbol}", answer)
    .coded()
    .about("Reads a combo.")
    .notes(&["The symbol may be in any letter case."])
    .gives::<Combo>()
    .refuses(&[404]);

fn answer(app: &App, asked: &Asked) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let id = views.state().predictions().find_event(&asked.parameter.to_ascii_uppercase());
    let combo = id.and_then(|id| combo(views.state(), id));
    let combo = combo.ok_or_else(|| super::not_found("Combo", asked.parameter))?;
    Ok(Reply::json(json::body(&combo)))
}
