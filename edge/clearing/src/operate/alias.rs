//! `clearing alias`: an account's own name for a counterparty (D-93).

use super::wrong_account;
use buttonwood_engine::clearing::{ALIASES_MAX, Alias};
use buttonwood_engine::{AccountKind, ClearingCommand, ClearingReject, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::AccountId;
use buttonwood_operate::{Argument, Command, Effect, Form, Operator, Shared};
use buttonwood_wire::contract::{Done, InPayload, Label, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Also `POST /sandbox/clearing/alias`.
pub(crate) const COMMAND: Command =
    Command::once("clearing alias", Effect::Names, |operator, fields| Box::pin(run(operator, fields)))
        .about("Gives a counterparty the name by which an account's clearing lists show and find it.")
        .after("account broker")
        .takes::<ClearingAlias>(&[
            Argument::new("group", Form::Place),
            Argument::new("account", Form::Place),
            Argument::new("counterparty_id", Form::Place),
            Argument::new("alias", Form::Place),
        ])
        .gives::<ClearingAliasSet>();

request! {
    /// An account's own name for a counterparty.
    struct ClearingAlias in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// The counterparty id that the name stands for.
        counterparty_id: Needed<Text>,
        /// The name, 1 to 50 characters; the counterparty's earlier name is gone.
        alias: Needed<Text>,
    }
}

answer! {
    /// The name that was given.
    struct ClearingAliasSet {
        /// Always `ok`.
        result: Done,
        /// The counterparty id.
        counterparty_id: String,
        /// The name.
        alias: Label,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = ClearingAlias::of(fields);
    let (group, short) = (request.group()?, request.account()?);
    let (id, name) = (request.counterparty_id()?, request.alias()?);
    let account = operator.find_account(&group, &short)?;
    let counterparty = find(operator, &id).ok_or_else(|| unknown(&id))?;
    let alias = Alias { account, counterparty, name: name.clone().into_owned() };
    let refuse = |reject| refusal(operator, (account, &short), (&id, &name), reject);
    operator.send(ClearingCommand::SetAlias(Arc::new(alias)), refuse).await?;
    Ok(json::body(&ClearingAliasSet {
        result: Done,
        counterparty_id: id.into_owned(),
        alias: Label(name.into_owned()),
    }))
}

/// The account of kind `exchange` with this counterparty id.
pub fn find(shared: &Shared, id: &str) -> Option<AccountId> {
    let views = shared.exchange.views();
    let access = views.state().access();
    let found = access.by_counterparty_id(id)?;
    let account = access.account(found)?;
    (account.kind == AccountKind::Exchange && account.group.is_some()).then_some(found)
}

/// The refusal of a counterparty id that is unknown, of another kind, or the account's own.
pub fn unknown(id: &str) -> Refusal {
    bad_value("counterparty_id", "the counterparty id of another account of kind exchange", id)
}

/// The refusal of a name: the counterparty id, the name itself, or the account with this short name is at fault.
pub fn refusal(
    shared: &Shared,
    (account, short): (AccountId, &str),
    (id, name): (&str, &str),
    reject: Reject,
) -> Option<Refusal> {
    if matches!(reject, Reject::Clearing(ClearingReject::Counterparty(_))) {
        Some(unknown(id))
    } else if reject == Reject::Clearing(ClearingReject::BadAlias) {
        Some(bad_value("alias", "1 to 50 characters", name))
    } else if reject == Reject::Clearing(ClearingReject::TooManyAliases) {
        let expected = format!("one of the {ALIASES_MAX} names that the account has already");
        Some(bad_value("alias", &expected, name))
    } else {
        wrong_account(shared, (account, short), reject)
    }
}
