//! `funding_amounts`: the amount of every full hour of a perpetual, for one unit of base. `funding_payments`: what every account paid for
//! its position then; negative if it received.
//!
//! Why they are in the database: Q-360. `time` is the hour's end in milliseconds.

pub(super) mod queries;

use super::{Row, Table};
use crate::Fault;
use crate::decimal::text;
use buttonwood_model::{AccountId, Symbol, SymbolId, Time};
use buttonwood_num::{MONEY_DECIMALS, Money};
use rusqlite::Connection;
use std::collections::BTreeMap;

const AMOUNTS: &str = "funding_amounts";
const PAYMENTS: &str = "funding_payments";

/// The amounts since the last write, by symbol and hour.
#[derive(Default)]
pub(super) struct Amounts {
    waiting: BTreeMap<(SymbolId, Time), Money>,
}

/// The payments since the last write, by account, hour and symbol.
#[derive(Default)]
pub(super) struct Payments {
    waiting: BTreeMap<(AccountId, Time, SymbolId), Money>,
}

impl Table for Amounts {
    fn name(&self) -> &'static str {
        AMOUNTS
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE funding_amounts (symbol TEXT NOT NULL, time INTEGER NOT NULL, amount TEXT NOT NULL,
            PRIMARY KEY (symbol, time)) STRICT, WITHOUT ROWID"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        if let Row::Funding(row) = row
            && row.account.is_none()
        {
            self.waiting.insert((row.symbol, row.hour), row.amount);
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut put = database.prepare("INSERT OR REPLACE INTO funding_amounts VALUES (?, ?, ?)")?;
        for ((symbol, hour), amount) in &self.waiting {
            let symbol = symbols.get(symbol.index()).ok_or(Fault::Row { table: AMOUNTS })?;
            put.execute((&symbol.name, hour.millis().cast_signed(), money(*amount)))?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

impl Table for Payments {
    fn name(&self) -> &'static str {
        PAYMENTS
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE funding_payments (account INTEGER NOT NULL, time INTEGER NOT NULL, symbol TEXT NOT NULL,
            amount TEXT NOT NULL, PRIMARY KEY (account, time, symbol)) STRICT, WITHOUT ROWID"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        if let Row::Funding(row) = row
            && let Some(account) = row.account
        {
            self.waiting.insert((account, row.hour, row.symbol), row.amount);
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut put = database.prepare("INSERT OR REPLACE INTO funding_payments VALUES (?, ?, ?, ?)")?;
        for ((account, hour, symbol), amount) in &self.waiting {
            let symbol = symbols.get(symbol.index()).ok_or(Fault::Row { table: PAYMENTS })?;
            put.execute((i64::from(account.0), hour.millis().cast_signed(), &symbol.name, money(*amount)))?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

fn money(amount: Money) -> String {
    text(|out| amount.push_floored(out, MONEY_DECIMALS))
}
