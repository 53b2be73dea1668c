//! The authorization request (RFC 6749, 4.1.1 and 4.2.1; OAUTH-002 to OAUTH-006, OAUTH-018).

use crate::authorization_response::Target;
use crate::code_challenge::{self, S256};
use crate::error::{ErrorCode, OAuthError};
use crate::scope;
use buttonwood_engine::identity::{App, AppId, Digest};
use buttonwood_model::Scopes;
use buttonwood_people::redirect_uri;
use buttonwood_wire::url_encoded::{self, Pairs};

/// The parameters, in the order in which the consent page repeats them.
const NAMES: [&str; 7] = [
    "client_id",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
];

/// A parameter as it was sent. One without a value counts as absent (RFC 6749, 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent<'a> {
    Absent,
    Once(&'a str),
    Repeated,
}

impl<'a> Sent<'a> {
    fn of(pairs: &'a Pairs<'_>, name: &str) -> Self {
        let mut values = pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_ref());
        match (values.next(), values.next()) {
            (_, Some(_)) => Self::Repeated,
            (None | Some(""), None) => Self::Absent,
            (Some(value), None) => Self::Once(value),
        }
    }

    fn once(self) -> Option<&'a str> {
        match self {
            Self::Once(value) => Some(value),
            Self::Absent | Self::Repeated => None,
        }
    }

    /// The value of a parameter that may be absent.
    fn optional(self, name: &str) -> Result<Option<&'a str>, OAuthError> {
        if self == Self::Repeated {
            return Err(OAuthError::invalid(&format!("The parameter '{name}' was sent more than once")));
        }
        Ok(self.once())
    }
}

/// A request that may be put to a user.
#[derive(Clone, Debug)]
pub(crate) struct AuthorizationRequest {
    pub(crate) app: AppId,
    /// Where the answer goes.
    pub(crate) target: Target,
    pub(crate) scopes: Scopes,
    pub(crate) challenge: Option<Digest>,
    /// The request as the consent page repeats it, and as a browser can make it again: a query string.
    pub(crate) query: String,
}

/// Why a request is not put to a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// It is not known where an answer may go: the user sees a page.
    Page(&'static str),
    /// The app gets the error.
    Answer(Target, OAuthError),
}

impl AuthorizationRequest {
    /// Reads and checks a request, in the order of the issue. `find` gives the app with an id.
    ///
    /// # Errors
    /// The first [`Flaw`].
    pub(crate) fn read<'a>(
        pairs: &Pairs<'_>,
        find: impl FnOnce(AppId) -> Option<&'a App>,
    ) -> Result<Self, Flaw> {
        let sent = |name| Sent::of(pairs, name);
        let id = sent("client_id").once().and_then(|id| AppId::parse(id).ok());
        let app = id.and_then(find);
        let app =
            app.ok_or(Flaw::Page("The app that sent you here is unknown: 'client_id' names no app."))?;
        let uri = sent("redirect_uri")
            .once()
            .filter(|uri| redirect_uri::matches(&app.new.redirect_uris, uri, app.new.is_public));
        let uri = uri.ok_or(Flaw::Page(
            "The app that sent you here wants the answer at an address that it has not registered: see 'redirect_uri'.",
        ))?;
        let target = Target {
            uri: uri.to_owned(),
            state: sent("state").once().map(str::to_owned),
            is_implicit: sent("response_type") == Sent::Once("token") && app.is_implicit,
        };
        match check(pairs, app) {
            Ok((scopes, challenge)) => {
                let repeated = NAMES.iter().filter_map(|name| Some((*name, sent(name).once()?)));
                let query = url_encoded::encoded(repeated);
                Ok(Self { app: app.new.id, target, scopes, challenge, query })
            }
            Err(error) => Err(Flaw::Answer(target, error)),
        }
    }
}

/// The scopes and the challenge of a request.
fn check(pairs: &Pairs<'_>, app: &App) -> Result<(Scopes, Option<Digest>), OAuthError> {
    let sent = |name| Sent::of(pairs, name);
    let scopes = scope::read(sent("scope").optional("scope")?.unwrap_or_default())?;
    if !scopes.is_within(app.new.scopes) {
        let message = "The parameter 'scope' names a scope that the app has not registered";
        return Err(OAuthError::new(ErrorCode::InvalidScope, message));
    }
    match sent("response_type").optional("response_type")? {
        Some("code") => {}
        Some("token") if app.is_implicit => {}
        Some("token") => {
            let message = "The implicit flow, response_type 'token', is not switched on for this app";
            return Err(OAuthError::new(ErrorCode::UnauthorizedClient, message));
        }
        Some(other) => {
            let code = ErrorCode::UnsupportedResponseType;
            return Err(OAuthError::bad_value(code, "response_type", "'code'", other));
        }
        None => return Err(OAuthError::missing("response_type")),
    }
    let state = sent("state").optional("state")?;
    let challenge = sent("code_challenge").optional("code_challenge")?;
    let method = sent("code_challenge_method").optional("code_challenge_method")?;
    if app.new.is_public && state.is_none() {
        return Err(OAuthError::missing("state"));
    }
    Ok((scopes, read_challenge(app.new.is_public, challenge, method)?))
}

/// The challenge: a public client must send one, and a confidential one may (OAUTH-017).
fn read_challenge(
    is_public: bool,
    challenge: Option<&str>,
    method: Option<&str>,
) -> Result<Option<Digest>, OAuthError> {
    if challenge.is_none() && method.is_none() && !is_public {
        return Ok(None);
    }
    let challenge = challenge.ok_or_else(|| OAuthError::missing("code_challenge"))?;
    if method != Some(S256) {
        let sent = method.unwrap_or_default();
        let code = ErrorCode::InvalidRequest;
        return Err(OAuthError::bad_value(code, "code_challenge_method", "'S256'", sent));
    }
    let challenge = code_challenge::challenge(challenge).ok_or_else(|| {
        OAuthError::invalid("The field 'code_challenge' must be 43 characters of base64url without padding")
    })?;
    Ok(Some(challenge))
}
