//! `group approve`: a group that someone made by signing up in a venue.

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::AccessCommand;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::GroupId;
use buttonwood_wire::contract::{Done, InPayload, Label, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};

/// To approve a group again changes nothing, and takes one operator.
pub(crate) const COMMAND: Command =
    Command::once("group approve", Effect::Opens, |operator, fields| Box::pin(run(operator, fields)))
        .about(
            "Approves a group that someone made by signing up, which from then on gets advances of bank credits, free withdrawals and \
             rewards.",
        )
        .alone(|operator, fields| {
            find(operator, fields).is_ok_and(|(group, _)| operator.exchange.views().state().access().is_approved(group))
        })
        .takes::<Group>(&[Argument::new("group", Form::Place)])
        .gives::<GroupState>();

request! {
    /// A group.
    struct Group in InPayload {
        /// Its name.
        group: Needed<Text>,
    }
}

answer! {
    /// A group that operators know.
    struct GroupState {
        /// Always `ok`.
        result: Done,
        /// Its name.
        group: Label,
        /// Whether it is approved: always true.
        approved: bool,
    }
}

fn find(operator: &Operator<'_>, fields: &Payload) -> Result<(GroupId, String), Refusal> {
    let name = Group::of(fields).group()?;
    let found = operator.exchange.views().state().access().find_group(&name);
    let group = found.ok_or_else(|| bad_value("group", "the name of a group", &name))?;
    Ok((group, name.into_owned()))
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let (group, name) = find(operator, fields)?;
    operator.send(AccessCommand::ApproveGroup(group), |_| None).await?;
    Ok(json::body(&GroupState { result: Done, group: Label(name), approved: true }))
}
