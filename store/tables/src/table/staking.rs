//! `staking_transactions`: stakes, requests to redeem and interest. `staking_redemptions`: the redemptions that are paid whole.
//!
//! `provider` is a UUID and `currency` the currency's number. `time`, `requested` and `paid` are in milliseconds. `rate` is that of a year in
//! millionths of a basis point. The primary key of the transactions gives the newest of an account, the indices those of one pair and its
//! interest, so that no query reads more rows than it returns.

pub(super) mod queries;

use super::{Row, Table};
use crate::Fault;
use crate::decimal::text;
use buttonwood_model::{AccountId, Symbol, Time};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_views::history::{StakingKind, StakingRow};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// The transactions since the last write, by account and number.
#[derive(Default)]
pub(super) struct Transactions {
    waiting: BTreeMap<(AccountId, u64), StakingRow>,
}

/// The redemptions since the last write, by account and number, with the times of their requests.
#[derive(Default)]
pub(super) struct Redemptions {
    waiting: BTreeMap<(AccountId, u64), (Time, StakingRow)>,
}

impl Table for Transactions {
    fn name(&self) -> &'static str {
        "staking_transactions"
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE staking_transactions (account INTEGER NOT NULL, time INTEGER NOT NULL, number INTEGER NOT NULL,
            provider BLOB NOT NULL, currency INTEGER NOT NULL, kind INTEGER NOT NULL, amount TEXT NOT NULL,
            price TEXT, rate INTEGER, PRIMARY KEY (account, time, number)) STRICT, WITHOUT ROWID;
         CREATE INDEX staking_transactions_of_pair
            ON staking_transactions (account, provider, currency, time, number);
         CREATE INDEX staking_interest_of_pair
            ON staking_transactions (account, provider, currency, time, number) WHERE kind = 2"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        let Row::Staking(row) = row else { return };
        match row.kind {
            StakingKind::Deposit | StakingKind::Redeem | StakingKind::Interest { .. } => {
                self.waiting.insert((row.account, row.number), *row);
            }
            StakingKind::Paid { .. } => {}
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, _symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut put = database
            .prepare("INSERT OR REPLACE INTO staking_transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
        for ((account, number), row) in &self.waiting {
            let (kind, interest) = match row.kind {
                StakingKind::Deposit => (0, None),
                StakingKind::Redeem | StakingKind::Paid { .. } => (1, None),
                StakingKind::Interest { rate, price } => (2, Some((money(price), rate.cast_signed()))),
            };
            let (price, rate) = interest.unzip();
            put.execute(params![
                account.0,
                row.time.millis().cast_signed(),
                number.cast_signed(),
                row.provider,
                row.currency.0,
                kind,
                money(row.amount),
                price,
                rate,
            ])?;
        }
        self.waiting.clear();
        Ok(())
    }

    fn forget(&mut self) {
        self.waiting.clear();
    }
}

impl Table for Redemptions {
    fn name(&self) -> &'static str {
        "staking_redemptions"
    }

    fn schema(&self) -> &'static str {
        "CREATE TABLE staking_redemptions (account INTEGER NOT NULL, number INTEGER NOT NULL, provider BLOB NOT NULL,
            currency INTEGER NOT NULL, amount TEXT NOT NULL, requested INTEGER NOT NULL, paid INTEGER NOT NULL,
            PRIMARY KEY (account, number)) STRICT, WITHOUT ROWID"
    }

    fn fold(&mut self, _symbols: &[Symbol], row: &Row) {
        if let Row::Staking(row) = row
            && let StakingKind::Paid { requested } = row.kind
        {
            self.waiting.insert((row.account, row.number), (requested, *row));
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn write(&mut self, _symbols: &[Symbol], database: &Connection) -> Result<(), Fault> {
        let mut put =
            database.prepare("INSERT OR REPLACE INTO staking_redemptions VALUES (?, ?, ?, ?, ?, ?, ?)")?;
        for ((account, number), (requested, row)) in &self.waiting {
            put.execute(params![
                account.0,
                number.cast_signed(),
                row.provider,
                row.currency.0,
                money(row.amount),
                requested.millis().cast_signed(),
                row.time.millis().cast_signed(),
            ])?;
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
