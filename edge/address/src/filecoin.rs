//! Filecoin addresses: a letter for the chain, a digit for the protocol, and base32 of payload and checksum.
//!
//! Accepted are the protocols that name a recipient for ever: 1 (secp256k1), 2 (actor), 3 (BLS) and 4 for EVM accounts
//! (`f410…`). `f0…` is refused: it has no checksum, and a reorganisation may give the number to another actor.

use data_encoding::BASE32_NOPAD;

use crate::AddressError;
use crate::address::{Kind, Parts};
use crate::hash::blake2b_32;

/// The length of the checksum in bytes.
const CHECK: usize = 4;
/// The actor of EVM accounts in protocol 4, the only one there.
const EVM_ACTOR: u8 = 10;

/// Reads an address; its letters are lower case.
pub(crate) fn read(text: &str, letter: char) -> Result<Parts, AddressError> {
    let rest = text.strip_prefix(letter).ok_or(AddressError::Prefix)?;
    if let Some(rest) = rest.strip_prefix('4') {
        // The actor's number stands before its letter `f`, and takes part in the checksum as one byte.
        let rest = rest.strip_prefix("10f").ok_or(AddressError::Recipient)?;
        let payload = payload(rest, &[4, EVM_ACTOR])?;
        return Ok(Parts { kind: Kind::Class(4), payload, text: text.to_owned() });
    }
    let protocol = match rest.as_bytes().first() {
        Some(b'0') => return Err(AddressError::Recipient),
        Some(b'1') => 1,
        Some(b'2') => 2,
        Some(b'3') => 3,
        _ => return Err(AddressError::Prefix),
    };
    let payload = payload(rest.get(1..).unwrap_or_default(), &[protocol])?;
    Ok(Parts { kind: Kind::Class(protocol), payload, text: text.to_owned() })
}

/// Reads the base32 after `before`, which takes part in the checksum, and checks the length that the protocol wants.
fn payload(text: &str, before: &[u8]) -> Result<Vec<u8>, AddressError> {
    if text.bytes().any(|letter| letter.is_ascii_uppercase()) {
        return Err(AddressError::Case);
    }
    let mut bytes =
        BASE32_NOPAD.decode(text.to_ascii_uppercase().as_bytes()).map_err(|fault| match fault.kind {
            data_encoding::DecodeKind::Symbol | data_encoding::DecodeKind::Padding => AddressError::Character,
            data_encoding::DecodeKind::Length | data_encoding::DecodeKind::Trailing => AddressError::Length,
        })?;
    let length = if before == [3] { 48 } else { 20 };
    if bytes.len() != length + CHECK {
        return Err(AddressError::Length);
    }
    let check = bytes.split_off(length);
    if blake2b_32(&[before, &bytes].concat()).as_slice() == check {
        Ok(bytes)
    } else {
        Err(AddressError::Checksum)
    }
}

/// The address of the hash of a secp256k1 key (protocol 1).
pub(crate) fn key_hash(letter: char, hash: &[u8; 20]) -> Parts {
    let check = blake2b_32(&[&[1], hash.as_slice()].concat());
    let digits = BASE32_NOPAD.encode(&[hash.as_slice(), &check].concat()).to_ascii_lowercase();
    Parts { kind: Kind::Class(1), payload: hash.to_vec(), text: format!("{letter}1{digits}") }
}
