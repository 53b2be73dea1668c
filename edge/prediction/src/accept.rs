//! `POST /v1/prediction-markets/terms/accept`: accepts the latest terms for the account's group (PM-012).

use buttonwood_call::{App, Call, Route, Write, core_refusal};
use buttonwood_engine::{Body, PredictionCommand};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::{answer, json};

/// Trader only. No app accepts terms for a group, and a browser needs a code of the last five minutes (D-267).
pub(crate) const ROUTE: Route =
    Route::writing("/v1/prediction-markets/terms/accept", Write { command, answer, closed: None })
        .right(PredictionCommand::ACCEPT)
        .coded()
        .about("Accepts the latest terms for the account's group. Accepting twice changes nothing. No access token does so.")
        .gives::<TermsAccepted>();

answer! {
    /// The group has accepted the latest terms.
    struct TermsAccepted {
        /// Always true.
        success: bool,
    }
}

fn command(_app: &App, _call: &Call) -> Result<Body, Refusal> {
    Ok(PredictionCommand::AcceptTerms.into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    receipt.done().map_err(|reject| core_refusal(app, call, reject))?;
    Ok(Reply::json(json::body(&TermsAccepted { success: true })))
}
