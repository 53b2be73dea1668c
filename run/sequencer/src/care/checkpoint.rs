//! Snapshots, written from a replay of sealed batches while the exchange runs.
//!
//! Each snapshot starts from the newest one and replays the journal from there, which proves once more that a replay
//! equals the live run. All sums and holds are recomputed from it. A law that does not hold, or a replay that ends in
//! another state, ends the process. Rule J10.

use crate::Fault;
use crate::care::archive::{Archive, Archiver};
use crate::care::scrub::Scrub;
use crate::poison::named;
use crate::recovery::read_ahead::read_in_turn;
use crate::recovery::verify::check_laws;
use crate::recovery::{JOURNAL_DIR, decode, encode};
use crate::shared::Shared;
use crate::writer::commit::die;
use buttonwood_disk::Folder;
use buttonwood_journal::{JournalId, Mark, Reader, snapshot};
use buttonwood_views::history::{Index, Syncer};
use buttonwood_views::{Counted, Fold};
use crossbeam_channel::{Receiver, RecvTimeoutError};
use std::sync::Arc;
use std::time::Instant;

/// Writes a snapshot for each durable sequence that arrives, archives what then may be archived, and scrubs sealed segments
/// in between. Ends when the channel is closed.
pub(crate) fn run(dir: &Folder, archive: Option<&Archive>, shared: &Arc<Shared>, durable: &Receiver<u64>) {
    let archiver = Archiver::new(dir, archive.cloned());
    let mut scrub = Scrub::new(dir);
    let mut due = Instant::now() + scrub.pause();
    loop {
        // Frequent snapshots do not starve the scrub.
        let now = Instant::now();
        if due <= now {
            scrub.step();
            archiver.run(shared.clock.now(), shared.mend.trouble().is_none());
            due = now + scrub.pause();
        }
        let seq = match durable.recv_deadline(due) {
            Ok(seq) => seq,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        match make(dir, archive, shared, seq) {
            Ok(mark) => {
                tracing::info!(seq = mark.seq, "snapshot written");
                archiver.run(shared.clock.now(), shared.mend.trouble().is_none());
            }
            // Balances or orders are wrong: going on would make it worse.
            Err(fault @ (Fault::Law { .. } | Fault::Diverged { .. } | Fault::Poison(_))) => die(&fault),
            // The journal holds everything; only the next start takes longer.
            Err(fault) => tracing::error!(%fault, "snapshot failed"),
        }
    }
}

/// Makes one snapshot of everything up to a durable sequence.
pub(crate) fn make(
    dir: &Folder,
    archive: Option<&Archive>,
    shared: &Shared,
    seq: u64,
) -> Result<Mark, Fault> {
    let syncer = shared.views.read().history().syncer();
    let journal = dir.folder(JOURNAL_DIR);
    let reader = Reader::open(&journal)?.with_archive(Archive::folder_of(archive));
    let written = fold_and_write(&journal, reader, seq, &syncer);
    let archive = Archive::folder_of(archive);
    let mark =
        written.map_err(|fault| named(fault, &journal, archive, shared.views.read().state().access()))?;
    shared.meters.laws_hold(mark.seq);
    Ok(mark)
}

fn fold_and_write(journal: &Folder, mut reader: Reader, until: u64, syncer: &Syncer) -> Result<Mark, Fault> {
    let mut notes = Vec::new();
    let newest = snapshot::load_newest(journal, &mut notes)?;
    // The journal takes the place of one that cannot be decoded, as at a start.
    let decoded = newest.and_then(|(mark, payload)| Some((mark, decode(mark.seq, &payload).ok()?)));
    let (from, mut fold, index) = match decoded {
        Some((mark, (fold, index))) => (Some(mark), fold, index),
        None => (None, Fold::default(), index_of_empty(reader.id())),
    };
    let mut sink = Counted::new(index);
    let mark = read_in_turn(
        |visit| reader.replay(from.as_ref(), until, visit),
        |batch| {
            batch.apply(|stamp, events, texts| fold.apply(stamp, events, texts, &mut sink))?;
            batch.check(fold.state())
        },
    )?;
    check_laws(&fold)?;
    syncer.sync()?;
    write(journal, &mark, &mut fold, &sink.index)?;
    Ok(mark)
}

/// The index of an empty history, keyed by a value that is unknown outside the directory.
pub fn index_of_empty(journal: JournalId) -> Index {
    Index::new(u64::from_str_radix(&journal.to_string(), 16).unwrap_or(0))
}

/// Writes one snapshot.
pub(crate) fn write(journal: &Folder, mark: &Mark, fold: &mut Fold, index: &Index) -> Result<(), Fault> {
    fold.prepare_to_store();
    let payload = encode(fold, index).map_err(|source| Fault::Snapshot { seq: mark.seq, source })?;
    snapshot::write(journal, mark, &[&payload])?;
    Ok(())
}
