//! `GET /sandbox/clock`: what time it is on the exchange.

use crate::app::App;
use crate::route::Route;
use buttonwood_http::Reply;
use buttonwood_wire::json;
use buttonwood_wire::time::iso_millis;

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_reading("/sandbox/clock", answer);

pub(super) fn answer(app: &App) -> Reply {
    let now = app.now();
    Reply::json(json::object(96, |json| {
        json.plain("mode", if app.exchange.has_manual_clock() { "manual" } else { "real" });
        json.plain("now", &iso_millis(now));
        json.number("now_ms", now.millis());
    }))
}
