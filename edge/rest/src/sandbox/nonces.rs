//! `POST /sandbox/nonces/reset`: lets a key begin again after a nonce that was too high (D-26).

use super::control::ControlCall;
use crate::route::Route;
use buttonwood_engine::AccessCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{Done, InPayload, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/nonces/reset", |app, _, fields| Box::pin(answer(app, fields)))
        .about("Lets a key begin again with any nonce.")
        .notes(&[
            "Every nonce may then be used again, so old requests of the key may be repeated too. Calls of \
             the key that wait at that moment are refused. The reset outlives a restart.",
        ])
        .takes::<ResetNonces>()
        .gives::<NoncesReset>();

request! {
    /// A key whose nonces begin again.
    pub(crate) struct ResetNonces in InPayload {
        /// The text of the key.
        api_key: Needed<Text>,
    }
}

answer! {
    /// The key whose nonces began again.
    struct NoncesReset {
        /// Always `ok`.
        result: Done,
        /// The text of the key.
        api_key: String,
    }
}

async fn answer(app: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let api_key = ResetNonces::of(fields).api_key()?;
    let known = app.gate.keys().find(api_key.as_bytes());
    let known = known.ok_or_else(|| bad_value("api_key", "the text of a key", &api_key))?;
    // Calls admitted before the reset must not note their nonces after it.
    known.overtake_calls();
    app.operator().send(AccessCommand::ResetNonces(known.key.session), |_| None).await?;
    known.reset_nonce();
    Ok(Reply::json(json::body(&NoncesReset { result: Done, api_key: known.key.api_key.clone() })))
}
