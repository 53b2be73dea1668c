//! `credit`: gives an account money from the house's source account.

use crate::command::{Argument, Command, Form};
use crate::field::{amount, bad_amount};
use crate::operator::Operator;
use buttonwood_engine::{AccessReject, Body, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Needed, Text};
use buttonwood_wire::field::closed_account;
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/accounts/credit`.
pub const COMMAND: Command = Command::once("credit", |operator, fields| Box::pin(run(operator, fields)))
    .about("Credits an account from the house's source account.")
    .with_reason()
    .takes::<Credit>(&[
        Argument::new("group", Form::Place),
        Argument::new("account", Form::Place),
        Argument::new("currency", Form::Place),
        Argument::new("amount", Form::Place),
    ])
    .gives::<Credited>();

request! {
    /// A credit.
    struct Credit in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
        /// The currency.
        currency: Needed<Text>,
        /// How much.
        amount: Needed<Decimal>,
    }
}

answer! {
    /// The credited amount.
    struct Credited {
        /// Always `ok`.
        result: Done,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Credit::of(fields);
    let (group, account) = (request.group()?, request.account()?);
    let (code, text) = (request.currency()?, request.amount()?);
    let to = operator.find_account(&group, &account)?;
    let currency = operator.find_currency(&code)?;
    let money = amount(&text)?;
    let refuse = |reject| {
        let is_closed = reject == Reject::Access(AccessReject::Closed);
        if is_closed {
            return Some(closed_account(&account));
        }
        matches!(reject, Reject::Ledger(_)).then(|| bad_amount(&text))
    };
    operator.send(Body::credit(to, vec![(currency, money)]), refuse).await?;
    let currency = operator.names.currency(currency).code.clone();
    let amount = DecimalText::of(|out| money.push_floored(out, MONEY_DECIMALS));
    Ok(json::body(&Credited { result: Done, currency, amount }))
}
