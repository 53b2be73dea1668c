//! A Merkle-sum tree: each node commits to the hashes and the sums of its children, so that the root's sum can be trusted by the owner
//! of any leaf.

use buttonwood_num::{MONEY_DECIMALS, Money};
use sha2::{Digest, Sha256};

/// A leaf or a node above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its hash.
    pub hash: [u8; 32],
    /// The sum of the leaves under it.
    pub sum: Money,
}

/// On which side of a path a sibling is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The left child is the sibling.
    Left,
    /// The right child is the sibling.
    Right,
}

impl Side {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// A step of a path: the node that is joined with the one reached so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sibling {
    /// The sibling's side.
    pub side: Side,
    /// The sibling.
    pub node: Node,
}

/// The leaf of an account: the hash of `buttonwood leaf|nonce|amount`.
pub fn leaf(nonce: &str, amount: Money) -> Node {
    let hash = Sha256::new().chain_update("buttonwood leaf|").chain_update(nonce);
    Node { hash: hash.chain_update("|").chain_update(printed(amount)).finalize().into(), sum: amount }
}

impl Node {
    /// The node above two others: the hash of `buttonwood node|hash|sum|hash|sum`.
    ///
    /// # Panics
    /// When the sum is out of range; all customers of an exchange together cannot have so much.
    fn above([left, right]: [&Self; 2]) -> Self {
        let mut hash = Sha256::new_with_prefix("buttonwood node");
        for child in [left, right] {
            hash.update("|");
            hash.update(child.hex());
            hash.update("|");
            hash.update(printed(child.sum));
        }
        Self { hash: hash.finalize().into(), sum: left.sum + right.sum }
    }

    /// Its hash in lower-case hex.
    pub fn hex(&self) -> String {
        const_hex::encode(self.hash)
    }
}

/// An amount with all decimals that it has.
fn printed(amount: Money) -> Vec<u8> {
    let mut out = Vec::new();
    amount.push_floored(&mut out, MONEY_DECIMALS);
    out
}

/// A tree over leaves in a fixed order. Where a level has an odd number of nodes, its last one rises to the next level as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The leaves first, the root last.
    levels: Vec<Vec<Node>>,
}

impl Tree {
    /// The tree over these leaves.
    pub fn over(leaves: Vec<Node>) -> Self {
        let mut levels = vec![leaves];
        while let Some(below) = levels.last().filter(|level| level.len() > 1) {
            let pairs = below.chunks(2).filter_map(|pair| match pair {
                [left, right] => Some(Node::above([left, right])),
                [last] => Some(*last),
                _ => None,
            });
            let above = pairs.collect();
            levels.push(above);
        }
        Self { levels }
    }

    /// The root; none without a leaf.
    pub fn root(&self) -> Option<&Node> {
        self.levels.last()?.first()
    }

    /// The leaf at a place.
    pub fn leaf(&self, place: usize) -> Option<&Node> {
        self.levels.first()?.get(place)
    }

    /// The siblings of the path from a leaf up to the root.
    pub fn path(&self, leaf: usize) -> Vec<Sibling> {
        let places = std::iter::successors(Some(leaf), |place| Some(place / 2));
        let steps = self.levels.iter().zip(places).filter_map(|(level, place)| {
            let side = if place.is_multiple_of(2) { Side::Right } else { Side::Left };
            Some(Sibling { side, node: *level.get(place ^ 1)? })
        });
        steps.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn amounts() -> impl Strategy<Value = Vec<i128>> {
        proptest::collection::vec(1..10_i128.pow(30), 1..70)
    }

    fn leaves(amounts: &[i128]) -> Vec<Node> {
        let each = amounts.iter().enumerate();
        each.map(|(at, amount)| leaf(&format!("group/a{at}/00"), Money::from_units(*amount))).collect()
    }

    /// The computation of a customer.
    fn climb(leaf: Node, path: &[Sibling]) -> Node {
        path.iter().fold(leaf, |below, step| match step.side {
            Side::Left => Node::above([&step.node, &below]),
            Side::Right => Node::above([&below, &step.node]),
        })
    }

    proptest! {
        /// Each leaf's path leads to the root, and the root's sum is that of all leaves (INV-POR-1).
        #[test]
        fn every_path_leads_to_the_root(amounts in amounts()) {
            let leaves = leaves(&amounts);
            let tree = Tree::over(leaves.clone());
            let root = *tree.root().unwrap();
            prop_assert_eq!(root.sum.units(), amounts.iter().sum::<i128>());
            for (at, leaf) in leaves.into_iter().enumerate() {
                prop_assert_eq!(climb(leaf, &tree.path(at)), root);
            }
        }

        /// Any change of one leaf changes the root, and the path of another leaf does not lead there.
        #[test]
        fn one_change_changes_the_root(amounts in amounts(), at: prop::sample::Index, more in 1..1_000_i128) {
            let at = at.index(amounts.len());
            let mut changed = amounts.clone();
            changed[at] += more;
            let (before, after) = (Tree::over(leaves(&amounts)), Tree::over(leaves(&changed)));
            prop_assert_ne!(before.root().unwrap().hash, after.root().unwrap().hash);
            let forged = climb(leaves(&changed)[at], &before.path(at));
            prop_assert_ne!(&forged, before.root().unwrap());
            if amounts.len() > 1 {
                let other = (at + 1) % amounts.len();
                prop_assert_ne!(&climb(leaves(&amounts)[at], &before.path(other)), before.root().unwrap());
            }
        }
    }

    /// The hashes are those of the texts in the documentation, computed by `sha256sum`.
    #[test]
    fn hashes_are_those_of_the_documented_texts() {
        let half = leaf("one/primary/ab", Money::from_units(5 * 10_i128.pow(18)));
        let whole = leaf("one/savings/cd", Money::from_units(10_i128.pow(22)));
        let sha = |text: &str| const_hex::encode(Sha256::digest(text));
        assert_eq!(half.hex(), sha("buttonwood leaf|one/primary/ab|0.5"));
        assert_eq!(whole.hex(), sha("buttonwood leaf|one/savings/cd|1000"));
        let root = *Tree::over(vec![half, whole]).root().unwrap();
        let text = format!("buttonwood node|{}|0.5|{}|1000", half.hex(), whole.hex());
        assert_eq!((root.hex(), root.sum.units()), (sha(&text), 10_005 * 10_i128.pow(18)));
    }

    #[test]
    fn a_tree_of_one_leaf_is_the_leaf() {
        let leaf = leaf("a/b/00", Money::from_units(1));
        let tree = Tree::over(vec![leaf]);
        assert_eq!((tree.root(), tree.path(0)), (Some(&leaf), Vec::new()));
        assert_eq!(Tree::over(Vec::new()).root(), None);
    }
}
