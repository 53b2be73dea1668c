//! Mixing of numbers.

/// Mixes a number into a running one, so that another sequence of numbers gives another result.
pub(crate) fn mix(running: u64, number: u64) -> u64 {
    let mut word = running.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(number).wrapping_add(1);
    word ^= word >> 32;
    word = word.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    word ^ (word >> 29)
}
