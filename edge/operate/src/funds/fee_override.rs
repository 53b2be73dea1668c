//! `account fee-override`: lets every withdrawal of an account be free, or ends that (facts F§6).

use crate::command::{Argument, Command, Form};
use crate::operator::Operator;
use buttonwood_engine::FundsCommand;
use buttonwood_engine::funds::withdrawal::Command as WithdrawalCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, Flag, InPayload, Needed, Text};
use buttonwood_wire::{answer, json, request};

/// `POST /sandbox/accounts/fee-override` has the same effect, by its field `on`.
pub(crate) const COMMAND: Command =
    Command::once("account fee-override", |operator, fields| Box::pin(run(operator, fields)))
        .about("Makes every withdrawal of an account free; with --off they cost again what others pay.")
        .guarded()
        .with_reason()
        .takes::<Override>(&[
            Argument::new("group", Form::Place),
            Argument::new("account", Form::Place),
            Argument::new("off", Form::Switch),
        ])
        .gives::<OverrideSet>();

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

answer! {
    /// It is set.
    pub struct OverrideSet {
        /// Always `ok`.
        result: Done,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Override::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    set(operator, &group, &name, !request.off()?).await
}

/// Sets whether every withdrawal of an account is free.
///
/// # Errors
/// The refusal of an unknown group or account, or of an exchange that is busy.
pub async fn set(operator: &Operator<'_>, group: &str, account: &str, on: bool) -> Result<Vec<u8>, Refusal> {
    let account = operator.find_account(group, account)?;
    operator.send(FundsCommand::from(WithdrawalCommand::OverrideFee(account, on)), |_| None).await?;
    Ok(json::body(&OverrideSet { result: Done }))
}
