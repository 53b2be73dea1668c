//! Codes of 8 upper-case letters and digits, which stand for the numbers of a counter.
//!
//! A code is a keyed permutation of its number, so no two numbers have the same, no table of used codes is needed, and without the key a code
//! says nothing about any other. The permutation is a Feistel network over two halves of four characters, added instead of combined by
//! exclusive or, since 36⁴ is no power of two; its round function is SipHash-2-4.

use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher24;

const LETTERS: &[u8; 36] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// Values of four characters.
const HALF: u64 = 36_u64.pow(4);
/// Twice the five from which on many values of such a network do not show that it is no random permutation (Patarin, "Security of Random
/// Feistel Schemes with 5 or More Rounds", 2004).
const ROUNDS: u8 = 10;

/// A code of 8 upper-case letters and digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Code([u8; 8]);

/// A text is no [`Code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoCode;

impl Code {
    /// Its characters.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Its characters as one number, for rows of numbers.
    pub const fn to_bits(self) -> u64 {
        u64::from_le_bytes(self.0)
    }

    /// The code of such a number.
    pub fn from_bits(bits: u64) -> Option<Self> {
        core::str::from_utf8(&bits.to_le_bytes()).ok()?.parse().ok()
    }
}

impl FromStr for Code {
    type Err = NoCode;

    fn from_str(text: &str) -> Result<Self, NoCode> {
        let bytes = <[u8; 8]>::try_from(text.as_bytes()).map_err(|_| NoCode)?;
        if bytes.iter().all(|byte| LETTERS.contains(byte)) { Ok(Self(bytes)) } else { Err(NoCode) }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The codes of one counter.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Codes {
    key: [u8; 16],
}

/// The key is a secret: all codes follow from it.
impl fmt::Debug for Codes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Codes")
    }
}

impl Codes {
    /// Numbers that have a code: those below this one.
    pub const END: u64 = HALF * HALF;

    /// The codes of a key.
    pub const fn of(key: [u8; 16]) -> Self {
        Self { key }
    }

    /// The code of a number. Numbers from [`Codes::END`] on have those of smaller ones.
    pub fn code(&self, number: u64) -> Code {
        let number = number % Self::END;
        let (mut left, mut right) = (number / HALF, number % HALF);
        for round in 0..ROUNDS {
            (left, right) = (right, (left + self.mixed(round, right)) % HALF);
        }
        Code::of_halves(left, right)
    }

    /// The number of a code.
    pub fn number(&self, code: Code) -> u64 {
        let (mut left, mut right) = code.halves();
        for round in (0..ROUNDS).rev() {
            (left, right) = ((right + HALF - self.mixed(round, left)) % HALF, left);
        }
        left * HALF + right
    }

    fn mixed(&self, round: u8, half: u64) -> u64 {
        let [a, b, c, d, ..] = half.to_le_bytes();
        SipHasher24::new_with_key(&self.key).hash(&[round, a, b, c, d]) % HALF
    }
}

impl Code {
    fn of_halves(left: u64, right: u64) -> Self {
        let mut rest = left * HALF + right;
        Self(core::array::from_fn(|_| {
            let letter = usize::try_from(rest % 36).ok().and_then(|place| LETTERS.get(place));
            rest /= 36;
            letter.copied().unwrap_or_default()
        }))
    }

    fn halves(self) -> (u64, u64) {
        let place = |letter: u8| LETTERS.iter().position(|known| *known == letter).unwrap_or_default();
        let places = self.0.iter().rev().map(|letter| u64::try_from(place(*letter)).unwrap_or_default());
        let whole = places.fold(0, |sum, place| sum * 36 + place);
        (whole / HALF, whole % HALF)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::string::ToString;

    #[test]
    fn a_code_stands_for_one_number() {
        let codes = Codes::of([7; 16]);
        let numbers = (0..3_000).chain([HALF - 1, HALF, Codes::END - 1]);
        let seen: BTreeSet<Code> = numbers
            .clone()
            .map(|number| {
                let code = codes.code(number);
                assert_eq!(codes.number(code), number);
                assert_eq!(code.to_string().parse(), Ok(code));
                assert_eq!(Code::from_bits(code.to_bits()), Some(code));
                code
            })
            .collect();
        assert_eq!(seen.len(), numbers.count());
    }

    /// A code is for ever, also in later builds; another key gives others.
    #[test]
    fn codes_never_change() {
        let codes = Codes::of([7; 16]);
        assert_eq!([codes.code(0), codes.code(1)].map(|code| code.to_string()), ["0NURVGUX", "20TOQDT1"]);
        assert_ne!(Codes::of([8; 16]).code(0), codes.code(0));
    }

    #[test]
    fn other_texts_are_no_codes() {
        for text in ["", "ABCDEFG", "ABCDEFGHI", "abcdefgh", "ABCD EFG", "ABCDEFÄ"] {
            assert_eq!(text.parse::<Code>(), Err(NoCode), "{text}");
        }
        assert_eq!([Code::from_bits(0), Code::from_bits(u64::MAX)], [None, None]);
    }
}
