//! The law of the statement: for each account and currency the rows sum to the balance, and each row says the sum so far (D-171).

use super::statement::Numbered;
use buttonwood_engine::State;
use buttonwood_model::{AccountId, CurrencyId, Symbol};
use buttonwood_num::Money;
use std::collections::BTreeMap;

/// The sums of the rows so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums(BTreeMap<(AccountId, CurrencyId), Money>);

/// A balance that its rows do not explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the statement of account {} has {rows} in currency {}, and the balance is {balance} (units of the ledger)", account.0, currency.0)]
pub struct Unexplained {
    /// The account.
    pub account: AccountId,
    /// The currency.
    pub currency: CurrencyId,
    /// The sum of its rows, in units.
    pub rows: i128,
    /// The sum that the row, or the ledger, has instead, in units.
    pub balance: i128,
}

impl Sums {
    /// Begins with the balances of a state: rows before it are not read.
    pub fn of(state: &State) -> Self {
        Self(balances(state).filter(|(_, balance)| *balance != Money::ZERO).collect())
    }

    /// Adds a row; `symbols` are at least those of the rows.
    ///
    /// # Errors
    /// [`Unexplained`] if the row does not follow from those before it.
    pub fn add(&mut self, symbols: &[Symbol], row: &Numbered) -> Result<(), Unexplained> {
        for line in row.lines(symbols) {
            let key = (row.account(), line.currency);
            let sum = self.0.entry(key).or_default();
            *sum = sum.capped_add(line.amount);
            same(key, *sum, line.balance)?;
        }
        Ok(())
    }

    /// Whether the sums are the balances of a state.
    ///
    /// # Errors
    /// [`Unexplained`] for the first that is not.
    pub fn check(&self, state: &State) -> Result<(), Unexplained> {
        balances(state)
            .try_for_each(|(key, balance)| same(key, self.0.get(&key).copied().unwrap_or_default(), balance))
    }
}

/// The balances of all accounts but the house's.
fn balances(state: &State) -> impl Iterator<Item = ((AccountId, CurrencyId), Money)> {
    let ledger = state.ledger();
    let all = ledger.balances().filter(move |(account, ..)| !ledger.is_house(*account));
    all.filter_map(|(account, asset, balance)| Some(((account, asset.currency()?), balance.total())))
}

fn same(
    (account, currency): (AccountId, CurrencyId),
    rows: Money,
    balance: Money,
) -> Result<(), Unexplained> {
    if rows == balance {
        return Ok(());
    }
    Err(Unexplained { account, currency, rows: rows.units(), balance: balance.units() })
}
