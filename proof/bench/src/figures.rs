//! Percentiles, medians, geometric means.

/// Counts of values by size; exact up to its limit.
pub(crate) struct Histogram {
    counts: Vec<u32>,
    worst: u64,
    total: u64,
}

impl Histogram {
    /// Values from 0 to `limit`; larger ones count as `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        Self { counts: vec![0; limit + 1], worst: 0, total: 0 }
    }

    #[inline]
    pub(crate) fn add(&mut self, value: u64) {
        self.worst = self.worst.max(value);
        self.total += 1;
        let at = (value as usize).min(self.counts.len() - 1);
        self.counts[at] += 1;
    }

    /// The value that this share of all values does not exceed.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let wanted = (self.total as f64 * share) as u64;
        let mut sum = 0;
        for (value, count) in self.counts.iter().enumerate() {
            sum += u64::from(*count);
            if sum > wanted {
                return value as f64;
            }
        }
        self.worst as f64
    }

    pub(crate) fn worst(&self) -> f64 {
        self.worst as f64
    }
}

/// Figures of repeated measurements: the median and the range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) n: usize,
}

impl Spread {
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let n = values.len();
        assert!(n > 0, "a spread is of something");
        let median = if n % 2 == 1 { values[n / 2] } else { f64::midpoint(values[n / 2 - 1], values[n / 2]) };
        Self { median, least: values[0], most: values[n - 1], n }
    }
}

/// The value at a share of a sorted list.
pub(crate) fn quantile(sorted: &[u64], share: f64) -> u64 {
    let at = (sorted.len() as f64 * share) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0)
}

/// The geometric mean.
pub(crate) fn geomean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}
