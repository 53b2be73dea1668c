//! Queries of prediction markets: closed orders of contracts, positions that ended, and traded quantities.

use super::number;
use crate::{Database, Fault};
use buttonwood_model::{AccountId, Claim, OrderId, SymbolId};
use buttonwood_num::{Money, Qty};
use buttonwood_views::history::{ClosedContractOrder, PredictionRow, SettledPosition, SoldClaims};
use rusqlite::{OptionalExtension, ToSql, params};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroU64;

/// The closed orders of contracts that a query wants. Every condition is one more; without any, all of the account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractOrdersPage {
    /// Filled orders, or cancelled ones.
    pub filled: Option<bool>,
    /// Those of one contract.
    pub contract: Option<SymbolId>,
    /// Closed at this millisecond or later.
    pub from: Option<u64>,
    /// Closed before this millisecond.
    pub to: Option<u64>,
    /// How many of the newest are left out.
    pub offset: u64,
    /// How many at most.
    pub rows: usize,
}

/// The positions that a query wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettledPage {
    /// Those in these contracts; `None` for all.
    pub contracts: Option<Vec<SymbolId>>,
    /// Sorted by payout, and then by time; otherwise by time alone.
    pub by_payout: bool,
    /// The smallest or the oldest first, instead of the largest or the newest.
    pub ascending: bool,
    /// How many of the first are left out.
    pub offset: u64,
    /// How many at most.
    pub rows: usize,
}

/// Sales of an account's claims on an outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractSales {
    /// The newest of them first.
    pub newest: Vec<SoldClaims>,
    /// The proceeds of all of them, without fees.
    pub proceeds: Money,
    /// The cost of all of them, without fees.
    pub cost: Money,
}

impl Database {
    /// The closed orders of contracts of an account, the one that closed last first.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn contract_orders(
        &self,
        account: AccountId,
        page: &ContractOrdersPage,
    ) -> Result<Vec<ClosedContractOrder>, Fault> {
        let of_contract = if page.contract.is_some() { "AND contract = ?7" } else { "AND ?7 IS NULL" };
        let sql = format!(
            "SELECT row FROM contract_orders
             WHERE account = ?1 AND (?2 IS NULL OR is_filled = ?2) AND closed >= ?3 AND closed < ?4 {of_contract}
             ORDER BY closed DESC, order_id DESC LIMIT ?5 OFFSET ?6"
        );
        let mut find = self.connection.prepare_cached(&sql)?;
        let micros = |millis: u64| integer(millis.saturating_mul(1_000));
        let values = params![
            account.0,
            page.filled,
            page.from.map_or(0, micros),
            page.to.map_or(i64::MAX, micros),
            count(page.rows),
            integer(page.offset),
            page.contract.map(number),
        ];
        let found = find.query_map(values, bytes)?;
        found.map(|row| order(&row?)).collect()
    }

    /// A closed order of a contract of an account, by its id.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn contract_order(
        &self,
        account: AccountId,
        id: OrderId,
    ) -> Result<Option<ClosedContractOrder>, Fault> {
        let mut find = self
            .connection
            .prepare_cached("SELECT row FROM contract_orders WHERE account = ? AND order_id = ?")?;
        let found = find.query_row((account.0, id.0.cast_signed()), bytes).optional()?;
        found.map(|row| order(&row)).transpose()
    }

    /// A page of the positions of an account that ended, and how many there are on all pages.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn contract_settlements(
        &self,
        account: AccountId,
        page: &SettledPage,
    ) -> Result<(Vec<SettledPosition>, u64), Fault> {
        let wanted = page.contracts.as_ref().map(|contracts| list(contracts));
        let within = match wanted {
            Some(_) => "AND contract IN (SELECT value FROM json_each(?2))",
            None => "AND ?2 IS NULL",
        };
        let sql = format!("SELECT count(*) FROM contract_settlements WHERE account = ?1 {within}");
        let mut find = self.connection.prepare_cached(&sql)?;
        let total: i64 = find.query_row(params![account.0, wanted], |row| row.get(0))?;
        let way = if page.ascending { "ASC" } else { "DESC" };
        let first = if page.by_payout { format!("payout {way},") } else { String::new() };
        let sql = format!(
            "SELECT row FROM contract_settlements WHERE account = ?1 {within}
             ORDER BY {first} settled {way}, contract {way}, outcome {way} LIMIT ?3 OFFSET ?4"
        );
        let mut find = self.connection.prepare_cached(&sql)?;
        let values: [&dyn ToSql; 4] = [&account.0, &wanted, &count(page.rows), &integer(page.offset)];
        let found = find.query_map(values, bytes)?;
        let rows = found.map(|row| position(&row?)).collect::<Result<_, Fault>>()?;
        Ok((rows, total.cast_unsigned()))
    }

    /// The sales of an account's claims on an outcome that count: the newest, so many at most, and the sums of all. `left` is how many sales the
    /// caller may still read; `None` if there are more.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn contract_sales(
        &self,
        (account, contract, claim): (AccountId, SymbolId, Claim),
        most: usize,
        left: &mut usize,
        counts: impl Fn(&SoldClaims) -> bool,
    ) -> Result<Option<ContractSales>, Fault> {
        let mut find = self.connection.prepare_cached(
            "SELECT row FROM contract_sales WHERE account = ? AND contract = ? AND outcome = ?
             ORDER BY sold DESC, trade DESC",
        )?;
        let mut all = ContractSales::default();
        let mut found = find.query((account.0, number(contract), claim.name()))?;
        while let Some(row) = found.next()? {
            let Some(rest) = left.checked_sub(1) else { return Ok(None) };
            *left = rest;
            let sold = sale(&row.get::<_, Vec<u8>>(0)?)?;
            if !counts(&sold) {
                continue;
            }
            all.proceeds = all.proceeds.capped_add(sold.proceeds);
            all.cost = all.cost.capped_add(sold.cost);
            if all.newest.len() < most {
                all.newest.push(sold);
            }
        }
        Ok(Some(all))
    }

    /// Traded quantities from a millisecond on, before another one: of each contract, in the order given, the quantity of all takers, and of
    /// an account as taker and as maker.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn contract_volume(
        &self,
        contracts: &[SymbolId],
        account: AccountId,
        from_ms: u64,
        to_ms: u64,
    ) -> Result<Vec<(SymbolId, [Qty; 3])>, Fault> {
        let mut find = self.connection.prepare_cached(
            "SELECT account, is_taker, qty FROM contract_parts WHERE contract = ? AND millis >= ? AND millis < ?",
        )?;
        let mut all = Vec::new();
        for contract in contracts {
            let mut sums = [Qty::ZERO; 3];
            let mut found = find.query((number(*contract), integer(from_ms), integer(to_ms)))?;
            while let Some(row) = found.next()? {
                let (is_own, is_taker) = (row.get::<_, u32>(0)? == account.0, row.get::<_, bool>(1)?);
                let qty = Qty::from_hundredths(u128::from_be_bytes(row.get(2)?));
                let counts = [is_taker, is_own && is_taker, is_own && !is_taker];
                for (sum, counts) in sums.iter_mut().zip(counts) {
                    *sum += if counts { qty } else { Qty::ZERO };
                }
            }
            all.push((*contract, sums));
        }
        Ok(all)
    }

    /// The quantities that takers traded from a millisecond on, before another one, by period and contract; only contracts with trades. A
    /// period lasts so many milliseconds, which are not zero, and is named by its first.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn taken_volumes(
        &self,
        from_ms: u64,
        to_ms: u64,
        period_ms: NonZeroU64,
    ) -> Result<Vec<(u64, SymbolId, Qty)>, Fault> {
        let mut find = self.connection.prepare_cached(
            "SELECT contract, qty, millis FROM contract_parts WHERE is_taker = 1 AND millis >= ? AND millis < ?",
        )?;
        let mut found = find.query((integer(from_ms), integer(to_ms)))?;
        let mut sums: BTreeMap<(u64, u32), Qty> = BTreeMap::new();
        while let Some(row) = found.next()? {
            let qty = Qty::from_hundredths(u128::from_be_bytes(row.get(1)?));
            let millis = row.get::<_, i64>(2)?.cast_unsigned();
            *sums.entry((millis - millis % period_ms, row.get(0)?)).or_default() += qty;
        }
        let row = |((start, contract), qty)| (start, SymbolId::contract(contract), qty);
        Ok(sums.into_iter().map(row).collect())
    }
}

/// The numbers of contracts, as a JSON list.
fn list(contracts: &[SymbolId]) -> String {
    let mut out = String::from("[");
    for (place, contract) in contracts.iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        // A text takes any number of bytes.
        let _ = write!(out, "{comma}{}", number(*contract));
    }
    out.push(']');
    out
}

fn bytes(row: &rusqlite::Row<'_>) -> Result<Vec<u8>, rusqlite::Error> {
    row.get(0)
}

fn sale(bytes: &[u8]) -> Result<SoldClaims, Fault> {
    match PredictionRow::from_bytes(bytes) {
        Some(PredictionRow::Sold(sold)) => Ok(sold),
        Some(PredictionRow::Order(_) | PredictionRow::Settled(_)) | None => {
            Err(Fault::Row { table: "contract_sales" })
        }
    }
}

fn order(bytes: &[u8]) -> Result<ClosedContractOrder, Fault> {
    match PredictionRow::from_bytes(bytes) {
        Some(PredictionRow::Order(order)) => Ok(order),
        Some(PredictionRow::Settled(_) | PredictionRow::Sold(_)) | None => {
            Err(Fault::Row { table: "contract_orders" })
        }
    }
}

fn position(bytes: &[u8]) -> Result<SettledPosition, Fault> {
    match PredictionRow::from_bytes(bytes) {
        Some(PredictionRow::Settled(settled)) => Ok(settled),
        Some(PredictionRow::Order(_) | PredictionRow::Sold(_)) | None => {
            Err(Fault::Row { table: "contract_settlements" })
        }
    }
}

fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
