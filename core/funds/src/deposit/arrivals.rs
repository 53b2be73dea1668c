//! Every payment that has arrived, and the blocks that its network's watcher has read.

use crate::Eid;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_model::{Fingerprint, RowHash};
use serde::{Deserialize, Serialize};

/// Newest blocks of a network that are kept: as many as its watcher follows a reorganisation over.
const BLOCKS_KEPT: usize = 64;

/// The permanent identity of a payment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OutputKey {
    /// The lower-case name of the network.
    pub network: String,
    /// The hash of the transaction, as its network prints it.
    pub tx: String,
    /// The output; 0 where the chain has no outputs.
    pub index: u32,
}

/// A block of a chain, by its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChainBlock {
    /// Number of blocks below it.
    pub height: u64,
    /// Its hash.
    pub hash: String,
}

/// How far a payment has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// It waits for its confirmations.
    Waiting,
    /// It was credited.
    Credited,
    /// It cannot confirm any more.
    Lost,
}

/// A payment that has arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deposit {
    /// Its row.
    pub eid: Eid,
    /// How far it has come.
    pub state: State,
    /// The block that holds it; none while it waits for one, and once it is too deep to be removed.
    pub block: Option<ChainBlock>,
    /// The inputs of its transaction, in the encoding of `edge/custody`; empty once it is too deep to be removed.
    pub spends: Vec<u8>,
}

/// Every payment that has arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deposits {
    all: BTreeMap<OutputKey, Deposit>,
    /// Those that may still change: not credited yet, or in a block that can be removed.
    live: BTreeSet<OutputKey>,
    /// Those of the house account for payments that fit no account.
    pub(super) unclaimed: BTreeSet<OutputKey>,
    blocks: BTreeMap<String, VecDeque<ChainBlock>>,
    /// The fingerprint of all payments so far.
    fingerprint: Fingerprint,
}

/// A payment, as fingerprints have it.
const ROW: RowHash = RowHash::of("deposit");

impl Deposit {
    fn hash(&self) -> RowHash {
        let state = match self.state {
            State::Waiting => 0,
            State::Credited => 1,
            State::Lost => 2,
        };
        let row = ROW.word(self.eid.0).word(state);
        self.block.as_ref().map_or(row, |block| row.word(block.height).text(&block.hash))
    }
}

impl Deposits {
    /// A payment.
    pub fn get(&self, key: &OutputKey) -> Option<&Deposit> {
        self.all.get(key)
    }

    /// All of a network.
    pub fn all(&self, network: &str) -> impl Iterator<Item = (&OutputKey, &Deposit)> {
        let from = OutputKey { network: network.into(), tx: String::new(), index: 0 };
        let network = String::from(network);
        self.all.range(from..).take_while(move |(key, _)| key.network == network)
    }

    /// Those of a network that may still change.
    pub fn live(&self, network: &str) -> impl Iterator<Item = (&OutputKey, &Deposit)> {
        let from = OutputKey { network: network.into(), tx: String::new(), index: 0 };
        let network = String::from(network);
        let own = self.live.range(from..).take_while(move |key| key.network == network);
        own.filter_map(|key| self.all.get(key).map(|deposit| (key, deposit)))
    }

    /// Every payment that may still change, of all networks.
    pub(super) fn all_live(&self) -> impl Iterator<Item = (&OutputKey, &Deposit)> {
        self.live.iter().filter_map(|key| self.all.get(key).map(|deposit| (key, deposit)))
    }

    /// Payments that fit no account and were not assigned.
    pub fn unclaimed(&self) -> impl Iterator<Item = (&OutputKey, &Deposit)> {
        self.unclaimed.iter().filter_map(|key| self.all.get(key).map(|deposit| (key, deposit)))
    }

    /// The newest blocks that the watcher of a network has read, the lowest first.
    pub fn blocks(&self, network: &str) -> impl DoubleEndedIterator<Item = &ChainBlock> {
        self.blocks.get(network).into_iter().flatten()
    }

    pub(super) fn add(&mut self, key: OutputKey, deposit: Deposit) {
        self.live.insert(key.clone());
        self.fingerprint.add(deposit.hash());
        self.all.insert(key, deposit);
    }

    /// The fingerprint of all payments so far.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Changes a payment, and returns its row.
    ///
    /// # Panics
    /// When no such payment was seen.
    pub(super) fn change(&mut self, key: &OutputKey, change: impl FnOnce(&mut Deposit)) -> Eid {
        let deposit = self.all.get_mut(key).expect("the decision found the payment");
        change(deposit);
        self.fingerprint.add(deposit.hash());
        deposit.eid
    }

    /// Sets how far a payment has come. One that is lost is none of those that a watcher follows.
    ///
    /// # Panics
    /// When no such payment was seen.
    pub(super) fn set_state(&mut self, key: &OutputKey, state: State) -> Eid {
        match state {
            State::Lost => self.live.remove(key),
            State::Waiting | State::Credited => self.live.insert(key.clone()),
        };
        self.change(key, |deposit| deposit.state = state)
    }

    /// Follows a chain, and forgets what only payments in removable blocks need.
    pub(super) fn follow(&mut self, network: &str, removed_above: Option<u64>, blocks: Vec<ChainBlock>) {
        let own = self.blocks.entry(network.into()).or_default();
        while own.back().is_some_and(|block| removed_above.is_some_and(|height| block.height > height)) {
            own.pop_back();
        }
        for block in blocks {
            let last = own.back().map(|last| last.height.saturating_add(1));
            match last {
                // A report that came twice.
                Some(next) if block.height < next => continue,
                Some(next) if block.height > next => own.clear(),
                Some(_) | None => {}
            }
            own.push_back(block);
            if own.len() > BLOCKS_KEPT {
                own.pop_front();
            }
        }
        let Some(lowest) = own.front().map(|block| block.height) else { return };
        let is_deep = |deposit: &Deposit| {
            deposit.state == State::Credited
                && deposit.block.as_ref().is_some_and(|block| block.height < lowest)
        };
        let deep: Vec<OutputKey> =
            self.live(network).filter(|(_, deposit)| is_deep(deposit)).map(|(key, _)| key.clone()).collect();
        for key in deep {
            self.change(&key, |deposit| (deposit.block, deposit.spends) = (None, Vec::new()));
            self.live.remove(&key);
        }
    }
}
