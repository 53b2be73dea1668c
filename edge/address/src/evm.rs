//! EVM addresses: `0x` and 20 bytes in hex, whose mix of cases is a checksum (EIP-55).

use crate::AddressError;
use crate::address::{Kind, Parts};
use crate::hash::keccak;

/// Reads an address. All lower or all upper case carries no checksum; a mix must be that of EIP-55.
pub(crate) fn read(text: &str) -> Result<Parts, AddressError> {
    let digits = text.strip_prefix("0x").ok_or(AddressError::Prefix)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(AddressError::Character);
    }
    let mut bytes = [0; 20];
    if digits.len() != 2 * bytes.len() {
        return Err(AddressError::Length);
    }
    const_hex::decode_to_slice(digits, &mut bytes).map_err(|_| AddressError::Length)?;
    let parts = account(&bytes);
    let lower = digits.bytes().any(|digit| digit.is_ascii_lowercase());
    let upper = digits.bytes().any(|digit| digit.is_ascii_uppercase());
    if lower && upper && text != parts.text {
        return Err(AddressError::Checksum);
    }
    Ok(parts)
}

/// The address of an account: the checksum upper-cases a letter where the hash of the digits has a nibble of 8 or more.
pub(crate) fn account(bytes: &[u8; 20]) -> Parts {
    let digits = const_hex::encode(bytes);
    let nibbles = const_hex::encode(keccak(digits.as_bytes()));
    let cased = digits
        .chars()
        .zip(nibbles.chars())
        .map(|(digit, nibble)| if nibble >= '8' { digit.to_ascii_uppercase() } else { digit });
    let text = "0x".chars().chain(cased).collect();
    Parts { kind: Kind::Account, payload: bytes.to_vec(), text }
}
