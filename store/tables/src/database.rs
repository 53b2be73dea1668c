//! The database: opening, one transaction for each step of the journal, comparison.

use crate::Fault;
use crate::table::{self, Table, VERSION};
use buttonwood_model::Symbol;
use buttonwood_views::history::{KINDS, Lengths, Row};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params_from_iter};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the file.
const FILE: &str = "tables.db";
/// Files that SQLite keeps next to it.
const BESIDE: [&str; 3] = ["tables.db-wal", "tables.db-shm", "tables.db-journal"];
/// How long a call waits for another program that has locked the database.
const PATIENCE: Duration = Duration::from_millis(500);
/// Rows that wait in memory at most; a step with more writes them before it is complete.
const WAITING_MAX: usize = 20_000;

/// How far a database has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The last command whose rows are folded.
    pub seq: u64,
    /// The length of the history's files at that command.
    pub lengths: Lengths,
    /// How many trades were void at that command. Their rows are not folded; when there are more, the database is built anew.
    pub void: u64,
}

/// The result of an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// A database, which goes on where it is.
    Continued,
    /// None.
    New,
    /// One of another version of this program, or of another directory; it was removed.
    Foreign,
    /// A damaged one; it was removed.
    Damaged,
}

/// The rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The table.
    pub table: &'static str,
    /// How many rows it has.
    pub rows: u64,
}

/// An open database.
pub struct Database {
    pub(crate) connection: Connection,
    path: PathBuf,
    tables: Vec<Box<dyn Table>>,
    reached: Reached,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Database({}, {:?})", self.path.display(), self.reached)
    }
}

impl Database {
    /// Opens the database in the history's folder for writing, or makes an empty one. `origin` names the journal and the
    /// format of the history's files; a database of another origin is removed, and so is a damaged one.
    ///
    /// # Errors
    /// [`Fault`] if another program holds it, or on an error of the disk.
    pub fn open(history: &Path, origin: &str) -> Result<(Self, Opened), Fault> {
        let path = history.join(FILE);
        let found = if fs::exists(&path)? {
            match Self::go_on(&path, origin) {
                Ok(Some(database)) => return Ok((database, Opened::Continued)),
                Ok(None) => Opened::Foreign,
                Err(fault) if fault.is_damage() => Opened::Damaged,
                Err(fault) => return Err(fault),
            }
        } else {
            Opened::New
        };
        Self::anew(history, origin).map(|database| (database, found))
    }

    /// Makes an empty database in the history's folder, in place of one that is there.
    ///
    /// # Errors
    /// [`Fault`] on an error of the disk.
    pub fn anew(history: &Path, origin: &str) -> Result<Self, Fault> {
        Self::remove(history)?;
        Self::make(&history.join(FILE), origin)
    }

    /// Opens the database in the history's folder for reading, as of now; `None` if there is none of this version and
    /// origin.
    ///
    /// # Errors
    /// [`Fault`] if another program holds it, if it is damaged, or on an error of the disk.
    pub fn read(history: &Path, origin: &str) -> Result<Option<Self>, Fault> {
        let path = history.join(FILE);
        if !fs::exists(&path)? {
            return Ok(None);
        }
        let connection = Self::connect_to_read(history, &path)?;
        connection.busy_timeout(PATIENCE)?;
        // Everything that is read belongs to one commit.
        connection.execute_batch("BEGIN")?;
        Self::known(connection, path, origin)
    }

    /// Copies the database of the history's folder into another folder, as of one commit; `false` if there is none of this
    /// version and origin. An exchange may be running on it, and is not held up.
    ///
    /// # Errors
    /// As [`Database::read`]; on an error of the other disk. An unfinished file may be left there.
    pub fn copy(history: &Path, origin: &str, to: &Path) -> Result<bool, Fault> {
        let path = history.join(FILE);
        if !fs::exists(&path)? {
            return Ok(false);
        }
        let connection = Self::connect_to_read(history, &path)?;
        connection.busy_timeout(PATIENCE)?;
        let Some(own) = Self::known(connection, path, origin)? else { return Ok(false) };
        let copied = to.join(FILE);
        // Only the owner may read it. SQLite takes an empty file for none.
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&copied)?;
        own.connection.execute("VACUUM INTO ?", (copied.to_string_lossy(),))?;
        file.sync_all()?;
        Ok(true)
    }

    /// A database without rows that vanishes when it is dropped, to compare another one with.
    ///
    /// # Errors
    /// [`Fault`] on an error of the disk.
    pub fn temporary() -> Result<Self, Fault> {
        Self::filled(Connection::open("")?, PathBuf::new(), "")
    }

    /// Removes the database of a folder, if there is one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(history: &Path) -> io::Result<()> {
        for name in BESIDE.into_iter().chain([FILE]) {
            match fs::remove_file(history.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Without a log of commits no exchange is running, and the file alone is read: SQLite then makes no file next to it.
    fn connect_to_read(history: &Path, path: &Path) -> Result<Connection, Fault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let log = BESIDE.map(|name| history.join(name));
        if log.iter().any(|path| path.exists()) {
            return Ok(Connection::open_with_flags(path, flags)?);
        }
        let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let uri = format!("file:{escaped}?immutable=1");
        Ok(Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?)
    }

    fn make(path: &Path, origin: &str) -> Result<Self, Fault> {
        // Only the owner may read it; the files next to it take over its mode.
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
        Self::filled(Self::connect(path)?, path.to_owned(), origin)
    }

    fn connect(path: &Path) -> Result<Connection, Fault> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(connection)
    }

    /// An existing database, checked; `None` if it is of another version or origin.
    fn go_on(path: &Path, origin: &str) -> Result<Option<Self>, Fault> {
        let connection = Self::connect(path)?;
        let verdict: String = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
        if verdict != "ok" {
            return Err(Fault::Row { table: FILE });
        }
        Self::known(connection, path.to_owned(), origin)
    }

    /// An opened database, if it is of this version and origin.
    fn known(connection: Connection, path: PathBuf, origin: &str) -> Result<Option<Self>, Fault> {
        let version: i64 = connection.query_row("PRAGMA user_version", (), |row| row.get(0))?;
        if version != VERSION {
            return Ok(None);
        }
        let reached = connection
            .query_row("SELECT * FROM progress WHERE origin = ?", (origin,), |row| {
                let number = |column: &str| row.get::<_, i64>(column).map(i64::cast_unsigned);
                let lengths = KINDS.try_map(number)?;
                Ok(Reached { seq: number("seq")?, lengths, void: number("void")? })
            })
            .optional()?;
        Ok(reached.map(|reached| Self { connection, path, tables: table::all(), reached }))
    }

    /// Creates the tables.
    fn filled(connection: Connection, path: PathBuf, origin: &str) -> Result<Self, Fault> {
        let tables = table::all();
        let reached = Reached { seq: 0, lengths: Lengths::empty(), void: 0 };
        let columns: Vec<String> =
            numbers(reached).map(|(column, _)| format!("{column} INTEGER NOT NULL")).collect();
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             CREATE TABLE progress (origin TEXT NOT NULL, {}) STRICT",
            columns.join(", ")
        ))?;
        for table in &tables {
            connection.execute_batch(table.schema())?;
        }
        let zeros = vec!["0"; columns.len()].join(", ");
        connection.execute(&format!("INSERT INTO progress VALUES (?, {zeros})"), (origin,))?;
        note(&connection, reached)?;
        connection.pragma_update(None, "user_version", VERSION)?;
        connection.execute_batch("COMMIT")?;
        Ok(Self { connection, path, tables, reached })
    }

    /// How far it has come.
    pub fn reached(&self) -> Reached {
        self.reached
    }

    /// Whether its file is still where it was opened.
    pub fn is_in_place(&self) -> bool {
        self.path.exists()
    }

    /// Folds the rows up to `reached` and commits, all or nothing. `symbols` are at least those of the rows.
    ///
    /// # Errors
    /// The error of a row, or a [`Fault`]; the database is then as before.
    pub fn update<E: From<Fault>>(
        &mut self,
        symbols: &[Symbol],
        rows: impl IntoIterator<Item = Result<Row, E>>,
        reached: Reached,
    ) -> Result<(), E> {
        let updated = self.try_update(symbols, rows, reached);
        if updated.is_err() {
            self.tables.iter_mut().for_each(|table| table.forget());
            if !self.connection.is_autocommit() {
                // A failed rollback leaves the transaction to the end of the connection.
                let _ = self.connection.execute_batch("ROLLBACK");
            }
        }
        updated
    }

    fn try_update<E: From<Fault>>(
        &mut self,
        symbols: &[Symbol],
        rows: impl IntoIterator<Item = Result<Row, E>>,
        reached: Reached,
    ) -> Result<(), E> {
        let run = |connection: &Connection, sql| connection.execute_batch(sql).map_err(Fault::from);
        run(&self.connection, "BEGIN IMMEDIATE")?;
        for row in rows {
            self.fold(symbols, &row?)?;
        }
        self.tables.iter_mut().try_for_each(|table| table.write(symbols, &self.connection))?;
        note(&self.connection, reached)?;
        run(&self.connection, "COMMIT")?;
        self.reached = reached;
        Ok(())
    }

    fn fold(&mut self, symbols: &[Symbol], row: &Row) -> Result<(), Fault> {
        for table in &mut self.tables {
            table.fold(symbols, row);
            if table.waiting() >= WAITING_MAX {
                table.write(symbols, &self.connection)?;
            }
        }
        Ok(())
    }

    /// The rows of every table.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn sizes(&self) -> Result<Vec<Size>, Fault> {
        let size = |table: &dyn Table| {
            let sql = format!("SELECT count(*) FROM {}", table.name());
            let rows: i64 = self.connection.query_row(&sql, (), |row| row.get(0))?;
            Ok(Size { table: table.name(), rows: rows.cast_unsigned() })
        };
        self.tables.iter().map(|table| size(&**table)).collect()
    }

    /// Its bytes on the disk, without those of commits that are not moved into its file yet.
    ///
    /// # Errors
    /// [`Fault`] of the database.
    pub fn bytes(&self) -> Result<u64, Fault> {
        let number = |sql| self.connection.query_row(sql, (), |row| row.get::<_, i64>(0));
        Ok((number("PRAGMA page_count")? * number("PRAGMA page_size")?).cast_unsigned())
    }

    /// The first table that is not the same in both; `None` if all are.
    ///
    /// # Errors
    /// [`Fault`] of one of them.
    pub fn difference(&self, other: &Self) -> Result<Option<&'static str>, Fault> {
        for table in &self.tables {
            let columns = self.connection.prepare(&format!("SELECT * FROM {}", table.name()))?.column_count();
            // No key has more than four columns, and they are the first.
            let key: Vec<String> = (1..=columns.min(4)).map(|column| column.to_string()).collect();
            let sql = format!("SELECT * FROM {} ORDER BY {}", table.name(), key.join(", "));
            let (mut own, mut others) = (self.connection.prepare(&sql)?, other.connection.prepare(&sql)?);
            let (mut own, mut others) = (own.query(())?, others.query(())?);
            loop {
                let pair = [values(own.next()?, columns)?, values(others.next()?, columns)?];
                match pair {
                    [None, None] => break,
                    [own, other] if own != other => return Ok(Some(table.name())),
                    _ => {}
                }
            }
        }
        Ok(None)
    }
}

/// How far a database has come, as columns with their numbers.
fn numbers(reached: Reached) -> impl Iterator<Item = (&'static str, u64)> {
    [("seq", reached.seq), ("void", reached.void)].into_iter().chain(KINDS.zip(reached.lengths))
}

/// Notes how far the database has come.
fn note(connection: &Connection, reached: Reached) -> Result<(), Fault> {
    let columns: Vec<String> = numbers(reached).map(|(column, _)| format!("{column} = ?")).collect();
    let numbers = numbers(reached).map(|(_, number)| number.cast_signed());
    connection.execute(&format!("UPDATE progress SET {}", columns.join(", ")), params_from_iter(numbers))?;
    Ok(())
}

fn values(row: Option<&rusqlite::Row<'_>>, columns: usize) -> Result<Option<Vec<Value>>, rusqlite::Error> {
    // Text of a damaged file may be no UTF-8, which the library's own conversion does not survive.
    let value = |value: ValueRef<'_>| match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    };
    row.map(|row| (0..columns).map(|column| row.get_ref(column).map(value)).collect()).transpose()
}

#[cfg(test)]
mod tests;
