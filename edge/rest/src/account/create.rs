//! `POST /v1/account/create`: opens another account in a group (ACCT-005 to ACCT-008).

use buttonwood_call::{App, Auth, Call, Route, Write, core_refusal};
use buttonwood_engine::{AccessCommand, AccessReject, AccountKind, Body, NewAccount, Reject};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::account::{AccountTypeName, derived_short_name, display_name};
use buttonwood_wire::contract::{InPayload, Label, Loose, Needed, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Administrator only.
pub(crate) const ROUTE: Route = Route::writing("/v1/account/create", Write { command, answer, closed: None })
    .by(Auth::Group)
    .right(AccessCommand::RIGHT)
    .about("Opens an empty account in the group.")
    .notes(&[
        "The kinds are `exchange` and `custody`; custody needs the group's agreement. A group has at most \
         500 accounts unless its terms say otherwise, closed ones not counted. The account gets the \
         jurisdiction of the group's first account.",
        "The short name keeps ASCII letters, digits and `-` of the name, in lower case and with `-` for \
         each space, without `-` at either end. A name of which nothing is left is refused, and so is one \
         whose short name is in use.",
    ])
    .takes::<Wanted>()
    .gives::<CreatedAccount>();

request! {
    /// An account to open.
    struct Wanted in InPayload {
        /// Its name: 1 to 50 characters without control and format characters, no blank at either end. Its short name is this name in lower
        /// case, with `-` for spaces and without symbols. No other account of the group may have either.
        name: Needed<Text>,
        /// Its type; `exchange` unless it says otherwise.
        kind as "type": Loose<AccountTypeName>,
    }
}

answer! {
    /// An account that was opened.
    struct CreatedAccount {
        /// Its short name, by which calls name it.
        account: String,
        /// Its type.
        kind as "type": AccountTypeName,
    }
}

fn command(_app: &App, call: &Call) -> Result<Body, Refusal> {
    Ok(AccessCommand::CreateAccount(Arc::new(read(call)?)).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let new = read(call)?;
    receipt.done().map_err(|reject| refusal(app, call, &new, reject))?;
    let kind = if new.custody { AccountKind::Custody } else { AccountKind::Exchange };
    let created = CreatedAccount { account: new.short_name, kind: AccountTypeName::of(kind) };
    Ok(Reply::json(json::body(&created)))
}

fn refusal(app: &App, call: &Call, new: &NewAccount, reject: Reject) -> Refusal {
    if let Reject::Access(AccessReject::NameTaken | AccessReject::Taken) = reject {
        used(new)
    } else if reject == Reject::Access(AccessReject::NoCustodyTerms) {
        let message = "Field 'type' cannot be custody: the group has not agreed to the terms of custody";
        Refusal::new(Reason::HasNotAgreedToCustodyTerms, message)
    } else if let Reject::Access(AccessReject::GroupFull(most)) = reject {
        let message = format!("The group has {most} accounts, and no more are taken");
        Refusal::new(Reason::ExceededMaxAccountsInGroup, message)
    } else {
        core_refusal(app, call, reject)
    }
}

/// The refusal of a name that another account of the group has, or has in its short form (ACCT-008).
fn used(new: &NewAccount) -> Refusal {
    let expected = format!("one that no other account of the group has, as '{}' either", new.short_name);
    bad_value("name", &expected, &new.display_name).with_reason(Reason::ConflictingAccountName)
}

fn missing_name(refusal: Refusal) -> Refusal {
    if refusal.reason == Reason::MissingPayloadKey {
        return refusal.with_reason(Reason::MissingName);
    }
    refusal
}

/// The account that the call describes.
fn read(call: &Call) -> Result<NewAccount, Refusal> {
    let wanted = Wanted::of(call.payload());
    let name = wanted.name().map_err(missing_name)?;
    let Label(display_name) = display_name("name", &name)?;
    let short_name = derived_short_name(&name)
        .ok_or_else(|| bad_value("name", "one with a letter from A to Z or a digit", &name))?;
    let custody = match wanted.kind().as_deref() {
        None | Some("exchange") => false,
        Some("custody") => true,
        Some(other) => {
            let refusal = bad_value("type", "exchange or custody", other);
            return Err(refusal.with_reason(Reason::BadAccountType));
        }
    };
    Ok(NewAccount { display_name, short_name, custody })
}
