//! A simulated chain in memory: deterministic, without a clock or files.

mod blocks;
mod draft;
mod pay;

use super::command::{Command, Incoming, Refusal, SignedBody, Treatment};
use super::hash;
use crate::{BlockRef, Broadcast, Lookup, Network, Outpoint, Output, Spends, Transaction, TxHash, sane};
use buttonwood_num::Money;
use std::collections::{BTreeMap, BTreeSet};

/// Blocks that one call may add.
pub(super) const MINE_MAX: u32 = 10_000;

/// Payments that one call may treat specially.
pub(super) const TIMES_MAX: u32 = 1_000_000;

/// Where a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Not in a block; the number is its order.
    Waiting(u64),
    /// In the block of a height.
    Mined(u64),
    /// Minted: in no block, and beyond reorganisations.
    Standing,
    /// Vanished in a reorganisation.
    Dropped,
    /// Another transaction that spends the same has taken its place before it was mined.
    Replaced,
}

/// A transaction that the chain has taken.
#[derive(Clone, Debug)]
struct Entry {
    spends: Spends,
    outputs: Vec<Output>,
    /// Sent by the exchange.
    own: bool,
    bid: u32,
    /// It will fail in its block.
    reverts: bool,
    place: Place,
}

impl Entry {
    /// A payment from outside.
    fn new(spends: Spends, outputs: Vec<Output>) -> Self {
        Self { spends, outputs, own: false, bid: 0, reverts: false, place: Place::Standing }
    }

    fn failed(&self) -> bool {
        self.reverts && matches!(self.place, Place::Mined(_))
    }

    /// Whether its outputs exist, in a block or not yet.
    fn is_alive(&self) -> bool {
        matches!(self.place, Place::Waiting(_) | Place::Mined(_) | Place::Standing)
    }
}

/// The inputs of a transaction, one by one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spend {
    Input(Outpoint),
    Nonce(String, u64),
}

/// The effect of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Broadcast(Broadcast),
    Sent(Outpoint),
    Height(u64),
    Reorganised { height: u64, dropped: Vec<TxHash> },
    Nothing,
}

#[derive(Clone, Debug)]
struct Block {
    hash: TxHash,
    transactions: Vec<TxHash>,
}

/// A simulated chain.
#[derive(Clone, Debug)]
pub(super) struct Model {
    network: &'static Network,
    confirmations: u32,
    blocks: Vec<Block>,
    /// Reorganisations so far.
    branch: u64,
    /// Transactions so far: the next one's order, and what makes payments from outside differ.
    counter: u64,
    entries: BTreeMap<TxHash, Entry>,
    waiting: BTreeMap<u64, TxHash>,
    /// The living transaction that uses something up.
    spent: BTreeMap<Spend, TxHash>,
    /// Unspent outputs of living transactions, by owner; only on chains of outputs.
    unspent: BTreeMap<(String, String), BTreeSet<Outpoint>>,
    /// Balances in blocks.
    balances: BTreeMap<(String, String), Money>,
    /// The sums that waiting transactions take from accounts.
    outflow: BTreeMap<(String, String), Money>,
    /// The amount that was minted of each currency, less what was burned.
    minted: BTreeMap<String, Money>,
    /// The next nonce of each account in blocks.
    nonces: BTreeMap<String, u64>,
    /// Transactions by receiver, oldest first.
    received: BTreeMap<String, Vec<Outpoint>>,
    refused: BTreeSet<TxHash>,
    treatment: Treatment,
    times: u32,
}

impl Model {
    /// A chain with its first block, which is empty. `confirmations` says when a conflict is final.
    pub(super) fn new(network: &'static Network, confirmations: u32) -> Self {
        let genesis = Block { hash: hash::block(network, 0, 0), transactions: Vec::new() };
        Self {
            network,
            confirmations,
            blocks: vec![genesis],
            branch: 0,
            counter: 0,
            entries: BTreeMap::new(),
            waiting: BTreeMap::new(),
            spent: BTreeMap::new(),
            unspent: BTreeMap::new(),
            balances: BTreeMap::new(),
            outflow: BTreeMap::new(),
            minted: BTreeMap::new(),
            nonces: BTreeMap::new(),
            received: BTreeMap::new(),
            refused: BTreeSet::new(),
            treatment: Treatment::Normal,
            times: 0,
        }
    }

    /// Applies a command. A refused one has changed nothing; `true` says that the chain has changed.
    pub(super) fn apply(&mut self, command: &Command) -> Result<(Done, bool), Refusal> {
        match command {
            Command::Broadcast(bytes) => {
                let (answer, changed) = self.take(bytes);
                Ok((Done::Broadcast(answer), changed))
            }
            Command::Send(output) => {
                check_output(output)?;
                let tx = self.next_hash(b"outside");
                self.enter(tx.clone(), Entry::new(Spends::Unknown, vec![output.clone()]));
                Ok((Done::Sent(Outpoint { tx, index: 0 }), true))
            }
            Command::Mint(output) => {
                check_output(output)?;
                self.mint(output);
                Ok((Done::Nothing, true))
            }
            Command::Burn(output) => {
                check_output(output)?;
                if output.amount > self.burnable(&output.address, &output.currency) {
                    return Err(Refusal::Amount { amount: output.amount });
                }
                self.burn(output);
                Ok((Done::Nothing, true))
            }
            Command::Mine(blocks) => {
                check_range("blocks", u64::from(*blocks), 1, u64::from(MINE_MAX))?;
                for _ in 0..*blocks {
                    self.mine();
                }
                Ok((Done::Height(self.height()), true))
            }
            Command::Reorg { depth, drop } => {
                let most = self.height().min(u64::from(MINE_MAX));
                check_range("depth", u64::from(*depth), 1, most)?;
                let dropped = self.reorganise(*depth, *drop);
                Ok((Done::Reorganised { height: self.height(), dropped }, true))
            }
            Command::Node { treatment, times } => {
                if *treatment == Treatment::Revert && !self.network.evm {
                    return Err(Refusal::NoRevert);
                }
                check_range("times", u64::from(*times), 1, u64::from(TIMES_MAX))?;
                (self.treatment, self.times) = (*treatment, *times);
                Ok((Done::Nothing, true))
            }
        }
    }

    pub(super) fn set_confirmations(&mut self, confirmations: u32) {
        self.confirmations = confirmations;
    }

    pub(super) fn height(&self) -> u64 {
        u64::try_from(self.blocks.len()).unwrap_or(u64::MAX) - 1
    }

    pub(super) fn block_at(&self, height: u64) -> Option<BlockRef> {
        let block = self.blocks.get(usize::try_from(height).ok()?)?;
        Some(BlockRef { height, hash: block.hash.clone() })
    }

    /// A block with its parent's hash and its transactions.
    pub(super) fn block(&self, height: u64) -> Option<crate::Block> {
        let at = self.block_at(height)?;
        let parent = match height.checked_sub(1) {
            Some(below) => self.block_at(below)?.hash,
            None => TxHash::new("none"),
        };
        let hashes = &self.blocks.get(usize::try_from(height).ok()?)?.transactions;
        let transactions = hashes.iter().filter_map(|tx| self.transaction(tx)).collect();
        Some(crate::Block { at, parent, transactions })
    }

    pub(super) fn waiting(&self) -> impl Iterator<Item = &TxHash> {
        self.waiting.values()
    }

    pub(super) fn transaction(&self, tx: &TxHash) -> Option<Transaction> {
        let entry = self.entries.get(tx)?;
        let outputs = (0..).zip(entry.outputs.iter().cloned()).collect();
        Some(Transaction { tx: tx.clone(), spends: entry.spends.clone(), outputs, failed: entry.failed() })
    }

    pub(super) fn lookup(&self, tx: &TxHash, spends: &Spends) -> Lookup {
        match self.entries.get(tx).map(|entry| (entry.place, entry)) {
            Some((Place::Waiting(_), _)) => Lookup::Waiting,
            Some((Place::Mined(height), entry)) => match self.block_at(height) {
                Some(block) => Lookup::Mined { block, failed: entry.failed(), cost: Money::ZERO },
                None => Lookup::Unknown,
            },
            Some((Place::Dropped, _)) => Lookup::Dead { by: None },
            Some((Place::Replaced | Place::Standing, _)) | None => self.conflict(tx, spends),
        }
    }

    /// Whether what a transaction would spend is finally gone.
    fn conflict(&self, tx: &TxHash, spends: &Spends) -> Lookup {
        for spend in each(spends) {
            if let Spend::Input(input) = &spend
                && let Some(parent) = self.entries.get(&input.tx)
            {
                let lost = match parent.place {
                    Place::Dropped => Lookup::Dead { by: None },
                    Place::Replaced => self.conflict(&input.tx, &parent.spends),
                    Place::Waiting(_) | Place::Mined(_) | Place::Standing => Lookup::Unknown,
                };
                if lost != Lookup::Unknown {
                    return lost;
                }
            }
            let Some(by) = self.spent.get(&spend).filter(|by| *by != tx) else { continue };
            if let Some(Place::Mined(height)) = self.entries.get(by).map(|entry| entry.place)
                && self.height() - height + 1 >= u64::from(self.confirmations)
            {
                return Lookup::Dead { by: Some(by.clone()) };
            }
        }
        Lookup::Unknown
    }

    pub(super) fn balance(&self, address: &str, currency: &str) -> Money {
        self.balances.get(&(address.to_owned(), currency.to_owned())).copied().unwrap_or_default()
    }

    /// The amount that was minted of a currency, less what was burned.
    pub(super) fn minted(&self, currency: &str) -> Money {
        self.minted.get(currency).copied().unwrap_or_default()
    }

    /// All that pays an address, newest first: what waits, then by height. Failed and vanished ones are left out.
    pub(super) fn received(&self, address: &str) -> Vec<Incoming> {
        let mut found: Vec<Incoming> = Vec::new();
        for key in self.received.get(address).into_iter().flatten().rev() {
            let Some(entry) = self.entries.get(&key.tx) else { continue };
            let height = match entry.place {
                Place::Waiting(_) => None,
                Place::Mined(height) => Some(height),
                Place::Standing | Place::Dropped | Place::Replaced => continue,
            };
            let output = usize::try_from(key.index).ok().and_then(|index| entry.outputs.get(index));
            if let (Some(output), false) = (output, entry.failed()) {
                found.push(Incoming { tx: key.tx.clone(), index: key.index, height, output: output.clone() });
            }
        }
        // The sort keeps the order of those with equal height.
        found.sort_by_key(|incoming| std::cmp::Reverse(incoming.height.unwrap_or(u64::MAX)));
        found
    }

    /// Takes signed bytes as the node does. The flag says whether the chain has changed.
    fn take(&mut self, bytes: &[u8]) -> (Broadcast, bool) {
        let Some((tx, body)) = decode(self.network, bytes) else {
            return (refused("the transaction cannot be read"), false);
        };
        if self.entries.get(&tx).is_some_and(Entry::is_alive) {
            return (Broadcast::AlreadyKnown, false);
        }
        if self.refused.contains(&tx) {
            return (refused("refused by the node's policy"), false);
        }
        let replaces = match self.check(&body) {
            Ok(replaces) => replaces,
            Err(answer) => return (answer, false),
        };
        let treatment = self.treat();
        match treatment {
            Treatment::TimeOut => return (Broadcast::NoAnswer, true),
            Treatment::Refuse => {
                self.refused.insert(tx);
                return (refused("refused by the node's policy"), true);
            }
            Treatment::Normal | Treatment::LoseReply | Treatment::Revert => {}
        }
        for replaced in replaces {
            self.leave(&replaced, Place::Replaced);
        }
        let reverts = treatment == Treatment::Revert;
        let entry = Entry::new(body.spends, body.outputs);
        self.enter(tx, Entry { own: true, bid: body.bid, reverts, ..entry });
        let answer =
            if treatment == Treatment::LoseReply { Broadcast::NoAnswer } else { Broadcast::Accepted };
        (answer, true)
    }

    /// How the next payment is treated.
    fn treat(&mut self) -> Treatment {
        if self.times == 0 {
            return Treatment::Normal;
        }
        self.times -= 1;
        self.treatment
    }

    /// A hash that no other payment from outside has.
    fn next_hash(&self, from: &[u8]) -> TxHash {
        hash::transaction(self.network, &[from, &self.counter.to_be_bytes()].concat())
    }
}

/// The hash and the content of signed bytes. The hash does not cover the signatures.
pub(super) fn decode(network: &Network, bytes: &[u8]) -> Option<(TxHash, super::command::Body)> {
    let signed: SignedBody = postcard::from_bytes(bytes).ok()?;
    let body: super::command::Body = postcard::from_bytes(&signed.body).ok()?;
    let enough = !signed.signatures.is_empty() && signed.signatures.iter().all(|one| one.len() == 65);
    enough.then(|| (hash::transaction(network, &signed.body), body))
}

/// The inputs of a transaction, one by one.
fn each(spends: &Spends) -> Vec<Spend> {
    match spends {
        Spends::Inputs(inputs) => inputs.iter().cloned().map(Spend::Input).collect(),
        Spends::Nonce { address, nonce } => vec![Spend::Nonce(address.clone(), *nonce)],
        Spends::Unknown => Vec::new(),
    }
}

fn refused(reason: &str) -> Broadcast {
    Broadcast::Refused { reason: reason.to_owned() }
}

fn check_output(output: &Output) -> Result<(), Refusal> {
    let Some(sane) = sane::output(output) else {
        let texts = Output { amount: Money::from_units(1), ..output.clone() };
        return Err(match sane::output(&texts) {
            Some(_) => Refusal::Amount { amount: output.amount },
            None => Refusal::Text { field: "address or currency" },
        });
    };
    if sane == *output { Ok(()) } else { Err(Refusal::Text { field: "memo" }) }
}

fn check_range(field: &'static str, value: u64, least: u64, most: u64) -> Result<(), Refusal> {
    if (least..=most).contains(&value) { Ok(()) } else { Err(Refusal::Range { field, value, least, most }) }
}
