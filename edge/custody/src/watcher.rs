//! Turns what a node shows into observations of payments to own addresses (INV-DEP-1).
//!
//! A block is used only if it follows, by its parent's hash, the blocks read before. Another branch is followed at once
//! if it is longer than the own one, and otherwise if the node shows the same newest block [`STUBBORN`] times in a row:
//! a late answer shows a shorter chain for a moment. A node that is merely behind changes nothing.

#[cfg(test)]
mod tests;
mod track;

use crate::observation::{Fault, Known, Report};
use crate::{Block, BlockRef, Branch, Chain, Transaction, Unanswered, WINDOW, sane};
use track::Track;

/// Blocks that are asked for at once: more than a reorganisation can replace.
const AT_ONCE: usize = 2 * WINDOW;

/// Blocks after which confirmations are reported: so few that no payment leaves the window unconfirmed.
const TOGETHER: usize = WINDOW / 4;

/// Looks in a row that must show the same tip before a branch that is not longer is followed.
const STUBBORN: u32 = 3;

/// Looks up at most this many missing transactions at one look.
const LOOKUPS: usize = 200;

/// Watches one chain for payments to own addresses.
///
/// It is a state machine in memory. The caller journals each [`Report`] and gives the blocks and payments back to
/// [`Watcher::restore`]; a report that was lost is made again.
#[derive(Debug)]
pub struct Watcher {
    branch: Branch,
    track: Track,
    /// The tip of a branch that is not longer than the own one, and the looks that have shown it.
    rival: Option<(BlockRef, u32)>,
    broken: Option<Fault>,
}

impl Watcher {
    /// Starts at the block that the node shows first, which is not searched itself. A payment there or below is not
    /// seen, so a watcher starts before addresses are given away.
    pub fn new(confirmations: u32) -> Self {
        Self::restore(confirmations, Branch::default(), [])
    }

    /// Goes on where an earlier watcher has stopped: with the blocks of its reports, and with the payments that wait,
    /// that are not final, or whose block is among those blocks.
    pub fn restore(confirmations: u32, branch: Branch, known: impl IntoIterator<Item = Known>) -> Self {
        let track = Track::new(confirmations, &branch, known);
        Self { branch, track, rival: None, broken: None }
    }

    /// The blocks that were read last.
    pub fn branch(&self) -> &Branch {
        &self.branch
    }

    /// Changes the number of confirmations that a payment needs.
    pub fn set_confirmations(&mut self, confirmations: u32) {
        self.track.set_required(confirmations);
    }

    /// Looks at the chain once. A node that fails to answer ends the look; what it showed until then is reported.
    pub fn look(&mut self, chain: &mut dyn Chain, is_ours: &dyn Fn(&str) -> bool) -> Report {
        let mut report = Report { fault: self.broken, ..Report::default() };
        if report.fault.is_none() {
            report.caught_up = self.look_into(chain, is_ours, &mut report).unwrap_or(false);
            self.broken = report.fault;
        }
        report
    }

    /// Whether the node shows no further blocks.
    fn look_into(
        &mut self,
        chain: &mut dyn Chain,
        is_ours: &dyn Fn(&str) -> bool,
        report: &mut Report,
    ) -> Result<bool, Unanswered> {
        let tip = chain.tip()?;
        if !sane::is_block_ref(&tip) {
            return Err(Unanswered::new("a malformed newest block"));
        }
        let Some(own) = self.branch.tip().cloned() else {
            self.branch.push(tip.clone());
            report.blocks.push(tip);
            return self.look_at_mempool(chain, is_ours, report);
        };
        if tip.height > own.height {
            let blocks = linked(chain.blocks(own.height + 1, AT_ONCE)?, own.height + 1)?;
            match blocks.first() {
                Some(first) if first.parent == own.hash => self.add(&blocks, is_ours, report),
                Some(_) => self.follow_branch(chain, is_ours, report)?,
                None => return Ok(false),
            }
        } else if self.branch.holds(&tip) == Some(false) && self.insists(&tip) {
            self.follow_branch(chain, is_ours, report)?;
        }
        if tip.height > own.height {
            self.rival = None;
        }
        let mempool = self.look_at_mempool(chain, is_ours, report)?;
        Ok(mempool && self.branch.tip().is_some_and(|own| own.height >= tip.height))
    }

    /// Whether the node has shown this tip often enough.
    fn insists(&mut self, tip: &BlockRef) -> bool {
        let looks = match &self.rival {
            Some((rival, looks)) if rival == tip => looks + 1,
            _ => 1,
        };
        self.rival = Some((tip.clone(), looks));
        looks >= STUBBORN
    }

    /// Leaves the own branch for the one that the node shows, if it shows one that is longer or insists on.
    fn follow_branch(
        &mut self,
        chain: &mut dyn Chain,
        is_ours: &dyn Fn(&str) -> bool,
        report: &mut Report,
    ) -> Result<(), Unanswered> {
        let Some(own) = self.branch.tip().map(|tip| tip.height) else {
            return Ok(());
        };
        let Some(fork) = self.fork(chain)? else {
            let lowest = self.branch.lowest().map_or(0, |block| block.height);
            report.fault = Some(Fault::TooDeep { lowest });
            return Ok(());
        };
        let blocks = linked(chain.blocks(fork.height + 1, AT_ONCE)?, fork.height + 1)?;
        let follows = blocks.first().is_some_and(|first| first.parent == fork.hash);
        let new = blocks.last().map(|block| &block.at);
        let insisted = new.is_some_and(|new| {
            self.rival.as_ref().is_some_and(|(rival, looks)| rival == new && *looks >= STUBBORN)
        });
        if !follows || !(insisted || new.is_some_and(|new| new.height > own)) {
            return Ok(());
        }
        while self.branch.tip().is_some_and(|tip| tip.height > fork.height) {
            if let Some(removed) = self.branch.pop() {
                self.track.remove(&removed, own, report);
            }
        }
        report.removed_above = Some(fork.height);
        self.rival = None;
        self.add(&blocks, is_ours, report);
        Ok(())
    }

    /// The newest own block that the node has too; `None` if it has none of them.
    fn fork(&self, chain: &mut dyn Chain) -> Result<Option<BlockRef>, Unanswered> {
        let mut others = 0;
        let own: Vec<&BlockRef> = self.branch.iter().collect();
        for block in own.iter().rev() {
            match chain.block_at(block.height)? {
                Some(found) if found == **block => return Ok(Some(found)),
                Some(found) if found.height == block.height && sane::is_block_ref(&found) => others += 1,
                Some(_) => return Err(Unanswered::new("a malformed block")),
                None => {}
            }
        }
        // A node that shows nothing at these heights is behind, and no fault.
        if others < own.len() { Err(Unanswered::new("the node is behind")) } else { Ok(None) }
    }

    fn add(&mut self, blocks: &[Block], is_ours: &dyn Fn(&str) -> bool, report: &mut Report) {
        for some in blocks.chunks(TOGETHER) {
            for block in some {
                self.track.add(block, is_ours, report);
                self.branch.push(block.at.clone());
                report.blocks.push(block.at.clone());
            }
            self.track.confirm(&self.branch, report);
            self.track.forget(&self.branch);
        }
    }

    /// Searches the waiting transactions. Returns `true`, or the failure of the node.
    fn look_at_mempool(
        &mut self,
        chain: &mut dyn Chain,
        is_ours: &dyn Fn(&str) -> bool,
        report: &mut Report,
    ) -> Result<bool, Unanswered> {
        let pool = chain.mempool(self.track.pool())?;
        let fresh: Vec<Transaction> = pool
            .fresh
            .into_iter()
            .filter(|transaction| sane::is_transaction(transaction) && pool.hashes.contains(&transaction.tx))
            .collect();
        self.track.wait(pool.hashes, &fresh, is_ours, report);
        for (tx, spends) in self.track.missing(LOOKUPS) {
            let found = chain.lookup(&tx, &spends)?;
            self.track.looked_up(&tx, &found, report);
        }
        Ok(true)
    }
}

/// The start of an answer, as far as its blocks follow each other from a height on.
fn linked(blocks: Vec<Block>, from: u64) -> Result<Vec<Block>, Unanswered> {
    if blocks.len() > AT_ONCE {
        return Err(Unanswered::new("more blocks than were asked for"));
    }
    let mut linked: Vec<Block> = Vec::with_capacity(blocks.len());
    for block in blocks {
        let follows = match linked.last() {
            Some(last) => block.at.height == last.at.height + 1 && block.parent == last.at.hash,
            None => block.at.height == from,
        };
        if !follows || !sane::is_block(&block) {
            break;
        }
        linked.push(block);
    }
    Ok(linked)
}
