//! `POST /v1/account/list`: the accounts of a group (ACCT-011, ACCT-012).

use buttonwood_call::{App, Auth, Call, Route};
use buttonwood_engine::{Access, Account};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, Role, Scope};
use buttonwood_wire::account::AccountTypeName;
use buttonwood_wire::contract::{InPayload, Label, Nullable, PageRows, Timestamp};
use buttonwood_wire::field::{PAGE_MAX, failed};
use buttonwood_wire::{answer, json, request, words};
use std::cmp::Reverse;

/// Every role.
pub(crate) const ROUTE: Route = Route::reading("/v1/account/list", answer)
    .by(Auth::Group)
    .roles(&Role::ALL)
    .scopes(&[Scope::AccountRead])
    .about("Lists the accounts of the group, the newest first; for an access token its own one.")
    .takes::<GroupAccounts>()
    .gives::<Vec<GroupAccount>>();

request! {
    /// Which accounts of the group.
    struct GroupAccounts in InPayload {
        /// How many accounts at most; more than 500 are 500.
        limit_accounts: PageRows<PAGE_MAX>,
        /// Accounts that were opened at this time or before, in seconds or milliseconds; without it the newest ones.
        timestamp: Timestamp,
    }
}

words! {
    /// Whether an account is in use.
    struct AccountStatus: "open", "closed"
}

answer! {
    /// An account of the group.
    struct GroupAccount {
        /// Its name.
        name: Label,
        /// Its short name, by which calls name it.
        account: String,
        /// Its type.
        kind as "type": AccountTypeName,
        /// Its counterparty id in clearing; `null` for a custody account.
        counterparty_id: Nullable<String>,
        /// When it was opened, in milliseconds.
        created: u64,
        /// Whether it is in use.
        status: AccountStatus,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let request = GroupAccounts::of(call.payload());
    let limit = request.limit_accounts()?;
    let until = request.timestamp()?.unwrap_or(u64::MAX);
    let owner = call.owner();
    let views = app.exchange.views();
    let access = views.state().access();
    let group = access.group_of(owner).ok_or_else(failed)?;
    let accounts = access.accounts_of(group).filter(|(id, _)| access.owns(owner, *id));
    let mut rows: Vec<_> = accounts.filter(|(_, account)| account.opened.millis() <= until).collect();
    rows.sort_by_key(|(id, account)| Reverse((account.opened, *id)));
    rows.truncate(limit.rows);
    let rows: Vec<GroupAccount> = rows.into_iter().map(|(id, account)| row(access, id, account)).collect();
    drop(views);
    Ok(Reply::json(json::body(&rows)))
}

fn row(access: &Access, id: AccountId, account: &Account) -> GroupAccount {
    let counterparty_id = (!account.counterparty_id.is_empty()).then(|| account.counterparty_id.clone());
    GroupAccount {
        name: Label(account.name().to_owned()),
        account: account.short_name.clone(),
        kind: AccountTypeName::of(account.kind),
        counterparty_id: Nullable(counterparty_id),
        created: account.opened.millis(),
        status: AccountStatus(if access.is_closed(id) { "closed" } else { "open" }),
    }
}
