//! Printing integers that carry an implied decimal point.

use alloc::vec::Vec;

/// Powers of ten that fit a `u128` are those up to 10^38.
pub(crate) fn pow10(exponent: u8) -> Option<u128> {
    10u128.checked_pow(u32::from(exponent))
}

/// Room for the digits of any `u128` and its leading zeros.
const ROOM: usize = 64;

/// The decimal digits of `value`, at least `least` of them (zero-padded), right-aligned in `room`.
fn digits_of(mut value: u128, least: usize, room: &mut [u8; ROOM]) -> &[u8] {
    let mut at = ROOM;
    while value > u128::from(u64::MAX) {
        at = put(value % 10, at, room);
        value /= 10;
    }
    // 64-bit division is several times cheaper; nearly every value is already this small.
    let mut small = u64::try_from(value).unwrap_or(u64::MAX);
    while small > 0 || ROOM - at < least {
        at = put(u128::from(small % 10), at, room);
        small /= 10;
    }
    room.get(at..).unwrap_or_default()
}

fn put(digit: u128, at: usize, room: &mut [u8; ROOM]) -> usize {
    let at = at - 1;
    if let (Some(byte), Ok(digit)) = (room.get_mut(at), u8::try_from(digit)) {
        *byte = b'0' + digit;
    }
    at
}

/// Appends `value` × 10^-`scale` with exactly `scale` decimals, as prices are echoed (ORD-003).
pub fn push_fixed(out: &mut Vec<u8>, value: u128, scale: u8) {
    let mut room = [0; ROOM];
    let scale = usize::from(scale);
    let digits = digits_of(value, scale + 1, &mut room);
    let (integer, fraction) = digits.split_at(digits.len() - scale);
    out.extend_from_slice(integer);
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
}

/// Appends `value` × 10^-`scale` without trailing zeros or a bare point (ORD-009).
pub fn push_trimmed(out: &mut Vec<u8>, value: u128, scale: u8) {
    let mut room = [0; ROOM];
    let scale = usize::from(scale);
    let digits = digits_of(value, scale + 1, &mut room);
    let (integer, fraction) = digits.split_at(digits.len() - scale);
    out.extend_from_slice(integer);
    let kept = fraction.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
    if kept > 0 {
        out.push(b'.');
        out.extend_from_slice(fraction.get(..kept).unwrap_or_default());
    }
}

/// Appends an integer.
pub fn push_u64(out: &mut Vec<u8>, value: u64) {
    push_fixed(out, u128::from(value), 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn shown(print: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        print(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn prints_points_where_they_belong() {
        assert_eq!(shown(|out| push_fixed(out, 5, 2)), "0.05");
        assert_eq!(shown(|out| push_fixed(out, 500, 2)), "5.00");
        assert_eq!(shown(|out| push_fixed(out, 0, 0)), "0");
        assert_eq!(shown(|out| push_trimmed(out, 500, 2)), "5");
        assert_eq!(shown(|out| push_trimmed(out, 1_050, 3)), "1.05");
        assert_eq!(shown(|out| push_trimmed(out, u128::MAX, 19)), "34028236692093846346.3374607431768211455");
    }
}
