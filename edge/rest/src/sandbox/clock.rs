//! `GET /sandbox/clock`: the exchange's time.

use crate::app::App;
use crate::route::Route;
use buttonwood_http::Reply;
use buttonwood_wire::contract::IsoTime;
use buttonwood_wire::time::iso_millis;
use buttonwood_wire::{answer, json, words};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_reading("/sandbox/clock", answer)
    .about("Reads the exchange's time.")
    .gives::<ExchangeTime>();

words! {
    /// How the clock moves.
    pub(super) struct ClockMode: "manual", "real"
}

answer! {
    /// The exchange's time.
    pub(super) struct ExchangeTime {
        /// Whether control calls move the clock.
        mode: ClockMode,
        /// The time.
        now: IsoTime,
        /// The time in milliseconds.
        now_ms: u64,
    }
}

pub(super) fn answer(app: &App) -> Reply {
    let now = app.now();
    let mode = ClockMode(if app.exchange.has_manual_clock() { "manual" } else { "real" });
    let time = ExchangeTime { mode, now: IsoTime(iso_millis(now)), now_ms: now.millis() };
    Reply::json(json::body(&time))
}
