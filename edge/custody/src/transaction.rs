//! Blocks, transactions and what they move, in the form that all networks share.

use buttonwood_num::Money;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The hash of a transaction or of a block, as its network prints it: `0x…` on Ethereum, upper-case hex on the XRP
/// Ledger, and so on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TxHash(Arc<str>);

impl TxHash {
    /// From its text, which is not checked.
    pub fn new(text: &str) -> Self {
        Self(Arc::from(text))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TxHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for TxHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A block, by its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BlockRef {
    /// Number of blocks below it.
    pub height: u64,
    /// Its hash.
    pub hash: TxHash,
}

/// An output of a transaction. On networks without outputs the index counts the transfers within the transaction,
/// from 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Outpoint {
    /// The transaction.
    pub tx: TxHash,
    /// Its output, from 0.
    pub index: u32,
}

/// The inputs of a transaction. Of all transactions that share an input, or a nonce, a chain confirms at most one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spends {
    /// Outputs of earlier transactions (Bitcoin family).
    Inputs(Vec<Outpoint>),
    /// The next number of an account (EVM).
    Nonce {
        /// The account.
        address: String,
        /// Its number, from 0.
        nonce: u64,
    },
    /// Not known: a payment from outside that the node reports without it.
    Unknown,
}

/// Where a transaction's money goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The receiver, in the network's canonical spelling.
    pub address: String,
    /// The memo or tag, on networks that have one.
    pub memo: Option<String>,
    /// The currency's code, in upper case.
    pub currency: String,
    /// The amount, more than zero.
    pub amount: Money,
}

/// A transaction as a node shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Its hash.
    pub tx: TxHash,
    /// Its inputs.
    pub spends: Spends,
    /// Its outputs, by index. Outputs in currencies that the exchange does not know are left out, so indices may have
    /// gaps.
    pub outputs: Vec<(u32, Output)>,
    /// Whether it is in a block but has failed: it has moved nothing (an EVM revert).
    pub failed: bool,
}

/// A block with its transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its place.
    pub at: BlockRef,
    /// The hash of the block below it.
    pub parent: TxHash,
    /// Its transactions, in their order.
    pub transactions: Vec<Transaction>,
}
