//! `POST /v1/account`: an account and its users (ACCT-003, ACCT-004).

use buttonwood_call::{App, Call, Route};
use buttonwood_engine::{Account, State, identity, memo_code};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_wire::account::AccountTypeName;
use buttonwood_wire::answers::AccountUser;
use buttonwood_wire::contract::{Digits, IsoTime, Label};
use buttonwood_wire::field::failed;
use buttonwood_wire::time::iso_millis;
use buttonwood_wire::{answer, json};

/// Trader, Fund Manager or Auditor.
pub(crate) const ROUTE: Route = Route::reading("/v1/account", answer)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scopes(&[Scope::AccountRead])
    .about("Reads an account.")
    .gives::<AccountDetail>();

answer! {
    /// An account and its users.
    struct AccountDetail {
        /// The account.
        account: AccountNaming,
        /// The users of its group.
        users: Vec<AccountUser>,
        /// The code that a wire to the account names in its memo.
        memo_reference_code: String,
        /// The number that a wire to the account is sent to; absent if the account has none.
        virtual_account_number: Option<String>,
    }
}

answer! {
    /// The names and the type of an account.
    struct AccountNaming {
        /// Its name.
        name as "accountName": Label,
        /// Its short name, by which calls name it.
        short_name as "shortName": String,
        /// Its type.
        kind as "type": AccountTypeName,
        /// When it was opened, in milliseconds.
        created: Digits,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let views = app.exchange.views();
    let state = views.state();
    let account = state.access().account(call.account()).ok_or_else(failed)?;
    let seed = state.opening().map_or(0, |opening| opening.seed);
    let detail = AccountDetail {
        account: AccountNaming {
            name: Label(account.name().to_owned()),
            short_name: account.short_name.clone(),
            kind: AccountTypeName::of(account.kind),
            created: Digits(account.opened.millis()),
        },
        users: users(state, account),
        memo_reference_code: memo_code(seed, call.account()),
        virtual_account_number: None,
    };
    drop(views);
    Ok(Reply::json(json::body(&detail)))
}

/// The users of an account's group. Where they live is not known but by the account; a confirmed address counts as verified.
fn users(state: &State, account: &Account) -> Vec<AccountUser> {
    let country = account.jurisdiction.split('-').next().filter(|country| !country.is_empty());
    let is_of_group = |user: &&identity::User| user.group.is_some() && user.group == account.group;
    let of_group = state.identity().users().iter().filter(is_of_group);
    let row = |user: &identity::User| AccountUser {
        name: Label(user.name.clone()),
        last_sign_in: user.last_sign_in.map(|time| IsoTime(iso_millis(time))),
        status: if user.is_disabled { "Suspended" } else { "Active" }.to_owned(),
        country_code: country.map(str::to_owned),
        is_verified: true,
    };
    of_group.map(row).collect()
}
