//! The keys of own addresses, as the chains need them.

use thiserror::Error;

/// A signature by a secp256k1 key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// `r` and `s`, 32 bytes each, big-endian; `s` in the lower half (BIP 62, EIP-2).
    pub rs: [u8; 64],
    /// The parity of the point's y coordinate: 0 or 1.
    pub recovery: u8,
    /// The public key, compressed (SEC 1).
    pub public_key: [u8; 33],
}

/// An address's key cannot sign.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot sign for {address}: {reason}")]
pub struct KeyError {
    /// The address.
    pub address: String,
    /// Why, without any secret.
    pub reason: String,
}

/// The keys of own addresses.
pub trait Keys: Send {
    /// Signs a digest by the key of an own address, deterministically (RFC 6979).
    ///
    /// # Errors
    /// [`KeyError`] if there is no key of that address.
    fn sign(&self, address: &str, digest: &[u8; 32]) -> Result<Signature, KeyError>;
}
