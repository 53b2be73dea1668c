//! The newest blocks of a chain, as far as a node has shown them.

use crate::BlockRef;
use std::collections::VecDeque;

/// Blocks that are remembered. A reorganisation of more blocks is not followed: an operator must look at the chain.
pub const WINDOW: usize = 128;

/// The most confirmations that a payment can need; more are taken as this. A payment is followed this far, and as far
/// again in case that it is removed later.
pub const CONFIRMATIONS_MAX: u32 = 64;

/// The newest [`WINDOW`] blocks that a watcher has read, one for each height.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    blocks: VecDeque<BlockRef>,
}

impl Branch {
    /// From stored blocks, lowest first. Blocks below a gap are left out.
    pub fn new(blocks: impl IntoIterator<Item = BlockRef>) -> Self {
        let mut branch = Self::default();
        for block in blocks {
            branch.push(block);
        }
        branch
    }

    /// The newest block.
    pub fn tip(&self) -> Option<&BlockRef> {
        self.blocks.back()
    }

    /// The oldest block that is remembered.
    pub fn lowest(&self) -> Option<&BlockRef> {
        self.blocks.front()
    }

    /// The block at a height, if it is remembered.
    pub fn at(&self, height: u64) -> Option<&BlockRef> {
        let depth = height.checked_sub(self.lowest()?.height)?;
        self.blocks.get(usize::try_from(depth).ok()?)
    }

    /// Whether a block is part of the chain; `None` if it is too old or too new to say.
    pub fn holds(&self, block: &BlockRef) -> Option<bool> {
        self.at(block.height).map(|own| own == block)
    }

    /// Whether a block is older than all that are remembered.
    pub fn is_below(&self, block: &BlockRef) -> bool {
        self.lowest().is_some_and(|lowest| block.height < lowest.height)
    }

    /// Confirmations of a block: the block itself is the first. 0 if it is not part of the chain; an older one than all
    /// that are remembered is taken to be.
    pub fn confirmations(&self, block: &BlockRef) -> u32 {
        match self.tip() {
            Some(tip) if self.holds(block) == Some(true) || self.is_below(block) => {
                u32::try_from(tip.height - block.height + 1).unwrap_or(u32::MAX)
            }
            _ => 0,
        }
    }

    /// Adds a block on top. One that does not follow the newest replaces everything.
    pub(crate) fn push(&mut self, block: BlockRef) {
        if self.tip().is_some_and(|tip| tip.height.checked_add(1) != Some(block.height)) {
            self.blocks.clear();
        }
        self.blocks.push_back(block);
        if self.blocks.len() > WINDOW {
            self.blocks.pop_front();
        }
    }

    /// Removes the newest block.
    pub(crate) fn pop(&mut self) -> Option<BlockRef> {
        self.blocks.pop_back()
    }

    /// All blocks, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = &BlockRef> {
        self.blocks.iter()
    }
}
