//! Answers compressed with gzip (RFC 9110, 8.4.1.3), for clients that take it.
//!
//! Only texts without a secret are: the length of a compressed text tells what of it an attacker has guessed (BREACH).

use crate::reply::Reply;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderValue;
use http::header::{CONTENT_ENCODING, VARY};
use std::io::{self, Write as _};

/// A shorter body is sent as it is: its head is longer than what would be saved.
const SHORTEST: usize = 1_024;

/// Whether a client takes gzip: its `Accept-Encoding` names it, or everything, and not with the weight 0.
pub fn takes_gzip(encodings: &str) -> bool {
    let taken = |wanted: &str| {
        let mut named = encodings.split(',').map(|part| part.split(';').map(str::trim));
        named.find_map(|mut part| {
            let is_named = part.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
            is_named.then(|| !part.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000")))
        })
    };
    taken("gzip").or_else(|| taken("*")).unwrap_or(false)
}

/// A text compressed with gzip.
///
/// # Errors
/// None while there is memory.
pub fn packed(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text)?;
    encoder.finish()
}

impl Reply {
    /// The same, compressed if its client takes gzip; `encodings` is its `Accept-Encoding`. Only for an answer without a secret.
    #[must_use]
    pub fn packed(self, encodings: &str) -> Self {
        let reply = self.with_header(VARY, HeaderValue::from_static("Accept-Encoding"));
        if reply.body().len() < SHORTEST || !takes_gzip(encodings) {
            return reply;
        }
        match packed(reply.body()) {
            Ok(body) => reply.with_packed(body),
            Err(_) => reply,
        }
    }

    /// The same with its body, which was compressed before.
    #[must_use]
    pub fn with_packed(self, body: impl Into<Bytes>) -> Self {
        self.with_body(body.into()).with_header(CONTENT_ENCODING, HeaderValue::from_static("gzip"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read as _;

    #[test]
    fn encodings_are_read() {
        for (sent, is_taken) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0, *", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(sent), is_taken, "{sent}");
        }
    }

    /// A long text is compressed for a client that takes it, and is the same text; others get it as it is.
    #[test]
    fn a_long_text_is_compressed() {
        let text = "a line\n".repeat(1_000);
        let reply = |encodings: &str| Reply::json(text.clone().into_bytes()).packed(encodings);
        let sent = reply("gzip");
        let mut read = String::new();
        GzDecoder::new(sent.body()).read_to_string(&mut read).unwrap();
        assert!(read == text && sent.body().len() < 200, "{}", sent.body().len());
        assert_eq!(reply("br").body(), text.as_bytes());
        assert_eq!(Reply::json(b"{}".to_vec()).packed("gzip").body(), b"{}");
    }
}
