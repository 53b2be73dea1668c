//! Secrets that the exchange draws: codes, tokens, cookies (D-128).

use buttonwood_engine::identity::{AppId, Digest};
use buttonwood_gate::Refusal;
use buttonwood_wire::field::failed;
use sha2::{Digest as _, Sha256};
use std::fmt;
use zeroize::Zeroizing;

/// A secret that was just drawn.
pub struct Drawn {
    /// 256 random bits in base64url without padding.
    pub text: Zeroizing<String>,
    /// The SHA-256 of the text.
    pub digest: Digest,
}

impl fmt::Debug for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drawn(hidden)")
    }
}

/// Fills bytes with randomness of the operating system.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Refusal> {
    getrandom::fill(bytes).map_err(|error| {
        tracing::error!(%error, "the system gives no random bytes");
        failed()
    })
}

/// Draws a secret.
///
/// # Errors
/// `System` when the operating system gives no random bits.
pub fn draw() -> Result<Drawn, Refusal> {
    let mut bits = Zeroizing::new([0_u8; 32]);
    fill(&mut *bits)?;
    let text = Zeroizing::new(base64_simd::URL_SAFE_NO_PAD.encode_to_string(*bits));
    let digest = digest(&text);
    Ok(Drawn { text, digest })
}

/// Draws a `client_id`.
///
/// # Errors
/// `System` when the operating system gives no random bits.
pub fn draw_app_id() -> Result<AppId, Refusal> {
    let mut bits = [0_u8; 16];
    fill(&mut bits)?;
    Ok(AppId::drawn(bits))
}

/// Draws the number of a record in the vault; never 0, which stands for none.
pub(crate) fn draw_number() -> Result<u64, Refusal> {
    let mut bits = [0_u8; 8];
    fill(&mut bits)?;
    Ok(u64::from_le_bytes(bits).max(1))
}

/// The SHA-256 of a text.
pub fn digest(text: &str) -> Digest {
    digest_of(text.as_bytes())
}

/// The SHA-256 of bytes.
pub(crate) fn digest_of(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}

/// The token that calls of a page must show beside the cookie. It follows from the cookie's value, so that nothing is stored.
pub fn csrf(cookie: &str) -> String {
    let hash = Sha256::new().chain_update(b"csrf\0").chain_update(cookie).finalize();
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each secret has 256 bits, and none comes twice.
    #[test]
    fn secrets_differ() {
        let [one, other] = [draw().unwrap(), draw().unwrap()];
        assert_eq!(one.text.len(), 43);
        assert_ne!(*one.text, *other.text);
        assert_eq!(one.digest, digest(&one.text));
        assert_ne!(csrf(&one.text), csrf(&other.text));
        assert_eq!(format!("{one:?}"), "Drawn(hidden)");
    }
}
