//! `POST /sandbox/maintenance`: has every path but health checks and control calls answer as in maintenance (ERR-009).

use crate::app::App;
use crate::route::Route;
use buttonwood_gate::{Payload, Reason, Refusal, Value};
use buttonwood_http::Reply;
use buttonwood_wire::json;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/maintenance", |app, _, fields| Box::pin(async { answer(app, fields) }));

/// Begins or ends it. Orders stay as they are, time goes on, and a restart ends it.
fn answer(app: &App, fields: &Payload) -> Result<Reply, Refusal> {
    let on = match fields.field("on") {
        None => return Err(Refusal::missing_key("on")),
        Some(Value::Bool(on)) => on,
        Some(other) => return Err(Refusal::bad_field("on", "true or false", &other)),
    };
    app.set_maintenance(on);
    Ok(Reply::json(json::object(64, |json| {
        json.plain("result", "ok");
        json.flag("on", on);
    })))
}

/// The refusal of every other request until then, in words that ccxt knows (facts T§7.4).
pub(crate) fn refusal() -> Refusal {
    Refusal::new(Reason::Maintenance, "The exchange is currently undergoing maintenance")
}
