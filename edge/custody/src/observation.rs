//! The reports of a watcher.

use crate::{BlockRef, Outpoint, Output, Spends};
use serde::{Deserialize, Serialize};

/// An incoming payment that the caller has journaled before, for a watcher that starts again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Its output.
    pub key: Outpoint,
    /// The inputs of its transaction; `Unknown` if they were not kept.
    pub spends: Spends,
    /// The block that held it when it was last observed; `None` if it waited.
    pub block: Option<BlockRef>,
}

/// A chain's news of a payment to an own address. Observations may repeat, above all after a restart: one whose
/// content is known already changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// The first sight of a payment, waiting or in a block. Also of one that was reported as lost.
    Seen {
        /// The output: with the network it is the payment's identity for ever.
        key: Outpoint,
        /// The output that was paid.
        output: Output,
        /// The inputs of the transaction.
        spends: Spends,
    },
    /// It is in a block: reported at every confirmation up to the required number.
    Confirmed {
        /// The output.
        key: Outpoint,
        /// The block that holds it.
        block: BlockRef,
        /// Confirmations, at most the required number; the block that holds it is the first.
        confirmations: u32,
    },
    /// Its block was removed by a reorganisation; it waits again.
    Removed {
        /// The output.
        key: Outpoint,
        /// The removed block.
        block: BlockRef,
        /// Confirmations that it had, at most the required number. With that number it was final, and a deposit
        /// credited.
        confirmations: u32,
    },
    /// It cannot confirm any more, or has failed in its block.
    Lost {
        /// The output.
        key: Outpoint,
    },
}

/// Why a watcher does not follow its chain any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The chain that the node shows has no block in common with the remembered ones.
    TooDeep {
        /// The height of the oldest remembered block.
        lowest: u64,
    },
}

/// The findings of one look at a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Every remembered block above this height was removed, before `blocks` were added.
    pub removed_above: Option<u64>,
    /// New blocks, lowest first. The caller journals these, with `removed_above`, as the cursor.
    pub blocks: Vec<BlockRef>,
    /// The observations, in an order in which they can be applied.
    pub observations: Vec<Observation>,
    /// Whether the node answered everything and shows no further blocks.
    pub caught_up: bool,
    /// Why the chain cannot be followed; an operator must act.
    pub fault: Option<Fault>,
}

impl Report {
    /// Whether there is nothing to journal.
    pub fn is_empty(&self) -> bool {
        self.removed_above.is_none()
            && self.blocks.is_empty()
            && self.observations.is_empty()
            && self.fault.is_none()
    }
}
