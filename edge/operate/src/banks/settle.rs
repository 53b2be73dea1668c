//! `bank settle`: a bank has settled a payment or an advance, or has returned it (D-75, D-167).

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::funds::bank::{Command as BankCommand, Reject as BankReject, Settlement};
use buttonwood_engine::{Eid, FundsCommand, FundsReject, Reject};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_wire::contract::{Done, Flag, InPayload, Text, Whole};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Also `POST /sandbox/banks/settle`.
pub const COMMAND: Command =
    Command::once("bank settle", Effect::Gives, |operator, fields| Box::pin(run(operator, fields)))
        .about("Settles a payment to a bank or an advance of one, or returns it.")
        .with_reason()
        .takes::<Settled>(&[
            Argument::new("withdrawalId", Form::Option).named("withdrawal-id"),
            Argument::new("eid", Form::Option),
            Argument::new("returned", Form::Switch),
        ])
        .gives::<Answered>();

request! {
    /// The bank's settlement of a payment or an advance.
    struct Settled in InPayload {
        /// The `withdrawalId` of a payment.
        withdrawal as "withdrawalId": Text,
        /// The `eid` of an advance.
        eid: Whole,
        /// Whether the money goes back where it came from.
        returned: Flag<false>,
    }
}

answer! {
    /// The settled row.
    struct Answered {
        /// Always `ok`.
        result: Done,
    }
}

/// A second time is refused, by the field that names the row.
async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = Settled::of(fields);
    let (code, eid, returned) = (request.withdrawal()?, request.eid()?, request.returned()?);
    let (field, expected, value, row) = match (code, eid) {
        (Some(code), None) => {
            let row = operator.exchange.views().state().funds().banks().by_code(&code);
            ("withdrawalId", "the id of a payment to a bank", code.into_owned(), row)
        }
        (None, Some(eid)) => ("eid", "the eid of a bank's advance", eid.to_string(), advance(operator, eid)),
        (None, None) => return Err(Refusal::missing_key("withdrawalId")),
        (Some(_), Some(eid)) => {
            return Err(bad_value("eid", "absent where 'withdrawalId' is given", &eid.to_string()));
        }
    };
    let unknown = || bad_value(field, expected, &value);
    let eid = row.ok_or_else(unknown)?;
    let refuse = |reject| {
        if reject == Reject::Funds(FundsReject::Bank(BankReject::SettledBefore)) {
            return Some(bad_value(field, "one that is neither settled nor returned yet", &value));
        }
        matches!(reject, Reject::Funds(_)).then(unknown)
    };
    let command = FundsCommand::from(BankCommand::Settle(Settlement { eid, returned }));
    operator.send(command, refuse).await?;
    Ok(json::body(&Answered { result: Done }))
}

/// The row of this number, if it is an advance: a payment has an id of its own.
fn advance(operator: &Operator<'_>, eid: u64) -> Option<Eid> {
    let views = operator.exchange.views();
    let funds = views.state().funds();
    Some(Eid(eid)).filter(|eid| funds.is_bank_advance(*eid))
}
