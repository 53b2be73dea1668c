//! The events of a simulated chain: its log is a list of these.

use buttonwood_num::Money;
use serde::{Deserialize, Serialize};

use crate::{Output, Spends, TxHash};

/// How the node treats the next payments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Treatment {
    /// It behaves.
    Normal,
    /// It takes the transaction; its reply is lost.
    LoseReply,
    /// It takes nothing and does not reply.
    TimeOut,
    /// It refuses for good.
    Refuse,
    /// It takes the transaction, which is mined and fails (EVM).
    Revert,
}

impl Treatment {
    /// By its name in the sandbox's control call.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "normal" => Self::Normal,
            "lose_reply" => Self::LoseReply,
            "time_out" => Self::TimeOut,
            "refuse" => Self::Refuse,
            "revert" => Self::Revert,
            _ => return None,
        })
    }
}

/// A change of a simulated chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Command {
    /// Signed bytes of the exchange.
    Broadcast(Vec<u8>),
    /// A payment from outside.
    Send(Output),
    /// New blocks; the first one takes in all that waits.
    Mine(u32),
    /// The newest blocks are replaced by empty ones, plus one more.
    Reorg { depth: u32, drop: bool },
    /// How the next payments are treated.
    Node { treatment: Treatment, times: u32 },
    /// Money that exists from here on.
    Mint(Output),
    /// Minted money of an address that does not exist any more.
    Burn(Output),
}

/// The content of an own transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Body {
    pub(super) spends: Spends,
    pub(super) outputs: Vec<Output>,
    pub(super) bid: u32,
}

/// A signed transaction as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SignedBody {
    /// The encoded [`Body`].
    pub(super) body: Vec<u8>,
    /// `r`, `s` and the recovery bit, for each signer.
    pub(super) signatures: Vec<Vec<u8>>,
}

/// A transaction that pays an address, for listings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incoming {
    /// Its hash.
    pub tx: TxHash,
    /// The output that pays the address.
    pub index: u32,
    /// The height of its block; `None` while it waits.
    pub height: Option<u64>,
    /// The output that it pays.
    pub output: Output,
}

/// Why a control call was refused; the chain is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The amount is not more than zero, or too large for a chain to count.
    #[error("the amount {amount:?} is not one that a chain can pay")]
    Amount {
        /// The amount.
        amount: Money,
    },
    /// A text is empty or too long.
    #[error("{field} is empty or too long")]
    Text {
        /// The field's name.
        field: &'static str,
    },
    /// A number is out of its range.
    #[error("{field} is {value}; it must be from {least} to {most}")]
    Range {
        /// The field's name.
        field: &'static str,
        /// Its value.
        value: u64,
        /// The least that is allowed.
        least: u64,
        /// The most that is allowed.
        most: u64,
    },
    /// A payment cannot fail in a block of this network.
    #[error("transactions of this network do not revert")]
    NoRevert,
    /// The network has a real node, which only its own network moves.
    #[error("the network has a real node, which is not moved from here")]
    RealNode,
    /// The chain's file has failed; the exchange must start again.
    #[error("the chain's file has failed")]
    Broken,
}
