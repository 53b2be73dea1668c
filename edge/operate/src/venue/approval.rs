//! `approve` and `proposals`: what takes effect only when a second operator approves it (D-144, D-184).

use crate::Shared;
use crate::command::{Argument, Command, Effect, Form, Lines};
use crate::guard;
use crate::operator::{Operator, not_approved};
use buttonwood_engine::{AccessReject, ApprovalError, Operation, Proposal, Proposed, Reject, State};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{
    Components, Done, InPayload, Label, Needed, NoFields, Node, Shape, WholeUpTo,
};
use buttonwood_wire::json::{self, Json};
use buttonwood_wire::{answer, request};

/// Also `POST /site/operator/approve`.
pub const APPROVE: Command =
    Command::once("approve", Effect::Approves, |operator, fields| Box::pin(approve(operator, fields)))
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
        /// The answer of the command that ran.
        answer: Option<Object>,
    }
}

answer! {
    /// A proposal.
    struct Listed {
        /// Its number.
        proposal: u64,
        /// The proposed command and its arguments.
        what: Label,
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

/// The object of the command that ran.
#[derive(Debug)]
struct Object(String);

impl Shape for Object {
    fn node(_: &mut Components) -> Node {
        Node::of_type("object")
    }

    fn write(&self, json: &mut Json) {
        json.exact_item(|out| out.extend_from_slice(self.0.as_bytes()));
    }
}

async fn approve(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let proposal = Approval::of(fields).proposal()?;
    // Of two operators who approve the same command, the second finds that it was done.
    let _turn = operator.approving.lock().await;
    let (found, shown) = guard::approvable(operator, proposal)?;
    let approver = operator.approving(&found, &shown);
    let answer = match &found.what {
        Proposed::Command(command) => Some(guard::approve(&approver, command).await?),
        Proposed::Key(session) => {
            let _turn = operator.keeper.turn.lock().await;
            approver.send(Operation::Approve(proposal), |reject| refusal(reject, proposal)).await?;
            if !operator.is_dry_run() {
                operator.pass_on(*session).await;
            }
            None
        }
        Proposed::Resume | Proposed::Status(..) | Proposed::ResumeScope(_) => {
            approver.send(Operation::Approve(proposal), |reject| refusal(reject, proposal)).await?;
            None
        }
    };
    let answer = answer.and_then(|object| String::from_utf8(object).ok()).map(Object);
    Ok(json::body(&Approved { result: Done, proposal, answer }))
}

fn refusal(reject: Reject, proposal: u64) -> Option<Refusal> {
    if let Reject::Operation(error) = reject {
        return Some(not_approved(error, proposal));
    }
    // The key has ended, so nothing waits.
    let has_ended = reject == Reject::Access(AccessReject::Ended);
    has_ended.then(|| not_approved(ApprovalError::Unknown, proposal))
}

/// The proposals that can be approved, oldest first: one JSON object each.
pub fn proposals(shared: &Shared) -> Vec<Vec<u8>> {
    let views = shared.exchange.views();
    let state = views.state();
    let waiting = state.operations().proposals(shared.exchange.now());
    waiting.map(|proposal| json::body(&listed(state, proposal))).collect()
}

async fn list(operator: &Operator<'_>, lines: &Lines) -> Result<(), Refusal> {
    for object in proposals(operator) {
        if !lines.send(object).await {
            break;
        }
    }
    Ok(())
}

fn listed(state: &State, proposal: &Proposal) -> Listed {
    Listed {
        proposal: proposal.id,
        what: Label(guard::shown(state, proposal)),
        who: Label(proposal.who.clone()),
        why: Label(proposal.why.clone()),
        time_ms: proposal.time.millis(),
        expires_ms: proposal.expires().millis(),
    }
}
