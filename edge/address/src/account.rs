//! Addresses of tezos, solana, polkadot, cosmos and xrpl, each of which names an account.

use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use bs58::Alphabet;
use ed25519_dalek::VerifyingKey;

use crate::address::{Kind, Parts};
use crate::hash::ss58_check;
use crate::{AddressError, base58, segwit};

/// The versions of `tz1` (ed25519), `tz2` (secp256k1) and `tz3` (P-256).
const TEZOS: [(u8, [u8; 3]); 3] = [(1, [6, 161, 159]), (2, [6, 161, 161]), (3, [6, 161, 164])];
/// The version of an account on xrpl.
const XRPL: [u8; 1] = [0];

/// Reads `tz1…`, `tz2…` or `tz3…`.
pub(crate) fn read_tezos(text: &str) -> Result<Parts, AddressError> {
    let bytes = base58::decode(text, Alphabet::BITCOIN)?;
    let found = TEZOS.iter().find_map(|(digit, version)| Some((*digit, base58::after(&bytes, version)?)));
    let (digit, payload) = found.ok_or(AddressError::Prefix)?;
    Ok(Parts { kind: Kind::Class(digit), payload: payload?.to_vec(), text: text.to_owned() })
}

/// The `tz1` address of the hash of an ed25519 key.
pub(crate) fn tezos(hash: &[u8; 20]) -> Parts {
    let [(digit, version), ..] = TEZOS;
    let text = base58::encode(&version, hash, Alphabet::BITCOIN);
    Parts { kind: Kind::Class(digit), payload: hash.to_vec(), text }
}

/// Reads base58 of 32 bytes that are a point of the curve. There is no checksum.
pub(crate) fn read_solana(text: &str) -> Result<Parts, AddressError> {
    let bytes = base58::plain(text, Alphabet::BITCOIN)?;
    let key: [u8; 32] = bytes.try_into().map_err(|_| AddressError::Length)?;
    if !is_point(&key) {
        return Err(AddressError::Recipient);
    }
    Ok(solana(&key))
}

/// The address of an ed25519 key.
pub(crate) fn solana(key: &[u8; 32]) -> Parts {
    Parts { kind: Kind::Account, payload: key.to_vec(), text: bs58::encode(key).into_string() }
}

/// Whether the bytes are a point of the curve of ed25519, as every public key is.
fn is_point(bytes: &[u8]) -> bool {
    bytes.try_into().is_ok_and(|bytes| VerifyingKey::from_bytes(bytes).is_ok())
}

/// Reads SS58 with a prefix of one byte and 32 bytes of account.
pub(crate) fn read_ss58(text: &str, prefix: u8) -> Result<Parts, AddressError> {
    let bytes = base58::plain(text, Alphabet::BITCOIN)?;
    let (body, check) = bytes.split_last_chunk().ok_or(AddressError::Length)?;
    if ss58_check(body) != *check {
        return Err(AddressError::Checksum);
    }
    let account = body.strip_prefix(&[prefix]).ok_or(AddressError::Prefix)?;
    Ok(ss58(prefix, account.try_into().map_err(|_| AddressError::Length)?))
}

/// The SS58 address of an account.
pub(crate) fn ss58(prefix: u8, account: &[u8; 32]) -> Parts {
    let mut bytes = [&[prefix], account.as_slice()].concat();
    bytes.extend(ss58_check(&bytes));
    Parts { kind: Kind::Account, payload: account.to_vec(), text: bs58::encode(bytes).into_string() }
}

/// Reads bech32 of 20 bytes (keys) or 32 bytes (modules and groups).
pub(crate) fn read_cosmos(text: &str, hrp: &str) -> Result<Parts, AddressError> {
    if !segwit::has_prefix(text, hrp) {
        return Err(AddressError::Prefix);
    }
    let read = CheckedHrpstring::new::<Bech32>(text).map_err(|fault| segwit::checked(&fault))?;
    let account: Vec<u8> = read.byte_iter().collect();
    if !matches!(account.len(), 20 | 32) {
        return Err(AddressError::Length);
    }
    let parts = cosmos(hrp, &account);
    // Bits of padding that are not zero would give the account a second spelling.
    if parts.text.eq_ignore_ascii_case(text) { Ok(parts) } else { Err(AddressError::Length) }
}

/// The bech32 address of an account of at most 32 bytes.
pub(crate) fn cosmos(hrp: &str, account: &[u8]) -> Parts {
    let text = bech32::encode::<Bech32>(Hrp::parse_unchecked(hrp), account).expect("bech32 holds 32 bytes");
    Parts { kind: Kind::Account, payload: account.to_vec(), text }
}

/// Reads a classic address.
pub(crate) fn read_xrpl(text: &str) -> Result<Parts, AddressError> {
    let bytes = base58::decode(text, Alphabet::RIPPLE)?;
    Ok(xrpl(base58::after(&bytes, &XRPL).ok_or(AddressError::Prefix)??))
}

/// The classic address of an account.
pub(crate) fn xrpl(account: &[u8; 20]) -> Parts {
    let text = base58::encode(&XRPL, account, Alphabet::RIPPLE);
    Parts { kind: Kind::Account, payload: account.to_vec(), text }
}
