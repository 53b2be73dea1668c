//! Makes batches durable, and only then visible (INV-ACK-1, rule J14).

use crate::fault::Fault;
use crate::poison::Poison;
#[cfg(test)]
use crate::poison::planted;
use crate::recovery::history_mark::HistoryMark;
use crate::shared::{AbortOnPanic, Shared, say_last};
use crate::writer::batch::Batch;
use crate::writer::batch_handoff::Taken;
use crate::writer::receipt::{Receipt, Row};
use crate::writer::reply_mailbox::Mailbox;
use buttonwood_engine::encode;
use buttonwood_journal::{Buffer, Writer};
use buttonwood_model::Stamp;
use buttonwood_views::{Told, Views};
use crossbeam_channel::{Sender, TrySendError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often an idle exchange on a full disk checks for free space.
const LOOK_FOR_SPACE: Duration = Duration::from_secs(1);

/// Bytes of history rows that gather before they are written to the files.
const HISTORY_PENDING_MAX: u64 = 256 * 1024;

pub(crate) struct Committer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) writer: Writer,
    pub(crate) buffer: Buffer,
    /// Answers of the batch being published; the allocation is reused.
    pub(crate) receipts: Vec<Receipt>,
    /// The happenings of the batch, for the streams.
    pub(crate) told: Option<Told>,
    /// Mailboxes with answers of the batch; the allocation is reused.
    pub(crate) to_wake: Vec<Arc<Mailbox>>,
    pub(crate) snapshots: Sender<u64>,
    /// Commands between two snapshots.
    pub(crate) snapshot_every: u64,
    /// Bytes of journal between two snapshots.
    pub(crate) snapshot_bytes: u64,
    pub(crate) snapshot_seq: u64,
    /// Bytes of journal since the last snapshot was requested.
    pub(crate) journaled: u64,
    /// Whether the last flush of history failed; logged once.
    pub(crate) history_lags: bool,
    /// The mark of how far the history's files have come.
    pub(crate) history_mark: HistoryMark,
}

impl Committer {
    /// Runs until the writer has ended; returns what the last snapshot needs.
    pub(crate) fn run(mut self) -> (Writer, HistoryMark) {
        let mut batch = Batch::default();
        // Declared after the batch, so that on a panic it aborts before the batch's callers are notified.
        let _end = AbortOnPanic("journal");
        loop {
            match self.shared.handoff.take(&mut batch, LOOK_FOR_SPACE) {
                Taken::Batch => {
                    if let Err(fault) = self.commit(&mut batch) {
                        die(&fault);
                    }
                }
                // On a nearly full disk no batch may come, and yet space may have become free.
                Taken::Nothing => self.look_for_space(),
                Taken::Closed => return (self.writer, self.history_mark),
            }
        }
    }

    /// Makes a batch durable, then publishes and answers it.
    ///
    /// # Errors
    /// The content of the disk is unknown (rule J1), or the views have other balances than the state. The process must
    /// end before anything of the batch leaves it; recovery decides.
    pub(crate) fn commit(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        if batch.is_full() {
            // The writer waits for room.
            self.shared.wake.unpark();
        }
        self.shared.is_syncing.store(true, Ordering::SeqCst);
        self.shared.admission.batch_taken();
        let commands = batch.entries.len();
        let taken = self.shared.meters.taken(batch);
        self.make_durable(batch)?;
        let durable = self.shared.meters.durable(taken, commands, self.writer.last_sync());
        let is_written = self.publish(batch)?;
        self.answer(batch);
        if let Some(told) = self.told.take() {
            self.shared.outlet.publish(told);
        }
        self.shared.meters.published(durable, commands);
        if is_written {
            self.request_snapshot();
        }
        if batch.is_journaled {
            self.shared.admission.batch_done(commands);
        } else {
            self.shared.admission.batch_dropped();
        }
        batch.clear();
        self.shared.synced(&mut self.to_wake);
        // Last, since a woken thread may take this one's processor at once.
        for mailbox in self.to_wake.drain(..) {
            mailbox.wake();
        }
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
        if !batch.is_journaled {
            return Ok(());
        }
        self.buffer.clear();
        for entry in batch.entries.iter().filter(|entry| entry.is_journaled) {
            let (events, texts) = (batch.events_of(entry), batch.texts_of(entry));
            self.buffer.push(entry.stamp.seq.0, |out| {
                encode(entry.stamp.time, &entry.command, events, texts, out).expect("a frame fits memory");
            });
        }
        self.buffer.set_fingerprint(batch.fingerprint);
        let before = self.writer.mark();
        let after = self.writer.append(&mut self.buffer)?;
        let begin = if before.segment == after.segment { before.offset } else { 0 };
        self.journaled += after.offset - begin;
        self.look_for_space();
        Ok(())
    }

    /// Applies the batch to the views and builds the answers. `true` when all of its history is in the files, which a
    /// snapshot requires.
    ///
    /// # Errors
    /// [`Fault::Diverged`] when the views have other balances than the state: they would show wrong figures. [`Fault::Poison`] when
    /// they cannot follow a command.
    fn publish(&mut self, batch: &Batch) -> Result<bool, Fault> {
        let mut receipts = std::mem::take(&mut self.receipts);
        let mut views = self.shared.views.write();
        views.tell(self.shared.outlet.is_open());
        let followed = self.follow(batch, &mut views, &mut receipts);
        self.told = views.take_told();
        self.receipts = receipts;
        if let Err(poison) = followed {
            // The views stay locked: no thread may read them any more.
            std::mem::forget(views);
            return Err(Fault::Poison(poison));
        }
        if let Some(last) = batch.entries.last()
            && views.state().fingerprint() != batch.fingerprint
        {
            // The views stay locked: no thread may read them any more.
            std::mem::forget(views);
            return Err(Fault::Diverged { seq: last.stamp.seq.0 });
        }
        // Queries also read rows that are not in the files yet, and a replay restores rows that never got there.
        if views.history().pending() < HISTORY_PENDING_MAX && !self.is_snapshot_due() && !self.history_lags {
            return Ok(false);
        }
        let flushed = views.flush();
        drop(views);
        if flushed.is_ok() {
            // The mark only helps to notice an old journal; a failed write is retried with the next rows.
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

    /// Applies each command to the views, and makes the answers.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "tests plant panics in it"))]
    fn follow(
        &self,
        batch: &Batch,
        views: &mut Views,
        receipts: &mut Vec<Receipt>,
    ) -> Result<(), Box<Poison>> {
        let mut at = 0;
        let applied = catch_unwind(AssertUnwindSafe(|| {
            for (number, entry) in batch.entries.iter().enumerate() {
                at = number;
                let (events, texts) = (batch.events_of(entry), batch.texts_of(entry));
                if entry.reply.is_some() {
                    // Before the events are applied, while a cancelled order can still be read.
                    let outcome = entry.outcome.clone().with_order(entry.stamp, events, texts, views.state());
                    let withdrawn = entry.command.body.withdrawn(events);
                    receipts.push(Receipt::new(entry.stamp, outcome, withdrawn));
                }
                #[cfg(test)]
                self.shared.planted.strike(planted::Place::Views, entry.stamp);
                if entry.is_journaled {
                    views.apply(entry.stamp, events, texts);
                }
                // Right after, before a later command changes the row.
                if let Some(receipt) = receipts.last_mut().filter(|_| entry.reply.is_some()) {
                    receipt.row = Row::of(&entry.outcome, views.state());
                    receipt.is_journaled = entry.is_journaled;
                }
            }
        }));
        let Err(panic) = applied else { return Ok(()) };
        let first = batch.entries.iter().find(|entry| entry.is_journaled);
        let before = first.map_or(0, |first| first.stamp.seq.0.saturating_sub(1));
        let entry = batch.entries.get(at);
        let stamp = entry.map_or_else(Stamp::default, |entry| entry.stamp);
        let poison = Poison::new(stamp, Some(before), &*panic);
        Err(Box::new(match entry {
            Some(entry) => poison.of(&entry.command, views.state().access()),
            None => poison,
        }))
    }

    /// Answers the callers after the views show the batch, so that a client reads its own writes. The mailboxes are
    /// woken later.
    fn answer(&mut self, batch: &mut Batch) {
        self.shared.admission.answered(self.receipts.len());
        let replies = batch.entries.iter_mut().filter_map(|entry| entry.reply.take());
        for (reply, receipt) in replies.zip(self.receipts.drain(..)) {
            reply.send(receipt, &mut self.to_wake);
        }
        for (time, reply) in batch.moved.drain(..) {
            let _ = reply.send(time);
        }
    }

    fn is_snapshot_due(&self) -> bool {
        self.writer.mark().seq - self.snapshot_seq >= self.snapshot_every
            || self.journaled >= self.snapshot_bytes
    }

    fn request_snapshot(&mut self) {
        if !self.is_snapshot_due() {
            return;
        }
        let seq = self.writer.mark().seq;
        match self.snapshots.try_send(seq) {
            Ok(()) => (self.snapshot_seq, self.journaled) = (seq, 0),
            // The previous snapshot is still being written.
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

/// Ends the process at once: nothing undurable may be acknowledged, and nothing may be built on a state that breaks a
/// law.
pub(crate) fn die(fault: &dyn std::error::Error) -> ! {
    say_last(format_args!("{fault}; stopping before anything more is acknowledged"));
    std::process::abort();
}
