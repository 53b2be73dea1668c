//! `transfer list`: the transfers that are not done.

use super::{Whose, chosen, exact, names, send_of_each};
use crate::command::{Argument, Command, Form, Lines};
use crate::operator::Operator;
use buttonwood_engine::{State, Transfer};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::AccountId;
use buttonwood_wire::contract::{DecimalText, Label};
use buttonwood_wire::{answer, json};
use std::cmp::Reverse;

/// Only for operators.
pub(crate) const COMMAND: Command =
    Command::list("transfer list", |operator, fields, lines| Box::pin(run(operator, fields, lines)))
        .about("Lists the transfers under way, by account, the oldest first.")
        .takes::<Whose>(&[Argument::new("group", Form::Option), Argument::new("account", Form::Option)])
        .gives::<ListedTransfer>();

answer! {
    /// A transfer under way.
    struct ListedTransfer {
        /// Its number.
        eid: u64,
        /// The name of the account's group.
        group: Label,
        /// The short name of the account.
        account: Label,
        /// Its type.
        kind as "type": String,
        /// How far it has come.
        status: String,
        /// The currency.
        currency: String,
        /// How much, without the fee.
        amount: DecimalText,
        /// When it began, in milliseconds.
        timestampms: u64,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload, lines: &Lines) -> Result<(), Refusal> {
    let request = Whose::of(fields);
    let meant = chosen(operator, request.group()?.as_deref(), request.account()?.as_deref())?;
    send_of_each(operator, lines, meant, rows).await;
    Ok(())
}

fn rows(state: &State, account: AccountId) -> Vec<Vec<u8>> {
    state.funds().open_of(account).filter_map(|transfer| row(state, account, transfer)).collect()
}

fn row(state: &State, account: AccountId, transfer: &Transfer) -> Option<Vec<u8>> {
    let (group, name) = names(state, account);
    let row = &transfer.row;
    Some(json::body(&ListedTransfer {
        eid: transfer.eid.0,
        group,
        account: name,
        kind: row.kind.name().to_owned(),
        status: row.status.name().to_owned(),
        currency: state.currency(row.currency)?.code.clone(),
        amount: exact(row.amount),
        timestampms: transfer.time.millis(),
    }))
}

/// How many transfers are under way, and the newest of them as `transfer list` shows them, the newest first.
pub fn transfers_under_way(state: &State, most: usize) -> (usize, Vec<Vec<u8>>) {
    let mut open: Vec<(AccountId, &Transfer)> = state.funds().all_open().collect();
    open.sort_unstable_by_key(|(_, transfer)| Reverse(transfer.eid));
    let rows = open.iter().take(most).filter_map(|(account, transfer)| row(state, *account, transfer));
    (open.len(), rows.collect())
}
