//! Compares the history's database with the rows that the journal gives.

use crate::Fault;
use crate::care::tables::{Place, is_void, void};
use buttonwood_engine::{Breaks, State};
use buttonwood_model::AccountId;
use buttonwood_tables::{Database, Reached, Row, Size};
use buttonwood_views::history::{Change, Index, Numbered, Position, Proof, RowKind, Sums};
use buttonwood_views::{Fold, Sink};

/// Rows that gather before they are folded.
const GATHERED: usize = 50_000;

/// The history's database, as it was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablesReport {
    /// The last command whose rows it has.
    pub seq: u64,
    /// Its tables.
    pub tables: Vec<Size>,
    /// Its bytes on the disk.
    pub bytes: u64,
}

/// A sink that compares every row with the history's files, and builds the database's tables again.
#[derive(Debug)]
pub(crate) struct Proofs {
    pub(crate) files: Proof,
    tables: Option<TablesProof>,
    /// The rows of statements since the last check, and the sums of those before.
    changes: Vec<Numbered>,
    sums: Sums,
}

/// A database, and the one that it must equal.
#[derive(Debug)]
pub(crate) struct TablesProof {
    held: Database,
    expected: Database,
    rows: Vec<Row>,
    /// The broken trades at the command that the database has reached, if they are known before.
    known: Option<Breaks>,
    /// The same, found by this pass: the tables are built again without those that are void.
    found: Option<Breaks>,
    report: Option<TablesReport>,
}

impl TablesProof {
    /// Opens the database as of now, if there is one that a start would go on with. A damaged one gives a note.
    pub(crate) fn open(place: &Place, notes: &mut Vec<String>) -> Result<Option<Self>, Fault> {
        let held = match Database::read(&place.history, &place.origin) {
            Ok(Some(held)) => held,
            Ok(None) => return Ok(None),
            Err(fault) if fault.is_damage() => {
                notes.push(format!(
                    "the history's database is damaged ({fault}): the next start builds it again"
                ));
                return Ok(None);
            }
            Err(fault) => return Err(Fault::Tables(fault)),
        };
        let expected = Database::temporary().map_err(Fault::Tables)?;
        let mut proof = Self { held, expected, rows: Vec::new(), known: None, found: None, report: None };
        // No batch ends at command 0, so a database that has no rows yet is compared here.
        if proof.held.reached().seq == 0 {
            proof.compare(proof.expected.reached())?;
        }
        Ok(Some(proof))
    }

    /// Folds what has gathered, and compares at the command that the database has reached.
    fn check(&mut self, seq: u64, state: &State, index: &Index) -> Result<(), Fault> {
        let held = self.held.reached();
        if self.report.is_some() || (seq < held.seq && self.rows.len() < GATHERED) {
            return Ok(());
        }
        let breaks = &state.floor().breaks;
        let reached = Reached { seq, lengths: index.lengths(), void: void(breaks) };
        if self.known.is_none() && reached.void > 0 {
            // Rows that are folded may be of trades that were broken later.
            self.rows.clear();
            if seq >= held.seq && self.found.is_none() {
                self.found = Some(breaks.clone());
            }
            return Ok(());
        }
        let breaks = self.known.as_ref().unwrap_or(breaks);
        let rows = self.rows.drain(..).filter(|row| !is_void(breaks, row));
        let rows = rows.map(Ok::<_, buttonwood_tables::Fault>);
        self.expected.update(state.symbols(), rows, reached).map_err(Fault::Tables)?;
        if seq < held.seq { Ok(()) } else { self.compare(reached) }
    }

    /// Compares both at the command that the database must have reached.
    fn compare(&mut self, reached: Reached) -> Result<(), Fault> {
        let seq = self.held.reached().seq;
        if self.held.reached() != reached {
            return Err(Fault::TablesDiffer { seq, table: "progress" });
        }
        if let Some(table) = self.held.difference(&self.expected).map_err(Fault::Tables)? {
            return Err(Fault::TablesDiffer { seq, table });
        }
        let tables = self.held.sizes().map_err(Fault::Tables)?;
        let bytes = self.held.bytes().map_err(Fault::Tables)?;
        self.report = Some(TablesReport { seq, tables, bytes });
        Ok(())
    }

    fn push(&mut self, row: &Row) {
        if self.report.is_none() {
            self.rows.push(*row);
        }
    }
}

impl Proofs {
    /// `state` is the one before the first row.
    pub(crate) fn new(files: Proof, tables: Option<TablesProof>, state: &State) -> Self {
        Self { files, tables, changes: Vec::new(), sums: Sums::of(state) }
    }

    /// Whether the rows of every account sum to its balances (D-171).
    ///
    /// # Errors
    /// [`Fault::Unexplained`].
    pub(crate) fn check_sums(&self, state: &State) -> Result<(), Fault> {
        let seq = state.stamp().seq.0;
        self.sums.check(state).map_err(|source| Fault::Unexplained { seq, source })
    }

    /// Keeps a change that was just compared.
    fn change(&mut self, account: AccountId, row: &Change) {
        self.changes.push(Numbered { last: self.files.index().ids(account), row: *row });
    }

    /// Whether all rows up to the end of a batch are as the journal gives them.
    pub(crate) fn check(&mut self, seq: u64, fold: &Fold) -> Result<(), Fault> {
        self.files.check()?;
        let symbols = fold.state().symbols();
        for row in self.changes.drain(..) {
            self.sums.add(symbols, &row).map_err(|source| Fault::Unexplained { seq, source })?;
        }
        match &mut self.tables {
            Some(tables) => tables.check(seq, fold.state(), self.files.index()),
            None => Ok(()),
        }
    }

    /// The proof of the tables in a second pass, if trades were broken: the last command to read, and the proof.
    pub(crate) fn second_pass(&mut self) -> Result<Option<(u64, TablesProof)>, Fault> {
        let Some(known) = self.tables.as_mut().and_then(|tables| tables.found.take()) else {
            return Ok(None);
        };
        let expected = Database::temporary().map_err(Fault::Tables)?;
        let first = self.tables.take();
        Ok(first
            .map(|first| (first.held.reached().seq, TablesProof { expected, known: Some(known), ..first })))
    }

    /// The database as it was compared.
    ///
    /// # Errors
    /// [`Fault::TablesDiffer`] when it has more than the journal.
    pub(crate) fn tables(&self) -> Result<Option<TablesReport>, Fault> {
        match &self.tables {
            Some(TablesProof { report: None, held, .. }) => {
                Err(Fault::TablesDiffer { seq: held.reached().seq, table: "progress" })
            }
            Some(tables) => Ok(tables.report.clone()),
            None => Ok(None),
        }
    }
}

impl Sink for Proofs {
    fn row<R: RowKind>(&mut self, row: &R) -> Position {
        let of_any: Row = (*row).into();
        if let Some(tables) = self.tables.as_mut().filter(|_| R::IN_TABLES) {
            tables.push(&of_any);
        }
        let at = self.files.row(row);
        if let Row::Trade(row) = of_any {
            self.change(row.account, &Change::Trade(row));
        }
        if let Row::Entry(row) = of_any {
            self.change(row.account, &Change::Entry(row));
        }
        at
    }
}
