//! `GET /sandbox/clock`: the exchange's time, and what falls due next.

use super::due;
use buttonwood_call::{App, Route};
use buttonwood_http::Reply;
use buttonwood_model::Time;
use buttonwood_wire::contract::{IsoTime, Label, Nullable};
use buttonwood_wire::time::iso_millis;
use buttonwood_wire::{answer, json, words};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_reading("/sandbox/clock", answer)
    .about("Reads the exchange's time, and what falls due next.")
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
        /// The next command that falls due; null if nothing does.
        next_due: Nullable<NextDue>,
    }
}

answer! {
    /// A command that falls due by the clock.
    struct NextDue {
        /// When, in milliseconds: a clock that moves there runs it. It is now for what waits for its turn.
        at_ms: u64,
        /// A short name of it, such as `funding`.
        what: Label,
    }
}

pub(super) fn answer(app: &App) -> Reply {
    let now = app.now();
    let mode = ClockMode(if app.exchange.has_manual_clock() { "manual" } else { "real" });
    let next_due = Nullable(next_due(app, now));
    let time = ExchangeTime { mode, now: IsoTime(iso_millis(now)), now_ms: now.millis(), next_due };
    Reply::json(json::body(&time))
}

fn next_due(app: &App, now: Time) -> Option<NextDue> {
    let views = app.exchange.views();
    let due = views.state().next_due()?;
    let what = Label(due::name(views.state(), &due.command));
    // The millisecond after it, where it falls between two: a move to `at_ms` must reach it.
    Some(NextDue { at_ms: due.time.max(now).0.div_ceil(1_000), what })
}
