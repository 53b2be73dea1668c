//! Known vectors, and near misses that must be refused.

use super::*;

fn signer(key: &[u8]) -> Signer {
    Signer::new(&Secret::new(key.to_vec()))
}

fn refused(signer: &Signer, text: &[u8], signature: &[u8]) {
    let refusal = signer.verify(text, signature).expect_err("the signature is refused");
    assert_eq!((refusal.status, refusal.reason), (400, Reason::InvalidSignature));
    assert!(refusal.message.starts_with("InvalidSignature"), "{}", refusal.message);
}

/// RFC 4231, test cases 1 to 4, 6 and 7: key, text, HMAC-SHA384.
fn vectors() -> Vec<(Vec<u8>, Vec<u8>, &'static str)> {
    let large = b"This is a test using a larger than block-size key and a larger than block-size data. \
        The key needs to be hashed before being used by the HMAC algorithm.";
    vec![
        (
            vec![0x0b; 20],
            b"Hi There".to_vec(),
            "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
        ),
        (
            b"Jefe".to_vec(),
            b"what do ya want for nothing?".to_vec(),
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
        ),
        (
            vec![0xaa; 20],
            vec![0xdd; 50],
            "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27",
        ),
        (
            (1..=25).collect(),
            vec![0xcd; 50],
            "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e6801dd23c4a7d679ccf8a386c674cffb",
        ),
        (
            vec![0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First".to_vec(),
            "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
        ),
        (
            vec![0xaa; 131],
            large.to_vec(),
            "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c46523e",
        ),
    ]
}

/// Proves AUTH-003.
#[test]
fn accepts_the_known_vectors_in_either_case() {
    for (key, text, hex) in vectors() {
        let signer = signer(&key);
        assert!(signer.verify(&text, hex.as_bytes()).is_ok(), "{hex}");
        assert!(signer.verify(&text, hex.to_uppercase().as_bytes()).is_ok(), "{hex}");
    }
}

/// Every single changed digit, every cut, other lengths, other keys, other texts. Proves AUTH-005.
#[test]
fn refuses_everything_near_a_signature() {
    for (key, text, hex) in vectors() {
        let signer = signer(&key);
        for at in 0..hex.len() {
            refused(&signer, &text, &hex.as_bytes()[..at]);
            let mut changed = hex.as_bytes().to_vec();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            refused(&signer, &text, &changed);
            changed[at] = b'g';
            refused(&signer, &text, &changed);
        }
        for wrong in [format!("{hex}0"), format!("{hex}00"), format!("0x{hex}"), format!(" {hex}")] {
            refused(&signer, &text, wrong.as_bytes());
        }
        refused(&signer, &text, format!("0x{}", &hex[2..]).as_bytes());
        refused(&signer, &text, "0".repeat(96).as_bytes());
        refused(&signer, &text[1..], hex.as_bytes());
        refused(&super::Signer::new(&Secret::new(b"another".to_vec())), &text, hex.as_bytes());
    }
}

/// The tag of SHA-256 under the same key, padded or not, is no signature. Proves AUTH-005.
#[test]
fn refuses_another_hash() {
    let sha256 = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    let text = b"what do ya want for nothing?";
    refused(&signer(b"Jefe"), text, sha256.as_bytes());
    refused(&signer(b"Jefe"), text, format!("{sha256:0<96}").as_bytes());
}

/// Proves AUTH-006.
#[test]
fn decodes_canonical_base64_only() {
    assert_eq!(decode(b"e30=").unwrap(), b"{}");
    assert_eq!(decode(b"").unwrap(), b"");
    let bad: &[&[u8]] = &[
        b"e30",
        b"e30==",
        b"e31=",
        b"e3==",
        b"e",
        b"e3",
        b"e30=e30=",
        b"e3 0=",
        b"e30=\n",
        b" e30=",
        b"e30=====",
        b"=e30",
        b"-_-_",
        b"{}",
        b"====",
        b"e3\xc3\xa9=",
        b"fx==",
    ];
    for text in bad {
        let refusal = decode(text).expect_err("not canonical Base64");
        assert_eq!(refusal.reason, Reason::InvalidSignature, "{text:?}");
    }
}

/// The vectors of Project Wycheproof: number, key, text, tag, and whether the tag belongs to the text.
fn wycheproof() -> impl Iterator<Item = (u32, Vec<u8>, Vec<u8>, Vec<u8>, bool)> {
    let lines = include_str!("wycheproof.csv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let [number, key, text, tag, result] = fields[..] else { panic!("{line}") };
        let bytes = |hex: &str| const_hex::decode(hex).unwrap();
        assert!(["valid", "invalid"].contains(&result), "{line}");
        (number.parse().unwrap(), bytes(key), bytes(text), bytes(tag), result == "valid")
    })
}

/// Whole tags that fit pass; modified ones do not, nor do truncated ones that fit, since a signature is the whole tag. Proves
/// AUTH-003 (part).
#[test]
fn decides_every_vector_of_wycheproof() {
    let (mut whole, mut modified, mut truncated) = (0, 0, 0);
    for (number, key, text, tag, fits) in wycheproof() {
        let (signer, hex) = (signer(&key), const_hex::encode(&tag));
        match (tag.len() == TAG, fits) {
            (true, true) => {
                whole += 1;
                assert_eq!(signer.verify(&text, hex.as_bytes()), Ok(tag.try_into().unwrap()), "{number}");
            }
            (is_whole, fits) => {
                modified += usize::from(is_whole);
                truncated += usize::from(!is_whole && fits);
                refused(&signer, &text, hex.as_bytes());
            }
        }
    }
    assert_eq!((whole, modified, truncated), (33, 54, 33));
}

/// Every bit of a tag counts, and no byte may be missing or too many. Proves AUTH-003 (part).
#[test]
fn refuses_every_change_of_a_vector() {
    for (_, key, text, tag, fits) in wycheproof().filter(|(.., tag, _)| tag.len() == TAG).step_by(7) {
        let signer = signer(&key);
        for bit in (0..8 * TAG).filter(|_| fits) {
            let mut changed = tag.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            refused(&signer, &text, const_hex::encode(changed).as_bytes());
        }
        let hex = const_hex::encode(&tag);
        for length in 0..hex.len() {
            refused(&signer, &text, &hex.as_bytes()[..length]);
        }
        refused(&signer, &text, format!("{hex}00").as_bytes());
    }
}
