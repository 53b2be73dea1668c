//! Base58check: base58 with a version before the payload and four bytes of a double SHA-256 after it.

use bs58::Alphabet;

use crate::AddressError;
use crate::address::{Kind, Parts};
use crate::hash::sha256d;
use crate::params::Versions;

/// Reads version and payload, and checks the four bytes after them.
pub(crate) fn decode(text: &str, alphabet: &Alphabet) -> Result<Vec<u8>, AddressError> {
    let mut bytes = plain(text, alphabet)?;
    let body = bytes.len().checked_sub(4).ok_or(AddressError::Length)?;
    let check = bytes.split_off(body);
    if sha256d(&bytes).starts_with(&check) { Ok(bytes) } else { Err(AddressError::Checksum) }
}

/// Reads base58 without a checksum.
pub(crate) fn plain(text: &str, alphabet: &Alphabet) -> Result<Vec<u8>, AddressError> {
    bs58::decode(text).with_alphabet(alphabet).into_vec().map_err(|_| AddressError::Character)
}

/// Writes version and payload with their checksum.
pub(crate) fn encode(version: &[u8], payload: &[u8], alphabet: &Alphabet) -> String {
    let mut bytes = [version, payload].concat();
    let [one, two, three, four, ..] = sha256d(&bytes);
    bytes.extend([one, two, three, four]);
    bs58::encode(bytes).with_alphabet(alphabet).into_string()
}

/// The payload after `version`; `None` if another version stands there.
pub(crate) fn after<'a>(bytes: &'a [u8], version: &[u8]) -> Option<Result<&'a [u8; 20], AddressError>> {
    let payload = bytes.strip_prefix(version)?;
    Some(payload.try_into().map_err(|_| AddressError::Length))
}

/// Reads an address of the Bitcoin family in the form older than segwit.
pub(crate) fn read(text: &str, versions: Versions) -> Result<Parts, AddressError> {
    let bytes = decode(text, Alphabet::BITCOIN)?;
    if let Some(hash) = after(&bytes, versions.pubkey) {
        return Ok(pubkey_hash(versions, hash?));
    }
    let hash = after(&bytes, versions.script).ok_or(AddressError::Prefix)?;
    Ok(script_hash(versions, hash?))
}

/// The address of a public key's hash.
pub(crate) fn pubkey_hash(versions: Versions, hash: &[u8; 20]) -> Parts {
    let text = encode(versions.pubkey, hash, Alphabet::BITCOIN);
    Parts { kind: Kind::PubkeyHash, payload: hash.to_vec(), text }
}

/// The address of a script's hash.
pub(crate) fn script_hash(versions: Versions, hash: &[u8; 20]) -> Parts {
    let text = encode(versions.script, hash, Alphabet::BITCOIN);
    Parts { kind: Kind::ScriptHash, payload: hash.to_vec(), text }
}
