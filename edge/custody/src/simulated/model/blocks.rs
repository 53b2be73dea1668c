//! New and removed blocks of a simulated chain.

use super::{Block, Entry, Model, Place, hash};
use crate::{Spends, TxHash};
use buttonwood_num::Money;

impl Model {
    /// A new block with everything that waits and is valid.
    pub(super) fn mine(&mut self) {
        let height = self.height() + 1;
        let mut transactions = Vec::new();
        let mut left: Vec<(u64, TxHash)> =
            self.waiting.iter().map(|(order, tx)| (*order, tx.clone())).collect();
        // A payment may depend on one that was sent later: on a lower nonce, or on money that comes in.
        loop {
            let before = left.len();
            left.retain(|(order, tx)| {
                let included = self.include(tx, height);
                if included {
                    self.waiting.remove(order);
                    transactions.push(tx.clone());
                }
                !included
            });
            if left.is_empty() || left.len() == before {
                break;
            }
        }
        self.blocks.push(Block { hash: hash::block(self.network, height, self.branch), transactions });
    }

    /// Puts a waiting transaction into the block of a height, if it is valid there.
    fn include(&mut self, tx: &TxHash, height: u64) -> bool {
        let Some(entry) = self.entries.get(tx).cloned() else { return false };
        if !self.is_includable(&entry) {
            return false;
        }
        self.flow(&entry, true);
        if let Spends::Nonce { address, nonce } = &entry.spends {
            self.nonces.insert(address.clone(), nonce + 1);
        }
        if !entry.reverts {
            for (owner, sum) in self.moves(&entry) {
                *self.balances.entry(owner).or_default() += sum;
            }
        }
        if let Some(entry) = self.entries.get_mut(tx) {
            entry.place = Place::Mined(height);
        }
        true
    }

    fn is_includable(&self, entry: &Entry) -> bool {
        match &entry.spends {
            Spends::Unknown => true,
            Spends::Inputs(inputs) => inputs.iter().all(|input| {
                let place = self.entries.get(&input.tx).map(|entry| entry.place);
                matches!(place, Some(Place::Mined(_) | Place::Standing))
            }),
            Spends::Nonce { address, nonce } => {
                let covered = || {
                    self.moves(entry).iter().all(|((owner, currency), sum)| {
                        owner != address || self.balance(owner, currency) + *sum >= Money::ZERO
                    })
                };
                *nonce == self.next_nonce(address) && (entry.reverts || covered())
            }
        }
    }

    /// Replaces the newest blocks by empty ones, plus one more. Their transactions wait again; with `drop` those from
    /// outside vanish, with those that spend their outputs.
    pub(super) fn reorganise(&mut self, depth: u32, drop: bool) -> Vec<TxHash> {
        self.branch += 1;
        let mut removed = Vec::new();
        for _ in 0..depth {
            let Some(block) = self.blocks.pop() else { break };
            for tx in block.transactions.into_iter().rev() {
                self.exclude(&tx);
                removed.push(tx);
            }
        }
        for tx in removed.iter().rev() {
            self.wait_again(tx);
        }
        let outside = |tx: &&TxHash| drop && self.entries.get(*tx).is_some_and(|entry| !entry.own);
        let vanishing: Vec<TxHash> = removed.iter().rev().filter(outside).cloned().collect();
        let mut dropped = Vec::new();
        for tx in &vanishing {
            dropped.extend(self.leave(tx, Place::Dropped));
        }
        for _ in 0..=depth {
            let height = self.height() + 1;
            let hash = hash::block(self.network, height, self.branch);
            self.blocks.push(Block { hash, transactions: Vec::new() });
        }
        dropped
    }

    /// Takes the newest mined transaction out of its block.
    fn exclude(&mut self, tx: &TxHash) {
        let Some(entry) = self.entries.get(tx).cloned() else { return };
        if !entry.reverts {
            for (owner, sum) in self.moves(&entry) {
                *self.balances.entry(owner).or_default() -= sum;
            }
        }
        if let Spends::Nonce { address, nonce } = &entry.spends {
            self.nonces.insert(address.clone(), *nonce);
        }
    }

    fn wait_again(&mut self, tx: &TxHash) {
        let order = self.counter;
        self.counter += 1;
        let Some(entry) = self.entries.get_mut(tx) else { return };
        entry.place = Place::Waiting(order);
        let entry = entry.clone();
        self.waiting.insert(order, tx.clone());
        self.flow(&entry, false);
    }
}
