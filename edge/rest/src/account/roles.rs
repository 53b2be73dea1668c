//! `POST /v1/roles`: what the caller may do (ACCT-001, ACCT-002).

use buttonwood_call::{App, Auth, Call, Route};
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{GroupId, Role};
use buttonwood_wire::{answer, json};

/// Any key, and any access token.
pub(crate) const ROUTE: Route = Route::reading("/v1/roles", answer)
    .by(Auth::Session)
    .any_token()
    .about("Reads what the caller may do.")
    .notes(&[
        "Access tokens of any scope may call it. It shows the roles that the user of the token has now.",
    ])
    .gives::<KeyRoles>();

answer! {
    /// The roles of a caller.
    struct KeyRoles {
        /// Whether it reads everything of its account.
        is_auditor as "isAuditor": bool,
        /// Whether it moves funds.
        is_fund_manager as "isFundManager": bool,
        /// Whether it trades.
        is_trader as "isTrader": bool,
        /// The clearing name of the group; master keys only.
        counterparty_id: Option<String>,
        /// Whether it administers accounts of the group; master keys only.
        is_account_admin as "isAccountAdmin": Option<bool>,
    }
}

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let roles = call.gate().roles();
    let has = |role| roles.has(role);
    let group = call.group();
    let roles = KeyRoles {
        is_auditor: has(Role::Auditor),
        is_fund_manager: has(Role::FundManager),
        is_trader: has(Role::Trader),
        counterparty_id: group.map(|group| counterparty_id(app, group)),
        is_account_admin: group.map(|_| has(Role::Administrator)),
    };
    Ok(Reply::json(json::body(&roles)))
}

/// A group clears as its first account does.
fn counterparty_id(app: &App, group: GroupId) -> String {
    let views = app.exchange.views();
    let first = views.state().access().accounts().iter().find(|account| account.group == Some(group));
    first.map_or_else(String::new, |account| account.counterparty_id.clone())
}
