//! For tests: a chain in a folder of its own, keys, dice, and a node that loses, repeats, reorders and garbles answers.

mod disk;

pub(crate) use disk::Memory;

use crate::{
    Answer, Block, BlockRef, Broadcast, BuildError, Chain, Draft, KeyError, Keys, Lookup, Mempool, Network,
    Output, Signature, Signed, SimulatedChain, Spends, Transaction, TxHash, Unanswered, Unsigned, network,
};
use buttonwood_disk::System;
use buttonwood_num::Money;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use tempfile::TempDir;

/// One unit of a currency.
pub(crate) const ONE: i128 = 10_000_000_000_000_000_000;

pub(crate) fn units(units: i128) -> Money {
    Money::from_units(units * ONE)
}

pub(crate) fn output(address: &str, currency: &str, amount: i128) -> Output {
    Output { address: address.to_owned(), memo: None, currency: currency.to_owned(), amount: units(amount) }
}

/// Random numbers from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// Once in so many times.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.roll(times) == 0
    }

    pub(crate) fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.roll(u64::try_from(len).unwrap())).unwrap()
    }
}

/// Signs everything, the same way every time.
pub(crate) struct TestKeys;

impl Keys for TestKeys {
    fn sign(&self, address: &str, digest: &[u8; 32]) -> Result<Signature, KeyError> {
        if address.starts_with("foreign") {
            return Err(KeyError { address: address.to_owned(), reason: "no key".to_owned() });
        }
        let mut rs = [0; 64];
        rs[..32].copy_from_slice(digest);
        Ok(Signature { rs, recovery: 0, public_key: [2; 33] })
    }
}

/// A folder with chains.
pub(crate) struct Folder {
    dir: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// Opens, or opens again, the chain of a network, with 3 confirmations.
    pub(crate) fn open(&self, name: &str) -> SimulatedChain {
        let network: &'static Network = network(name).unwrap();
        SimulatedChain::open(&System, &self.dir.path().join("chains"), network, 3).unwrap()
    }
}

/// Answers that were given before.
#[derive(Debug, Default)]
pub(crate) struct Past {
    tips: Vec<BlockRef>,
    at: BTreeMap<u64, Vec<Option<BlockRef>>>,
    blocks: Vec<Vec<Block>>,
    mempools: Vec<Mempool>,
    lookups: BTreeMap<TxHash, Vec<Lookup>>,
    balances: Vec<Money>,
}

/// A node before a chain, whose answers are bad once in so many times.
pub(crate) struct Flaky<'a> {
    pub(crate) chain: &'a mut SimulatedChain,
    pub(crate) dice: &'a mut Dice,
    pub(crate) past: &'a mut Past,
    pub(crate) once_in: u64,
}

impl Flaky<'_> {
    /// Returns the answer, an earlier one, or none.
    fn answer<T: Clone + Debug>(dice: &mut Dice, once_in: u64, past: &mut Vec<T>, now: T) -> Answer<T> {
        let stale = past.get(dice.index(past.len() + 1)).cloned();
        past.push(now.clone());
        if !dice.once_in(once_in) {
            return Ok(now);
        }
        match stale {
            Some(stale) if dice.once_in(2) => Ok(stale),
            _ => Err(Unanswered::new("lost")),
        }
    }

    /// A transaction that no node should show.
    fn garbage(&mut self) -> Transaction {
        let amounts = [-5, 0, i128::MAX / ONE];
        let bad = output("customer-1", "BTC", amounts[self.dice.index(3)]);
        let long = Output { address: "x".repeat(100_000), ..output("", "BTC", 5) };
        let tx = TxHash::new(["", "not a hash", "garbage"][self.dice.index(3)]);
        Transaction { tx, spends: Spends::Unknown, outputs: vec![(0, bad), (1, long)], failed: false }
    }
}

impl Chain for Flaky<'_> {
    fn tip(&mut self) -> Answer<BlockRef> {
        let now = self.chain.tip()?;
        let tip = Self::answer(self.dice, self.once_in, &mut self.past.tips, now)?;
        let garbled = self.dice.once_in(self.once_in * 10);
        let height = if self.dice.once_in(2) { u64::MAX } else { tip.height };
        Ok(if garbled { BlockRef { height, hash: TxHash::new("") } } else { tip })
    }

    fn block_at(&mut self, height: u64) -> Answer<Option<BlockRef>> {
        let now = self.chain.block_at(height)?;
        Self::answer(self.dice, self.once_in, self.past.at.entry(height).or_default(), now)
    }

    fn blocks(&mut self, from: u64, limit: usize) -> Answer<Vec<Block>> {
        let now = self.chain.blocks(from, limit)?;
        let mut blocks = Self::answer(self.dice, self.once_in, &mut self.past.blocks, now)?;
        if self.dice.once_in(self.once_in) && !blocks.is_empty() {
            let (one, other) = (self.dice.index(blocks.len()), self.dice.index(blocks.len()));
            match self.dice.roll(4) {
                0 => blocks.swap(one, other),
                1 => blocks.insert(one, blocks[other].clone()),
                2 => blocks.truncate(one),
                _ => blocks[one].at.hash = TxHash::new(&"f".repeat(1_000_000)),
            }
        }
        if self.dice.once_in(self.once_in) && !blocks.is_empty() {
            let garbage = self.garbage();
            let index = self.dice.index(blocks.len());
            blocks[index].transactions.push(garbage);
        }
        Ok(blocks)
    }

    fn mempool(&mut self, known: &BTreeSet<TxHash>) -> Answer<Mempool> {
        let now = self.chain.mempool(known)?;
        let mut pool = Self::answer(self.dice, self.once_in, &mut self.past.mempools, now)?;
        if self.dice.once_in(self.once_in) {
            let garbage = self.garbage();
            pool.hashes.insert(garbage.tx.clone());
            pool.fresh.push(garbage);
            pool.fresh.reverse();
        }
        Ok(pool)
    }

    fn lookup(&mut self, tx: &TxHash, spends: &Spends) -> Answer<Lookup> {
        let now = self.chain.lookup(tx, spends)?;
        Self::answer(self.dice, self.once_in, self.past.lookups.entry(tx.clone()).or_default(), now)
    }

    fn balance(&mut self, addresses: &[String], currency: &str) -> Answer<Money> {
        let now = self.chain.balance(addresses, currency)?;
        Self::answer(self.dice, self.once_in, &mut self.past.balances, now)
    }

    fn build(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError> {
        if self.dice.once_in(self.once_in) {
            return Err(Unanswered::new("lost").into());
        }
        self.chain.build(draft)
    }

    fn sign(&self, unsigned: &Unsigned, keys: &dyn Keys) -> Result<Signed, KeyError> {
        self.chain.sign(unsigned, keys)
    }

    fn broadcast(&mut self, signed: &[u8]) -> Broadcast {
        if self.dice.once_in(self.once_in) {
            return Broadcast::NoAnswer;
        }
        let answer = self.chain.broadcast(signed);
        if self.dice.once_in(self.once_in) { Broadcast::NoAnswer } else { answer }
    }
}
