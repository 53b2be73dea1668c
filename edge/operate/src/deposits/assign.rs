//! `deposit assign`: gives a payment that fitted no account to an account, once (D-73).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::funds::OutputKey;
use buttonwood_engine::funds::deposit::{Command as DepositCommand, Reject as DepositReject};
use buttonwood_engine::{FundsCommand, FundsReject, Reject};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_wire::contract::{Done, InPayload, Needed, Text, WholeUpTo};
use buttonwood_wire::field::{busy, closed_account};
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Also `POST /sandbox/deposits/assign`.
pub const COMMAND: Command =
    Command::once("deposit assign", Effect::Gives, |operator, fields| Box::pin(run(operator, fields)))
        .about("Gives a payment that fitted no account to an account, once.")
        .with_reason()
        .takes::<Assignment>(&[
            Argument::new("network", Form::Place),
            Argument::new("txHash", Form::Place).named("tx-hash"),
            Argument::new("outputIdx", Form::Place).named("output-idx"),
            Argument::new("group", Form::Place),
            Argument::new("account", Form::Place),
        ])
        .gives::<Assigned>();

request! {
    /// Who gets a payment.
    struct Assignment in InPayload {
        /// The network.
        network: Needed<Text>,
        /// The hash of the transaction.
        tx_hash as "txHash": Needed<Text>,
        /// The output; 0 where the chain has no outputs.
        output as "outputIdx": Needed<WholeUpTo<4_294_967_295>>,
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
    }
}

answer! {
    /// It is assigned.
    struct Assigned {
        /// Always `ok`.
        result: Done,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Assignment::of(fields);
    let (network, tx) = (request.network()?, request.tx_hash()?);
    let index = u32::try_from(request.output()?).unwrap_or(u32::MAX);
    let (group, name) = (request.group()?, request.account()?);
    let account = operator.find_account(&group, &name)?;
    let key = OutputKey { network: network.clone().into_owned(), tx: tx.clone().into_owned(), index };
    let refuse = |reject| {
        let Reject::Funds(FundsReject::Deposit(reject)) = reject else { return None };
        let what = match reject {
            DepositReject::Closed => return Some(closed_account(&name)),
            DepositReject::Halted => return Some(busy("Credits of the payment's currency are halted")),
            DepositReject::Owned => "belongs to an account already",
            DepositReject::IsLost => "has not come, and cannot come any more",
            DepositReject::Unknown => "is not known",
            DepositReject::Unacceptable | DepositReject::NoHouse | DepositReject::NoAccount => return None,
        };
        let message = format!("The payment {what}: '{}' on '{}'", quoted(&tx), quoted(&network));
        Some(Refusal::new(Reason::InvalidParameterValue, message))
    };
    operator.send(FundsCommand::from(DepositCommand::Assign(Arc::new(key), account)), refuse).await?;
    Ok(json::body(&Assigned { result: Done }))
}
