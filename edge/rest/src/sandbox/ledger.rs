//! `GET /sandbox/ledger`: what the house and all customers together have of each currency, to the last decimal.

use crate::app::App;
use crate::route::Route;
use buttonwood_engine::State;
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::json;

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_reading("/sandbox/ledger", answer);

/// The totals of one currency.
#[derive(Debug)]
struct Totals {
    currency: String,
    customers: Money,
    /// In the order of [`house_accounts`].
    house: Vec<Money>,
}

/// Answers from the views, which show every command that was answered before.
pub(super) fn answer(app: &App) -> Reply {
    let (seq, house, rows) = {
        let views = app.exchange.views();
        let state = views.state();
        (state.stamp().seq, house_accounts(state), totals(state))
    };
    let exact = |amount: Money| move |out: &mut Vec<u8>| amount.push_floored(out, MONEY_DECIMALS);
    Reply::json(json::object(64 + rows.len() * 160, |json| {
        json.number("seq", seq.0);
        json.array_field("currencies", &rows, |json, row| {
            json.object(|json| {
                json.plain("currency", &row.currency);
                json.decimal("customers", exact(row.customers));
                json.object_field("house", |json| {
                    for ((name, _), amount) in house.iter().zip(&row.house) {
                        json.decimal(name, exact(*amount));
                    }
                });
                json.decimal("sum", exact(row.customers + row.house.iter().copied().sum()));
            });
        });
    }))
}

/// Every account of the house with its name.
fn house_accounts(state: &State) -> Vec<(String, AccountId)> {
    state.ledger().houses().iter().map(|house| (house.name.clone(), house.account)).collect()
}

/// The totals of every listed currency.
fn totals(state: &State) -> Vec<Totals> {
    let house = house_accounts(state);
    let row = |(id, currency): (usize, &buttonwood_model::Currency)| Totals {
        currency: currency.code.clone(),
        customers: Money::ZERO,
        house: house
            .iter()
            .map(|(_, account)| state.ledger().balance(*account, CurrencyId::from_index(id)).total())
            .collect(),
    };
    let mut rows: Vec<Totals> = state.currencies().iter().enumerate().map(row).collect();
    let is_house = |account| house.iter().any(|(_, own)| *own == account);
    for (account, asset, balance) in state.ledger().balances() {
        let Some(currency) = asset.currency() else { continue };
        if let Some(row) = rows.get_mut(currency.index()).filter(|_| !is_house(account)) {
            row.customers += balance.total();
        }
    }
    rows
}
