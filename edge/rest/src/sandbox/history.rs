//! `GET /sandbox/history`: the tables of the history's database.

use buttonwood_call::{App, Route, not_current};
use buttonwood_http::Reply;
use buttonwood_wire::{answer, json};

/// This machine only.
pub(crate) const ROUTE: Route = Route::control_recalling("/sandbox/history", |app| Box::pin(answer(app)))
    .about("Reads how large the tables of the history's database are; they have every command that was answered before.")
    .gives::<History>();

answer! {
    /// The history's database.
    struct History {
        /// The sequence of the last command whose rows are in the tables.
        seq: u64,
        /// Its bytes on the disk.
        bytes: u64,
        /// Its tables, which are kept for ever.
        tables: Vec<TableSize>,
    }
}

answer! {
    /// A table of the history's database.
    struct TableSize {
        /// The table.
        table: String,
        /// How many rows it has.
        rows: u64,
    }
}

async fn answer(app: &App) -> Result<Reply, buttonwood_gate::Refusal> {
    let read = app
        .exchange
        .query_tables(|tables| Ok((tables.reached().seq, tables.bytes()?, tables.sizes()?)))
        .await;
    let (seq, bytes, sizes) = read.map_err(|fault| not_current(&fault))?;
    let tables =
        sizes.into_iter().map(|size| TableSize { table: size.table.to_owned(), rows: size.rows }).collect();
    Ok(Reply::json(json::body(&History { seq, bytes, tables })))
}
