//! The approved addresses of an account and of its group: list, request and removal (ADDR-008 to ADDR-019, facts F§8).

use super::field;
use buttonwood_address::check_memo;
use buttonwood_call::{App, Auth, Call, Route, Write, core_refusal};
use buttonwood_engine::funds::approval::{Command, Reject as ApprovalReject, Request};
use buttonwood_engine::funds::{ApprovalScope, Approved, EntryRef};
use buttonwood_engine::{Body, FundsCommand, FundsReject, Reject};
use buttonwood_gate::{Owner, Reason, Refusal, quoted};
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_sequencer::Receipt;
use buttonwood_wire::contract::{Digits, InPayload, Label, Needed, Text};
use buttonwood_wire::field::{bad_value, closed_account, failed};
use buttonwood_wire::{answer, json, request, words};
use std::sync::Arc;

/// Trader, Fund Manager or Auditor.
pub(crate) const LIST: Route = Route::reading("/v1/approvedAddresses/account/{network}", list)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scopes(&[Scope::AddressesRead])
    .about(
        "Lists the approved addresses of an account and of its group on a network, the oldest request first.",
    )
    .gives::<ApprovedAddresses>();

/// Fund Manager only. A master key that names no account means its group's list.
pub(crate) const REQUEST: Route = Route::writing(
    "/v1/approvedAddresses/{network}/request",
    Write { command: request_of, answer: requested, closed: None },
)
.by(Auth::Session)
.right(Command::RIGHT)
.about("Requests the approval of an address, which begins a hold of 7 days.")
.notes(&[
    "An entry is a network, an address and, where the network has memos, a memo. An address that is \
     listed is refused, whatever its label. Entries of every status count toward the limit of a list.",
    "Further forms than the issued ones are taken: bitcoin `1…`, `3…` and every witness version; litecoin \
     `L…`; bitcoincash P2SH and token-aware addresses; zcash `t3…`; dogecoin `A…` and `9…`; filecoin \
     `f2…`, `f3…`, `f410…`; tezos `tz2…` and `tz3…`; cosmos addresses of 32 bytes.",
    "Refused are forms that another network shares (litecoin `3…`, bitcoincash `1…` and `3…`, polkadot \
     with another prefix), confidential and shielded ones, filecoin `f0…`, tezos `KT1…` and `tz4…`, \
     `cosmosvaloper…`, X-addresses of xrpl, and addresses of programs on solana.",
    "A memo is on xrpl a destination tag, a whole number below 4294967296 without leading zeros. On \
     cosmos and solana it is 1 to 256 bytes without control characters.",
])
.takes::<Wanted>()
.gives::<Noted>();

/// Fund Manager only. A master key that names no account means its group's list.
pub(crate) const REMOVE: Route = Route::writing(
    "/v1/approvedAddresses/{network}/remove",
    Write { command: removal_of, answer: removed, closed: None },
)
.by(Auth::Session)
.right(Command::RIGHT)
.about("Removes an address from the list of approved addresses.")
.takes::<Unwanted>()
.gives::<Noted>();

request! {
    /// The address to approve.
    struct Wanted in InPayload {
        /// The address, in any spelling of its network.
        address: Needed<Text>,
        /// A name for it: 1 to 100 characters without control and format characters, no blank at either end.
        label: Needed<Text>,
        /// The memo that the address is paid with, on cosmos, solana and xrpl; withdrawals to the address carry it.
        memo: Text,
    }
}

request! {
    /// The address to remove.
    struct Unwanted in InPayload {
        /// The address, in any spelling of its network.
        address: Needed<Text>,
    }
}

words! {
    /// Whose list an entry is on.
    struct ScopeName: "account", "group"
}

words! {
    /// How far an entry has come.
    struct StandingName: "active", "pending-time", "pending-mua"
}

answer! {
    /// The approved addresses that serve an account.
    struct ApprovedAddresses {
        /// The entries.
        entries as "approvedAddresses": Vec<ApprovedAddress>,
    }
}

answer! {
    /// An approved address, or one that will be.
    struct ApprovedAddress {
        /// The network.
        network: String,
        /// Whose list it is on.
        scope: ScopeName,
        /// The name that was given to it.
        label: Label,
        /// `active` after 7 days; `pending-mua` until another user of the group has approved it.
        status: StandingName,
        /// When it was requested, in milliseconds.
        created as "createdAt": Digits,
        /// The address.
        address: String,
        /// The memo that it is paid with.
        memo: Option<Label>,
    }
}

answer! {
    /// The list was changed.
    struct Noted {
        /// The result, for people.
        message: String,
    }
}

fn list(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let network = app.address_network("The path", call.parameter())?.format.name();
    let account = call.account();
    let entries = {
        let views = app.exchange.views();
        let state = views.state();
        let group = state.access().account(account).and_then(|account| account.group);
        let scopes = [Some(ApprovalScope::Account(account)), group.map(ApprovalScope::Group)];
        let approvals = state.funds().approvals();
        let mut rows: Vec<(u32, ApprovedAddress)> = Vec::new();
        for scope in scopes.into_iter().flatten() {
            rows.extend(approvals.of(scope, network).map(|entry| (entry.number, row(network, scope, entry))));
        }
        rows.sort_by_key(|(number, _)| *number);
        rows.into_iter().map(|(_, row)| row).collect()
    };
    Ok(Reply::json(json::body(&ApprovedAddresses { entries })))
}

fn row(network: &str, scope: ApprovalScope, entry: &Approved) -> ApprovedAddress {
    ApprovedAddress {
        network: network.to_owned(),
        scope: ScopeName(scope.name()),
        label: Label(entry.label.clone()),
        status: StandingName(entry.standing.name()),
        created: Digits(entry.requested.millis()),
        address: entry.text.clone(),
        memo: (!entry.memo.is_empty()).then(|| Label(entry.memo.clone())),
    }
}

fn request_of(app: &App, call: &Call) -> Result<Body, Refusal> {
    let format = app.address_network("The path", call.parameter())?.format;
    let wanted = Wanted::of(call.payload());
    let (address, label) = (wanted.address()?, wanted.label()?);
    let label = field::label(&label)?;
    let address = app.address(format, &address)?;
    let memo = wanted.memo()?.unwrap_or_default();
    if !memo.is_empty() {
        check_memo(format, &memo)
            .map_err(|error| bad_value("memo", &format!("one that {format} carries, {error}"), &memo))?;
    }
    let canonical = address.canonical().into_owned();
    let entry = EntryRef { scope: scope(call), network: format.name().to_owned(), canonical };
    let request = Request { entry, text: address.display().to_owned(), label, memo: memo.into_owned() };
    Ok(FundsCommand::from(Command::RequestApproval(Arc::new(request))).into())
}

fn removal_of(app: &App, call: &Call) -> Result<Body, Refusal> {
    let format = app.address_network("The path", call.parameter())?.format;
    let address = Unwanted::of(call.payload()).address()?;
    let address = app.address(format, &address)?;
    let canonical = address.canonical().into_owned();
    let entry = EntryRef { scope: scope(call), network: format.name().to_owned(), canonical };
    Ok(FundsCommand::from(Command::RemoveApproval(Arc::new(entry))).into())
}

/// The list that a call acts on (ADDR-015).
fn scope(call: &Call) -> ApprovalScope {
    match (call.named(), call.owner()) {
        (Some(account), _) | (None, Owner::Account(account)) => ApprovalScope::Account(account),
        (None, Owner::Group(group)) => ApprovalScope::Group(group),
    }
}

fn requested(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    changed(app, call, receipt, |address, scope| {
        format!(
            "{address} was requested for the {scope}'s approved addresses and waits for a 7-day hold to end"
        )
    })
}

fn removed(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    changed(app, call, receipt, |address, scope| format!("{address} removed from {scope} approved addresses"))
}

fn changed(
    app: &App,
    call: &Call,
    receipt: &Receipt,
    message: fn(&str, &str) -> String,
) -> Result<Reply, Refusal> {
    let address = Unwanted::of(call.payload()).address()?;
    let scope = scope(call).name();
    receipt.done().map_err(|reject| {
        let Reject::Funds(FundsReject::Approval(own)) = reject else {
            return core_refusal(app, call, reject);
        };
        refusal(&address, scope, own)
    })?;
    Ok(Reply::json(json::body(&Noted { message: message(&quoted(&address), scope) })))
}

fn refusal(address: &str, scope: &str, reject: ApprovalReject) -> Refusal {
    let bad_address = |what: &str| {
        let message =
            format!("Field 'address' {what} the {scope}'s approved addresses: '{}'", quoted(address));
        Refusal::new(Reason::InvalidAddress, message)
    };
    match reject {
        ApprovalReject::Closed => closed_account(""),
        ApprovalReject::Duplicate => bad_address("is already among"),
        ApprovalReject::Full(most) => {
            let message = format!(
                "The {scope}'s list of approved addresses is full: it may have at most {most} entries; remove one first"
            );
            Refusal::new(Reason::InvalidParameterValue, message)
        }
        ApprovalReject::NotListed => bad_address("is not among"),
        ApprovalReject::AwaitsUser => {
            bad_address("waits for another user's approval and cannot be removed yet from")
        }
        ApprovalReject::Foreign
        | ApprovalReject::NoNetwork
        | ApprovalReject::Decided
        | ApprovalReject::NotDue
        | ApprovalReject::NoHold => failed(),
    }
}
