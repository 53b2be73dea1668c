//! One side's price levels: a radix tree of 64-way bitmaps that is only as deep as the prices in use need.
//!
//! A level is found by its price in `depth` steps (one leaf spans 64 ticks, two steps 4,096, three 262,144), the
//! best one is remembered, and the next worse one is a few bit scans away. Nothing is searched, shifted or
//! rebalanced, whatever the shape of the book.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "steps are masked to 6 bits, and nodes and leaves are only named by this tree"
)]

use crate::Link;
use alloc::vec::Vec;
use buttonwood_model::{Side, Slot};
use buttonwood_num::Price;

/// The queue at one price: oldest order first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) head: Link,
    pub(crate) tail: Link,
}

#[derive(Clone, Debug)]
struct Node {
    /// Which children there are: only for finding a neighbour. The way to one price reads the children alone.
    bits: u64,
    children: [u32; FAN],
}

/// No child.
const NOWHERE: u32 = u32::MAX;

const FAN: usize = 64;
/// Bits of a price that one step uses.
const STEP: u32 = 6;
/// Steps that cover any 64-bit price.
const DEPTH_MAX: usize = 11;

/// The price levels of one side.
#[derive(Clone, Debug)]
pub struct Ladder {
    side: Side,
    best: Option<Price>,
    /// Steps above the leaves.
    depth: usize,
    /// The bits above those the tree covers; all prices in it share them.
    prefix: u64,
    root: u32,
    nodes: Vec<Node>,
    free_nodes: Vec<u32>,
    /// Bits of each leaf; apart from its levels, so that all leaves of a living side share few cache lines.
    leaves: Vec<u64>,
    levels: Vec<[Level; FAN]>,
    free_leaves: Vec<u32>,
}

/// Where the steps toward a price lead: node indices from the root, the leaf last.
type Path = [u32; DEPTH_MAX];

impl Ladder {
    /// An empty side.
    pub fn new(side: Side) -> Self {
        Self {
            side,
            best: None,
            depth: 0,
            prefix: 0,
            root: 0,
            nodes: Vec::new(),
            free_nodes: Vec::new(),
            leaves: Vec::new(),
            levels: Vec::new(),
            free_leaves: Vec::new(),
        }
    }

    /// The best price: highest bid or lowest ask.
    pub fn best(&self) -> Option<Price> {
        self.best
    }

    /// Whether `price` is at least as good for a taker as `limit` asks of this side.
    pub fn reaches(&self, price: Price, limit: Price) -> bool {
        match self.side {
            Side::Sell => price <= limit,
            Side::Buy => price >= limit,
        }
    }

    fn is_better(&self, price: Price, than: Price) -> bool {
        match self.side {
            Side::Buy => price > than,
            Side::Sell => price < than,
        }
    }

    /// The queue at a price, if any order rests there.
    pub(crate) fn level(&self, price: Price) -> Option<Level> {
        let at = self.leaf_at(price)?;
        let level = self.levels[at as usize][step(price.ticks(), 0)];
        (!level.head.is_none()).then_some(level)
    }

    /// The queue at a price where an order rests.
    pub(crate) fn level_mut(&mut self, price: Price) -> &mut Level {
        let at = self.leaf_at(price).expect("an order rests at the price");
        &mut self.levels[at as usize][step(price.ticks(), 0)]
    }

    /// Puts an order last in the queue at a price and returns the one before it.
    pub(crate) fn append(&mut self, price: Price, slot: Slot) -> Link {
        let ticks = price.ticks();
        if !self.covers(price) {
            self.cover(price);
        }
        let mut at = self.root;
        for height in (1..=self.depth).rev() {
            let child = self.node(at).children[step(ticks, height)];
            at = if child == NOWHERE { self.new_child(at, ticks, height) } else { child };
        }
        let level = &mut self.levels[at as usize][step(ticks, 0)];
        let before = core::mem::replace(&mut level.tail, Link::to(slot));
        if before.is_none() {
            level.head = Link::to(slot);
            self.leaves[at as usize] |= bit(ticks, 0);
            if self.best.is_none_or(|best| self.is_better(price, best)) {
                self.best = Some(price);
            }
        }
        before
    }

    /// Removes a price whose queue has become empty, and every node that becomes empty with it.
    pub(crate) fn clear(&mut self, price: Price) {
        let ticks = price.ticks();
        let path = self.path(price).expect("an order rested at the price");
        if self.best == Some(price) {
            self.best = self.beyond_path(&path, ticks);
        }
        let at = path[self.depth];
        self.levels[at as usize][step(ticks, 0)] = Level::default();
        let leaf = &mut self.leaves[at as usize];
        *leaf &= !bit(ticks, 0);
        if *leaf != 0 {
            return;
        }
        self.free_leaves.push(at);
        for height in 1..=self.depth {
            let at = path[self.depth - height];
            let node = self.node_mut(at);
            node.bits &= !bit(ticks, height);
            node.children[step(ticks, height)] = NOWHERE;
            if node.bits != 0 {
                return;
            }
            self.free_nodes.push(at);
        }
    }

    /// The best price that is worse than `price`.
    pub fn worse_than(&self, price: Price) -> Option<Price> {
        self.beyond_path(&self.path(price)?, price.ticks())
    }

    fn beyond_path(&self, path: &Path, ticks: u64) -> Option<Price> {
        let bits = self.beyond(self.leaf(path[self.depth]), ticks, 0);
        if bits != 0 {
            return Some(Price::from_ticks(self.replace(ticks, 0, bits)));
        }
        for height in 1..=self.depth {
            let node = self.node(path[self.depth - height]);
            let bits = self.beyond(node.bits, ticks, height);
            if bits != 0 {
                let ticks = self.replace(ticks, height, bits);
                return Some(self.best_under(node.children[step(ticks, height)], ticks, height - 1));
            }
        }
        None
    }

    /// Every price from best to worst.
    pub fn prices(&self) -> impl Iterator<Item = Price> {
        core::iter::successors(self.best, |price| self.worse_than(*price))
    }

    /// The best price in the subtree `at`, whose bits above `height` are those of `ticks`.
    fn best_under(&self, mut at: u32, mut ticks: u64, height: usize) -> Price {
        for height in (1..=height).rev() {
            let node = self.node(at);
            ticks = self.replace(ticks, height, node.bits);
            at = node.children[step(ticks, height)];
        }
        Price::from_ticks(self.replace(ticks, 0, self.leaf(at)))
    }

    /// Those of `bits` that stand for prices worse than `ticks` at this height.
    fn beyond(&self, bits: u64, ticks: u64, height: usize) -> u64 {
        let own = bit(ticks, height);
        match self.side {
            Side::Buy => bits & (own - 1),
            Side::Sell => bits & !(own | (own - 1)),
        }
    }

    /// `ticks` with the step at `height` replaced by the best one of `bits`, and all lower steps cleared.
    fn replace(&self, ticks: u64, height: usize, bits: u64) -> u64 {
        let chosen = match self.side {
            Side::Buy => bits.ilog2(),
            Side::Sell => bits.trailing_zeros(),
        };
        let above = above(ticks, height);
        above | u64::from(chosen) << shift(height)
    }

    fn covers(&self, price: Price) -> bool {
        self.best.is_some() && self.prefix == prefix(price.ticks(), self.depth)
    }

    fn leaf_at(&self, price: Price) -> Option<u32> {
        if !self.covers(price) {
            return None;
        }
        let ticks = price.ticks();
        let mut at = self.root;
        for height in (1..=self.depth).rev() {
            at = self.node(at).children[step(ticks, height)];
            if at == NOWHERE {
                return None;
            }
        }
        Some(at)
    }

    fn path(&self, price: Price) -> Option<Path> {
        if self.prefix != prefix(price.ticks(), self.depth) {
            return None;
        }
        let mut path = [0; DEPTH_MAX];
        let mut at = self.root;
        for height in (1..=self.depth).rev() {
            path[self.depth - height] = at;
            at = self.node(at).children[step(price.ticks(), height)];
            if at == NOWHERE {
                return None;
            }
        }
        path[self.depth] = at;
        Some(path)
    }

    /// Raises the tree until it covers `price`; an empty tree starts over as a single leaf.
    fn cover(&mut self, price: Price) {
        if self.best.is_none() {
            self.depth = 0;
            self.prefix = prefix(price.ticks(), 0);
            self.root = self.new_leaf();
            return;
        }
        while self.prefix != prefix(price.ticks(), self.depth) {
            let child = self.root;
            let own = self.prefix & (FAN as u64 - 1);
            let root = self.new_node();
            let node = self.node_mut(root);
            node.bits = 1 << own;
            node.children[own as usize] = child;
            self.root = root;
            self.prefix >>= STEP;
            self.depth += 1;
        }
    }

    #[cold]
    fn new_child(&mut self, at: u32, ticks: u64, height: usize) -> u32 {
        let child = if height == 1 { self.new_leaf() } else { self.new_node() };
        let node = self.node_mut(at);
        node.bits |= bit(ticks, height);
        node.children[step(ticks, height)] = child;
        child
    }

    fn new_leaf(&mut self) -> u32 {
        self.free_leaves.pop().unwrap_or_else(|| {
            self.leaves.push(0);
            self.levels.push([Level::default(); FAN]);
            self.leaves.len() as u32 - 1
        })
    }

    fn new_node(&mut self) -> u32 {
        self.free_nodes.pop().unwrap_or_else(|| {
            self.nodes.push(Node { bits: 0, children: [NOWHERE; FAN] });
            self.nodes.len() as u32 - 1
        })
    }

    fn leaf(&self, at: u32) -> u64 {
        self.leaves[at as usize]
    }

    fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    fn node_mut(&mut self, at: u32) -> &mut Node {
        &mut self.nodes[at as usize]
    }
}

fn shift(height: usize) -> u32 {
    STEP * height as u32
}

/// Which of 64 a price takes at this height.
fn step(ticks: u64, height: usize) -> usize {
    (ticks >> shift(height)) as usize & (FAN - 1)
}

fn bit(ticks: u64, height: usize) -> u64 {
    1 << step(ticks, height)
}

/// The bits of a price that a tree of this depth does not see.
fn prefix(ticks: u64, depth: usize) -> u64 {
    ticks.checked_shr(shift(depth + 1)).unwrap_or(0)
}

/// `ticks` without the steps at `height` and below.
fn above(ticks: u64, height: usize) -> u64 {
    let low = shift(height + 1);
    ticks.checked_shr(low).map_or(0, |high| high << low)
}

#[cfg(test)]
mod tests;
