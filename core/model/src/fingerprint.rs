//! Fingerprints of tables: which values the rows of a table had, and in which order they got them.
//!
//! A table on which money depends adds each row to its fingerprint right after it has changed. A replay that reaches the same value went
//! through the same rows, so an event that is applied differently is found at the end of its batch. The values are part of the journal's
//! format: a row's name and words never change, and a later field is added only where it is set.

use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

/// An odd constant with well-spread bits (2^64 ÷ golden ratio).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// One step of a hash.
const fn step(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(SPREAD).rotate_left(29)
}

/// The chain of a table's rows; zero while none was added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Adds a row, as it is after its change.
    pub const fn add(&mut self, row: RowHash) {
        self.0 = step(self.0, row.0);
    }

    /// Its part in the sum over several tables: another one under each name, and zero for a table that never had a row.
    pub const fn part(self, name: &str) -> u64 {
        self.0.wrapping_mul(RowHash::of(name).0 | 1)
    }
}

/// The hash of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowHash(u64);

impl RowHash {
    /// A row of this name, before its words. Make it a constant.
    pub const fn of(name: &str) -> Self {
        Self(SPREAD).text(name)
    }

    /// With a number: an id, a time, a count, a code.
    #[must_use]
    pub const fn word(self, word: u64) -> Self {
        Self(step(self.0, word))
    }

    /// With a number that may be missing.
    #[must_use]
    pub const fn option(self, word: Option<u64>) -> Self {
        match word {
            None => self.word(0),
            Some(word) => self.word(1).word(word),
        }
    }

    /// With the length of a list.
    #[must_use]
    pub const fn count(self, len: usize) -> Self {
        self.word(wide(len))
    }

    /// With an amount, all of its bits.
    #[must_use]
    pub const fn money(self, amount: Money) -> Self {
        let [low, high] = halves(amount.units());
        self.word(low).word(high)
    }

    /// With a text, its length first.
    #[must_use]
    pub const fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// With bytes, their number first.
    #[must_use]
    pub const fn bytes(self, mut bytes: &[u8]) -> Self {
        let mut hash = self.count(bytes.len());
        while let Some((chunk, rest)) = bytes.split_first_chunk::<8>() {
            hash = hash.word(u64::from_le_bytes(*chunk));
            bytes = rest;
        }
        let mut last = 0;
        while let Some((byte, rest)) = bytes.split_last() {
            last = last << 8 | wide_byte(*byte);
            bytes = rest;
        }
        hash.word(last)
    }
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "each word takes its half"
)]
const fn halves(units: i128) -> [u64; 2] {
    [units as u64, (units >> 64) as u64]
}

#[expect(clippy::as_conversions, reason = "memory is addressed with at most 64 bits")]
const fn wide(len: usize) -> u64 {
    len as u64
}

#[expect(clippy::as_conversions, reason = "a constant function; it loses nothing")]
const fn wide_byte(byte: u8) -> u64 {
    byte as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: RowHash = RowHash::of("row");

    fn chained(rows: &[RowHash]) -> Fingerprint {
        let mut chain = Fingerprint::default();
        for row in rows {
            chain.add(*row);
        }
        chain
    }

    fn money(units: i128) -> RowHash {
        ROW.money(Money::from_units(units))
    }

    /// Another value, order, name or boundary between texts gives another hash.
    #[test]
    fn rows_are_told_apart() {
        let [one, two] = [ROW.word(1), ROW.word(2)];
        assert_ne!(chained(&[one, two]), chained(&[two, one]));
        assert_ne!(chained(&[one]), chained(&[one, one]));
        assert_ne!(one, RowHash::of("other").word(1));
        for (left, right) in [(1, -1), (0, -1), (1, 1 << 64), (-1, -2), (2, -3)] {
            assert_ne!(money(left), money(right));
        }
        assert_ne!(ROW.text("ab").text("c"), ROW.text("a").text("bc"));
        assert_ne!(ROW.text("a"), ROW.text("a\0"));
        assert_ne!(ROW.option(None), ROW.option(Some(0)));
        for length in 0..20 {
            assert_ne!(ROW.bytes(&[1; 32][..length]), ROW.bytes(&[1; 32][..=length]));
        }
    }

    /// A table without rows adds nothing to the sum; the same rows in two tables do not cancel each other.
    #[test]
    fn an_empty_table_adds_nothing() {
        assert_eq!(chained(&[]).part("a"), 0);
        assert_ne!(chained(&[ROW]).part("a"), chained(&[ROW]).part("b"));
    }

    /// Every batch of a journal holds these hashes: with another computation, older journals could not be replayed.
    #[test]
    fn the_hash_is_part_of_the_format() {
        let row = ROW.word(7).money(Money::from_units(-3)).text("ab").bytes(&[0; 9]);
        assert_eq!(chained(&[row, ROW]), Fingerprint(7_905_063_939_585_510_989));
        assert_eq!(Fingerprint(5).part("perp"), 7_695_893_659_209_858_937);
    }
}
