//! An exchange without threads: the caller takes each thread's turns.
//!
//! The parts are the product's own. A simulator that orders the turns, moves the clock and owns the disk runs the real
//! code, and the same order of turns gives the same run.

use crate::Fault;
use crate::care::archive::Archiver;
use crate::care::checkpoint;
use crate::care::mend;
use crate::care::scrub::Scrub;
use crate::clock::Clock;
use crate::exchange::{Exchange, Options, Parts, finish};
use crate::recovery::Recovered;
use crate::shared::Submission;
use crate::writer::TurnThread;
use crate::writer::batch::Batch;
use crate::writer::batch_handoff::Taken;
use buttonwood_engine::State;
use buttonwood_journal as journal;
use parking_lot::MutexGuard;
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An exchange run by one caller.
pub struct Stepped {
    parts: Parts,
    batch: Batch,
    scrub: Scrub,
    began: Instant,
}

impl Stepped {
    /// An exchange of a directory that was recovered without threads.
    pub fn new(recovered: Recovered, clock: Clock, options: Options) -> Self {
        let parts = Parts::of(recovered, clock, options);
        let scrub = Scrub::new(&parts.dir);
        let began = parts.began;
        Self { parts, batch: Batch::default(), scrub, began }
    }

    /// Closes batches after this many commands, so that a crash can fall between any two of them.
    pub fn limit_batches(&mut self, commands: usize) {
        self.parts.exchange.shared.writer.lock().limit_batches(commands);
    }

    /// The handle to the exchange.
    pub fn exchange(&self) -> &Exchange {
        &self.parts.exchange
    }

    /// The writer's state: decided, not all of it durable.
    pub fn state(&self) -> impl Deref<Target = State> {
        MutexGuard::map(self.parts.exchange.shared.writer.lock(), |writer| &mut writer.state)
    }

    /// A turn of the writer at `elapsed` after the beginning: decides what queued and what fell due.
    pub fn decide(&mut self, elapsed: Duration) {
        let shared = &self.parts.exchange.shared;
        shared.writer.lock().turn(self.began + elapsed, shared, TurnThread::OwnThread);
    }

    /// A turn of the journal's thread: makes what was decided durable, visible and answered. `false` when there was
    /// nothing.
    ///
    /// # Errors
    /// The process must end: whether the batch is durable is unknown.
    pub fn commit(&mut self) -> Result<bool, Fault> {
        let Parts { exchange, committer, .. } = &mut self.parts;
        match exchange.shared.handoff.take_now(&mut self.batch) {
            Taken::Batch => committer.commit(&mut self.batch).map(|()| true),
            Taken::Nothing | Taken::Closed => {
                committer.look_for_space();
                Ok(false)
            }
        }
    }

    /// A stop at `elapsed` after the beginning, as [`Running::stop`](crate::Running::stop): finishes what queued, then
    /// writes a snapshot.
    ///
    /// # Errors
    /// As there.
    pub fn stop(&mut self, elapsed: Duration) -> Result<(), Fault> {
        let shared = Arc::clone(&self.parts.exchange.shared);
        // A full queue has no room for it until the writer takes a turn.
        while shared.send(Submission::Stop).is_err() {
            self.decide(elapsed);
            self.commit()?;
        }
        loop {
            self.decide(elapsed);
            if !self.commit()? && shared.queue.is_empty() {
                break;
            }
        }
        let Parts { dir, committer, .. } = &mut self.parts;
        finish(dir, &shared, committer.writer.mark(), &mut committer.history_mark)
    }

    /// A turn of the thread that prepares segments.
    ///
    /// # Errors
    /// The process must end.
    pub fn prepare(&self) -> Result<(), Fault> {
        self.parts.committer.writer.prepare().map_err(Fault::Journal)
    }

    /// A turn of the snapshots' thread; the sequence of the snapshot if one was due.
    ///
    /// # Errors
    /// A snapshot could not be made; the exchange goes on without.
    pub fn checkpoint(&mut self) -> Result<Option<u64>, Fault> {
        let Ok(seq) = self.parts.to_snapshot.try_recv() else { return Ok(None) };
        let Parts { exchange, dir, archive, .. } = &self.parts;
        checkpoint::make(dir, archive.as_ref(), &exchange.shared, seq).map(|mark| Some(mark.seq))
    }

    /// A turn of the thread that mends the history's files, after damage was found; what is left of it.
    pub fn mend(&self) -> Option<String> {
        mend::step(&self.parts.exchange.shared);
        self.parts.exchange.history_trouble()
    }

    /// A turn of the archive: the oldest segment is moved, if it may be moved; the last archived command.
    ///
    /// # Errors
    /// It could not be moved. The exchange goes on.
    pub fn archive(&self) -> Result<Option<u64>, Fault> {
        let Parts { exchange, dir, archive, .. } = &self.parts;
        Archiver::new(dir, archive.clone()).step(exchange.now())
    }

    /// A turn of the scrub: the next sealed segment is read.
    ///
    /// # Errors
    /// The segment is damaged. The exchange goes on, and an operator must know.
    pub fn scrub(&mut self) -> Result<Option<u64>, journal::Fault> {
        self.scrub.read_next()
    }
}

impl std::fmt::Debug for Stepped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stepped").field("state", &self.state().stamp()).finish_non_exhaustive()
    }
}
