//! Faults of the database.

use rusqlite::ErrorCode;

/// A fault of the database, reported to the operator. No fault loses anything: the rows are in the history's files.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// SQLite refused.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A file of the database cannot be made or removed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A row does not have the form that this build writes.
    #[error("a row of table {table} cannot be read")]
    Row {
        /// The table.
        table: &'static str,
    },
}

impl Fault {
    /// Whether the database has to be built again: it is damaged, or is no database.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Sqlite(error) => {
                matches!(
                    error.sqlite_error_code(),
                    Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::SchemaChanged)
                )
            }
            Self::Row { .. } => true,
            Self::Io(_) => false,
        }
    }
}
