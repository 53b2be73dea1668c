//! `POST /v1/heartbeat`: a session's sign of life (SES-009).

use buttonwood_call::{App, Auth, Call, Route};
use buttonwood_gate::{Kind, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::Role;
use buttonwood_wire::contract::Done;
use buttonwood_wire::{answer, json};

/// Trader only; draws on the capacity reserved for heartbeats. The sign of life was noted when the call was admitted.
pub(crate) const ROUTE: Route = Route::reading("/v1/heartbeat", answer)
    .by(Auth::Session)
    .roles(&[Role::Trader])
    .kind(Kind::Heartbeat)
    .about("Keeps the session of a key that needs heartbeats alive.")
    .notes(&[
        "Every call whose nonce is used counts as a heartbeat, also a refused one. A call that is turned \
         away because too many commands wait does not.",
    ])
    .gives::<Heard>();

answer! {
    /// The heartbeat was received.
    struct Heard {
        /// Always `ok`.
        result: Done,
    }
}

fn answer(_app: &App, _call: &Call) -> Result<Reply, Refusal> {
    Ok(Reply::json(json::body(&Heard { result: Done })))
}
