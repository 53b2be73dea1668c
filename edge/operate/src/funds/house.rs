//! `house fund`: pays a house account from the source account.

use crate::command::{Argument, Command, Effect, Form};
use crate::field::{amount, bad_amount};
use crate::operator::Operator;
use buttonwood_engine::{Body, INSURANCE, Reject, SOURCE, STAKING_POOL, STAKING_REWARDS};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::AccountId;
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Label, Needed, Text};
use buttonwood_wire::field::{bad_value, failed};
use buttonwood_wire::{answer, json, request};

/// Any house account but `source`, and but the pool of staking, which holds exactly what is staked or redeemed (INV-STK-1).
pub const COMMAND: Command =
    Command::once("house fund", Effect::Gives, |operator, fields| Box::pin(run(operator, fields)))
        .about("Pays a house account from the house's source account.")
        .with_reason()
        .takes::<Fund>(&[
            Argument::new("name", Form::Place),
            Argument::new("currency", Form::Place),
            Argument::new("amount", Form::Place),
        ])
        .gives::<Funded>();

/// `POST /sandbox/ledger/insurance`, which pays the insurance fund.
pub const INSURE: Command = COMMAND
    .called::<Insure, Insured>(|operator, fields| Box::pin(insure(operator, fields)))
    .about("Pays the insurance fund from the house's source account.");

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

request! {
    /// Money for the insurance fund.
    struct Insure in InPayload {
        /// The currency.
        currency: Needed<Text>,
        /// How much.
        amount: Needed<Decimal>,
    }
}

answer! {
    /// The payment to the insurance fund.
    struct Insured {
        /// Always `ok`.
        result: Done,
        /// The currency.
        currency: String,
        /// How much.
        amount: DecimalText,
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
    let house = operator.exchange.views().state().ledger().house(&name).filter(|_| may_be_paid(&name));
    let house = house.ok_or_else(|| bad_value("name", &names(operator), &name))?;
    let (currency, amount) = pay(operator, house, &code, &text).await?;
    if name == STAKING_REWARDS.name {
        operator.catch_up().await;
    }
    Ok(json::body(&Funded { result: Done, house: Label(name.into_owned()), currency, amount }))
}

async fn insure(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Insure::of(fields);
    let (code, text) = (request.currency()?, request.amount()?);
    let fund = operator.exchange.views().state().ledger().house(INSURANCE.name).ok_or_else(failed)?;
    let (currency, amount) = pay(operator, fund, &code, &text).await?;
    Ok(json::body(&Insured { result: Done, currency, amount }))
}

/// Pays a house account this amount, and returns both as they are shown.
async fn pay(
    operator: &Operator<'_>,
    house: AccountId,
    code: &str,
    text: &str,
) -> Result<(String, DecimalText), Refusal> {
    let currency = operator.find_currency(code)?;
    let money = amount(text)?;
    let refuse = |reject| matches!(reject, Reject::Ledger(_)).then(|| bad_amount(text));
    operator.send(Body::credit(house, vec![(currency, money)]), refuse).await?;
    let code = operator.names.currency(currency).code.clone();
    Ok((code, DecimalText::of(|out| money.push_floored(out, MONEY_DECIMALS))))
}

fn may_be_paid(name: &str) -> bool {
    name != SOURCE.name && name != STAKING_POOL.name
}

/// The house accounts that can be funded, for a refusal.
fn names(operator: &Operator<'_>) -> String {
    let views = operator.exchange.views();
    let houses = views.state().ledger().houses().iter().map(|house| house.name.as_str());
    let names: Vec<&str> = houses.filter(|name| may_be_paid(name)).collect();
    format!("one of {}", names.join(", "))
}
