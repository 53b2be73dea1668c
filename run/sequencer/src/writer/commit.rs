//! Making batches durable, and only then letting anything of them be seen (INV-ACK-1, rule J14).

use crate::fault::Fault;
use crate::recovery::history_mark::HistoryMark;
use crate::shared::{EndOnPanic, Shared};
use crate::writer::batch::{Batch, Receipt, cancelled, kept};
use crate::writer::batch_handoff::Taken;
use crate::writer::reply_mailbox::Mailbox;
use buttonwood_engine::{Body, TradingCommand, encode};
use buttonwood_journal::{Buffer, Writer};
use buttonwood_planted::{Bug, planted};
use crossbeam_channel::{Sender, TrySendError};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often an idle exchange on a full disk is asked whether there is room again.
const LOOK_FOR_SPACE: Duration = Duration::from_secs(1);

/// Bytes of history rows that gather before they are written to the files.
const HISTORY_PENDING_MAX: u64 = 256 * 1024;

pub(crate) struct Committer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) writer: Writer,
    pub(crate) buffer: Buffer,
    /// Answers of the batch being published, reused.
    pub(crate) receipts: Vec<Receipt>,
    /// Serving threads with answers of the batch, reused.
    pub(crate) to_wake: Vec<Arc<Mailbox>>,
    pub(crate) snapshots: Sender<u64>,
    /// Commands between two snapshots.
    pub(crate) snapshot_every: u64,
    pub(crate) snapshot_seq: u64,
    /// Whether the last flush of history failed, which is told once.
    pub(crate) history_lags: bool,
    /// How far the history's files have come.
    pub(crate) history_mark: HistoryMark,
}

impl Committer {
    /// Runs until the writer is gone; returns what the last snapshot needs.
    pub(crate) fn run(mut self) -> (Writer, HistoryMark) {
        let mut batch = Batch::default();
        // Behind the batch, so that it ends the process before the batch's callers hear that nothing was done.
        let _end = EndOnPanic("journal");
        loop {
            match self.shared.handoff.take(&mut batch, LOOK_FOR_SPACE) {
                Taken::Batch => {
                    if let Err(fault) = self.commit(&mut batch) {
                        die(&fault);
                    }
                }
                // With little space nothing may come to be appended, and yet space may have been made.
                Taken::Nothing => self.look_for_space(),
                Taken::Closed => return (self.writer, self.history_mark),
            }
        }
    }

    /// Makes a batch durable, and only then shows and answers it.
    ///
    /// # Errors
    /// Nobody can know what is on the disk (rule J1), or the views have come to other balances than the state they follow:
    /// the process must end before anything about the batch leaves it, and recovery decides.
    pub(crate) fn commit(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        if batch.is_full() {
            // The writer waits for room.
            self.shared.wake.unpark();
        }
        self.shared.is_syncing.store(true, Ordering::SeqCst);
        if planted(Bug::AnsweredEarly) || planted(Bug::ShownEarly) {
            return self.commit_early(batch);
        }
        self.shared.admission.batch_taken();
        self.make_durable(batch)?;
        let is_written = self.publish(batch)?;
        self.answer(batch);
        if is_written {
            self.request_snapshot();
        }
        self.shared.admission.batch_done(batch.entries.len());
        batch.clear();
        self.shared.synced(&mut self.to_wake);
        // Last: a thread that is woken may take this one's processor at once.
        for mailbox in self.to_wake.drain(..) {
            mailbox.wake();
        }
        Ok(())
    }

    /// What [`Committer::commit`] must never do, planted to see whether it is noticed.
    fn commit_early(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        self.publish(batch)?;
        if planted(Bug::AnsweredEarly) {
            self.answer(batch);
        }
        self.make_durable(batch)?;
        self.answer(batch);
        batch.clear();
        self.shared.synced(&mut self.to_wake);
        Ok(())
    }

    pub(crate) fn look_for_space(&self) {
        let is_low = self.writer.low_space();
        let was_low = self.shared.low_space.swap(is_low, Ordering::Relaxed);
        if is_low && !was_low {
            tracing::warn!(
                "the disk is nearly full: only cancels are taken until there is room; a small one wants smaller \
                 --segment-bytes and --ballast-bytes"
            );
        } else if was_low && !is_low {
            tracing::info!("there is room on the disk again: all orders are taken");
        }
    }

    /// Encodes and syncs.
    fn make_durable(&mut self, batch: &Batch) -> Result<(), Fault> {
        if batch.entries.is_empty() {
            return Ok(());
        }
        self.buffer.clear();
        for entry in &batch.entries {
            if planted(Bug::LastUnjournaled) && entry.stamp.seq.0.is_multiple_of(64) {
                continue;
            }
            let (events, texts) = (batch.events_of(entry), batch.texts_of(entry));
            self.buffer.push(entry.stamp.seq.0, |out| {
                encode(entry.stamp.time, &entry.command, events, texts, out).expect("a frame fits memory");
            });
        }
        self.buffer.set_fingerprint(batch.fingerprint);
        self.writer.append(&mut self.buffer)?;
        self.look_for_space();
        Ok(())
    }

    /// Shows the batch to the views and words the answers. True when all of its history is in the files, to which a
    /// snapshot would refer.
    ///
    /// # Errors
    /// [`Fault::Diverged`] when the views have not come to the balances that were decided upon: what they show is wrong.
    fn publish(&mut self, batch: &Batch) -> Result<bool, Fault> {
        let mut views = self.shared.views.write();
        for entry in &batch.entries {
            let (events, texts) = (batch.events_of(entry), batch.texts_of(entry));
            if entry.reply.is_some() {
                let listed = if matches!(
                    entry.command.body,
                    Body::Trading(TradingCommand::CancelSession | TradingCommand::CancelAll)
                ) {
                    events
                } else {
                    &[]
                };
                self.receipts.push(Receipt {
                    stamp: entry.stamp,
                    // Before the events are applied: a cancelled order is still there to be told.
                    outcome: entry.outcome.in_full(entry.stamp, events, texts, views.state()),
                    cancelled: cancelled(listed),
                    kept: kept(listed),
                });
            }
            views.apply(entry.stamp, events, texts);
        }
        if let Some(last) = batch.entries.last()
            && views.state().fingerprint() != batch.fingerprint
        {
            // The views stay locked for good: nobody may read them any more.
            std::mem::forget(views);
            return Err(Fault::Diverged { seq: last.stamp.seq.0 });
        }
        // Queries see rows before they are in the files, and replay brings back what never got there.
        if views.history().pending() < HISTORY_PENDING_MAX && !self.is_snapshot_due() && !self.history_lags {
            return Ok(false);
        }
        let flushed = views.flush();
        drop(views);
        if flushed.is_ok() {
            // Only an aid to notice an old journal later: what cannot be written now is tried with the next rows.
            let _ = self.history_mark.write(self.writer.mark().seq);
        }
        match (&flushed, self.history_lags) {
            (Err(fault), false) => tracing::error!(%fault, "history cannot be written; it is kept in memory"),
            (Ok(()), true) => tracing::info!("history is written again"),
            (Err(_), true) | (Ok(()), false) => {}
        }
        self.history_lags = flushed.is_err();
        Ok(flushed.is_ok())
    }

    /// Answers the callers once the views show the batch: so a client reads its own writes. Serving threads are still
    /// to be woken.
    fn answer(&mut self, batch: &mut Batch) {
        self.shared.admission.answered(self.receipts.len());
        if planted(Bug::AnswersExchanged) {
            self.receipts.reverse();
        }
        let replies = batch.entries.iter_mut().filter_map(|entry| entry.reply.take());
        for (reply, receipt) in replies.zip(self.receipts.drain(..)) {
            reply.send(receipt, &mut self.to_wake);
        }
        for (time, reply) in batch.moved.drain(..) {
            let _ = reply.send(time);
        }
    }

    fn is_snapshot_due(&self) -> bool {
        let is_last = planted(Bug::SnapshotsEnd) && self.snapshot_seq > 0;
        self.writer.mark().seq - self.snapshot_seq >= self.snapshot_every && !is_last
    }

    fn request_snapshot(&mut self) {
        if !self.is_snapshot_due() {
            return;
        }
        let seq = self.writer.mark().seq;
        match self.snapshots.try_send(seq) {
            Ok(()) => self.snapshot_seq = seq,
            // The last one is still being made.
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

/// Ends the process at once: nothing that was not synced may be acknowledged, by anyone, ever, nor anything be built on a
/// state that breaks a law.
pub(crate) fn die(fault: &dyn std::error::Error) -> ! {
    // Standard error may be a file on the disk that just failed; the end must not depend on it.
    let _ = writeln!(io::stderr(), "buttonwood: {fault}; stopping before anything more is acknowledged");
    std::process::abort();
}
