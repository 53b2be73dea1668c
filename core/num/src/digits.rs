//! Printing integers that carry an implied decimal point.

use alloc::vec::Vec;

/// Powers of ten that fit a `u128` are those up to 10^38.
pub(crate) fn pow10(exponent: u8) -> Option<u128> {
    10u128.checked_pow(u32::from(exponent))
}

/// Room for as many digits as anything prints at least.
const ROOM: usize = 64;

/// What the digits of a value are written into.
struct Room {
    plain: itoa::Buffer,
    padded: [u8; ROOM],
}

impl Room {
    fn new() -> Self {
        Self { plain: itoa::Buffer::new(), padded: [b'0'; ROOM] }
    }

    /// The decimal digits of `value`, zero-padded to at least `least` of them.
    fn digits(&mut self, value: u128, least: usize) -> &[u8] {
        // Nearly every value is small, and 64-bit division several times cheaper.
        let digits = match u64::try_from(value) {
            Ok(small) => self.plain.format(small).as_bytes(),
            Err(_) => self.plain.format(value).as_bytes(),
        };
        if digits.len() >= least {
            return digits;
        }
        let padded = self.padded.get_mut(..least).expect("no scale is larger than the room");
        let (_, end) = padded.split_at_mut(least - digits.len());
        end.copy_from_slice(digits);
        padded
    }
}

/// Appends `value` × 10^-`scale` with exactly `scale` decimals, as prices are echoed (ORD-003).
pub fn push_fixed(out: &mut Vec<u8>, value: u128, scale: u8) {
    let mut room = Room::new();
    let scale = usize::from(scale);
    let digits = room.digits(value, scale + 1);
    let (integer, fraction) = digits.split_at(digits.len() - scale);
    out.extend_from_slice(integer);
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
}

/// Appends `value` × 10^-`scale` without trailing zeros or a bare point (ORD-009).
pub fn push_trimmed(out: &mut Vec<u8>, value: u128, scale: u8) {
    let mut room = Room::new();
    let scale = usize::from(scale);
    let digits = room.digits(value, scale + 1);
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
        assert_eq!(shown(|out| push_trimmed(out, 5, 2)), "0.05");
        assert_eq!(shown(|out| push_trimmed(out, 0, 3)), "0");
        assert_eq!(shown(|out| push_trimmed(out, u128::MAX, 19)), "34028236692093846346.3374607431768211455");
        assert_eq!(shown(|out| push_u64(out, 1_200)), "1200");
    }
}
