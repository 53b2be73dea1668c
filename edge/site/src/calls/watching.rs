//! An open page that its user sees: `/site/watching`. It is use of the session where the venue says so, up to the session's 12 hours (D-293).

use super::caller::Caller;
use buttonwood_call::Later;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::Time;
use buttonwood_wire::field::failed;
use buttonwood_wire::{answer, json};

answer! {
    /// How long a session still lasts.
    pub(super) struct SessionLeft {
        /// Whether an open page that is seen counts as use.
        watching_is_use: bool,
        /// How long it lasts at most, in milliseconds.
        ends_in_ms: u64,
        /// How long it lasts without another use, in milliseconds.
        quiet_ends_in_ms: u64,
    }
}

/// How long the caller's session still lasts.
pub(super) fn left(caller: &Caller<'_>) -> Result<SessionLeft, Refusal> {
    let session = caller.browser.session;
    let ends = {
        let views = caller.app.exchange.views();
        let now = caller.app.now_of(&views);
        let browser = views.state().identity().browser(session, now).ok_or_else(failed)?;
        Time(browser.ends().0.saturating_sub(now.0)).millis()
    };
    let quiet = caller.app.exchange.silence_left(session);
    let quiet_ends_in_ms = quiet.map_or(ends, |left| Time(left).millis().min(ends));
    Ok(SessionLeft { watching_is_use: is_use(caller), ends_in_ms: ends, quiet_ends_in_ms })
}

/// Operators hold the exchange's own rights: a page that they left open is no sign of them.
fn is_use(caller: &Caller<'_>) -> bool {
    caller.app.people.is_watching_use() && !caller.browser.is_operator
}

pub(super) fn note<'a>(caller: &'a Caller<'a>, _fields: Payload) -> Later<'a> {
    Box::pin(async move {
        if is_use(caller) {
            caller.app.people.note_use(caller.browser.session);
        }
        Ok(Reply::json(json::body(&left(caller)?)))
    })
}
