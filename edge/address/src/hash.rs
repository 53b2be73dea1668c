//! The hashes that addresses are made of.

use blake2::digest::consts::{U4, U20};
use blake2::{Blake2b, Blake2b512};
use ripemd::Ripemd160;
use sha2::{Digest, Sha256};
use sha3::Keccak256;

/// RIPEMD-160 of SHA-256: of public keys and scripts in the Bitcoin family, of keys on cosmos and xrpl.
pub(crate) fn hash160(bytes: &[u8]) -> [u8; 20] {
    Ripemd160::digest(Sha256::digest(bytes)).into()
}

/// SHA-256 twice: base58check takes four bytes of it.
pub(crate) fn sha256d(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(Sha256::digest(bytes)).into()
}

/// Keccak-256 as EVM uses it (not the later SHA3-256).
pub(crate) fn keccak(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}

/// BLAKE2b with 20 bytes of output: filecoin's and tezos' hash of a public key.
pub(crate) fn blake2b_160(bytes: &[u8]) -> [u8; 20] {
    Blake2b::<U20>::digest(bytes).into()
}

/// BLAKE2b with 4 bytes of output: filecoin's checksum.
pub(crate) fn blake2b_32(bytes: &[u8]) -> [u8; 4] {
    Blake2b::<U4>::digest(bytes).into()
}

/// The two bytes of checksum in SS58.
pub(crate) fn ss58_check(bytes: &[u8]) -> [u8; 2] {
    let hash: [u8; 64] = Blake2b512::new().chain_update(b"SS58PRE").chain_update(bytes).finalize().into();
    let [first, second, ..] = hash;
    [first, second]
}
