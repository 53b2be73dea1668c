//! `bank limit`: the most open advances of a group (D-181).

use crate::command::{Argument, Command, Effect, Form};
use crate::field;
use crate::operator::Operator;
use buttonwood_engine::FundsCommand;
use buttonwood_engine::funds::bank::Command as BankCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_num::MONEY_DECIMALS;
use buttonwood_wire::contract::{Decimal, DecimalText, Done, InPayload, Needed};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// Only for operators: a sandbox has the usual limit unless one changes it.
pub(crate) const COMMAND: Command =
    Command::once("bank limit", Effect::SetsTerms, |operator, fields| Box::pin(run(operator, fields)))
        .about(
            "Sets the most open advances of a group, in dollars; a further ACH credit waits until it fits.",
        )
        .with_reason()
        .takes::<NewLimit>(&[Argument::new("limit", Form::Place)])
        .gives::<LimitSet>();

request! {
    /// The most open advances of a group.
    struct NewLimit in InPayload {
        /// In dollars; advances that are open stay.
        limit: Needed<Decimal>,
    }
}

answer! {
    /// The limit in force.
    struct LimitSet {
        /// Always `ok`.
        result: Done,
        /// The most open advances of a group, in dollars.
        limit: DecimalText,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let text = NewLimit::of(fields).limit()?;
    let limit =
        field::money(&text).ok_or_else(|| bad_value("limit", "an amount of dollars, zero or more", &text))?;
    operator.send(FundsCommand::from(BankCommand::SetAdvanceLimit(limit)), |_| None).await?;
    let shown = DecimalText::of(|out| limit.push_floored(out, MONEY_DECIMALS));
    Ok(json::body(&LimitSet { result: Done, limit: shown }))
}
