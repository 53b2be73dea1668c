//! The one interface to a network's node: watch, build, sign, send.
//!
//! It fits chains of outputs (a payment spends outputs) and chains of accounts (a payment uses up a nonce): both are
//! [`Spends`]. A payment that spends the same as another one excludes it, which is how a fee is raised and how a payment
//! is voided.

use crate::{Block, BlockRef, KeyError, Keys, Reserved, Spends, Transaction, TxHash};
use buttonwood_num::Money;
use std::collections::BTreeSet;
use thiserror::Error;

/// The node did not answer, or answered nothing that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the node did not answer: {reason}")]
pub struct Unanswered {
    /// The part that was missing, for the operator's log.
    pub reason: String,
}

impl Unanswered {
    /// With its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// An answer of a node, or none.
pub type Answer<T> = Result<T, Unanswered>;

/// The transactions that wait for a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mempool {
    /// All hashes.
    pub hashes: BTreeSet<TxHash>,
    /// The transactions that the caller did not know yet.
    pub fresh: Vec<Transaction>,
}

/// The state of a transaction as a node knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Nothing. It may have been lost on the way, or dropped.
    Unknown,
    /// It waits for a block.
    Waiting,
    /// It is in a block.
    Mined {
        /// The block.
        block: BlockRef,
        /// Whether it has failed there and moved nothing.
        failed: bool,
        /// The charge of the network to the sender, in the network's own currency.
        cost: Money,
    },
    /// It cannot confirm any more: what it spends was spent otherwise, finally.
    Dead {
        /// The transaction that has spent it, if the node knows.
        by: Option<TxHash>,
    },
}

/// The answer of a node to a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broadcast {
    /// It has taken it.
    Accepted,
    /// It has had it before.
    AlreadyKnown,
    /// The coin or number that it spends is used or missing ("nonce too low", "missing or spent inputs"). This is no refusal: it may be
    /// this very payment that has used it.
    Spent,
    /// It refuses it for good.
    Refused {
        /// Why, in the node's words.
        reason: String,
    },
    /// Nothing: it may have taken it or not.
    NoAnswer,
}

/// A payment to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pay<'a> {
    /// The receiver.
    pub address: &'a str,
    /// The memo for the receiver.
    pub memo: Option<&'a str>,
    /// The currency's code.
    pub currency: &'a str,
    /// The amount that arrives.
    pub amount: Money,
}

/// A transaction to build.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// Own addresses that may pay, the preferred first. On a chain of accounts one of them pays all.
    pub from: &'a [String],
    /// The payment; `None` builds a transaction that only uses up its inputs (a void).
    pub pay: Option<Pay<'a>>,
    /// Exactly what it must spend; `None` lets the chain choose what is neither spent nor reserved.
    pub spends: Option<&'a Spends>,
    /// How many transactions that spend the same were built before: each pays the network more than the last.
    pub bid: u32,
    /// The last of them. A chain whose nodes compare whole fees must pay more than it.
    pub outbids: Option<&'a Signed>,
    /// The coins and numbers that unfinished payments spend.
    pub reserved: &'a Reserved,
}

/// Why a transaction could not be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// The addresses do not hold enough that is free.
    #[error("the wallet has only {available:?} free")]
    Short {
        /// The amount that they could pay.
        available: Money,
    },
    /// The inputs that must be spent do not cover the payment, or the chain cannot spend them so.
    #[error("cannot be built: {reason}")]
    Impossible {
        /// Why.
        reason: String,
    },
    /// The node was needed and did not answer.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
}

/// A transaction without signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsigned {
    /// Its encoding, in the backend's own form.
    pub body: Vec<u8>,
    /// The digests to sign, each with the own address whose key signs it, in their order.
    pub digests: Vec<(String, [u8; 32])>,
    /// Its inputs.
    pub spends: Spends,
}

/// A signed transaction: its bytes are what is sent, every time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Its hash.
    pub tx: TxHash,
    /// Its encoding for [`Chain::broadcast`].
    pub bytes: Vec<u8>,
    /// Its inputs.
    pub spends: Spends,
}

/// A network's node. Calls may block for as long as the backend's own time limit.
pub trait Chain: Send {
    /// The newest block.
    ///
    /// # Errors
    /// [`Unanswered`], as of every call.
    fn tip(&mut self) -> Answer<BlockRef>;

    /// The block at a height, `None` above the newest.
    fn block_at(&mut self, height: u64) -> Answer<Option<BlockRef>>;

    /// At most `limit` blocks from a height upwards, in their order.
    fn blocks(&mut self, from: u64, limit: usize) -> Answer<Vec<Block>>;

    /// The transactions that wait for a block, without the contents of `known` ones.
    fn mempool(&mut self, known: &BTreeSet<TxHash>) -> Answer<Mempool>;

    /// The node's knowledge of a transaction that spends `spends`.
    fn lookup(&mut self, tx: &TxHash, spends: &Spends) -> Answer<Lookup>;

    /// Tells of own addresses whose balances will be asked for one by one: a chain that must read much for a new one reads once for all.
    fn watch(&mut self, addresses: &[String]) -> Answer<()> {
        let _ = addresses;
        Ok(())
    }

    /// The sum that these own addresses hold, in blocks.
    fn balance(&mut self, addresses: &[String], currency: &str) -> Answer<Money>;

    /// Builds a transaction. The chain does not remember it.
    ///
    /// # Errors
    /// [`BuildError`].
    fn build(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError>;

    /// Signs a transaction. The same transaction gives the same bytes.
    ///
    /// # Errors
    /// [`KeyError`] of the keys.
    fn sign(&self, unsigned: &Unsigned, keys: &dyn Keys) -> Result<Signed, KeyError>;

    /// Sends signed bytes.
    fn broadcast(&mut self, signed: &[u8]) -> Broadcast;
}
