//! `POST /sandbox/nonces/reset`: lets a key begin again after a nonce that was too high (D-26).

use super::control::{operate, required};
use crate::app::App;
use crate::route::Route;
use buttonwood_engine::{AccessCommand, Body, Outcome, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::field::{bad_value, failed, no_space};
use buttonwood_wire::json;

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/nonces/reset", |app, _, fields| Box::pin(answer(app, fields)));

async fn answer(app: &App, fields: &Payload) -> Result<Reply, Refusal> {
    let api_key = required(fields, "api_key")?;
    let known = app.gate.keys().find(api_key.as_bytes());
    let known = known.ok_or_else(|| bad_value("api_key", "the text of a key", &api_key))?;
    // What was let in before must not be noted after it.
    known.overtake_calls();
    match operate(app, Body::Access(AccessCommand::ResetNonces(known.key.session))).await? {
        Outcome::Done => known.reset_nonce(),
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) | Outcome::Trading(_) => return Err(failed()),
    }
    Ok(Reply::json(json::object(96, |json| {
        json.plain("result", "ok");
        json.plain("api_key", &known.key.api_key);
    })))
}
