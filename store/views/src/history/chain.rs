//! Chains of rows, newest first, searched in O(log n) reads (Myers' random-access lists).
//!
//! The rows of a chain form complete binary trees, newest root first, whose sizes are a skew-binary number: at most
//! the last two are equal. A row's `prev` is the row before it; its `jump` is the first row after the tree of which
//! it is the root. A search follows the jump if its target lies beyond it, and `prev` otherwise.
//!
//! A chain may also keep what the rows of each tree have together: the least of their keys, for a search by a key that
//! does not follow the chain's order (`placed`), or the sums of their figures (`stretch`).

use super::codec::{self, Damage, Position};
use super::fault::Fault;
use super::packed::{Body, Linked};
use buttonwood_model::OrderId;
use serde::{Deserialize, Serialize};

/// The common figures of rows.
pub(super) trait Together: Copy {
    /// The common figures of rows and others; the order of the two does not matter.
    fn with(self, other: Self) -> Self;
}

impl Together for () {
    fn with(self, (): Self) {}
}

/// The least.
impl Together for OrderId {
    fn with(self, other: Self) -> Self {
        self.min(other)
    }
}

/// The head of a chain: the roots of its trees, oldest and largest first. `T` is what the rows of a tree have together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Chain<T = ()> {
    len: u64,
    trees: Vec<Tree<T>>,
}

/// A complete tree of 2^height − 1 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Tree<T> {
    height: u8,
    root: Position,
    whole: T,
}

/// The links of a row in a chain, written with the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// 1 for the oldest row.
    pub(super) ordinal: u64,
    /// The row before.
    pub(super) prev: Option<Position>,
    /// A row further back.
    pub(super) jump: Option<Position>,
}

impl Link {
    /// The link of the row at `at` as three numbers.
    pub(super) fn numbers(self, at: Position) -> [u64; 3] {
        [self.ordinal, codec::distance(at, self.prev), codec::distance(at, self.jump)]
    }

    /// The link that these numbers encode.
    pub(super) fn from_numbers(at: Position, [ordinal, prev, jump]: [u64; 3]) -> Result<Self, Damage> {
        Ok(Self { ordinal, prev: codec::linked(at, prev)?, jump: codec::linked(at, jump)? })
    }
}

impl<R> Linked<R> for Link {
    const COUNT: usize = 3;

    fn put_at(&self, at: Position, _row: &R, next: &mut impl FnMut(u64)) {
        self.numbers(at).into_iter().for_each(next);
    }

    fn take_at(at: Position, _row: &R, body: &mut Body<'_>) -> Result<Self, Damage> {
        Self::from_numbers(at, body.numbers_of()?)
    }
}

impl<T> Default for Chain<T> {
    fn default() -> Self {
        Self { len: 0, trees: Vec::new() }
    }
}

impl<T> Chain<T> {
    /// How many rows it has.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The newest row.
    pub(super) fn newest(&self) -> Option<Position> {
        self.trees.last().map(|tree| tree.root)
    }
}

impl<T: Together> Chain<T> {
    /// Appends a row as the newest; returns its link, and what the rows of the tree of which it is the root have
    /// together.
    pub(super) fn push_with(&mut self, at: Position, row: T) -> (Link, T) {
        let prev = self.newest();
        let (height, whole) = match self.trees.as_slice() {
            [.., second, first] if first.height == second.height => {
                let merged = (first.height + 1, row.with(first.whole).with(second.whole));
                self.trees.truncate(self.trees.len() - 2);
                merged
            }
            _ => (1, row),
        };
        let jump = self.newest();
        self.trees.push(Tree { height, root: at, whole });
        self.len += 1;
        (Link { ordinal: self.len, prev, jump }, whole)
    }
}

impl Chain {
    /// Appends a row as the newest; returns its link.
    pub(super) fn push(&mut self, at: Position) -> Link {
        self.push_with(at, ()).0
    }
}

/// A row with its link.
pub(super) struct Node<R> {
    /// Its link.
    pub(super) link: Link,
    /// The row itself.
    pub(super) row: R,
}

/// A chain to be read: its newest row, and a function that fetches a row.
pub(super) struct Walk<F> {
    /// The newest row.
    pub(super) head: Option<Position>,
    /// Fetches a row.
    pub(super) read: F,
}

impl<R, F: Fn(Position) -> Result<Node<R>, Fault>> Walk<F> {
    /// The oldest row for which `holds` is true. `holds` must then be true for every newer row too.
    pub(super) fn oldest(&self, holds: impl Fn(&Node<R>) -> bool) -> Result<Option<Node<R>>, Fault> {
        let fetch = |at: Option<Position>| match at {
            Some(at) => (self.read)(at).map(|node| Some(node).filter(|node| holds(node))),
            None => Ok(None),
        };
        let Some(mut found) = fetch(self.head)? else { return Ok(None) };
        loop {
            let beyond = match fetch(found.link.jump)? {
                Some(node) => Some(node),
                // A jump that leads no further than `prev` was just tried.
                None if found.link.jump == found.link.prev => None,
                None => fetch(found.link.prev)?,
            };
            match beyond {
                Some(node) => found = node,
                None => return Ok(Some(found)),
            }
        }
    }

    /// The newest `limit` rows, newest first.
    pub(super) fn newest(&self, limit: usize) -> Result<Vec<R>, Fault> {
        let mut rows = Vec::new();
        let mut next = self.head;
        while let Some(at) = next.filter(|_| rows.len() < limit) {
            let node = (self.read)(at)?;
            next = node.link.prev;
            reserve(&mut rows, node.link.ordinal, limit);
            rows.push(node.row);
        }
        Ok(rows)
    }

    /// The rows from `start` back to the one with ordinal `floor`, newest first.
    pub(super) fn down(&self, start: Option<Position>, floor: u64) -> Result<Vec<R>, Fault> {
        let mut rows = Vec::new();
        let mut next = start;
        while let Some(at) = next {
            let node = (self.read)(at)?;
            if node.link.ordinal < floor {
                break;
            }
            next = node.link.prev.filter(|_| node.link.ordinal > floor);
            reserve(&mut rows, node.link.ordinal - floor + 1, usize::MAX);
            rows.push(node.row);
        }
        Ok(rows)
    }
}

/// Reserves the room for all rows that can follow, once, at the first row.
fn reserve<R>(rows: &mut Vec<R>, left: u64, limit: usize) {
    if rows.is_empty() {
        rows.reserve_exact(usize::try_from(left).unwrap_or(usize::MAX).min(limit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A search among 100,000 rows reads a few dozen of them, and the head of their chain stays a few words.
    #[test]
    fn searches_in_logarithmic_reads() {
        const ROWS: u64 = 100_000;
        let mut chain: Chain = Chain::default();
        let links: Vec<Link> = (1..=ROWS).map(|at| chain.push(Position::new(at).unwrap())).collect();
        assert!(chain.trees.len() <= 17, "{}", chain.trees.len());
        let reads = Cell::new(0);
        let read = |at: Position| {
            reads.set(reads.get() + 1);
            let link = links[usize::try_from(at.get() - 1).unwrap()];
            Ok(Node { link, row: at.get() })
        };
        let walk = Walk { head: chain.newest(), read };
        for wanted in (1..=ROWS).step_by(97).chain([ROWS]) {
            reads.set(0);
            let found = walk.oldest(|node| node.row >= wanted).unwrap().unwrap();
            assert_eq!((found.row, found.link.ordinal), (wanted, wanted));
            assert!(reads.get() <= 4 * 17, "{} reads for {wanted}", reads.get());
        }
        assert!(walk.oldest(|node| node.row > ROWS).unwrap().is_none());
    }
}
