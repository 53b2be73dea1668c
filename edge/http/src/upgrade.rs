//! The handshake of a WebSocket (RFC 6455, section 4.2).

use crate::socket::Socket;
use http::header::{
    CONNECTION, CONTENT_LENGTH, HeaderName, HeaderValue, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION,
    TRANSFER_ENCODING, UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, Method, Version};
use sha1::{Digest, Sha1};
use std::pin::Pin;

/// The text that every answer's key is made with (RFC 6455, 1.3).
const KEY_SUFFIX: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// The one version.
pub const SOCKET_VERSION: &str = "13";
/// Bytes of a client's key.
const KEY_BYTES: usize = 16;

/// Serves a socket until it ends.
pub type Serve = Box<dyn FnOnce(Socket) -> Pin<Box<dyn Future<Output = ()>>>>;

/// The continuation of a reply that switches protocols.
pub(crate) struct Upgrade(pub(crate) Serve);

impl std::fmt::Debug for Upgrade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Upgrade")
    }
}

/// Why a request does not become a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoUpgrade {
    /// It does not ask for one.
    NotAsked,
    /// It asks for another version of the protocol.
    OtherVersion,
    /// It is no valid handshake, for this reason.
    Malformed(&'static str),
}

/// The answer's key for a handshake.
#[derive(Debug)]
pub struct Accepted(pub(crate) HeaderValue);

/// Whether a request asks for a WebSocket, whatever is wrong with it.
pub fn asks_for_socket(head: &Parts) -> bool {
    has_token(&head.headers, &UPGRADE, "websocket")
}

/// Checks a handshake.
///
/// # Errors
/// [`NoUpgrade`].
pub fn handshake(head: &Parts) -> Result<Accepted, NoUpgrade> {
    let headers = &head.headers;
    if !asks_for_socket(head)
        || !has_token(headers, &CONNECTION, "upgrade")
        || head.version != Version::HTTP_11
    {
        return Err(NoUpgrade::NotAsked);
    }
    if head.method != Method::GET {
        return Err(NoUpgrade::Malformed("its method is not GET"));
    }
    if headers.get(SEC_WEBSOCKET_VERSION).is_none_or(|version| version != SOCKET_VERSION) {
        return Err(NoUpgrade::OtherVersion);
    }
    let has_length = headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0");
    if has_length || headers.contains_key(TRANSFER_ENCODING) {
        return Err(NoUpgrade::Malformed("it has a body"));
    }
    let mut keys = headers.get_all(SEC_WEBSOCKET_KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else {
        return Err(NoUpgrade::Malformed("it needs one Sec-WebSocket-Key"));
    };
    let decoded = base64_simd::STANDARD.decode_to_vec(key.as_bytes());
    if !decoded.is_ok_and(|key| key.len() == KEY_BYTES) {
        return Err(NoUpgrade::Malformed("its Sec-WebSocket-Key is not 16 bytes in Base64"));
    }
    Ok(Accepted(accept_key(key.as_bytes())))
}

fn accept_key(key: &[u8]) -> HeaderValue {
    let digest = Sha1::new().chain_update(key).chain_update(KEY_SUFFIX).finalize();
    let text = base64_simd::STANDARD.encode_to_string(digest);
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Whether a field that lists tokens has this one.
fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    let is_it = |value: &HeaderValue| {
        let text = value.as_bytes();
        text.split(|byte| *byte == b',').any(|part| part.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
    };
    headers.get_all(name).iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 6455, 1.3.
    #[test]
    fn the_key_of_the_answer() {
        assert_eq!(accept_key(b"dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    fn head(change: impl FnOnce(&mut Parts)) -> Parts {
        let request = http::Request::builder()
            .uri("/v2/marketdata")
            .header(UPGRADE, "h2c, WebSocket")
            .header(CONNECTION, "keep-alive, Upgrade")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ==");
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        change(&mut parts);
        parts
    }

    #[test]
    fn each_fault_of_a_handshake_is_told_apart() {
        let found = |change: fn(&mut Parts)| handshake(&head(change)).map(|accepted| accepted.0);
        assert!(found(|_| ()).is_ok());
        let set = |name: HeaderName, value: &'static str| {
            let parts = head(|head| {
                head.headers.insert(name, HeaderValue::from_static(value));
            });
            handshake(&parts).map(|_| ())
        };
        assert_eq!(set(UPGRADE, "h2c"), Err(NoUpgrade::NotAsked));
        assert_eq!(set(CONNECTION, "keep-alive"), Err(NoUpgrade::NotAsked));
        assert_eq!(set(SEC_WEBSOCKET_VERSION, "8"), Err(NoUpgrade::OtherVersion));
        assert_eq!(set(CONTENT_LENGTH, "0"), Ok(()));
        for (name, value) in [
            (SEC_WEBSOCKET_KEY, "dGhl"),
            (SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ"),
            (CONTENT_LENGTH, "5"),
            (TRANSFER_ENCODING, "chunked"),
        ] {
            assert!(matches!(set(name, value), Err(NoUpgrade::Malformed(_))), "{value}");
        }
        assert!(found(|head| head.version = Version::HTTP_10) == Err(NoUpgrade::NotAsked));
        assert!(matches!(found(|head| head.method = Method::POST), Err(NoUpgrade::Malformed(_))));
        let twice = found(|head| {
            head.headers.append(SEC_WEBSOCKET_KEY, HeaderValue::from_static("dGhlIHNhbXBsZSBub25jZQ=="));
        });
        assert!(matches!(twice, Err(NoUpgrade::Malformed(_))));
    }
}
