//! Nonces: non-negative numbers of any size up to 64 digits, compared exactly.
//!
//! Clauses: `SES-002`, `SES-005`; decision D-26.

use crate::{Record, Time};
use alloc::vec::Vec;
use core::fmt;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Most digits of a nonce, including those after a point.
pub const NONCE_DIGITS_MAX: usize = 64;
/// Digits in a word.
const WORD_DIGITS: usize = 16;

/// Most bytes of a stored nonce: the count of integer digits, then two digits per byte.
const BYTES_MAX: usize = 1 + NONCE_DIGITS_MAX / 2;

/// A nonce in a form whose derived order is the numeric order: the count of integer digits, then the digits.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nonce {
    integer_digits: u8,
    /// Binary-coded digits, most significant first, zero-padded; trailing zeros of a fraction do not matter.
    words: [u64; NONCE_DIGITS_MAX / WORD_DIGITS],
}

/// The text is no number, or has more than [`NONCE_DIGITS_MAX`] digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonceError;

impl Nonce {
    /// Reads digits with at most one point and an optional exponent. Leading zeros are accepted, a sign in front is
    /// not.
    ///
    /// # Errors
    /// [`NonceError`] if the text is no such number.
    pub fn parse(text: &[u8]) -> Result<Self, NonceError> {
        Self::plain(text).or_else(|_| Self::scaled(text))
    }

    #[inline]
    fn plain(text: &[u8]) -> Result<Self, NonceError> {
        let (integer, fraction) = split_point(text)?;
        let leading = integer.iter().position(|byte| *byte != b'0').unwrap_or(integer.len());
        let integer = integer.get(leading..).unwrap_or_default();
        if integer.len() + fraction.len() > NONCE_DIGITS_MAX {
            return Err(NonceError);
        }
        let words = packed(integer.iter().chain(fraction).enumerate())?;
        Ok(Self { integer_digits: u8::try_from(integer.len()).map_err(|_| NonceError)?, words })
    }

    /// Reads a number with an exponent, as some languages write large ones: `1.7e+18`. It moves the point and never
    /// writes out the zeros, so that a large exponent costs nothing.
    #[cold]
    fn scaled(text: &[u8]) -> Result<Self, NonceError> {
        let at = text.iter().position(|byte| matches!(byte, b'e' | b'E')).ok_or(NonceError)?;
        let (mantissa, exponent) = text.split_at(at);
        let exponent = exponent.get(1..).and_then(|digits| str::from_utf8(digits).ok()).ok_or(NonceError)?;
        let exponent: i16 = exponent.parse().map_err(|_| NonceError)?;
        let (integer, fraction) = split_point(mantissa)?;
        let digits = integer.iter().chain(fraction);
        let leading = digits.clone().take_while(|byte| **byte == b'0').count();
        if leading == integer.len() + fraction.len() {
            return Ok(Self::default());
        }
        // The number of digits before the point; if negative, the number of zeros after it.
        let signed = |count: usize| i32::try_from(count).map_err(|_| NonceError);
        let whole = signed(integer.len())? - signed(leading)? + i32::from(exponent);
        let integer_digits = u8::try_from(whole.max(0)).map_err(|_| NonceError)?;
        let zeros = usize::try_from(-whole.min(0)).map_err(|_| NonceError)?;
        if usize::from(integer_digits) > NONCE_DIGITS_MAX {
            return Err(NonceError);
        }
        Ok(Self { integer_digits, words: packed((zeros..).zip(digits.skip(leading)))? })
    }

    /// The time-based nonce of a moment: seconds, with the fraction after the point (SES-008).
    pub fn at(time: Time) -> Self {
        // As many digits as the last representable moment has; six of them are fractions of a second.
        let mut text = *b"00000000000000.000000";
        let mut left = time.0;
        for place in text.iter_mut().rev().filter(|place| **place != b'.') {
            *place += u8::try_from(left % 10).unwrap_or_default();
            left /= 10;
        }
        Self::parse(&text).unwrap_or_default()
    }

    /// A whole number as a nonce.
    pub fn number(number: u64) -> Self {
        // As many digits as the largest number has.
        let mut text = *b"00000000000000000000";
        let mut left = number;
        for place in text.iter_mut().rev() {
            *place += u8::try_from(left % 10).unwrap_or_default();
            left /= 10;
        }
        Self::parse(&text).unwrap_or_default()
    }

    /// A copy, word by word: the compiler then keeps an event that contains it in registers until it is written.
    #[inline]
    #[must_use]
    pub fn by_words(&self) -> Self {
        let [a, b, c, d] = self.words;
        Self { integer_digits: self.integer_digits, words: [a, b, c, d] }
    }

    /// Bytes up to the last one with a non-zero digit, two digits per byte.
    #[inline]
    fn digit_bytes(&self) -> usize {
        let [first, rest @ ..] = &self.words;
        // Nearly all nonces fit the first word.
        if *rest == [0; 3] {
            return used_bytes(*first);
        }
        let last = rest.iter().rposition(|word| *word != 0).unwrap_or_default();
        (last + 1) * size_of::<u64>() + rest.get(last).map_or(0, |word| used_bytes(*word))
    }

    #[cold]
    fn put_words(&self, out: &mut Vec<u8>) {
        let count = self.words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        let used = self.words.get(..count).unwrap_or_default();
        [self.integer_digits, u8::try_from(count).unwrap_or_default()].put(out);
        for word in used {
            word.put(out);
        }
    }

    /// All digits folded into one word: two nonces of a session collide only with probability 2^-64.
    #[inline]
    pub fn digest(&self) -> u64 {
        let start = u64::from(self.integer_digits).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let fold = |hash: u64, word: &u64| {
            let product = (hash ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
            product ^ product >> 32
        };
        let [first, rest @ ..] = &self.words;
        let hash = fold(start, first);
        // Nearly all nonces fit the first word.
        if *rest == [0; 3] { hash } else { rest.iter().fold(hash, fold) }
    }
}

/// The parts before and after the point. The part before must not be empty, nor the part after if there is a point.
#[inline]
fn split_point(text: &[u8]) -> Result<(&[u8], &[u8]), NonceError> {
    let point = text.iter().position(|byte| *byte == b'.').unwrap_or(text.len());
    let (integer, fraction) = text.split_at(point);
    let fraction = fraction.get(1..).unwrap_or_default();
    let is_bare = integer.is_empty() || (point < text.len() && fraction.is_empty());
    if is_bare { Err(NonceError) } else { Ok((integer, fraction)) }
}

/// Digits at their positions, as binary-coded words.
#[inline]
fn packed<'a>(
    digits: impl Iterator<Item = (usize, &'a u8)>,
) -> Result<[u64; NONCE_DIGITS_MAX / WORD_DIGITS], NonceError> {
    let mut words = [0; NONCE_DIGITS_MAX / WORD_DIGITS];
    for (at, byte) in digits {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10).ok_or(NonceError)?;
        let word = words.get_mut(at / WORD_DIGITS).ok_or(NonceError)?;
        *word |= u64::from(digit) << (4 * (WORD_DIGITS - 1 - at % WORD_DIGITS));
    }
    Ok(words)
}

/// Stored as the count of integer digits and the digits up to the last non-zero one, two per byte. Compact, because a
/// snapshot has several per session.
impl Serialize for Nonce {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = [0; BYTES_MAX];
        if let Some((first, digits)) = bytes.split_first_mut() {
            *first = self.integer_digits;
            let (places, _) = digits.as_chunks_mut();
            for (place, word) in places.iter_mut().zip(self.words) {
                *place = word.to_be_bytes();
            }
        }
        serializer.serialize_bytes(bytes.get(..=self.digit_bytes()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Nonce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Stored)
    }
}

/// Decodes what [`Nonce::serialize`] writes, and nothing else.
struct Stored;

impl Visitor<'_> for Stored {
    type Value = Nonce;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1 to {BYTES_MAX} bytes of a nonce")
    }

    fn visit_bytes<E: Error>(self, stored: &[u8]) -> Result<Nonce, E> {
        let wrong = || E::invalid_length(stored.len(), &self);
        let (first, digits) = stored.split_first().ok_or_else(wrong)?;
        let mut bytes = [0; NONCE_DIGITS_MAX / 2];
        bytes.get_mut(..digits.len()).ok_or_else(wrong)?.copy_from_slice(digits);
        let mut words = [0; NONCE_DIGITS_MAX / WORD_DIGITS];
        for (word, place) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_be_bytes(*place);
        }
        // A nonce has one encoding: no zeros at its end.
        if digits.last() == Some(&0) { Err(wrong()) } else { Ok(Nonce { integer_digits: *first, words }) }
    }
}

/// In a frame: the count of integer digits, the number of words, and the words up to the last non-zero one.
impl Record for Nonce {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let [first, rest @ ..] = &self.words;
        // Nearly all nonces fit the first word.
        if *rest == [0; 3] && *first != 0 {
            [self.integer_digits, 1].put(out);
            first.put(out);
        } else {
            self.put_words(out);
        }
    }

    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let [integer_digits, count] = Record::take(bytes)?;
        let mut words = [0; NONCE_DIGITS_MAX / WORD_DIGITS];
        let used = words.get_mut(..usize::from(count))?;
        for word in used.iter_mut() {
            *word = Record::take(bytes)?;
        }
        // A nonce has one encoding.
        if used.last() == Some(&0) { None } else { Some(Self { integer_digits, words }) }
    }
}

/// Bytes of a word, most significant first, up to the last non-zero one.
#[expect(clippy::as_conversions, reason = "at most 64")]
#[inline]
fn used_bytes(word: u64) -> usize {
    size_of::<u64>() - (word.trailing_zeros() / u8::BITS) as usize
}

impl core::fmt::Debug for Nonce {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Nonce({}:{:016x?})", self.integer_digits, self.words)
    }
}

/// All digits, with a point if there is a fraction.
impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let integer_digits = usize::from(self.integer_digits);
        if integer_digits == 0 {
            f.write_str("0")?;
        }
        let [first, second, third, last] = self.words;
        let digits = alloc::format!("{first:016x}{second:016x}{third:016x}{last:016x}");
        let (integer, fraction) = digits.split_at(integer_digits);
        f.write_str(integer)?;
        match fraction.trim_end_matches('0') {
            "" => Ok(()),
            fraction => write!(f, ".{fraction}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn nonce(text: &str) -> Nonce {
        Nonce::parse(text.as_bytes()).unwrap()
    }

    /// A number is the nonce that its digits spell.
    #[test]
    fn numbers_are_nonces() {
        for number in [0, 1, 10, 907, u64::MAX] {
            assert_eq!(Nonce::number(number), nonce(&format!("{number}")));
        }
    }

    /// Proves SES-005.
    #[test]
    fn compares_numbers_not_texts() {
        assert!(nonce("10") > nonce("9"));
        assert!(nonce("1700000000.12") > nonce("1700000000.1"));
        assert!(nonce("1700000000.12") < nonce("1700000001"));
        assert_eq!(nonce("007"), nonce("7"));
        assert_eq!(nonce("7.50"), nonce("7.5"));
        assert!(nonce("18446744073709551616") > nonce("18446744073709551615"));
        assert!(nonce("0.5") > Nonce::default());
        assert!(
            nonce("99999999999999999999999999999999999999")
                < nonce("100000000000000000000000000000000000000")
        );
    }

    /// The displayed text parses to the same nonce and is as short as possible.
    #[test]
    fn shows_its_digits() {
        let most = "9".repeat(NONCE_DIGITS_MAX);
        let behind = format!("0.{}1", "0".repeat(NONCE_DIGITS_MAX - 1));
        for (text, shown) in [
            ("0", "0"),
            ("007", "7"),
            ("7.50", "7.5"),
            ("0.0005", "0.0005"),
            ("1000", "1000"),
            ("1700000000.12", "1700000000.12"),
            ("1.763786227123456e+18", "1763786227123456000"),
            (&most, &most),
            (&behind, &behind),
        ] {
            assert_eq!(format!("{}", nonce(text)), shown);
        }
    }

    /// Proves SES-008.
    #[test]
    fn a_moment_is_its_seconds_to_the_microsecond() {
        for (micros, text) in [
            (0, "0"),
            (1, "0.000001"),
            (30_000_000, "30"),
            (1_700_000_000_900_000, "1700000000.9"),
            (1_767_225_600_123_456, "1767225600.123456"),
            (u64::MAX, "18446744073709.551615"),
        ] {
            assert_eq!(Nonce::at(Time(micros)), nonce(text), "{micros}");
        }
    }

    /// Proves SES-005.
    #[test]
    fn refuses_what_is_no_number() {
        let many = [b'1'; 65];
        assert_eq!(Nonce::parse(&many), Err(NonceError));
        for text in ["", "-1", "+1", "abc", "1.", ".5", "1.2.3", "0x1", " 1"] {
            assert_eq!(Nonce::parse(text.as_bytes()), Err(NonceError), "{text:?}");
        }
    }

    /// Proves SES-005.
    #[test]
    fn an_exponent_moves_the_point() {
        for (text, plain) in [
            ("1e9", "1000000000"),
            ("1.763786227123456e+18", "1763786227123456000"),
            ("1.8E40", "18000000000000000000000000000000000000000"),
            ("1763786227.25e3", "1763786227250"),
            ("12345e-2", "123.45"),
            ("5e-1", "0.5"),
            ("0.05e1", "0.5"),
            ("5e-4", "0.0005"),
            ("0012.50e0", "12.5"),
            ("7e-0007", "0.0000007"),
            ("0e5", "0"),
            ("0.00e-99", "0"),
        ] {
            assert_eq!(nonce(text), nonce(plain), "{text}");
        }
        let most = format!("1{}", "0".repeat(NONCE_DIGITS_MAX - 1));
        assert_eq!(nonce("1e63"), nonce(&most));
        assert!(nonce("1e-64") > Nonce::default() && nonce("1e-64") < nonce("1e-63"));
        let (long, zeros) = (format!("{}e1", "9".repeat(64)), format!("{}e-30000", "0".repeat(40_000)));
        assert_eq!(nonce(&zeros), Nonce::default());
        for text in [
            "e",
            "1e",
            "e1",
            "1e+",
            "1e-",
            "1e+-1",
            "1e1.5",
            "1e1e1",
            "1.e5",
            ".5e1",
            "-1e5",
            "+1e5",
            "1e 5",
            "1e5 ",
            "1ee5",
            "1x0e5",
            "1e64",
            "1e-65",
            "12e-65",
            "1e999999999",
            "1e-999999999",
            &long,
        ] {
            assert_eq!(Nonce::parse(text.as_bytes()), Err(NonceError), "{text:?}");
        }
    }

    /// Every nonce has exactly one stored form, and no other is accepted.
    #[test]
    fn is_stored_in_one_form() {
        let stored = |nonce: Nonce| postcard::to_allocvec(&nonce).unwrap();
        let texts = [
            "0",
            "7",
            "10",
            "0.5",
            "1700000000123",
            "1234567890123456",
            "12345678901234567",
            "1700000000.25",
        ];
        let longest = "9".repeat(NONCE_DIGITS_MAX);
        for text in texts.into_iter().chain([longest.as_str()]) {
            let bytes = stored(nonce(text));
            assert_eq!(postcard::from_bytes(&bytes), Ok(nonce(text)), "{text}");
        }
        assert_eq!(stored(nonce("1700000000123")), [8, 13, 0x17, 0, 0, 0, 0, 0x12, 0x30]);
        assert_eq!(stored(nonce("12345678901234567")).len(), 1 + 1 + 9);
        assert_eq!(stored(nonce("0")), [1, 0]);
        let zeros_behind: &[u8] = &[3, 1, 0x70, 0];
        let too_long = [&[34, 64], [0x11; 33].as_slice()].concat();
        for bytes in [&[0], zeros_behind, &too_long] {
            assert!(postcard::from_bytes::<Nonce>(bytes).is_err(), "{bytes:?}");
        }
    }
}
