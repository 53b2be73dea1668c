//! `approve` and `proposals`: what takes effect only when a second operator approves it (D-144).

use crate::command::{Argument, Command, Form, Lines};
use crate::operator::Operator;
use buttonwood_engine::funds::Scope;
use buttonwood_engine::{ApprovalError, Operation, Proposal, Proposed, Reject, State};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Label, Needed, NoFields, WholeUpTo};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Approves what another user has proposed.
pub(crate) const APPROVE: Command =
    Command::once("approve", |operator, fields| Box::pin(approve(operator, fields)))
        .about("Approves what another user has proposed, so that it takes effect.")
        .takes::<Approval>(&[Argument::new("proposal", Form::Place)])
        .gives::<Approved>();

/// Lists what waits for an approval.
pub(crate) const PROPOSALS: Command =
    Command::list("proposals", |operator, _, lines| Box::pin(list(operator, lines)))
        .about("Lists the proposals that can be approved, oldest first.")
        .takes::<NoFields>(&[])
        .gives::<Listed>();

request! {
    /// An approval.
    struct Approval in InPayload {
        /// The number of the proposal.
        proposal: Needed<WholeUpTo<9_007_199_254_740_991>>,
    }
}

answer! {
    /// The proposal took effect.
    struct Approved {
        /// Always `ok`.
        result: Done,
        /// Its number.
        proposal: u64,
    }
}

answer! {
    /// A proposal.
    struct Listed {
        /// Its number.
        proposal: u64,
        /// What is proposed: the command and its arguments.
        what: String,
        /// Who proposed it.
        who: Label,
        /// Why.
        why: Label,
        /// When, in milliseconds.
        time_ms: u64,
        /// When it expires, in milliseconds.
        expires_ms: u64,
    }
}

/// The proposal that a command has made, if it waits now.
pub(super) struct Waiting {
    pub(super) proposal: Option<u64>,
    pub(super) expires_ms: Option<u64>,
}

impl Waiting {
    pub(super) fn of(operator: &Operator<'_>, what: Proposed) -> Self {
        let views = operator.exchange.views();
        let (operations, now) = (views.state().operations(), views.state().stamp().time);
        let found = operations.proposals(now).find(|proposal| proposal.what == what);
        Self {
            proposal: found.map(|found| found.id),
            expires_ms: found.map(|found| found.expires().millis()),
        }
    }
}

async fn approve(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let proposal = Approval::of(fields).proposal()?;
    let refuse = |reject| {
        let Reject::Approval(error) = reject else { return None };
        let expected = match error {
            ApprovalError::OwnProposal => "one that another user made",
            ApprovalError::Unknown => "the number of one that waits",
        };
        Some(bad_value("proposal", expected, &proposal.to_string()))
    };
    operator.send(Operation::Approve(proposal), refuse).await?;
    Ok(json::body(&Approved { result: Done, proposal }))
}

async fn list(operator: &Operator<'_>, lines: &Lines) -> Result<(), Refusal> {
    let all: Vec<_> = {
        let views = operator.exchange.views();
        let state = views.state();
        let waiting = state.operations().proposals(operator.exchange.now());
        waiting.map(|proposal| json::body(&listed(state, proposal))).collect()
    };
    for object in all {
        if !lines.send(object).await {
            break;
        }
    }
    Ok(())
}

fn listed(state: &State, proposal: &Proposal) -> Listed {
    Listed {
        proposal: proposal.id,
        what: what(state, proposal.what),
        who: Label(proposal.who.clone()),
        why: Label(proposal.why.clone()),
        time_ms: proposal.time.millis(),
        expires_ms: proposal.expires().millis(),
    }
}

fn what(state: &State, what: Proposed) -> String {
    match what {
        Proposed::Resume => "resume".to_owned(),
        Proposed::Status(id, status) => {
            let symbol = state.symbol(id).map_or("", |symbol| symbol.name.as_str());
            format!("symbol status {symbol} {}", status.name())
        }
        Proposed::ResumeScope(Scope::Withdrawals) => "resume --scope withdrawals".to_owned(),
        Proposed::ResumeScope(Scope::Asset(currency)) => {
            let code = state.ledger().currencies().get(currency.index()).map_or("", |found| &found.code);
            format!("resume --scope asset {code}")
        }
    }
}
