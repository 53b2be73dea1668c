//! `house fund`: pays a house account from the source account.

use crate::command::{Argument, Command, Form};
use crate::field::{amount, bad_amount};
use crate::operator::Operator;
use buttonwood_engine::{Body, Reject, SOURCE};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Label, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// The command.
pub(crate) const COMMAND: Command =
    Command::once("house fund", |operator, fields| Box::pin(run(operator, fields)))
        .about("Pays a house account from the house's source account.")
        .guarded()
        .with_reason()
        .takes::<Fund>(&[
            Argument::new("name", Form::Place),
            Argument::new("currency", Form::Place),
            Argument::new("amount", Form::Place),
        ])
        .gives::<Funded>();

request! {
    /// Money for a house account.
    struct Fund in InPayload {
        /// The name of the house account.
        name: Needed<Text>,
        /// The currency.
        currency: Needed<Text>,
        /// How much.
        amount: Needed<Decimal>,
    }
}

answer! {
    /// The amount that the house account got.
    struct Funded {
        /// Always `ok`.
        result: Done,
        /// The name of the house account.
        house: Label,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Fund::of(fields);
    let (name, code, text) = (request.name()?, request.currency()?, request.amount()?);
    let house = operator.exchange.views().state().ledger().house(&name).filter(|_| name != SOURCE.name);
    let house = house.ok_or_else(|| bad_value("name", &names(operator), &name))?;
    let currency = operator.find_currency(&code)?;
    let money = amount(&text)?;
    let refuse = |reject| matches!(reject, Reject::Ledger(_)).then(|| bad_amount(&text));
    operator.send(Body::credit(house, vec![(currency, money)]), refuse).await?;
    let currency = operator.names.currency(currency).code.clone();
    let amount = DecimalText::of(|out| money.push_floored(out, MONEY_DECIMALS));
    Ok(json::body(&Funded { result: Done, house: Label(name.into_owned()), currency, amount }))
}

/// The house accounts that can be funded, for a refusal.
fn names(operator: &Operator<'_>) -> String {
    let views = operator.exchange.views();
    let houses = views.state().ledger().houses().iter().map(|house| house.name.as_str());
    let names: Vec<&str> = houses.filter(|name| *name != SOURCE.name).collect();
    format!("one of {}", names.join(", "))
}
