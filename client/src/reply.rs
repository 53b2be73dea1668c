//! The exchange's replies, and the errors of a call.

use bytes::Bytes;
use http::HeaderMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One answer of the exchange, refusals included.
#[derive(Clone, Debug)]
pub struct Reply {
    /// HTTP status code.
    pub status: u16,
    /// Headers as received.
    pub headers: HeaderMap,
    /// Body as received.
    pub body: Bytes,
}

/// The exchange's error body: `result`, `reason`, `message` (ERR-001).
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Refusal {
    /// Always `error`.
    pub result: String,
    /// One of the documented tokens.
    pub reason: String,
    /// Text for people.
    pub message: String,
}

impl Reply {
    /// The body read as JSON into any value.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(|source| Error::Body {
            status: self.status,
            text: self.text(),
            source,
        })
    }

    /// The body as a JSON value.
    pub fn json(&self) -> Result<serde_json::Value, Error> {
        self.read()
    }

    /// The body as text, for messages.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's value, if it is there and printable.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The error body of a refusal, if this is one.
    pub fn refusal(&self) -> Option<Refusal> {
        if self.status == 200 { None } else { self.read().ok() }
    }

    /// The body of a 200 as `T`; anything else becomes [`Error::Refused`].
    pub fn accepted<T: DeserializeOwned>(&self) -> Result<T, Error> {
        if self.status == 200 {
            return self.read();
        }
        let (reason, message) = match self.refusal() {
            Some(refusal) => (refusal.reason, refusal.message),
            None => (String::new(), self.text()),
        };
        Err(Error::Refused { status: self.status, reason, message })
    }
}

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is not `http://host[:port]`.
    #[error("not an address of the form http://host:port: {0}")]
    Address(String),
    /// The exchange could not be reached.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// Where to.
        address: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The request is not HTTP: a method, path or header that cannot be sent.
    #[error("cannot build the request: {0}")]
    Request(#[from] http::Error),
    /// The connection broke; whether the exchange saw the request is unknown.
    #[error("the connection broke: {0}")]
    Broken(#[from] hyper::Error),
    /// No answer in time; whether the exchange saw the request is unknown.
    #[error("no answer within {0:?}")]
    TimedOut(std::time::Duration),
    /// A signed call without [`crate::Client::with_key`].
    #[error("this client has no key to sign with")]
    NoKey,
    /// The parameters of a call must be a JSON object.
    #[error("the parameters are not a JSON object: {0}")]
    Params(serde_json::Value),
    /// The body does not have the expected form.
    #[error("unexpected body ({status}): {source}: {text}")]
    Body {
        /// HTTP status code.
        status: u16,
        /// The body.
        text: String,
        /// The parser's error.
        source: serde_json::Error,
    },
    /// The exchange refused the call.
    #[error("refused with {status} {reason}: {message}")]
    Refused {
        /// HTTP status code.
        status: u16,
        /// One of the documented tokens, empty when the body had none.
        reason: String,
        /// Text for people.
        message: String,
    },
}
