//! Reads the JSON of a node: numbers in hex, addresses, words of 32 bytes. `None` is malformed.

use crate::TxHash;
use buttonwood_num::{MONEY_DECIMALS, Money};
use serde_json::Value;

/// A number in hex: `0x0` to 32 bytes; one above 128 bits is `None`.
pub(super) fn number(value: &Value) -> Option<u128> {
    let digits = value.as_str()?.strip_prefix("0x")?;
    let significant = digits.trim_start_matches('0');
    if digits.is_empty() || digits.len() > 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    if significant.is_empty() { Some(0) } else { u128::from_str_radix(significant, 16).ok() }
}

/// A number below 2⁶⁴.
pub(super) fn small(value: &Value) -> Option<u64> {
    number(value)?.try_into().ok()
}

/// A hash of 32 bytes, in lower case.
pub(super) fn hash(value: &Value) -> Option<TxHash> {
    bytes::<32>(value.as_str()?).map(|bytes| TxHash::new(&const_hex::encode_prefixed(bytes)))
}

/// An address, in lower case: the canonical spelling.
pub(super) fn address(value: &Value) -> Option<String> {
    bytes::<20>(value.as_str()?).map(const_hex::encode_prefixed)
}

/// The address in a word of 32 bytes.
pub(super) fn address_in_word(word: &[u8; 32]) -> Option<String> {
    let (zeros, address) = word.split_first_chunk::<12>()?;
    (*zeros == [0; 12]).then(|| const_hex::encode_prefixed(address))
}

/// The number in a word, as it is printed in hex.
pub(super) fn number_in_word(word: &[u8; 32]) -> Option<u128> {
    let (high, low) = word.split_first_chunk::<16>()?;
    let low: [u8; 16] = low.try_into().ok()?;
    (*high == [0; 16]).then(|| u128::from_be_bytes(low))
}

/// Bytes in hex of a known length.
pub(super) fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.strip_prefix("0x")?;
    let mut bytes = [0; N];
    const_hex::decode_to_slice(digits, &mut bytes).ok()?;
    // The decoder would skip another prefix.
    (digits.len() == 2 * N).then_some(bytes)
}

/// An amount from the smallest units of a currency.
pub(super) fn money(units: u128, decimals: u8) -> Option<Money> {
    let scale = 10_i128.checked_pow(u32::from(MONEY_DECIMALS.checked_sub(decimals)?))?;
    i128::try_from(units).ok()?.checked_mul(scale).map(Money::from_units)
}

/// An amount in the smallest units of a currency; `None` if it has more decimals, or is negative.
pub(super) fn units(amount: Money, decimals: u8) -> Option<u128> {
    let scale = 10_i128.checked_pow(u32::from(MONEY_DECIMALS.checked_sub(decimals)?))?;
    let units = amount.units();
    (units % scale == 0).then_some(units / scale)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_numbers_strictly() {
        assert_eq!(number(&json!("0x0")), Some(0));
        assert_eq!(number(&json!("0xDE0b6b3a7640000")), Some(10_u128.pow(18)));
        assert_eq!(number(&json!(format!("0x{}1", "0".repeat(63)))), Some(1));
        for bad in [json!("0x"), json!("12"), json!(12), json!("0x+1"), json!("0xg"), json!(null)] {
            assert_eq!(number(&bad), None, "{bad}");
        }
        assert_eq!(number(&json!(format!("0x{}", "f".repeat(64)))), None);
        assert_eq!(number(&json!(format!("0x{}", "0".repeat(65)))), None);
        assert_eq!(small(&json!("0x10000000000000000")), None);
    }

    #[test]
    fn reads_words_and_addresses() {
        let mut word = [0; 32];
        word[31] = 5;
        assert_eq!(number_in_word(&word), Some(5));
        assert_eq!(address_in_word(&word).unwrap(), format!("0x{}05", "0".repeat(38)));
        word[0] = 1;
        assert_eq!((number_in_word(&word), address_in_word(&word)), (None, None));
        assert_eq!(address(&json!("0x00")), None);
        assert_eq!(address(&json!(format!("0x0x{}", "0".repeat(38)))), None);
        assert_eq!(hash(&json!("text")), None);
    }

    #[test]
    fn converts_amounts_exactly() {
        let one = Money::from_units(10_i128.pow(19));
        assert_eq!(money(10_u128.pow(18), 18), Some(one));
        assert_eq!((units(one, 18), units(one, 6)), (Some(10_u128.pow(18)), Some(1_000_000)));
        assert_eq!(units(Money::from_units(1), 18), None);
        assert_eq!(units(-one, 18), None);
        assert_eq!(money(u128::MAX, 18), None);
        assert_eq!(money(1, 20), None);
    }
}
