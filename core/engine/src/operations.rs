//! The operators' commands about the exchange as a whole: halting and resuming it, and approving what needs two operators.
//!
//! While the exchange is halted, nothing that may trade enters: such commands are refused ([`Body::may_trade`]), and auctions
//! and triggered stop orders wait. An auction that has found its price is still settled. Cancels, expiries and everything else
//! that operators do go on.
//!
//! Where two operators are needed, what D-144 and D-184 list is only proposed ([`proposal`]). A halt always takes effect at once, and
//! withdraws proposals to resume.

mod proposal;

pub use proposal::{ApprovalError, GuardedCommand, PROPOSAL_AGE, PROPOSALS_MAX, Proposal, Proposed};
pub(crate) use proposal::{approved, expire, propose, propose_key, proposed, withdraw, withdraw_of};

use crate::{Note, Reject, State};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_access::{self as access, NewSession};
use buttonwood_model::{BytesRef, Outbox, SessionId, Time, commands, named};
use buttonwood_trading::Command as TradingCommand;
use serde::{Deserialize, Serialize};

/// An operator's command about the exchange as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Halt the exchange.
    Halt,
    /// Resume it.
    Resume,
    /// Approve a proposal, so that it takes effect.
    Approve(u64),
    /// Set how many operators it takes to do what is guarded (D-144, D-184): one or two.
    SetApprovals(u8),
    /// Propose a command of the catalogue, which runs when another operator approves it (D-184).
    Propose(Arc<GuardedCommand>),
    /// Make a session that is disabled until another operator approves it (D-184).
    ProposeKey(Arc<NewSession>),
    /// End the session of the proposal with this number, whose time has passed.
    ExpireKey(u64),
}

commands!(Operation, "operations", {
    Halt {} = "halt" 1: anytime reduces,
    Resume {} = "resume" 1: anytime neither,
    Approve { 0: id } = "approve" 1: anytime neither,
    SetApprovals { 0: approvals } = "set_approvals" 1: anytime neither,
    Propose { 0: command } = "propose" 1: anytime neither,
    ProposeKey { 0: session } = "propose_key" 1: anytime neither,
    ExpireKey { 0: id } = "expire_key" 1: anytime neither,
});

/// An event of these commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operated {
    /// The exchange was halted.
    Halted(Halt),
    /// The exchange was resumed.
    Resumed,
    /// Something was proposed.
    Proposed(Proposal),
    /// A proposal was approved; its events come before.
    Approved(u64),
    /// A proposal was withdrawn: what it would resume was halted again, another command has decided about its key, or its proposer was
    /// disabled or is no operator any more.
    Withdrawn(u64),
    /// How many operators are needed was set.
    ApprovalsSet(u8),
    /// A proposal of a key was not approved in time; the key has ended.
    Expired(u64),
}

named!(Operated, "operations", {
    Halted { 0: halt } = "halted" 1,
    Resumed {} = "resumed" 1,
    Proposed { 0: proposal } = "proposed" 3,
    Approved { 0: id } = "approved" 1,
    Withdrawn { 0: id } = "proposal_withdrawn" 1,
    ApprovalsSet { 0: approvals } = "approvals_set" 1,
    Expired { 0: id } = "proposal_expired" 1,
});

/// A halt that lasts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Halt {
    /// When it began.
    pub since: Time,
    /// Who halted the exchange.
    pub who: String,
    /// Why.
    pub why: String,
}

/// The operators' settings for the exchange as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    halt: Option<Halt>,
    two_needed: bool,
    /// Oldest first; those that expired remain until the next one is made, those of keys until the key has ended.
    proposals: Vec<Proposal>,
    /// How many proposals there have been.
    proposed: u64,
}

impl Operations {
    /// The halt, while the exchange is halted.
    pub fn halt(&self) -> Option<&Halt> {
        self.halt.as_ref()
    }

    /// Whether the exchange is halted.
    #[inline]
    pub fn is_halted(&self) -> bool {
        self.halt.is_some()
    }

    /// How many operators it takes to do what is guarded (D-144, D-184).
    pub fn approvals(&self) -> u8 {
        if self.two_needed { 2 } else { 1 }
    }

    /// The proposals that can be approved now, oldest first.
    pub fn proposals(&self, now: Time) -> impl Iterator<Item = &Proposal> {
        self.proposals.iter().filter(move |proposal| now < proposal.expires())
    }

    /// The keys that wait for an approval, also those whose time has passed.
    pub fn proposed_keys(&self) -> impl Iterator<Item = SessionId> {
        self.proposals.iter().filter_map(|proposal| proposal.what.key())
    }
}

/// Decides a command of this file that takes effect at once. Repeating one changes nothing.
pub(crate) fn decide<E: From<BytesRef>>(
    state: &State,
    now: Time,
    operation: &Operation,
    note: Option<&Note>,
    out: &mut Outbox<E>,
) -> Result<(), Reject> {
    if state.opening.is_none() {
        return Err(Reject::NotNow);
    }
    let Operations { halt, two_needed, proposals, .. } = &state.operations;
    match operation {
        Operation::Halt => {
            let is_resume = |proposal: &Proposal| proposal.what == Proposed::Resume;
            if halt.is_none() || proposals.iter().any(is_resume) {
                let Note { who, why, .. } = note.cloned().unwrap_or_default();
                let halt = halt.clone().unwrap_or(Halt { since: now, who, why });
                out.push_named(&Operated::Halted(halt));
            }
        }
        Operation::Resume if halt.is_some() => out.push_named(&Operated::Resumed),
        Operation::Resume => {}
        Operation::SetApprovals(approvals @ 1..=2) => {
            if *two_needed != (*approvals == 2) {
                end_proposed_keys(proposals, out);
                out.push_named(&Operated::ApprovalsSet(*approvals));
            }
        }
        Operation::Propose(command) => {
            let what = Proposed::Command(GuardedCommand::clone(command));
            let note = note.filter(|_| *two_needed).ok_or(Reject::Unknown)?;
            propose(state, now, what, note, out)?;
        }
        Operation::ExpireKey(id) => expire(state, now, *id, out)?,
        // An approval decides what it approves, and a new key is the directory's to decide, so both are for the engine.
        Operation::SetApprovals(_) | Operation::Approve(_) | Operation::ProposeKey(_) => {
            return Err(Reject::Unknown);
        }
    }
    Ok(())
}

/// Ends the keys that wait for an approval: with another setting their proposals end.
fn end_proposed_keys<E: From<BytesRef>>(proposals: &[Proposal], out: &mut Outbox<E>) {
    for session in proposals.iter().filter_map(|proposal| proposal.what.key()) {
        out.push_named(&access::Infrequent::SessionEnded(session));
    }
}

/// Applies an event of this file.
pub(crate) fn evolve(operations: &mut Operations, event: Operated) {
    let Operations { halt, two_needed, proposals, proposed } = operations;
    match event {
        Operated::Halted(new) => {
            *halt = Some(new);
            proposals.retain(|proposal| proposal.what != Proposed::Resume);
        }
        Operated::Resumed => *halt = None,
        Operated::Proposed(proposal) => {
            *proposed = proposal.id;
            proposals.retain(|waiting| proposal.time < waiting.expires() || waiting.what.key().is_some());
            proposals.push(proposal);
        }
        Operated::Approved(id) => {
            let what = proposals.iter().find(|proposal| proposal.id == id).map(|found| found.what.clone());
            let is_over =
                |other: &Proposal| what.as_ref().is_some_and(|what| other.what.is_about_the_same(what));
            proposals.retain(|proposal| !is_over(proposal));
        }
        Operated::Withdrawn(id) | Operated::Expired(id) => proposals.retain(|proposal| proposal.id != id),
        Operated::ApprovalsSet(approvals) => {
            *two_needed = approvals == 2;
            proposals.clear();
        }
    }
}

/// Whether a due command waits until the exchange is resumed.
pub(crate) fn waits(state: &State, due: &TradingCommand) -> bool {
    state.operations.is_halted() && state.floor.waits_while_halted(due)
}
