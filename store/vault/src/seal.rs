//! Sealing bytes under the vault's key: a random 24-byte nonce, then the ciphertext with its tag.

use crate::{Fault, Secret};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

/// Bytes of the key.
pub(crate) const KEY: usize = 32;
/// Bytes of a nonce.
pub(crate) const NONCE: usize = 24;
/// Bytes that sealing adds.
pub(crate) const OVERHEAD: usize = NONCE + 16;

/// The cipher under one vault key.
pub(crate) struct Seal(XChaCha20Poly1305);

impl Seal {
    pub(crate) fn new(key: &[u8; KEY]) -> Self {
        Self(XChaCha20Poly1305::new(key.into()))
    }

    /// Random bytes for a new key.
    pub(crate) fn fresh_key() -> Result<Zeroizing<[u8; KEY]>, Fault> {
        let mut key = Zeroizing::new([0; KEY]);
        getrandom::fill(key.as_mut_slice()).map_err(Fault::Random)?;
        Ok(key)
    }

    /// Seals `plain`, bound to `bound`.
    pub(crate) fn close(&self, plain: &[u8], bound: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(Fault::Random)?;
        let sealed = self
            .0
            .encrypt(&XNonce::from(nonce), Payload { msg: plain, aad: bound })
            .expect("a secret is shorter than the cipher's limit");
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what was sealed and bound to the same bytes; `None` for anything else.
    pub(crate) fn open(&self, sealed: &[u8], bound: &[u8]) -> Option<Secret> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        self.0.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: bound }).ok().map(Secret::new)
    }
}
