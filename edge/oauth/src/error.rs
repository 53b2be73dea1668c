//! Errors (RFC 6749, 4.1.2.1 and 5.2).

use buttonwood_gate::{Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_wire::json;
use http::header::{PRAGMA, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};

/// The code of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorCode {
    /// A field is missing, is there twice or cannot be read.
    InvalidRequest,
    /// The client did not show who it is.
    InvalidClient,
    /// The code or the refresh token is not one of the client, or no longer.
    InvalidGrant,
    /// The client may not ask for this.
    UnauthorizedClient,
    /// No such grant.
    UnsupportedGrantType,
    /// No such response.
    UnsupportedResponseType,
    /// No such scope, or not for this client.
    InvalidScope,
    /// The user said no.
    AccessDenied,
    /// The exchange is busy, or down for maintenance.
    TemporarilyUnavailable,
    /// A failure of the exchange itself.
    ServerError,
}

impl ErrorCode {
    /// Its text in `error`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::UnauthorizedClient => "unauthorized_client",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::InvalidScope => "invalid_scope",
            Self::AccessDenied => "access_denied",
            Self::TemporarilyUnavailable => "temporarily_unavailable",
            Self::ServerError => "server_error",
        }
    }

    /// The status of an answer with it.
    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::InvalidClient => StatusCode::UNAUTHORIZED,
            Self::TemporarilyUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::ServerError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::InvalidRequest
            | Self::InvalidGrant
            | Self::UnauthorizedClient
            | Self::UnsupportedGrantType
            | Self::UnsupportedResponseType
            | Self::InvalidScope
            | Self::AccessDenied => StatusCode::BAD_REQUEST,
        }
    }
}

/// An error with its text for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OAuthError {
    pub(crate) code: ErrorCode,
    /// Of the characters that the RFC allows.
    pub(crate) description: String,
}

impl OAuthError {
    /// An error; characters that the RFC does not allow in a description are replaced.
    pub(crate) fn new(code: ErrorCode, description: &str) -> Self {
        let allowed = |character: char| match character {
            '"' => '\'',
            ' '..='~' if character != '\\' => character,
            _ => '?',
        };
        Self { code, description: description.chars().map(allowed).collect() }
    }

    /// A field that is missing.
    pub(crate) fn missing(field: &str) -> Self {
        Self::new(ErrorCode::InvalidRequest, &format!("The field '{field}' is missing"))
    }

    /// A request that cannot be taken.
    pub(crate) fn invalid(description: &str) -> Self {
        Self::new(ErrorCode::InvalidRequest, description)
    }

    /// A field whose value is refused.
    pub(crate) fn bad_value(code: ErrorCode, field: &str, expected: &str, value: &str) -> Self {
        Self::new(code, &format!("The field '{field}' must be {expected}: '{}'", quoted(value)))
    }

    /// Its answer.
    pub(crate) fn reply(&self, status: StatusCode) -> Reply {
        let body = json::object(64 + self.description.len(), |out| {
            out.plain("error", self.code.name());
            out.field("error_description", |out| out.text_item(&self.description));
        });
        unkept(Reply::json(body).with_status(status))
    }
}

/// Why a request of an app gets nothing.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the request.
    Error(OAuthError),
    /// The app did not show who it is by HTTP Basic (RFC 6749, 5.2).
    Basic(OAuthError),
    /// A refusal of the exchange.
    Refused(Refusal),
}

impl From<OAuthError> for Failure {
    fn from(error: OAuthError) -> Self {
        Self::Error(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Failure {
    /// Its answer.
    ///
    /// # Errors
    /// The refusal of the exchange.
    pub(crate) fn reply(self) -> Result<Reply, Refusal> {
        match self {
            Self::Error(error) => Ok(error.reply(error.code.status())),
            Self::Basic(error) => {
                let basic = HeaderValue::from_static("Basic realm=\"token\", charset=\"UTF-8\"");
                Ok(error.reply(error.code.status()).with_header(WWW_AUTHENTICATE, basic))
            }
            Self::Refused(refusal) => Err(refusal),
        }
    }
}

/// An answer that no cache keeps (RFC 6749, 5.1).
pub(crate) fn unkept(reply: Reply) -> Reply {
    reply.uncached().with_header(PRAGMA, HeaderValue::from_static("no-cache"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A description has the characters of the RFC only, also when a client sends others.
    #[test]
    fn descriptions_are_plain() {
        let error = OAuthError::bad_value(ErrorCode::InvalidScope, "scope", "known", "\"\\\r\n\u{e4}<\u{7f}");
        assert_eq!(error.description, "The field 'scope' must be known: ''????<?'");
        assert_eq!(error.reply(error.code.status()).status(), StatusCode::BAD_REQUEST);
    }
}
