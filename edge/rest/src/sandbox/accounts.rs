//! `POST /sandbox/accounts`: opens an empty account in a group.

use super::control::ControlCall;
use crate::route::Route;
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_operate::{AccountKindName, account_kind, open_account};
use buttonwood_wire::contract::{InPayload, Needed, Text};
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/accounts", |call, _, fields| Box::pin(answer(call, fields)))
        .about("Opens an empty account in a group.")
        .notes(&[
            "The first character of a name is a letter or a digit. The short name is the name in lower \
             case with `-` for each space. With the same seed, ids of accounts repeat, whatever the order \
             of calls.",
        ])
        .takes::<NewAccount>()
        .gives::<OpenedAccount>();

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

async fn answer(call: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = NewAccount::of(fields);
    let (name, group) = (request.name()?, request.group()?);
    let kind = account_kind(&request.kind()?)?;
    let account = open_account(call.operator(), &group, &name, kind, String::new()).await?;
    Ok(Reply::json(json::body(&OpenedAccount { account, kind: AccountKindName(kind.name()) })))
}
