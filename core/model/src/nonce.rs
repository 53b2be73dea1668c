//! Nonces: non-negative decimals of any size up to 64 digits, compared exactly.
//!
//! Clauses: `SES-002`, `SES-005`; decision D-26.

use serde::{Deserialize, Serialize};

/// Digits of a nonce at most, those after a point included.
pub const NONCE_DIGITS_MAX: usize = 64;
/// Digits in a word.
const WORD_DIGITS: usize = 16;

/// A nonce in a form whose derived order is its numeric order: count of integer digits, then the digits.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Nonce {
    integer_digits: u8,
    /// Binary-coded digits, most significant first, zero-padded: trailing zeros of a fraction do not count.
    words: [u64; NONCE_DIGITS_MAX / WORD_DIGITS],
}

/// The text is no number, or longer than [`NONCE_DIGITS_MAX`] digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonceError;

impl Nonce {
    /// Reads digits with at most one point; leading zeros are tolerated, signs and exponents are not.
    ///
    /// # Errors
    /// [`NonceError`] when the text is no such number.
    pub fn parse(text: &[u8]) -> Result<Self, NonceError> {
        let point = text.iter().position(|byte| *byte == b'.').unwrap_or(text.len());
        let (integer, fraction) = text.split_at(point);
        let fraction = fraction.get(1..).unwrap_or_default();
        if integer.is_empty() || (point < text.len() && fraction.is_empty()) {
            return Err(NonceError);
        }
        let leading = integer.iter().position(|byte| *byte != b'0').unwrap_or(integer.len());
        let integer = integer.get(leading..).unwrap_or_default();
        if integer.len() + fraction.len() > NONCE_DIGITS_MAX {
            return Err(NonceError);
        }
        let mut words = [0; NONCE_DIGITS_MAX / WORD_DIGITS];
        for (at, byte) in integer.iter().chain(fraction).enumerate() {
            let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10).ok_or(NonceError)?;
            let word = words.get_mut(at / WORD_DIGITS).ok_or(NonceError)?;
            *word |= u64::from(digit) << (4 * (WORD_DIGITS - 1 - at % WORD_DIGITS));
        }
        Ok(Self { integer_digits: u8::try_from(integer.len()).map_err(|_| NonceError)?, words })
    }

    /// A copy, word by word: an event that is built around it then stays in registers until it is written.
    #[inline]
    #[must_use]
    pub fn by_words(&self) -> Self {
        let [a, b, c, d] = self.words;
        Self { integer_digits: self.integer_digits, words: [a, b, c, d] }
    }

    /// The whole part as a number, if it fits; time-based nonces are read this way (SES-008).
    pub fn whole(&self) -> Option<u64> {
        let digits =
            self.words.iter().flat_map(|word| (0..WORD_DIGITS).rev().map(move |at| word >> (4 * at) & 15));
        digits
            .take(usize::from(self.integer_digits))
            .try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(digit))
    }

    /// All digits folded into one word: two nonces of one session share it only by an accident of 2^-64.
    #[inline]
    pub fn digest(&self) -> u64 {
        let start = u64::from(self.integer_digits).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let fold = |hash: u64, word: &u64| {
            let product = (hash ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
            product ^ product >> 32
        };
        let [first, rest @ ..] = &self.words;
        let hash = fold(start, first);
        // Nearly every nonce ends with its first word.
        if *rest == [0; 3] { hash } else { rest.iter().fold(hash, fold) }
    }
}

impl core::fmt::Debug for Nonce {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Nonce({}:{:016x?})", self.integer_digits, self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nonce(text: &str) -> Nonce {
        Nonce::parse(text.as_bytes()).unwrap()
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
        assert_eq!(nonce("1700000000.99").whole(), Some(1_700_000_000));
    }

    /// Proves SES-005.
    #[test]
    fn refuses_what_is_no_number() {
        let many = [b'1'; 65];
        assert_eq!(Nonce::parse(&many), Err(NonceError));
        for text in ["", "-1", "+1", "1e9", "abc", "1.", ".5", "1.2.3", "0x1", " 1"] {
            assert_eq!(Nonce::parse(text.as_bytes()), Err(NonceError), "{text:?}");
        }
    }
}
