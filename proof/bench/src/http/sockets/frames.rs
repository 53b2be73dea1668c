//! Frames of a client, as far as the load needs them.

/// A whole text frame.
const TEXT: u8 = 0x81;
/// A ping without payload, which the load ignores.
const PING: u8 = 0x89;
/// The key of every frame: a server takes off any.
const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

/// Appends a masked text frame of these parts.
pub(super) fn put(out: &mut Vec<u8>, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    match u8::try_from(length) {
        Ok(short @ ..=125) => out.extend_from_slice(&[TEXT, 0x80 | short]),
        _ => {
            let length = u16::try_from(length).expect("calls are short");
            out.extend_from_slice(&[TEXT, 0x80 | 126]);
            out.extend_from_slice(&length.to_be_bytes());
        }
    }
    out.extend_from_slice(&MASK);
    let bytes = parts.iter().copied().flatten();
    out.extend(bytes.zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
}

/// The first frame, if it is whole: its text, and how many bytes it takes. A ping has no text.
pub(super) fn first(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let (start, length) = match *bytes {
        [PING, 0, ..] => (2, 0),
        [TEXT, 126, high, low, ..] => (4, usize::from(u16::from_be_bytes([high, low]))),
        [TEXT, short @ ..=125, ..] => (2, usize::from(short)),
        [] | [TEXT | PING] | [TEXT, 126, ..] => return None,
        [first, ..] => panic!("the server sent a frame of another kind: {first:#x}"),
    };
    Some((bytes.get(start..start + length)?, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of the load is read as the text that it is, whatever its length and its parts.
    #[test]
    fn a_frame_is_masked_and_whole() {
        for length in [0, 1, 125, 126, 300] {
            let text: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut out = Vec::new();
            put(&mut out, &[&text[..length / 3], &text[length / 3..]]);
            let head = if length > 125 { 8 } else { 6 };
            assert_eq!((out.len(), out[1] & 0x80), (head + length, 0x80));
            let plain: Vec<u8> =
                out[head..].iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
            assert_eq!(plain, text);
        }
    }

    /// A frame of the server is found once all of it has arrived.
    #[test]
    fn a_frame_comes_whole_or_not_at_all() {
        let long = [&[TEXT, 126, 0, 200][..], &[b'x'; 200]].concat();
        for (frame, text) in
            [(&[TEXT, 2, b'{', b'}'][..], &b"{}"[..]), (&[PING, 0], b""), (&long, &[b'x'; 200])]
        {
            assert_eq!(first(frame), Some((text, frame.len())));
            for end in 0..frame.len() {
                assert_eq!(first(&frame[..end]), None);
            }
        }
    }
}
