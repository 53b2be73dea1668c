//! Proving a data directory: every hash, every balance, every hold, every snapshot.

use crate::Fault;
use crate::ahead::{Decoded, Threads, read};
use crate::checkpoint::index_of_empty;
use crate::reached;
use crate::recover::{HISTORY_DIR, JOURNAL_DIR, decode};
use buttonwood_disk::Folder;
use buttonwood_journal as journal;
use buttonwood_journal::{Reader, snapshot};
use buttonwood_views::{Counted, Fold};

/// What a verification found good.
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
    /// What an operator should know.
    pub notes: Vec<String>,
}

/// Commands between two recomputations of every sum.
const LAWS_EVERY: u64 = 100_000;

/// Verifies a data directory without changing it: the journal's checksums and hash chain; a replay from the first
/// command, whose fingerprint after every batch must be the live run's; all sums and holds; the newest snapshot.
///
/// # Errors
/// The first [`Fault`] found.
///
/// # Panics
/// As a start does, when the journal's events break a law that the core asserts, such as a crossed book.
pub fn verify(dir: impl Into<Folder>) -> Result<Report, Fault> {
    verify_with(&dir.into(), Threads::Many)
}

/// As [`verify`], without another thread.
///
/// # Errors
/// As [`verify`].
///
/// # Panics
/// As [`verify`] does.
pub fn verify_stepped(dir: impl Into<Folder>) -> Result<Report, Fault> {
    verify_with(&dir.into(), Threads::One)
}

fn verify_with(dir: &Folder, threads: Threads) -> Result<Report, Fault> {
    let journal = dir.folder(JOURNAL_DIR);
    let mut reader = Reader::open(&journal)?;
    // Read before the journal is: beside a running exchange both go on.
    let reached = reached::read(&dir.folder(HISTORY_DIR), reader.id()).map_err(Fault::Reached)?;
    let checked = reader.verify()?;
    if let Some((watermark, seen)) = reached.filter(|(seq, _)| *seq > checked.end.seq) {
        let (dir, end) = (journal.path().to_owned(), checked.end.seq);
        return Err(Fault::Journal(journal::Fault::Behind { dir, end, watermark, seen }));
    }
    let mut notes = checked.notes.clone();
    let newest = snapshot::load_newest(&journal, &mut notes)?;
    let mut fold = Fold::default();
    let mut sink = Counted::new(index_of_empty(reader.id()));
    let mut compared = None;
    let mut laws_due = LAWS_EVERY;
    let check = |batch: &Decoded| {
        for (stamp, events, texts) in batch.commands() {
            fold.apply(stamp, events, texts, &mut sink);
        }
        batch.check(fold.state().fingerprint())?;
        let seq = batch.last_seq();
        if seq >= laws_due {
            laws_due = seq + LAWS_EVERY;
            check_laws(&fold)?;
        }
        if let Some((mark, payload)) = newest.as_ref().filter(|(mark, _)| mark.seq == seq) {
            let (stored, index) = decode(mark.seq, payload)?;
            if stored != fold || index != sink.index {
                return Err(Fault::SnapshotDiffers { seq });
            }
            compared = Some(seq);
        }
        Ok(())
    };
    read(threads, |visit| reader.replay(None, checked.end.seq, visit), check)?;
    check_laws(&fold)?;
    if let Some((mark, _)) = newest.filter(|(mark, _)| compared != Some(mark.seq)) {
        return Err(Fault::SnapshotDiffers { seq: mark.seq });
    }
    Ok(Report {
        commands: checked.commands,
        batches: checked.batches,
        segments: checked.segments,
        accounts: fold.state().access().accounts().len(),
        live_orders: fold.state().orders().len(),
        snapshot: compared,
        notes: notes.iter().map(ToString::to_string).collect(),
    })
}

/// Recomputes every sum and hold from the single balances and orders.
pub(crate) fn check_laws(fold: &Fold) -> Result<(), Fault> {
    let state = fold.state();
    match state.broken_law() {
        Some(law) => Err(Fault::Law { seq: state.stamp().seq.0, law }),
        None => Ok(()),
    }
}
