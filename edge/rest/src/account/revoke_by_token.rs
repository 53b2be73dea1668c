//! `POST /v1/oauth/revokeByToken`: ends all that the app of a token has of its user and account (OAUTH-024, D-126).

use buttonwood_call::{App, Auth, Call, Route, Write, core_refusal};
use buttonwood_engine::{Body, identity};
use buttonwood_gate::{HeldKind, Refusal};
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::{answer, json};

/// Access tokens only.
pub(crate) const ROUTE: Route =
    Route::writing("/v1/oauth/revokeByToken", Write { command, answer, closed: None })
        .by(Auth::Token)
        .any_token()
        .about("Revokes the tokens and the codes that the app of the access token has for the account.")
        .notes(&[
            "The account's tokens for other apps and the user's tokens for other accounts stay. Orders stay.",
        ])
        .gives::<Revoked>();

answer! {
    /// A revocation.
    struct Revoked {
        /// A sentence that names the app.
        message: String,
    }
}

fn command(_app: &App, _call: &Call) -> Result<Body, Refusal> {
    Ok(identity::Command::RevokeByToken.into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    receipt.done().map_err(|reject| core_refusal(app, call, reject))?;
    let client = call.gate().holder().and_then(|held| match &held.kind {
        HeldKind::Token { client, .. } => Some(client.as_ref()),
        HeldKind::Browser => None,
    });
    let message = format!(
        "The tokens and codes of client {} were revoked for your account",
        client.unwrap_or_default()
    );
    Ok(Reply::json(json::body(&Revoked { message })))
}
