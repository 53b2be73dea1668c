//! The seed of all keys: in memory only, wiped when dropped, never printed.

use zeroize::Zeroizing;

/// The secret that all addresses and their keys are derived from.
#[derive(Clone)]
pub struct Seed(Zeroizing<Vec<u8>>);

/// The bytes are no seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seed has 32 or 64 bytes, and not {0}")]
pub struct SeedError(pub usize);

impl Seed {
    /// A seed of 32 random bytes, or of the 64 bytes that BIP-39 makes of a sentence of words. The bytes are copied.
    ///
    /// # Errors
    ///
    /// The length, if it is another.
    pub fn new(bytes: &[u8]) -> Result<Self, SeedError> {
        match bytes.len() {
            32 | 64 => Ok(Self(Zeroizing::new(bytes.to_vec()))),
            other => Err(SeedError(other)),
        }
    }

    /// A seed of any length, for the vectors of the standards.
    #[cfg(test)]
    pub(crate) fn raw(bytes: &[u8]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    pub(crate) fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl core::fmt::Debug for Seed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Seed(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_one_of_two_lengths() {
        for length in [0, 16, 31, 33, 63, 65] {
            assert_eq!(Seed::new(&vec![7; length]).err(), Some(SeedError(length)));
        }
        assert!(Seed::new(&[7; 32]).is_ok());
        assert!(Seed::new(&[7; 64]).is_ok());
    }

    #[test]
    fn debug_hides_the_bytes() {
        assert_eq!(format!("{:?}", Seed::new(&[7; 32]).unwrap()), "Seed(hidden)");
    }
}
