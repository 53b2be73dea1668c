//! The sequencer's metrics: where a command spends its time, how batches form, and how far everything has come.

use crate::exchange::Exchange;
use crate::writer::batch::Batch;
use buttonwood_engine::Standing;
use buttonwood_metrics::{Histogram, Kind, Page, Switch, Tally, Unit};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The counters of an exchange's threads.
#[derive(Debug)]
pub(crate) struct Meters {
    pub(crate) switch: Switch,
    queue: Histogram,
    commit: Histogram,
    publish: Histogram,
    sync: Histogram,
    batch: Histogram,
    /// The last decided command.
    decided: AtomicU64,
    laws_checked: AtomicU64,
    /// The last command whose laws were checked, and the second of the check.
    laws_seq: AtomicU64,
    laws_second: AtomicU64,
}

impl Default for Meters {
    fn default() -> Self {
        let time = || Histogram::new(Unit::Seconds);
        Self {
            switch: Switch::default(),
            queue: time(),
            commit: time(),
            publish: time(),
            sync: time(),
            batch: Histogram::new(Unit::Number),
            decided: AtomicU64::new(0),
            laws_checked: AtomicU64::new(0),
            laws_seq: AtomicU64::new(0),
            laws_second: AtomicU64::new(0),
        }
    }
}

impl Meters {
    /// Notes how far the writer has come.
    pub(crate) fn decided(&self, seq: u64) {
        self.decided.store(seq, Ordering::Relaxed);
    }

    /// Notes a batch that the committing thread takes: its size, and how long each of its callers has waited. Returns the
    /// moment, if figures are collected. A batch that never goes to the disk counts nowhere.
    pub(crate) fn taken(&self, batch: &Batch) -> Option<Instant> {
        let now = self.switch.now().filter(|_| batch.is_journaled)?;
        let mut waited = Tally::new(Unit::Seconds);
        let replies = batch.entries.iter().filter_map(|entry| entry.reply.as_ref());
        for submitted in replies.filter_map(|reply| reply.submitted) {
            waited.add_time(now.saturating_duration_since(submitted), 1);
        }
        self.queue.join(&waited);
        self.batch.observe(u64::try_from(batch.entries.len()).unwrap_or(u64::MAX));
        Some(now)
    }

    /// Notes that the batch taken at this moment is durable, once for each of its commands.
    pub(crate) fn durable(&self, taken: Option<Instant>, commands: usize, sync: Duration) -> Option<Instant> {
        let taken = taken?;
        self.sync.observe_time(sync);
        Some(note(&self.commit, taken, commands))
    }

    /// Notes that the batch that was durable at this moment is published and answered, once for each of its commands.
    pub(crate) fn published(&self, durable: Option<Instant>, commands: usize) {
        if let Some(durable) = durable {
            note(&self.publish, durable, commands);
        }
    }

    /// Notes that all laws hold up to a command.
    pub(crate) fn laws_hold(&self, seq: u64) {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.laws_seq.store(seq, Ordering::Relaxed);
        self.laws_second.store(now.as_secs(), Ordering::Relaxed);
        self.laws_checked.fetch_add(1, Ordering::Relaxed);
    }
}

/// Where an exchange stands, for an operator.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The last published command.
    pub seq: u64,
    /// Commands in the writer's queue.
    pub queue: usize,
    /// Decided commands that the views do not show.
    pub views_lag: u64,
    /// Published commands that the history's database does not have.
    pub history_lag: u64,
    /// The times of the journal's syncs in nanoseconds.
    pub syncs: Tally,
}

/// Adds the time since a moment once for each command; returns the present moment.
fn note(histogram: &Histogram, since: Instant, commands: usize) -> Instant {
    let (now, mut tally) = (Instant::now(), Tally::new(Unit::Seconds));
    tally.add_time(now.saturating_duration_since(since), u64::try_from(commands).unwrap_or(u64::MAX));
    histogram.join(&tally);
    now
}

impl Exchange {
    /// Collects metrics from now on.
    pub fn measure(&self) {
        self.shared.meters.decided(self.views().state().stamp().seq.0);
        self.shared.meters.switch.turn_on();
    }

    /// Where it stands now.
    pub fn progress(&self) -> Progress {
        let seq = self.views().state().stamp().seq.0;
        let meters = &self.shared.meters;
        Progress {
            seq,
            queue: self.shared.queue.len(),
            // Read after the views: a command is decided before it is published.
            views_lag: meters.decided.load(Ordering::Relaxed).saturating_sub(seq),
            history_lag: seq.saturating_sub(self.shared.tables.seq().unwrap_or(0)),
            syncs: meters.sync.tally(),
        }
    }

    /// Writes the stages of a command from the queue to its answer, as samples of `name`.
    pub fn write_stages(&self, name: &str, page: &mut Page) {
        let meters = &self.shared.meters;
        let stages = [("queue", &meters.queue), ("commit", &meters.commit), ("publish", &meters.publish)];
        for (stage, histogram) in stages {
            histogram.write(name, &[("stage", stage)], page);
        }
    }

    /// Writes every other metric of the sequencer.
    pub fn write_metrics(&self, page: &mut Page) {
        let meters = &self.shared.meters;
        let histograms = [
            ("buttonwood_sync_seconds", &meters.sync, "Time of one sync of the journal in seconds."),
            ("buttonwood_batch_commands", &meters.batch, "Commands that shared one sync."),
        ];
        for (name, histogram, help) in histograms {
            page.family(name, Kind::Histogram, help);
            histogram.write(name, &[], page);
        }
        let help = "Commands in the writer's queue.";
        page.single("buttonwood_queue_depth", Kind::Gauge, help, self.shared.queue.len());
        self.write_progress(page);
        let load = |value: &AtomicU64| value.load(Ordering::Relaxed);
        let help = "Checks of all laws since the start: sums, holds and books, recomputed in full.";
        page.single("buttonwood_laws_checked_total", Kind::Counter, help, load(&meters.laws_checked));
        let help = "The last check of all laws, in seconds since 1970; 0 before the first.";
        page.single(
            "buttonwood_laws_checked_timestamp_seconds",
            Kind::Gauge,
            help,
            load(&meters.laws_second),
        );
        let help = "The last command that a check of all laws covers.";
        page.single("buttonwood_laws_checked_seq", Kind::Gauge, help, load(&meters.laws_seq));
    }

    /// Sessions that may call, the last commands, and how far views and history lag.
    fn write_progress(&self, page: &mut Page) {
        let meters = &self.shared.meters;
        let (published, sessions, short) = {
            let views = self.views();
            let state = views.state();
            let sessions = state.access().sessions().iter();
            let enabled = sessions.filter(|session| session.standing() == Standing::Enabled).count();
            (state.stamp().seq.0, enabled, state.funds().reserves().short().count())
        };
        let help =
            "Currencies whose assets do not cover what customers have, so that their withdrawals stop.";
        page.single("buttonwood_reserves_short", Kind::Gauge, help, short);
        // Read after the views: a command is decided before it is published.
        let decided = meters.decided.load(Ordering::Relaxed).max(published);
        let history = self.shared.tables.seq().unwrap_or(0).min(published);
        let lags = [
            (
                "buttonwood_views_lag_commands",
                decided - published,
                "Decided commands that the views do not show.",
            ),
            (
                "buttonwood_history_lag_commands",
                published - history,
                "Published commands that the history's database does not have.",
            ),
            ("buttonwood_last_seq", published, "The last published command."),
        ];
        for (name, value, help) in lags {
            page.single(name, Kind::Gauge, help, value);
        }
        page.single(
            "buttonwood_sessions",
            Kind::Gauge,
            "Sessions that may send commands: those that are neither disabled nor ended.",
            sessions,
        );
        let help = "Whether the disk is so full that only cancels are taken.";
        page.single("buttonwood_low_space", Kind::Gauge, help, u8::from(self.is_short_of_space()));
    }
}
