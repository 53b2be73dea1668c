//! Escapes inside JSON strings.

/// The value of four hex digits.
pub(super) fn hex4(digits: &str) -> Option<u32> {
    // The number parser would accept a sign.
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

pub(super) fn is_high(unit: u32) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

pub(super) fn is_low(unit: u32) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

/// The text a valid string stands for.
pub(super) fn resolve(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let (character, length) = character_of(escape);
        out.push(character);
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The character an escape stands for, and how long it is after its backslash.
fn character_of(escape: &str) -> (char, usize) {
    let unit = |from: usize| escape.get(from..from + 4).and_then(hex4).unwrap_or_default();
    match escape.bytes().next() {
        Some(b'u') if is_high(unit(1)) => {
            let code = 0x1_0000 + ((unit(1) - 0xd800) << 10) + unit(7).saturating_sub(0xdc00);
            (char::from_u32(code).unwrap_or_default(), 11)
        }
        Some(b'u') => (char::from_u32(unit(1)).unwrap_or_default(), 5),
        Some(b'b') => ('\u{8}', 1),
        Some(b'f') => ('\u{c}', 1),
        Some(b'n') => ('\n', 1),
        Some(b'r') => ('\r', 1),
        Some(b't') => ('\t', 1),
        Some(plain) => (char::from(plain), 1),
        None => (char::default(), 0),
    }
}
