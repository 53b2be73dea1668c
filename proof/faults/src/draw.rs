//! Random choices of a round: all are drawn from the round's seed, so a repetition makes the same choices.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of choices.
#[derive(Clone, Debug)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0.random_range(low..=high)
    }

    /// True with this probability in percent.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.between(1, 100) <= percent
    }

    /// One of several values.
    pub fn pick<'a, T>(&mut self, some: &'a [T]) -> &'a T {
        let last = u64::try_from(some.len()).expect("a length is a number") - 1;
        &some[usize::try_from(self.between(0, last)).expect("an index is a number")]
    }

    /// An independent stream, for something that runs in parallel.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(ChaCha8Rng::seed_from_u64(self.between(0, u64::MAX)))
    }
}
