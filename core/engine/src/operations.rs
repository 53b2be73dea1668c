//! The operators' commands about the exchange as a whole: halting and resuming it, and approving what needs two operators.
//!
//! While the exchange is halted, nothing that may trade enters: such commands are refused ([`Body::may_trade`]), and auctions
//! and triggered stop orders wait. An auction that has found its price is still settled. Cancels, expiries and everything else
//! that operators do go on.
//!
//! Where two operators are needed (D-144), a resumption, also of withdrawals or of an asset, and a symbol's status are only proposed. They take effect when another
//! user approves them. A halt always takes effect at once, and withdraws proposals to resume.

use crate::{Body, Note, Reject, State};
use alloc::string::String;
use alloc::vec::Vec;
use buttonwood_funds::{self as funds, Scope, halt};
use buttonwood_model::{BytesRef, Outbox, Roles, SymbolId, SymbolStatus, Time, named};
use buttonwood_trading::Command as TradingCommand;
use serde::{Deserialize, Serialize};

/// After this time a proposal can no longer be approved.
pub const PROPOSAL_AGE: u64 = 24 * 3_600 * Time::SECOND;

/// An operator's command about the exchange as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Halt the exchange.
    Halt,
    /// Resume it.
    Resume,
    /// Approve a proposal, so that it takes effect.
    Approve(u64),
    /// Set how many operators a resumption and a symbol's status need: one or two.
    SetApprovals(u8),
}

named!(Operation, "operations", {
    Halt {} = "halt" 1,
    Resume {} = "resume" 1,
    Approve { 0: id } = "approve" 1,
    SetApprovals { 0: approvals } = "set_approvals" 1,
});

impl Operation {
    /// No key may send these commands.
    pub fn roles(self) -> Roles {
        Roles::NOBODY
    }

    /// Whether the command is accepted on a nearly full disk.
    pub fn is_reducing(self) -> bool {
        matches!(self, Self::Halt)
    }
}

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
    /// A proposal was withdrawn, since what it would resume was halted again.
    Withdrawn(u64),
    /// How many operators are needed was set.
    ApprovalsSet(u8),
}

named!(Operated, "operations", {
    Halted { 0: halt } = "halted" 1,
    Resumed {} = "resumed" 1,
    Proposed { 0: proposal } = "proposed" 1,
    Approved { 0: id } = "approved" 1,
    Withdrawn { 0: id } = "proposal_withdrawn" 1,
    ApprovalsSet { 0: approvals } = "approvals_set" 1,
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

/// What takes effect only when a second operator approves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Proposed {
    /// The exchange is resumed.
    Resume,
    /// A symbol gets a status.
    Status(SymbolId, SymbolStatus),
    /// Withdrawals, or what an asset's halt has stopped, are resumed.
    ResumeScope(Scope),
}

impl Proposed {
    /// Its command.
    fn body(self) -> Body {
        match self {
            Self::Resume => Operation::Resume.into(),
            Self::Status(symbol, status) => TradingCommand::SetSymbolStatus(symbol, status).into(),
            Self::ResumeScope(scope) => funds::Command::from(halt::Command::Resume(scope)).into(),
        }
    }

    /// Whether both are about the same thing, so that neither makes sense after the other took effect.
    fn is_about_the_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Resume, Self::Resume) => true,
            (Self::Status(one, _), Self::Status(another, _)) => one == another,
            (Self::ResumeScope(one), Self::ResumeScope(another)) => one == another,
            (Self::Resume | Self::Status(..) | Self::ResumeScope(_), _) => false,
        }
    }
}

/// A proposal that waits for an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its number; they count from 1.
    pub id: u64,
    /// What is proposed.
    pub what: Proposed,
    /// When.
    pub time: Time,
    /// By whom.
    pub who: String,
    /// Why.
    pub why: String,
}

impl Proposal {
    /// When it can no longer be approved.
    pub fn expires(&self) -> Time {
        self.time.plus(PROPOSAL_AGE)
    }
}

/// Why a proposal is not approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalError {
    /// No proposal with this number waits.
    Unknown,
    /// The user who proposed it cannot approve it.
    OwnProposal,
}

/// What operators have set for the exchange as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    halt: Option<Halt>,
    two_needed: bool,
    /// Oldest first; those that expired remain until the next one is made.
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

    /// How many operators a resumption and a symbol's status need.
    pub fn approvals(&self) -> u8 {
        if self.two_needed { 2 } else { 1 }
    }

    /// The proposals that can be approved now, oldest first.
    pub fn proposals(&self, now: Time) -> impl Iterator<Item = &Proposal> {
        self.proposals.iter().filter(move |proposal| now < proposal.expires())
    }
}

/// Decides a command of this file that takes effect at once. Repeating one changes nothing.
pub(crate) fn decide<E: From<BytesRef>>(
    state: &State,
    now: Time,
    operation: Operation,
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
            if *two_needed != (approvals == 2) {
                out.push_named(&Operated::ApprovalsSet(approvals));
            }
        }
        // An approval decides what it approves, so it is for the engine.
        Operation::SetApprovals(_) | Operation::Approve(_) => return Err(Reject::Unknown),
    }
    Ok(())
}

/// What an operator's command only proposes; none where it takes effect at once, also because it would change nothing.
pub(crate) fn proposed(state: &State, body: &Body) -> Option<Proposed> {
    if !state.operations.two_needed {
        return None;
    }
    if let Body::Trading(TradingCommand::SetSymbolStatus(symbol, status)) = body {
        let changes = state.symbol(*symbol).is_some_and(|symbol| symbol.status != *status);
        return changes.then_some(Proposed::Status(*symbol, *status));
    }
    if let Body::Funds(funds::Command::Halt(halt::Command::Resume(scope))) = body {
        return state.funds().halts().has(*scope).then_some(Proposed::ResumeScope(*scope));
    }
    let resumes = *body == Body::Operation(Operation::Resume) && state.operations.is_halted();
    resumes.then_some(Proposed::Resume)
}

/// Withdraws the proposal to resume what an operator halts, as a halt of trading does.
pub(crate) fn withdraw<E: From<BytesRef>>(state: &State, body: &Body, out: &mut Outbox<E>) {
    let Body::Funds(funds::Command::Halt(halt::Command::Halt(scope))) = body else { return };
    let is_about = |proposal: &&Proposal| proposal.what == Proposed::ResumeScope(*scope);
    for proposal in state.operations.proposals.iter().filter(is_about) {
        out.push_named(&Operated::Withdrawn(proposal.id));
    }
}

/// Proposes something that could take effect now. A proposal that waits already is not made again.
pub(crate) fn propose<E: From<BytesRef>>(
    state: &State,
    now: Time,
    what: Proposed,
    note: &Note,
    out: &mut Outbox<E>,
) {
    let operations = &state.operations;
    if operations.proposals(now).any(|waiting| waiting.what == what) {
        return;
    }
    let id = operations.proposed + 1;
    let Note { who, why, .. } = note.clone();
    out.push_named(&Operated::Proposed(Proposal { id, what, time: now, who, why }));
}

/// The command of a proposal that this user may approve now.
pub(crate) fn approved(state: &State, now: Time, id: u64, who: &str) -> Result<Body, ApprovalError> {
    let proposal = state.operations.proposals(now).find(|proposal| proposal.id == id);
    let proposal = proposal.ok_or(ApprovalError::Unknown)?;
    if proposal.who == who { Err(ApprovalError::OwnProposal) } else { Ok(proposal.what.body()) }
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
            proposals.retain(|waiting| proposal.time < waiting.expires());
            proposals.push(proposal);
        }
        Operated::Approved(id) => {
            let waiting = proposals.iter().find(|proposal| proposal.id == id);
            let what = waiting.expect("the decision found the proposal").what;
            proposals.retain(|proposal| !proposal.what.is_about_the_same(what));
        }
        Operated::Withdrawn(id) => proposals.retain(|proposal| proposal.id != id),
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
