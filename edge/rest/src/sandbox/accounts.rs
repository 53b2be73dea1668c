//! `POST /sandbox/accounts`: opens an empty account in a group.

use super::control::{ControlCall, operate};
use crate::account::names::short_name;
use crate::app::App;
use crate::route::Route;
use buttonwood_engine::{AccessReject, Account, AccountKind, Body, Outcome, Reject};
use buttonwood_gate::{Payload, Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_wire::contract::{InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, failed, no_space};
use buttonwood_wire::{answer, json, request, words};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/accounts", |app, _, fields| Box::pin(answer(app, fields)))
        .about("Opens an empty account in a group.")
        .takes::<NewAccount>()
        .gives::<OpenedAccount>();

words! {
    /// The kind of an account.
    pub(crate) struct AccountKindName: "exchange", "custody", "derivatives", "margin"
}

request! {
    /// An account to open.
    pub(crate) struct NewAccount in InPayload {
        /// Its name: 1 to 50 letters, digits, spaces and `-`.
        name: Needed<Text>,
        /// The name of its group.
        group: Needed<Text>,
        /// Its kind.
        kind: Needed<AccountKindName>,
    }
}

answer! {
    /// The account that was opened.
    struct OpenedAccount {
        /// Its short name, by which calls name it.
        account: String,
        /// Its kind.
        kind: AccountKindName,
    }
}

async fn answer(app: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = NewAccount::of(fields);
    let name = request.name()?;
    let account = read(app, request, &name)?;
    let (short_name, kind) = (account.short_name.clone(), account.kind);
    match operate(app, Body::open_account(account)).await? {
        Outcome::Done => {}
        Outcome::Rejected(Reject::Access(AccessReject::Taken | AccessReject::NameTaken)) => {
            let refusal = bad_value("name", "one that no account of the group has", &name);
            return Err(refusal.with_reason(Reason::ConflictingAccountName));
        }
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) | Outcome::Trading(_) | Outcome::Converted(_) => return Err(failed()),
    }
    let opened = OpenedAccount { account: short_name, kind: AccountKindName(kind.name()) };
    Ok(Reply::json(json::body(&opened)))
}

fn read(app: &App, request: NewAccount<'_>, name: &str) -> Result<Account, Refusal> {
    let (group, kind) = (request.group()?, kind(&request.kind()?)?);
    let short_name = short_name(name)?;
    let opened = app.now();
    let views = app.exchange.views();
    let (state, access) = (views.state(), views.state().access());
    let group_id = access.find_group(&group);
    let seed = state.opening().map_or(0, |opening| opening.seed);
    Ok(Account {
        group: Some(group_id.ok_or_else(|| bad_value("group", "the name of a group", &group))?),
        counterparty_id: access.free_counterparty_id(kind, seed, &group, &short_name),
        short_name,
        jurisdiction: String::new(),
        broker: false,
        opened,
        kind,
        display_name: name.to_owned(),
    })
}

fn kind(name: &str) -> Result<AccountKind, Refusal> {
    AccountKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        bad_value("kind", "one of exchange, custody, derivatives, margin", name)
            .with_reason(Reason::BadAccountType)
    })
}
