//! The inputs of unfinished payments, so that no other payment is built on them.

use crate::{Outpoint, Spends, TxHash};
use buttonwood_num::Money;
use std::collections::{BTreeMap, BTreeSet};

/// The inputs of unfinished payments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    inputs: BTreeSet<Outpoint>,
    /// Transactions that another one replaces: their outputs may never exist.
    replaced: BTreeSet<TxHash>,
    nonces: BTreeMap<String, BTreeSet<u64>>,
    outflow: BTreeMap<(String, String), Money>,
}

impl Reserved {
    /// Whether an output must not be spent: an unfinished payment spends it, or its transaction is being replaced.
    pub fn has_input(&self, input: &Outpoint) -> bool {
        self.inputs.contains(input) || self.replaced.contains(&input.tx)
    }

    /// The nonce after the highest reserved one of an account; 0 without any.
    pub fn nonce_after(&self, address: &str) -> u64 {
        self.nonces.get(address).and_then(BTreeSet::last).map_or(0, |last| last.saturating_add(1))
    }

    /// How many nonces of an account, from one upwards, unfinished payments use.
    pub fn nonces_from(&self, address: &str, nonce: u64) -> usize {
        self.nonces.get(address).map_or(0, |reserved| reserved.range(nonce..).count())
    }

    /// The sum that unfinished payments, none of them in a block, take from an account. Only chains of accounts need it: on
    /// the others a payment's inputs say it.
    pub fn outflow(&self, address: &str, currency: &str) -> Money {
        self.outflow.get(&(address.to_owned(), currency.to_owned())).copied().unwrap_or_default()
    }

    /// Whether an unfinished payment spends an output of a transaction.
    pub(crate) fn builds_on(&self, tx: &TxHash) -> bool {
        let first = Outpoint { tx: tx.clone(), index: 0 };
        self.inputs.range(first..).next().is_some_and(|input| input.tx == *tx)
    }

    pub(crate) fn add_replaced(&mut self, tx: &TxHash) {
        self.replaced.insert(tx.clone());
    }

    pub(crate) fn remove_replaced(&mut self, tx: &TxHash) {
        self.replaced.remove(tx);
    }

    pub(crate) fn add(&mut self, spends: &Spends) {
        match spends {
            Spends::Inputs(inputs) => self.inputs.extend(inputs.iter().cloned()),
            Spends::Nonce { address, nonce } => {
                self.nonces.entry(address.clone()).or_default().insert(*nonce);
            }
            Spends::Unknown => {}
        }
    }

    pub(crate) fn remove(&mut self, spends: &Spends) {
        match spends {
            Spends::Inputs(inputs) => {
                for input in inputs {
                    self.inputs.remove(input);
                }
            }
            Spends::Nonce { address, nonce } => {
                if let Some(nonces) = self.nonces.get_mut(address) {
                    nonces.remove(nonce);
                    if nonces.is_empty() {
                        self.nonces.remove(address);
                    }
                }
            }
            Spends::Unknown => {}
        }
    }

    /// Adds to what an account pays; a negative amount takes it back.
    pub(crate) fn flow(&mut self, spends: &Spends, currency: &str, amount: Money) {
        if let Spends::Nonce { address, .. } = spends {
            let key = (address.clone(), currency.to_owned());
            let sum = self.outflow(address, currency) + amount;
            if sum == Money::ZERO {
                self.outflow.remove(&key);
            } else {
                self.outflow.insert(key, sum);
            }
        }
    }
}
