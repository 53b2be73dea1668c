//! Histograms of times and sizes, with fixed bounds.

use crate::counts::Counts;
use crate::page::Page;
use std::time::Duration;

/// The unit of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds, which are shown as seconds.
    Seconds,
    /// A plain number.
    Number,
}

/// The bounds of times: from a microsecond to ten seconds.
const TIMES: &[u64] = &[
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
    2_000_000_000,
    5_000_000_000,
    10_000_000_000,
];
/// The bounds of numbers: powers of two up to the largest batch.
const NUMBERS: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096];
/// Buckets of a tally: one for each bound, and one for what is above.
const BUCKETS: usize = TIMES.len() + 1;

impl Unit {
    fn bounds(self) -> &'static [u64] {
        match self {
            Self::Seconds => TIMES,
            Self::Number => NUMBERS,
        }
    }

    /// The bucket of a value.
    fn bucket(self, value: u64) -> usize {
        self.bounds().partition_point(|bound| *bound < value)
    }
}

/// A histogram that any thread may add to.
#[derive(Debug)]
pub struct Histogram {
    unit: Unit,
    /// The buckets, then the sum of the values.
    counts: Counts,
}

/// Observations of one thread before they join a histogram: many of them cost one addition.
#[derive(Clone, Debug)]
pub struct Tally {
    unit: Unit,
    buckets: [u64; BUCKETS],
    sum: u64,
}

impl Tally {
    /// No observation.
    pub fn new(unit: Unit) -> Self {
        Self { unit, buckets: [0; BUCKETS], sum: 0 }
    }

    /// Adds a value that was observed `times` times.
    pub fn add(&mut self, value: u64, times: u64) {
        if let Some(bucket) = self.buckets.get_mut(self.unit.bucket(value)) {
            *bucket += times;
        }
        self.sum = self.sum.wrapping_add(value.wrapping_mul(times));
    }

    /// Adds a time that was observed `times` times.
    pub fn add_time(&mut self, time: Duration, times: u64) {
        self.add(nanos(time), times);
    }

    /// The values that were added since an earlier reading of the same histogram.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut buckets = self.buckets;
        for (bucket, before) in buckets.iter_mut().zip(earlier.buckets) {
            *bucket = bucket.saturating_sub(before);
        }
        Self { unit: self.unit, buckets, sum: self.sum.wrapping_sub(earlier.sum) }
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, bucket| sum.saturating_add(*bucket))
    }

    /// A bound that this many of a hundred values do not exceed, in the histogram's unit; none without a value. Of what is above all
    /// bounds it is the highest one.
    pub fn quantile(&self, per_cent: u64) -> Option<u64> {
        let count = self.count();
        let wanted = count.saturating_mul(per_cent).div_ceil(100).max(1);
        let mut seen = 0u64;
        let is_reached = |bucket: &u64| {
            seen = seen.saturating_add(*bucket);
            seen >= wanted
        };
        let bucket = self.buckets.iter().position(is_reached).filter(|_| count > 0)?;
        let bounds = self.unit.bounds();
        bounds.get(bucket).or(bounds.last()).copied()
    }
}

impl Histogram {
    /// An empty histogram.
    pub fn new(unit: Unit) -> Self {
        Self { unit, counts: Counts::new(BUCKETS + 1) }
    }

    /// Adds a value.
    pub fn observe(&self, value: u64) {
        self.counts.add(self.unit.bucket(value), 1);
        self.counts.add(BUCKETS, value);
    }

    /// Adds a time.
    pub fn observe_time(&self, time: Duration) {
        self.observe(nanos(time));
    }

    /// Adds a thread's observations.
    pub fn join(&self, tally: &Tally) {
        for (bucket, count) in tally.buckets.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.counts.add(bucket, *count);
        }
        self.counts.add(BUCKETS, tally.sum);
    }

    /// All values so far.
    pub fn tally(&self) -> Tally {
        let buckets = std::array::from_fn(|bucket| self.counts.get(bucket));
        Tally { unit: self.unit, buckets, sum: self.counts.get(BUCKETS) }
    }

    /// Writes its samples under a name, with these labels in each.
    pub fn write(&self, name: &str, labels: &[(&str, &str)], page: &mut Page) {
        let shown = |value: u64| match self.unit {
            Unit::Seconds => seconds(value),
            Unit::Number => value.to_string(),
        };
        let mut count = 0u64;
        let mut bucket = |bound: &str, more: u64| {
            count = count.wrapping_add(more);
            let labels = [labels, &[("le", bound)]].concat();
            page.sample(&format!("{name}_bucket"), &labels, count);
        };
        for (number, bound) in self.unit.bounds().iter().enumerate() {
            bucket(&shown(*bound), self.counts.get(number));
        }
        bucket("+Inf", self.counts.get(self.unit.bounds().len()));
        page.sample(&format!("{name}_sum"), labels, shown(self.counts.get(BUCKETS)));
        page.sample(&format!("{name}_count"), labels, count);
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds as a decimal of seconds.
pub(crate) fn seconds(nanos: u64) -> String {
    let text = format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Kind;

    /// Buckets are cumulative and include their bound, and a tally adds the same as single observations.
    #[test]
    fn buckets_are_cumulative() {
        let text = |histogram: &Histogram| {
            let mut page = Page::default();
            page.family("batch", Kind::Histogram, "Commands.");
            histogram.write("batch", &[("of", "x")], &mut page);
            page.finish()
        };
        let (single, joined) = (Histogram::new(Unit::Number), Histogram::new(Unit::Number));
        let mut tally = Tally::new(Unit::Number);
        for value in [1, 2, 3, 3, 4_096, 5_000] {
            single.observe(value);
            tally.add(value, 1);
        }
        joined.join(&tally);
        let written = text(&single);
        assert_eq!(written, text(&joined));
        for line in [
            "batch_bucket{of=\"x\",le=\"1\"} 1\n",
            "batch_bucket{of=\"x\",le=\"2\"} 2\n",
            "batch_bucket{of=\"x\",le=\"4\"} 4\n",
            "batch_bucket{of=\"x\",le=\"4096\"} 5\n",
            "batch_bucket{of=\"x\",le=\"+Inf\"} 6\n",
            "batch_sum{of=\"x\"} 9105\n",
            "batch_count{of=\"x\"} 6\n",
        ] {
            assert!(written.contains(line), "{line}{written}");
        }
    }

    /// A quantile is the bound of its bucket, and a difference has only what came later.
    #[test]
    fn quantiles_are_bounds() {
        let histogram = Histogram::new(Unit::Number);
        assert_eq!(histogram.tally().quantile(50), None);
        for value in 1..=100 {
            histogram.observe(value);
        }
        let first = histogram.tally();
        assert_eq!(
            [0, 1, 50, 64, 65, 99, 100].map(|part| first.quantile(part)),
            [1, 1, 64, 64, 128, 128, 128].map(Some)
        );
        histogram.observe(1_000_000);
        let later = histogram.tally().since(&first);
        assert_eq!((later.count(), later.quantile(50)), (1, Some(4_096)), "the highest bound");
    }

    /// Times are decimals of seconds.
    #[test]
    fn times_are_seconds() {
        for (nanos, shown) in [
            (0, "0"),
            (1, "0.000000001"),
            (20_000, "0.00002"),
            (1_500_000_000, "1.5"),
            (10_000_000_000, "10"),
        ] {
            assert_eq!(seconds(nanos), shown);
        }
    }
}
