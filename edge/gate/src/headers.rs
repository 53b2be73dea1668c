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

/// The prefixes under which authentication headers are read (D-164).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderNames {
    /// In lower case; none if every prefix that begins with `X-` is read.
    prefixes: Option<Vec<String>>,
}

/// A prefix that no header name can start with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("header prefix '{0}' is not made of letters, digits and dashes, or ends in a dash")]
pub struct BadPrefix(String);

/// The text of a key, then payload and signature, which may be missing.
type KeyAndSigned<'a> = (&'a [u8], [Option<&'a [u8]>; 2]);

impl HeaderNames {
    /// Any prefix of the form `X-NAME`; each request chooses its own.
    pub const fn any() -> Self {
        Self { prefixes: None }
    }

    /// `X-SVC` and the further prefixes, each without its last dash.
    ///
    /// # Errors
    /// [`BadPrefix`] names the one that cannot start a header name.
    pub fn named<'a>(further: impl IntoIterator<Item = &'a str>) -> Result<Self, BadPrefix> {
        let mut prefixes: Vec<String> = Vec::new();
        for shown in std::iter::once(DEFAULT_PREFIX).chain(further) {
            let permitted = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            if shown.is_empty() || shown.ends_with('-') || !shown.bytes().all(permitted) {
                return Err(BadPrefix(shown.to_owned()));
            }
            let prefix = shown.to_ascii_lowercase();
            if !prefixes.contains(&prefix) {
                prefixes.push(prefix);
            }
        }
        Ok(Self { prefixes: Some(prefixes) })
    }

    /// The three headers of a signed request, or those of one with an access token, or its refusal.
    pub(crate) fn read<'a>(&self, headers: &'a HeaderMap) -> Result<Sent<'a>, Refusal> {
        let found = self.find(headers)?;
        if let Some(token) = found.bearer {
            return found.with_token(token).map(Sent::Bearer);
        }
        let Some(prefix) = found.prefix else { return Err(none_found(headers)) };
        let (Some(api_key), Some(payload), Some(signature)) = (found.api_key, found.payload, found.signature)
        else {
            return Err(found.one_missing(prefix));
        };
        check_length(prefix, payload)?;
        Ok(Sent::Signed(Signed { api_key, payload, signature }))
    }

    /// The credentials of a handshake; none if it brings none.
    pub(crate) fn read_handshake<'a>(
        &self,
        headers: &'a HeaderMap,
    ) -> Result<Option<Handshake<'a>>, Refusal> {
        let found = self.find(headers)?;
        if let Some(token) = found.bearer {
            let bearer = found.with_token(token)?;
            return Ok(Some(Handshake::Bearer(bearer.token)));
        }
        let Some(prefix) = found.prefix else { return Ok(None) };
        let (Some(api_key), Some(payload), Some(signature)) = (found.api_key, found.payload, found.signature)
        else {
            return Err(found.one_missing(prefix));
        };
        check_length(prefix, payload)?;
        let nonce = found.nonce.ok_or_else(|| {
            Refusal::new(
                Reason::MissingNonce,
                format!("Must provide '{}' header", FieldName::Nonce.under(prefix)),
            )
        })?;
        Ok(Some(Handshake::Signed { signed: Signed { api_key, payload, signature }, nonce }))
    }

    /// The key, the payload and the signature of a request that may have the first of them alone.
    pub(crate) fn key_and_signed<'a>(&self, headers: &'a HeaderMap) -> Option<KeyAndSigned<'a>> {
        let found = self.find(headers).ok()?;
        Some((found.api_key?, [found.payload, found.signature]))
    }

    /// One pass over all headers, so that a repeated one cannot hide.
    fn find<'a>(&self, headers: &'a HeaderMap) -> Result<Found<'a>, Refusal> {
        let mut found = Found::default();
        for (name, value) in headers {
            if name == http::header::AUTHORIZATION {
                found.authorization(value.as_bytes())?;
            } else if let Some((prefix, field)) = split(name).filter(|(prefix, _)| self.reads(prefix)) {
                found.field(prefix, field, value.as_bytes())?;
            }
        }
        Ok(found)
    }

    fn reads(&self, prefix: &str) -> bool {
        match &self.prefixes {
            None => prefix.len() > "x-".len() && prefix.starts_with("x-"),
            Some(prefixes) => prefixes.iter().any(|known| known == prefix),
        }
    }
}

/// Whether a header may name a key or an access token. A private call without one is refused, whatever its body holds.
pub fn may_name_caller(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| *name == http::header::AUTHORIZATION || name.as_str().ends_with("-apikey"))
}

/// The prefix of a header name without its last dash, if the rest of the name is that of a field.
fn split(name: &HeaderName) -> Option<(&str, FieldName)> {
    let name = name.as_str();
    // The last letter rules out most names.
    let (end, field) = match name.as_bytes().last()? {
        b'y' => ("-apikey", FieldName::ApiKey),
        b'd' => ("-payload", FieldName::Payload),
        b'e' if name.ends_with("-nonce") => ("-nonce", FieldName::Nonce),
        b'e' => ("-signature", FieldName::Signature),
        _ => return None,
    };
    Some((name.strip_suffix(end)?, field))
}

#[derive(Clone, Copy)]
enum FieldName {
    ApiKey,
    Payload,
    Signature,
    /// Of the newest socket alone; calls ignore it.
    Nonce,
}

impl FieldName {
    /// The name of the whole header under a prefix, as messages show it.
    fn under(self, prefix: &str) -> String {
        let field = match self {
            Self::ApiKey => "APIKEY",
            Self::Payload => "PAYLOAD",
            Self::Signature => "SIGNATURE",
            Self::Nonce => "NONCE",
        };
        format!("{}-{field}", shown(prefix))
    }
}

/// A prefix as messages show it.
fn shown(prefix: &str) -> String {
    quoted(&prefix.to_ascii_uppercase())
}

/// Refuses a payload header that is too long.
fn check_length(prefix: &str, payload: &[u8]) -> Result<(), Refusal> {
    if payload.len() > PAYLOAD_MAX {
        let name = FieldName::Payload.under(prefix);
        return Err(invalid(&format!("header '{name}' is longer than {PAYLOAD_MAX} bytes")));
    }
    Ok(())
}

/// The authentication headers of a request.
#[derive(Debug)]
pub(crate) enum Sent<'a> {
    Signed(Signed<'a>),
    Bearer(Bearer<'a>),
}

/// The credentials of a handshake of the newest socket.
#[derive(Debug)]
pub(crate) enum Handshake<'a> {
    Signed { signed: Signed<'a>, nonce: &'a [u8] },
    Bearer(&'a [u8]),
}

/// The headers of a request with an access token.
#[derive(Debug)]
pub(crate) struct Bearer<'a> {
    /// The text of the token, of any form.
    pub(crate) token: &'a [u8],
    prefix: &'a str,
    payload: Option<&'a [u8]>,
}

impl<'a> Bearer<'a> {
    /// The payload header, or the refusal of a request without one (OAUTH-021).
    pub(crate) fn payload(&self) -> Result<&'a [u8], Refusal> {
        let payload = self
            .payload
            .ok_or_else(|| missing(Reason::MissingPayloadHeader, FieldName::Payload, self.prefix))?;
        check_length(self.prefix, payload)?;
        Ok(payload)
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
    /// The text after the scheme of a bearer token.
    bearer: Option<&'a [u8]>,
    prefix: Option<&'a str>,
    api_key: Option<&'a [u8]>,
    payload: Option<&'a [u8]>,
    signature: Option<&'a [u8]>,
    nonce: Option<&'a [u8]>,
}

impl<'a> Found<'a> {
    fn authorization(&mut self, value: &'a [u8]) -> Result<(), Refusal> {
        if self.authorization {
            return Err(ambiguous("Header 'Authorization' is given twice"));
        }
        self.authorization = true;
        // Other schemes are meant for proxies and are ignored.
        let end = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
        let (scheme, token) = value.split_at(end);
        self.bearer = scheme.eq_ignore_ascii_case(b"bearer").then(|| token.trim_ascii());
        Ok(())
    }

    fn field(&mut self, prefix: &'a str, field: FieldName, value: &'a [u8]) -> Result<(), Refusal> {
        let first = *self.prefix.get_or_insert(prefix);
        if first != prefix {
            return Err(ambiguous(&format!(
                "Authentication headers are given under two prefixes, '{}' and '{}'",
                shown(first),
                shown(prefix)
            )));
        }
        let place = match field {
            FieldName::ApiKey => &mut self.api_key,
            FieldName::Payload => &mut self.payload,
            FieldName::Signature => &mut self.signature,
            FieldName::Nonce => &mut self.nonce,
        };
        if place.replace(value).is_some() {
            return Err(invalid(&format!("header '{}' is given twice", field.under(prefix))).closing());
        }
        Ok(())
    }

    /// The refusal of a request that lacks one of the three headers, named with the prefix of the others.
    fn one_missing(&self, prefix: &str) -> Refusal {
        let (reason, field) = match (self.api_key, self.payload) {
            (None, _) => (Reason::MissingApikeyHeader, FieldName::ApiKey),
            (_, None) => (Reason::MissingPayloadHeader, FieldName::Payload),
            _ => (Reason::MissingSignatureHeader, FieldName::Signature),
        };
        missing(reason, field, prefix)
    }

    /// The request with an access token; together with a key it is ambiguous (AUTH-012).
    fn with_token(&self, token: &'a [u8]) -> Result<Bearer<'a>, Refusal> {
        if self.api_key.is_some() || self.signature.is_some() {
            return Err(ambiguous("Both API-key headers and a bearer token are given"));
        }
        Ok(Bearer { token, prefix: self.prefix.unwrap_or(DEFAULT_PREFIX), payload: self.payload })
    }
}

/// The refusal of a request that lacks a header.
fn missing(reason: Reason, field: FieldName, prefix: &str) -> Refusal {
    Refusal::new(reason, format!("Must provide '{}' header", field.under(prefix)))
}

/// The refusal of a request without authentication headers. It has a hint if the key may be in a header that this
/// exchange does not read.
#[cold]
fn none_found(headers: &HeaderMap) -> Refusal {
    let [api_key, payload, signature] = [FieldName::ApiKey, FieldName::Payload, FieldName::Signature]
        .map(|field| field.under(DEFAULT_PREFIX));
    let message = format!("Must provide '{api_key}', '{payload}' and '{signature}' headers");
    let refusal = Refusal::new(Reason::MissingSecurityHeaders, message);
    let Some(prefix) = headers.keys().find_map(|name| name.as_str().strip_suffix("-apikey")) else {
        return refusal;
    };
    let prefix = shown(prefix);
    refusal.and(&format!(
        "headers under '{prefix}' are read if the exchange is started with --header-prefix {prefix}"
    ))
}

fn ambiguous(message: &str) -> Refusal {
    Refusal::new(Reason::AmbiguousAuthentication, message).closing()
}

#[cfg(test)]
mod tests;
