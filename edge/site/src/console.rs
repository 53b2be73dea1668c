//! `GET /site/console.json`: the names that the console offers in its lists, from keys to events, and whether there are chains and
//! banks. No secret is among them.

use buttonwood_call::{Visit, no_endpoint};
use buttonwood_engine::{Owner, State};
use buttonwood_gate::{Reason, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{GroupId, Product, Role};
use buttonwood_people::People;
use serde_json::{Value, json};

/// The path.
pub(crate) const PATH: &str = "/site/console.json";

/// The names as of now, for a visit that may see the console.
pub(crate) fn answer(visit: &Visit<'_>) -> Result<Reply, Refusal> {
    if !visit.app.settings().sandbox {
        return Err(no_endpoint(visit.path()));
    }
    if let Some(why) = visit.why_off_machine() {
        return Err(Refusal::new(Reason::RemoteAddressForbidden, why));
    }
    let views = visit.app.exchange.views();
    let state = views.state();
    let codes = state.currencies().iter().map(|currency| currency.code.as_str());
    let apps = state
        .identity()
        .apps()
        .map(|app| json!({ "client_id": app.new.id.to_string(), "name": app.new.name }));
    let networks = state.funds().networks().all().iter().map(|network| network.name.as_str());
    let names = json!({
        "has_funds": visit.app.settings().simulated_funds,
        "keys": keys(state),
        "users": users(state, &visit.app.people),
        "apps": apps.collect::<Vec<_>>(),
        "groups": groups(state),
        "currencies": codes.collect::<Vec<_>>(),
        "networks": networks.collect::<Vec<_>>(),
        "symbols": symbols(state),
        "events": events(state),
    });
    Ok(Reply::page("application/json", names.to_string().into_bytes()).uncached())
}

fn group_name(state: &State, group: Option<GroupId>) -> Option<&str> {
    group.and_then(|group| state.access().group(group)).map(|group| group.name.as_str())
}

/// The keys that have not ended, in the order in which they were made.
fn keys(state: &State) -> Vec<Value> {
    let access = state.access();
    let groups = access.groups().iter().filter_map(|group| access.find_group(&group.name));
    let mut keys: Vec<_> = groups.flat_map(|group| access.keys_of(group)).collect();
    keys.sort_unstable_by_key(|(id, _)| *id);
    let shown = keys.into_iter().map(|(_, session)| {
        let key = &session.key;
        let account = match key.owner {
            Owner::Account(account) => access.account(account).map(|account| account.short_name.as_str()),
            Owner::Group(_) => None,
        };
        json!({
            "name": key.name,
            "api_key": key.api_key,
            "group": group_name(state, access.group_of(key.owner)),
            "account": account,
            "roles": key.roles.iter().map(Role::name).collect::<Vec<_>>(),
        })
    });
    shown.collect()
}

fn users(state: &State, people: &People) -> Vec<Value> {
    let shown = state.identity().users().iter().filter_map(|user| {
        Some(json!({
            "email": people.address_of(user)?,
            "group": group_name(state, user.group),
            "roles": user.roles.iter().map(Role::name).collect::<Vec<_>>(),
            "is_operator": user.is_operator,
            "is_disabled": user.is_disabled,
        }))
    });
    shown.collect()
}

/// The groups with their open accounts.
fn groups(state: &State) -> Vec<Value> {
    let access = state.access();
    let shown = access.groups().iter().map(|group| {
        let accounts = access.find_group(&group.name).into_iter().flat_map(|id| access.accounts_of(id));
        let open = accounts.filter(|(id, _)| !access.is_closed(*id));
        let accounts =
            open.map(|(_, account)| json!({ "name": account.short_name, "kind": account.kind.name() }));
        json!({ "name": group.name, "accounts": accounts.collect::<Vec<_>>() })
    });
    shown.collect()
}

/// The listed symbols.
fn symbols(state: &State) -> Vec<Value> {
    let shown = state.symbols().iter().map(|symbol| {
        json!({ "symbol": symbol.name, "is_perpetual": symbol.product == Product::Swap, "status": symbol.status.name() })
    });
    shown.collect()
}

/// The events of the prediction markets with their contracts, the newest first.
fn events(state: &State) -> Vec<Value> {
    let predictions = state.predictions();
    let shown = predictions.events().iter().rev().map(|event| {
        let contracts = (event.first..).take(usize::try_from(event.count).unwrap_or_default());
        let tickers = contracts.filter_map(|at| predictions.contracts().get(usize::try_from(at).ok()?));
        json!({
            "ticker": event.ticker,
            "title": event.title,
            "status": event.status.name(),
            "is_halted": event.is_halted,
            "contracts": tickers.map(|contract| contract.ticker.as_str()).collect::<Vec<_>>(),
        })
    });
    shown.collect()
}
