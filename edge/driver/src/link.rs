//! One network: its chain, what is watched on it, and what is paid on it.

use crate::call::{Failed, Shown, Work};
use crate::desk::{Desk, Halt, code, currency};
use crate::keys::HouseKey;
use crate::translate;
use buttonwood_address::{Branch as Use, Network as Format, derive};
use buttonwood_custody::simulated::Refusal;
use buttonwood_custody::{
    Branch, Chain, Observation, Outpoint, Output, Payer, Report, SimulatedChain, Spends, Step, Watcher,
    network,
};
use buttonwood_disk::System;
use buttonwood_engine::funds::deposit::{Command as DepositCommand, Seen};
use buttonwood_engine::funds::withdrawal::Command as WithdrawalCommand;
use buttonwood_engine::funds::{Origin, Payment as Kept};
use buttonwood_engine::{Eid, FundsCommand, State, Transfer, TransferStatus};
use buttonwood_num::Money;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Looks in a row that must show nothing new before a network is at rest, while a payment is not known to be sent.
const QUIET: u32 = 4;

/// Blocks that one reorganisation may replace: fewer than are remembered over a restart, so that it can be followed.
const DEPTH_MAX: u32 = 60;

/// Why a network cannot go on.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Nothing more can be journaled now.
    Halt(Halt),
    /// The chain has failed.
    Chain(String),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

pub(crate) struct Link {
    name: String,
    chain: SimulatedChain,
    watcher: Watcher,
    payer: Payer,
    house: HouseKey,
    /// The address that all accounts share, on networks with memos.
    shared: Option<String>,
    required: u32,
    is_faulty: bool,
}

/// Whether a withdrawal may be given to the payer: none is sent of a currency whose assets do not cover what customers have, unless it
/// is signed already (INV-POR-1).
pub(crate) fn may_go(state: &State, transfer: &Transfer, kept: &Kept) -> bool {
    !kept.attempts.is_empty() || !state.funds().reserves().stops_withdrawal(transfer.row.currency)
}

impl Link {
    /// Opens the chain of a network, and goes on where the state says that the exchange has stopped.
    pub(crate) fn open(desk: &Desk, folder: &Path, name: &str) -> Result<Self, Stop> {
        let unknown = || Stop::Chain(format!("no network is named '{name}'"));
        let (known, format) =
            (network(name).ok_or_else(unknown)?, Format::serving(name).ok_or_else(unknown)?);
        let required =
            desk.ask(|state| state.funds().networks().find(name).map(|(_, own)| own.confirmations));
        let required = required.ok_or_else(unknown)?;
        let chain = SimulatedChain::open(&System, folder, known, required);
        let chain = chain.map_err(|error| Stop::Chain(error.to_string()))?;
        let (formats, seed) = (&desk.wallets.formats, &desk.wallets.seed);
        let no_key = || Stop::Chain(format!("the seed gives no wallet on '{name}'"));
        let house = HouseKey::of(formats, seed, format).ok_or_else(no_key)?;
        let shared = format.shares_address().then(|| derive(formats, seed, format, Use::Deposit, 0).ok());
        let shared = shared.flatten().map(|derived| derived.address.canonical().into_owned());
        let (watcher, payer) = desk.ask(|state| restore(state, name, &house.address, required));
        let name = name.to_owned();
        Ok(Self { name, chain, watcher, payer, house, shared, required, is_faulty: false })
    }

    /// Takes an accepted withdrawal. One that is known already changes nothing.
    pub(crate) fn accept(&mut self, state: &State, transfer: &Transfer) {
        let code = code(state, transfer.row.currency).unwrap_or_default();
        if let Some(payment) = translate::payment(transfer, &self.house.address, code) {
            self.payer.accept(payment);
        }
    }

    /// Whether a payment may not be sent yet.
    pub(crate) fn is_busy(&self) -> bool {
        self.payer.is_busy()
    }

    /// Whether something waits for a block.
    pub(crate) fn waits(&self, desk: &Desk) -> bool {
        self.payer.unsettled() > 0
            || desk.ask(|state| {
                let mut live = state.funds().deposits().live(&self.name);
                live.any(|(_, deposit)| {
                    let row = state.funds().transfer(deposit.eid).map(|transfer| &transfer.row);
                    row.is_some_and(|row| {
                        let counted = row.chain().map_or(0, |chain| chain.confirmations);
                        row.status == TransferStatus::Pending && counted < self.required
                    })
                })
            })
    }

    /// Adds a block.
    pub(crate) fn tick(&mut self, desk: &Desk) -> Result<(), Stop> {
        self.chain.mine(1).map_err(|error| Stop::Chain(error.to_string()))?;
        self.come_to_rest(desk)
    }

    /// Brings everything as far as it comes, and journals it.
    pub(crate) fn come_to_rest(&mut self, desk: &Desk) -> Result<(), Stop> {
        let mut quiet = 0;
        while quiet == 0 || (self.payer.is_busy() && quiet < QUIET) {
            if desk.is_stopping() {
                return Err(Halt::Stopping.into());
            }
            quiet = if self.advance(desk)? { 0 } else { quiet + 1 };
        }
        Ok(())
    }

    /// Looks at the chain and at the payments once; `true` if that has shown anything new.
    fn advance(&mut self, desk: &Desk) -> Result<bool, Stop> {
        let is_ours =
            |address: &str| self.shared.as_deref() == Some(address) || is_issued(desk, &self.name, address);
        let report = self.watcher.look(&mut self.chain, &is_ours);
        if let Some(fault) = report.fault
            && !std::mem::replace(&mut self.is_faulty, true)
        {
            tracing::error!(network = %self.name, ?fault, "the chain cannot be followed any more");
        }
        let commands = self.reported(desk, &report);
        let seen = !commands.is_empty();
        for refused in desk.journal(commands)?.into_iter().flatten() {
            tracing::warn!(network = %self.name, ?refused, "what a chain shows was refused");
        }
        let steps = self.payer.poll(&mut self.chain, self.watcher.branch(), &self.house);
        let stepped = !steps.is_empty();
        self.journal(desk, steps)?;
        Ok(seen || stepped)
    }

    /// The commands that say what a look has shown: the payments first, so that a crash leaves none of a block out that is known.
    fn reported(&self, desk: &Desk, report: &Report) -> Vec<FundsCommand> {
        let key = |outpoint: &Outpoint| Arc::new(translate::key(&self.name, outpoint));
        let command = |observation: &Observation| {
            Some(match observation {
                Observation::Seen { key, output, spends } => self.seen(desk, key, output, spends)?,
                Observation::Confirmed { key: outpoint, block, confirmations } => {
                    DepositCommand::Confirmed(key(outpoint), translate::chain_block(block), *confirmations)
                }
                Observation::Removed { key: outpoint, block, .. } => {
                    DepositCommand::Reorganised(key(outpoint), translate::chain_block(block))
                }
                Observation::Lost { key: outpoint } => DepositCommand::Lost(key(outpoint)),
            })
        };
        let mut commands: Vec<DepositCommand> = report.observations.iter().filter_map(command).collect();
        if report.removed_above.is_some() || !report.blocks.is_empty() {
            let blocks = report.blocks.iter().map(translate::chain_block).collect();
            commands.push(DepositCommand::Followed(
                self.name.clone(),
                report.removed_above,
                Arc::new(blocks),
            ));
        }
        commands.into_iter().map(FundsCommand::from).collect()
    }

    fn seen(&self, desk: &Desk, key: &Outpoint, output: &Output, spends: &Spends) -> Option<DepositCommand> {
        let memo = output.memo.clone().unwrap_or_default();
        let (currency, address) = desk.ask(|state| {
            let funds = state.funds();
            let (id, own) = funds.networks().serving(&self.name)?;
            let told = if own.memo { memo.as_str() } else { "" };
            let shown = funds.addresses().find(id, &output.address, told).map(|found| found.text.clone());
            Some((currency(state, &output.currency)?, shown.unwrap_or_else(|| output.address.clone())))
        })?;
        let canonical = output.address.clone();
        let origin = Origin { address, canonical, memo, spends: translate::encode(spends) };
        let key = translate::key(&self.name, key);
        Some(DepositCommand::Seen(Arc::new(Seen { key, origin, currency, amount: output.amount })))
    }

    /// Journals the steps of payments. Signed bytes that are durable are sent from then on.
    fn journal(&mut self, desk: &Desk, steps: Vec<Step>) -> Result<(), Stop> {
        let (mut commands, mut signed) = (Vec::new(), Vec::new());
        for step in steps {
            let mut tx = None;
            commands.push(FundsCommand::from(match step {
                Step::Signed { payment, attempt } => {
                    tx = Some((payment, attempt.signed.tx.clone()));
                    let attempt = Arc::new(translate::kept_attempt(&attempt));
                    WithdrawalCommand::Signed(translate::eid(payment), attempt)
                }
                Step::Sent { payment, tx } => {
                    WithdrawalCommand::Sent(translate::eid(payment), tx.as_str().to_owned())
                }
                Step::Settled { payment, settled } => {
                    let settlement = Arc::new(translate::settlement(&settled));
                    WithdrawalCommand::Settle(translate::eid(payment), settlement)
                }
                Step::Unsettled { payment, tx, .. } => {
                    WithdrawalCommand::Unsettle(translate::eid(payment), tx.as_str().to_owned())
                }
                Step::Short { payment, available } => {
                    self.cover(desk, payment, available)?;
                    continue;
                }
                Step::Blocked { payment, reason } => {
                    tracing::error!(network = %self.name, payment, %reason, "a withdrawal cannot be built");
                    continue;
                }
                Step::Stuck { payment, by } => {
                    tracing::error!(network = %self.name, payment, ?by, "a withdrawal's money was spent otherwise");
                    continue;
                }
            }));
            signed.push(tx);
        }
        for (refused, signed) in desk.journal(commands)?.into_iter().zip(signed) {
            match (refused, signed) {
                (None, Some((payment, tx))) => {
                    self.payer.recorded(payment, &tx);
                }
                (None, None) => {}
                (Some(refused), _) => {
                    tracing::error!(network = %self.name, ?refused, "a step of a withdrawal was refused");
                }
            }
        }
        Ok(())
    }

    /// Mints what the house's wallet lacks for a withdrawal: the account had it as a test credit, or it lies at addresses of deposits
    ///
    fn cover(&mut self, desk: &Desk, payment: u64, available: Money) -> Result<(), Stop> {
        let due = desk.ask(|state| {
            let row = &state.funds().transfer(Eid(payment))?.row;
            Some((row.amount, code(state, row.currency)?.to_owned()))
        });
        let Some((amount, currency)) = due else { return Ok(()) };
        let amount = amount - available;
        let output = Output { address: self.house.address.clone(), memo: None, currency, amount };
        self.chain.mint(output).map_err(|error| Stop::Chain(error.to_string()))
    }

    /// Does what a control call asks for, between two rests.
    pub(crate) fn work(&mut self, desk: &Desk, work: Work) -> Result<Result<Shown, Failed>, Stop> {
        self.come_to_rest(desk)?;
        let mut shown = Shown::default();
        let mut address = None;
        let done = match work {
            Work::Show(wanted) => {
                address = wanted;
                Ok(())
            }
            Work::Send(output) => self.chain.send(output).map(|sent| shown.sent = Some(sent)),
            Work::Mine(blocks) => self.chain.mine(blocks).map(|_| ()),
            Work::Reorg { depth, .. } if depth > DEPTH_MAX => Err(Refusal::Range {
                field: "depth",
                value: u64::from(depth),
                least: 1,
                most: u64::from(DEPTH_MAX),
            }),
            Work::Reorg { depth, drop } => {
                self.chain.reorg(depth, drop).map(|reorganised| shown.dropped = reorganised.dropped)
            }
            Work::Node { treatment, times } => self.chain.node(treatment, times),
        };
        if let Err(refusal) = done {
            return Ok(Err(refusal.into()));
        }
        self.come_to_rest(desk)?;
        (shown.height, shown.confirmations) = (self.chain.height(), self.required);
        let broken = |error: Refusal| Stop::Chain(error.to_string());
        shown.received = address
            .map(|address| self.chain.received(&address))
            .transpose()
            .map_err(broken)?
            .unwrap_or_default();
        let pool = self.chain.mempool(&BTreeSet::new()).map_err(|error| Stop::Chain(error.to_string()))?;
        shown.mempool = pool.hashes.into_iter().collect();
        Ok(Ok(shown))
    }
}

/// Whether an address was issued on a network, or on the one whose addresses it uses.
fn is_issued(desk: &Desk, name: &str, address: &str) -> bool {
    desk.ask(|state| {
        let serving = state.funds().networks().serving(name);
        serving.is_some_and(|(id, _)| state.funds().addresses().find(id, address, "").is_some())
    })
}

/// The watcher and the payer of a network, as the state remembers them.
fn restore(state: &State, name: &str, house: &str, required: u32) -> (Watcher, Payer) {
    let funds = state.funds();
    let branch = Branch::new(funds.deposits().blocks(name).map(translate::block_ref));
    let known = funds.deposits().live(name).map(|(key, deposit)| translate::known(key, deposit));
    let watcher = Watcher::restore(required, branch, known);
    let mut payer = Payer::new(required);
    for (eid, kept) in funds.withdrawals().payments_from(Eid(0)) {
        let Some(transfer) = funds.transfer(eid) else { continue };
        let is_here = transfer.row.chain().is_some_and(|chain| chain.network == name);
        if !is_here || !may_go(state, transfer, kept) {
            continue;
        }
        let code = code(state, transfer.row.currency).unwrap_or_default();
        if let Some(payment) = translate::payment(transfer, house, code) {
            payer.restore(payment, translate::attempts(kept), translate::settled(kept));
        }
    }
    (watcher, payer)
}
