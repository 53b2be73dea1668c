//! Proof key for code exchange (RFC 7636), with the method S256 alone (OAUTH-017, OAUTH-018).

use crate::error::OAuthError;
use buttonwood_engine::identity::Digest;
use buttonwood_people::digest;

/// The one method.
pub(crate) const S256: &str = "S256";

/// Characters of a challenge.
const CHALLENGE_LEN: usize = 43;

/// Reads a challenge. None if it is not 43 characters of base64url without padding.
pub(crate) fn challenge(text: &str) -> Option<Digest> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if text.len() != CHALLENGE_LEN || !text.bytes().all(is_plain) {
        return None;
    }
    let decoded = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text).ok();
    let challenge = decoded.and_then(|bytes| Digest::try_from(bytes).ok());
    // No verifier has a challenge whose last bits are not zero. Its stand-in is one that no verifier has either.
    Some(challenge.unwrap_or_else(|| digest(&format!("\0{text}"))))
}

/// The challenge that a verifier has.
///
/// # Errors
/// `invalid_request` for a text that is no verifier.
pub(crate) fn verified(verifier: &str) -> Result<Digest, OAuthError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    if (43..=128).contains(&verifier.len()) && verifier.bytes().all(is_plain) {
        return Ok(digest(verifier));
    }
    Err(OAuthError::invalid(
        "The field 'code_verifier' must be 43 to 128 letters, digits, '-', '.', '_' and '~'",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vector of RFC 7636, appendix B.
    #[test]
    fn the_vector_of_the_rfc_holds() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let known = challenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_eq!(known, verified(verifier).ok());
        // The last character has two bits that no SHA-256 fills.
        let altered = challenge("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN");
        assert!(altered.is_some() && altered != known);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", &"a".repeat(42), &"a".repeat(44), &"=".repeat(43), &"+".repeat(43), &"\u{e4}".repeat(43)]
        {
            assert_eq!(challenge(text), None, "{text}");
        }
        for text in ["", &"a".repeat(42), &"a".repeat(129), &"+".repeat(43), &"\u{e4}".repeat(43)] {
            assert!(verified(text).is_err(), "{text}");
        }
        assert!(verified(&"~".repeat(43)).is_ok() && verified(&".".repeat(128)).is_ok());
        assert!(challenge(&"x".repeat(43)).is_some());
    }
}
