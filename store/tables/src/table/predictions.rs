//! Prediction markets. `contract_orders`: closed orders of contracts. `contract_settlements`: positions that ended with a payout or a refund.
//! `contract_parts`: the parts of accounts in trades of contracts. `contract_sales`: sales of claims, with their cost.
//!
//! `contract` is the contract's number. `closed`, `settled` and `sold` are in microseconds, `millis` in milliseconds. `row` has the bytes of the row in
//! the history's file. `payout`, in units of 10^-19 dollars, and `qty`, in hundredths of a quantity increment, are whole numbers of 16 bytes,
//! the highest first, so that they sort as numbers do.

pub(super) mod queries;

use super::{Row, Table};
use crate::Fault;
use buttonwood_model::{AccountId, Claim, OrderId, Symbol, SymbolId, Time, TradeId};
use buttonwood_num::{Money, Qty};
use buttonwood_views::history::{
    ClosedContractOrder, Part, PredictionRow, SettledPosition, SoldClaims, TradeRow,
};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// The orders since the last write, by account, time of closing and id.
#[derive(Default)]
pub(super) struct Orders {
    waiting: BTreeMap<(AccountId, Time, OrderId), ClosedContractOrder>,
}

/// The positions that ended since the last write, by account, time, contract and outcome.
#[derive(Default)]
pub(super) struct Settlements {
    waiting: BTreeMap<(AccountId, Time, SymbolId, Claim), SettledPosition>,
}

/// The parts in trades since the last write, by contract, millisecond, trade and account.
#[derive(Default)]
pub(super) struct Parts {
    waiting: BTreeMap<(SymbolId, u64, TradeId, AccountId), (bool, Qty)>,
}

/// The sales since the last write, by account, contract, outcome, time and trade.
#[derive(Default)]
pub(super) struct Sales {
    waiting: BTreeMap<(AccountId, SymbolId, Claim, Time, TradeId), SoldClaims>,
}

impl Table for Sales {
    fn name(&self) -> &'static str {
        "contract_sales"
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE contract_sales (account INTEGER NOT NULL, contract INTEGER NOT NULL, outcome TEXT NOT NULL,
            sold INTEGER NOT NULL, trade INTEGER NOT NULL, row BLOB NOT NULL,
            PRIMARY KEY (account, contract, outcome, sold, trade)) STRICT, WITHOUT ROWID"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        let Row::Prediction(PredictionRow::Sold(sold)) = row else { return };
        self.waiting.insert((sold.account, sold.contract, sold.claim, sold.time, sold.trade), *sold);
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, _symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut put = database.prepare("INSERT OR REPLACE INTO contract_sales VALUES (?, ?, ?, ?, ?, ?)")?;
        for ((account, contract, claim, time, trade), sold) in &self.waiting {
            put.execute(params![
                account.0,
                number(*contract),
                claim.name(),
                time.0.cast_signed(),
                trade.0.cast_signed(),
                PredictionRow::Sold(*sold).to_bytes(),
            ])?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

impl Table for Orders {
    fn name(&self) -> &'static str {
        "contract_orders"
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE contract_orders (account INTEGER NOT NULL, closed INTEGER NOT NULL, order_id INTEGER NOT NULL,
            contract INTEGER NOT NULL, outcome TEXT NOT NULL, is_filled INTEGER NOT NULL, row BLOB NOT NULL,
            PRIMARY KEY (account, closed, order_id)) STRICT, WITHOUT ROWID;
         CREATE INDEX contract_orders_by_id ON contract_orders (account, order_id);
         CREATE INDEX contract_orders_of_contract ON contract_orders (account, contract, closed, order_id)"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        let Row::Prediction(PredictionRow::Order(order)) = row else { return };
        self.waiting.insert((order.account, order.closed, order.order), *order);
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, _symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut put =
            database.prepare("INSERT OR REPLACE INTO contract_orders VALUES (?, ?, ?, ?, ?, ?, ?)")?;
        for ((account, closed, order_id), order) in &self.waiting {
            put.execute(params![
                account.0,
                closed.0.cast_signed(),
                order_id.0.cast_signed(),
                number(order.contract),
                order.claim.name(),
                order.is_filled(),
                PredictionRow::Order(*order).to_bytes(),
            ])?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

impl Table for Settlements {
    fn name(&self) -> &'static str {
        "contract_settlements"
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE contract_settlements (account INTEGER NOT NULL, settled INTEGER NOT NULL,
            contract INTEGER NOT NULL, outcome TEXT NOT NULL, payout BLOB NOT NULL, row BLOB NOT NULL,
            PRIMARY KEY (account, settled, contract, outcome)) STRICT, WITHOUT ROWID;
         CREATE INDEX contract_settlements_by_payout
            ON contract_settlements (account, payout, settled, contract, outcome)"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        let Row::Prediction(PredictionRow::Settled(settled)) = row else { return };
        self.waiting.insert((settled.account, settled.time, settled.contract, settled.claim), *settled);
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, _symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut put =
            database.prepare("INSERT OR REPLACE INTO contract_settlements VALUES (?, ?, ?, ?, ?, ?)")?;
        for ((account, settled, contract, claim), row) in &self.waiting {
            put.execute(params![
                account.0,
                settled.0.cast_signed(),
                number(*contract),
                claim.name(),
                amount(row.payout),
                PredictionRow::Settled(*row).to_bytes(),
            ])?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

impl Table for Parts {
    fn name(&self) -> &'static str {
        "contract_parts"
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE contract_parts (contract INTEGER NOT NULL, millis INTEGER NOT NULL, trade INTEGER NOT NULL,
            account INTEGER NOT NULL, is_taker INTEGER NOT NULL, qty BLOB NOT NULL,
            PRIMARY KEY (contract, millis, trade, account)) STRICT, WITHOUT ROWID;
         CREATE INDEX contract_parts_by_time ON contract_parts (millis, contract, qty) WHERE is_taker = 1"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        let Row::Trade(TradeRow { account, symbol, trade, time, part, qty, .. }) = row else { return };
        if symbol.is_contract() {
            let key = (*symbol, time.millis(), *trade, *account);
            self.waiting.insert(key, (*part == Part::Taker, *qty));
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, _symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut put = database.prepare("INSERT OR REPLACE INTO contract_parts VALUES (?, ?, ?, ?, ?, ?)")?;
        for ((contract, millis, trade, account), (is_taker, qty)) in &self.waiting {
            put.execute(params![
                number(*contract),
                millis.cast_signed(),
                trade.0.cast_signed(),
                account.0,
                is_taker,
                qty.hundredths().to_be_bytes(),
            ])?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

/// The number of a contract.
fn number(contract: SymbolId) -> i64 {
    i64::try_from(contract.contract_index()).unwrap_or(i64::MAX)
}

/// An amount, never negative, as bytes that sort as numbers do.
fn amount(amount: Money) -> [u8; 16] {
    amount.units().max(0).to_be_bytes()
}
