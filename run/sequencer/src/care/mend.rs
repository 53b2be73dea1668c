//! Mends the history's files while the exchange runs: rows that a query found damaged are built again from the journal.
//!
//! Where a row lies, and its bytes, follow from the journal alone. So the files are mended in place, row by row, next to queries
//! and to the appending of newer rows; a row that differs is written again, and no other byte changes. A call that needs a
//! damaged row is refused until then. The files are read once after every start, and once a day, so that damage is found
//! while the journal is there. Where the journal before the oldest snapshot cannot be found, only later rows can be
//! built again.

use crate::Fault;
use crate::care::checkpoint::index_of_empty;
use crate::recovery::read_ahead::Decoded;
use crate::recovery::verify::{FromSnapshot, base};
use crate::recovery::{HISTORY_DIR, JOURNAL_DIR};
use crate::shared::Shared;
use buttonwood_journal::{Reader, ReplayError};
use buttonwood_views::Fold;
use buttonwood_views::history::{self, Lengths, Proof, Scan};
use parking_lot::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// The least time between two attempts of which the first has changed nothing for the better.
const PAUSE: Duration = Duration::from_mins(1);
/// How often that doubles: to some 17 hours.
const DOUBLINGS: u32 = 10;

/// Time between two checks of all rows.
const CHECK_EVERY: Duration = Duration::from_hours(24);
/// A check rests this many times as long as it works.
const REST: u32 = 9;

/// Whether the history is being mended, and why.
#[derive(Debug, Default)]
pub(crate) struct MendMark {
    state: Mutex<MarkState>,
    /// Wakes the thread.
    wanted: Condvar,
}

#[derive(Debug, Default)]
struct MarkState {
    /// The damage, and the progress of the mending.
    trouble: Option<String>,
    is_wanted: bool,
    /// Attempts that have ended.
    attempts: u64,
    /// When the next attempt may begin, after one in vain.
    not_before: Option<Instant>,
    /// Attempts that mended nothing, since the last that did.
    in_vain: u32,
    is_stopping: bool,
}

/// The thread's next step.
#[derive(Debug, PartialEq, Eq)]
enum Turn {
    Mend,
    Check,
    End,
}

/// How an attempt ended.
#[derive(Debug)]
pub(crate) enum Mended {
    /// Every row is right; so many were written again.
    Whole(u64),
    /// Rows are damaged that the journal which can be found does not contain.
    Part(String),
    /// The exchange stops.
    Stopped,
}

/// Why a replay ends early.
enum Stop {
    Fault(Fault),
    Stopped,
}

impl MendMark {
    /// The damage that is not mended yet, for an operator; `None` if none is known.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.state.lock().trouble.clone()
    }

    /// The number of attempts that have ended. A query notes it before it reads.
    pub(crate) fn attempts(&self) -> u64 {
        self.state.lock().attempts
    }

    /// Notes a fault that a query met, which began after `attempts` attempts. One that began before the last attempt ended may have
    /// met what is mended now.
    pub(crate) fn note(&self, fault: &history::Fault, attempts: u64) {
        let mut state = self.state.lock();
        let is_too_soon = state.not_before.is_some_and(|at| Instant::now() < at);
        if !fault.is_damage() || state.is_wanted || state.attempts != attempts || is_too_soon {
            return;
        }
        tracing::error!("the history is built again from the journal, orders go on: {fault}");
        state.trouble = Some("a file is damaged: it is built again from the journal".to_owned());
        state.is_wanted = true;
        self.wanted.notify_all();
    }

    /// Ends the thread, and an attempt in progress.
    pub(crate) fn stop(&self) {
        self.state.lock().is_stopping = true;
        self.wanted.notify_all();
    }

    fn is_stopping(&self) -> bool {
        self.state.lock().is_stopping
    }

    /// Waits for the next turn.
    fn next(&self, check_at: Instant) -> Turn {
        let mut state = self.state.lock();
        while !state.is_wanted && !state.is_stopping {
            if self.wanted.wait_until(&mut state, check_at).timed_out() {
                return Turn::Check;
            }
        }
        if state.is_stopping { Turn::End } else { Turn::Mend }
    }

    /// Rests during a check; `false` when the check must end.
    fn rest(&self, rest: Duration) -> bool {
        let mut state = self.state.lock();
        if !state.is_wanted && !state.is_stopping {
            self.wanted.wait_for(&mut state, rest);
        }
        !state.is_wanted && !state.is_stopping
    }

    fn report(&self, percent: u64) {
        self.state.lock().trouble =
            Some(format!("a file is damaged: it is built again from the journal, {percent} %"));
    }

    /// Notes how an attempt ended.
    fn end(&self, outcome: Result<Mended, Fault>) {
        let mut state = self.state.lock();
        (state.is_wanted, state.not_before) = (false, None);
        state.attempts += 1;
        // Whoever asks for a row that cannot be built again must not keep the exchange at it.
        let pause = PAUSE * (1 << state.in_vain.min(DOUBLINGS));
        let later = Some(Instant::now() + pause);
        state.in_vain += 1;
        match outcome {
            Ok(Mended::Whole(rows)) => {
                tracing::info!(rows, "the history is whole again");
                state.trouble = None;
                if rows == 0 {
                    state.not_before = later;
                } else {
                    state.in_vain = 0;
                }
            }
            Ok(Mended::Part(why)) => {
                tracing::error!("{why}");
                (state.trouble, state.not_before) = (Some(why), later);
            }
            Ok(Mended::Stopped) => {}
            Err(fault) => {
                let why = format!("a file is damaged, and it cannot be built again: {fault}");
                tracing::error!("{why}");
                (state.trouble, state.not_before) = (Some(why), later);
            }
        }
    }
}

/// Checks the files, and mends them whenever damage was found, until the exchange stops.
pub(crate) fn run(shared: &Shared) {
    let mut check_at = Instant::now();
    loop {
        match shared.mend.next(check_at) {
            Turn::Mend => step(shared),
            Turn::Check => {
                check(shared);
                check_at = Instant::now() + CHECK_EVERY;
            }
            Turn::End => return,
        }
    }
}

/// Reads every row in the files, with long pauses, and notes the first damage.
fn check(shared: &Shared) {
    let attempts = shared.mend.attempts();
    let lengths = shared.views.read().history().syncer().lengths();
    let mut began = Instant::now();
    let goes_on = || {
        let goes_on = shared.mend.rest(began.elapsed() * REST);
        began = Instant::now();
        goes_on
    };
    let history = shared.dir.folder(HISTORY_DIR);
    let checked = match Scan::open(&history, lengths) {
        Ok(Some(scan)) => scan.check(goes_on),
        Ok(None) => Err(history::Fault::Foreign { path: history.path().to_owned() }),
        Err(fault) => Err(fault),
    };
    if let Err(fault) = checked {
        shared.mend.note(&fault, attempts);
    }
}

/// One attempt.
pub(crate) fn step(shared: &Shared) {
    let outcome = mend(shared);
    shared.mend.end(outcome);
}

/// Compares every row in the files with the journal, and writes those again that differ.
fn mend(shared: &Shared) -> Result<Mended, Fault> {
    let (files, until) = {
        let views = shared.views.read();
        (views.history().syncer(), views.state().stamp().seq.0)
    };
    let journal = shared.dir.folder(JOURNAL_DIR);
    let mut reader = Reader::open(&journal)?.with_archive(shared.archive.clone());
    reader.hold()?;
    // The first command; or the oldest snapshot, if archived segments cannot be found.
    let base = base(&reader, &journal)?;
    let begins = base.as_ref().map(|base| base.begins);
    let (from, mut fold, index) = match base {
        Some(base) => (Some(base.mark), base.fold, base.index),
        None => (None, Fold::default(), index_of_empty(reader.id())),
    };
    let before = index.lengths();
    let first = from.map_or(0, |mark| mark.seq);
    let mut rows = Proof::mend(&files, index)?;
    let mut batch = Decoded::default();
    let mut percent = 0;
    let replayed = reader.replay(from.as_ref(), until, |bytes| {
        batch.read(bytes)?;
        batch.apply(|stamp, events, texts| fold.apply(stamp, events, texts, &mut rows))?;
        batch.check(fold.state())?;
        rows.check().map_err(Fault::from)?;
        let reached = 100 * (batch.last_seq() - first) / (until - first).max(1);
        if reached != percent {
            percent = reached;
            shared.mend.report(percent);
        }
        if shared.mend.is_stopping() { Err(Stop::Stopped) } else { Ok(()) }
    });
    match replayed {
        Ok(_) => {}
        Err(ReplayError::Refused(Stop::Stopped)) => return Ok(Mended::Stopped),
        Err(ReplayError::Refused(Stop::Fault(fault))) => return Err(fault),
        Err(ReplayError::Fault(fault)) => return Err(fault.into()),
    }
    files.sync()?;
    let left = begins.and_then(|begins| Some((begins, damage_before(shared, before)?)));
    if shared.mend.is_stopping() {
        return Ok(Mended::Stopped);
    }
    Ok(left.map_or(Mended::Whole(rows.mended()), |(begins, fault)| Mended::Part(lost(begins, &fault))))
}

/// The first damage in the rows before these lengths.
fn damage_before(shared: &Shared, lengths: Lengths) -> Option<history::Fault> {
    let history = shared.dir.folder(HISTORY_DIR);
    match Scan::open(&history, lengths) {
        Ok(Some(scan)) => scan.check(|| !shared.mend.is_stopping()).err(),
        Ok(None) => Some(history::Fault::Foreign { path: history.path().to_owned() }),
        Err(fault) => Some(fault),
    }
}

fn lost(begins: FromSnapshot, fault: &history::Fault) -> String {
    let where_it_is = if begins.is_deleted {
        "was deleted, as --keep-journal without --archive says"
    } else {
        "is archived where it cannot be found (--archive names the folder)"
    };
    format!(
        "a file is damaged, and the journal up to command {}, from which it could be built again, {where_it_is}: {fault}",
        begins.archived
    )
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
