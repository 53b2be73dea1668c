//! Revocation (RFC 7009; D-127). A token that is unknown or of another app is left alone, and the answer is the same.

use crate::client_authentication::authenticate;
use crate::error::{Failure, unkept};
use crate::parameters::{Media, Parameters};
use buttonwood_call::{App, Visit};
use buttonwood_engine::identity::{AppId, Command};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_people::digest;

/// Revokes a token of an app that shows who it is.
///
/// # Errors
/// The refusal of the exchange.
pub(crate) async fn by_client(visit: &mut Visit<'_>) -> Result<Reply, Refusal> {
    worded(of_client(visit).await)
}

/// Revokes a token for its holder.
///
/// # Errors
/// The refusal of the exchange.
pub(crate) async fn by_holder(visit: &mut Visit<'_>) -> Result<Reply, Refusal> {
    worded(of_holder(visit).await)
}

async fn of_client(visit: &mut Visit<'_>) -> Result<(), Failure> {
    let sent = Parameters::read(visit, &[Media::Json, Media::Form]).await?;
    let client = authenticate(visit, &sent)?;
    // A hint saves a server with two tables a search; this one has one.
    sent.optional("token_type_hint")?;
    revoke(visit.app, Some(client.app), sent.required("token")?).await
}

async fn of_holder(visit: &mut Visit<'_>) -> Result<(), Failure> {
    let sent = Parameters::read(visit, &[Media::Form]).await?;
    revoke(visit.app, None, sent.required("token")?).await
}

async fn revoke(app: &App, client: Option<AppId>, token: &str) -> Result<(), Failure> {
    let command = Command::Revoke(client, digest(token));
    if app.exchange.views().state().identity().may_answer(&command) {
        // The room rejects no revocation.
        let _ = app.people.submit(command).await?;
    }
    Ok(())
}

fn worded(outcome: Result<(), Failure>) -> Result<Reply, Refusal> {
    match outcome {
        Ok(()) => Ok(unkept(Reply::json(b"{}".to_vec()))),
        Err(failure) => failure.reply(),
    }
}
