//! `POST /v1/roles`: what the key may do (ACCT-001, ACCT-002).

use crate::app::App;
use crate::call::Call;
use crate::route::Route;
use buttonwood_gate::{Owner, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::Role;
use buttonwood_wire::json;

/// Any key.
pub(crate) const ROUTE: Route = Route::reading("/v1/roles", answer).of_session();

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let key = call.key();
    let body = json::object(128, |json| {
        json.flag("isAuditor", key.roles.has(Role::Auditor));
        json.flag("isFundManager", key.roles.has(Role::FundManager));
        json.flag("isTrader", key.roles.has(Role::Trader));
        if let Owner::Group(group) = key.owner {
            // A group clears as its first account does.
            let views = app.exchange.views();
            let first = views.state().access().accounts().iter().find(|account| account.group == Some(group));
            json.plain("counterparty_id", first.map_or("", |account| &account.counterparty_id));
            json.flag("isAccountAdmin", key.roles.has(Role::Administrator));
        }
    });
    Ok(Reply::json(body))
}
