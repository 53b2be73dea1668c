//! Brings accepted payments onto the chain, each at most once (INV-WD-1 to 4).
//!
//! The order of durability: the caller adds a payment once its acceptance is durable; [`Payer::poll`] builds and signs
//! it, and reports the signed bytes; only when the caller has made these durable ([`Payer::recorded`]) are they sent,
//! the same bytes every time. All attempts of a payment spend the same, so that the chain confirms at most one of them:
//! that one decides what has become of the payment.

mod entry;
#[cfg(test)]
mod tests;

use crate::{
    BlockRef, Branch, BuildError, CONFIRMATIONS_MAX, Chain, Draft, Keys, Pay, Reserved, Signed, TxHash,
};
use buttonwood_num::Money;
use entry::{Entry, State};
use std::collections::{BTreeMap, BTreeSet};

/// A payment out of own addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Identifies it for ever. Payments are built in the order of their ids.
    pub id: u64,
    /// Own addresses that may pay, the preferred first.
    pub from: Vec<String>,
    /// The receiver, in canonical spelling.
    pub address: String,
    /// The memo for the receiver.
    pub memo: Option<String>,
    /// The currency's code.
    pub currency: String,
    /// The amount that arrives.
    pub amount: Money,
}

/// The purpose of a signed transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Pays.
    Pay,
    /// Pays too, with a higher fee, and spends the same.
    Bump,
    /// Only uses up what the payment would spend.
    Void,
}

/// A signed transaction of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Its purpose.
    pub purpose: Purpose,
    /// Its hash and bytes.
    pub signed: Signed,
}

/// The fate of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is paid.
    Completed,
    /// Its transaction is final, but has failed and moved nothing (an EVM revert).
    Failed,
    /// Another transaction has finally used up what it would have spent.
    Voided,
}

/// The end of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Its fate.
    pub outcome: Outcome,
    /// The transaction that has decided it.
    pub tx: TxHash,
    /// Its block.
    pub block: BlockRef,
    /// The charge of the network, in the network's own currency.
    pub cost: Money,
}

/// A report of the payer. All but [`Step::Signed`] may repeat after a restart: one that says nothing new changes
/// nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The caller makes this durable, then calls [`Payer::recorded`]. Steps are recorded in their order.
    Signed {
        /// The payment.
        payment: u64,
        /// The signed transaction.
        attempt: Attempt,
    },
    /// The node has a transaction of the payment, waiting or in a block.
    Sent {
        /// The payment.
        payment: u64,
        /// The transaction.
        tx: TxHash,
    },
    /// The payment has come to its end, at the required number of confirmations.
    Settled {
        /// The payment.
        payment: u64,
        /// How.
        settled: Settled,
    },
    /// A reorganisation has removed the block of a settled payment. Its transaction is sent again, and
    /// [`Step::Settled`] is reported again when one of its transactions is final.
    Unsettled {
        /// The payment.
        payment: u64,
        /// The transaction that had decided it.
        tx: TxHash,
        /// The removed block.
        block: BlockRef,
    },
    /// Its addresses cannot pay it; it waits. Reported once, until it has been built.
    Short {
        /// The payment.
        payment: u64,
        /// The amount that they could pay.
        available: Money,
    },
    /// It cannot be built or signed; it is tried again. Reported once.
    Blocked {
        /// The payment.
        payment: u64,
        /// Why.
        reason: String,
    },
    /// None of its transactions can confirm any more, nor those of payments that it replaces: what they spend is gone, or was finally
    /// spent by a transaction that this payer has not made. It may have been paid under another hash, so an operator must decide.
    /// Reported once, until [`Step::Revived`].
    Stuck {
        /// The payment.
        payment: u64,
        /// Its newest transaction; none if only a payment that it replaces was signed.
        tx: Option<TxHash>,
        /// The other transaction, if the node knows.
        by: Option<TxHash>,
    },
    /// One of its transactions, or of a payment that it replaces, may confirm after all.
    Revived {
        /// The payment.
        payment: u64,
    },
}

impl Step {
    /// The payment that it is of.
    pub fn payment(&self) -> u64 {
        match self {
            Self::Signed { payment, .. }
            | Self::Sent { payment, .. }
            | Self::Settled { payment, .. }
            | Self::Unsettled { payment, .. }
            | Self::Short { payment, .. }
            | Self::Blocked { payment, .. }
            | Self::Revived { payment }
            | Self::Stuck { payment, .. } => *payment,
        }
    }
}

/// A payment whose transaction is in a block that is not final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InBlock<'a> {
    /// The payment.
    pub payment: &'a Payment,
    /// Whether the transaction has moved the amount: a void, or one that has failed, has not.
    pub has_moved: bool,
    /// The charge of the network, in the network's own currency.
    pub cost: Money,
}

/// Payments of one network on their way.
///
/// It is a state machine in memory; its caller restores the payments that are not settled, and those that were settled
/// within the last [`WINDOW`](crate::WINDOW) blocks, from what it has journaled.
#[derive(Debug)]
pub struct Payer {
    confirmations: u32,
    entries: BTreeMap<u64, Entry>,
    /// Those that need a look even while the chain stands still.
    busy: BTreeSet<u64>,
    reserved: Reserved,
    tip: Option<BlockRef>,
}

impl Payer {
    /// Without payments. `confirmations` settle a payment.
    pub fn new(confirmations: u32) -> Self {
        Self {
            confirmations: confirmations.clamp(1, CONFIRMATIONS_MAX),
            entries: BTreeMap::new(),
            busy: BTreeSet::new(),
            reserved: Reserved::default(),
            tip: None,
        }
    }

    /// Changes the number of confirmations that settle a payment.
    pub fn set_confirmations(&mut self, confirmations: u32) {
        self.confirmations = confirmations.clamp(1, CONFIRMATIONS_MAX);
    }

    /// Takes a payment whose acceptance is durable. One that is known already changes nothing.
    pub fn accept(&mut self, payment: Payment) {
        self.restore(payment, [], None);
    }

    /// Takes a payment as it was journaled: with all signed transactions, oldest first, and its end. One that is known
    /// already changes nothing.
    pub fn restore(
        &mut self,
        payment: Payment,
        attempts: impl IntoIterator<Item = Attempt>,
        settled: Option<Settled>,
    ) {
        let id = payment.id;
        if self.entries.contains_key(&id) {
            return;
        }
        let mut entry = Entry::new(payment, settled);
        for attempt in attempts {
            entry.add(attempt, true, &mut self.reserved);
        }
        self.entries.insert(id, entry);
        self.busy.insert(id);
    }

    /// The bytes of a [`Step::Signed`] are durable: from now on they are sent. `false` if there is no such attempt.
    pub fn recorded(&mut self, payment: u64, tx: &TxHash) -> bool {
        let known = self.entries.get_mut(&payment).is_some_and(|entry| entry.recorded(tx));
        if known {
            self.busy.insert(payment);
        }
        known
    }

    /// Asks for a transaction with a higher fee in place of one that waits. `false` if none does, or if another payment
    /// already spends an output of it.
    pub fn bump(&mut self, payment: u64) -> bool {
        let Some(tx) = self.entries.get(&payment).and_then(Entry::bumpable) else { return false };
        if self.reserved.builds_on(&tx) {
            return false;
        }
        if let Some(entry) = self.entries.get_mut(&payment) {
            entry.ask_for_bump(&mut self.reserved);
        }
        self.busy.insert(payment);
        true
    }

    /// Takes note that [`Step::Stuck`] is known of a payment, when it is restored.
    pub fn set_stuck(&mut self, payment: u64) {
        if let Some(entry) = self.entries.get_mut(&payment) {
            entry.lost = true;
        }
    }

    /// Takes a payment as it was journaled that was given up. One that is known already changes nothing.
    pub fn restore_given_up(&mut self, payment: Payment, attempts: impl IntoIterator<Item = Attempt>) {
        let id = payment.id;
        if self.entries.contains_key(&id) {
            return;
        }
        let mut entry = Entry::new(payment, None);
        entry.given_up = true;
        for attempt in attempts {
            entry.add(attempt, true, &mut self.reserved);
        }
        self.entries.insert(id, entry);
        self.busy.insert(id);
    }

    /// Never sends the transactions of a payment again. They are still looked for: one that confirms is reported as the payment's end.
    pub fn give_up(&mut self, payment: u64) {
        if let Some(entry) = self.entries.get_mut(&payment) {
            entry.give_up(&mut self.reserved);
        }
    }

    /// Says which payments a payment replaces, all given up: nothing is signed for it while one of them may confirm.
    pub fn replace(&mut self, payment: u64, replaces: Vec<u64>) {
        if let Some(entry) = self.entries.get_mut(&payment) {
            entry.replaces = replaces;
        }
    }

    /// Asks for an empty transaction in place of a payment, which uses up the same.
    pub fn void(&mut self, payment: u64) {
        if let Some(entry) = self.entries.get_mut(&payment) {
            entry.ask_for_void();
            self.busy.insert(payment);
        }
    }

    /// Whether nothing of a payment can confirm: nothing of itself, and nothing of what it replaces.
    fn is_stuck(&self, entry: &Entry) -> bool {
        let is_dead = |id: &u64| self.entries.get(id).is_some_and(|old| old.is_dead() && !old.is_empty());
        let was_signed = !entry.is_empty() || !entry.replaces.is_empty();
        was_signed && !entry.given_up && entry.is_dead() && entry.replaces.iter().all(is_dead)
    }

    /// Reports the payments that have become stuck, and those that are not any more.
    fn report_stuck(&mut self, ids: &[u64], steps: &mut Vec<Step>) {
        for payment in ids.iter().copied() {
            let Some(entry) = self.entries.get(&payment) else { continue };
            let (is_stuck, by) = (self.is_stuck(entry), entry.dead_by());
            let tx = entry.last().map(|signed| signed.tx.clone());
            let Some(entry) = self.entries.get_mut(&payment) else { continue };
            if std::mem::replace(&mut entry.lost, is_stuck) == is_stuck {
                continue;
            }
            steps.push(if is_stuck { Step::Stuck { payment, tx, by } } else { Step::Revived { payment } });
        }
    }

    /// Payments whose newest transaction waits for a block, with that transaction: a higher fee could replace it.
    pub fn waiting(&self) -> impl Iterator<Item = (u64, TxHash)> {
        self.entries.iter().filter_map(|(id, entry)| Some((*id, entry.bumpable()?)))
    }

    /// Payments that are neither settled nor forgotten.
    pub fn unsettled(&self) -> usize {
        self.entries.values().filter(|entry| entry.settled.is_none() && !entry.given_up).count()
    }

    /// The payments whose transactions are in blocks that are not final.
    pub fn in_blocks(&self) -> impl Iterator<Item = InBlock<'_>> {
        self.entries.values().filter_map(Entry::in_block)
    }

    /// A payment, unless it is forgotten.
    pub fn payment(&self, id: u64) -> Option<&Payment> {
        self.entries.get(&id).map(|entry| &entry.payment)
    }

    /// Sets the addresses that may pay what is not signed yet.
    pub fn set_from(&mut self, id: u64, from: &[String]) {
        if let Some(entry) = self.entries.get_mut(&id)
            && entry.payment.from != from
        {
            entry.payment.from = from.to_vec();
        }
    }

    /// The payments that have not ended and of which nothing durable is signed.
    pub fn unsigned(&self) -> impl Iterator<Item = u64> {
        self.entries.values().filter(|entry| entry.is_unsigned()).map(|entry| entry.payment.id)
    }

    /// Forgets a payment of which nothing durable is signed; what was signed for it in vain is free again.
    pub fn forget_unsigned(&mut self, id: u64) {
        if let Some(entry) = self.entries.get_mut(&id)
            && entry.is_unsigned()
        {
            entry.release(&mut self.reserved);
            self.entries.remove(&id);
            self.busy.remove(&id);
        }
    }

    /// Whether the node may lack everything that was signed for a payment, since it was not sent or was refused: the node then does not
    /// know that its inputs are spent.
    pub fn has_unknown(&self) -> bool {
        self.entries.values().any(Entry::is_unknown)
    }

    /// Whether a payment needs a look while the chain stands still: it is not signed, or the node may not have it.
    pub fn is_busy(&self) -> bool {
        !self.busy.is_empty()
    }

    /// Does what can be done now: builds, signs, sends what is durable, looks for what was sent. `branch` is that of the
    /// network's watcher: a block counts only as part of it.
    ///
    /// To bring everything as far as it comes, record the signed transactions and poll again until there are no steps.
    pub fn poll(&mut self, chain: &mut dyn Chain, branch: &Branch, keys: &dyn Keys) -> Vec<Step> {
        let mut steps = Vec::new();
        let moved = self.tip.as_ref() != branch.tip();
        self.tip = branch.tip().cloned();
        let ids: Vec<u64> =
            if moved { self.entries.keys().copied().collect() } else { self.busy.iter().copied().collect() };
        for id in &ids {
            self.pursue(*id, moved, chain, branch, &mut steps);
        }
        self.sign(&ids, moved, chain, keys, &mut steps);
        self.report_stuck(&ids, &mut steps);
        steps
    }

    /// Sends and looks up what was signed.
    fn pursue(
        &mut self,
        id: u64,
        moved: bool,
        chain: &mut dyn Chain,
        branch: &Branch,
        steps: &mut Vec<Step>,
    ) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        if entry.check_block(branch, &mut self.reserved, steps) {
            entry.release(&mut self.reserved);
            self.entries.remove(&id);
            self.busy.remove(&id);
            return;
        }
        if entry.found.is_none() {
            entry.look(moved, chain, branch, &mut self.reserved, steps);
        }
        entry.settle(self.confirmations, chain, branch, &mut self.reserved, steps);
        if !entry.is_busy() {
            self.busy.remove(&id);
        } else if !self.busy.contains(&id) {
            self.busy.insert(id);
        }
    }

    /// Builds and signs what needs another transaction.
    fn sign(
        &mut self,
        ids: &[u64],
        moved: bool,
        chain: &mut dyn Chain,
        keys: &dyn Keys,
        steps: &mut Vec<Step>,
    ) {
        // Transactions that are signed but not sent yet may free money for others: their change.
        let mut unsent = self.entries.values().any(Entry::is_unsent);
        // The least amount of each wallet and currency that could not be paid in this poll.
        let mut short: BTreeMap<(Option<String>, String), Money> = BTreeMap::new();
        for id in ids {
            let dead = |old: &u64| self.entries.get(old).is_some_and(|old| old.is_dead() && !old.is_empty());
            if !self.entries.get(id).is_some_and(|entry| entry.replaces.iter().all(dead)) {
                continue;
            }
            let Some(entry) = self.entries.get_mut(id) else { continue };
            let Some(purpose) = entry.wants(moved) else { continue };
            let payment = &entry.payment;
            let wallet = (payment.from.first().cloned(), payment.currency.clone());
            let beyond = short.get(&wallet).is_some_and(|least| payment.amount >= *least);
            if purpose == Purpose::Pay && beyond && (entry.alarmed || unsent) {
                continue;
            }
            match build(entry, purpose, chain, &self.reserved, keys) {
                Ok(attempt) => {
                    entry.add(attempt.clone(), false, &mut self.reserved);
                    (entry.alarmed, unsent) = (false, true);
                    steps.push(Step::Signed { payment: *id, attempt });
                }
                Err(Failure::Short(available)) => {
                    short.insert(wallet, payment.amount);
                    if !unsent && !std::mem::replace(&mut entry.alarmed, true) {
                        steps.push(Step::Short { payment: *id, available });
                    }
                }
                Err(Failure::Blocked(reason)) => {
                    if !std::mem::replace(&mut entry.alarmed, true) {
                        steps.push(Step::Blocked { payment: *id, reason });
                    }
                }
                Err(Failure::Later) => {}
            }
        }
    }
}

/// Why a transaction was not built or signed.
enum Failure {
    Short(Money),
    Blocked(String),
    Later,
}

fn build(
    entry: &Entry,
    purpose: Purpose,
    chain: &mut dyn Chain,
    reserved: &Reserved,
    keys: &dyn Keys,
) -> Result<Attempt, Failure> {
    let payment = &entry.payment;
    let pay = Pay {
        address: &payment.address,
        memo: payment.memo.as_deref(),
        currency: &payment.currency,
        amount: payment.amount,
    };
    let draft = Draft {
        from: &payment.from,
        pay: (purpose != Purpose::Void).then_some(pay),
        spends: entry.spends(),
        bid: entry.bid(),
        outbids: entry.last(),
        reserved,
    };
    let unsigned = chain.build(&draft).map_err(|error| match error {
        BuildError::Short { available } => Failure::Short(available),
        BuildError::Impossible { reason } => Failure::Blocked(reason),
        BuildError::Unanswered(_) => Failure::Later,
    })?;
    // A chain that chose something else than it was given would pay twice.
    if entry.spends().is_some_and(|spends| *spends != unsigned.spends) {
        return Err(Failure::Blocked("the built transaction spends something else".to_owned()));
    }
    let signed = chain.sign(&unsigned, keys).map_err(|error| Failure::Blocked(error.to_string()))?;
    Ok(Attempt { purpose, signed })
}

/// The state of the attempt that is sent, for tests and figures.
impl Payer {
    /// Payments whose transaction the node has refused for good and whose void is not final yet.
    pub fn refused(&self) -> usize {
        self.entries.values().filter(|entry| entry.has(State::Refused) && entry.settled.is_none()).count()
    }
}
