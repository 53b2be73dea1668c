//! Guarded commands: one operator proposes them, and they run when another one approves (D-184, Q-400).
//!
//! A proposal holds the command as it was sent. To propose it, its function runs as a dry run, so what would be refused is not proposed.
//! To approve it, the function runs again for the approver, whose act names the proposal: it is judged by the state of that moment, and
//! its effects outside the journal happen then.

use crate::command::{Command, Guard, Once, Run};
use crate::operator::{Operator, PROPOSES, not_approved};
use buttonwood_engine::{GuardedCommand, Operation, Proposal, Proposed, Reject, State};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_wire::contract::{Components, Done, Node, Shape};
use buttonwood_wire::field::failed;
use buttonwood_wire::{answer, json};
use std::sync::Arc;

answer! {
    /// A command that waits for another operator.
    struct Waits {
        /// Always `ok`.
        result: Done,
        /// The number of its proposal.
        proposal: u64,
        /// When the proposal expires, in milliseconds.
        expires_ms: u64,
    }
}

/// The schema of what a guarded command answers with when it was only proposed.
pub(crate) fn node(components: &mut Components) -> Node {
    Waits::node(components)
}

/// Runs a command, or proposes it where it takes two operators.
pub(crate) async fn run(
    command: &Command,
    function: Once,
    operator: &Operator<'_>,
    arguments: &Payload,
) -> Result<Vec<u8>, Refusal> {
    let is_alone = || command.alone.is_some_and(|alone| alone(operator, arguments));
    if command.guard != Guard::Two || operator.is_dry_run() || !operator.needs_two() || is_alone() {
        return function(operator, arguments).await;
    }
    function(&operator.checking(), arguments).await?;
    let (name, arguments) = (command.name.to_owned(), arguments.as_str().to_owned());
    let guarded = GuardedCommand { name, arguments };
    let what = Proposed::Command(guarded.clone());
    operator.proposing().send(Operation::Propose(Arc::new(guarded)), |_| None).await?;
    let Waiting { proposal: Some(proposal), expires_ms: Some(expires_ms) } = Waiting::of(operator, &what)
    else {
        return Err(failed());
    };
    Ok(json::body(&Waits { result: Done, proposal, expires_ms }))
}

/// Runs the command of a proposal for the operator who approves it.
pub(crate) async fn approve(operator: &Operator<'_>, guarded: &GuardedCommand) -> Result<Vec<u8>, Refusal> {
    let command = operator.catalogue.find(&guarded.name).filter(|command| command.guard == Guard::Two);
    let Some(Run::Once(function)) = command.map(|command| command.run) else {
        let message = format!("This build has no guarded command '{}'", quoted(&guarded.name));
        return Err(Refusal::new(Reason::InvalidParameterValue, message));
    };
    let arguments = Payload::read(guarded.arguments.clone().into_bytes())?;
    function(operator, &arguments).await
}

/// The proposal of this number, if the operator may approve it now.
pub(crate) fn approvable(operator: &Operator<'_>, id: u64) -> Result<(Proposal, String), Refusal> {
    let now = operator.exchange.now();
    let views = operator.exchange.views();
    let state = views.state();
    let found = state.approvable(now, id, operator.the_note());
    let proposal = found.map_err(|error| not_approved(error, id))?;
    Ok((proposal.clone(), shown(state, proposal)))
}

/// The proposal that a command has made, if it waits now.
pub(crate) struct Waiting {
    pub(crate) proposal: Option<u64>,
    pub(crate) expires_ms: Option<u64>,
}

impl Waiting {
    pub(crate) fn of(operator: &Operator<'_>, what: &Proposed) -> Self {
        let views = operator.exchange.views();
        let (operations, now) = (views.state().operations(), views.state().stamp().time);
        let found = operations.proposals(now).find(|proposal| proposal.what == *what);
        Self {
            proposal: found.map(|found| found.id),
            expires_ms: found.map(|found| found.expires().millis()),
        }
    }
}

/// The text of a proposal: the command and its arguments.
pub(crate) fn shown(state: &State, proposal: &Proposal) -> String {
    use buttonwood_engine::funds::Scope;
    match &proposal.what {
        Proposed::Resume => "resume".to_owned(),
        Proposed::Status(id, status) => {
            let symbol = state.symbol(*id).map_or("", |symbol| symbol.name.as_str());
            format!("symbol status {symbol} {}", status.name())
        }
        Proposed::ResumeScope(Scope::Withdrawals) => "resume --scope withdrawals".to_owned(),
        Proposed::ResumeScope(Scope::Asset(currency)) => {
            let code = state.ledger().currencies().get(currency.index()).map_or("", |found| &found.code);
            format!("resume --scope asset {code}")
        }
        Proposed::Command(_) => sent(proposal).to_owned(),
        Proposed::Key(session) => {
            let api_key = state.access().session(*session).map_or("", |found| found.key.api_key.as_str());
            format!("{} api_key={api_key}", sent(proposal))
        }
    }
}

/// The command as its operator sent it.
fn sent(proposal: &Proposal) -> &str {
    proposal.text.strip_prefix(PROPOSES).unwrap_or(&proposal.text)
}

/// The refusal of a new proposal beyond the limit.
pub(crate) fn too_many(reject: Reject) -> Option<Refusal> {
    if let Reject::Operation(error) = reject { Some(not_approved(error, 0)) } else { None }
}
