//! One side's price levels: a radix tree of 64-way bitmaps that is only as deep as the prices in use need.
//!
//! A level is found by its price in `depth` steps (one leaf spans 64 ticks, two steps 4,096, three 262,144). The best
//! price is stored, and the next worse one is a few bit scans away. Nothing is searched, shifted or rebalanced, for
//! any shape of the book. A resting order stores its rung, so that removing it needs no walk from the root.
//!
//! Both sides share the code: the key of an ask is its price, the key of a bid is the complement of its price.
//! Smaller keys are thus better on both sides, and no code depends on the side.

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
use core::hint::select_unpredictable;

/// The queue at one price, oldest order first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) head: Link,
    pub(crate) tail: Link,
}

/// The place of a level in its ladder. It does not change while an order rests there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rung(u32);

impl Rung {
    fn of(leaf: u32, key: u64) -> Self {
        Self(leaf << STEP | step(key, 0) as u32)
    }

    fn leaf(self) -> usize {
        (self.0 >> STEP) as usize
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// No child.
const NOWHERE: u32 = u32::MAX;

const FAN: usize = 64;
/// Bits of a key per step.
const STEP: u32 = 6;
/// Steps that cover any 64-bit key.
const DEPTH_MAX: usize = 11;
/// Largest number of leaves that a rung can address.
const LEAVES_MAX: usize = 1 << (u32::BITS - STEP);
/// The base of an empty tree: no key above the lowest leaf's begins with it.
const UNCOVERED: u64 = 1;

/// The price levels of one side.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Ladder {
    /// The bits in which a key differs from its price: none for asks, all for bids.
    flip: u64,
    /// The bits that all keys in the tree share.
    base: u64,
    /// The bits in which keys may differ.
    span: u64,
    /// The best key; the largest possible one if there is none.
    best: u64,
    /// Number of key bits that the steps above the leaves use.
    reach: u32,
    root: u32,
    levels: Vec<Level>,
    /// One bitmap per leaf, apart from the levels, so that all leaves of an active side share few cache lines.
    leaves: Vec<u64>,
    /// The children of each node: nodes or leaves.
    children: Vec<[u32; FAN]>,
    /// A bitmap of each node's children, used only to find a neighbour. The walk to a price reads only `children`.
    nodes: Vec<u64>,
    free_nodes: Vec<u32>,
    free_leaves: Vec<u32>,
}

/// Indices of the nodes on the way to a key, from the root; the leaf is last.
type Path = [u32; DEPTH_MAX];

impl Ladder {
    /// An empty side.
    pub fn new(side: Side) -> Self {
        let flip = match side {
            Side::Buy => u64::MAX,
            Side::Sell => 0,
        };
        Self {
            flip,
            base: UNCOVERED,
            span: FAN as u64 - 1,
            best: u64::MAX,
            reach: 0,
            root: 0,
            levels: Vec::new(),
            leaves: Vec::new(),
            children: Vec::new(),
            nodes: Vec::new(),
            free_nodes: Vec::new(),
            free_leaves: Vec::new(),
        }
    }

    fn key(&self, price: Price) -> u64 {
        price.ticks() ^ self.flip
    }

    fn price(&self, key: u64) -> Price {
        Price::from_ticks(key ^ self.flip)
    }

    fn is_empty(&self) -> bool {
        self.base == UNCOVERED
    }

    fn depth(&self) -> usize {
        (self.reach / STEP) as usize
    }

    /// The best price: highest bid or lowest ask.
    #[inline]
    pub fn best(&self) -> Option<Price> {
        (!self.is_empty()).then(|| self.price(self.best))
    }

    /// Whether `price` on this side is at least as good as `limit` for a taker.
    #[inline]
    pub fn reaches(&self, price: Price, limit: Price) -> bool {
        self.key(price) <= self.key(limit)
    }

    /// Whether any order rests at `limit` or better.
    #[inline]
    pub fn meets(&self, limit: Price) -> bool {
        self.best <= self.key(limit) && !self.is_empty()
    }

    /// The queue at a price, if any order rests there.
    pub(crate) fn level(&self, price: Price) -> Option<Level> {
        let level = self.levels[self.rung(price)?.index()];
        (!level.head.is_none()).then_some(level)
    }

    /// The rung of a price, if the tree has a leaf for it.
    #[inline]
    pub(crate) fn rung(&self, price: Price) -> Option<Rung> {
        let key = self.key(price);
        let leaf = self.leaf_of(key)?;
        Some(Rung::of(leaf, key))
    }

    /// The level on a rung.
    #[inline]
    pub(crate) fn at(&self, rung: Rung) -> Option<&Level> {
        self.levels.get(rung.index())
    }

    /// Appends an order to the queue at a price. Returns the order before it, and the rung.
    #[expect(clippy::inline_always, reason = "a call costs as much as it does, on the path of every order")]
    #[inline(always)]
    pub(crate) fn append(&mut self, price: Price, slot: Slot) -> (Link, Rung) {
        let key = self.key(price);
        if !self.covers(key) {
            self.cover(key);
        }
        let mut at = self.root;
        let mut shift = self.reach;
        while shift > 0 {
            let child = self.children[at as usize][step(key, shift)];
            at = if child == NOWHERE { self.new_child(at, key, shift) } else { child };
            shift -= STEP;
        }
        let rung = Rung::of(at, key);
        // Whether the level is new is unpredictable, so there is no branch.
        let level = &mut self.levels[rung.index()];
        let before = core::mem::replace(&mut level.tail, Link::to(slot));
        level.head = select_unpredictable(before.is_none(), Link::to(slot), level.head);
        self.leaves[at as usize] |= bit(key, 0);
        self.best = self.best.min(key);
        (before, rung)
    }

    /// Removes an order from the queue at a price; `older` and `younger` are its neighbours.
    #[inline]
    pub(crate) fn shorten(&mut self, price: Price, rung: Rung, older: Link, younger: Link) {
        let level = &mut self.levels[rung.index()];
        level.head = select_unpredictable(older.is_none(), younger, level.head);
        level.tail = select_unpredictable(younger.is_none(), older, level.tail);
        if older.is_none() && younger.is_none() {
            self.clear(price, rung);
        }
    }

    /// Removes a price with an empty queue, and every node that becomes empty.
    #[inline]
    fn clear(&mut self, price: Price, rung: Rung) {
        let key = self.key(price);
        let leaf = &mut self.leaves[rung.leaf()];
        *leaf &= !bit(key, 0);
        let rest = *leaf;
        if rest == 0 {
            self.prune(key);
        } else if self.best == key {
            // The next best key is in the same leaf.
            self.best = replace(key, 0, rest);
        }
    }

    /// Removes the empty leaf of a key from the tree, and every node that becomes empty.
    #[inline(never)]
    fn prune(&mut self, key: u64) {
        let path = self.path(key).expect("an order rested at the price");
        if self.best == key {
            self.best = self.beyond_path(&path, key).unwrap_or(u64::MAX);
        }
        let depth = self.depth();
        self.free_leaves.push(path[depth]);
        for height in 1..=depth {
            let at = path[depth - height];
            let shift = STEP * height as u32;
            self.children[at as usize][step(key, shift)] = NOWHERE;
            let node = &mut self.nodes[at as usize];
            *node &= !bit(key, shift);
            if *node != 0 {
                return;
            }
            self.free_nodes.push(at);
        }
        (self.base, self.span) = (UNCOVERED, FAN as u64 - 1);
    }

    /// The best price that is worse than `price`.
    pub fn worse_than(&self, price: Price) -> Option<Price> {
        let key = self.key(price);
        // Usually it is in the same leaf, and the path is not needed.
        let bits = beyond(self.leaves[self.leaf_of(key)? as usize], key, 0);
        if bits != 0 {
            return Some(self.price(replace(key, 0, bits)));
        }
        self.beyond_path(&self.path(key)?, key).map(|key| self.price(key))
    }

    /// The best key that is worse than `key`, whose own leaf holds none.
    fn beyond_path(&self, path: &Path, key: u64) -> Option<u64> {
        let depth = self.depth();
        for height in 1..=depth {
            let at = path[depth - height] as usize;
            let shift = STEP * height as u32;
            let bits = beyond(self.nodes[at], key, shift);
            if bits != 0 {
                let key = replace(key, shift, bits);
                return Some(self.best_under(self.children[at][step(key, shift)], key, shift - STEP));
            }
        }
        None
    }

    /// All prices from best to worst.
    pub fn prices(&self) -> impl Iterator<Item = Price> {
        core::iter::successors(self.best(), |price| self.worse_than(*price))
    }

    /// The best key in the subtree `at`. Its bits above those of `shift` are those of `key`.
    fn best_under(&self, mut at: u32, mut key: u64, mut shift: u32) -> u64 {
        while shift > 0 {
            key = replace(key, shift, self.nodes[at as usize]);
            at = self.children[at as usize][step(key, shift)];
            shift -= STEP;
        }
        replace(key, 0, self.leaves[at as usize])
    }

    fn covers(&self, key: u64) -> bool {
        key & !self.span == self.base
    }

    fn leaf_of(&self, key: u64) -> Option<u32> {
        if !self.covers(key) {
            return None;
        }
        let mut at = self.root;
        let mut shift = self.reach;
        while shift > 0 {
            at = self.children[at as usize][step(key, shift)];
            if at == NOWHERE {
                return None;
            }
            shift -= STEP;
        }
        Some(at)
    }

    fn path(&self, key: u64) -> Option<Path> {
        if !self.covers(key) {
            return None;
        }
        let mut path = [0; DEPTH_MAX];
        let mut at = self.root;
        let depth = self.depth();
        for height in (1..=depth).rev() {
            path[depth - height] = at;
            at = self.children[at as usize][step(key, STEP * height as u32)];
            if at == NOWHERE {
                return None;
            }
        }
        path[depth] = at;
        Some(path)
    }

    /// Raises the tree until it covers `key`; an empty tree restarts as a single leaf.
    #[cold]
    fn cover(&mut self, key: u64) {
        if self.is_empty() {
            self.reach = 0;
            self.base = key & !self.span;
            self.root = self.new_leaf();
            return;
        }
        while !self.covers(key) {
            let child = self.root;
            self.reach += STEP;
            let root = self.new_node();
            self.nodes[root as usize] = bit(self.base, self.reach);
            self.children[root as usize][step(self.base, self.reach)] = child;
            self.root = root;
            self.span = self.span << STEP | (FAN as u64 - 1);
            self.base &= !self.span;
        }
    }

    #[cold]
    fn new_child(&mut self, at: u32, key: u64, shift: u32) -> u32 {
        let child = if shift == STEP { self.new_leaf() } else { self.new_node() };
        self.nodes[at as usize] |= bit(key, shift);
        self.children[at as usize][step(key, shift)] = child;
        child
    }

    fn new_leaf(&mut self) -> u32 {
        self.free_leaves.pop().unwrap_or_else(|| {
            assert!(self.leaves.len() < LEAVES_MAX, "memory ends before rungs do");
            self.leaves.push(0);
            self.levels.resize(self.levels.len() + FAN, Level::default());
            self.leaves.len() as u32 - 1
        })
    }

    fn new_node(&mut self) -> u32 {
        self.free_nodes.pop().unwrap_or_else(|| {
            self.nodes.push(0);
            self.children.push([NOWHERE; FAN]);
            self.nodes.len() as u32 - 1
        })
    }
}

/// The child, of 64, that a key takes in the step at `shift`.
fn step(key: u64, shift: u32) -> usize {
    (key >> shift) as usize & (FAN - 1)
}

fn bit(key: u64, shift: u32) -> u64 {
    1 << step(key, shift)
}

/// Those of `bits` that are worse than `key` in the step at `shift`.
fn beyond(bits: u64, key: u64, shift: u32) -> u64 {
    let own = bit(key, shift);
    bits & !(own | (own - 1))
}

/// `key` with the step at `shift` replaced by the best of `bits`, and all lower steps cleared.
fn replace(key: u64, shift: u32, bits: u64) -> u64 {
    let above = key.checked_shr(shift + STEP).and_then(|high| high.checked_shl(shift + STEP)).unwrap_or(0);
    above | u64::from(bits.trailing_zeros()) << shift
}

#[cfg(test)]
mod tests;
