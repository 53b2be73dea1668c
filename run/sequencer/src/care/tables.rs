//! Follows the history's files into its database, on a thread of its own.
//!
//! The thread reads the rows after those that the database has: the newest from memory, older ones from the files. So no
//! queue can overflow, and neither the writer nor the journal's thread ever waits for the database. A locked, full or failing
//! one is tried again every second; a missing, damaged or foreign one is built again.

use crate::exchange::Exchange;
use crate::recovery::HISTORY_DIR;
use crate::shared::Shared;
use buttonwood_disk::Folder;
use buttonwood_engine::{BreakKind, Breaks};
use buttonwood_journal::JournalId;
use buttonwood_model::Symbol;
use buttonwood_tables::{Database, Opened, Reached, Row};
use buttonwood_views::Views;
use buttonwood_views::history::{self, Lengths, Scan};
use parking_lot::{Condvar, Mutex};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Time between two commits, and before a failed one is tried again.
const PERIOD: Duration = Duration::from_secs(1);
/// How long a query waits for the database to become current.
const PATIENCE: Duration = Duration::from_secs(2);
/// A step that takes longer reports its progress, this often.
const REPORT_EVERY: Duration = Duration::from_secs(2);
/// Rows between two looks at the clock.
const ROWS_BETWEEN: u64 = 4_096;

/// How far the database has come, and who waits for it.
#[derive(Debug, Default)]
pub(crate) struct TablesMark {
    /// Where the database lies, once its thread has started.
    place: OnceLock<Place>,
    state: Mutex<MarkState>,
    /// Wakes the thread.
    wanted: Condvar,
    /// Wakes the queries.
    moved: Condvar,
}

#[derive(Debug, Default)]
struct MarkState {
    /// How far the database has come.
    reached: Option<Reached>,
    /// Why the database lags.
    trouble: Option<String>,
    /// Whether a query has found that it must be built again.
    is_damaged: bool,
    is_wanted: bool,
    is_stopping: bool,
}

/// The folder of a database, and what it must be made from.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) history: PathBuf,
    pub(crate) origin: String,
}

impl Place {
    pub(crate) fn of(dir: &Folder, journal: JournalId) -> Self {
        let history = dir.folder(HISTORY_DIR).path().to_owned();
        Self { history, origin: format!("{journal} {}", history::formats()) }
    }
}

/// Why the database cannot answer a query, or cannot follow the history.
#[derive(Debug, thiserror::Error)]
pub enum TablesFault {
    /// It lags.
    #[error("it is not current: {0}")]
    Late(String),
    /// It cannot be read.
    #[error(transparent)]
    Database(#[from] buttonwood_tables::Fault),
    /// The history's files cannot be read.
    #[error(transparent)]
    History(#[from] history::Fault),
}

impl TablesMark {
    /// Why the database lags; `None` if it does not.
    fn trouble(&self) -> Option<String> {
        self.state.lock().trouble.clone()
    }

    /// The last command whose rows the database has.
    pub(crate) fn seq(&self) -> Option<u64> {
        self.state.lock().reached.map(|reached| reached.seq)
    }

    /// Ends the thread after one more step.
    pub(crate) fn stop(&self) {
        self.state.lock().is_stopping = true;
        self.wanted.notify_all();
    }

    /// Waits until the database has come as far as `goal`, for a bounded time.
    fn wait_for(&self, goal: Reached) -> Result<(), TablesFault> {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.state.lock();
        while !state.reached.is_some_and(|reached| has(reached, goal)) {
            state.is_wanted = true;
            self.wanted.notify_all();
            if self.moved.wait_until(&mut state, deadline).timed_out() {
                let why = state.trouble.clone().unwrap_or_else(|| "it is being built".to_owned());
                return Err(TablesFault::Late(why));
            }
        }
        Ok(())
    }

    /// Notes that a query cannot use a database that should be current: it is built again.
    fn rebuild(&self, why: &str) {
        let mut state = self.state.lock();
        if !state.is_damaged {
            tracing::error!("the history's database is built again, orders go on: {why}");
        }
        state.trouble = Some("it is damaged and is being built again".to_owned());
        state.reached = None;
        (state.is_damaged, state.is_wanted) = (true, true);
        self.wanted.notify_all();
    }

    fn is_damaged(&self) -> bool {
        self.state.lock().is_damaged
    }

    /// Notes the end of a step.
    fn note(&self, outcome: Result<Reached, String>) {
        let mut state = self.state.lock();
        match outcome {
            Ok(reached) => {
                if state.trouble.take().is_some() {
                    tracing::info!("the history's database is current again");
                }
                state.reached = Some(reached);
            }
            Err(trouble) => {
                if state.trouble.is_none() {
                    tracing::error!("the history's database lags, orders go on: {trouble}");
                }
                state.trouble = Some(trouble);
            }
        }
        self.moved.notify_all();
    }

    /// Waits for the next step; `false` when there is none.
    fn next(&self) -> bool {
        let mut state = self.state.lock();
        if !state.is_wanted && !state.is_stopping {
            self.wanted.wait_for(&mut state, PERIOD);
        }
        state.is_wanted = false;
        !state.is_stopping
    }
}

impl Exchange {
    /// Why the history's database lags; `None` if it does not.
    pub fn tables_trouble(&self) -> Option<String> {
        self.shared.tables.trouble()
    }

    /// Queries the history's database, which has every row that the views had when this was called.
    ///
    /// # Errors
    /// [`TablesFault::Late`] if the database does not become current in two seconds; any other if it cannot be read.
    ///
    /// # Panics
    /// Outside a runtime of tokio's.
    pub async fn query_tables<T, Q>(&self, question: Q) -> Result<T, TablesFault>
    where
        T: Send + 'static,
        Q: FnOnce(&Database) -> Result<T, buttonwood_tables::Fault> + Send + 'static,
    {
        let goal = reached(&self.shared);
        let shared = std::sync::Arc::clone(&self.shared);
        let asked = tokio::task::spawn_blocking(move || {
            shared.tables.wait_for(goal)?;
            let place =
                shared.tables.place.get().expect("the database is current, so its thread has started");
            let answer = match Database::read(&place.history, &place.origin) {
                Ok(Some(database)) => question(&database),
                Ok(None) => {
                    shared.tables.rebuild("its file is gone or another one");
                    return Err(TablesFault::Late("it is being built".to_owned()));
                }
                Err(fault) => Err(fault),
            };
            if let Err(fault) = &answer
                && fault.is_damage()
            {
                shared.tables.rebuild(&fault.to_string());
            }
            Ok(answer?)
        });
        match asked.await {
            Ok(answer) => answer,
            Err(failed) => match failed.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime is shutting down, so no caller reads the answer.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

/// Follows until it is stopped.
pub(crate) fn run(place: Place, shared: &Shared) {
    let mut follower = Follower {
        place: place.clone(),
        database: None,
        symbols: Vec::new(),
        breaks: Breaks::default(),
        is_building: false,
    };
    let _ = shared.tables.place.set(place);
    loop {
        let goes_on = shared.tables.next();
        shared.tables.note(follower.step(shared).map_err(|fault| fault.to_string()));
        if !goes_on {
            return;
        }
    }
}

struct Follower {
    place: Place,
    database: Option<Database>,
    /// The symbols listed so far.
    symbols: Vec<Symbol>,
    /// The trades broken so far.
    breaks: Breaks,
    /// Whether the log says that the database is being built.
    is_building: bool,
}

impl Follower {
    /// Folds the rows that the database lacks; returns the lengths of the files at the last one.
    fn step(&mut self, shared: &Shared) -> Result<Reached, TablesFault> {
        let attempts = shared.mend.attempts();
        let stepped = self.try_step(shared);
        if let Err(TablesFault::History(fault)) = &stepped {
            shared.mend.note(fault, attempts);
        }
        if stepped.is_err() {
            // The next step opens it again, and builds it again if it is damaged.
            self.database = None;
        }
        stepped
    }

    fn try_step(&mut self, shared: &Shared) -> Result<Reached, TablesFault> {
        let is_damaged = shared.tables.is_damaged();
        let mut database = match self.database.take().filter(Database::is_in_place) {
            _ if is_damaged => Database::anew(&self.place.history, &self.place.origin)?,
            Some(database) => database,
            None => self.open(shared)?,
        };
        if is_damaged {
            self.is_building = true;
            shared.tables.state.lock().is_damaged = false;
        }
        if reached(shared).void != database.reached().void {
            tracing::info!("the history's database is built again without the trades that are void now");
            database = Database::anew(&self.place.history, &self.place.origin)?;
        }
        let (scan, goal) = self.rows_after(shared, database.reached().lengths);
        if (goal.lengths, goal.void) != (database.reached().lengths, database.reached().void) {
            database.update(&self.symbols, Reported::new(scan, &self.breaks, &shared.tables), goal)?;
            if std::mem::take(&mut self.is_building) {
                tracing::info!(
                    "the history's database is built: everything up to command {} is in",
                    goal.seq
                );
            }
        }
        self.database = Some(database);
        Ok(goal)
    }

    /// Opens the database; one that does not fit is made anew.
    fn open(&mut self, shared: &Shared) -> Result<Database, TablesFault> {
        let Place { history, origin } = &self.place;
        let (database, found) = Database::open(history, origin)?;
        let goal = reached(shared);
        let size = bytes(goal.lengths);
        let why = match found {
            Opened::Continued if is_ahead(database.reached(), goal) => {
                "it has rows that the journal does not have"
            }
            Opened::New if goal.lengths != Lengths::empty() => {
                // As at the first start of every exchange that has traded before this thread runs.
                tracing::info!("the history's database is built from {size} bytes of rows: there is none");
                self.is_building = true;
                return Ok(database);
            }
            Opened::Foreign => "it is of another version or directory",
            Opened::Damaged => "it is damaged",
            Opened::Continued | Opened::New => return Ok(database),
        };
        tracing::warn!("the history's database is built from {size} bytes of rows: {why}");
        self.is_building = true;
        if found == Opened::Continued { Ok(Database::anew(history, origin)?) } else { Ok(database) }
    }

    /// The rows that the views have after these lengths, and how far they reach.
    fn rows_after(&mut self, shared: &Shared, from: Lengths) -> (Scan, Reached) {
        let views = shared.views.read();
        let symbols = views.state().symbols();
        if symbols.len() != self.symbols.len() {
            self.symbols = symbols.to_vec();
        }
        if views.state().floor().breaks.len() != self.breaks.len() {
            self.breaks = views.state().floor().breaks.clone();
        }
        (views.history().after(from), reached_by(&views))
    }
}

fn reached(shared: &Shared) -> Reached {
    reached_by(&shared.views.read())
}

/// How far a database is that has every row of the views.
fn reached_by(views: &Views) -> Reached {
    let state = views.state();
    let lengths = views.history().index().lengths();
    Reached { seq: state.stamp().seq.0, lengths, void: void(&state.floor().breaks) }
}

/// How many trades are void.
pub(crate) fn void(breaks: &Breaks) -> u64 {
    let full = breaks.all().filter(|(_, _, kind)| *kind == BreakKind::Full);
    u64::try_from(full.count()).expect("a count fits in 64 bits")
}

/// Whether a row is of a void trade, which counts in no table (MKT-035).
pub(crate) fn is_void(breaks: &Breaks, row: &Row) -> bool {
    let (symbol, trade) = if let Row::Trade(row) = row {
        (row.symbol, row.trade)
    } else if let Row::Public(row) = row {
        (row.symbol, row.trade)
    } else {
        return false;
    };
    breaks.of(symbol, trade) == Some(BreakKind::Full)
}

/// Whether a database has more than the journal.
fn is_ahead(own: Reached, goal: Reached) -> bool {
    let exceeds = |(own, goal): (u64, u64)| own > goal;
    own.seq > goal.seq || counted(own).zip(counted(goal)).any(exceeds)
}

/// Whether a database has every row of the goal, and none of a void trade.
fn has(own: Reached, goal: Reached) -> bool {
    let reaches = |(own, goal): (u64, u64)| own >= goal;
    own.void >= goal.void && counted(own).zip(counted(goal)).all(reaches)
}

/// The lengths of the files that tables are made from.
fn counted(reached: Reached) -> impl Iterator<Item = u64> {
    reached.lengths.of_tables()
}

/// The bytes of the rows that tables are made from.
fn bytes(lengths: Lengths) -> u64 {
    lengths.of_tables().sum()
}

/// The rows of a step. A long one reports its progress.
struct Reported<'a> {
    scan: Scan,
    breaks: &'a Breaks,
    mark: &'a TablesMark,
    total: u64,
    rows: u64,
    due: Instant,
}

impl<'a> Reported<'a> {
    fn new(scan: Scan, breaks: &'a Breaks, mark: &'a TablesMark) -> Self {
        Self { total: bytes(scan.left()), scan, breaks, mark, rows: 0, due: Instant::now() + REPORT_EVERY }
    }

    fn report(&mut self) {
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_BETWEEN) && Instant::now() >= self.due {
            self.due += REPORT_EVERY;
            let percent = 100 * (self.total - bytes(self.scan.left())) / self.total.max(1);
            tracing::info!("the history's database is being built: {percent} %");
            self.mark.state.lock().trouble = Some(format!("it is being built: {percent} %"));
        }
    }
}

impl Iterator for Reported<'_> {
    type Item = Result<Row, TablesFault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.report();
            let row = self.scan.next_of_tables()?;
            if row.as_ref().is_ok_and(|row| is_void(self.breaks, row)) {
                continue;
            }
            return Some(row.map_err(TablesFault::from));
        }
    }
}
