//! The history's database `tables.db`: tables folded from the rows of the history's files, in SQLite.
//!
//! A table is a fold of past rows: deterministic, and complete up to the command that every commit names. So the database
//! can be deleted at any time, and is built again. A new table is a file in `table` and a line of the list there, and
//! its queries are next to it; CONTRIBUTING shows the steps.
//!
//! Not here: closed orders and trades themselves, which are too many for a database (DESIGN Q-169), and when to fold and to
//! commit (`run/sequencer`).

mod database;
mod decimal;
mod fault;
mod table;

pub use buttonwood_views::history::Row;
pub use database::{Database, Opened, Reached, Size};
pub use fault::Fault;
pub use table::*;
