//! A chain of our own for a network whose real node is not used: blocks come only by [`SimulatedChain::mine`], money by
//! [`SimulatedChain::mint`] and [`SimulatedChain::send`], and the network costs nothing.
//!
//! Its state is the list of all that happened to it, in a file of its own. Nothing is shown before it is durable.

mod command;
mod hash;
mod log;
mod model;
#[cfg(test)]
mod tests;

pub use command::{Incoming, Refusal, Treatment};
pub use log::ChainError;

use crate::{
    Answer, Block, BlockRef, Broadcast, BuildError, Chain, Draft, KeyError, Keys, Lookup, Mempool, Network,
    Outpoint, Output, Signed, Spends, TxHash, Unanswered, Unsigned,
};
use buttonwood_disk::Disk;
use buttonwood_num::Money;
use command::{Command, SignedBody};
use log::Log;
use model::{Done, Model};
use std::collections::BTreeSet;
use std::path::Path;

/// The effect of a reorganisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reorganised {
    /// The new height.
    pub height: u64,
    /// Transactions that have vanished.
    pub dropped: Vec<TxHash>,
}

/// A simulated chain, in a file of its own.
#[derive(Debug)]
pub struct SimulatedChain {
    network: &'static Network,
    model: Model,
    log: Log,
}

impl SimulatedChain {
    /// Opens the chain of a network in a folder, which is made if it is not there; a new chain has one empty block of
    /// height 0. `confirmations` says when a conflict is final.
    ///
    /// # Errors
    /// [`ChainError`] if the disk fails or durable bytes have changed.
    pub fn open(
        disk: &dyn Disk,
        folder: &Path,
        network: &'static Network,
        confirmations: u32,
    ) -> Result<Self, ChainError> {
        let path = folder.join(format!("{}.chain", network.name));
        if !disk.is_folder(folder) {
            let failed = |action| {
                let path = folder.to_owned();
                move |source| ChainError::Disk { action, path, source }
            };
            disk.create_folder(folder).map_err(failed("create"))?;
            let above = folder.parent().unwrap_or(Path::new("."));
            disk.sync_names(above).map_err(failed("sync the folder of"))?;
        }
        let (log, contents) = Log::open(disk, &path)?;
        let mut model = Model::new(network, confirmations);
        for (count, content) in (0_u64..).zip(contents) {
            // The checksum was right, so another build has written what this one cannot read.
            let unread = || ChainError::Foreign { path: path.clone(), record: count };
            let command = postcard::from_bytes(&content).map_err(|_| unread())?;
            model.apply(&command).map_err(|_| unread())?;
        }
        Ok(Self { network, model, log })
    }

    /// The network.
    pub fn network(&self) -> &'static Network {
        self.network
    }

    /// Changes the number of confirmations that make a conflict final.
    pub fn set_confirmations(&mut self, confirmations: u32) {
        self.model.set_confirmations(confirmations);
    }

    /// The newest block's height.
    pub fn height(&self) -> u64 {
        self.model.height()
    }

    /// A payment from outside, which waits for a block. The address is in canonical spelling.
    ///
    /// # Errors
    /// [`Refusal`]; the chain is unchanged.
    pub fn send(&mut self, output: Output) -> Result<Outpoint, Refusal> {
        let Done::Sent(outpoint) = self.run_durably(&Command::Send(output))? else {
            return Err(Refusal::Broken);
        };
        Ok(outpoint)
    }

    /// Adds 1 to 10,000 blocks, the first with everything that waits; returns the new height.
    ///
    /// # Errors
    /// [`Refusal`]; the chain is unchanged.
    pub fn mine(&mut self, blocks: u32) -> Result<u64, Refusal> {
        let Done::Height(height) = self.run_durably(&Command::Mine(blocks))? else {
            return Err(Refusal::Broken);
        };
        Ok(height)
    }

    /// Replaces the newest `depth` blocks by empty ones, plus one more. Their transactions wait again; with `drop` those
    /// from outside vanish, with all that spends their outputs.
    ///
    /// # Errors
    /// [`Refusal`] if there are fewer blocks above the first; the chain is unchanged.
    pub fn reorg(&mut self, depth: u32, drop: bool) -> Result<Reorganised, Refusal> {
        let done = self.run_durably(&Command::Reorg { depth, drop })?;
        let Done::Reorganised { height, dropped } = done else { return Err(Refusal::Broken) };
        Ok(Reorganised { height, dropped })
    }

    /// Says how the node treats the next `times` payments of the exchange. Payments that it has already, or that it has
    /// refused before, do not count.
    ///
    /// # Errors
    /// [`Refusal`]; the chain is unchanged.
    pub fn node(&mut self, treatment: Treatment, times: u32) -> Result<(), Refusal> {
        self.run_durably(&Command::Node { treatment, times }).map(|_| ())
    }

    /// Makes money in an own wallet, at once and for good; no watcher sees it. Durable before the chain shows anything.
    ///
    /// # Errors
    /// [`Refusal`]; the chain is unchanged.
    pub fn mint(&mut self, output: Output) -> Result<(), Refusal> {
        self.run(&Command::Mint(output)).map(|_| ())
    }

    /// Takes minted money of an own wallet away, at once and for good; no watcher sees it.
    ///
    /// # Errors
    /// [`Refusal`] if that is more than [`SimulatedChain::burnable`]; the chain is unchanged.
    pub fn burn(&mut self, output: Output) -> Result<(), Refusal> {
        self.run(&Command::Burn(output)).map(|_| ())
    }

    /// The amount that could be burned of an address.
    pub fn burnable(&self, address: &str, currency: &str) -> Money {
        self.model.burnable(address, currency)
    }

    /// The amount that was minted of a currency, less what was burned. It is durable when the chain has been looked at since.
    pub fn minted(&self, currency: &str) -> Money {
        self.model.minted(currency)
    }

    /// All payments to an address, newest first; failed and vanished ones are left out.
    ///
    /// # Errors
    /// [`Refusal::Broken`].
    pub fn received(&mut self, address: &str) -> Result<Vec<Incoming>, Refusal> {
        self.log.sync().map_err(|_| Refusal::Broken)?;
        Ok(self.model.received(address))
    }

    fn run(&mut self, command: &Command) -> Result<Done, Refusal> {
        if self.log.is_broken() {
            return Err(Refusal::Broken);
        }
        let (done, changed) = self.model.apply(command)?;
        if changed {
            let written = postcard::to_allocvec(command).map(|content| self.log.append(&content));
            if !matches!(written, Ok(Ok(()))) {
                // The model is ahead of its file: it shows nothing any more.
                self.log.give_up();
                return Err(Refusal::Broken);
            }
        }
        Ok(done)
    }

    fn run_durably(&mut self, command: &Command) -> Result<Done, Refusal> {
        let done = self.run(command)?;
        self.log.sync().map_err(|_| Refusal::Broken)?;
        Ok(done)
    }

    /// Makes durable what is about to be shown.
    fn show(&mut self) -> Answer<&Model> {
        match self.log.sync() {
            Ok(()) => Ok(&self.model),
            Err(error) => Err(Unanswered::new(format!("the simulated chain's file: {error}"))),
        }
    }
}

impl Chain for SimulatedChain {
    fn tip(&mut self) -> Answer<BlockRef> {
        let model = self.show()?;
        model.block_at(model.height()).ok_or_else(|| Unanswered::new("no block"))
    }

    fn block_at(&mut self, height: u64) -> Answer<Option<BlockRef>> {
        Ok(self.show()?.block_at(height))
    }

    fn blocks(&mut self, from: u64, limit: usize) -> Answer<Vec<Block>> {
        let model = self.show()?;
        Ok((from..=model.height()).take(limit).filter_map(|height| model.block(height)).collect())
    }

    fn mempool(&mut self, known: &BTreeSet<TxHash>) -> Answer<Mempool> {
        let model = self.show()?;
        let fresh = model.waiting().filter(|tx| !known.contains(tx)).filter_map(|tx| model.transaction(tx));
        Ok(Mempool { hashes: model.waiting().cloned().collect(), fresh: fresh.collect() })
    }

    fn lookup(&mut self, tx: &TxHash, spends: &Spends) -> Answer<Lookup> {
        Ok(self.show()?.lookup(tx, spends))
    }

    fn balance(&mut self, addresses: &[String], currency: &str) -> Answer<Money> {
        let model = self.show()?;
        Ok(addresses.iter().map(|address| model.balance(address, currency)).sum())
    }

    fn build(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError> {
        let (body, signers) = self.show()?.draft(draft)?;
        let spends = body.spends.clone();
        let impossible = |error: postcard::Error| BuildError::Impossible { reason: error.to_string() };
        let body = postcard::to_allocvec(&body).map_err(impossible)?;
        if body.len() > BODY_MAX {
            return Err(BuildError::Impossible { reason: "it would have too many inputs".to_owned() });
        }
        let digest = hash::sha256(&[b"sign", self.network.name.as_bytes(), &body]);
        let digests = signers.into_iter().map(|address| (address, digest)).collect();
        Ok(Unsigned { body, digests, spends })
    }

    fn sign(&self, unsigned: &Unsigned, keys: &dyn Keys) -> Result<Signed, KeyError> {
        let mut signatures = Vec::new();
        for (address, digest) in &unsigned.digests {
            let signature = keys.sign(address, digest)?;
            signatures.push([signature.rs.as_slice(), &[signature.recovery]].concat());
        }
        let signed = SignedBody { body: unsigned.body.clone(), signatures };
        let bytes = postcard::to_allocvec(&signed).map_err(|error| KeyError {
            address: unsigned.digests.first().map(|(address, _)| address.clone()).unwrap_or_default(),
            reason: error.to_string(),
        })?;
        let tx = hash::transaction(self.network, &unsigned.body);
        Ok(Signed { tx, bytes, spends: unsigned.spends.clone() })
    }

    fn broadcast(&mut self, signed: &[u8]) -> Broadcast {
        if signed.len() > log::CONTENT_MAX - 16 {
            return Broadcast::Refused { reason: "the transaction is too large".to_owned() };
        }
        // Not synced before the answer: the next look at the chain is, and a payment that a power cut takes back is
        // sent again.
        let Ok(Done::Broadcast(answer)) = self.run(&Command::Broadcast(signed.to_vec())) else {
            return Broadcast::NoAnswer;
        };
        answer
    }
}

/// The longest transaction without its signatures, so that it fits a record of the log with them: some 7,000 inputs.
const BODY_MAX: usize = 1 << 19;
