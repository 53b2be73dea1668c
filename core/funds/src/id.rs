//! Ids of this room. They follow from the seed of the exchange, so that an exchange with the same seed repeats itself.

use alloc::format;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// The number of a transfer's row. Rows count from 1 without holes, in the order of their first sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Eid(pub u64);

/// A random-looking id in the form of RFC 9562, version 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uuid(pub [u8; 16]);

impl Uuid {
    /// The id of what has this number: different numbers have different ids.
    pub fn drawn(seed: u64, number: u64) -> Self {
        let mut bytes = [0; 16];
        let (high, low) = bytes.split_at_mut(8);
        // The low half mixes the number alone, by a bijection; only the two bits of the variant are lost.
        high.copy_from_slice(&mixed(seed ^ mixed(number)).to_be_bytes());
        low.copy_from_slice(&mixed(number).to_be_bytes());
        let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
        *version = *version & 0x0F | 0x40;
        *variant = *variant & 0x3F | 0x80;
        Self(bytes)
    }
}

impl core::fmt::Display for Uuid {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// A code of `count` upper-case letters and digits for what has this number.
pub fn code(seed: u64, number: u64, count: usize) -> String {
    const LETTERS: &[u8; 36] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let rests = core::iter::successors(Some(mixed(seed ^ mixed(number))), |rest| Some(rest / 36));
    let places = rests.map(|rest| usize::try_from(rest % 36).unwrap_or(0));
    places.take(count).filter_map(|place| LETTERS.get(place).copied().map(char::from)).collect()
}

/// The hash of a simulated transaction for what has this number: 32 bytes in lower-case hex.
pub(crate) fn transaction_hash(seed: u64, number: u64) -> String {
    let first = mixed(seed ^ mixed(number));
    let [second, third, fourth] = [1, 2, 3].map(|word| mixed(first.wrapping_add(word)));
    format!("{first:016x}{second:016x}{third:016x}{fourth:016x}")
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014), a bijection that spreads every bit.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::string::ToString;

    #[test]
    fn ids_have_the_form_of_version_four_and_differ() {
        let ids: BTreeSet<String> = (0..1_000).map(|number| Uuid::drawn(7, number).to_string()).collect();
        assert_eq!(ids.len(), 1_000);
        for id in ids {
            let parts: alloc::vec::Vec<usize> = id.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12], "{id}");
            assert_eq!(&id[14..15], "4");
            assert!("89ab".contains(&id[19..20]), "{id}");
        }
    }

    #[test]
    fn codes_are_upper_case_letters_and_digits() {
        let code = code(7, 1, 6);
        assert_eq!(code.len(), 6);
        assert!(code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()), "{code}");
    }
}
