//! `withdrawal rebuild` and `withdrawal void`: what ends a withdrawal whose payment a deep reorganisation has removed (D-184).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::funds::withdrawal::{
    Command as WithdrawalCommand, Reject as WithdrawalReject, Remedy,
};
use buttonwood_engine::{Eid, FundsCommand, FundsReject, Reject};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_wire::contract::{Done, InPayload, Needed, WholeUpTo};
use buttonwood_wire::{answer, json, request, words};

/// How the command line gives the withdrawal.
const ARGUMENTS: &[Argument] = &[Argument::new("eid", Form::Place)];

/// Only for operators.
pub(crate) const REBUILD: Command = Command::once("withdrawal rebuild", Effect::Gives, |operator, fields| {
    Box::pin(run(operator, fields, Remedy::Rebuild))
})
.about("Pays a withdrawal again whose payment cannot confirm any more; on a chain of accounts with the same number.")
.with_reason()
.takes::<Chosen>(ARGUMENTS)
.gives::<Remedied>();

/// Only for operators.
pub(crate) const VOID: Command = Command::once("withdrawal void", Effect::Gives, |operator, fields| {
    Box::pin(run(operator, fields, Remedy::Void))
})
.about(
    "Calls a withdrawal off whose payment cannot confirm any more; on a chain of accounts by an empty payment with the same number.",
)
.with_reason()
.takes::<Chosen>(ARGUMENTS)
.gives::<Remedied>();

request! {
    /// A withdrawal.
    struct Chosen in InPayload {
        /// Its number: the `eid` of its transfer.
        eid: Needed<WholeUpTo<9_007_199_254_740_991>>,
    }
}

words! {
    /// How far it has come.
    struct StatusName: "Pending", "Complete", "Failed", "Voided"
}

answer! {
    /// The remedy is noted.
    struct Remedied {
        /// Always `ok`.
        result: Done,
        /// The number of the transfer.
        eid: u64,
        /// How far it has come now: `Pending` until the chain has decided.
        status: StatusName,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload, remedy: Remedy) -> Result<Vec<u8>, Refusal> {
    let eid = Eid(Chosen::of(fields).eid()?);
    let refuse = |reject| {
        let Reject::Funds(FundsReject::Withdrawal(reject)) = reject else { return None };
        refusal(eid, reject)
    };
    operator.send(FundsCommand::from(WithdrawalCommand::Remedy(eid, remedy)), refuse).await?;
    let views = operator.exchange.views();
    let status = views.state().funds().transfer(eid).map_or("Pending", |transfer| transfer.row.status.name());
    Ok(json::body(&Remedied { result: Done, eid: eid.0, status: StatusName(status) }))
}

fn refusal(eid: Eid, reject: WithdrawalReject) -> Option<Refusal> {
    let what = match reject {
        WithdrawalReject::Unknown => "is no withdrawal to a chain that is under way or ended not long ago",
        WithdrawalReject::Settled => "has ended",
        WithdrawalReject::Unsigned => "is not signed yet, so it can still be paid as usual",
        WithdrawalReject::MayConfirm => {
            "has a payment that may still confirm: what it spends must be gone, or be spent elsewhere in a final block"
        }
        WithdrawalReject::Remedied => "already had this remedy and waits for the chain",
        WithdrawalReject::Foreign
        | WithdrawalReject::Closed
        | WithdrawalReject::UnsupportedNetwork
        | WithdrawalReject::OtherTerms
        | WithdrawalReject::Halted
        | WithdrawalReject::NoList
        | WithdrawalReject::NotApproved
        | WithdrawalReject::OtherMemo
        | WithdrawalReject::BadAmount(_)
        | WithdrawalReject::BelowMinimum(_)
        | WithdrawalReject::Short(..)
        | WithdrawalReject::OtherSpends
        | WithdrawalReject::OtherTransaction => return None,
    };
    let message = format!("Field 'eid' names a transfer that {what}: '{}'", eid.0);
    Some(Refusal::new(Reason::InvalidParameterValue, message))
}
