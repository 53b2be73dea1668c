//! The counts of a run: how often each operation answered with each status and reason.

use crate::contract::Operation;
use crate::judge::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// The counts of a run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    seen: BTreeMap<(usize, Verdict), u64>,
    pub(crate) calls: u64,
    /// Connections that broke while the process lived.
    pub(crate) broken: u64,
    pub(crate) restarts: u64,
}

impl Tally {
    /// Counts an answer; whether nothing like it was seen before.
    pub(crate) fn count(&mut self, operation: usize, verdict: Verdict) -> bool {
        let count = self.seen.entry((operation, verdict)).or_default();
        *count += 1;
        *count == 1
    }

    /// The report of a run.
    pub(crate) fn report(&self, operations: &[Operation], drawn: usize) -> String {
        let reached: BTreeSet<usize> = self.seen.keys().map(|(operation, _)| *operation).collect();
        let done = self.seen.keys().filter(|(_, verdict)| matches!(verdict.status, 200 | 201));
        let done: BTreeSet<usize> = done.map(|(operation, _)| *operation).collect();
        let mut statuses: BTreeMap<u16, u64> = BTreeMap::new();
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        for ((_, verdict), count) in &self.seen {
            *statuses.entry(verdict.status).or_default() += count;
            if !verdict.reason.is_empty() {
                *reasons.entry(&verdict.reason).or_default() += count;
            }
        }
        let never: Vec<String> = reached
            .difference(&done)
            .filter_map(|place| operations.get(*place))
            .map(Operation::name)
            .collect();
        let Self { calls, broken, restarts, .. } = self;
        format!(
            "{calls} calls, {restarts} restarts after a kill, {broken} connections that the exchange closed\n\
             {} of {drawn} operations reached, {} of them with a 200; never with one: {}\n\
             {} kinds of answers; statuses {statuses:?}\nreasons {reasons:?}",
            reached.len(),
            done.len(),
            if never.is_empty() { "none".to_owned() } else { never.join(", ") },
            self.seen.len(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_new_once() {
        let mut tally = Tally::default();
        let verdict = |status, reason: &str| Verdict { status, reason: reason.to_owned() };
        assert!(tally.count(1, verdict(200, "")) && !tally.count(1, verdict(200, "")));
        assert!(tally.count(2, verdict(400, "A")) && tally.count(2, verdict(400, "B")));
        let report = tally.report(&[], 5);
        assert!(report.contains("2 of 5 operations") && report.contains("{200: 2, 400: 2}"), "{report}");
    }
}
