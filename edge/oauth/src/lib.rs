//! The authorization server: consent, codes, tokens and their revocation.
//!
//! The files are named as the RFCs name things: RFC 6749 (OAuth 2.0), 6750, 7009 (revocation), 7636 (PKCE), 8252 (native apps),
//! 8414 (metadata), 9207 (`iss`). The room `identity` of the core decides; here requests are read and answers are worded.
//!
//! Clauses: `OAUTH-002` to `OAUTH-019`, `OAUTH-022`. Not here: calls with a token (`gate`, `call`), signing in (`people`, `site`).

mod authorization_endpoint;
mod authorization_request;
mod authorization_response;
mod browser;
mod client_authentication;
mod code_challenge;
mod consent;
mod error;
mod frame;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod html;
mod metadata;
mod parameters;
mod revocation;
mod scope;
mod token_endpoint;

use buttonwood_call::{Later, Outside, Spot, Visit, no_endpoint};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::reply::refused;
use error::{ErrorCode, OAuthError};
use http::StatusCode;

/// The path of the authorization endpoint, where users consent.
const AUTHORIZE: &str = "/auth";
const TOKEN: &str = "/auth/token";
const REVOKE: &str = "/auth/token/revoke";
const REVOKE_BY_HOLDER: &str = "/auth/revoke";
const METADATA: &str = "/.well-known/oauth-authorization-server";

/// Bytes of a request's body at most, as the issue sets them for the token endpoint.
const BODY_MAX: usize = 16 * 1024;

/// The authorization server of an exchange.
#[derive(Debug)]
pub struct OAuth {
    /// Its issuer and the beginning of its addresses, without a slash at the end (RFC 8414, 2).
    auth_url: String,
}

impl OAuth {
    /// The server at this address, such as `https://exchange.example`.
    pub fn new(auth_url: &str) -> Self {
        Self { auth_url: auth_url.trim_end_matches('/').to_owned() }
    }
}

impl Outside for OAuth {
    fn names(&self) -> Vec<&'static str> {
        vec![AUTHORIZE, TOKEN, REVOKE, REVOKE_BY_HOLDER, METADATA]
    }

    fn find(&self, path: &str) -> Option<Spot> {
        let endpoint = |name| Some(Spot::call(name).open_to_pages().at_rate_of_calls());
        match path {
            AUTHORIZE => Some(Spot::page(AUTHORIZE).taking("GET, HEAD, POST")),
            TOKEN => endpoint(TOKEN),
            REVOKE => endpoint(REVOKE),
            REVOKE_BY_HOLDER => endpoint(REVOKE_BY_HOLDER),
            METADATA => Some(Spot::page(METADATA).open_to_pages()),
            _ => None,
        }
    }

    fn answer<'a>(&'a self, mut visit: Visit<'a>) -> Later<'a> {
        Box::pin(async move {
            match visit.spot.name {
                AUTHORIZE if visit.is_post() => authorization_endpoint::decide(self, visit).await,
                AUTHORIZE => Ok(authorization_endpoint::ask(self, &visit)),
                TOKEN => token_endpoint::answer(&mut visit).await,
                REVOKE => revocation::by_client(&mut visit).await,
                REVOKE_BY_HOLDER => revocation::by_holder(&mut visit).await,
                METADATA => Ok(metadata::reply(&self.auth_url)),
                _ => Err(no_endpoint(visit.path())),
            }
        })
    }

    fn refuse(&self, spot: Spot, refusal: &Refusal) -> Reply {
        let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
        match spot.name {
            AUTHORIZE => consent::error_page(status, &refusal.message, None),
            METADATA => refused(refusal),
            _ => OAuthError::new(code_of(refusal), &refusal.message).reply(status),
        }
    }
}

/// The error code of a refusal that comes before a request is read.
fn code_of(refusal: &Refusal) -> ErrorCode {
    match refusal.status {
        429 | 503 => ErrorCode::TemporarilyUnavailable,
        _ if refusal.reason == Reason::System => ErrorCode::ServerError,
        _ => ErrorCode::InvalidRequest,
    }
}
