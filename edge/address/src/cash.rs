//! CashAddr, the addresses of bitcoincash: a prefix, a colon, and 5-bit symbols with a checksum of 40 bits.
//!
//! The prefix may be left out, and is then part of the checksum all the same. Source: the CashAddr specification of
//! Bitcoin Cash; its token-aware types (CHIP-2022-02) name the same recipients, so they are read as the plain types.

use bech32::primitives::gf32::Fe32;
use bech32::primitives::iter::{ByteIterExt, Fe32IterExt};

use crate::AddressError;
use crate::address::{Kind, Parts};

/// The length of the checksum in symbols.
const CHECK: usize = 8;

/// Reads an address with or without `prefix`, in one case.
pub(crate) fn read(text: &str, prefix: &str) -> Result<Parts, AddressError> {
    let lower = text.to_ascii_lowercase();
    if text != lower && text != text.to_ascii_uppercase() {
        return Err(AddressError::Case);
    }
    let symbols = match lower.split_once(':') {
        Some((given, rest)) if given == prefix => rest,
        Some(_) => return Err(AddressError::Prefix),
        None => lower.as_str(),
    };
    let symbols: Vec<Fe32> = symbols
        .chars()
        .map(Fe32::from_char)
        .collect::<Result<_, _>>()
        .map_err(|_| AddressError::Character)?;
    if checksum(prefix, symbols.iter().copied()) != 0 {
        return Err(AddressError::Checksum);
    }
    let body = symbols.len().checked_sub(CHECK).and_then(|length| symbols.get(..length));
    let body = body.ok_or(AddressError::Length)?;
    let bytes: Vec<u8> = body.iter().copied().fes_to_bytes().collect();
    // The last symbol may carry up to four bits too many, all zero.
    if !bytes.iter().copied().bytes_to_fes().eq(body.iter().copied()) {
        return Err(AddressError::Length);
    }
    let (version, payload) = bytes.split_first().ok_or(AddressError::Length)?;
    let kind = match (version >> 3, version & 7, payload.len()) {
        (0 | 2, 0, 20) => Kind::PubkeyHash,
        (1 | 3, 0, 20) | (1 | 3, 3, 32) => Kind::ScriptHash,
        (0..=3, _, _) => return Err(AddressError::Length),
        _ => return Err(AddressError::Recipient),
    };
    Ok(write(prefix, kind, payload))
}

/// The address of a public key's hash.
pub(crate) fn pubkey_hash(prefix: &str, hash: &[u8; 20]) -> Parts {
    write(prefix, Kind::PubkeyHash, hash)
}

fn write(prefix: &str, kind: Kind, payload: &[u8]) -> Parts {
    let kind_bits = if kind == Kind::ScriptHash { 0b1000 } else { 0 };
    let size_bits = if payload.len() == 32 { 3 } else { 0 };
    let bytes = core::iter::once(kind_bits | size_bits).chain(payload.iter().copied());
    let mut symbols: Vec<Fe32> = bytes.bytes_to_fes().collect();
    let check = checksum(prefix, symbols.iter().copied().chain([Fe32::Q; CHECK]));
    let tail = (0..CHECK).rev().map(|place| {
        let value = u8::try_from((check >> (5 * place)) & 31).expect("five bits fit a byte");
        Fe32::try_from(value).expect("five bits are a symbol")
    });
    symbols.extend(tail);
    let text = prefix.chars().chain([':']).chain(symbols.into_iter().map(Fe32::to_char)).collect();
    Parts { kind, payload: payload.to_vec(), text }
}

/// The remainder of prefix and symbols by the generator of the specification; zero if the checksum is right.
fn checksum(prefix: &str, symbols: impl Iterator<Item = Fe32>) -> u64 {
    const GENERATOR: [u64; 5] =
        [0x98_f2bc_8e61, 0x79_b76d_99e2, 0xf3_3e5f_b3c4, 0xae_2eab_e2a8, 0x1e_4f43_e470];
    let prefix = prefix.bytes().map(|letter| letter & 31);
    let symbols = prefix.chain([0]).chain(symbols.map(Fe32::to_u8));
    let remainder = symbols.fold(1u64, |sum, symbol| {
        let carried = sum >> 35;
        let shifted = ((sum & 0x07_ffff_ffff) << 5) ^ u64::from(symbol);
        let terms = GENERATOR.iter().enumerate().filter(|(bit, _)| (carried >> bit) & 1 == 1);
        terms.fold(shifted, |sum, (_, term)| sum ^ term)
    });
    remainder ^ 1
}
