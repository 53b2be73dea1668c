//! `POST /v1/account/rename`: gives an account other names (ACCT-009, ACCT-010).

use buttonwood_call::{App, Auth, Call, Route, Write, core_refusal};
use buttonwood_engine::{AccessCommand, AccessReject, AccountNames, Body, Reject};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_sequencer::Receipt;
use buttonwood_wire::account::{NAME_MAX, display_name, short_name};
use buttonwood_wire::contract::{InPayload, Label, Text};
use buttonwood_wire::field::bad_value;
use buttonwood_wire::{answer, json, request};
use std::sync::Arc;

/// Administrator only.
pub(crate) const ROUTE: Route = Route::writing("/v1/account/rename", Write { command, answer, closed: None })
    .by(Auth::Master)
    .right(AccessCommand::RIGHT)
    .about("Gives an account another name, another short name, or both.")
    .notes(&[
        "Names are compared without letter case. An account without a name is listed by its short name, \
         which then counts as its name. A name that was given up is free at once. A closed account keeps \
         its names, and can be renamed.",
    ])
    .takes::<NewNames>()
    .gives::<Renamed>();

request! {
    /// The new names of an account.
    struct NewNames in InPayload {
        /// Its new name: 1 to 50 characters without control and format characters, no blank at either end. No other account of the
        /// group may have it.
        name as "newName": Text,
        /// Its new short name: 1 to 50 lower-case letters, digits and `-`, the first a letter or a digit. No other account of
        /// the group may have it.
        account as "newAccount": Text,
    }
}

answer! {
    /// The names that an account was given.
    struct Renamed {
        /// Its new name, if one was sent.
        name: Option<Label>,
        /// Its new short name, if one was sent.
        account: Option<String>,
    }
}

fn command(_app: &App, call: &Call) -> Result<Body, Refusal> {
    let Renamed { name, account } = read(call)?;
    let names = AccountNames { display_name: name.map(|Label(name)| name), short_name: account };
    Ok(AccessCommand::RenameAccount(Arc::new(names)).into())
}

fn answer(app: &App, call: &Call, receipt: &Receipt) -> Result<Reply, Refusal> {
    let names = read(call)?;
    match receipt.done() {
        Ok(()) => Ok(Reply::json(json::body(&names))),
        Err(Reject::Access(AccessReject::NameTaken)) => Err(used(names.name, names.account)),
        Err(Reject::Access(AccessReject::Taken)) => Err(used(None, names.account)),
        Err(reject) => Err(core_refusal(app, call, reject)),
    }
}

/// The refusal of a name that another account of the group has. An account without a display name is shown by its short name,
/// so that a short name alone can be used as either.
fn used(name: Option<Label>, account: Option<String>) -> Refusal {
    let (field, value) = match name {
        Some(Label(name)) => ("newName", name),
        None => ("newAccount", account.unwrap_or_default()),
    };
    let refusal = bad_value(field, "one that no other account of the group has", &value);
    refusal.with_reason(Reason::ConflictingAccountName)
}

/// The names that the call gives, as its answer repeats them.
fn read(call: &Call) -> Result<Renamed, Refusal> {
    let request = NewNames::of(call.payload());
    Ok(Renamed {
        name: request.name()?.map(|name| display_name("newName", &name)).transpose()?,
        account: request.account()?.map(|name| new_short_name(&name)).transpose()?,
    })
}

/// The new short name must be written as calls will name it: nothing of it is changed.
fn new_short_name(name: &str) -> Result<String, Refusal> {
    let expected = || {
        let expected =
            format!("1 to {NAME_MAX} lower-case letters, digits and '-', the first a letter or a digit");
        bad_value("newAccount", &expected, name)
    };
    short_name(name).ok().filter(|short| short == name).ok_or_else(expected)
}
