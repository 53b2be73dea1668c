//! The surroundings of the driver here: the faulty disk, the exchange's turns, and nodes that lose, repeat and reorder answers.

use crate::disk::{Faulty, Trouble};
use buttonwood_custody::{
    Answer, Block, BlockRef, Broadcast, BuildError, Chain, Draft, KeyError, Keys, Lookup, Mempool, Signed,
    Spends, TxHash, Unanswered, Unsigned,
};
use buttonwood_disk::Disk;
use buttonwood_driver::Host;
use buttonwood_num::Money;
use buttonwood_oracle::Dice;
use buttonwood_sequencer::{Pending, Receipt, Stepped, Stopped};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// The exchange and its disk, as driver and simulator share them.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) disk: Faulty,
    stepped: Arc<Mutex<Option<Stepped>>>,
    /// The exchange cannot go on.
    has_fallen: Arc<AtomicBool>,
    node: Arc<Mutex<Node>>,
}

/// The nodes' behaviour, and answers that they gave before.
struct Node {
    dice: Dice,
    /// One in so many answers is bad; 0: none is.
    once_in: u64,
    /// By the first block of the chain.
    pasts: BTreeMap<TxHash, Past>,
}

/// Answers of one node.
#[derive(Default)]
struct Past {
    tips: Vec<BlockRef>,
    blocks: Vec<Vec<Block>>,
    lookups: BTreeMap<TxHash, Vec<Lookup>>,
}

/// Answers of a kind that are remembered.
const PAST: usize = 6;

impl Shared {
    pub(super) fn new(disk: Faulty, seed: u64) -> Self {
        let node = Node { dice: Dice::seeded(seed), once_in: 0, pasts: BTreeMap::new() };
        Self { disk, stepped: Arc::default(), has_fallen: Arc::default(), node: Arc::new(Mutex::new(node)) }
    }

    /// One in so many answers of nodes is bad from now on; 0: none is.
    pub(super) fn set_faults(&self, once_in: u64) {
        lock(&self.node).once_in = once_in;
    }

    pub(super) fn start(&self, stepped: Stepped) {
        self.has_fallen.store(false, Ordering::Relaxed);
        *lock(&self.stepped) = Some(stepped);
    }

    /// The end of the process.
    pub(super) fn end(&self) {
        *lock(&self.stepped) = None;
        lock(&self.node).pasts.clear();
    }

    /// Whether the process has been killed, or the power is gone.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.disk.blown(), Some(Trouble::Kill | Trouble::PowerCut))
    }

    /// Does something with the running exchange; nothing if it has ended.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut Stepped) -> T) -> Option<T> {
        lock(&self.stepped).as_mut().map(act)
    }

    /// A turn of the writer and one of the journal. `false`: the process has ended, or must.
    pub(super) fn turn(&self) -> bool {
        if self.must_end() {
            return false;
        }
        let committed = self.with(|stepped| {
            stepped.decide(Duration::ZERO);
            stepped.commit()
        });
        if !matches!(committed, Some(Ok(_))) {
            self.has_fallen.store(true, Ordering::Relaxed);
        }
        !self.must_end()
    }

    /// Whether the process has ended, or must.
    pub(super) fn must_end(&self) -> bool {
        self.has_ended() || self.has_fallen.load(Ordering::Relaxed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host for Shared {
    fn disk(&self) -> &dyn Disk {
        &self.disk
    }

    fn wait(&self, mut pending: Pending) -> Result<Receipt, Stopped> {
        loop {
            // An answer of a process that ended at that very moment has reached no client.
            if self.must_end() {
                return Err(Stopped);
            }
            let polled = Pin::new(&mut pending).poll(&mut Context::from_waker(Waker::noop()));
            if let Poll::Ready(answer) = polled {
                return answer;
            }
            if !self.turn() {
                return Err(Stopped);
            }
        }
    }

    fn reach(&self, chain: &mut dyn Chain, act: &mut dyn FnMut(&mut dyn Chain)) {
        let mut node = lock(&self.node);
        let Node { dice, once_in, pasts } = &mut *node;
        match chain.block_at(0) {
            Ok(Some(first)) if *once_in > 0 => {
                let past = pasts.entry(first.hash).or_default();
                act(&mut Flaky { chain, dice, once_in: *once_in, past });
            }
            // A chain whose file has failed answers nothing anyway.
            Ok(_) | Err(_) => act(chain),
        }
    }
}

/// A node with bad answers.
struct Flaky<'a> {
    chain: &'a mut dyn Chain,
    dice: &'a mut Dice,
    once_in: u64,
    past: &'a mut Past,
}

impl Flaky<'_> {
    fn is_bad(&mut self) -> bool {
        self.dice.once_in(self.once_in)
    }

    fn lost(&mut self) -> Answer<()> {
        if self.is_bad() { Err(Unanswered::new("lost")) } else { Ok(()) }
    }
}

/// The answer, or an earlier one.
fn late<T: Clone>(dice: &mut Dice, once_in: u64, past: &mut Vec<T>, now: T) -> T {
    let before = past.len();
    past.push(now.clone());
    if past.len() > PAST {
        past.remove(0);
    }
    if before == 0 || !dice.once_in(once_in) {
        return now;
    }
    let at = index(dice, past.len());
    past.get(at).cloned().unwrap_or(now)
}

fn index(dice: &mut Dice, len: usize) -> usize {
    let below = dice.below(u64::try_from(len).expect("a length fits"));
    usize::try_from(below).expect("it is below a length")
}

impl Chain for Flaky<'_> {
    fn tip(&mut self) -> Answer<BlockRef> {
        self.lost()?;
        let now = self.chain.tip()?;
        Ok(late(self.dice, self.once_in, &mut self.past.tips, now))
    }

    fn block_at(&mut self, height: u64) -> Answer<Option<BlockRef>> {
        self.lost()?;
        self.chain.block_at(height)
    }

    fn blocks(&mut self, from: u64, limit: usize) -> Answer<Vec<Block>> {
        self.lost()?;
        let now = self.chain.blocks(from, limit)?;
        let Self { dice, once_in, past, .. } = self;
        let mut blocks = late(dice, *once_in, &mut past.blocks, now);
        if !blocks.is_empty() && dice.once_in(*once_in) {
            let (one, other) = (index(dice, blocks.len()), index(dice, blocks.len()));
            match dice.below(3) {
                0 => blocks.swap(one, other),
                1 => blocks.truncate(one),
                _ => {
                    let again = blocks.get(other).cloned();
                    blocks.extend(again);
                }
            }
        }
        Ok(blocks)
    }

    fn mempool(&mut self, known: &std::collections::BTreeSet<TxHash>) -> Answer<Mempool> {
        self.lost()?;
        let mut pool = self.chain.mempool(known)?;
        if self.is_bad() {
            pool.fresh.reverse();
            let again = pool.fresh.first().cloned();
            pool.fresh.extend(again);
        }
        Ok(pool)
    }

    fn lookup(&mut self, tx: &TxHash, spends: &Spends) -> Answer<Lookup> {
        self.lost()?;
        let now = self.chain.lookup(tx, spends)?;
        Ok(late(self.dice, self.once_in, self.past.lookups.entry(tx.clone()).or_default(), now))
    }

    fn balance(&mut self, addresses: &[String], currency: &str) -> Answer<Money> {
        self.lost()?;
        self.chain.balance(addresses, currency)
    }

    fn build(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError> {
        self.lost()?;
        self.chain.build(draft)
    }

    fn sign(&self, unsigned: &Unsigned, keys: &dyn Keys) -> Result<Signed, KeyError> {
        self.chain.sign(unsigned, keys)
    }

    fn broadcast(&mut self, signed: &[u8]) -> Broadcast {
        if self.is_bad() {
            return Broadcast::NoAnswer;
        }
        let answer = self.chain.broadcast(signed);
        if self.is_bad() { Broadcast::NoAnswer } else { answer }
    }
}
