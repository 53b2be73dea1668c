//! Authentication headers: which of them a request brings, and under which name prefix.
//!
//! Clauses: `AUTH-001`, `AUTH-009`, `AUTH-010`, `AUTH-012`, `ERR-007`; D-03, D-06, D-22.

use crate::refusal::quoted;
use crate::signature::invalid;
use crate::{Reason, Refusal};
use http::{HeaderMap, HeaderName};

/// The prefix of the specification, without its last dash.
pub const DEFAULT_PREFIX: &str = "X-SVC";

/// Bytes of a payload header at most: 12 KiB once decoded.
const PAYLOAD_MAX: usize = 16 * 1024;

/// The prefixes under which authentication headers are read.
#[derive(Clone, Debug)]
pub struct HeaderNames {
    prefixes: Vec<Prefix>,
}

#[derive(Clone, Debug)]
struct Prefix {
    /// As messages name it.
    shown: String,
    /// As header names carry it: lower case, with its last dash.
    found: String,
}

/// A prefix that no header name can start with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("header prefix '{0}' is not made of letters, digits and dashes, or ends in a dash")]
pub struct BadPrefix(String);

impl HeaderNames {
    /// `X-SVC` and the further prefixes, each without its last dash.
    ///
    /// # Errors
    /// [`BadPrefix`] names the one that cannot start a header name.
    pub fn new<'a>(further: impl IntoIterator<Item = &'a str>) -> Result<Self, BadPrefix> {
        let mut prefixes: Vec<Prefix> = Vec::new();
        for shown in std::iter::once(DEFAULT_PREFIX).chain(further) {
            let prefix =
                Prefix { shown: shown.to_owned(), found: format!("{}-", shown.to_ascii_lowercase()) };
            let permitted = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            if shown.is_empty() || shown.ends_with('-') || !shown.bytes().all(permitted) {
                return Err(BadPrefix(shown.to_owned()));
            }
            if prefixes.iter().all(|known| known.found != prefix.found) {
                prefixes.push(prefix);
            }
        }
        Ok(Self { prefixes })
    }

    /// The three headers of a request, or its refusal.
    pub(crate) fn read<'a>(&self, headers: &'a HeaderMap) -> Result<Signed<'a>, Refusal> {
        let found = self.find(headers)?;
        let shown = self
            .prefixes
            .get(found.prefix.unwrap_or_default())
            .map_or(DEFAULT_PREFIX, |prefix| &prefix.shown);
        if found.bearer {
            return Err(found.beside_bearer());
        }
        if found.prefix.is_none() {
            let message =
                format!("Must provide '{shown}-APIKEY', '{shown}-PAYLOAD' and '{shown}-SIGNATURE' headers");
            return Err(hinted(Refusal::new(Reason::MissingSecurityHeaders, message), headers));
        }
        let missing =
            |reason, name: &str| Refusal::new(reason, format!("Must provide '{shown}-{name}' header"));
        let api_key = found.api_key.ok_or_else(|| missing(Reason::MissingApikeyHeader, "APIKEY"))?;
        let payload = found.payload.ok_or_else(|| missing(Reason::MissingPayloadHeader, "PAYLOAD"))?;
        let signature =
            found.signature.ok_or_else(|| missing(Reason::MissingSignatureHeader, "SIGNATURE"))?;
        if payload.len() > PAYLOAD_MAX {
            return Err(invalid(&format!("header '{shown}-PAYLOAD' is longer than {PAYLOAD_MAX} bytes")));
        }
        Ok(Signed { api_key, payload, signature })
    }

    /// One pass over all headers, so that a repeated one cannot hide.
    fn find<'a>(&self, headers: &'a HeaderMap) -> Result<Found<'a>, Refusal> {
        let mut found = Found::default();
        for (name, value) in headers {
            if name == http::header::AUTHORIZATION {
                found.authorization(value.as_bytes())?;
            } else if let Some((prefix, field)) = self.split(name) {
                found.field(self, prefix, field, value.as_bytes())?;
            }
        }
        Ok(found)
    }

    /// The position of the prefix a header name carries, and which of the three it is.
    fn split(&self, name: &HeaderName) -> Option<(usize, FieldName)> {
        let name = name.as_str();
        self.prefixes.iter().enumerate().find_map(|(at, prefix)| {
            let field = match name.strip_prefix(prefix.found.as_str())? {
                "apikey" => FieldName::ApiKey,
                "payload" => FieldName::Payload,
                "signature" => FieldName::Signature,
                _ => return None,
            };
            Some((at, field))
        })
    }
}

#[derive(Clone, Copy)]
enum FieldName {
    ApiKey,
    Payload,
    Signature,
}

impl FieldName {
    const fn shown(self) -> &'static str {
        match self {
            Self::ApiKey => "APIKEY",
            Self::Payload => "PAYLOAD",
            Self::Signature => "SIGNATURE",
        }
    }
}

/// The values of the three headers of a signed request.
#[derive(Debug)]
pub(crate) struct Signed<'a> {
    pub(crate) api_key: &'a [u8],
    pub(crate) payload: &'a [u8],
    pub(crate) signature: &'a [u8],
}

#[derive(Default)]
struct Found<'a> {
    authorization: bool,
    bearer: bool,
    prefix: Option<usize>,
    api_key: Option<&'a [u8]>,
    payload: Option<&'a [u8]>,
    signature: Option<&'a [u8]>,
}

impl<'a> Found<'a> {
    fn authorization(&mut self, value: &[u8]) -> Result<(), Refusal> {
        if self.authorization {
            return Err(ambiguous("Header 'Authorization' is given twice"));
        }
        self.authorization = true;
        // Other schemes are meant for proxies and are ignored.
        self.bearer = value.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer "));
        Ok(())
    }

    fn field(
        &mut self,
        names: &HeaderNames,
        at: usize,
        field: FieldName,
        value: &'a [u8],
    ) -> Result<(), Refusal> {
        if *self.prefix.get_or_insert(at) != at {
            return Err(ambiguous("Authentication headers are given under two prefixes"));
        }
        let place = match field {
            FieldName::ApiKey => &mut self.api_key,
            FieldName::Payload => &mut self.payload,
            FieldName::Signature => &mut self.signature,
        };
        if place.replace(value).is_some() {
            let shown = names.prefixes.get(at).map_or(DEFAULT_PREFIX, |prefix| &prefix.shown);
            return Err(invalid(&format!("header '{shown}-{}' is given twice", field.shown())).closing());
        }
        Ok(())
    }

    /// The refusal of a request with a bearer token: no token is known yet, and together with a key it is ambiguous.
    fn beside_bearer(&self) -> Refusal {
        if self.api_key.is_some() || self.signature.is_some() {
            return ambiguous("Both API-key headers and a bearer token are given");
        }
        Refusal::new(Reason::InvalidAccessToken, "The access token is unknown, expired or revoked")
    }
}

/// Adds a hint if the key may be in a header that this exchange does not read, since some clients have header names
/// built in.
#[cold]
fn hinted(refusal: Refusal, headers: &HeaderMap) -> Refusal {
    let Some(prefix) = headers.keys().find_map(|name| name.as_str().strip_suffix("-apikey")) else {
        return refusal;
    };
    let prefix = quoted(&prefix.to_ascii_uppercase());
    refusal.and(&format!(
        "headers under '{prefix}' are read if the exchange is started with --header-prefix {prefix}"
    ))
}

fn ambiguous(message: &str) -> Refusal {
    Refusal::new(Reason::AmbiguousAuthentication, message).closing()
}

#[cfg(test)]
mod tests;
