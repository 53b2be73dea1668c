//! Numbers of a seed (splitmix64), for whoever makes histories.

/// A seed's numbers, one after the other.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// From the first number on.
    pub fn of_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// Evenly from 0 to `end`, which is not among them.
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

    /// One of several.
    ///
    /// # Panics
    /// There must be one.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        let count = u64::try_from(from.len()).expect("a slice has a length");
        let at = usize::try_from(self.below(count)).expect("a place in a slice");
        from.get(at).expect("one of several").clone()
    }
}
