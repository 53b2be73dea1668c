//! How an app shows who it is (RFC 6749, 2.3; D-129).

use crate::error::{ErrorCode, Failure, OAuthError};
use crate::parameters::Parameters;
use buttonwood_call::{App, Visit};
use buttonwood_engine::identity::{AppId, Digest};
use buttonwood_people::digest;
use buttonwood_wire::url_encoded;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// An app that has shown who it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    pub(crate) app: AppId,
    pub(crate) is_public: bool,
}

/// The client as a request names it.
struct Shown<'a> {
    client_id: &'a str,
    client_secret: Option<&'a str>,
    is_basic: bool,
}

/// Finds out which app makes a request: by its secret in the body or by HTTP Basic; a public client by its id alone.
///
/// # Errors
/// 401 `invalid_client`, `invalid_request`.
pub(crate) fn authenticate(visit: &Visit<'_>, sent: &Parameters) -> Result<Client, Failure> {
    let in_header = basic(&visit.head.headers)?;
    let in_body = (sent.optional("client_id")?, sent.optional("client_secret")?);
    let shown = match (&in_header, in_body) {
        (Some(_), (_, Some(_))) => {
            let message = "The client may show who it is in the body or by HTTP Basic, not in both";
            return Err(OAuthError::invalid(message).into());
        }
        (Some((id, _)), (Some(named), None)) if **id != *named => {
            return Err(OAuthError::invalid("The field 'client_id' is not the client of HTTP Basic").into());
        }
        (Some((id, secret)), (_, None)) => {
            let client_secret = Some(secret.as_str()).filter(|secret| !secret.is_empty());
            Shown { client_id: id, client_secret, is_basic: true }
        }
        (None, (client_id, client_secret)) => {
            let client_id = client_id.ok_or_else(|| OAuthError::missing("client_id"))?;
            Shown { client_id, client_secret, is_basic: false }
        }
    };
    check(visit.app, &shown)
}

/// Compares the secret that was shown. An unknown client takes the same work as a known one.
fn check(app: &App, shown: &Shown<'_>) -> Result<Client, Failure> {
    let id = AppId::parse(shown.client_id).ok();
    let (known, secret): (_, Option<Digest>) = {
        let views = app.exchange.views();
        let known = id.and_then(|id| views.state().identity().app(id));
        (known.map(|known| (known.new.id, known.new.is_public)), known.and_then(|known| known.secret))
    };
    let is_equal = digest(shown.client_secret.unwrap_or_default()).ct_eq(&secret.unwrap_or_default());
    let is_equal = bool::from(is_equal) && secret.is_some();
    match known {
        Some((app, true)) if shown.client_secret.is_none() => Ok(Client { app, is_public: true }),
        Some((app, false)) if is_equal && shown.client_secret.is_some() => {
            Ok(Client { app, is_public: false })
        }
        _ => Err(failed(shown.is_basic)),
    }
}

fn failed(is_basic: bool) -> Failure {
    let message = "The client is unknown, or its secret is not the one that it was given";
    let error = OAuthError::new(ErrorCode::InvalidClient, message);
    if is_basic { Failure::Basic(error) } else { Failure::Error(error) }
}

/// An id and a secret.
type Pair = (Zeroizing<String>, Zeroizing<String>);

/// The id and the secret of HTTP Basic, both URL-encoded (RFC 6749, 2.3.1); none without such a field.
fn basic(headers: &HeaderMap) -> Result<Option<Pair>, Failure> {
    let mut sent = headers.get_all(AUTHORIZATION).iter();
    let (first, second) = (sent.next(), sent.next());
    if second.is_some() {
        return Err(OAuthError::invalid("The header 'Authorization' was sent more than once").into());
    }
    let Some(field) = first else { return Ok(None) };
    read_basic(field.as_bytes()).map(Some).ok_or_else(|| failed(true))
}

fn read_basic(field: &[u8]) -> Option<Pair> {
    let (scheme, rest) = field.split_at_checked(b"Basic ".len())?;
    if !scheme.eq_ignore_ascii_case(b"Basic ") {
        return None;
    }
    let plain = Zeroizing::new(base64_simd::STANDARD.decode_to_vec(rest.trim_ascii()).ok()?);
    let colon = plain.iter().position(|byte| *byte == b':')?;
    let (id, secret) = plain.split_at_checked(colon)?;
    let decoded = |part| Some(Zeroizing::new(url_encoded::decoded(part).ok()?.into_owned()));
    Some((decoded(id)?, decoded(secret.get(1..)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, String)> {
        let (id, secret) = read_basic(text.as_bytes())?;
        Some((id.to_string(), secret.to_string()))
    }

    /// HTTP Basic is read as the RFC says, and everything else is no client.
    #[test]
    fn basic_is_read() {
        let two = |id: &str, secret: &str| Some((id.to_owned(), secret.to_owned()));
        for (plain, expected) in [
            ("id:secret", two("id", "secret")),
            ("id:", two("id", "")),
            ("id:a:b", two("id", "a:b")),
            ("i%3Ad:a+b%25", two("i:d", "a b%")),
            ("id", None),
            ("id:%", None),
        ] {
            let encoded = base64_simd::STANDARD.encode_to_string(plain);
            assert_eq!(read(&format!("Basic {encoded}")), expected, "{plain}");
            assert_eq!(read(&format!("bASIC   {encoded} ")), expected, "{plain}");
        }
        for text in ["", "Basic", "Basic ", "Basic !", "Bearer aWQ6c2VjcmV0", "BasicaWQ6c2VjcmV0"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
