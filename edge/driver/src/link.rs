//! One network: its chain, what is watched on it, and what is paid on it.

use crate::backend::Backend;
use crate::bump::Waits;
use crate::call::{Failed, Shown, Work};
use crate::desk::{Desk, Halt, currency};
use crate::keys::Keyring;
use crate::payments::{self, Owner, Shortage};
use crate::translate;
use crate::wallet::{Holdings, Purse, shared};
use buttonwood_address::Network as Format;
use buttonwood_custody::simulated::Refusal;
use buttonwood_custody::{
    Branch, Chain, Observation, Outcome, Outpoint, Output, Payer, Payment, Report, Spends, Step, Watcher,
    network,
};
use buttonwood_engine::funds::deposit::{Command as DepositCommand, Seen};
use buttonwood_engine::funds::{ChainBlock, Origin};
use buttonwood_engine::{Eid, FundsCommand, State, Transfer, TransferStatus};
use buttonwood_num::Money;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Looks in a row that must show nothing new before a network is at rest, while a payment is not known to be sent.
const QUIET: u32 = 4;

/// Looks in which a real node's newest block is to be followed: one that replaces others of the same height takes a few.
const LOOKS: u32 = 8;

/// Blocks that one reorganisation may replace: fewer than are remembered over a restart, so that it can be followed.
const DEPTH_MAX: u32 = 60;

/// Blocks of a look that are journaled: as many as the state remembers.
const BLOCKS_KEPT: usize = 64;

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
    chain: Backend,
    watcher: Watcher,
    payer: Payer,
    keys: Keyring,
    /// The address that all accounts share, on networks with memos.
    shared: Option<String>,
    required: u32,
    is_faulty: bool,
    held: Holdings,
    /// The wallets are to be looked at, whether the chain has moved or not.
    is_stale: bool,
    /// Payments that their wallets cannot pay now.
    short: BTreeMap<u64, Shortage>,
    /// Addresses and currencies that are being swept.
    sweeping: BTreeSet<Purse>,
    /// Those that could not be swept, with what they held then, of the network's own currency too: they are tried again once that
    /// changes, or once a payment that would have spent it has ended otherwise.
    unswept: BTreeMap<Purse, [Money; 2]>,
    sweeps: u64,
    waits: Waits,
    /// Withdrawals that were taken from the payer because they may not be signed now.
    stopped: BTreeSet<Eid>,
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
        let chain = Backend::open(desk, folder, known, required)?;
        let (formats, seed) = (&desk.wallets.formats, &desk.wallets.seed);
        let no_key = || Stop::Chain(format!("the seed gives no wallet on '{name}'"));
        let mut keys = Keyring::of(formats, seed, format).ok_or_else(no_key)?;
        let shared = format.shares_address().then(|| shared(&mut keys)).flatten();
        let (watcher, payer, held) = desk.ask(|state| {
            let held = Holdings::new(state, name, &mut keys);
            let (watcher, payer) = restore(state, name, &keys, &held, required);
            (watcher, payer, held)
        });
        if chain.is_real() {
            tracing::info!(network = name, hot_wallet = keys.hot, "a real node is followed");
        }
        Ok(Self {
            name: name.to_owned(),
            chain,
            watcher,
            payer,
            keys,
            shared,
            required,
            is_faulty: false,
            held,
            is_stale: true,
            short: BTreeMap::new(),
            sweeping: BTreeSet::new(),
            unswept: BTreeMap::new(),
            sweeps: 0,
            waits: Waits::default(),
            stopped: BTreeSet::new(),
        })
    }

    /// Takes an accepted withdrawal. One that is known already changes nothing.
    pub(crate) fn accept(&mut self, state: &State, transfer: &Transfer) {
        payments::withdraw(state, transfer, &self.keys, &self.held, &mut self.payer);
    }

    /// Takes what an operator has done about a withdrawal. A remedy that was taken before changes nothing.
    pub(crate) fn remedy(&mut self, state: &State, transfer: &Transfer, is_rebuilt: bool) {
        self.accept(state, transfer);
        self.unswept.clear();
        if is_rebuilt && self.payer.bump(payments::newest_number(state, transfer.eid)) {
            tracing::info!(network = %self.name, eid = transfer.eid.0, "an operator has a payment made again");
        }
    }

    /// Takes a move to or from custody that is being sent. One that is known already changes nothing.
    pub(crate) fn accept_move(&mut self, state: &State, eid: Eid) {
        payments::move_custody(state, eid, &self.keys, &self.held, &mut self.payer);
    }

    /// The withdrawals that were taken from the payer because they may not be signed now.
    pub(crate) fn take_stopped(&mut self) -> BTreeSet<Eid> {
        std::mem::take(&mut self.stopped)
    }

    /// Takes from the payer what is not signed and may not be now, with the steps that concern it: a halt stops what was accepted
    /// before it, and so do assets that do not cover what customers have. Sweeps go on: they stay in the house.
    fn hold_back(&mut self, desk: &Desk, steps: &mut Vec<Step>) {
        let waiting: Vec<u64> = self.payer.unsigned().collect();
        let is_stopped = |id: &u64| match Owner::of(*id) {
            Owner::Withdrawal(eid) | Owner::Move(eid) => desk.ask(|state| !payments::may_go(state, eid)),
            Owner::Sweep => false,
        };
        for id in waiting.into_iter().filter(is_stopped) {
            self.payer.forget_unsigned(id);
            self.short.remove(&id);
            steps.retain(|step| step.payment() != id);
            if let Owner::Withdrawal(eid) = Owner::of(id) {
                self.stopped.insert(eid);
            }
        }
    }

    /// Whether the network has a real node.
    pub(crate) fn is_real(&self) -> bool {
        self.chain.is_real()
    }

    /// Whether a payment may not be sent yet.
    pub(crate) fn is_busy(&self) -> bool {
        self.payer.is_busy()
    }

    /// Whether something waits for a block.
    pub(crate) fn waits(&self, desk: &Desk) -> bool {
        self.payer.unsettled() > self.short.len()
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
        self.chain
            .simulated()
            .and_then(|chain| chain.mine(1))
            .map_err(|error| Stop::Chain(error.to_string()))?;
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
        let (reports, caught_up) = self.look(desk);
        for report in &reports {
            self.held.observe(desk, report, &mut self.keys);
        }
        self.raise_fees();
        self.hold_back(desk, &mut Vec::new());
        let mut steps = Vec::new();
        let (payer, branch, keys) = (&mut self.payer, self.watcher.branch(), &self.keys);
        desk.host.reach(&mut self.chain, &mut |node| steps = payer.poll(node, branch, keys));
        // A slow node leaves time for a halt between signing and the durable bytes.
        self.hold_back(desk, &mut steps);
        let observed = self.reported(desk, &reports);
        let moved = self.is_stale || !observed.is_empty() || !steps.is_empty();
        if moved && caught_up {
            // A movement by a payment that is not known as under way would be missed: a node's answer that differs is late.
            self.is_stale = self.measure(desk).is_err();
        }
        let measures = moved && caught_up && !self.is_stale;
        let mut commands = if measures { self.wallets(desk, &steps) } else { Vec::new() };
        let is_new = !observed.is_empty() || !steps.is_empty() || !commands.is_empty();
        commands.extend(observed);
        for refused in desk.journal(commands)?.into_iter().flatten() {
            tracing::warn!(network = %self.name, ?refused, "what a chain shows was refused");
        }
        self.journal(desk, &steps)?;
        if measures {
            let lowered = self.wallets(desk, &[]);
            for refused in desk.journal(lowered)?.into_iter().flatten() {
                tracing::error!(network = %self.name, ?refused, "the report of a wallet was refused");
            }
        }
        Ok(is_new)
    }

    /// Asks for a higher fee for the payments that have waited for too many blocks.
    fn raise_fees(&mut self) {
        let Some(height) = self.watcher.branch().tip().map(|tip| tip.height) else { return };
        for payment in self.waits.overdue(self.payer.waiting(), height) {
            if self.payer.bump(payment) {
                tracing::info!(network = %self.name, payment, "a payment waits for a block: its fee is raised");
            }
        }
    }

    /// Looks at the chain until it shows no further blocks, so that what is paid is compared with what the chain holds then. `true`
    /// if it came that far.
    fn look(&mut self, desk: &Desk) -> (Vec<Report>, bool) {
        let mut reports = Vec::new();
        loop {
            let is_ours = |address: &str| {
                self.shared.as_deref() == Some(address) || is_issued(desk, &self.name, address)
            };
            let mut report = Report::default();
            let watcher = &mut self.watcher;
            desk.host.reach(&mut self.chain, &mut |node| report = watcher.look(node, &is_ours));
            if let Some(fault) = report.fault
                && !std::mem::replace(&mut self.is_faulty, true)
            {
                tracing::error!(network = %self.name, ?fault, "the chain cannot be followed any more");
            }
            let (caught_up, has_more) = (report.caught_up, !report.blocks.is_empty());
            reports.push(report);
            if caught_up || !has_more || desk.is_stopping() {
                return (reports, caught_up);
            }
        }
    }

    /// Looks at what own addresses hold, and says from which of them the payments that wait may be paid.
    fn measure(&mut self, desk: &Desk) -> Result<(), buttonwood_custody::Unanswered> {
        let all = self.payer.unsettled() > 0;
        let (held, keys) = (&mut self.held, &self.keys);
        let mut refreshed = Ok(());
        desk.host.reach(&mut self.chain, &mut |node| refreshed = held.refresh(node, keys, all));
        refreshed?;
        for id in self.short.keys() {
            let Some(payment) = self.payer.payment(*id) else { continue };
            let from_custody = payment.from.first() == Some(&self.keys.custody);
            if payment.from != [self.keys.custody.clone()] && Owner::of(*id) != Owner::Sweep {
                let from = self.held.sources(&self.keys, &payment.currency, from_custody);
                self.payer.set_from(*id, &from);
            }
        }
        Ok(())
    }

    /// The reports of wallets that have changed; with `steps`, payments that end with them still count.
    fn wallets(&mut self, desk: &Desk, steps: &[Step]) -> Vec<FundsCommand> {
        let chain = &self.chain;
        self.held.reports(desk, &self.keys, &self.payer, steps, &|code| chain.minted(code))
    }

    /// The commands that say what looks have shown: the payments first, so that a crash leaves none of a block out that is known.
    fn reported(&self, desk: &Desk, reports: &[Report]) -> Vec<FundsCommand> {
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
        let observations = reports.iter().flat_map(|report| &report.observations);
        let mut commands: Vec<DepositCommand> = observations.filter_map(command).collect();
        let (removed_above, blocks) = followed(reports);
        if removed_above.is_some() || !blocks.is_empty() {
            commands.push(DepositCommand::Followed(self.name.clone(), removed_above, Arc::new(blocks)));
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
    fn journal(&mut self, desk: &Desk, steps: &[Step]) -> Result<(), Stop> {
        let kept: Vec<(&Step, FundsCommand)> = steps
            .iter()
            .filter_map(|step| payments::command(&self.name, step).map(|command| (step, command)))
            .collect();
        let refused = desk.journal(kept.iter().map(|(_, command)| command.clone()).collect())?;
        let mut failed = Vec::new();
        for ((step, _), refused) in kept.into_iter().zip(refused) {
            if let Some(refused) = refused {
                tracing::error!(network = %self.name, ?refused, "a step of a payment was refused");
                failed.push(step);
            }
        }
        for step in steps {
            if !failed.contains(&step) {
                self.note(desk, step);
            }
        }
        Ok(())
    }

    /// Takes note of a step that is durable.
    fn note(&mut self, desk: &Desk, step: &Step) {
        match step {
            Step::Signed { payment, attempt } => {
                self.payer.recorded(*payment, &attempt.signed.tx);
                self.short.remove(payment);
            }
            Step::Settled { payment, settled } => self.note_end(desk, *payment, settled.outcome),
            Step::Short { payment, available } => self.note_shortage(*payment, *available),
            Step::Blocked { payment, reason } => {
                let owner = Owner::of(*payment);
                tracing::error!(network = %self.name, payment = ?owner, %reason, "a payment cannot be built");
                if owner == Owner::Sweep {
                    self.give_up_sweep(*payment);
                }
            }
            Step::Stuck { payment, by, .. } => {
                let owner = Owner::of(*payment);
                tracing::error!(network = %self.name, payment = ?owner, ?by, "a payment cannot confirm: what it spends is gone or spent");
                match owner {
                    Owner::Sweep => self.forget_sweep(*payment),
                    // It is made again, from what there is now.
                    Owner::Move(eid) => self.move_again(desk, *payment, eid),
                    Owner::Withdrawal(_) => {}
                }
            }
            Step::Sent { .. } | Step::Unsettled { .. } | Step::Revived { .. } => {}
        }
    }

    /// Takes note of the end of a payment.
    fn note_end(&mut self, desk: &Desk, id: u64, outcome: Outcome) {
        if outcome != Outcome::Completed {
            // Its address holds as much as before, but may pay with it now.
            self.unswept.clear();
        }
        match Owner::of(id) {
            // One that has failed is sent again.
            Owner::Move(eid) => self.accept_again(desk, eid),
            Owner::Sweep => {
                if let Some(swept) = self.payer.payment(id) {
                    let from = swept.from.first().cloned().unwrap_or_default();
                    self.sweeping.remove(&(from, swept.currency.clone()));
                }
                self.is_stale = true;
            }
            Owner::Withdrawal(_) => {}
        }
    }

    /// Sends a move again that is still being sent.
    fn accept_again(&mut self, desk: &Desk, eid: Eid) {
        desk.ask(|state| {
            if state.funds().custody_sending(eid).is_some() {
                self.accept_move(state, eid);
            }
        });
    }

    /// Sends a move again whose payment cannot confirm any more.
    fn move_again(&mut self, desk: &Desk, payment: u64, eid: Eid) {
        self.payer.give_up(payment);
        self.unswept.clear();
        self.accept_again(desk, eid);
    }

    /// Forgets a sweep that cannot confirm any more: what is still there is swept anew.
    fn forget_sweep(&mut self, id: u64) {
        if let Some(swept) = self.payer.payment(id) {
            let from = swept.from.first().cloned().unwrap_or_default();
            self.sweeping.remove(&(from, swept.currency.clone()));
        }
        self.payer.give_up(id);
        self.unswept.clear();
        self.is_stale = true;
    }

    fn note_shortage(&mut self, id: u64, available: Money) {
        let Some(payment) = self.payer.payment(id) else { return };
        let address = payment.from.first().cloned().unwrap_or_default();
        if Owner::of(id) == Owner::Sweep {
            if available == Money::ZERO {
                return self.give_up_sweep(id);
            }
            // The network's fee is paid from the same address.
            let (code, target) = (payment.currency.clone(), payment.address.clone());
            self.payer.forget_unsigned(id);
            self.send_sweep(address, target, code, available);
            return;
        }
        let (code, missing) = (payment.currency.clone(), payment.amount);
        self.short.insert(id, Shortage { payment: id, code, address, missing, is_reported: false });
        self.is_stale = true;
    }

    /// Leaves an address alone that cannot be swept: it holds too little for the network's fee, no gas for a token, or what the house
    /// cannot sign for.
    fn give_up_sweep(&mut self, id: u64) {
        let Some(payment) = self.payer.payment(id) else { return };
        let (address, code) = (payment.from.first().cloned().unwrap_or_default(), payment.currency.clone());
        tracing::error!(network = %self.name, %address, currency = %code, "an address of deposits cannot be swept");
        self.payer.forget_unsigned(id);
        let purse = (address, code);
        self.sweeping.remove(&purse);
        let held = self.purse(&purse);
        self.unswept.insert(purse, held);
    }

    /// The amount in a purse, and the amount at its address for the network's fee.
    fn purse(&self, purse: &Purse) -> [Money; 2] {
        let own = network(&self.name).map(|network| network.currency.to_owned()).unwrap_or_default();
        [self.held.of(purse), self.held.of(&(purse.0.clone(), own))]
    }

    fn send_sweep(&mut self, from: String, address: String, currency: String, amount: Money) {
        self.sweeps += 1;
        let id = payments::sweep_number(self.sweeps);
        self.payer.accept(Payment { id, from: vec![from], address, memo: None, currency, amount });
    }

    /// The payments that their wallets cannot pay now.
    pub(crate) fn shortages(&mut self) -> &mut BTreeMap<u64, Shortage> {
        &mut self.short
    }

    /// Sweeps other addresses into the wallet of this address until they bring what is missing, with what is on its way: those of
    /// deposits into the hot wallet and, on a simulated chain, one wallet into the other, since test credits of every account are minted
    /// in the hot one. `true` if a sweep is new.
    pub(crate) fn sweep(&mut self, code: &str, wallet: &str, missing: Money) -> bool {
        let is_hot = wallet == self.keys.hot;
        let mut sources = if is_hot { self.held.deposits(&self.keys, code) } else { Vec::new() };
        let other = if is_hot { self.keys.custody.clone() } else { self.keys.hot.clone() };
        let held = self.held.of(&(other.clone(), code.to_owned()));
        if !self.chain.is_real() && held > Money::ZERO {
            sources.push((other, held));
        }
        let (mut sum, mut is_new) = (Money::ZERO, false);
        for (address, held) in sources {
            let purse = (address.clone(), code.to_owned());
            if sum >= missing || self.unswept.get(&purse) == Some(&self.purse(&purse)) {
                continue;
            }
            // A wallet gives no more than is missing.
            let is_wallet = [&self.keys.hot, &self.keys.custody].contains(&&address);
            let amount = if is_wallet { held.min(missing - sum) } else { held };
            sum = sum.capped_add(amount);
            if self.sweeping.insert(purse) {
                self.send_sweep(address, wallet.to_owned(), code.to_owned(), amount);
                is_new = true;
            }
        }
        is_new
    }

    /// The amount that was minted of a currency, less what was burned.
    pub(crate) fn minted(&self, code: &str) -> Money {
        self.chain.minted(code)
    }

    /// The amounts of a currency that could be taken from the wallets for another address: those that no payment has been signed for.
    pub(crate) fn spare(&self, code: &str, beside: &str) -> Vec<(String, Money)> {
        // The chain would give away what such a payment spends.
        if self.payer.has_unknown() {
            return Vec::new();
        }
        let wallets = [&self.keys.hot, &self.keys.custody].into_iter().filter(|wallet| *wallet != beside);
        let spare = wallets.map(|wallet| (wallet.clone(), self.chain.burnable(wallet, code)));
        spare.filter(|(_, amount)| *amount > Money::ZERO).collect()
    }

    /// Mints money in the hot wallet or, with an address, there.
    pub(crate) fn mint(&mut self, code: &str, amount: Money, address: Option<&str>) -> Result<(), Stop> {
        self.is_stale = true;
        let address = address.unwrap_or(&self.keys.hot).to_owned();
        let output = Output { address, memo: None, currency: code.to_owned(), amount };
        self.chain
            .simulated()
            .and_then(|chain| chain.mint(output))
            .map_err(|error| Stop::Chain(error.to_string()))
    }

    /// Burns minted money of a wallet.
    pub(crate) fn burn(&mut self, code: &str, amount: Money, address: &str) -> Result<(), Stop> {
        self.is_stale = true;
        let output = Output { address: address.to_owned(), memo: None, currency: code.to_owned(), amount };
        self.chain
            .simulated()
            .and_then(|chain| chain.burn(output))
            .map_err(|error| Stop::Chain(error.to_string()))
    }

    /// Does what a control call asks for, between two rests.
    pub(crate) fn work(&mut self, desk: &Desk, work: Work) -> Result<Result<Shown, Failed>, Stop> {
        self.come_to_rest(desk)?;
        if self.chain.is_real() {
            return self.show_node(desk, &work);
        }
        let Ok(chain) = self.chain.simulated() else { return Ok(Err(Refusal::RealNode.into())) };
        let mut shown = Shown::default();
        let mut address = None;
        let done = match work {
            Work::Show(wanted) => {
                address = wanted;
                Ok(())
            }
            Work::Send(output) => chain.send(output).map(|sent| shown.sent = Some(sent)),
            Work::Mine(blocks) => chain.mine(blocks).map(|_| ()),
            Work::Reorg { depth, .. } if depth > DEPTH_MAX => Err(Refusal::Range {
                field: "depth",
                value: u64::from(depth),
                least: 1,
                most: u64::from(DEPTH_MAX),
            }),
            Work::Reorg { depth, drop } => {
                chain.reorg(depth, drop).map(|reorganised| shown.dropped = reorganised.dropped)
            }
            Work::Node { treatment, times } => chain.node(treatment, times),
        };
        if let Err(refusal) = done {
            return Ok(Err(refusal.into()));
        }
        self.come_to_rest(desk)?;
        let broken = |error: Refusal| Stop::Chain(error.to_string());
        let chain = self.chain.simulated().map_err(broken)?;
        (shown.height, shown.confirmations) = (chain.height(), self.required);
        shown.received =
            address.map(|address| chain.received(&address)).transpose().map_err(broken)?.unwrap_or_default();
        let pool = chain.mempool(&BTreeSet::new()).map_err(|error| Stop::Chain(error.to_string()))?;
        shown.mempool = pool.hashes.into_iter().collect();
        Ok(Ok(shown))
    }

    /// A real node's view, once it is journaled: its height alone. It cannot be moved.
    fn show_node(&mut self, desk: &Desk, work: &Work) -> Result<Result<Shown, Failed>, Stop> {
        if !matches!(work, Work::Show(_)) {
            return Ok(Err(Refusal::RealNode.into()));
        }
        for _ in 0..LOOKS {
            let tip = match self.chain.tip() {
                Ok(tip) => tip,
                Err(unanswered) => return Ok(Err(Failed::Unable(unanswered.to_string()))),
            };
            if self.watcher.branch().tip() == Some(&tip) {
                let (height, confirmations) = (tip.height, self.required);
                return Ok(Ok(Shown { height, confirmations, is_real: true, ..Shown::default() }));
            }
            self.come_to_rest(desk)?;
        }
        Ok(Err(Failed::Unable("the node's newest block is not followed yet".to_owned())))
    }
}

/// Whether an address was issued on a network, or on the one whose addresses it uses.
fn is_issued(desk: &Desk, name: &str, address: &str) -> bool {
    desk.ask(|state| {
        let serving = state.funds().networks().serving(name);
        serving.is_some_and(|(id, _)| state.funds().addresses().find(id, address, "").is_some())
    })
}

/// The findings of looks at the chain: the height above which blocks were removed, and the newest blocks. Older ones than the state
/// remembers are left out, so that many empty blocks are one short record.
fn followed(reports: &[Report]) -> (Option<u64>, Vec<ChainBlock>) {
    let removed_above = reports.iter().filter_map(|report| report.removed_above).min();
    let mut blocks: Vec<ChainBlock> = Vec::new();
    for report in reports {
        if let Some(height) = report.removed_above {
            blocks.retain(|block| block.height <= height);
        }
        blocks.extend(report.blocks.iter().map(translate::chain_block));
        let surplus = blocks.len().saturating_sub(BLOCKS_KEPT);
        blocks.drain(..surplus);
    }
    (removed_above, blocks)
}

/// The watcher and the payer of a network, as the state remembers them.
fn restore(state: &State, name: &str, keys: &Keyring, held: &Holdings, required: u32) -> (Watcher, Payer) {
    let funds = state.funds();
    let branch = Branch::new(funds.deposits().blocks(name).map(translate::block_ref));
    let known = funds.deposits().live(name).map(|(key, deposit)| translate::known(key, deposit));
    let watcher = Watcher::restore(required, branch, known);
    let mut payer = Payer::new(required);
    for (eid, _) in funds.withdrawals().payments_from(Eid(0)) {
        let Some(transfer) = funds.transfer(eid) else { continue };
        let is_here = transfer.row.chain().is_some_and(|chain| chain.network == name);
        if is_here {
            payments::withdraw(state, transfer, keys, held, &mut payer);
        }
    }
    for eid in payments::moves_on(state, name) {
        payments::move_custody(state, eid, keys, held, &mut payer);
    }
    (watcher, payer)
}
