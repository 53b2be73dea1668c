//! A table of counters, with a copy for each thread so that threads do not wait for each other's cache lines.

use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Copies of a table. Threads beyond this number share one, which is correct and a little slower.
const COPIES: usize = 8;

thread_local! {
    static COPY: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed) % COPIES
    };
}

/// Counters, numbered from 0.
#[derive(Debug)]
pub struct Counts {
    copies: [CachePadded<Box<[AtomicU64]>>; COPIES],
}

impl Counts {
    /// `count` counters at 0.
    pub fn new(count: usize) -> Self {
        let copy = |_| CachePadded::new((0..count).map(|_| AtomicU64::new(0)).collect());
        Self { copies: std::array::from_fn(copy) }
    }

    /// Adds `more` to one counter; a number without a counter is ignored.
    pub fn add(&self, number: usize, more: u64) {
        let copy = self.copies.get(COPY.with(|copy| *copy));
        if let Some(counter) = copy.and_then(|copy| copy.get(number)) {
            counter.fetch_add(more, Ordering::Relaxed);
        }
    }

    /// The value of one counter.
    pub fn get(&self, number: usize) -> u64 {
        let cells = self.copies.iter().filter_map(|copy| copy.get(number));
        cells.map(|cell| cell.load(Ordering::Relaxed)).fold(0, u64::wrapping_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every count of every thread is in the sum, with more threads than copies too.
    #[test]
    fn threads_add_up() {
        let counts = Counts::new(3);
        std::thread::scope(|scope| {
            for _ in 0..3 * COPIES {
                scope.spawn(|| (0..1_000).for_each(|_| counts.add(1, 2)));
            }
        });
        counts.add(3, 1);
        assert_eq!([0, 1, 2, 3].map(|number| counts.get(number)), [0, 6_000 * 8, 0, 0]);
    }
}
