//! `GET /sandbox/deposits/unclaimed`: payments that fit no account (D-73). `POST /sandbox/deposits/assign` is the command of an operator.

use buttonwood_call::{App, Route};
use buttonwood_http::Reply;
use buttonwood_operate::{Unclaimed, unclaimed};
use buttonwood_wire::json;

/// This machine only.
pub(crate) const UNCLAIMED: Route = Route::control_reading("/sandbox/deposits/unclaimed", answer)
    .about("Lists the payments from the chains that fit no account and were not assigned.")
    .gives::<Vec<Unclaimed>>();

fn answer(app: &App) -> Reply {
    Reply::json(json::body(&unclaimed(app.shared())))
}
