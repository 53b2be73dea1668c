//! `GET /sandbox/ledger`: the totals of customers and of house accounts in each currency, to the last decimal.

use buttonwood_call::{App, Route};
use buttonwood_engine::State;
use buttonwood_http::Reply;
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{Components, DecimalText, Node, Nullable, Shape};
use buttonwood_wire::{Json, answer, json};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_reading("/sandbox/ledger", answer)
    .about("Reads the totals of customers and house in each currency; their sum is zero.")
    .gives::<Ledger>();

answer! {
    /// The totals of all accounts, to the last decimal.
    struct Ledger {
        /// The sequence of the last command that is included.
        seq: u64,
        /// A row for each listed currency.
        currencies: Vec<CurrencyTotals>,
        /// The terms of instant orders, and what the house owes from them.
        instant: InstantState,
    }
}

answer! {
    /// The terms of instant orders, and what the house owes from them.
    struct InstantState {
        /// The rate of the fee, in basis points.
        fee_bps: u64,
        /// The dollar value of what the house owes, each currency at its last price; null when one of them has no price.
        exposure_usd: Nullable<DecimalText>,
        /// The most that the house may owe, in dollars.
        exposure_max_usd: DecimalText,
    }
}

answer! {
    /// The totals of one currency.
    struct CurrencyTotals {
        /// The currency.
        currency: String,
        /// The balances of all customers, summed.
        customers: DecimalText,
        /// The balance of each house account; `escrow` is the sum over all contracts of the prediction markets.
        house: HouseTotals,
        /// Customers and house together: zero.
        sum: DecimalText,
    }
}

/// The balances of the house accounts by name.
#[derive(Debug)]
struct HouseTotals(Vec<(String, DecimalText)>);

impl Shape for HouseTotals {
    fn node(components: &mut Components) -> Node {
        components.named("HouseTotals", |components| {
            Node::of_type("object")
                .with("description", "The balances of the house accounts by name.")
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
    /// In the order of [`house_accounts`]; after them the escrows together.
    house: Vec<Money>,
}

/// Answers from the views, which show every command that was answered before.
pub(super) fn answer(app: &App) -> Reply {
    let (seq, house, rows, instant) = {
        let views = app.exchange.views();
        let state = views.state();
        (state.stamp().seq, house_accounts(state), totals(state), instant(state))
    };
    let rows = rows.into_iter().map(|row| CurrencyTotals {
        customers: exact(row.customers),
        sum: exact(row.customers + row.house.iter().copied().sum()),
        house: HouseTotals(
            house_names(&house).zip(row.house).map(|(name, amount)| (name, exact(amount))).collect(),
        ),
        currency: row.currency,
    });
    Reply::json(json::body(&Ledger { seq: seq.0, currencies: rows.collect(), instant }))
}

/// An amount with all its decimals.
fn exact(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}

fn instant(state: &State) -> InstantState {
    let terms = state.conversions().terms();
    InstantState {
        fee_bps: u64::from(terms.fee.0),
        exposure_usd: Nullable(state.exposure().map(exact)),
        exposure_max_usd: exact(terms.exposure),
    }
}

/// The name under which the dollars in the escrows of all contracts stand (D-108).
const ESCROW: &str = "escrow";

/// Every house account with its name.
fn house_accounts(state: &State) -> Vec<(String, AccountId)> {
    state.ledger().houses().iter().map(|house| (house.name.clone(), house.account)).collect()
}

/// The names of the house accounts, then that of the escrows.
fn house_names(house: &[(String, AccountId)]) -> impl Iterator<Item = String> {
    house.iter().map(|(name, _)| name.clone()).chain([ESCROW.to_owned()])
}

/// The totals of every listed currency.
fn totals(state: &State) -> Vec<Totals> {
    let (house, ledger) = (house_accounts(state), state.ledger());
    let (dollar, escrowed) = (ledger.dollar(), ledger.escrowed());
    let row = |(id, currency): (usize, &buttonwood_model::Currency)| {
        let id = CurrencyId::from_index(id);
        let own = house.iter().map(|(_, account)| ledger.balance(*account, id).total());
        let escrow = if dollar == Some(id) { escrowed } else { Money::ZERO };
        Totals {
            currency: currency.code.clone(),
            customers: Money::ZERO,
            house: own.chain([escrow]).collect(),
        }
    };
    let mut rows: Vec<Totals> = state.currencies().iter().enumerate().map(row).collect();
    for (account, asset, balance) in ledger.balances() {
        let Some(currency) = asset.currency() else { continue };
        if let Some(row) = rows.get_mut(currency.index()).filter(|_| !ledger.is_house(account)) {
            row.customers += balance.total();
        }
    }
    rows
}
