//! Results of auctions, and the indicative results published before them.
//!
//! Clauses: `AUCT-008`, `AUCT-009`.

use buttonwood_engine::Finding;
use buttonwood_model::{Stamp, SymbolId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Results kept per symbol; the oldest are dropped.
pub const RESULTS_KEPT: usize = 1_000;

/// The result of an auction, or an indicative one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuctionResult {
    /// Number of the auction; each symbol counts from 1.
    pub number: u64,
    /// Time and sequence of the command; the sequence is the number of the published event.
    pub stamp: Stamp,
    /// Whether the result is indicative.
    pub is_indicative: bool,
    /// The finding; without a price, the auction failed.
    pub finding: Finding,
}

/// Results of every symbol; part of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuctionResults {
    /// Oldest first.
    symbols: BTreeMap<SymbolId, VecDeque<AuctionResult>>,
}

impl AuctionResults {
    /// Keeps a result.
    pub(crate) fn push(&mut self, symbol: SymbolId, result: AuctionResult) {
        let kept = self.symbols.entry(symbol).or_default();
        if kept.len() == RESULTS_KEPT {
            kept.pop_front();
        }
        kept.push_back(result);
    }

    /// A symbol's results, newest first.
    pub fn newest(&self, symbol: SymbolId) -> impl Iterator<Item = &AuctionResult> {
        self.symbols.get(&symbol).into_iter().flat_map(|kept| kept.iter().rev())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_model::{Seq, Time};

    /// The newest results come first; beyond the limit the oldest are dropped.
    #[test]
    fn so_many_are_kept() {
        let mut results = AuctionResults::default();
        let count = u64::try_from(RESULTS_KEPT).unwrap() + 2;
        for number in 1..=count {
            let stamp = Stamp { seq: Seq(number), time: Time(number) };
            let finding = Finding::default();
            results.push(SymbolId(3), AuctionResult { number, stamp, is_indicative: false, finding });
        }
        let numbers: Vec<_> = results.newest(SymbolId(3)).map(|result| result.number).collect();
        assert!(numbers.iter().copied().eq((3..=count).rev()));
        assert_eq!(results.newest(SymbolId(2)).count(), 0);
    }
}
