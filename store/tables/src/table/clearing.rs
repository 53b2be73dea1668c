//! `clearing_orders`: closed clearing orders, a row for each party and for the broker.
//!
//! `part` is the account's own: `source`, `target` or `broker`. `side` is that of the source. `submitted`, `expires` and `changed` are in
//! microseconds.

pub(super) mod queries;

use super::{Row, Table};
use crate::Fault;
use crate::decimal::text;
use buttonwood_model::{AccountId, Side, Symbol};
use buttonwood_views::history::{ClearingEnd, ClearingRow};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

const NAME: &str = "clearing_orders";

/// The orders since the last write, by account and number.
#[derive(Default)]
pub(super) struct Orders {
    waiting: BTreeMap<(AccountId, u64), (&'static str, ClearingRow)>,
}

impl Table for Orders {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE clearing_orders (account INTEGER NOT NULL, number INTEGER NOT NULL, part TEXT NOT NULL,
            symbol TEXT NOT NULL, side TEXT NOT NULL, price TEXT NOT NULL, quantity TEXT NOT NULL, status TEXT NOT NULL,
            is_confirmed INTEGER NOT NULL, source INTEGER NOT NULL, source_order INTEGER NOT NULL, target INTEGER,
            target_order INTEGER, broker INTEGER, submitted INTEGER NOT NULL, expires INTEGER NOT NULL,
            changed INTEGER NOT NULL, PRIMARY KEY (account, number)) STRICT, WITHOUT ROWID;
         CREATE INDEX clearing_orders_by_source ON clearing_orders (account, source_order);
         CREATE INDEX clearing_orders_by_target ON clearing_orders (account, target_order)"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        let Row::Clearing(row) = row else { return };
        let parts = [(Some(row.source), "source"), (row.target, "target"), (row.broker, "broker")];
        for (account, part) in parts {
            if let Some(account) = account {
                self.waiting.insert((account, row.number), (part, *row));
            }
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut put = database.prepare(
            "INSERT OR REPLACE INTO clearing_orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        for ((account, number), (part, row)) in &self.waiting {
            let symbol = symbols.get(row.symbol.index()).ok_or(Fault::Row { table: NAME })?;
            put.execute(params![
                account.0,
                number.cast_signed(),
                part,
                symbol.name,
                side_name(row.side),
                text(|out| symbol.grid.push_price(out, row.price)),
                text(|out| symbol.grid.push_qty(out, row.qty)),
                status_name(row.end),
                row.is_confirmed,
                row.source.0,
                row.source_order.0.cast_signed(),
                row.target.map(|account| account.0),
                row.target_order.map(|order| order.0.cast_signed()),
                row.broker.map(|account| account.0),
                row.submitted.0.cast_signed(),
                row.expires.0.cast_signed(),
                row.changed.0.cast_signed(),
            ])?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Buy => "buy",
        Side::Sell => "sell",
    }
}

/// The status of an order that was closed in this way (CLR-006).
fn status_name(end: ClearingEnd) -> &'static str {
    match end {
        ClearingEnd::Settled => "Settled",
        ClearingEnd::Expired => "Expired",
        ClearingEnd::Cancelled => "Canceled",
    }
}
