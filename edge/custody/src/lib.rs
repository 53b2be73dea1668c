//! Chains: what arrives is watched, what leaves is signed and sent exactly once (INV-DEP-1, INV-WD-1 to 4).
//!
//! [`Chain`] is the one interface to a network's node. [`Watcher`] turns what a node shows into [`Observation`]s of
//! payments to own addresses. [`Payer`] brings accepted payments onto the chain. [`SimulatedChain`] is a chain of our
//! own, in a file of its own, which a crash of the exchange does not roll back. [`EvmChain`] and [`BitcoinChain`] are real nodes.
//!
//! Everything is synchronous and holds no clock. Watcher and payer are state machines in memory: the caller journals
//! what they report, and restores them from there.
//!
//! Not here: which account a payment belongs to and what it is worth (`core/funds`), how addresses are derived and
//! spelled, where keys are kept (`store/vault`).

mod bitcoin;
mod branch;
mod chain;
mod evm;
mod keys;
mod network;
mod node;
mod observation;
mod payer;
mod reserved;
#[cfg(test)]
mod rig;
mod sane;
pub mod simulated;
mod transaction;
mod watcher;

pub use bitcoin::{BitcoinChain, BitcoinConfig, BitcoinIdentity, BitcoinNetwork};
pub use branch::{Branch, CONFIRMATIONS_MAX, WINDOW};
pub use chain::{
    Answer, Broadcast, BuildError, Chain, Draft, Lookup, Mempool, Pay, Signed, Unanswered, Unsigned,
};
pub use evm::{EvmChain, EvmConfig, EvmIdentity, Token, TokenFault};
pub use keys::{KeyError, Keys, Signature};
pub use network::{HashStyle, NETWORKS, Network, network};
pub use node::{NodeUrl, UrlError};
pub use observation::{Fault, Known, Observation, Report};
pub use payer::{Attempt, InBlock, Outcome, Payer, Payment, Purpose, Settled, Step};
pub use reserved::Reserved;
pub use simulated::SimulatedChain;
pub use transaction::{Block, BlockRef, Outpoint, Output, Spends, Transaction, TxHash};
pub use watcher::Watcher;
