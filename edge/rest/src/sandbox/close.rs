//! `POST /sandbox/accounts/close`: closes an account for good, as an operator would (ACCT-013).

use super::control::{ControlCall, operate};
use crate::route::Route;
use buttonwood_engine::{AccessCommand, AccessReject, Balance, Body, Outcome, Reject, State};
use buttonwood_gate::{Payload, Refusal};
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, AssetId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Done, InPayload, Needed, Text};
use buttonwood_wire::field::{bad_value, closed_account, failed, no_space};
use buttonwood_wire::{answer, json, request};

/// This machine only.
pub(crate) const ROUTE: Route =
    Route::control("/sandbox/accounts/close", |app, _, fields| Box::pin(answer(app, fields)))
        .about("Closes an account without orders and money, for good.")
        .takes::<Closing>()
        .gives::<ClosedAccount>();

request! {
    /// An account to close.
    struct Closing in InPayload {
        /// The name of the account's group.
        group: Needed<Text>,
        /// The short name of the account.
        account: Needed<Text>,
    }
}

answer! {
    /// The account that was closed.
    struct ClosedAccount {
        /// Always `ok`.
        result: Done,
        /// Its short name.
        account: String,
    }
}

async fn answer(app: &ControlCall<'_>, fields: &Payload) -> Result<Reply, Refusal> {
    let request = Closing::of(fields);
    let (group, name) = (request.group()?, request.account()?);
    let account = app.find_account(&group, &name)?;
    match operate(app, Body::Access(AccessCommand::CloseAccount(account))).await? {
        Outcome::Done => {}
        Outcome::Rejected(Reject::Access(AccessReject::Closed)) => return Err(closed_account(&name)),
        Outcome::Rejected(Reject::Access(AccessReject::HasOrders)) => {
            let orders = shown(&orders(app.exchange.views().state(), account));
            return Err(bad_value("account", &format!("one without live orders, not with {orders}"), &name));
        }
        Outcome::Rejected(Reject::Access(AccessReject::HasMoney)) => {
            let money = shown(&money(app.exchange.views().state(), account));
            return Err(bad_value("account", &format!("one without money, not with {money}"), &name));
        }
        Outcome::Rejected(Reject::NoRoom) => return Err(no_space()),
        Outcome::Rejected(_) | Outcome::Trading(_) | Outcome::Converted(_) => return Err(failed()),
    }
    Ok(Reply::json(json::body(&ClosedAccount { result: Done, account: name.into_owned() })))
}

/// The ids of the account's live orders, the newest first.
fn orders(state: &State, account: AccountId) -> Vec<String> {
    state.orders().of_account(account).map(|(_, order)| order.id.0.to_string()).collect()
}

/// What the account has, to the last decimal.
fn money(state: &State, account: AccountId) -> Vec<String> {
    let currencies =
        state.ledger().balances_of(account).map(|(currency, balance)| (currency.into(), balance));
    let all = currencies.chain(state.ledger().claims_of(account));
    all.filter(|(_, balance)| *balance != Balance::default())
        .map(|(asset, balance)| format!("{} {}", asset_name(state, asset), digits(balance.total())))
        .collect()
}

fn asset_name(state: &State, asset: AssetId) -> String {
    let currency = asset.currency().and_then(|currency| state.currency(currency));
    currency.map_or_else(|| format!("claim {}", asset.number()), |currency| currency.code.clone())
}

fn digits(amount: Money) -> String {
    let mut out = Vec::new();
    amount.push_floored(&mut out, MONEY_DECIMALS);
    String::from_utf8(out).unwrap_or_default()
}

/// The first few, and how many more there are.
fn shown(all: &[String]) -> String {
    const FEW: usize = 10;
    let first = all.iter().take(FEW).map(String::as_str).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(FEW) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
