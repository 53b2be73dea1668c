//! Proves a data directory: every hash, balance and hold, the newest snapshot and the rows of history that it refers
//! to.

use crate::Fault;
use crate::care::checkpoint::index_of_empty;
use crate::care::tables::Place;
use crate::poison::named;
use crate::recovery::history_mark;
use crate::recovery::read_ahead::{Decoded, Stop, Threads, Visit, read};
use crate::recovery::tables_proof::{Proofs, TablesProof, TablesReport};
use crate::recovery::{HISTORY_DIR, JOURNAL_DIR, check_not_gone, decode};
use buttonwood_disk::Folder;
use buttonwood_engine::{Event, decode_command, decode_events};
use buttonwood_journal as journal;
use buttonwood_journal::{Batch, Mark, Reader, snapshot};
use buttonwood_model::Outbox;
use buttonwood_views::Fold;
use buttonwood_views::history::{Index, Proof};
use std::path::{Path, PathBuf};

/// The result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Commands replayed.
    pub commands: u64,
    /// Batches whose hash chain and fingerprint hold.
    pub batches: u64,
    /// Segment files read.
    pub segments: u64,
    /// Accounts whose balances were recomputed.
    pub accounts: usize,
    /// Live orders at the end.
    pub live_orders: usize,
    /// The snapshot that was compared with the replay, if any: its command.
    pub snapshot: Option<u64>,
    /// Rows of the history that were compared: those that the snapshot refers to.
    pub rows: u64,
    /// The history's database, if there is one that a start goes on with.
    pub tables: Option<TablesReport>,
    /// Where the proof begins, if archived segments cannot be found.
    pub begins: Option<FromSnapshot>,
    /// Notes for the operator.
    pub notes: Vec<String>,
}

/// A proof that begins with a snapshot, since the journal before it is archived elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromSnapshot {
    /// The last archived command: checksums and hash chain are proven after it.
    pub archived: u64,
    /// Whether archived segments were deleted.
    pub is_deleted: bool,
    /// The command of the snapshot: balances, holds and rows are proven after it.
    pub snapshot: u64,
}

/// Commands between two recomputations of all sums.
const LAWS_EVERY: u64 = 100_000;

/// Verifies a data directory without changing it: the journal's checksums and hash chain; a replay from the first
/// command, whose fingerprint after every batch must be the live run's; the commands, which must be readable; all sums and
/// holds; the newest snapshot, and every row of the history that it relies on.
///
/// # Errors
/// The first [`Fault`] found. Events that break a law that the core asserts, such as a crossed book, are [`Fault::Poison`].
pub fn verify(dir: impl Into<Folder>) -> Result<Report, Fault> {
    verify_with(dir, None)
}

/// As [`verify`], with the folder in which archived segments are looked for.
///
/// # Errors
/// As [`verify`].
pub fn verify_with(dir: impl Into<Folder>, archive: Option<Folder>) -> Result<Report, Fault> {
    verify_on(&dir.into(), archive, Threads::Many)
}

/// As [`verify`], without another thread.
///
/// # Errors
/// As [`verify`].
pub fn verify_stepped(dir: impl Into<Folder>) -> Result<Report, Fault> {
    verify_stepped_with(dir, None)
}

/// As [`verify_with`], without another thread.
///
/// # Errors
/// As [`verify`].
pub fn verify_stepped_with(dir: impl Into<Folder>, archive: Option<Folder>) -> Result<Report, Fault> {
    verify_on(&dir.into(), archive, Threads::One)
}

fn verify_on(dir: &Folder, archive: Option<Folder>, threads: Threads) -> Result<Report, Fault> {
    let journal = dir.folder(JOURNAL_DIR);
    check_not_gone(&journal, &dir.folder(HISTORY_DIR))?;
    let mut reader = Reader::open(&journal)?.with_archive(archive.clone());
    reader.hold()?;
    // Read before the journal, since a running exchange advances both. The same holds for snapshots: a snapshot made
    // during this verification refers to a part of the journal that is not read.
    let marked = history_mark::read(&dir.folder(HISTORY_DIR), reader.id()).map_err(Fault::HistoryMark)?;
    let (mut skipped, mut notes) = (Vec::new(), Vec::new());
    let base = base(&reader, &journal)?;
    let tables = match &base {
        None => TablesProof::open(&Place::of(dir, reader.id()), &mut notes)?,
        Some(_) => None,
    };
    let newest = snapshot::load_newest(&journal, &mut skipped)?;
    let checked = reader.verify()?;
    check_reached(marked, checked.end.seq, &journal)?;
    notes.extend(checked.notes.iter().chain(&skipped).map(ToString::to_string));
    let newest = newest.and_then(|(mark, payload)| decoded(&mark, &payload, &mut notes));
    let (begins, from, fold, index) = match base {
        Some(Base { begins, mark, fold, index }) => (Some(begins), Some(mark), fold, index),
        None => (None, None, Fold::default(), index_of_empty(reader.id())),
    };
    let mut proof = Replayed::new(&dir.folder(HISTORY_DIR), (fold, index), tables, (newest, begins))?;
    let mut out = Outbox::default();
    let replay = |visit: &mut Visit<'_>| {
        reader.replay(from.as_ref(), checked.end.seq, |batch| {
            read_commands(batch, &mut out).map_err(Stop::Fault)?;
            visit(batch)
        })
    };
    let replayed = read(threads, replay, |batch| proof.check(batch));
    replayed.map_err(|fault| {
        let named = named(fault, &journal, archive, proof.fold.state().access());
        followed(named, checked.end.seq)
    })?;
    proof.check_end()?;
    let Replayed { fold, mut rows, compared, newest, .. } = proof;
    // It is as large as the state, and the second pass needs none of it.
    drop(newest);
    let tables = match rows.second_pass()? {
        None => rows.tables()?,
        Some((until, tables)) => verify_tables(dir, &mut reader, threads, until, tables)?,
    };
    notes.extend(rows.files.missing().map(|missing| built_again(missing, begins.is_some())));
    Ok(Report {
        commands: checked.commands,
        batches: checked.batches,
        segments: checked.segments,
        accounts: fold.state().access().accounts().len(),
        live_orders: fold.state().orders().len(),
        snapshot: compared,
        rows: rows.files.proven(),
        tables,
        begins,
        notes,
    })
}

/// Refuses a journal that ends before a command which the history shows to have been acknowledged.
fn check_reached(marked: Option<(u64, PathBuf)>, end: u64, journal: &Folder) -> Result<(), Fault> {
    match marked {
        Some((watermark, seen)) if watermark > end => {
            let dir = journal.path().to_owned();
            Err(Fault::Journal(journal::Fault::Behind { dir, end, watermark, seen }))
        }
        Some(_) | None => Ok(()),
    }
}

/// The contents of a snapshot, with the number of its command.
type Stored = (u64, (Fold, Index));

/// The contents of a snapshot. One that cannot be decoded gives a note.
fn decoded(mark: &Mark, payload: &[u8], notes: &mut Vec<String>) -> Option<Stored> {
    match decode(mark.seq, payload) {
        Ok(decoded) => Some((mark.seq, decoded)),
        Err(fault) => {
            notes.push(format!("{fault}; a start reads the whole journal instead"));
            None
        }
    }
}

/// The exchange as a replay rebuilds it, checked after every batch.
struct Replayed {
    fold: Fold,
    rows: Proofs,
    /// The snapshot that the replay must equal at its command.
    newest: Option<Stored>,
    /// The command of that snapshot, once it was compared.
    compared: Option<u64>,
    /// The command from which on all sums are recomputed again.
    laws_due: u64,
}

impl Replayed {
    /// The exchange before the first batch, with the history's rows that the newest snapshot relies on.
    fn new(
        history: &Folder,
        (fold, index): (Fold, Index),
        tables: Option<TablesProof>,
        (newest, begins): (Option<Stored>, Option<FromSnapshot>),
    ) -> Result<Self, Fault> {
        check_laws(&fold)?;
        let relied_on = newest.as_ref().map_or(index.lengths(), |(_, (_, index))| index.lengths());
        let files = Proof::open(history, index, relied_on)?;
        let rows = Proofs::new(files, tables, fold.state());
        // The snapshot with which the proof begins proves nothing about itself.
        let newest = newest.filter(|(seq, _)| begins.is_none_or(|begins| begins.snapshot != *seq));
        let laws_due = fold.state().stamp().seq.0 + LAWS_EVERY;
        Ok(Self { fold, rows, newest, compared: None, laws_due })
    }

    /// Applies a batch and checks what it leaves.
    fn check(&mut self, batch: &Decoded) -> Result<(), Fault> {
        let Self { fold, rows, newest, compared, laws_due } = self;
        batch.apply(|stamp, events, texts| fold.apply(stamp, events, texts, rows))?;
        batch.check(fold.state())?;
        let seq = batch.last_seq();
        rows.check(seq, fold)?;
        if seq >= *laws_due {
            *laws_due = seq + LAWS_EVERY;
            check_laws(fold)?;
            rows.check_sums(fold.state())?;
        }
        if let Some((_, (stored, index))) = newest.as_ref().filter(|(of, _)| *of == seq) {
            if stored != fold || index != rows.files.index() {
                return Err(Fault::SnapshotDiffers { seq });
            }
            *compared = Some(seq);
        }
        Ok(())
    }

    /// Checks the end of the replay. A snapshot that was not compared has a command that ends no batch.
    fn check_end(&self) -> Result<(), Fault> {
        check_laws(&self.fold)?;
        self.rows.check_sums(self.fold.state())?;
        match &self.newest {
            Some((seq, _)) if self.compared != Some(*seq) => Err(Fault::SnapshotDiffers { seq: *seq }),
            Some(_) | None => Ok(()),
        }
    }
}

/// Adds to a fault of a command that cannot be applied how many follow it.
fn followed(fault: Fault, end: u64) -> Fault {
    let Fault::Poison(mut poison) = fault else { return fault };
    poison.following = Some(end.saturating_sub(poison.stamp.seq.0));
    Fault::Poison(poison)
}

/// A snapshot with which a proof begins.
pub(crate) struct Base {
    pub(crate) begins: FromSnapshot,
    pub(crate) mark: Mark,
    pub(crate) fold: Fold,
    pub(crate) index: Index,
}

/// The oldest snapshot, if the journal before it is archived and cannot be found.
pub(crate) fn base(reader: &Reader, journal: &Folder) -> Result<Option<Base>, Fault> {
    let Some(archived) = reader.begins_after()? else { return Ok(None) };
    let needed = |why: String| {
        let source = journal::Fault::Archived {
            dir: journal.path().to_owned(),
            segment: archived.segment,
            seq: archived.seq,
            is_deleted: archived.is_deleted(),
            looked_for: None,
        };
        Fault::ArchiveNeeded { why, source }
    };
    let oldest = snapshot::load_oldest(journal)?.ok_or_else(|| needed("there is no snapshot".to_owned()))?;
    let (mark, payload) = oldest;
    let (fold, index) = decode(mark.seq, &payload).map_err(|fault| needed(fault.to_string()))?;
    let begins =
        FromSnapshot { archived: archived.seq, is_deleted: archived.is_deleted(), snapshot: mark.seq };
    Ok(Some(Base { begins, mark, fold, index }))
}

/// Compares the history's database in a pass of its own, which knows from the start which trades are void.
fn verify_tables(
    dir: &Folder,
    reader: &mut Reader,
    threads: Threads,
    until: u64,
    tables: TablesProof,
) -> Result<Option<TablesReport>, Fault> {
    let empty = index_of_empty(reader.id());
    let lengths = empty.lengths();
    let mut fold = Fold::default();
    let files = Proof::open(&dir.folder(HISTORY_DIR), empty, lengths)?;
    let mut rows = Proofs::new(files, Some(tables), fold.state());
    let check = |batch: &Decoded| {
        batch.apply(|stamp, events, texts| fold.apply(stamp, events, texts, &mut rows))?;
        rows.check(batch.last_seq(), &fold)
    };
    read(threads, |visit| reader.replay(None, until, visit), check)?;
    rows.tables()
}

/// Reads the commands of a batch, which a replay has no need of.
fn read_commands(batch: &Batch<'_>, out: &mut Outbox<Event>) -> Result<(), Fault> {
    for (seq, frame) in batch.frames() {
        out.clear();
        let read = decode_events(frame, out).and_then(|(_, command)| decode_command(command, out));
        read.map_err(|source| Fault::Frame { seq, source })?;
    }
    Ok(())
}

fn built_again(missing: &Path, is_archived: bool) -> String {
    let how = if is_archived {
        "an exchange with --archive builds its rows again from the archived journal"
    } else {
        "the next start builds the history again from the journal"
    };
    format!("{} is missing or too short: {how}", missing.display())
}

/// Recomputes every sum and hold from the single balances and orders.
pub(crate) fn check_laws(fold: &Fold) -> Result<(), Fault> {
    let state = fold.state();
    match state.broken_law() {
        Some(law) => Err(Fault::Law { seq: state.stamp().seq.0, law }),
        None => Ok(()),
    }
}
