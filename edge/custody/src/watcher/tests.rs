//! The reports of a watcher, on a calm chain and on one that repeats, reorders, reorganises and loses answers.

use super::*;
use crate::rig::{Dice, Flaky, Folder, Past, output};
use crate::{Mempool, Observation, Outpoint, SimulatedChain, TxHash};
use std::collections::{BTreeMap, BTreeSet};

const REQUIRED: u32 = 3;

fn is_ours(address: &str) -> bool {
    address.starts_with("customer")
}

/// The row that the caller would keep of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    known: Known,
    confirmations: u32,
    lost: bool,
    credits: u32,
}

/// The caller's records: cursor and payments.
#[derive(Debug, Default)]
struct Journal {
    branch: Vec<BlockRef>,
    rows: BTreeMap<Outpoint, Row>,
    halted: bool,
}

impl Journal {
    fn watcher(&self) -> Watcher {
        let known = self.rows.values().filter(|row| !row.lost).map(|row| row.known.clone());
        Watcher::restore(REQUIRED, Branch::new(self.branch.clone()), known)
    }

    /// Applies a report as the core would. `existed`: every block that the chain has had, and its highest tip.
    fn take(&mut self, report: &Report, existed: &BTreeMap<BlockRef, u64>) {
        if let Some(above) = report.removed_above {
            self.branch.retain(|block| block.height <= above);
        }
        self.branch.extend(report.blocks.iter().cloned());
        for observation in &report.observations {
            match observation {
                Observation::Seen { key, output, spends } => {
                    assert!(is_ours(&output.address) && output.amount > buttonwood_num::Money::ZERO);
                    let known = Known { key: key.clone(), spends: spends.clone(), block: None };
                    let row = Row { known, confirmations: 0, lost: false, credits: 0 };
                    self.rows.entry(key.clone()).or_insert(row).lost = false;
                }
                Observation::Confirmed { key, block, confirmations } => {
                    let row = self.rows.get_mut(key).expect("a payment is seen first");
                    let highest = existed.get(block).expect("a block that never was");
                    assert!(highest - block.height + 1 >= u64::from(*confirmations), "confirmed early");
                    row.known.block = Some(block.clone());
                    row.confirmations = *confirmations;
                    if *confirmations == REQUIRED && row.credits == 0 {
                        row.credits = 1;
                    }
                }
                Observation::Removed { key, confirmations, .. } => {
                    let row = self.rows.get_mut(key).unwrap();
                    assert_eq!(row.confirmations, *confirmations);
                    self.halted |= row.credits > 0;
                    row.known.block = None;
                    row.confirmations = 0;
                }
                Observation::Lost { key } => self.rows.get_mut(key).unwrap().lost = true,
            }
        }
    }
}

/// A chain, the caller's journal, and a watcher.
struct Stage {
    chain: SimulatedChain,
    journal: Journal,
    watcher: Watcher,
    existed: BTreeMap<BlockRef, u64>,
    _folder: Folder,
}

impl Stage {
    fn new(network: &str) -> Self {
        let folder = Folder::new();
        let chain = folder.open(network);
        let journal = Journal::default();
        let watcher = journal.watcher();
        let mut stage = Self { chain, journal, watcher, existed: BTreeMap::new(), _folder: folder };
        stage.look();
        stage
    }

    fn note_blocks(&mut self) {
        let tip = self.chain.height();
        for height in 0..=tip {
            let block = self.chain.block_at(height).unwrap().unwrap();
            let highest = self.existed.entry(block).or_default();
            *highest = tip.max(*highest);
        }
    }

    fn look(&mut self) -> Report {
        self.note_blocks();
        let report = self.watcher.look(&mut self.chain, &is_ours);
        self.journal.take(&report, &self.existed);
        report
    }

    fn send(&mut self, to: &str) -> Outpoint {
        self.chain.send(output(to, self.chain.network().currency, 1)).unwrap()
    }

    /// (confirmations, lost, credits) of a payment.
    fn row(&self, key: &Outpoint) -> (u32, bool, u32) {
        let row = &self.journal.rows[key];
        (row.confirmations, row.lost, row.credits)
    }
}

/// A payment is seen while it waits and confirmed block by block; the block that holds it is the first confirmation.
#[test]
fn a_payment_is_seen_and_confirmed() {
    let mut stage = Stage::new("bitcoin");
    let key = stage.send("customer-1");
    stage.send("stranger");
    let report = stage.look();
    assert!(report.caught_up);
    assert!(matches!(&report.observations[..], [Observation::Seen { key: seen, .. }] if *seen == key));
    assert!(stage.look().is_empty());
    for confirmations in 1..=4 {
        stage.chain.mine(1).unwrap();
        let report = stage.look();
        assert_eq!(stage.row(&key), (confirmations.min(3), false, u32::from(confirmations >= 3)));
        assert_eq!(report.observations.len(), usize::from(confirmations <= 3));
        assert_eq!(report.blocks.len(), 1);
    }
}

/// Many blocks at once, more than one look reads, are caught up with; a payment in the first is credited once.
#[test]
fn many_blocks_are_read_in_steps() {
    let mut stage = Stage::new("litecoin");
    let key = stage.send("customer-1");
    stage.chain.mine(1000).unwrap();
    let mut looks = 1;
    while !stage.look().caught_up {
        looks += 1;
    }
    assert!(looks > 3 && looks < 20, "{looks}");
    assert_eq!(stage.row(&key), (3, false, 1));
    assert_eq!(stage.watcher.branch().tip().unwrap().height, 1000);
    assert_eq!(stage.watcher.branch().iter().count(), WINDOW);
}

/// A reorganisation touches only what was in the removed blocks; a payment that vanishes is lost, one that waits is
/// confirmed again, and one that was final is reported with its confirmations.
#[test]
fn a_reorganisation_removes_what_its_blocks_held() {
    let mut stage = Stage::new("bitcoin");
    let old = stage.send("customer-1");
    stage.chain.mine(1).unwrap();
    let young = stage.send("customer-2");
    stage.chain.mine(1).unwrap();
    stage.look();
    assert_eq!((stage.row(&old).0, stage.row(&young).0), (2, 1));
    stage.chain.reorg(1, false).unwrap();
    let report = stage.look();
    assert_eq!(report.removed_above, Some(1));
    assert_eq!((stage.row(&old), stage.row(&young)), ((3, false, 1), (0, false, 0)));
    assert!(!stage.journal.halted);
    stage.chain.mine(1).unwrap();
    stage.look();
    assert_eq!(stage.row(&young), (1, false, 0));
    stage.chain.reorg(4, true).unwrap();
    stage.look();
    assert!(stage.journal.halted);
    assert_eq!((stage.row(&old), stage.row(&young)), ((0, true, 1), (0, true, 0)));
}

/// A credited payment that is mined again after a reorganisation is reported under the same key.
#[test]
fn a_final_payment_keeps_its_identity() {
    let mut stage = Stage::new("ethereum");
    let key = stage.send("customer-1");
    stage.chain.mine(5).unwrap();
    stage.look();
    stage.chain.reorg(5, false).unwrap();
    stage.look();
    stage.chain.mine(3).unwrap();
    stage.look();
    assert_eq!(stage.journal.rows.len(), 1);
    assert_eq!(stage.row(&key), (3, false, 1));
}

/// A watcher that starts again finds what happened while it was away, a reorganisation included.
#[test]
fn a_restart_misses_nothing() {
    for (depth, drop) in [(0, false), (2, false), (2, true)] {
        let mut stage = Stage::new("bitcoin");
        let seen = stage.send("customer-1");
        stage.chain.mine(2).unwrap();
        stage.look();
        if depth > 0 {
            stage.chain.reorg(depth, drop).unwrap();
        }
        let new = stage.send("customer-2");
        stage.chain.mine(1).unwrap();
        stage.watcher = stage.journal.watcher();
        stage.look();
        let expected = match (depth, drop) {
            (0, _) => (3, false, 1),
            (_, false) => (1, false, 0),
            (_, true) => (0, true, 0),
        };
        assert_eq!((stage.row(&seen), stage.row(&new)), (expected, (1, false, 0)));
    }
}

/// A reorganisation deeper than the window is not followed; the watcher says so every time and reports nothing else.
#[test]
fn a_reorganisation_can_be_too_deep() {
    let mut stage = Stage::new("bitcoin");
    stage.chain.mine(200).unwrap();
    while !stage.look().caught_up {}
    stage.chain.reorg(140, false).unwrap();
    for _ in 0..2 {
        let report = stage.look();
        assert_eq!(report.fault, Some(Fault::TooDeep { lowest: 73 }));
        assert!(report.blocks.is_empty() && report.observations.is_empty() && !report.caught_up);
    }
}

/// A node whose answers are set by hand.
struct Told {
    blocks: Vec<Block>,
}

impl Told {
    /// Blocks named by letters, each on top of the one before.
    fn chain(names: &str) -> Self {
        let hash = |at: Option<usize>| match at {
            Some(at) => TxHash::new(&names[at..=at]),
            None => TxHash::new("none"),
        };
        let block = |at: usize| Block {
            at: BlockRef { height: u64::try_from(at).unwrap(), hash: hash(Some(at)) },
            parent: hash(at.checked_sub(1)),
            transactions: Vec::new(),
        };
        Self { blocks: (0..names.len()).map(block).collect() }
    }
}

impl Chain for Told {
    fn tip(&mut self) -> crate::Answer<BlockRef> {
        Ok(self.blocks.last().unwrap().at.clone())
    }
    fn block_at(&mut self, height: u64) -> crate::Answer<Option<BlockRef>> {
        Ok(self.blocks.get(usize::try_from(height).unwrap()).map(|block| block.at.clone()))
    }
    fn blocks(&mut self, from: u64, limit: usize) -> crate::Answer<Vec<Block>> {
        Ok(self.blocks.iter().skip(usize::try_from(from).unwrap()).take(limit).cloned().collect())
    }
    fn mempool(&mut self, _: &BTreeSet<TxHash>) -> crate::Answer<Mempool> {
        Ok(Mempool::default())
    }
    fn lookup(&mut self, _: &TxHash, _: &crate::Spends) -> crate::Answer<crate::Lookup> {
        Ok(crate::Lookup::Unknown)
    }
    fn balance(&mut self, _: &[String], _: &str) -> crate::Answer<buttonwood_num::Money> {
        Err(Unanswered::new("not kept"))
    }
    fn build(&mut self, _: &crate::Draft<'_>) -> Result<crate::Unsigned, crate::BuildError> {
        Err(Unanswered::new("not kept").into())
    }
    fn sign(&self, _: &crate::Unsigned, _: &dyn crate::Keys) -> Result<crate::Signed, crate::KeyError> {
        Err(crate::KeyError { address: String::new(), reason: "not kept".to_owned() })
    }
    fn broadcast(&mut self, _: &[u8]) -> crate::Broadcast {
        crate::Broadcast::NoAnswer
    }
}

/// A node that is behind changes nothing; another branch of the same length is followed only when the node insists, a
/// longer one at once.
#[test]
fn only_a_stubborn_node_shortens_the_chain() {
    let mut watcher = Watcher::new(REQUIRED);
    let mut look = |names| {
        let report = watcher.look(&mut Told::chain(names), &is_ours);
        let tip = watcher.branch().tip().unwrap().hash.as_str().to_owned();
        (report.removed_above, tip)
    };
    assert_eq!(look("a"), (None, "a".to_owned()));
    assert_eq!(look("abcd"), (None, "d".to_owned()));
    for _ in 0..10 {
        assert_eq!(look("ab"), (None, "d".to_owned()));
    }
    assert_eq!(look("abcx"), (None, "d".to_owned()));
    assert_eq!(look("abcx"), (None, "d".to_owned()));
    assert_eq!(look("abcy"), (None, "d".to_owned()));
    assert_eq!(look("abcx"), (None, "d".to_owned()));
    assert_eq!(look("abcx"), (None, "d".to_owned()));
    assert_eq!(look("abcx"), (Some(2), "x".to_owned()));
    assert_eq!(look("aopqr"), (Some(0), "r".to_owned()));
}

/// Random lives on a node that loses, repeats, reorders and garbles answers, with restarts: nothing is credited early or
/// twice, and in the end the rows are what the chain holds. Proves INV-DEP-1 for the watcher's part.
#[test]
fn bad_answers_change_nothing() {
    let mut credited = 0;
    for seed in 0..20 {
        let dice = &mut Dice(seed);
        let mut stage = Stage::new(["bitcoin", "ethereum", "xrpl"][dice.index(3)]);
        let mut past = Past::default();
        let mut sent = Vec::new();
        for _ in 0..150 {
            match dice.roll(9) {
                0..3 => sent.push(stage.send(&format!("customer-{}", dice.roll(5)))),
                3..6 => drop(stage.chain.mine(1).unwrap()),
                6 if stage.chain.height() > 3 => {
                    let depth = 1 + u32::try_from(dice.roll(3)).unwrap();
                    stage.chain.reorg(depth, dice.once_in(3)).unwrap();
                }
                7 => stage.watcher = stage.journal.watcher(),
                _ => {}
            }
            stage.note_blocks();
            let once_in = 3 + seed % 5;
            let chain = &mut stage.chain;
            let mut node = Flaky { chain, dice: &mut *dice, past: &mut past, once_in };
            let report = stage.watcher.look(&mut node, &is_ours);
            assert_eq!(report.fault, None, "seed {seed}");
            stage.journal.take(&report, &stage.existed);
        }
        for _ in 0..5 {
            stage.look();
        }
        let held: BTreeMap<Outpoint, Option<u64>> = (0..5)
            .flat_map(|customer| stage.chain.received(&format!("customer-{customer}")).unwrap())
            .map(|incoming| (Outpoint { tx: incoming.tx, index: incoming.index }, incoming.height))
            .collect();
        for key in &sent {
            let expected = match held.get(key) {
                None => (0, true),
                Some(None) => (0, false),
                Some(Some(height)) => {
                    let depth = u32::try_from(stage.chain.height() - height + 1).unwrap();
                    (depth.min(REQUIRED), false)
                }
            };
            let Some(row) = stage.journal.rows.get(key) else {
                assert!(expected.1, "seed {seed}: {key:?} was never seen");
                continue;
            };
            assert_eq!((row.confirmations, row.lost), expected, "seed {seed}: {key:?}");
            assert!(row.credits == 1 || row.confirmations < REQUIRED);
            credited += row.credits;
        }
        assert!(stage.journal.rows.keys().all(|key| sent.contains(key)), "seed {seed}: invented");
    }
    assert!(credited > 300, "{credited}");
}
