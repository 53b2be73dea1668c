//! Bytes of a row: a frame of length and checksum around numbers packed to their significant bytes.
//!
//! A frame is `length of body: u16, crc32c: u32, body`. The checksum also covers the row's position, so that bytes
//! written to the wrong place are recognised. Numbers are packed two to a control byte (a nibble of width each),
//! followed by their little-endian bytes; most are small, and a zero costs half a byte.

use serde::{Deserialize, Serialize};
use std::num::{NonZeroU64, TryFromIntError};

/// Where a row begins in its file. Never zero, since every file begins with a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position(NonZeroU64);

impl Position {
    /// A byte offset as a position; `None` for zero.
    pub const fn new(offset: u64) -> Option<Self> {
        match NonZeroU64::new(offset) {
            Some(offset) => Some(Self(offset)),
            None => None,
        }
    }

    /// The byte offset.
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}

/// The bytes are no row. The log that holds them adds the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage;

impl From<TryFromIntError> for Damage {
    fn from(_: TryFromIntError) -> Self {
        Self
    }
}

/// Bytes before the body of a frame.
pub(super) const FRAME_HEAD: usize = 6;
/// The most bytes of a row: the widest is an order with every number at full width and a long client id.
pub(super) const ROW_MAX: usize = 384;

/// Appends a frame for the row at `at`, with the body that `body` writes; returns its length in bytes.
pub(super) fn seal(out: &mut Vec<u8>, at: Position, body: impl FnOnce(&mut Vec<u8>)) -> u64 {
    let start = out.len();
    out.extend_from_slice(&[0; FRAME_HEAD]);
    body(out);
    let frame = out.get_mut(start..).unwrap_or_default();
    let size = frame.len();
    assert!(size <= ROW_MAX, "a row fits in what readers read at once");
    let (head, body) = frame.split_at_mut(FRAME_HEAD);
    let [len_low, len_high] = u16::try_from(body.len()).expect("a row is shorter than 64 KiB").to_le_bytes();
    let [a, b, c, d] = checksum(at, body).to_le_bytes();
    head.copy_from_slice(&[len_low, len_high, a, b, c, d]);
    u64::try_from(size).expect("a length fits in 64 bits")
}

/// The body of the frame at the start of `bytes`.
pub(super) fn open(bytes: &[u8], at: Position) -> Result<&[u8], Damage> {
    let (len, rest) = bytes.split_first_chunk().ok_or(Damage)?;
    let (sum, rest) = rest.split_first_chunk().ok_or(Damage)?;
    let body = rest.get(..usize::from(u16::from_le_bytes(*len))).ok_or(Damage)?;
    let is_whole = u32::from_le_bytes(*sum) == checksum(at, body);
    if is_whole { Ok(body) } else { Err(Damage) }
}

fn checksum(at: Position, body: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&at.get().to_le_bytes()), body)
}

/// Appends the numbers, each in its significant bytes.
pub(super) fn pack<const N: usize>(out: &mut Vec<u8>, numbers: &[u64; N]) {
    let mut packed = [0; ROW_MAX];
    let controls = N.div_ceil(2);
    let mut used = controls;
    for (place, number) in numbers.iter().enumerate() {
        let width = width(*number);
        if let Some(control) = packed.get_mut(place / 2) {
            *control |= if place.is_multiple_of(2) { width } else { width << 4 };
        }
        // All eight bytes are written; the next number overwrites the unused ones.
        let word =
            packed.get_mut(used..).and_then(<[u8]>::first_chunk_mut).expect("packed numbers fit in a row");
        *word = number.to_le_bytes();
        used += usize::from(width);
    }
    out.extend_from_slice(packed.get(..used).unwrap_or_default());
}

/// Takes `N` numbers from the front; returns them and the bytes after them.
pub(super) fn unpack<const N: usize>(body: &[u8]) -> Result<([u64; N], &[u8]), Damage> {
    let (widths, mut rest) = body.split_at_checked(N.div_ceil(2)).ok_or(Damage)?;
    let nibbles = widths.iter().flat_map(|pair| [pair & 0xf, pair >> 4]);
    let mut numbers = [0; N];
    for (number, width) in numbers.iter_mut().zip(nibbles) {
        *number = load(rest, width)?;
        rest = rest.get(usize::from(width)..).ok_or(Damage)?;
    }
    Ok((numbers, rest))
}

fn width(number: u64) -> u8 {
    u8::try_from(8 - number.leading_zeros() / 8).unwrap_or(8)
}

/// The first `width` bytes as a number; the caller checks that they exist.
fn load(bytes: &[u8], width: u8) -> Result<u64, Damage> {
    let unused = 64_u32.checked_sub(8 * u32::from(width)).ok_or(Damage)?;
    let word = match bytes.first_chunk() {
        Some(word) => *word,
        None => short_word(bytes),
    };
    Ok(u64::from_le_bytes(word) & u64::MAX.checked_shr(unused).unwrap_or(0))
}

fn short_word(bytes: &[u8]) -> [u8; 8] {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    word
}

/// A wide number as its low and high halves.
pub(super) fn halves(value: u128) -> [u64; 2] {
    let half = |shift: u32| u64::try_from(value >> shift & u128::from(u64::MAX)).expect("a half is masked");
    [half(0), half(64)]
}

/// The wide number of two halves.
pub(super) fn whole(low: u64, high: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// A signed number with its sign in the lowest bit, so that small negative numbers stay short too.
pub(super) fn zigzag(value: i128) -> u128 {
    (value << 1 ^ value >> 127).cast_unsigned()
}

/// The signed number that [`zigzag`] encoded.
pub(super) fn unzigzag(value: u128) -> i128 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// A link as its distance back from `at`, zero for none.
pub(super) fn distance(at: Position, link: Option<Position>) -> u64 {
    let Some(link) = link else { return 0 };
    assert!(link < at, "a link points back");
    at.get() - link.get()
}

/// The link at a distance.
pub(super) fn linked(at: Position, distance: u64) -> Result<Option<Position>, Damage> {
    if distance == 0 {
        return Ok(None);
    }
    let offset = at.get().checked_sub(distance).ok_or(Damage)?;
    Position::new(offset).map(Some).ok_or(Damage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers: [u64; 7], shifts in prop::array::uniform7(0_u32..64), signed: i128) {
            let mut packed = numbers;
            for (number, shift) in packed.iter_mut().zip(shifts) {
                *number >>= shift;
            }
            let mut out = Vec::new();
            pack(&mut out, &packed);
            out.extend_from_slice(b"rest");
            prop_assert_eq!(unpack(&out), Ok((packed, &b"rest"[..])));
            out.truncate(out.len() - b"rest".len());
            out.pop();
            prop_assert_eq!(unpack::<7>(&out), Err(Damage));
            let [low, high] = halves(zigzag(signed));
            prop_assert_eq!(unzigzag(whole(low, high)), signed);
        }

        /// Noise and flipped bits are recognised as damage, without a panic.
        #[test]
        fn damage_is_recognised(noise: Vec<u8>, byte in 0_usize..30, bit in 0_u32..8) {
            let at = Position::new(8).unwrap();
            prop_assert_eq!(open(&noise, at), Err(Damage));
            let mut out = Vec::new();
            seal(&mut out, at, |out| out.extend_from_slice(b"a body of twenty-four by"));
            prop_assert_eq!(open(&out, at), Ok(&b"a body of twenty-four by"[..]));
            prop_assert_eq!(open(&out, Position::new(9).unwrap()), Err(Damage));
            out[byte] ^= 1_u8.wrapping_shl(bit);
            prop_assert_eq!(open(&out, at), Err(Damage));
        }
    }
}
