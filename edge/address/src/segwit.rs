//! Addresses of bitcoin and litecoin: witness programs in bech32 (version 0) or bech32m (BIP-173, BIP-350), or
//! base58check.

use bech32::primitives::decode::{
    CharError, CheckedHrpstringError, SegwitHrpstring, SegwitHrpstringError, UncheckedHrpstringError,
};
use bech32::{Fe32, Hrp};

use crate::address::{Kind, Parts};
use crate::params::Versions;
use crate::{AddressError, base58};

/// Reads an address in either form.
pub(crate) fn read(text: &str, hrp: &str, versions: Versions) -> Result<Parts, AddressError> {
    if !has_prefix(text, hrp) {
        return base58::read(text, versions);
    }
    let read = SegwitHrpstring::new(text).map_err(|fault| match fault {
        SegwitHrpstringError::Unchecked(fault) => unchecked(&fault),
        SegwitHrpstringError::InvalidWitnessVersion(_) => AddressError::Prefix,
        SegwitHrpstringError::Checksum(_) => AddressError::Checksum,
        SegwitHrpstringError::NoData
        | SegwitHrpstringError::TooLong(_)
        | SegwitHrpstringError::Padding(_)
        | SegwitHrpstringError::WitnessLength(_)
        | _ => AddressError::Length,
    })?;
    Ok(program(hrp, read.witness_version(), &read.byte_iter().collect::<Vec<_>>()))
}

/// The address of a witness program: 2 to 40 bytes, of version 0 either 20 or 32.
pub(crate) fn program(hrp: &str, version: Fe32, program: &[u8]) -> Parts {
    let text = bech32::segwit::encode(Hrp::parse_unchecked(hrp), version, program)
        .expect("a checked witness program has an address");
    Parts { kind: Kind::Witness(version.to_u8()), payload: program.to_vec(), text }
}

/// Whether the text begins with `hrp` and the separator, in either case.
pub(crate) fn has_prefix(text: &str, hrp: &str) -> bool {
    let after = text.get(..hrp.len()).filter(|start| start.eq_ignore_ascii_case(hrp));
    after.is_some() && text.get(hrp.len()..).is_some_and(|rest| rest.starts_with('1'))
}

/// The refusal for what the bech32 crate says of text with a checksum.
pub(crate) fn checked(fault: &CheckedHrpstringError) -> AddressError {
    match fault {
        CheckedHrpstringError::Parse(fault) => unchecked(fault),
        CheckedHrpstringError::Checksum(_) | _ => AddressError::Checksum,
    }
}

/// The prefix has been compared before, so only the part after it can be wrong.
fn unchecked(fault: &UncheckedHrpstringError) -> AddressError {
    match fault {
        UncheckedHrpstringError::Char(CharError::InvalidChar(_)) => AddressError::Character,
        UncheckedHrpstringError::Char(CharError::MixedCase) => AddressError::Case,
        UncheckedHrpstringError::Char(_) | UncheckedHrpstringError::Hrp(_) | _ => AddressError::Length,
    }
}
