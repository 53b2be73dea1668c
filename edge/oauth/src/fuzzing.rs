//! Access for the fuzzer only: the readers of requests without a server.

use crate::authorization_request::{AuthorizationRequest, Flaw};
use crate::error::OAuthError;
use crate::parameters::{Media, Parameters};
use buttonwood_engine::identity::{App, AppId};
use buttonwood_model::Scopes;
use buttonwood_wire::url_encoded;

/// The code and the description of an error.
pub type Failed = (&'static str, String);

fn failed(error: &OAuthError) -> Failed {
    (error.code.name(), error.description.clone())
}

/// The fields of a token request.
#[derive(Debug)]
pub struct Body(Parameters);

impl Body {
    /// Reads a body: JSON, or else a form.
    ///
    /// # Errors
    /// The error that the client gets.
    pub fn read(is_json: bool, body: &[u8]) -> Result<Self, Failed> {
        let media = if is_json { Media::Json } else { Media::Form };
        Parameters::of(media, body).map(Self).map_err(|error| failed(&error))
    }

    /// The text of a field; none if it is absent, `null` or empty.
    ///
    /// # Errors
    /// The error of a value that is no text.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Failed> {
        self.0.optional(name).map_err(|error| failed(&error))
    }
}

/// A query of the authorization endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It is put to a user.
    Consent {
        /// The app.
        app: AppId,
        /// The scopes.
        scopes: Scopes,
        /// Whether a verifier will be needed.
        is_challenged: bool,
        /// The address to which a code would go.
        answer: String,
        /// The query that the consent page repeats.
        query: String,
    },
    /// The user sees a page, and nothing is sent to an app.
    Page,
    /// The app gets an error at this address.
    Error {
        /// The error.
        error: Failed,
        /// The address.
        answer: String,
    },
}

/// Reads a query, as sent by a browser, about one of these apps. None if it is no query.
pub fn asked(query: &[u8], apps: &[App]) -> Option<Asked> {
    const ISSUER: &str = "https://exchange.example";
    let pairs = url_encoded::pairs(query).ok()?;
    let read = AuthorizationRequest::read(&pairs, |id| apps.iter().find(|app| app.new.id == id));
    Some(match read {
        Ok(request) => Asked::Consent {
            app: request.app,
            scopes: request.scopes,
            is_challenged: request.challenge.is_some(),
            answer: request.target.address(&[("code", "c")], ISSUER).to_string(),
            query: request.query,
        },
        Err(Flaw::Page(_)) => Asked::Page,
        Err(Flaw::Answer(target, error)) => Asked::Error {
            answer: target.address(&[("error", error.code.name())], ISSUER).to_string(),
            error: failed(&error),
        },
    })
}
