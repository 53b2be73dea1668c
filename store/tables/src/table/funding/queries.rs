//! Queries of funding: the payments of an account, and the amounts of a perpetual, newest first.

use crate::{Database, Fault};
use buttonwood_model::{AccountId, Time};

/// The hours that a query wants: both ends are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    /// The first, in milliseconds.
    pub from: u64,
    /// The last, in milliseconds.
    pub to: u64,
    /// How many rows at most: the newest.
    pub rows: usize,
}

/// The payment of an account for an hour, or to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// The hour's end.
    pub time: Time,
    /// The name of the perpetual.
    pub symbol: String,
    /// Whether the account received it.
    pub is_credit: bool,
    /// How much, as a decimal without a sign.
    pub amount: String,
}

/// The amount of an hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The hour's end.
    pub time: Time,
    /// For one unit of base, as a decimal; negative if shorts paid.
    pub amount: String,
}

impl Hours {
    fn numbers(self) -> [i64; 3] {
        let rows = u64::try_from(self.rows).unwrap_or(u64::MAX);
        [self.from, self.to, rows].map(|number| i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl Database {
    /// The payments of an account, newest first; those of one hour by symbol.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn funding_payments(&self, account: AccountId, hours: Hours) -> Result<Vec<Payment>, Fault> {
        let [from, to, rows] = hours.numbers();
        let mut read = self.connection.prepare(
            "SELECT time, symbol, amount FROM funding_payments WHERE account = ? AND time BETWEEN ? AND ?
             ORDER BY time DESC, symbol LIMIT ?",
        )?;
        let payment = |row: &rusqlite::Row<'_>| {
            let paid: String = row.get(2)?;
            let received = paid.strip_prefix('-');
            Ok(Payment {
                time: time(row.get(0)?),
                symbol: row.get(1)?,
                is_credit: received.is_some(),
                amount: received.unwrap_or(&paid).to_owned(),
            })
        };
        let found = read.query_map((i64::from(account.0), from, to, rows), payment)?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// The amounts of a perpetual by its name, newest first.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn funding_amounts(&self, symbol: &str, hours: Hours) -> Result<Vec<Amount>, Fault> {
        let [from, to, rows] = hours.numbers();
        let mut read = self.connection.prepare(
            "SELECT time, amount FROM funding_amounts WHERE symbol = ? AND time BETWEEN ? AND ?
             ORDER BY time DESC LIMIT ?",
        )?;
        let amount = |row: &rusqlite::Row<'_>| Ok(Amount { time: time(row.get(0)?), amount: row.get(1)? });
        let found = read.query_map((symbol, from, to, rows), amount)?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

fn time(millis: i64) -> Time {
    Time(millis.cast_unsigned().saturating_mul(1_000))
}
