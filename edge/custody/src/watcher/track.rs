//! The payments that a watcher follows: those that wait, and those in the newest blocks.

use crate::observation::{Known, Observation, Report};
use crate::{
    Block, BlockRef, Branch, CONFIRMATIONS_MAX, Lookup, Outpoint, Output, Spends, Transaction, TxHash, sane,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A block with payments to own addresses.
#[derive(Debug)]
struct Held {
    at: BlockRef,
    payments: Vec<(Outpoint, Spends)>,
    /// The confirmations that were reported last.
    reported: u32,
}

#[derive(Debug)]
pub(super) struct Track {
    required: u32,
    /// Payments without a block, by transaction.
    waiting: BTreeMap<TxHash, (Spends, BTreeSet<u32>)>,
    /// Blocks with payments, lowest first.
    held: VecDeque<Held>,
    /// The outputs of `held`.
    in_blocks: BTreeSet<Outpoint>,
    /// The transactions of the last mempool.
    pool: BTreeSet<TxHash>,
    /// Transactions that were looked up without an answer to be acted on, so that others have their turn.
    turn: Option<TxHash>,
}

impl Track {
    pub(super) fn new(required: u32, branch: &Branch, known: impl IntoIterator<Item = Known>) -> Self {
        let mut track = Self {
            required: required.clamp(1, CONFIRMATIONS_MAX),
            waiting: BTreeMap::new(),
            held: VecDeque::new(),
            in_blocks: BTreeSet::new(),
            pool: BTreeSet::new(),
            turn: None,
        };
        let mut blocks: BTreeMap<BlockRef, Vec<(Outpoint, Spends)>> = BTreeMap::new();
        for payment in known {
            match payment.block {
                Some(block) if branch.holds(&block) == Some(true) => {
                    blocks.entry(block).or_default().push((payment.key, payment.spends));
                }
                // Below the remembered blocks it is as final as it can be.
                Some(block) if branch.is_below(&block) => {}
                _ => track.add_waiting(&payment.key, &payment.spends),
            }
        }
        for (at, payments) in blocks {
            track.in_blocks.extend(payments.iter().map(|(key, _)| key.clone()));
            track.held.push_back(Held { at, payments, reported: 0 });
        }
        track
    }

    pub(super) fn set_required(&mut self, required: u32) {
        self.required = required.clamp(1, CONFIRMATIONS_MAX);
    }

    pub(super) fn pool(&self) -> &BTreeSet<TxHash> {
        &self.pool
    }

    fn add_waiting(&mut self, key: &Outpoint, spends: &Spends) {
        let (_, indices) =
            self.waiting.entry(key.tx.clone()).or_insert_with(|| (spends.clone(), BTreeSet::new()));
        indices.insert(key.index);
    }

    fn is_waiting(&self, key: &Outpoint) -> bool {
        self.waiting.get(&key.tx).is_some_and(|(_, indices)| indices.contains(&key.index))
    }

    /// Reports what a transaction pays to own addresses, as far as it is new, and returns all of it.
    fn ours(
        &self,
        transaction: &Transaction,
        is_ours: &dyn Fn(&str) -> bool,
        report: &mut Report,
    ) -> Vec<Outpoint> {
        let mut keys = Vec::new();
        for (index, output) in &transaction.outputs {
            let key = Outpoint { tx: transaction.tx.clone(), index: *index };
            if keys.contains(&key) || self.in_blocks.contains(&key) || !is_ours(&output.address) {
                continue;
            }
            let Some(output) = sane::output(output) else { continue };
            if !self.is_waiting(&key) {
                report.observations.push(seen(&key, output, &transaction.spends));
            }
            keys.push(key);
        }
        keys
    }

    /// Follows the payments of a block that joins the chain.
    pub(super) fn add(&mut self, block: &Block, is_ours: &dyn Fn(&str) -> bool, report: &mut Report) {
        let mut payments = Vec::new();
        for transaction in block.transactions.iter().filter(|transaction| sane::is_transaction(transaction)) {
            if transaction.failed {
                self.lose(&transaction.tx, report);
                continue;
            }
            let mut keys = self.ours(transaction, is_ours, report);
            // A transaction that was waited for is in the block even if the address has been given up since.
            if let Some((_, indices)) = self.waiting.remove(&transaction.tx) {
                let waited = indices.into_iter().map(|index| Outpoint { tx: transaction.tx.clone(), index });
                let missed: Vec<Outpoint> = waited.filter(|key| !keys.contains(key)).collect();
                keys.extend(missed);
            }
            self.in_blocks.extend(keys.iter().cloned());
            payments.extend(keys.into_iter().map(|key| (key, transaction.spends.clone())));
        }
        if !payments.is_empty() {
            self.held.push_back(Held { at: block.at.clone(), payments, reported: 0 });
        }
    }

    /// The payments of a removed block wait again. `tip` was the newest height.
    pub(super) fn remove(&mut self, block: &BlockRef, tip: u64, report: &mut Report) {
        if self.held.back().is_none_or(|held| held.at != *block) {
            return;
        }
        let Some(held) = self.held.pop_back() else { return };
        let depth = u32::try_from(tip - block.height + 1).unwrap_or(u32::MAX);
        for (key, spends) in held.payments {
            self.in_blocks.remove(&key);
            self.add_waiting(&key, &spends);
            let confirmations = depth.min(self.required);
            report.observations.push(Observation::Removed { key, block: block.clone(), confirmations });
        }
    }

    /// Reports confirmations that have grown.
    pub(super) fn confirm(&mut self, branch: &Branch, report: &mut Report) {
        for held in &mut self.held {
            let confirmations = branch.confirmations(&held.at).min(self.required);
            if confirmations <= held.reported {
                continue;
            }
            held.reported = confirmations;
            for (key, _) in &held.payments {
                report.observations.push(Observation::Confirmed {
                    key: key.clone(),
                    block: held.at.clone(),
                    confirmations,
                });
            }
        }
    }

    /// Forgets the blocks that are older than those of the branch.
    pub(super) fn forget(&mut self, branch: &Branch) {
        let lowest = branch.lowest().map_or(0, |block| block.height);
        while self.held.front().is_some_and(|held| held.at.height < lowest) {
            for (key, _) in self.held.pop_front().into_iter().flat_map(|held| held.payments) {
                self.in_blocks.remove(&key);
            }
        }
    }

    /// Takes the mempool as a node shows it.
    pub(super) fn wait(
        &mut self,
        hashes: BTreeSet<TxHash>,
        fresh: &[Transaction],
        is_ours: &dyn Fn(&str) -> bool,
        report: &mut Report,
    ) {
        for transaction in fresh.iter().filter(|transaction| !transaction.failed) {
            for key in self.ours(transaction, is_ours, report) {
                self.add_waiting(&key, &transaction.spends);
            }
        }
        self.pool = hashes;
    }

    /// Some of the transactions that wait but are not in the mempool, in turns.
    pub(super) fn missing(&mut self, most: usize) -> Vec<(TxHash, Spends)> {
        let missing = |turn: &Option<TxHash>, behind: bool| {
            self.waiting
                .iter()
                .filter(|(tx, _)| !self.pool.contains(*tx))
                .filter(|(tx, _)| turn.as_ref().is_none_or(|turn| (*tx > turn) != behind))
                .map(|(tx, (spends, _))| (tx.clone(), spends.clone()))
                .take(most)
                .collect::<Vec<_>>()
        };
        let mut found = missing(&self.turn, false);
        if found.len() < most && self.turn.is_some() {
            found.extend(missing(&self.turn, true));
            found.truncate(most);
        }
        self.turn = found.last().map(|(tx, _)| tx.clone());
        found
    }

    /// Acts on what the node knows of a missing transaction.
    pub(super) fn looked_up(&mut self, tx: &TxHash, found: &Lookup, report: &mut Report) {
        match found {
            Lookup::Dead { .. } => self.lose(tx, report),
            // Its block, or its return to the mempool, will be read.
            Lookup::Unknown | Lookup::Waiting | Lookup::Mined { .. } => {}
        }
    }

    fn lose(&mut self, tx: &TxHash, report: &mut Report) {
        let Some((_, indices)) = self.waiting.remove(tx) else { return };
        for index in indices {
            report.observations.push(Observation::Lost { key: Outpoint { tx: tx.clone(), index } });
        }
    }
}

fn seen(key: &Outpoint, output: Output, spends: &Spends) -> Observation {
    Observation::Seen { key: key.clone(), output, spends: spends.clone() }
}
