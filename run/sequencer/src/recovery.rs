//! Recovery of a directory: the newest snapshot, then every batch after it, through the same `evolve` as the live run.

pub(crate) mod acts;
pub(crate) mod history_mark;
pub(crate) mod past;
pub(crate) mod read_ahead;
pub(crate) mod tables_proof;
pub(crate) mod verify;

use crate::Fault;
use crate::care::archive::Archive;
use crate::care::checkpoint::index_of_empty;
use crate::poison::named;
use buttonwood_disk::Folder;
use buttonwood_engine::{
    Command, Outcome, SNAPSHOT_VERSION, State, Workspace, decide, encode as encode_frame,
};
use buttonwood_journal::{Buffer, Fault as JournalFault, Journal, Mark, Options, Writer, is_begun, snapshot};
use buttonwood_model::{Seq, Stamp, Time};
use buttonwood_views::history::{self, History, Index};
use buttonwood_views::{Fold, Views};
use history_mark::HistoryMark;
use read_ahead::{Decoded, Threads, read};

/// Where the journal lies in a data directory.
pub const JOURNAL_DIR: &str = "journal";
/// Where closed orders and trades lie in a data directory.
pub const HISTORY_DIR: &str = "history";

/// A recovered directory, locked and ready to be written to.
#[derive(Debug)]
pub struct Recovered {
    pub(crate) dir: Folder,
    pub(crate) archive: Option<Archive>,
    pub(crate) views: Views,
    pub(crate) writer: Writer,
    pub(crate) history_mark: HistoryMark,
    /// The command the newest snapshot stands for.
    pub(crate) snapshot_seq: u64,
    /// A file of the history that does not hold its rows, and cannot be built from the whole journal.
    pub(crate) damage: Option<history::Fault>,
    /// Notes for the operator: torn tails, skipped snapshots.
    pub notes: Vec<String>,
}

impl Recovered {
    /// The recovered views.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// Executes the commands that found a directory in one batch: all of them become durable or none.
    ///
    /// # Errors
    /// [`Fault::Founding`] when one is refused; nothing is durable then. Any other when the journal fails.
    pub fn commit(&mut self, time: Time, commands: Vec<Command>) -> Result<(), Fault> {
        self.commit_timed(commands.into_iter().map(|command| (time, command)))
    }

    /// As [`Recovered::commit`], with a time for each command, which is at least that of the last one. Rows of the history go to its files.
    ///
    /// # Errors
    /// As [`Recovered::commit`], and when the history cannot be written.
    pub fn commit_past(&mut self, commands: Vec<(Time, Command)>) -> Result<(), Fault> {
        self.commit_timed(commands.into_iter())?;
        flush_if_room(&mut self.views).map(drop)
    }

    fn commit_timed(&mut self, commands: impl Iterator<Item = (Time, Command)>) -> Result<(), Fault> {
        let mut state = self.views.state().clone();
        let mut work = Workspace::default();
        let mut buffer = Buffer::new();
        let mut decided = Vec::new();
        for (time, command) in commands {
            let last = state.stamp();
            let stamp = Stamp { seq: Seq(last.seq.0 + 1), time: time.max(last.time) };
            if let Outcome::Rejected(reject) = decide(&state, &command, stamp, &mut work) {
                return Err(Fault::Founding { body: format!("{:?}", command.body), reject });
            }
            let (events, texts) = work.out.latest();
            state.apply(stamp, events, texts);
            buffer.push(stamp.seq.0, |out| {
                encode_frame(stamp.time, &command, events, texts, out).expect("a frame fits memory");
            });
            decided.push((stamp, std::mem::take(&mut work.out)));
        }
        buffer.set_fingerprint(state.fingerprint());
        self.writer.append(&mut buffer)?;
        for (stamp, out) in &decided {
            self.views.apply(*stamp, &out.events, &out.texts);
        }
        Ok(())
    }

    /// Commands replayed after the snapshot.
    pub fn replayed(&self) -> u64 {
        self.views.state().stamp().seq.0 - self.snapshot_seq
    }
}

/// Recovers a directory, or makes an empty one.
///
/// # Errors
/// [`Fault`]: the directory is in use, cannot be written, or is damaged. Nothing that the journal and its snapshots hold
/// was changed then.
pub fn recover(dir: impl Into<Folder>, options: Options) -> Result<Recovered, Fault> {
    recover_with(dir.into(), options, None, |_| Ok(()), Threads::Many).map(|(recovered, ())| recovered)
}

/// As [`recover`] with an archive, but passes the recovered state to `admit` before the journal is written to. If `admit` refuses, the
/// journal stays as it was. Returns what `admit` returned.
///
/// # Errors
/// As [`recover`], and what `admit` refuses with.
pub fn recover_if<T, E: From<Fault>>(
    dir: impl Into<Folder>,
    options: Options,
    archive: Option<Archive>,
    admit: impl FnOnce(&State) -> Result<T, E>,
) -> Result<(Recovered, T), E> {
    recover_with(dir.into(), options, archive, admit, Threads::Many)
}

/// As [`recover`], for a [`Stepped`](crate::Stepped) exchange: no thread is started.
///
/// # Errors
/// As [`recover`].
pub fn recover_stepped(dir: impl Into<Folder>, options: Options) -> Result<Recovered, Fault> {
    recover_stepped_with(dir, options, None)
}

/// As [`recover_stepped`], with an archive.
///
/// # Errors
/// As [`recover`].
pub fn recover_stepped_with(
    dir: impl Into<Folder>,
    options: Options,
    archive: Option<Archive>,
) -> Result<Recovered, Fault> {
    recover_with(dir.into(), options, archive, |_| Ok(()), Threads::One).map(|(recovered, ())| recovered)
}

fn recover_with<T, E: From<Fault>>(
    dir: Folder,
    options: Options,
    archive: Option<Archive>,
    admit: impl FnOnce(&State) -> Result<T, E>,
    threads: Threads,
) -> Result<(Recovered, T), E> {
    let (journal_dir, history) = (dir.folder(JOURNAL_DIR), dir.folder(HISTORY_DIR));
    check_not_gone(&journal_dir, &history)?;
    let places = Archive::folder_of(archive.as_ref());
    let mut journal = Journal::open(&journal_dir, options).map_err(Fault::from)?.with_archive(places.clone());
    if let Some((seq, path)) = history_mark::read(&history, journal.id()).map_err(Fault::HistoryMark)? {
        journal.expect_at_least(seq, &path);
    }
    let Replayed { mark, mut views, damage, mut notes } =
        replay(&dir, &mut journal, places.as_ref(), threads)?;
    if let (Some(mark), Threads::Many) = (&mark, threads) {
        journal.check_before(mark, READ_AGAIN).map_err(Fault::from)?;
    }
    let admitted = admit(views.state())?;
    notes.extend(journal.notes().iter().map(ToString::to_string));
    let writer = match threads {
        Threads::Many => journal.into_writer(),
        Threads::One => journal.into_stepped_writer(),
    };
    let writer = writer.map_err(Fault::from)?;
    // After the journal, which keeps space for itself on a full disk.
    if let Some(full) = flush_if_room(&mut views)? {
        notes.push(format!("{full}; its rows are kept in memory until there is room"));
    }
    let seq = writer.mark().seq;
    let history_mark = HistoryMark::open(&history, writer.id(), seq).map_err(Fault::HistoryMark)?;
    let snapshot_seq = mark.map_or(0, |mark| mark.seq);
    Ok((Recovered { dir, archive, views, writer, history_mark, snapshot_seq, damage, notes }, admitted))
}

/// Whether `dir` holds any part of a journal.
///
/// # Errors
/// [`Fault::Gone`] when the journal is gone and the history proves that there was one; when a folder cannot be read.
pub fn has_journal(dir: impl Into<Folder>) -> Result<bool, Fault> {
    let dir = dir.into();
    let journal = dir.folder(JOURNAL_DIR);
    check_not_gone(&journal, &dir.folder(HISTORY_DIR))?;
    Ok(is_begun(&journal)?)
}

/// Refuses to found an exchange where the journal of an earlier one is gone: its history and secrets would be
/// overwritten (J7).
pub(crate) fn check_not_gone(journal: &Folder, history: &Folder) -> Result<(), Fault> {
    if is_begun(journal)? {
        return Ok(());
    }
    match history_mark::read_any(history).map_err(Fault::HistoryMark)? {
        Some((seq, seen)) => Err(Fault::Gone { dir: journal.path().to_owned(), seq, seen }),
        None => Ok(()),
    }
}

/// The views at the end of the journal, and how they were made.
struct Replayed {
    /// The snapshot with which they began.
    mark: Option<Mark>,
    views: Views,
    damage: Option<history::Fault>,
    notes: Vec<String>,
}

/// The views at the end of the journal.
fn replay(
    dir: &Folder,
    journal: &mut Journal,
    archive: Option<&Folder>,
    threads: Threads,
) -> Result<Replayed, Fault> {
    let mut notes = Vec::new();
    let newest = snapshot::load_newest(dir.folder(JOURNAL_DIR), &mut notes)?;
    let mut notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    let Begun { mark, mut views, damage } = begin(&dir.folder(HISTORY_DIR), newest, journal, &mut notes)?;
    let mut batches = 0u64;
    let fold = |batch: &Decoded| {
        batch.apply(|stamp, events, texts| views.apply(stamp, events, texts))?;
        batches += 1;
        if batches.is_multiple_of(FLUSH_EVERY) {
            flush_if_room(&mut views)?;
        }
        batch.check(views.state())
    };
    let replayed = read(threads, |visit| journal.replay(mark.as_ref(), visit), fold);
    replayed
        .map_err(|fault| named(fault, &dir.folder(JOURNAL_DIR), archive.cloned(), views.state().access()))?;
    Ok(Replayed { mark, views, damage, notes })
}

/// Writes the history's rows to their files. Rows that do not fit on a full disk stay in memory, as in a running
/// exchange, and the fault is returned.
pub(crate) fn flush_if_room(views: &mut Views) -> Result<Option<history::Fault>, Fault> {
    match views.flush() {
        Ok(()) => Ok(None),
        Err(fault) if fault.is_full() => Ok(Some(fault)),
        Err(fault) => Err(fault.into()),
    }
}

/// Where a replay begins.
struct Begun {
    mark: Option<Mark>,
    views: Views,
    damage: Option<history::Fault>,
}

/// The views at the newest snapshot; or empty views where no snapshot fits this build and the history's files. The
/// journal still holds everything, so the result is the same, only slower. Where it does not, because archived segments
/// cannot be found, nothing is changed: the snapshot vouches for them, and another build may read it. Only the
/// history's files may then lack rows, which a running exchange mends as far as it can.
fn begin(
    history: &Folder,
    newest: Option<(Mark, Vec<u8>)>,
    journal: &Journal,
    notes: &mut Vec<String>,
) -> Result<Begun, Fault> {
    if let Some((mark, payload)) = newest {
        let opened = decode(mark.seq, &payload)
            .and_then(|(fold, index)| Views::open(history, fold, index).map_err(Fault::History));
        match opened {
            Ok(views) => return Ok(Begun { mark: Some(mark), views, damage: None }),
            Err(Fault::History(damage)) if damage.is_damage() && is_away(journal) => {
                notes.push(format!("{damage}; the archived journal, which has these rows, cannot be found"));
                let (fold, index) = decode(mark.seq, &payload)?;
                History::pad(history, &index)?;
                let views = Views::open(history, fold, index)?;
                return Ok(Begun { mark: Some(mark), views, damage: Some(damage) });
            }
            Err(
                fault @ (Fault::Snapshot { .. }
                | Fault::SnapshotVersion { .. }
                | Fault::History(history::Fault::Short { .. } | history::Fault::Foreign { .. })),
            ) => notes.push(format!("{fault}; starting from the whole journal instead")),
            Err(fault) => return Err(fault),
        }
    }
    if let Err(source) = journal.check_archived() {
        let why = notes.last().cloned().unwrap_or_else(|| "there is no snapshot".to_owned());
        return Err(if let JournalFault::Archived { .. } = source {
            Fault::ArchiveNeeded { why, source }
        } else {
            source.into()
        });
    }
    let views = Views::open(history, Fold::default(), index_of_empty(journal.id()))?;
    Ok(Begun { mark: None, views, damage: None })
}

/// Whether archived segments cannot be found.
fn is_away(journal: &Journal) -> bool {
    matches!(journal.check_archived(), Err(JournalFault::Archived { .. }))
}

/// Bytes of journal before a snapshot that a start reads as well, up to the end of their segment; this takes some
/// hundredths of a second. The scrub reads older segments. A stepped exchange skips this: its callers read the whole
/// journal.
const READ_AGAIN: u64 = 32 * 1024 * 1024;

/// Batches between two writes of replayed history to its files.
const FLUSH_EVERY: u64 = 64;

/// The bytes of a snapshot: version, fold, index of the history.
pub(crate) fn encode(fold: &Fold, index: &Index) -> Result<Vec<u8>, postcard::Error> {
    index.encode(postcard::to_extend(&(SNAPSHOT_VERSION, fold), Vec::new())?)
}

/// Reads a snapshot's bytes.
///
/// # Errors
/// [`Fault::SnapshotVersion`] for a snapshot of another version, [`Fault::Snapshot`] for bytes that are none.
pub(crate) fn decode(seq: u64, payload: &[u8]) -> Result<(Fold, Index), Fault> {
    if let Some(version) = payload.first().copied().filter(|version| *version != SNAPSHOT_VERSION) {
        return Err(Fault::SnapshotVersion { seq, version, known: SNAPSHOT_VERSION });
    }
    let (mut fold, index) = postcard::take_from_bytes::<(u8, Fold)>(payload)
        .and_then(|((_, fold), rest)| Ok((fold, Index::decode(rest)?)))
        .map_err(|source| Fault::Snapshot { seq, source })?;
    fold.restore();
    Ok((fold, index))
}
