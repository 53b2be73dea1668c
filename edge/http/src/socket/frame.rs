//! Frames of a WebSocket (RFC 6455, section 5), as a server reads and writes them. No extension is known.
//!
//! The reader takes bytes as they arrive, in pieces of any size. It never reserves memory for a length that a client only
//! announced: a message grows by the bytes that are there.

use super::Code;

/// Bytes of a message at most.
pub(crate) const MESSAGE_MAX: usize = 64 * 1024;
/// Bytes of a control frame's payload at most (RFC 6455, 5.5).
const CONTROL_MAX: usize = 125;
/// Bytes of a frame's head at most: two, a length of eight, and the mask.
const HEAD_MAX: usize = 14;

/// A whole message or control frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A text message.
    Text(String),
    /// A ping, to be answered with its payload.
    Ping(Vec<u8>),
    /// A pong.
    Pong,
    /// The client closes: with this code, if it gives one.
    Close(Option<u16>),
}

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    /// A further part of a message.
    Continuation = 0,
    /// A text message or its first part.
    Text = 1,
    /// The end.
    Close = 8,
    /// A ping.
    Ping = 9,
    /// A pong.
    Pong = 10,
}

/// A frame whose payload is arriving.
#[derive(Clone, Copy, Debug)]
struct Payload {
    opcode: Opcode,
    is_final: bool,
    left: usize,
    mask: [u8; 4],
    /// How many bytes of the mask were used, modulo its length.
    turn: usize,
}

/// A reader of frames.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// The beginning of a head.
    head: [u8; HEAD_MAX],
    head_len: usize,
    payload: Option<Payload>,
    /// The message so far.
    message: Vec<u8>,
    /// Bytes of it that are known to be UTF-8.
    checked: usize,
    /// Whether a message has begun and not ended.
    is_open: bool,
    control: Vec<u8>,
    /// Control frames and parts without a byte since they were last taken: they cost work and make no message.
    light: u32,
}

impl Reader {
    /// Takes bytes from the front of `bytes`, up to the end of the next message or control frame; none when more bytes have to arrive.
    ///
    /// # Errors
    /// The code to close with. Nothing may be read afterwards.
    pub(crate) fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<Item>, Code> {
        loop {
            let Some(payload) = self.payload else {
                if !self.read_head(bytes)? {
                    return Ok(None);
                }
                continue;
            };
            let (part, rest) = bytes.split_at(payload.left.min(bytes.len()));
            *bytes = rest;
            self.take(payload, part)?;
            let left = payload.left - part.len();
            if left > 0 {
                let turn = (payload.turn + part.len()) % 4;
                self.payload = Some(Payload { left, turn, ..payload });
                return Ok(None);
            }
            self.payload = None;
            if let Some(item) = self.end(payload)? {
                return Ok(Some(item));
            }
        }
    }

    /// Bytes of memory of an unfinished message or frame.
    pub(crate) fn held(&self) -> usize {
        self.message.capacity() + self.control.capacity()
    }

    /// Whether a message has begun and not ended. Control frames may come within it.
    pub(crate) fn is_in_message(&self) -> bool {
        self.is_open
    }

    /// Whether neither a message nor a frame is unfinished.
    pub(crate) fn is_at_rest(&self) -> bool {
        !self.is_open && self.payload.is_none() && self.head_len == 0
    }

    /// The number of control frames and of parts without a byte since the last call.
    pub(crate) fn take_light(&mut self) -> u32 {
        std::mem::take(&mut self.light)
    }

    /// Reads a frame's head; whether it is whole.
    fn read_head(&mut self, bytes: &mut &[u8]) -> Result<bool, Code> {
        loop {
            let wanted = self.head_wanted();
            if self.head_len == wanted && wanted > 2 {
                let payload = self.open()?;
                self.head_len = 0;
                let is_whole_text = payload.opcode == Opcode::Text && payload.is_final;
                let is_part = matches!(payload.opcode, Opcode::Text | Opcode::Continuation);
                if !is_part || payload.left == 0 && !is_whole_text {
                    self.light = self.light.saturating_add(1);
                }
                self.payload = Some(payload);
                return Ok(true);
            }
            let Some((first, rest)) = bytes.split_first() else { return Ok(false) };
            *bytes = rest;
            if let Some(place) = self.head.get_mut(self.head_len) {
                *place = *first;
            }
            self.head_len += 1;
            // Each of the first two bytes may already break the protocol.
            if self.head_len <= 2 {
                self.check_head()?;
            }
        }
    }

    /// Bytes of this head, as far as it is known.
    fn head_wanted(&self) -> usize {
        if self.head_len < 2 {
            return 2;
        }
        match self.head[1] & 0x7f {
            126 => 8,
            127 => HEAD_MAX,
            _ => 6,
        }
    }

    /// Checks the first two bytes of a head, of which the second may not have arrived.
    fn check_head(&self) -> Result<(), Code> {
        let [first, second, ..] = self.head;
        let opcode = opcode(first)?;
        let is_final = first & 0x80 != 0;
        let is_control = matches!(opcode, Opcode::Close | Opcode::Ping | Opcode::Pong);
        let is_misplaced = match opcode {
            Opcode::Continuation => !self.is_open,
            Opcode::Text => self.is_open,
            Opcode::Close | Opcode::Ping | Opcode::Pong => !is_final,
        };
        if first & 0x70 != 0 || is_misplaced {
            return Err(Code::Protocol);
        }
        let is_unmasked = second & 0x80 == 0;
        let is_long = is_control && usize::from(second & 0x7f) > CONTROL_MAX;
        if self.head_len == 2 && (is_unmasked || is_long) {
            return Err(Code::Protocol);
        }
        Ok(())
    }

    /// Reads a whole head.
    fn open(&self) -> Result<Payload, Code> {
        let [first, second, rest @ ..] = self.head;
        let (length, mask) = match second & 0x7f {
            126 => (number(&rest, 2), rest.get(2..6)),
            127 => (number(&rest, 8), rest.get(8..)),
            short => (short.into(), rest.get(..4)),
        };
        let mask = mask.and_then(|mask| mask.try_into().ok()).unwrap_or_default();
        let is_minimal = match second & 0x7f {
            126 => length > 125,
            127 => length > 0xffff && length >> 63 == 0,
            _ => true,
        };
        if !is_minimal {
            return Err(Code::Protocol);
        }
        let left = usize::try_from(length).map_err(|_| Code::TooBig)?;
        let opcode = opcode(first)?;
        let is_of_message = matches!(opcode, Opcode::Text | Opcode::Continuation);
        if is_of_message && left > MESSAGE_MAX - self.message.len().min(MESSAGE_MAX) {
            return Err(Code::TooBig);
        }
        let is_final = first & 0x80 != 0;
        Ok(Payload { opcode, is_final, left, mask, turn: 0 })
    }

    /// Takes a part of a payload.
    fn take(&mut self, payload: Payload, part: &[u8]) -> Result<(), Code> {
        let into = match payload.opcode {
            Opcode::Text | Opcode::Continuation => &mut self.message,
            Opcode::Close | Opcode::Ping | Opcode::Pong => &mut self.control,
        };
        let begin = into.len();
        into.extend_from_slice(part);
        let fresh = into.get_mut(begin..).unwrap_or_default();
        let [a, b, c, d] = payload.mask;
        let mask = match payload.turn {
            1 => [b, c, d, a],
            2 => [c, d, a, b],
            3 => [d, a, b, c],
            _ => [a, b, c, d],
        };
        unmask(fresh, mask);
        match payload.opcode {
            Opcode::Text | Opcode::Continuation => self.check_text(),
            Opcode::Close | Opcode::Ping | Opcode::Pong => Ok(()),
        }
    }

    /// Refuses text that is not UTF-8 at its first wrong byte (RFC 6455, 8.1).
    fn check_text(&mut self) -> Result<(), Code> {
        let fresh = self.message.get(self.checked..).unwrap_or_default();
        match std::str::from_utf8(fresh) {
            Ok(_) => self.checked = self.message.len(),
            Err(error) if error.error_len().is_some() => return Err(Code::NotText),
            // The rest of its last character has not arrived.
            Err(error) => self.checked += error.valid_up_to(),
        }
        Ok(())
    }

    /// Ends a frame whose payload is whole.
    fn end(&mut self, payload: Payload) -> Result<Option<Item>, Code> {
        match payload.opcode {
            Opcode::Text | Opcode::Continuation => {
                self.is_open = !payload.is_final;
                if !payload.is_final {
                    return Ok(None);
                }
                self.checked = 0;
                let text = String::from_utf8(std::mem::take(&mut self.message));
                Ok(Some(Item::Text(text.map_err(|_| Code::NotText)?)))
            }
            Opcode::Ping => Ok(Some(Item::Ping(std::mem::take(&mut self.control)))),
            Opcode::Pong => {
                self.control = Vec::new();
                Ok(Some(Item::Pong))
            }
            Opcode::Close => {
                close_code(&std::mem::take(&mut self.control)).map(|code| Some(Item::Close(code)))
            }
        }
    }
}

/// The number in the first bytes.
fn number(bytes: &[u8], count: usize) -> u64 {
    bytes.iter().take(count).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn opcode(first: u8) -> Result<Opcode, Code> {
    match first & 0x0f {
        0 => Ok(Opcode::Continuation),
        1 => Ok(Opcode::Text),
        2 => Err(Code::Unsupported),
        8 => Ok(Opcode::Close),
        9 => Ok(Opcode::Ping),
        10 => Ok(Opcode::Pong),
        _ => Err(Code::Protocol),
    }
}

/// The code in the payload of a close frame (RFC 6455, 7.4).
fn close_code(payload: &[u8]) -> Result<Option<u16>, Code> {
    let [high, low, reason @ ..] = payload else {
        return if payload.is_empty() { Ok(None) } else { Err(Code::Protocol) };
    };
    let code = u16::from_be_bytes([*high, *low]);
    let may_be_sent = matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999);
    if !may_be_sent {
        return Err(Code::Protocol);
    }
    std::str::from_utf8(reason).map_err(|_| Code::NotText)?;
    Ok(Some(code))
}

/// Takes the mask off, eight bytes at a time.
fn unmask(bytes: &mut [u8], mask: [u8; 4]) {
    let [a, b, c, d] = mask;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let (words, rest) = bytes.as_chunks_mut::<8>();
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ wide).to_ne_bytes();
    }
    for (byte, mask) in rest.iter_mut().zip(mask.into_iter().cycle()) {
        *byte ^= mask;
    }
}

/// Appends the head of a frame of this many bytes, which is whole and unmasked.
pub(crate) fn put_head(out: &mut Vec<u8>, opcode: Opcode, length: usize) {
    let first = 0x80
        | match opcode {
            Opcode::Continuation => 0,
            Opcode::Text => 1,
            Opcode::Close => 8,
            Opcode::Ping => 9,
            Opcode::Pong => 10,
        };
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short @ ..=125), _) => out.extend_from_slice(&[first, short]),
        (_, Ok(middle)) => {
            out.extend_from_slice(&[first, 126]);
            out.extend_from_slice(&middle.to_be_bytes());
        }
        _ => {
            out.extend_from_slice(&[first, 127]);
            out.extend_from_slice(&u64::try_from(length).unwrap_or(u64::MAX).to_be_bytes());
        }
    }
}

/// Appends a whole frame.
pub(crate) fn put(out: &mut Vec<u8>, opcode: Opcode, payload: &[u8]) {
    put_head(out, opcode, payload.len());
    out.extend_from_slice(payload);
}

#[cfg(test)]
mod tests;
