//! Random numbers from a seed (splitmix64), for generated histories.

/// A seeded sequence of numbers.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Starts at the first number of a seed.
    pub fn of_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// A uniform number from 0 up to but not including `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (word ^ (word >> 31)) % end
    }

    /// Once in `of` times.
    pub fn once_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }

    /// One of several values.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let count = u64::try_from(from.len()).expect("a slice has a length");
        let at = usize::try_from(self.below(count)).expect("a place in a slice");
        from.get(at).expect("one of several").clone()
    }
}
