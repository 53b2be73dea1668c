//! Random numbers, reproducible from a seed or from given bytes.

/// The source of random numbers.
#[derive(Clone)]
enum Source {
    /// One seed (splitmix64).
    Seed(u64),
    /// Given bytes from last to first, then zeros.
    Bytes(Vec<u8>),
}

/// Random numbers from a seed or from given bytes.
#[derive(Clone)]
pub struct Dice(Source);

impl Dice {
    /// The numbers of a seed.
    pub fn seeded(seed: u64) -> Self {
        Self(Source::Seed(seed))
    }

    /// Numbers from bytes. Each number takes only as many bytes as its range needs, so that a changed byte changes
    /// one choice and leaves the later ones.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Source::Bytes(bytes.iter().rev().copied().collect()))
    }

    /// Whether the given bytes are used up; a seed never is.
    pub fn is_spent(&self) -> bool {
        matches!(&self.0, Source::Bytes(bytes) if bytes.is_empty())
    }

    /// A uniform number from a range of at least `end`.
    fn draw(&mut self, end: u64) -> u64 {
        match &mut self.0 {
            Source::Seed(seed) => {
                *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mut word = *seed;
                word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                word ^ (word >> 31)
            }
            Source::Bytes(bytes) => {
                let width = (u64::BITS - (end - 1).leading_zeros()).div_ceil(8);
                (0..width).fold(0, |word, _| word << 8 | u64::from(bytes.pop().unwrap_or(0)))
            }
        }
    }

    /// A number from 0 up to but not including `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw(end) % end
    }

    /// One of several values.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let at = self.below(u64::try_from(from.len()).unwrap());
        from[usize::try_from(at).unwrap()]
    }

    /// Once in `of` times.
    pub fn once_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_drawn_one_choice_at_a_time() {
        let mut dice = Dice::of_bytes(&[7, 1, 2, 3]);
        assert_eq!(dice.below(1), 0, "no choice, no byte");
        assert_eq!(dice.below(5), 2);
        assert_eq!(dice.below(1000), 0x0102);
        assert!(!dice.is_spent());
        assert_eq!(dice.below(256), 3);
        assert!(dice.is_spent());
        assert_eq!(dice.below(9), 0);
    }
}
