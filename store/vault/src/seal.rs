//! Sealing bytes under a key: a random 24-byte nonce, then the ciphertext with its tag.

use crate::{Fault, Secret};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

/// Bytes of a key.
pub(crate) const KEY: usize = 32;
/// Bytes of a nonce.
const NONCE: usize = 24;
/// Bytes that sealing adds.
pub(crate) const OVERHEAD: usize = NONCE + 16;
/// Bytes that name a key without revealing it.
pub(crate) const ID: usize = 8;

/// The cipher under one key, wiped when dropped.
pub(crate) struct Seal(Box<XChaCha20Poly1305>);

impl Seal {
    /// The cipher under `key`; `None` unless it is a key's length.
    pub(crate) fn new(key: &Secret) -> Option<Self> {
        XChaCha20Poly1305::new_from_slice(key.expose()).ok().map(|cipher| Self(Box::new(cipher)))
    }

    /// Random bytes for a new key.
    pub(crate) fn fresh_key() -> Result<Secret, Fault> {
        let mut key = vec![0; KEY];
        let drawn = getrandom::fill(&mut key);
        let key = Secret::new(key);
        drawn.map(|()| key).map_err(Fault::Random)
    }

    /// Seals `plain`, bound to `bound`.
    pub(crate) fn close(&self, plain: &[u8], bound: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(Fault::Random)?;
        Ok([nonce.as_slice(), &self.encrypt(nonce, plain, bound)].concat())
    }

    /// Opens what was sealed and bound to the same bytes; `None` for anything else.
    pub(crate) fn open(&self, sealed: &[u8], bound: &[u8]) -> Option<Secret> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        self.0.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: bound }).ok().map(Secret::new)
    }

    /// Names the key: the beginning of the tag of a fixed message under a fixed nonce, which nothing else uses.
    pub(crate) fn id(&self) -> [u8; ID] {
        let tag = self.encrypt([0; NONCE], &[], b"buttonwood vault: id of the key");
        *tag.first_chunk().expect("a tag is longer")
    }

    fn encrypt(&self, nonce: [u8; NONCE], plain: &[u8], bound: &[u8]) -> Vec<u8> {
        self.0
            .encrypt(&XNonce::from(nonce), Payload { msg: plain, aad: bound })
            .expect("a secret is shorter than the cipher's limit")
    }
}
