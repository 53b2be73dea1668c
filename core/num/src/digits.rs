//! Printing integers that carry an implied decimal point.

use alloc::vec::Vec;

/// 10 to a power; `u128` holds those up to 10^38.
pub(crate) fn pow10(exponent: u8) -> Option<u128> {
    10u128.checked_pow(u32::from(exponent))
}

/// Appends `value` × 10^-`scale` with exactly `scale` decimals, as prices are echoed (ORD-003).
pub fn push_fixed(out: &mut Vec<u8>, value: u128, scale: u8) {
    push(out, value, scale, <[u8]>::len);
}

/// Appends `value` × 10^-`scale` without trailing zeros or a bare point (ORD-009).
pub fn push_trimmed(out: &mut Vec<u8>, value: u128, scale: u8) {
    push(out, value, scale, |fraction| {
        fraction.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1)
    });
}

/// Appends `value` × 10^-`scale` with as many digits of its fraction as `kept` returns.
#[inline]
fn push(out: &mut Vec<u8>, value: u128, scale: u8, kept: impl FnOnce(&[u8]) -> usize) {
    let mut room = itoa::Buffer::new();
    // Nearly all values are small, and 64-bit division is several times cheaper.
    let digits = match u64::try_from(value) {
        Ok(small) => room.format(small).as_bytes(),
        Err(_) => room.format(value).as_bytes(),
    };
    let scale = usize::from(scale);
    let (integer, fraction) = digits.split_at(digits.len().saturating_sub(scale));
    out.extend_from_slice(if integer.is_empty() { b"0" } else { integer });
    let (kept, _) = fraction.split_at(kept(fraction));
    if kept.is_empty() {
        return;
    }
    out.push(b'.');
    // The zeros before the first digit of the fraction.
    out.resize(out.len() + scale - fraction.len(), b'0');
    out.extend_from_slice(kept);
}

/// Appends an integer.
pub fn push_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
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
        assert_eq!(shown(|out| push_fixed(out, 50, 2)), "0.50");
        assert_eq!(shown(|out| push_fixed(out, 500, 2)), "5.00");
        assert_eq!(shown(|out| push_fixed(out, 0, 2)), "0.00");
        assert_eq!(shown(|out| push_fixed(out, 0, 0)), "0");
        assert_eq!(shown(|out| push_trimmed(out, 500, 2)), "5");
        assert_eq!(shown(|out| push_trimmed(out, 1_050, 3)), "1.05");
        assert_eq!(shown(|out| push_trimmed(out, 5, 2)), "0.05");
        assert_eq!(shown(|out| push_trimmed(out, 0, 3)), "0");
        assert_eq!(shown(|out| push_trimmed(out, 1, 19)), "0.0000000000000000001");
        assert_eq!(shown(|out| push_trimmed(out, u128::MAX, 19)), "34028236692093846346.3374607431768211455");
        assert_eq!(shown(|out| push_u64(out, 1_200)), "1200");
    }
}
