//! `balance list`.

use super::{Whose, chosen, exact, names, send_of_each};
use crate::command::{Argument, Command, Form, Lines};
use crate::operator::Operator;
use buttonwood_engine::{Balance, State};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::AccountId;
use buttonwood_wire::contract::{DecimalText, Label};
use buttonwood_wire::{answer, json};

/// Only for operators.
pub(crate) const COMMAND: Command =
    Command::list("balance list", |operator, fields, lines| Box::pin(run(operator, fields, lines)))
        .about("Lists what accounts have, by account and currency, to the last decimal.")
        .takes::<Whose>(&[Argument::new("group", Form::Option), Argument::new("account", Form::Option)])
        .gives::<ListedBalance>();

answer! {
    /// The balance of an account in a currency.
    struct ListedBalance {
        /// The name of the account's group.
        group: Label,
        /// The short name of the account.
        account: Label,
        /// The currency.
        currency: String,
        /// How much, with what is held.
        amount: DecimalText,
        /// How much no order and no transfer holds.
        available: DecimalText,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload, lines: &Lines) -> Result<(), Refusal> {
    let request = Whose::of(fields);
    let meant = chosen(operator, request.group()?.as_deref(), request.account()?.as_deref())?;
    send_of_each(operator, lines, meant, rows).await;
    Ok(())
}

fn rows(state: &State, account: AccountId) -> Vec<Vec<u8>> {
    let all = state.ledger().balances_of(account).filter(|(_, balance)| *balance != Balance::default());
    let row = |(currency, balance): (_, Balance)| {
        let (group, name) = names(state, account);
        Some(json::body(&ListedBalance {
            group,
            account: name,
            currency: state.currency(currency)?.code.clone(),
            amount: exact(balance.total()),
            available: exact(balance.available),
        }))
    };
    all.filter_map(row).collect()
}
