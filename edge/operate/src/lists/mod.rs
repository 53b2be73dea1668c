//! Lists of what there is: groups, accounts, symbols, fees, live orders, balances, transfers under way.
//!
//! A list of accounts' rows reads one account at a time, so that a long one delays no order.

pub(crate) mod balances;
pub(crate) mod directory;
pub(crate) mod fees;
pub(crate) mod orders;
pub(crate) mod symbols;
pub(crate) mod transfers;

use crate::command::Lines;
use crate::operator::Operator;
use buttonwood_engine::State;
use buttonwood_gate::Refusal;
use buttonwood_model::AccountId;
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_wire::contract::{DecimalText, InPayload, Label, Text};
use buttonwood_wire::request;

request! {
    /// Whose rows are listed.
    struct Whose in InPayload {
        /// The name of a group; without it those of every group.
        group: Text,
        /// The short name of an account of the group; without it those of all its accounts.
        account: Text,
    }
}

/// Sends the rows of each account that the names choose, the oldest account first.
async fn send_of_each(
    operator: &Operator<'_>,
    lines: &Lines,
    accounts: Vec<AccountId>,
    rows: impl Fn(&State, AccountId) -> Vec<Vec<u8>>,
) {
    for account in accounts {
        // The lock of the views is given back before the lines are sent.
        let rows = rows(operator.exchange.views().state(), account);
        if !send(lines, rows).await {
            return;
        }
    }
}

/// Sends rows; whether the operator still reads.
pub(crate) async fn send(lines: &Lines, rows: Vec<Vec<u8>>) -> bool {
    for row in rows {
        if !lines.send(row).await {
            return false;
        }
    }
    true
}

/// The accounts of a group, or one of them, or those of all groups.
fn chosen(
    operator: &Operator<'_>,
    group: Option<&str>,
    account: Option<&str>,
) -> Result<Vec<AccountId>, Refusal> {
    match (group, account) {
        (Some(group), Some(account)) => Ok(vec![operator.find_account(group, account)?]),
        (None, Some(_)) => Err(Refusal::missing_key("group")),
        (group, None) => {
            let group = group.map(|group| operator.find_group(group)).transpose()?;
            let views = operator.exchange.views();
            let all = views.state().access().accounts().iter().enumerate();
            let is_meant = |own: Option<_>| own.is_some() && (group.is_none() || own == group);
            let meant = all.filter(|(_, account)| is_meant(account.group));
            Ok(meant.map(|(at, _)| AccountId::from_index(at)).collect())
        }
    }
}

/// The names of an account and of its group.
fn names(state: &State, account: AccountId) -> (Label, Label) {
    let access = state.access();
    let found = access.account(account);
    let group = found.and_then(|found| access.group(found.group?));
    (
        Label(group.map(|group| group.name.clone()).unwrap_or_default()),
        Label(found.map(|found| found.short_name.clone()).unwrap_or_default()),
    )
}

/// An amount, to the last decimal.
fn exact(amount: Money) -> DecimalText {
    DecimalText::of(|out| amount.push_floored(out, MONEY_DECIMALS))
}
