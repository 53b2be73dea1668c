//! `balances@account`: the balances of an account that changed.

use buttonwood_call::{AccountRows, App, Report, SocketRight};
use buttonwood_model::{AccountId, Role, Scope};
use buttonwood_num::Money;
use buttonwood_views::Views;
use buttonwood_wire::contract::{DecimalText, Shape};
use buttonwood_wire::standing::{AccountBalance, balances_of};
use buttonwood_wire::{frame, json};

/// Trader, Fund Manager or Auditor.
pub(crate) const REPORT: Report = Report {
    name: "balances@account",
    right: SocketRight {
        roles: &[Role::Trader, Role::FundManager, Role::Auditor],
        scope: Scope::BalancesRead,
    },
    frame: "balanceUpdate",
    about: "Balances that changed (balances@account, with @1s too); the first frame has all.",
    list: "B",
    names_account: false,
    rows,
    row_schema: BalanceRow::node,
    ended: None,
};

frame! {
    /// A balance.
    struct BalanceRow {
        /// The currency.
        currency as "a": String,
        /// What is available.
        available as "f": DecimalText,
        /// The whole balance.
        total as "c": DecimalText,
    }
}

/// The rows, by currency.
fn rows(app: &App, views: &Views, account: AccountId) -> AccountRows {
    let names = app.names_as_of(views);
    let row = |(balance, _): (AccountBalance, bool)| {
        let currency = names.currency(balance.currency);
        let amount = |amount: Money| DecimalText::of(|out| amount.push_floored(out, currency.decimals));
        let row = BalanceRow {
            currency: currency.code.clone(),
            available: amount(balance.available),
            total: amount(balance.total),
        };
        let mut text = json::body(&row);
        // It is kept until the row changes.
        text.shrink_to_fit();
        (u64::from(balance.currency.0), text)
    };
    balances_of(views.state(), account).into_iter().map(row).collect()
}
