//! Frames as clients send them, whole and in pieces, and those that break the protocol.

use super::*;

/// A client's frame: its first byte, and its payload under a mask.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_head(&mut out, Opcode::Text, payload.len());
    out[0] = first;
    out[1] |= 0x80;
    let mask = [7, 200, 3, 90];
    out.extend_from_slice(&mask);
    let begin = out.len();
    out.extend_from_slice(payload);
    unmask(&mut out[begin..], mask);
    out
}

/// All items of these bytes, which arrive in pieces of `step`.
fn read(bytes: &[u8], step: usize) -> Result<Vec<Item>, Code> {
    let (mut reader, mut items) = (Reader::default(), Vec::new());
    for mut piece in bytes.chunks(step) {
        while let Some(item) = reader.next(&mut piece)? {
            items.push(item);
        }
        assert!(piece.is_empty());
        assert!(reader.held() <= 2 * bytes.len() + 64, "{} of {}", reader.held(), bytes.len());
    }
    Ok(items)
}

fn text(text: &str) -> Item {
    Item::Text(text.to_owned())
}

/// Messages, fragments with control frames between them, and each length of a length, however they are cut.
#[test]
fn messages_are_read_in_pieces_of_any_size() {
    let long = "ä".repeat(300);
    let longest = "x".repeat(MESSAGE_MAX);
    let bytes = [
        frame(0x81, b"one"),
        frame(0x01, &"zwölf".as_bytes()[..3]),
        frame(0x89, b"ping"),
        frame(0x00, &"zwölf".as_bytes()[3..]),
        frame(0x8a, b""),
        frame(0x80, b"!"),
        frame(0x81, long.as_bytes()),
        frame(0x81, longest.as_bytes()),
        frame(0x81, b""),
        frame(0x88, &[3, 232, b'o', b'k']),
    ]
    .concat();
    let expected = vec![
        text("one"),
        Item::Ping(b"ping".to_vec()),
        Item::Pong,
        text("zwölf!"),
        text(&long),
        text(&longest),
        text(""),
        Item::Close(Some(1000)),
    ];
    for step in [1, 2, 3, 7, 64, 4096, bytes.len()] {
        assert_eq!(read(&bytes, step).as_ref(), Ok(&expected), "{step}");
    }
}

/// Each breach has its code.
#[test]
fn breaches_close() {
    let mut unmasked = frame(0x81, b"x");
    unmasked[1] &= 0x7f;
    let long_control = frame(0x89, &[0; 126]);
    let not_minimal = [0x81, 0xfe, 0, 5, 1, 2, 3, 4];
    let not_minimal_of_eight = [0x81, 0xff, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 4];
    let beyond_range = [0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4];
    let huge = [0x81, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4];
    let too_long = frame(0x81, &vec![b'x'; MESSAGE_MAX + 1]);
    let too_long_in_parts = [frame(0x01, &vec![b'x'; MESSAGE_MAX]), frame(0x80, b"x")].concat();
    for (name, bytes, code) in [
        ("unmasked", unmasked, Code::Protocol),
        ("reserved bit", frame(0xc1, b"x"), Code::Protocol),
        ("unknown opcode", frame(0x83, b"x"), Code::Protocol),
        ("unknown control", frame(0x8b, b"x"), Code::Protocol),
        ("long control", long_control, Code::Protocol),
        ("control in parts", frame(0x09, b"x"), Code::Protocol),
        ("continuation of nothing", frame(0x80, b"x"), Code::Protocol),
        ("text within a message", [frame(0x01, b"x"), frame(0x81, b"x")].concat(), Code::Protocol),
        ("length not minimal", not_minimal.to_vec(), Code::Protocol),
        ("long length not minimal", not_minimal_of_eight.to_vec(), Code::Protocol),
        ("length beyond the range", beyond_range.to_vec(), Code::Protocol),
        ("a huge length", huge.to_vec(), Code::TooBig),
        ("too long", too_long, Code::TooBig),
        ("too long in parts", too_long_in_parts, Code::TooBig),
        ("binary", frame(0x82, b"x"), Code::Unsupported),
        ("not UTF-8", frame(0x81, &[0xff]), Code::NotText),
        ("cut character", frame(0x81, &[0xc3]), Code::NotText),
        ("wrong byte in a part", frame(0x01, &[b'x', 0xc0]), Code::NotText),
        ("close of one byte", frame(0x88, &[3]), Code::Protocol),
        ("close code that is not sent", frame(0x88, &[3, 237]), Code::Protocol),
        ("close reason not UTF-8", frame(0x88, &[3, 232, 0xff]), Code::NotText),
    ] {
        for step in [1, 5, bytes.len()] {
            assert_eq!(read(&bytes, step), Err(code), "{name}");
        }
    }
}

/// An announced length takes no memory.
#[test]
fn nothing_is_reserved() {
    let mut reader = Reader::default();
    let announced = frame(0x81, &vec![b'x'; MESSAGE_MAX]);
    assert_eq!(reader.next(&mut announced.get(..20).unwrap()), Ok(None));
    assert!(reader.held() < 64, "{}", reader.held());
}

/// The heads that the server writes have the shortest length.
#[test]
fn heads_are_minimal() {
    for (length, head) in [
        (0, &[0x81, 0][..]),
        (125, &[0x81, 125]),
        (126, &[0x81, 126, 0, 126]),
        (0xffff, &[0x81, 126, 255, 255]),
        (0x1_0000, &[0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] {
        let mut out = Vec::new();
        put_head(&mut out, Opcode::Text, length);
        assert_eq!(out, head, "{length}");
    }
    let mut out = Vec::new();
    put(&mut out, Opcode::Ping, b"");
    assert_eq!(out, [0x89, 0]);
}

/// Control frames and parts without a byte are counted as light; whole messages and their parts are not.
#[test]
fn light_frames_are_counted() {
    let zeros = [0; 4];
    let frame = |head: [u8; 2], payload: &[u8]| [&head[..], &zeros, payload].concat();
    let mut reader = Reader::default();
    let mut read = |bytes: &[u8]| {
        let mut left = bytes;
        let mut items = 0;
        while reader.next(&mut left).expect("it can be read").is_some() {
            items += 1;
        }
        (items, reader.take_light(), reader.is_in_message(), reader.is_at_rest())
    };
    assert_eq!(read(&frame([0x81, 0x81], b"a")), (1, 0, false, true));
    assert_eq!(read(&frame([0x81, 0x80], b"")), (1, 0, false, true), "an empty message is one");
    assert_eq!(read(&frame([0x01, 0x81], b"a")), (0, 0, true, false));
    assert_eq!(read(&frame([0x00, 0x80], b"").repeat(3)), (0, 3, true, false));
    assert_eq!(read(&frame([0x8a, 0x80], b"").repeat(2)), (2, 2, true, false));
    assert_eq!(read(&frame([0x80, 0x80], b"")), (1, 1, false, true));
    assert_eq!(read(&[0x81]), (0, 0, false, false), "a head that has begun");
}
