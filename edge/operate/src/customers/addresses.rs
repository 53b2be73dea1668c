//! `group multi-user`, `address approve` and `address reject`: the other users of a group, who decide on its approved addresses (ADDR-018).
//! On a venue an operator notes what they decided, so that a key alone adds no address.

use crate::command::{Argument, Command, Effect, Form};
use crate::operator::Operator;
use buttonwood_engine::funds::approval::{Command as ApprovalCommand, Reject as ApprovalReject};
use buttonwood_engine::funds::{ApprovalScope, EntryRef};
use buttonwood_engine::{FundsCommand, FundsReject, Reject};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_model::GroupId;
use buttonwood_wire::contract::{Done, Flag, InPayload, Needed, Switch, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// How the command line names an entry.
const ENTRY: &[Argument] = &[
    Argument::new("group", Form::Place),
    Argument::new("network", Form::Place),
    Argument::new("address", Form::Place),
    Argument::new("account", Form::Option),
];

/// Without the second user money leaves with less control, so it takes two operators.
pub(crate) const MULTI_USER: Command =
    Command::once("group multi-user", Effect::SetsTerms, |operator, fields| {
        Box::pin(multi_user(operator, fields))
    })
    .about("Makes another user of a group approve each request for an approved address; --off ends that.")
    .takes::<MultiUser>(&[Argument::new("group", Form::Place), Argument::new("off", Form::Switch)])
    .gives::<ApprovalDone>();

/// `POST /sandbox/groups/{group}/multi-user`.
pub const SET_MULTI_USER: Command = MULTI_USER
    .called::<SetMultiUser, ApprovalDone>(|operator, fields| Box::pin(set_multi_user(operator, fields)))
    .about("Sets whether another user of a group must approve each request for an approved address.");

/// An approved address may be paid, so it takes two operators.
pub(crate) const APPROVE: Command =
    Command::once("address approve", Effect::Opens, |operator, fields| Box::pin(decide(operator, fields, true)))
        .about("Approves an entry of the approved addresses, as another user of the group does; without --account an entry of the group.")
        .takes::<Entry>(ENTRY)
        .gives::<ApprovalDone>();

/// It ends a request.
pub(crate) const REJECT: Command =
    Command::once("address reject", Effect::Halts, |operator, fields| Box::pin(decide(operator, fields, false)))
        .about("Removes an entry that waits for another user from the approved addresses; without --account an entry of the group.")
        .takes::<Entry>(ENTRY)
        .gives::<ApprovalDone>();

/// `POST /sandbox/approvals/decide`, which approves or rejects.
pub const DECIDE: Command = APPROVE
    .called::<Decision, ApprovalDone>(|operator, fields| Box::pin(call(operator, fields)))
    .about("Approves or removes an entry of the approved addresses, as another user of the group does.");

/// `POST /sandbox/approvals/end-hold`. It is no command of `buttonwood admin`: a venue's customers rely on the hold (D-298).
pub const END_HOLD: Command =
    Command::once("address end-hold", Effect::Opens, |operator, fields| Box::pin(end_hold(operator, fields)))
        .about("Ends the hold of an approved address at once, so that a withdrawal to it can be tried; without `account` of an entry of the group.")
        .takes::<Entry>(ENTRY)
        .gives::<ApprovalDone>();

request! {
    /// Whether a group has several users.
    struct MultiUser in InPayload {
        /// The name of the group.
        group: Needed<Text>,
        /// Whether its requests wait for no other user.
        off: Flag<false>,
    }
}

request! {
    /// Whether a group has several users.
    struct SetMultiUser in InPayload {
        /// The name of the group.
        group: Needed<Text>,
        /// Whether requests of the group wait for another user.
        on: Needed<Switch>,
    }
}

request! {
    /// An entry of the approved addresses.
    struct Entry in InPayload {
        /// The name of the group.
        group: Needed<Text>,
        /// The short name of the account whose entry it is; without it, it is the group's entry.
        account: Text,
        /// The network of the address.
        network: Needed<Text>,
        /// The address.
        address: Needed<Text>,
    }
}

request! {
    /// The decision of another user.
    struct Decision in InPayload {
        /// The name of the group.
        group: Needed<Text>,
        /// The short name of the account whose entry it is; without it, it is the group's entry.
        account: Text,
        /// The network of the address.
        network: Needed<Text>,
        /// The address.
        address: Needed<Text>,
        /// Whether it is approved; if not, it is removed.
        approve: Needed<Switch>,
    }
}

answer! {
    /// It is done.
    struct ApprovalDone {
        /// Always `ok`.
        result: Done,
    }
}

async fn multi_user(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = MultiUser::of(fields);
    let group = operator.find_group(&request.group()?)?;
    set(operator, group, !request.off()?).await
}

async fn set_multi_user(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let request = SetMultiUser::of(fields);
    let group = operator.find_group(&request.group()?)?;
    set(operator, group, request.on()?).await
}

async fn set(operator: &Operator<'_>, group: GroupId, on: bool) -> Result<Vec<u8>, Refusal> {
    operator.send(FundsCommand::from(ApprovalCommand::SetMultiUser(group, on)), |_| None).await?;
    Ok(json::body(&ApprovalDone { result: Done }))
}

async fn decide(operator: &Operator<'_>, fields: &Payload, approve: bool) -> Result<Vec<u8>, Refusal> {
    send(operator, fields, entry(operator, fields, "Field 'network'")?, approve).await
}

async fn call(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let entry = entry(operator, fields, "The path")?;
    send(operator, fields, entry, Decision::of(fields).approve()?).await
}

/// The entry that the fields name; the refusal of its network begins with this place.
fn entry(operator: &Operator<'_>, fields: &Payload, place: &str) -> Result<EntryRef, Refusal> {
    let request = Entry::of(fields);
    let group = operator.find_group(&request.group()?)?;
    let scope = match request.account()? {
        None => ApprovalScope::Group(group),
        Some(name) => {
            let found = operator.exchange.views().state().access().find_account(group, &name);
            let account = found.ok_or_else(|| {
                bad_value("account", "an account of the group", &name).with_reason(Reason::InvalidAccountName)
            })?;
            ApprovalScope::Account(account)
        }
    };
    let network = operator.address_network(place, &request.network()?)?.format;
    let canonical = operator.address(network, &request.address()?)?.canonical().into_owned();
    Ok(EntryRef { scope, network: network.name().to_owned(), canonical })
}

async fn send(
    operator: &Operator<'_>,
    fields: &Payload,
    entry: EntryRef,
    approve: bool,
) -> Result<Vec<u8>, Refusal> {
    let text = Entry::of(fields).address()?;
    let command = ApprovalCommand::DecideApproval(Arc::new(entry), approve);
    operator.send(FundsCommand::from(command), |reject| refusal(reject, &text)).await?;
    Ok(json::body(&ApprovalDone { result: Done }))
}

async fn end_hold(operator: &Operator<'_>, fields: &Payload) -> Result<Vec<u8>, Refusal> {
    let text = Entry::of(fields).address()?;
    let command = ApprovalCommand::WaiveApprovalHold(Box::new(entry(operator, fields, "Field 'network'")?));
    operator.send(FundsCommand::from(command), |reject| refusal(reject, &text)).await?;
    Ok(json::body(&ApprovalDone { result: Done }))
}

fn refusal(reject: Reject, address: &str) -> Option<Refusal> {
    let Reject::Funds(FundsReject::Approval(reject)) = reject else { return None };
    let what = match reject {
        ApprovalReject::NotListed => "is not among the approved addresses there",
        ApprovalReject::Decided => "waits for no other user",
        ApprovalReject::NoHold => "is active already: it has no hold",
        ApprovalReject::AwaitsUser => "waits for another user of the group: approve it first",
        ApprovalReject::Foreign
        | ApprovalReject::Closed
        | ApprovalReject::Full(_)
        | ApprovalReject::NoNetwork
        | ApprovalReject::Duplicate
        | ApprovalReject::NotDue => return None,
    };
    let message = format!("Field 'address' {what}: '{}'", quoted(address));
    Some(Refusal::new(Reason::InvalidAddress, message))
}
