//! The state that the threads of an exchange share, and how they wake each other.

use crate::care::heartbeats::Heartbeats;
use crate::care::idle::Idle;
use crate::care::mend::MendMark;
use crate::care::reserves::ReservesMark;
use crate::care::tables::TablesMark;
use crate::clock::Clock;
use crate::exchange::Busy;
use crate::meters::Meters;
use crate::outlet::Outlet;
use crate::writer::Writer;
use crate::writer::admission::Admission;
use crate::writer::batch_handoff::BatchHandoff;
use crate::writer::reply_mailbox::{self, Mailbox, Reply};
use buttonwood_disk::Folder;
use buttonwood_engine::Command;
use buttonwood_model::{ConnectionId, Nonce, SessionId, SymbolId, Time};
use buttonwood_views::Views;
use buttonwood_views::history::Stretched;
use crossbeam_queue::ArrayQueue;
use crossbeam_utils::sync::Unparker;
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;

/// Commands in the queue at most; the next one is refused at once.
const QUEUE: usize = 8_192;

/// Commands that gather before they are decided although the serving thread is still busy. A sync costs about as much
/// processor time as ten commands, which is small for a batch of this size. With more, the disk would be idle for
/// longer.
pub(crate) const GATHERED: usize = 48;

/// A submission in the writer's queue.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every submission is a command, and boxing it would allocate"
)]
pub(crate) enum Submission {
    Command(Command, Option<Reply>),
    Advance(Move),
    NoncesWaiting,
    Stop,
}

/// A move of a manual clock.
#[derive(Debug)]
pub(crate) struct Move {
    pub(crate) to: Time,
    /// Whether the ends of browsers' sessions move along.
    pub(crate) keeps_browsers: bool,
    pub(crate) reply: oneshot::Sender<Time>,
}

/// The shared state.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The data directory.
    pub(crate) dir: Folder,
    /// Where archived segments of the journal are looked for.
    pub(crate) archive: Option<Folder>,
    pub(crate) views: RwLock<Views>,
    pub(crate) clock: Clock,
    pub(crate) heartbeats: Heartbeats,
    /// The last uses of browsers.
    pub(crate) idle: Idle,
    /// Nonces of reads that are in no batch yet.
    pub(crate) nonces: Mutex<Vec<(SessionId, Nonce)>>,
    /// Connections that have ended and are not closed yet (D-150).
    pub(crate) lost: Mutex<Vec<ConnectionId>>,
    pub(crate) low_space: AtomicBool,
    pub(crate) queue: ArrayQueue<Submission>,
    /// The writer; the thread that holds the lock decides what queued.
    pub(crate) writer: Mutex<Writer>,
    /// The commands in flight, and whether more are admitted.
    pub(crate) admission: Admission,
    /// The batch that the writer fills and the committing thread takes.
    pub(crate) handoff: BatchHandoff,
    /// Whether a batch is being made durable.
    pub(crate) is_syncing: AtomicBool,
    /// For each symbol, how its trailing 24 hours last began.
    pub(crate) stretches: Mutex<BTreeMap<SymbolId, Stretched>>,
    /// Serving threads to wake after the sync in flight.
    pub(crate) deferred: Mutex<Vec<Arc<Mailbox>>>,
    /// Whether the history's files are being mended.
    pub(crate) mend: MendMark,
    /// How far the history's database has come.
    pub(crate) tables: TablesMark,
    /// Proofs of reserves.
    pub(crate) reserves: ReservesMark,
    /// The metrics.
    pub(crate) meters: Meters,
    /// Happenings on their way to the streams.
    pub(crate) outlet: Arc<Outlet>,
    is_closed: AtomicBool,
    #[cfg(test)]
    pub(crate) planted: crate::poison::planted::Planted,
    /// Wakes the writer's thread.
    pub(crate) wake: Unparker,
}

impl Shared {
    /// Nothing queued, nothing in flight.
    pub(crate) fn new(
        dir: Folder,
        archive: Option<Folder>,
        views: Views,
        writer: Writer,
        clock: Clock,
        wake: Unparker,
    ) -> Self {
        Self {
            dir,
            archive,
            views: RwLock::new(views),
            heartbeats: Heartbeats::new(clock.steady()),
            idle: Idle::default(),
            clock,
            nonces: Mutex::new(Vec::new()),
            lost: Mutex::default(),
            low_space: AtomicBool::new(false),
            queue: ArrayQueue::new(QUEUE),
            writer: Mutex::new(writer),
            admission: Admission::default(),
            handoff: BatchHandoff::default(),
            is_syncing: AtomicBool::new(false),
            stretches: Mutex::default(),
            deferred: Mutex::default(),
            mend: MendMark::default(),
            tables: TablesMark::default(),
            reserves: ReservesMark::default(),
            meters: Meters::default(),
            outlet: Arc::default(),
            is_closed: AtomicBool::new(false),
            #[cfg(test)]
            planted: crate::poison::planted::Planted::default(),
            wake,
        }
    }

    /// Queues a submission and wakes the writer's thread. Commands of a serving thread are decided once many have
    /// gathered or once the thread has no more, so that a batch costs one sync and not one wake-up per command.
    pub(crate) fn send(&self, submission: Submission) -> Result<(), Busy> {
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(Busy);
        }
        let wants_answer = matches!(submission, Submission::Command(_, Some(_)));
        self.queue.push(submission).map_err(|_| Busy)?;
        if wants_answer {
            self.admission.submitted();
        }
        if self.is_closed.load(Ordering::SeqCst) {
            // The writer may have ended in between. Submissions that it did not take are dropped, and their callers are
            // notified. This one may have been taken; then it has its answer.
            self.drain();
            return Ok(());
        }
        if !reply_mailbox::note_submission() {
            self.wake.unpark();
        } else if self.queue.len().is_multiple_of(GATHERED) {
            self.decide_here();
        }
        Ok(())
    }

    /// Decides on this thread what has queued. If another thread holds the writer, the writer's own thread takes what
    /// that one leaves.
    fn decide_here(&self) {
        let Some(mut writer) = self.writer.try_lock() else { return self.wake.unpark() };
        let _end = AbortOnPanic("sequencer");
        if self.is_closed.load(Ordering::SeqCst) {
            return self.drain();
        }
        let is_wanted = writer.turn_for(self);
        drop(writer);
        if is_wanted {
            self.wake.unpark();
        }
    }

    /// Decides the commands of a serving thread that has no more for now. During a sync it waits instead: the longer a
    /// batch gathers, the more commands share its sync. The thread is woken after the sync and comes again.
    pub(crate) fn decide_gathered(&self, mailbox: &Arc<Mailbox>) {
        if self.queue.is_empty() {
            return;
        }
        if self.is_syncing.load(Ordering::SeqCst) {
            if mailbox.defer() {
                self.deferred.lock().push(Arc::clone(mailbox));
            }
            if self.is_syncing.load(Ordering::SeqCst) {
                return;
            }
        }
        self.decide_here();
    }

    /// The sync in flight is over: serving threads that deferred their commands are woken too.
    pub(crate) fn synced(&self, to_wake: &mut Vec<Arc<Mailbox>>) {
        self.is_syncing.store(false, Ordering::SeqCst);
        for mailbox in self.deferred.lock().drain(..) {
            mailbox.resume();
            reply_mailbox::wake_later(to_wake, mailbox);
        }
    }

    /// The writer has ended: no more submissions are taken, and the callers of those in the queue are notified.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.drain();
        self.handoff.close();
    }

    fn drain(&self) {
        while self.queue.pop().is_some() {}
    }
}

/// Ends the process if the thread panics while this guard is held: the state it protects can no longer be trusted.
#[derive(Debug)]
pub struct AbortOnPanic(pub &'static str);

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            say_last(format_args!("the {} thread has panicked; stopping at once", self.0));
            std::process::abort();
        }
    }
}

/// Logs why the process ends; without a log, or with one that is off, writes it to standard error. Either may be a file on a failed disk: the line is
/// then lost, and the process ends all the same.
pub(crate) fn say_last(why: std::fmt::Arguments<'_>) {
    if tracing::event_enabled!(tracing::Level::ERROR) {
        tracing::error!("{why}");
    } else {
        let _ = writeln!(io::stderr(), "buttonwood: {why}");
    }
}
