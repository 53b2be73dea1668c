//! The handle that edges use to submit commands and read views, and the threads of an exchange.

mod history_query;

use crate::Fault;
use crate::care::archive::Archive;
use crate::care::checkpoint;
use crate::care::mend;
use crate::care::reserves;
use crate::care::tables::{self, Place};
use crate::clock::Clock;
use crate::outlet::Listener;
use crate::recovery::history_mark::HistoryMark;
use crate::recovery::verify::check_laws;
use crate::recovery::{JOURNAL_DIR, Recovered, flush_if_room};
use crate::shared::{AbortOnPanic, Move, Shared, Submission};
use crate::writer::commit::Committer;
use crate::writer::receipt::Receipt;
use crate::writer::reply_mailbox::{self, Pending, Reply};
use crate::writer::{self, Writer};
use buttonwood_disk::Folder;
use buttonwood_engine::{Command, Made, Reject, Workspace, decide};
use buttonwood_journal as journal;
use buttonwood_model::{ConnectionId, Nonce, Seq, SessionId, Stamp, Time};
use buttonwood_views::Views;
use crossbeam_channel::{Receiver, bounded};
use crossbeam_utils::sync::Parker;
use parking_lot::RwLockReadGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::sync::oneshot;

/// How an exchange runs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Commands between two snapshots.
    pub snapshot_every: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { snapshot_every: 1_000_000 }
    }
}

/// The queue is full, or the exchange is stopping. The caller may try again later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

/// A handle to a running exchange; cheap to clone.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub(crate) shared: Arc<Shared>,
}

/// The threads of a running exchange.
#[derive(Debug)]
pub struct Running {
    exchange: Exchange,
    dir: Folder,
    writer: JoinHandle<()>,
    committer: JoinHandle<(journal::Writer, HistoryMark)>,
    checkpointer: JoinHandle<()>,
    mender: JoinHandle<()>,
    tables: JoinHandle<()>,
    reserves: JoinHandle<()>,
}

/// The parts of an exchange before its threads start.
pub(crate) struct Parts {
    pub(crate) exchange: Exchange,
    pub(crate) dir: Folder,
    pub(crate) archive: Option<Archive>,
    /// Where the writer's thread waits.
    pub(crate) parker: Parker,
    /// When the writer began.
    pub(crate) began: Instant,
    pub(crate) committer: Committer,
    /// Sequences of which a snapshot is to be made.
    pub(crate) to_snapshot: Receiver<u64>,
}

impl Parts {
    pub(crate) fn of(recovered: Recovered, clock: Clock, options: Options) -> Self {
        let Recovered { dir, archive, views, writer, history_mark, snapshot_seq, damage, .. } = recovered;
        let state = views.state().clone();
        let (parker, began) = (Parker::new(), Instant::now());
        let (snapshots, to_snapshot) = bounded(1);
        let shared = Arc::new(Shared::new(
            dir.clone(),
            Archive::folder_of(archive.as_ref()),
            views,
            Writer::new(state, began),
            clock,
            parker.unparker().clone(),
        ));
        shared.writer.lock().watch_sessions(&shared);
        if let Some(fault) = damage {
            shared.mend.note(&fault, 0);
        }
        let committer = Committer {
            shared: Arc::clone(&shared),
            writer,
            buffer: journal::Buffer::new(),
            receipts: Vec::new(),
            told: None,
            to_wake: Vec::new(),
            snapshots,
            snapshot_every: options.snapshot_every,
            snapshot_bytes: Archive::snapshot_bytes(archive.as_ref()),
            snapshot_seq,
            journaled: 0,
            history_lags: false,
            history_mark,
        };
        let exchange = Exchange { shared };
        Self { exchange, dir, archive, parker, began, committer, to_snapshot }
    }
}

impl Exchange {
    /// Starts the threads of a recovered directory.
    ///
    /// # Errors
    /// [`Fault::Thread`] when the system refuses one.
    pub fn start(recovered: Recovered, clock: Clock, options: Options) -> Result<Running, Fault> {
        let Parts { exchange, dir, archive, parker, committer, to_snapshot, .. } =
            Parts::of(recovered, clock, options);
        let (shared, checkpoint_dir) = (Arc::clone(&exchange.shared), dir.clone());
        let (writing, followed) = (Arc::clone(&shared), Arc::clone(&shared));
        let (proved, mended) = (Arc::clone(&shared), Arc::clone(&shared));
        let place = Place::of(&dir, committer.writer.id());
        Ok(Running {
            exchange,
            dir,
            writer: spawn_vital("sequencer", move || writer::run(&writing, &parker))?,
            committer: spawn("journal", move || committer.run())?,
            checkpointer: spawn_vital("snapshots", move || {
                checkpoint::run(&checkpoint_dir, archive.as_ref(), &shared, &to_snapshot);
            })?,
            mender: spawn("mender", move || mend::run(&mended))?,
            tables: spawn("tables", move || tables::run(place, &followed))?,
            reserves: spawn("reserves", move || reserves::run(&proved))?,
        })
    }

    /// Queues a command; its answer comes once it is durable.
    ///
    /// # Errors
    /// [`Busy`] when the queue is full.
    pub fn submit(&self, command: Command) -> Result<Pending, Busy> {
        self.submit_at(command, self.shared.meters.switch.now())
    }

    /// The same for a caller that has read the clock, so that it is read once. Without a time, the command's time in the
    /// queue is not measured.
    ///
    /// # Errors
    /// [`Busy`] when the queue is full.
    pub fn submit_at(&self, command: Command, at: Option<Instant>) -> Result<Pending, Busy> {
        let (reply, pending) = Pending::new(at);
        self.shared.send(Submission::Command(command, Some(reply))).map(|()| pending)
    }

    /// Whether a new order is admitted. It is not while the commands in flight would delay its answer too much. Cancels
    /// need not check.
    pub fn has_room(&self) -> bool {
        self.shared.admission.has_room()
    }

    /// What a command of an operator would make now, as of the last published batch. Nothing is changed.
    ///
    /// # Errors
    /// Why the command would be refused.
    pub fn try_out(&self, command: &Command) -> Result<Made, Reject> {
        if self.is_short_of_space() && !command.body.is_reducing() {
            return Err(Reject::NoRoom);
        }
        let views = self.views();
        let last = views.state().stamp();
        let stamp = Stamp { seq: Seq(last.seq.0 + 1), time: self.now().max(last.time) };
        decide(views.state(), command, stamp, &mut Workspace::default()).made()
    }

    /// Executes a command and blocks until its answer arrives.
    ///
    /// # Errors
    /// [`Busy`] when the queue is full or the exchange stops.
    pub fn execute(&self, command: Command) -> Result<Receipt, Busy> {
        let (reply, receipt) = oneshot::channel();
        self.shared
            .send(Submission::Command(command, Some(Reply::over(reply, self.shared.meters.switch.now()))))?;
        receipt.blocking_recv().map_err(|_| Busy)
    }

    /// Makes the calling thread a serving thread: its commands gather, and its answers arrive in a mailbox. The future
    /// handles both. It must run on the same thread, in a tokio runtime with local tasks only.
    pub fn open_mailbox(&self) -> impl Future<Output = ()> + use<> {
        let serving = reply_mailbox::open(Arc::clone(&self.shared));
        async move {
            // A panic would end only this task, and the thread's callers would wait forever.
            let _end = AbortOnPanic("serving");
            serving.await;
        }
    }

    /// The views, as of the last published batch.
    pub fn views(&self) -> RwLockReadGuard<'_, Views> {
        self.shared.views.read()
    }

    /// Listens to what happens from now on, once it is durable. One listener at a time: a later one takes the place of the former.
    pub fn listen(&self) -> Listener {
        Listener::new(Arc::clone(&self.shared.outlet))
    }

    /// The exchange's time.
    pub fn now(&self) -> Time {
        self.shared.clock.now()
    }

    /// The time that measures silence: the exchange's own with a manual clock, otherwise a monotonic one.
    pub fn steady(&self) -> Time {
        self.shared.clock.steady()
    }

    /// Whether the disk is so full that only cancels are taken.
    pub fn is_short_of_space(&self) -> bool {
        self.shared.low_space.load(Ordering::Relaxed)
    }

    /// Whether the clock is moved by hand.
    pub fn has_manual_clock(&self) -> bool {
        self.shared.clock.is_manual()
    }

    /// Notes the steady time of the last authenticated call of a session with Require Heartbeat (SES-012).
    pub fn heard(&self, session: SessionId, at: Time) {
        if session.is_held() {
            self.shared.idle.heard(session, at);
        } else {
            self.shared.heartbeats.heard(session, at);
        }
    }

    /// How long a browser's session may still be without use, in microseconds.
    pub fn silence_left(&self, session: SessionId) -> Option<u64> {
        self.shared.idle.left(session, self.steady())
    }

    /// Notes the nonce of a read. It is journaled soon, and the read does not wait for it (D-08a).
    pub fn note_nonce(&self, session: SessionId, nonce: Nonce) {
        let mut nonces = self.shared.nonces.lock();
        nonces.push((session, nonce));
        let first = nonces.len() == 1;
        drop(nonces);
        if first && self.shared.send(Submission::NoncesWaiting).is_err() {
            // The queue is full, so a batch is in progress; the next read tries again.
            tracing::debug!("nonces of reads wait for room in the queue");
        }
    }

    /// Closes a connection that cancels on disconnect: its live orders are cancelled, and those of its orders that wait in the queue are
    /// refused (D-150). A full queue delays it no more than one turn of the writer.
    pub fn lose(&self, connection: ConnectionId) {
        self.shared.lost.lock().push(connection);
        self.shared.wake.unpark();
    }

    /// Moves a manual clock; answers when everything that fell due on the way is durable.
    ///
    /// # Errors
    /// [`Busy`] when the queue is full.
    pub fn advance(&self, to: Time) -> Result<oneshot::Receiver<Time>, Busy> {
        self.move_clock(to, false)
    }

    /// The same in a sandbox, where the sessions of browsers move along: to the people at the pages no time has passed (D-292). Both are one
    /// submission, so a move that is refused extends no session.
    ///
    /// # Errors
    /// As [`Exchange::advance`].
    pub fn advance_with_browsers(&self, to: Time) -> Result<oneshot::Receiver<Time>, Busy> {
        self.move_clock(to, true)
    }

    fn move_clock(&self, to: Time, keeps_browsers: bool) -> Result<oneshot::Receiver<Time>, Busy> {
        let (reply, moved) = oneshot::channel();
        self.shared.send(Submission::Advance(Move { to, keeps_browsers, reply })).map(|()| moved)
    }
}

impl Running {
    /// The handle to the exchange.
    pub fn exchange(&self) -> Exchange {
        self.exchange.clone()
    }

    /// Stops: finishes what was queued, then writes a snapshot.
    ///
    /// # Errors
    /// [`Fault`] when the snapshot cannot be written, or when a law does not hold, so that the state must not become a
    /// snapshot. Everything acknowledged is in the journal in both cases.
    ///
    /// # Panics
    /// When a thread of the exchange has panicked.
    pub fn stop(self) -> Result<(), Fault> {
        let Self { exchange, dir, writer, committer, checkpointer, mender, tables, reserves } = self;
        // The queue may be full for a moment; the writer is emptying it.
        while exchange.shared.send(Submission::Stop).is_err() && !writer.is_finished() {
            std::thread::yield_now();
        }
        writer.join().expect("the writer ends when told to");
        let (journal, mut history_mark) = committer.join().expect("the committer ends after the writer");
        checkpointer.join().expect("the checkpointer ends after the committer");
        exchange.shared.mend.stop();
        exchange.shared.tables.stop();
        exchange.shared.reserves.stop();
        mender.join().expect("the thread that mends ends when told to");
        reserves.join().expect("the thread of the reserves ends when told to");
        tables.join().expect("the thread of the tables ends when told to");
        finish(&dir, &exchange.shared, journal.mark(), &mut history_mark)
    }
}

/// The last steps after all threads ended: flush the history to its files, then write a snapshot.
pub(crate) fn finish(
    dir: &Folder,
    shared: &Shared,
    mark: journal::Mark,
    history_mark: &mut HistoryMark,
) -> Result<(), Fault> {
    let mut views = shared.views.write();
    if let Some(full) = flush_if_room(&mut views)? {
        tracing::warn!(%full, "no snapshot is made: a start replays the journal instead");
        return Ok(());
    }
    views.history().sync()?;
    let index = views.history().index().clone();
    history_mark.write(mark.seq).map_err(Fault::HistoryMark)?;
    if mark.seq > 0 {
        check_laws(views.fold())?;
        shared.meters.laws_hold(mark.seq);
        match checkpoint::write(&dir.folder(JOURNAL_DIR), &mark, views.fold_mut(), &index) {
            Err(Fault::Journal(full)) if full.is_full() => {
                tracing::warn!(%full, "no snapshot is made: a start replays the journal instead");
            }
            outcome => outcome?,
        }
    }
    Ok(())
}

/// Starts a thread whose panic ends the process before anything undurable leaves it. Recovery then decides.
fn spawn_vital<T: Send + 'static>(
    name: &'static str,
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, Fault> {
    spawn(name, move || {
        let _end = AbortOnPanic(name);
        run()
    })
}

fn spawn<T: Send + 'static>(
    name: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, Fault> {
    std::thread::Builder::new().name(name.to_owned()).spawn(run).map_err(Fault::Thread)
}

#[cfg(test)]
mod tests;
