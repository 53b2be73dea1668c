//! What the threads of an exchange share, and how they wake one another.

use crate::care::heartbeats::Heartbeats;
use crate::clock::Clock;
use crate::exchange::Busy;
use crate::writer::Writer;
use crate::writer::admission::Admission;
use crate::writer::batch_handoff::BatchHandoff;
use crate::writer::reply_mailbox::{self, Mailbox, Reply};
use buttonwood_engine::Command;
use buttonwood_model::{Nonce, SessionId, Time};
use buttonwood_views::Views;
use crossbeam_queue::ArrayQueue;
use crossbeam_utils::sync::Unparker;
use parking_lot::{Mutex, RwLock};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;

/// Commands that may wait for the writer; the next one is refused at once.
const QUEUE: usize = 8_192;

/// Commands that gather before they are decided though the serving thread is still busy. A sync costs about as much
/// processor time as ten commands, which so many make small; more would leave the disk idle for longer.
pub(crate) const GATHERED: usize = 48;

/// What may queue for the writer.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every submission is a command, and boxing it would allocate"
)]
pub(crate) enum Submission {
    Command(Command, Option<Reply>),
    Advance(Time, oneshot::Sender<Time>),
    NoncesWaiting,
    Stop,
}

/// All of it.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) views: RwLock<Views>,
    pub(crate) clock: Clock,
    pub(crate) heartbeats: Heartbeats,
    /// Nonces that reads have used and no batch has yet.
    pub(crate) nonces: Mutex<Vec<(SessionId, Nonce)>>,
    pub(crate) low_space: AtomicBool,
    pub(crate) queue: ArrayQueue<Submission>,
    /// Decides what queued, for whoever holds it.
    pub(crate) writer: Mutex<Writer>,
    /// What is on its way, and whether more may be.
    pub(crate) admission: Admission,
    /// What the writer has decided and the committing thread has not taken yet.
    pub(crate) handoff: BatchHandoff,
    /// Whether a batch is being made durable.
    pub(crate) is_syncing: AtomicBool,
    /// Serving threads to be rung when it is.
    pub(crate) deferred: Mutex<Vec<Arc<Mailbox>>>,
    is_closed: AtomicBool,
    /// Wakes the writer's thread.
    pub(crate) wake: Unparker,
}

impl Shared {
    /// Nothing queued, nothing in flight.
    pub(crate) fn new(views: Views, writer: Writer, clock: Clock, wake: Unparker) -> Self {
        Self {
            views: RwLock::new(views),
            heartbeats: Heartbeats::new(clock.steady()),
            clock,
            nonces: Mutex::new(Vec::new()),
            low_space: AtomicBool::new(false),
            queue: ArrayQueue::new(QUEUE),
            writer: Mutex::new(writer),
            admission: Admission::default(),
            handoff: BatchHandoff::default(),
            is_syncing: AtomicBool::new(false),
            deferred: Mutex::default(),
            is_closed: AtomicBool::new(false),
            wake,
        }
    }

    /// Queues a submission and wakes the writer's thread. What a serving thread brings is decided once many have gathered,
    /// or when that thread has no more to bring: batches form on one sync's account, not on one wake-up's each.
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
            // The writer has left, perhaps in between: what nobody will take is dropped, and its caller told so. It may have
            // been taken, and then has its answer.
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

    /// Decides on this thread what has queued; if another one is at it, the writer's own takes what that one leaves.
    fn decide_here(&self) {
        let Some(mut writer) = self.writer.try_lock() else { return self.wake.unpark() };
        let _end = EndOnPanic("sequencer");
        if self.is_closed.load(Ordering::SeqCst) {
            return self.drain();
        }
        let is_wanted = writer.turn_for(self);
        drop(writer);
        if is_wanted {
            self.wake.unpark();
        }
    }

    /// A serving thread has no more to bring for now. While a sync is in flight there is no hurry, and the longer a
    /// batch gathers, the fewer commands pay for its sync: the thread is rung when it is over, and comes again.
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

    /// The sync in flight is over: serving threads that left commands for after it are to be woken too.
    pub(crate) fn synced(&self, to_wake: &mut Vec<Arc<Mailbox>>) {
        self.is_syncing.store(false, Ordering::SeqCst);
        for mailbox in self.deferred.lock().drain(..) {
            mailbox.resume();
            reply_mailbox::wake_later(to_wake, mailbox);
        }
    }

    /// The writer has left: nobody waits for an answer any more.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.drain();
        self.handoff.close();
    }

    fn drain(&self) {
        while self.queue.pop().is_some() {}
    }
}

/// Ends the process when the thread panics while it is held: what is named here can then not be trusted any more.
#[derive(Debug)]
pub struct EndOnPanic(pub &'static str);

impl Drop for EndOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ =
                writeln!(io::stderr(), "buttonwood: the {} thread has panicked; stopping at once", self.0);
            std::process::abort();
        }
    }
}
