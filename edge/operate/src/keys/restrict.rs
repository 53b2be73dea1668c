//! Blocks of addresses from which calls may come (AUTH-013).

use super::row::shown;
use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::{ADDRESSES_MAX, AccessCommand};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_model::{Cidr, GroupId};
use buttonwood_wire::contract::{Done, InPayload, Needed, Text, Texts};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::borrow::Cow;
use std::sync::Arc;

/// Also `POST /sandbox/groups/addresses`.
pub const GROUP: Command =
    Command::once("group from", Effect::Opens, |operator, fields| Box::pin(run(operator, fields)))
        .about("Restricts the keys of a group to blocks of addresses; none lifts the restriction.")
        .takes::<RestrictGroup>(&[Argument::new("group", Form::Place), Argument::new("from", Form::Places)])
        .gives::<GroupRestricted>();

request! {
    /// Where the calls of a group may come from.
    struct RestrictGroup in InPayload {
        /// The name of the group.
        group: Needed<Text>,
        /// Addresses or blocks of addresses, such as 192.0.2.0/24, instead of those before.
        from: Needed<Texts>,
    }
}

answer! {
    /// Where the calls of a group may come from.
    struct GroupRestricted {
        /// Always `ok`.
        result: Done,
        /// The blocks of addresses; all, if there is none.
        from: Vec<String>,
    }
}

async fn run(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = RestrictGroup::of(fields);
    let name = request.group()?;
    let addresses = addresses(&request.from()?)?;
    let group = operator.find_group(&name)?;
    let from = shown(&addresses);
    restrict_group(operator, group, addresses).await?;
    Ok(json::body(&GroupRestricted { result: Done, from }))
}

/// Restricts the keys of a group, in the journal and then at the gate.
///
/// # Errors
/// The refusal.
pub async fn restrict_group(
    operator: &Operator<'_>,
    group: GroupId,
    addresses: Vec<Cidr>,
) -> Result<(), Refusal> {
    let _turn = operator.keeper.turn.lock().await;
    let command = AccessCommand::RestrictGroup(group, Arc::new(addresses.clone()));
    operator.send(command, |_| None).await?;
    if !operator.is_dry_run() {
        operator.gate.keys().restrict_group(group, &addresses);
    }
    Ok(())
}

/// Reads a list of blocks of addresses.
pub(crate) fn addresses(texts: &[Cow<'_, str>]) -> Result<Vec<Cidr>, Refusal> {
    if texts.len() > ADDRESSES_MAX {
        let expected = format!("at most {ADDRESSES_MAX} blocks of addresses");
        return Err(bad_value("from", &expected, &texts.len().to_string()));
    }
    let read = |text: &Cow<'_, str>| {
        text.parse::<Cidr>().map_err(|error| {
            bad_value("from", "an address or a block of addresses, such as 192.0.2.0/24", text)
                .and(&error.to_string())
        })
    };
    texts.iter().map(read).collect()
}
