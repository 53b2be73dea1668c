//! `GET /sandbox/clock`: what time it is on the exchange.

use super::Control;
use crate::app::App;
use crate::json;
use crate::reply::Reply;
use crate::route::Route;
use crate::time::iso_millis;

/// This machine only.
pub(crate) const ROUTE: Route = Route::control("GET", "/sandbox/clock", Control::Clock);

pub(super) fn answer(app: &App) -> Reply {
    let now = app.now();
    Reply::json(json::object(96, |json| {
        json.plain("mode", if app.exchange.has_manual_clock() { "manual" } else { "real" });
        json.plain("now", &iso_millis(now));
        json.number("now_ms", now.millis());
    }))
}
