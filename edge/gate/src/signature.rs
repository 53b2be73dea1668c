//! The signature of a private request: hex HMAC-SHA384 over the payload header exactly as sent.
//!
//! Clauses: `AUTH-003`, `AUTH-005`, `AUTH-006`.

use crate::{Reason, Refusal};
use buttonwood_vault::Secret;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha384;

/// Bytes of a signature.
const TAG: usize = 48;

/// A verified signature. The same key and payload give the same one, so it also names the payload (D-07).
pub(crate) type Tag = [u8; TAG];

/// HMAC keyed with the secret; cloned for each request, which saves half of the work.
#[derive(Clone)]
pub(crate) struct Signer(Hmac<Sha384>);

impl Signer {
    pub(crate) fn new(secret: &Secret) -> Self {
        Self(Hmac::new_from_slice(secret.expose()).expect("HMAC takes a key of any length"))
    }

    /// Checks the hex signature of a payload header in constant time.
    pub(crate) fn verify(&self, payload: &[u8], signature: &[u8]) -> Result<Tag, Refusal> {
        let mut tag = [0; TAG];
        // A prefix "0x" would be skipped by the decoder; with it the digits no longer fill the tag.
        let readable = signature.len() == 2 * TAG && const_hex::decode_to_slice(signature, &mut tag).is_ok();
        if !readable {
            return Err(invalid("a signature is the 96 hex digits of an HMAC-SHA384"));
        }
        let mut mac = self.0.clone();
        mac.update(payload);
        mac.verify_slice(&tag)
            .map_err(|_| invalid("it does not fit the payload and the secret of this key"))?;
        Ok(tag)
    }
}

impl core::fmt::Debug for Signer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Signer(hidden)")
    }
}

impl Signer {
    /// The signature that a client sends for this payload header.
    pub(crate) fn sign(&self, payload: &[u8]) -> String {
        const_hex::encode(self.0.clone().chain_update(payload).finalize().into_bytes())
    }
}

/// Decodes a signed payload header: the standard alphabet, padded, canonical, nothing between.
pub(crate) fn decode(payload: &[u8]) -> Result<Vec<u8>, Refusal> {
    base64_simd::STANDARD.decode_to_vec(payload).map_err(|_| invalid("the payload is not Base64"))
}

/// The contents of a payload header, if it is Base64.
pub fn decoded(payload: &[u8]) -> Option<Vec<u8>> {
    decode(payload).ok()
}

/// The reason's token leads the message, since clients look for it there (facts T§7.4).
pub(crate) fn invalid(why: &str) -> Refusal {
    Refusal::new(Reason::InvalidSignature, format!("InvalidSignature: {why}"))
}

#[cfg(test)]
mod tests;
