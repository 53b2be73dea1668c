//! Queries of staking: the transactions of an account, the periods of its interest, and its paid redemptions.

use crate::{Database, Fault};
use buttonwood_model::{AccountId, CurrencyId};
use buttonwood_num::{Decimal, Money};
use rusqlite::{OptionalExtension, ToSql, params};

/// A provider and a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The provider's id, a version 4 UUID.
    pub provider: [u8; 16],
    /// The currency.
    pub currency: CurrencyId,
}

/// The times of a query, both ends included, in milliseconds; before 1970 they are negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Between {
    /// The first.
    pub from: i64,
    /// The last.
    pub until: i64,
}

/// The transactions that a query wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StakingPage {
    /// Their times.
    pub between: Between,
    /// Those of these pairs; `None` for all, which is cheaper than a list of all.
    pub pairs: Option<Vec<Pair>>,
    /// Whether interest alone; `pairs` must then be a list.
    pub interest_only: bool,
    /// The oldest first, instead of the newest.
    pub is_ascending: bool,
    /// How many at most.
    pub rows: usize,
    /// How many at most where one millisecond alone has more than `rows`.
    pub most: usize,
}

/// The kind of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionKind {
    /// A stake.
    Deposit,
    /// A request to redeem.
    Redeem,
    /// Interest.
    Interest,
}

/// A transaction of staking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StakingTransaction {
    /// Its number.
    pub number: u64,
    /// Its time in milliseconds.
    pub millis: u64,
    /// Its pair.
    pub pair: Pair,
    /// Its kind.
    pub kind: TransactionKind,
    /// Its amount, as a decimal.
    pub amount: String,
    /// Of interest, the dollar price of one coin at the accrual, as a decimal.
    pub price: Option<String>,
}

/// A run of consecutive accruals of a pair at one rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatePeriod {
    /// Its pair.
    pub pair: Pair,
    /// The rate of a year, in millionths of a basis point.
    pub rate: u64,
    /// How many accruals.
    pub accruals: u64,
    /// Their sum.
    pub total: Money,
    /// The time of the first one, in milliseconds.
    pub first: u64,
    /// The time of the last one, in milliseconds.
    pub last: u64,
}

/// A redemption that is paid whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidRedemption {
    /// The number of its transaction.
    pub number: u64,
    /// Its pair.
    pub pair: Pair,
    /// Its amount, as a decimal.
    pub amount: String,
    /// When it was requested, in milliseconds.
    pub requested: u64,
    /// When its last part was paid, in milliseconds.
    pub paid: u64,
}

impl Database {
    /// A page of the transactions of an account, sorted as the page wants them. It does not end inside a millisecond (D-14), unless one
    /// alone has more than [`StakingPage::most`].
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn staking_transactions(
        &self,
        account: AccountId,
        page: &StakingPage,
    ) -> Result<Vec<StakingTransaction>, Fault> {
        let mut rows = self.transactions(account, page, page.rows.saturating_add(1))?;
        let Some(next) = rows.get(page.rows).map(|row| row.millis) else { return Ok(rows) };
        rows.retain(|row| row.millis != next);
        if rows.is_empty() {
            let instant = next.cast_signed();
            let page = StakingPage { between: Between { from: instant, until: instant }, ..page.clone() };
            rows = self.transactions(account, &page, page.most)?;
        }
        Ok(rows)
    }

    /// The first transactions of a page, which may end anywhere. Of each pair no more are read than are wanted.
    fn transactions(
        &self,
        account: AccountId,
        page: &StakingPage,
        rows: usize,
    ) -> Result<Vec<StakingTransaction>, Fault> {
        let rows = u64::try_from(rows).unwrap_or(u64::MAX).min(i64::MAX.cast_unsigned()).cast_signed();
        let order = if page.is_ascending { "ASC" } else { "DESC" };
        let kinds = if page.interest_only { "AND kind = 2" } else { "" };
        let Some(pairs) = &page.pairs else {
            let sql = select(order, kinds);
            let mut read = self.connection.prepare_cached(&sql)?;
            let found =
                read.query_map((account.0, page.between.from, page.between.until, rows), transaction)?;
            return Ok(found.collect::<Result<_, _>>()?);
        };
        let sql = select(order, &format!("AND provider = ? AND currency = ? {kinds}"));
        let mut read = self.connection.prepare_cached(&sql)?;
        let mut all = Vec::new();
        for pair in pairs {
            let Between { from, until } = page.between;
            let values: [&dyn ToSql; 6] =
                [&account.0, &from, &until, &pair.provider, &pair.currency.0, &rows];
            let found = read.query_map(values, transaction)?;
            all.extend(found.collect::<Result<Vec<_>, _>>()?);
        }
        all.sort_unstable_by_key(|row| (row.millis, row.number));
        if !page.is_ascending {
            all.reverse();
        }
        all.truncate(usize::try_from(rows).unwrap_or(usize::MAX));
        Ok(all)
    }

    /// The rate periods of an account's interest within times, by pair and time.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn staking_periods(
        &self,
        account: AccountId,
        between: Between,
        pairs: &[Pair],
    ) -> Result<Vec<RatePeriod>, Fault> {
        let mut read = self.connection.prepare_cached(
            "SELECT time, amount, rate FROM staking_transactions
             WHERE account = ? AND provider = ? AND currency = ? AND kind = 2 AND time BETWEEN ? AND ?
             ORDER BY time, number",
        )?;
        let mut periods: Vec<RatePeriod> = Vec::new();
        for pair in pairs {
            let values = params![account.0, pair.provider, pair.currency.0, between.from, between.until];
            let mut found = read.query(values)?;
            while let Some(row) = found.next()? {
                let time = row.get::<_, i64>(0)?.cast_unsigned();
                let amount = money(&row.get::<_, String>(1)?)?;
                let rate = row.get::<_, i64>(2)?.cast_unsigned();
                match periods.last_mut().filter(|run| (run.pair, run.rate) == (*pair, rate)) {
                    Some(run) => {
                        run.accruals += 1;
                        run.total += amount;
                        run.last = time;
                    }
                    None => periods.push(RatePeriod {
                        pair: *pair,
                        rate,
                        accruals: 1,
                        total: amount,
                        first: time,
                        last: time,
                    }),
                }
            }
        }
        Ok(periods)
    }

    /// The paid redemptions of an account, the one that was requested last first.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn paid_redemptions(&self, account: AccountId, rows: usize) -> Result<Vec<PaidRedemption>, Fault> {
        let rows = i64::try_from(rows).unwrap_or(i64::MAX);
        let mut read = self.connection.prepare_cached(
            "SELECT number, provider, currency, amount, requested, paid FROM staking_redemptions
             WHERE account = ? ORDER BY number DESC LIMIT ?",
        )?;
        let found = read.query_map((account.0, rows), redemption)?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// A paid redemption of an account by the number of its transaction.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn paid_redemption(&self, account: AccountId, number: u64) -> Result<Option<PaidRedemption>, Fault> {
        let mut read = self.connection.prepare_cached(
            "SELECT number, provider, currency, amount, requested, paid FROM staking_redemptions
             WHERE account = ? AND number = ?",
        )?;
        Ok(read.query_row((account.0, number.cast_signed()), redemption).optional()?)
    }
}

/// The query of transactions with further conditions.
fn select(order: &str, conditions: &str) -> String {
    format!(
        "SELECT number, time, provider, currency, kind, amount, price FROM staking_transactions
         WHERE account = ? AND time BETWEEN ? AND ? {conditions}
         ORDER BY time {order}, number {order} LIMIT ?"
    )
}

fn transaction(row: &rusqlite::Row<'_>) -> Result<StakingTransaction, rusqlite::Error> {
    let kind = match row.get::<_, i64>(4)? {
        0 => TransactionKind::Deposit,
        1 => TransactionKind::Redeem,
        _ => TransactionKind::Interest,
    };
    Ok(StakingTransaction {
        number: row.get::<_, i64>(0)?.cast_unsigned(),
        millis: row.get::<_, i64>(1)?.cast_unsigned(),
        pair: Pair { provider: row.get(2)?, currency: CurrencyId(row.get(3)?) },
        kind,
        amount: row.get(5)?,
        price: row.get(6)?,
    })
}

fn redemption(row: &rusqlite::Row<'_>) -> Result<PaidRedemption, rusqlite::Error> {
    Ok(PaidRedemption {
        number: row.get::<_, i64>(0)?.cast_unsigned(),
        pair: Pair { provider: row.get(1)?, currency: CurrencyId(row.get(2)?) },
        amount: row.get(3)?,
        requested: row.get::<_, i64>(4)?.cast_unsigned(),
        paid: row.get::<_, i64>(5)?.cast_unsigned(),
    })
}

fn money(text: &str) -> Result<Money, Fault> {
    let amount = Decimal::parse(text.as_bytes()).ok().and_then(Money::from_decimal);
    amount.ok_or(Fault::Row { table: "staking_transactions" })
}
