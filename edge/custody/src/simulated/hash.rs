//! Hashes of a simulated chain, printed as its network prints them.

use crate::{HashStyle, Network, TxHash};
use sha2::{Digest, Sha256};

const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// SHA-256 of all parts, each preceded by its length, so that different parts never hash the same bytes.
pub(super) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The hash of a transaction's content.
pub(super) fn transaction(network: &Network, content: &[u8]) -> TxHash {
    printed(network.style, &sha256(&[b"transaction", network.name.as_bytes(), content]))
}

/// The hash of a block. `branch` counts the reorganisations, so that a new block differs from the one it replaces.
pub(super) fn block(network: &Network, height: u64, branch: u64) -> TxHash {
    let digest = sha256(&[b"block", network.name.as_bytes(), &height.to_be_bytes(), &branch.to_be_bytes()]);
    match network.style {
        HashStyle::Prefixed => printed(HashStyle::Prefixed, &digest),
        HashStyle::UpperHex => printed(HashStyle::UpperHex, &digest),
        HashStyle::Hex | HashStyle::Signature | HashStyle::Operation | HashStyle::Cid => {
            printed(HashStyle::Hex, &digest)
        }
    }
}

fn printed(style: HashStyle, digest: &[u8; 32]) -> TxHash {
    let text = match style {
        HashStyle::Hex => const_hex::encode(digest),
        HashStyle::UpperHex => const_hex::encode_upper(digest),
        HashStyle::Prefixed => const_hex::encode_prefixed(digest),
        HashStyle::Signature => base58(&[digest.as_slice(), &sha256(&[digest])].concat()),
        HashStyle::Operation => {
            let payload = [&[5, 116], digest.as_slice()].concat();
            let check = Sha256::digest(Sha256::digest(&payload));
            base58(&[&payload, check.get(..4).unwrap_or_default()].concat())
        }
        HashStyle::Cid => {
            format!("b{}", base32(&[&[0x01, 0x71, 0xa0, 0xe4, 0x02, 0x20], digest.as_slice()].concat()))
        }
    };
    TxHash::new(&text)
}

/// Base58 in Bitcoin's alphabet.
fn base58(bytes: &[u8]) -> String {
    let mut digits: Vec<u32> = Vec::new();
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += *digit << 8;
            *digit = carry % 58;
            carry /= 58;
        }
        while carry > 0 {
            digits.push(carry % 58);
            carry /= 58;
        }
    }
    let zeros = bytes.iter().take_while(|byte| **byte == 0).map(|_| 0);
    zeros.chain(digits.into_iter().rev()).map(|digit| letter(BASE58, digit)).collect()
}

/// RFC 4648 base32 in lower case, without padding.
fn base32(bytes: &[u8]) -> String {
    let mut out = String::new();
    let (mut buffer, mut bits) = (0_u32, 0_u32);
    for byte in bytes {
        buffer = ((buffer << 8) | u32::from(*byte)) & 0xfff;
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(letter(BASE32, (buffer >> bits) & 31));
        }
    }
    if bits > 0 {
        out.push(letter(BASE32, (buffer << (5 - bits)) & 31));
    }
    out
}

fn letter(alphabet: &[u8], digit: u32) -> char {
    let index = usize::try_from(digit).unwrap_or_default();
    alphabet.get(index).copied().map_or('?', char::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network;

    /// Known values of the two alphabets (the Bitcoin base58 tests; RFC 4648, section 10).
    #[test]
    fn the_alphabets_are_right() {
        assert_eq!(
            base58(&const_hex::decode("73696d706c792061206c6f6e6720737472696e67").unwrap()),
            "2cFupjhnEsSn59qHXstmK2ffpLv2"
        );
        assert_eq!(base58(&const_hex::decode("00000000000000000000").unwrap()), "1111111111");
        assert_eq!([base32(b"fo"), base32(b"foobar")], ["mzxq", "mzxw6ytboi"]);
    }

    /// Every network has its own form, and the same content its own hash on each.
    #[test]
    fn hashes_look_like_their_network_s() {
        let of = |name: &str| transaction(network(name).unwrap(), b"content").as_str().to_owned();
        let is_hex = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(is_hex(&of("bitcoin")) && of("bitcoin") == of("bitcoin").to_lowercase());
        assert!(is_hex(&of("xrpl")) && of("xrpl") == of("xrpl").to_uppercase());
        assert!(is_hex(of("ethereum").strip_prefix("0x").unwrap()));
        assert!((86..=88).contains(&of("solana").len()));
        assert!(of("tezos").starts_with('o') && of("tezos").len() == 51);
        assert!(of("filecoin").starts_with("bafy2bzace") && of("filecoin").len() == 62);
        assert_ne!(of("bitcoin"), of("litecoin"));
    }
}
