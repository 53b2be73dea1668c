//! A consistent copy of a data directory, made next to a running exchange or of a stopped one.
//!
//! The order makes it consistent: database, snapshots, the end of the journal, batches, history, the rest. The database and
//! the snapshots thus never reach further than the journal, and the vault, which has a secret before the journal has its key,
//! never less far. The journal gets its identity last: a copy without one is refused as a data directory.

use crate::Fault;
use crate::care::checkpoint::index_of_empty;
use crate::care::tables::Place;
use crate::recovery::history_mark::HistoryMark;
use crate::recovery::read_ahead::Decoded;
use crate::recovery::{HISTORY_DIR, JOURNAL_DIR, check_not_gone, decode};
use buttonwood_disk::Folder;
use buttonwood_engine::Mode;
use buttonwood_journal::{Copy, Mark, Reader, ReplayError};
use buttonwood_tables::Database;
use buttonwood_views::{Counted, Fold, history};

/// The contents of a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The last command in it.
    pub seq: u64,
    /// The mode that the directory was made in.
    pub mode: Mode,
}

/// Copies journal, snapshots, history and database of `from` into the empty folder `to`. Everything that was acknowledged
/// before the call is in the copy. `rest` copies what else the directory holds; it is called when the last command of the
/// copy is known, and before the copy is a data directory.
///
/// # Errors
/// [`Fault`]: `from` is no data directory or is damaged; an error of the disk. `to` is no data directory then.
pub fn backup<E: From<Fault>>(
    from: impl Into<Folder>,
    to: impl Into<Folder>,
    rest: impl FnOnce(Mode) -> Result<(), E>,
) -> Result<Backup, E> {
    let (from, to) = (from.into(), to.into());
    let (journal, history) = (from.folder(JOURNAL_DIR), from.folder(HISTORY_DIR));
    check_not_gone(&journal, &history)?;
    let copied_history = to.folder(HISTORY_DIR);
    copied_history.create().map_err(Fault::Backup)?;
    copy_tables(&from, &copied_history)?;
    let mut copy = Copy::begin(&journal, to.folder(JOURNAL_DIR)).map_err(Fault::from)?;
    let newest = copy.snapshots().map_err(Fault::from)?;
    let end = copy.batches(newest.as_ref().map(|(mark, _)| mark)).map_err(Fault::from)?;
    let decoded = newest.as_ref().and_then(|(mark, payload)| decode(mark.seq, payload).ok());
    if let Some((_, index)) = &decoded {
        history::copy(&history, &copied_history, index.lengths()).map_err(Fault::from)?;
    }
    mark_history(&copied_history, &journal, &end)?;
    let mode = mode_of(&journal, decoded.map(|(fold, _)| fold))?;
    rest(mode)?;
    for folder in [&copied_history, &to] {
        folder.sync_names().map_err(Fault::Backup)?;
    }
    copy.publish(&end).map_err(Fault::from)?;
    Ok(Backup { seq: end.seq, mode })
}

/// A database that a start would not go on with is left out: the start builds it from the history.
fn copy_tables(from: &Folder, to: &Folder) -> Result<(), Fault> {
    let reader = Reader::open(from.folder(JOURNAL_DIR))?;
    let Place { history, origin } = Place::of(from, reader.id());
    match Database::copy(&history, &origin, to.path()) {
        Ok(_) => Ok(()),
        Err(fault) if fault.is_damage() => Database::remove(to.path()).map_err(Fault::Backup),
        Err(fault) => Err(Fault::Tables(fault)),
    }
}

fn mark_history(to: &Folder, journal: &Folder, end: &Mark) -> Result<(), Fault> {
    let id = Reader::open(journal)?.id();
    HistoryMark::open(to, id, end.seq).and_then(|mark| mark.sync()).map_err(Fault::Backup)
}

/// The mode of a directory, from its snapshot or else from its first batch.
fn mode_of(journal: &Folder, fold: Option<Fold>) -> Result<Mode, Fault> {
    let fold = match fold {
        Some(fold) => fold,
        None => first_batch(journal)?,
    };
    fold.state()
        .opening()
        .map(|opening| opening.mode)
        .ok_or_else(|| Fault::NothingToBackUp { dir: journal.path().to_owned() })
}

fn first_batch(journal: &Folder) -> Result<Fold, Fault> {
    let mut reader = Reader::open(journal)?;
    let mut fold = Fold::default();
    let mut sink = Counted::new(index_of_empty(reader.id()));
    let mut batch = Decoded::default();
    let read = reader.replay(None, 1, |bytes| {
        batch.read(bytes)?;
        batch.apply(|stamp, events, texts| fold.apply(stamp, events, texts, &mut sink))
    });
    match read {
        Ok(_) => Ok(fold),
        Err(ReplayError::Fault(fault)) => Err(Fault::Journal(fault)),
        Err(ReplayError::Refused(fault)) => Err(fault),
    }
}
