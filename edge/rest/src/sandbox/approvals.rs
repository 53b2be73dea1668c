//! `POST /sandbox/groups/{group}/multi-user` and `POST /sandbox/approvals/decide`: the other users of a group (ADDR-018).

use super::control::ControlCall;
use crate::call::Asked;
use crate::funds::field::{address, address_network};
use crate::route::Route;
use buttonwood_engine::funds::approval::{Command, Reject as ApprovalReject};
use buttonwood_engine::funds::{ApprovalScope, EntryRef};
use buttonwood_engine::{FundsCommand, FundsReject, Reject};
use buttonwood_gate::{Payload, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::GroupId;
use buttonwood_wire::contract::{Done, InPayload, Needed, Switch, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// This machine only.
pub(crate) const MULTI_USER: Route =
    Route::control("/sandbox/groups/{group}/multi-user", |call, asked, fields| {
        Box::pin(set_multi_user(call, asked, fields))
    })
    .about("Sets whether another user of a group must approve each request for an approved address.")
    .takes::<MultiUser>()
    .gives::<ApprovalDone>();

/// This machine only.
pub(crate) const DECIDE: Route =
    Route::control("/sandbox/approvals/decide", |call, _, fields| Box::pin(decide(call, fields)))
        .about("Approves or removes an entry of the approved addresses, as another user of the group does.")
        .takes::<Decision>()
        .gives::<ApprovalDone>();

request! {
    /// Whether a group has several users.
    struct MultiUser in InPayload {
        /// Whether requests of the group wait for another user.
        on: Needed<Switch>,
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

/// The group of this name.
fn group(call: &ControlCall<'_>, name: &str) -> Result<GroupId, Refusal> {
    let found = call.exchange.views().state().access().find_group(name);
    found.ok_or_else(|| bad_value("group", "the name of a group", name))
}

async fn set_multi_user(
    call: &ControlCall<'_>,
    asked: &Asked<'_>,
    fields: &Payload,
) -> Result<Reply, Refusal> {
    let group = group(call, asked.parameter)?;
    let command = Command::SetMultiUser(group, MultiUser::of(fields).on()?);
    call.operator().send(FundsCommand::from(command), |_| None).await?;
    Ok(Reply::json(json::body(&ApprovalDone { result: Done })))
}

async fn decide(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let decision = Decision::of(fields);
    let group = group(call, &decision.group()?)?;
    let scope = match decision.account()? {
        None => ApprovalScope::Group(group),
        Some(name) => {
            let found = call.exchange.views().state().access().find_account(group, &name);
            let account = found.ok_or_else(|| {
                bad_value("account", "an account of the group", &name).with_reason(Reason::InvalidAccountName)
            })?;
            ApprovalScope::Account(account)
        }
    };
    let network = address_network(call, &decision.network()?)?.format;
    let text = decision.address()?;
    let canonical = address(call, network, &text)?.canonical().into_owned();
    let entry = EntryRef { scope, network: network.name().to_owned(), canonical };
    let command = Command::DecideApproval(Arc::new(entry), decision.approve()?);
    call.operator().send(FundsCommand::from(command), |reject| refusal(reject, &text)).await?;
    Ok(Reply::json(json::body(&ApprovalDone { result: Done })))
}

fn refusal(reject: Reject, address: &str) -> Option<Refusal> {
    let Reject::Funds(FundsReject::Approval(reject)) = reject else { return None };
    let what = match reject {
        ApprovalReject::NotListed => "is not among the approved addresses there",
        ApprovalReject::Decided => "waits for no other user",
        ApprovalReject::Foreign
        | ApprovalReject::Closed
        | ApprovalReject::Full(_)
        | ApprovalReject::NoNetwork
        | ApprovalReject::Duplicate
        | ApprovalReject::AwaitsUser
        | ApprovalReject::NotDue => return None,
    };
    let message = format!("Field 'address' {what}: '{}'", quoted(address));
    Some(Refusal::new(Reason::InvalidAddress, message))
}
