//! Frames of a WebSocket, cut into pieces of any size, against a reader that has all bytes at once.
//!
//! The first byte is the number of pieces in which the rest arrives; each of the next bytes is the length of one. For any cut the
//! same messages come out, and the same code if the bytes break the protocol. The bytes that the reader holds are bounded by what arrived.

use buttonwood_http::fuzzing::{Framed, SocketReader};

/// Most pieces.
const PIECES: u8 = 16;
/// Bytes of a message at most.
const MESSAGE_MAX: usize = 64 * 1024;

/// Reads and checks the bytes of one socket.
pub fn run(bytes: &[u8]) {
    let Some((count, rest)) = bytes.split_first() else { return };
    let (cuts, raw) = rest.split_at(rest.len().min(usize::from(count % PIECES)));
    let expected = naive(raw);
    assert_eq!(read(raw, cuts), expected, "in pieces");
    assert_eq!(read(raw, &[]), expected, "at once");
}

/// The items that come out, and the code at the end if the bytes break the protocol.
type Outcome = (Vec<Framed>, Option<u16>);

/// The outcome of the reader for bytes in pieces of these lengths; the rest comes as the last piece.
fn read(raw: &[u8], cuts: &[u8]) -> Outcome {
    let (mut reader, mut out) = (SocketReader::default(), Vec::new());
    let (mut rest, mut arrived) = (raw, 0);
    let lengths = cuts.iter().map(|cut| usize::from(*cut)).chain([usize::MAX]);
    for length in lengths {
        let (mut piece, later) = rest.split_at(length.min(rest.len()));
        (rest, arrived) = (later, arrived + piece.len());
        loop {
            match reader.next(&mut piece) {
                Ok(Some(item)) => out.push(item),
                Ok(None) => break,
                Err(code) => return (out, Some(code)),
            }
        }
        // Vectors grow by doubling.
        assert!(reader.held() <= 2 * arrived + 256, "{} bytes are held of {arrived}", reader.held());
    }
    (out, None)
}

/// The same by a reader that looks at whole frames, one after the other.
fn naive(mut raw: &[u8]) -> Outcome {
    let mut out = Vec::new();
    let mut message: Option<Vec<u8>> = None;
    loop {
        // A byte may already be wrong while the bytes after it are missing.
        let (frame, rest) = match frame(raw, message.as_ref().map(Vec::len)) {
            Ok(Some(found)) => found,
            Ok(None) => {
                let partial = partial_text(raw, message.as_deref());
                return (out, if partial { None } else { Some(1007) });
            }
            Err(code) => {
                return (out, Some(code));
            }
        };
        raw = rest;
        match frame.opcode {
            0 | 1 => {
                let text = message.get_or_insert_default();
                text.extend_from_slice(&frame.payload);
                if !may_become_text(text) {
                    return (out, Some(1007));
                }
                if frame.is_final {
                    let whole = message.take().unwrap_or_default();
                    match String::from_utf8(whole) {
                        Ok(text) => out.push(Framed::Text(text)),
                        Err(_) => return (out, Some(1007)),
                    }
                }
            }
            9 => out.push(Framed::Ping(frame.payload)),
            10 => out.push(Framed::Pong),
            _ => match close_code(&frame.payload) {
                Ok(code) => out.push(Framed::Close(code)),
                Err(code) => return (out, Some(code)),
            },
        }
    }
}

/// A whole frame.
struct Frame {
    is_final: bool,
    opcode: u8,
    payload: Vec<u8>,
}

/// The head of a frame: its first byte, where its payload begins, how long that is, and the mask.
struct Head {
    first: u8,
    begin: usize,
    length: u64,
    mask: [u8; 4],
}

/// The head at the front, if it is whole; the code of the first rule that its bytes break. `open` is the length of the message so far.
fn head(raw: &[u8], open: Option<usize>) -> Result<Option<Head>, u16> {
    let Some(first) = raw.first().copied() else { return Ok(None) };
    let (opcode, is_final) = (first & 15, first >= 128);
    if opcode == 2 {
        return Err(1003);
    }
    let fits = match opcode {
        0 => open.is_some(),
        1 => open.is_none(),
        8..=10 => is_final,
        _ => false,
    };
    if !fits || first & 0x70 != 0 {
        return Err(1002);
    }
    let Some(second) = raw.get(1).copied() else { return Ok(None) };
    if second < 128 || (opcode >= 8 && second - 128 > 125) {
        return Err(1002);
    }
    let wide = match second - 128 {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let begin = 2 + wide + 4;
    if raw.len() < begin {
        return Ok(None);
    }
    let length = if wide == 0 {
        u64::from(second - 128)
    } else {
        raw[2..2 + wide].iter().fold(0, |sum, byte| sum * 256 + u64::from(*byte))
    };
    let is_minimal = match wide {
        2 => length >= 126,
        8 => (65_536..1 << 63).contains(&length),
        _ => true,
    };
    if !is_minimal {
        return Err(1002);
    }
    let sum = u128::from(length) + open.unwrap_or(0) as u128;
    if opcode <= 1 && sum > MESSAGE_MAX as u128 {
        return Err(1009);
    }
    let mask = raw[begin - 4..begin].try_into().expect("there are four");
    Ok(Some(Head { first, begin, length, mask }))
}

fn frame(raw: &[u8], open: Option<usize>) -> Result<Option<(Frame, &[u8])>, u16> {
    let Some(head) = head(raw, open)? else { return Ok(None) };
    let end = head.begin + usize::try_from(head.length).expect("it is short");
    let Some(payload) = raw.get(head.begin..end) else { return Ok(None) };
    let frame =
        Frame { is_final: head.first >= 128, opcode: head.first & 15, payload: unmasked(payload, head.mask) };
    Ok(Some((frame, &raw[end..])))
}

fn unmasked(bytes: &[u8], mask: [u8; 4]) -> Vec<u8> {
    bytes.iter().enumerate().map(|(at, byte)| byte ^ mask[at % 4]).collect()
}

/// Whether the part of a text frame that is there may belong to a text.
fn partial_text(raw: &[u8], message: Option<&[u8]>) -> bool {
    let Ok(Some(head)) = head(raw, message.map(<[u8]>::len)) else { return true };
    if head.first & 15 > 1 {
        return true;
    }
    let mut text = message.unwrap_or_default().to_vec();
    text.extend(unmasked(&raw[head.begin..], head.mask));
    may_become_text(&text)
}

/// Whether bytes are UTF-8, or become it with more bytes.
fn may_become_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).err().is_none_or(|error| error.error_len().is_none())
}

fn close_code(payload: &[u8]) -> Result<Option<u16>, u16> {
    match payload {
        [] => Ok(None),
        [_] => Err(1002),
        [high, low, reason @ ..] => {
            let code = u16::from(*high) * 256 + u16::from(*low);
            let is_sent = [1000, 1001, 1002, 1003].contains(&code)
                || (1007..1015).contains(&code)
                || (3000..5000).contains(&code);
            if !is_sent {
                return Err(1002);
            }
            if std::str::from_utf8(reason).is_err() { Err(1007) } else { Ok(Some(code)) }
        }
    }
}
