//! `GET /sandbox/ledger`: what the house and all customers together have of each currency, to the last decimal.

use crate::app::App;
use crate::route::Route;
use buttonwood_engine::State;
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Components, DecimalText, Node, Shape};
use buttonwood_wire::{Json, answer, json};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_reading("/sandbox/ledger", answer)
    .about("Reads what customers and house have of each currency; together it is zero.")
    .gives::<Ledger>();

answer! {
    /// What everyone has, to the last decimal.
    struct Ledger {
        /// The command that this is after.
        seq: u64,
        /// A row for each listed currency.
        currencies: Vec<CurrencyTotals>,
    }
}

answer! {
    /// What everyone has of one currency.
    struct CurrencyTotals {
        /// The currency.
        currency: String,
        /// What all customers have.
        customers: DecimalText,
        /// What each account of the house has.
        house: HouseTotals,
        /// All of it together.
        sum: DecimalText,
    }
}

/// What each account of the house has, under its name.
#[derive(Debug)]
struct HouseTotals(Vec<(String, DecimalText)>);

impl Shape for HouseTotals {
    fn node(components: &mut Components) -> Node {
        components.named("HouseTotals", |components| {
            Node::of_type("object")
                .with("description", "What each account of the house has, under its name.")
                .with("additionalProperties", DecimalText::node(components))
        })
    }

    fn write(&self, json: &mut Json) {
        json.object(|json| self.0.iter().for_each(|(name, amount)| amount.write_field(json, name)));
    }
}

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
    let exact = |amount: Money| DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS));
    let rows = rows.into_iter().map(|row| CurrencyTotals {
        customers: exact(row.customers),
        sum: exact(row.customers + row.house.iter().copied().sum()),
        house: HouseTotals(
            house.iter().zip(row.house).map(|((name, _), amount)| (name.clone(), exact(amount))).collect(),
        ),
        currency: row.currency,
    });
    Reply::json(json::body(&Ledger { seq: seq.0, currencies: rows.collect() }))
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
