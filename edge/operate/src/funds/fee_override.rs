//! `account fee-override`: lets every withdrawal of an account be free, or ends that (facts F§6).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::FundsCommand;
use buttonwood_engine::funds::withdrawal::Command as WithdrawalCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, Flag, InPayload, Needed, Switch, Text};
use buttonwood_wire::{answer, json, request};

/// With `off` it ends.
pub(crate) const COMMAND: Command =
    Command::once("account fee-override", Effect::SetsTerms, |operator, fields| {
        Box::pin(run(operator, fields))
    })
    .about("Makes every withdrawal of an account free; with --off they cost again what others pay.")
    .with_reason()
    .takes::<Override>(&[
        Argument::new("group", Form::Place),
        Argument::new("account", Form::Place),
        Argument::new("off", Form::Switch),
    ])
    .gives::<OverrideSet>();

/// `POST /sandbox/accounts/fee-override`.
pub const CALL: Command = COMMAND
    .called::<FeeOverride, OverrideSet>(|operator, fields| Box::pin(call(operator, fields)))
    .about("Sets whether every withdrawal of an account is free.");

request! {
    /// Whose withdrawals are free.
    struct Override in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// Whether they are free no longer.
        off: Flag<false>,
    }
}

request! {
    /// Whose withdrawals are free.
    struct FeeOverride in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// Whether they are.
        on: Needed<Switch>,
    }
}

answer! {
    /// It is set.
    struct OverrideSet {
        /// Always `ok`.
        result: Done,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Override::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    set(operator, &group, &name, !request.off()?).await
}

async fn call(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = FeeOverride::of(fields);
    let (group, name, on) = (request.group()?, request.account()?, request.on()?);
    set(operator, &group, &name, on).await
}

/// Sets whether every withdrawal of an account is free.
async fn set(operator: &Operator<'_>, group: &str, account: &str, on: bool) -> Result<Vec<u8>, Refusal> {
    let account = operator.find_account(group, account)?;
    operator.send(FundsCommand::from(WithdrawalCommand::OverrideFee(account, on)), |_| None).await?;
    Ok(json::body(&OverrideSet { result: Done }))
}
