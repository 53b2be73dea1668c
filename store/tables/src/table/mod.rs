//! The tables: each a fold of past rows. Rows are kept for ever.

mod candles;
mod clearing;
mod daily_volumes;
mod funding;
mod predictions;
mod staking;

use crate::Fault;
use buttonwood_model::Symbol;
use buttonwood_views::history::Row;
use rusqlite::Connection;

/// A table: how it is created, and how rows are folded into it.
pub(crate) trait Table: Send {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The statement that creates it.
    fn schema(&self) -> &'static str;

    /// Folds a row into memory. Rows come in the order of the journal.
    fn fold(&mut self, symbols: &[Symbol], row: &Row);

    /// How many rows of the table wait in memory to be written.
    fn waiting(&self) -> usize;

    /// Writes the rows that wait, merged with those of the same key that the table holds.
    ///
    /// # Errors
    /// [`Fault`] of the database; its caller rolls back and calls [`Table::forget`].
    fn write(&mut self, symbols: &[Symbol], database: &Connection) -> Result<(), Fault>;

    /// Drops the rows that wait.
    fn forget(&mut self);
}

/// The version of all tables together. It goes up with every change of a schema or a fold; a database of another version
/// is built again.
pub(crate) const VERSION: i64 = 9;

/// Lists the tables, by module. The types of a module's queries are re-exported with `=> queries`.
macro_rules! tables {
    ($($module:ident: $($table:ident),+ $(=> $queries:ident)?;)+) => {
        $($(pub use $module::$queries::*;)?)+

        /// Every table.
        pub(crate) fn all() -> Vec<Box<dyn Table>> {
            vec![$($(Box::<$module::$table>::default()),+),+]
        }
    };
}

tables! {
    candles: Candles;
    daily_volumes: DailyVolumes;
    funding: Amounts, Payments => queries;
    clearing: Orders => queries;
    staking: Transactions, Redemptions => queries;
    predictions: Orders, Settlements, Parts, Sales => queries;
}
