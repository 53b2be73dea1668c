//! The token endpoint (RFC 6749, 3.2; OAUTH-007 to OAUTH-018).

use crate::client_authentication::{Client, authenticate};
use crate::code_challenge;
use crate::error::{ErrorCode, Failure, OAuthError, unkept};
use crate::parameters::{Media, Parameters};
use crate::scope;
use buttonwood_call::{App, Visit};
use buttonwood_engine::identity::{ACCESS_AGE, Command, Exchange, Refresh, Reject};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Scopes, Time};
use buttonwood_people::{Drawn, digest, draw};
use buttonwood_wire::json;
use std::sync::Arc;

/// Seconds for which an access token lives (OAUTH-009).
pub(crate) const EXPIRES_IN: u64 = ACCESS_AGE / Time::SECOND;

/// The grants.
#[derive(Clone, Copy)]
enum GrantType {
    AuthorizationCode,
    RefreshToken,
}

/// Answers a request for tokens.
///
/// # Errors
/// The refusal of the exchange.
pub(crate) async fn answer(visit: &mut Visit<'_>) -> Result<Reply, Refusal> {
    match tokens(visit).await {
        Ok(reply) => Ok(unkept(reply)),
        Err(failure) => failure.reply(),
    }
}

async fn tokens(visit: &mut Visit<'_>) -> Result<Reply, Failure> {
    let sent = Parameters::read(visit, &[Media::Json, Media::Form]).await?;
    let grant = match sent.required("grant_type")? {
        "authorization_code" => GrantType::AuthorizationCode,
        "refresh_token" => GrantType::RefreshToken,
        other => {
            let expected = "'authorization_code' or 'refresh_token'";
            return Err(OAuthError::bad_value(
                ErrorCode::UnsupportedGrantType,
                "grant_type",
                expected,
                other,
            )
            .into());
        }
    };
    let client = authenticate(visit, &sent)?;
    let (access, refresh) = (draw()?, draw()?);
    let command = match grant {
        GrantType::AuthorizationCode => exchange(client, &sent, (&access, &refresh))?,
        GrantType::RefreshToken => refreshed(client, &sent, (&access, &refresh))?,
    };
    if !visit.app.exchange.views().state().identity().may_answer(&command) {
        return Err(refused(grant, Reject::BadGrant).into());
    }
    if let Err(reject) = visit.app.people.submit(command).await? {
        return Err(refused(grant, reject).into());
    }
    // The second use of a code and the late use of a consumed token were carried out too: they ended the tokens.
    let scopes = scopes_of(visit.app, &access).ok_or_else(|| refused(grant, Reject::BadGrant))?;
    Ok(reply(&access, Some(&refresh), scopes))
}

/// The command of a code (RFC 6749, 4.1.3).
fn exchange(
    client: Client,
    sent: &Parameters,
    (access, refresh): (&Drawn, &Drawn),
) -> Result<Command, OAuthError> {
    let code = digest(sent.required("code")?);
    let redirect_uri = sent.required("redirect_uri")?.to_owned();
    let verifier = sent.optional("code_verifier")?;
    if client.is_public && verifier.is_none() {
        return Err(OAuthError::missing("code_verifier"));
    }
    let verifier = verifier.map(code_challenge::verified).transpose()?;
    let (access, refresh) = (access.digest, refresh.digest);
    Ok(Command::Exchange(Arc::new(Exchange {
        app: client.app,
        code,
        redirect_uri,
        verifier,
        access,
        refresh,
    })))
}

/// The command of a refresh token (RFC 6749, 6).
fn refreshed(
    client: Client,
    sent: &Parameters,
    (access, next): (&Drawn, &Drawn),
) -> Result<Command, OAuthError> {
    let refresh = digest(sent.required("refresh_token")?);
    let scopes = sent.optional("scope")?.map(scope::read).transpose()?;
    let (access, next) = (access.digest, next.digest);
    Ok(Command::Refresh(Refresh { app: client.app, refresh, scopes, access, next }))
}

/// The scopes of a token that was just given; none if it was not.
fn scopes_of(app: &App, access: &Drawn) -> Option<Scopes> {
    let now = app.now();
    let views = app.exchange.views();
    views.state().identity().find_token(&access.digest, now).map(|holder| holder.scopes)
}

fn refused(grant: GrantType, reject: Reject) -> OAuthError {
    if reject == Reject::WiderScope {
        let message = "The field 'scope' names a scope that was not granted";
        return OAuthError::new(ErrorCode::InvalidScope, message);
    }
    let message = match grant {
        GrantType::AuthorizationCode => {
            "The field 'code' is unknown, was used or has expired, or it is not for this client, redirect_uri and code_verifier"
        }
        GrantType::RefreshToken => {
            "The field 'refresh_token' is unknown, was used or was revoked, or it is another client's"
        }
    };
    OAuthError::new(ErrorCode::InvalidGrant, message)
}

/// The reply with tokens (RFC 6749, 5.1; OAUTH-009).
pub(crate) fn reply(access: &Drawn, refresh: Option<&Drawn>, scopes: Scopes) -> Reply {
    let body = json::object(512, |out| {
        out.plain("access_token", &access.text);
        if let Some(refresh) = refresh {
            out.plain("refresh_token", &refresh.text);
        }
        out.plain("token_type", "Bearer");
        out.plain("scope", &scope::list(scopes));
        out.number("expires_in", EXPIRES_IN);
    });
    Reply::secret_json(body)
}
