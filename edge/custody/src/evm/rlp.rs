//! The encoding of transactions: recursive length prefix (Ethereum yellow paper, appendix B).

/// A string of bytes.
pub(super) fn bytes(content: &[u8]) -> Vec<u8> {
    match content {
        [single] if *single < 0x80 => vec![*single],
        _ => prefixed(0x80, content),
    }
}

/// A number: its bytes without leading zeros.
pub(super) fn number(value: u128) -> Vec<u8> {
    bytes(trimmed(&value.to_be_bytes()))
}

/// A number of any length, big-endian.
pub(super) fn big_number(value: &[u8]) -> Vec<u8> {
    bytes(trimmed(value))
}

/// A list of encoded items.
pub(super) fn list(items: &[u8]) -> Vec<u8> {
    prefixed(0xc0, items)
}

fn trimmed(value: &[u8]) -> &[u8] {
    let zeros = value.iter().take_while(|byte| **byte == 0).count();
    value.get(zeros..).unwrap_or_default()
}

fn prefixed(base: u8, content: &[u8]) -> Vec<u8> {
    let mut out = match u8::try_from(content.len()) {
        Ok(length) if length < 56 => vec![base + length],
        _ => {
            let wide = content.len().to_be_bytes();
            let length = trimmed(&wide);
            // A length has at most 8 bytes.
            let count = u8::try_from(length.len()).unwrap_or(8);
            [&[base + 55 + count], length].concat()
        }
    };
    out.extend_from_slice(content);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the specification (ethereum.org, "RLP").
    #[test]
    fn encodes_the_known_examples() {
        assert_eq!(bytes(b"dog"), b"\x83dog");
        assert_eq!(list(&[bytes(b"cat"), bytes(b"dog")].concat()), b"\xc8\x83cat\x83dog");
        assert_eq!((bytes(b""), list(b"")), (vec![0x80], vec![0xc0]));
        assert_eq!((number(0), number(15), number(1024)), (vec![0x80], vec![0x0f], vec![0x82, 4, 0]));
        assert_eq!(big_number(&[0, 0, 0x80]), [0x81, 0x80]);
        let long = [b'a'; 56];
        assert_eq!(bytes(&long)[..3], [0xb8, 56, b'a']);
        assert_eq!(list(&[0; 1024])[..4], [0xf9, 4, 0, 0]);
    }
}
