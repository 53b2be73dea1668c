//! Batches: decided commands on their way from the writer to the committing thread.

use crate::writer::reply_mailbox::Reply;
use buttonwood_engine::{Command, Event, Outcome};
use buttonwood_model::{Outbox, Stamp, Time};
use std::ops::Range;
use tokio::sync::oneshot;

/// Commands in a batch at most; the rest of the queue waits for the next one.
pub(crate) const COMMANDS_MAX: usize = 4_096;
/// A batch with this many events takes no further command.
pub(crate) const EVENTS_MAX: usize = 65_536;

/// Refused calls that share a batch at most, before they go to the disk without waiting for more. Few, so that they
/// take no order's place among the commands in flight.
const REFUSED_MAX: usize = 16;

/// One decided command.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) stamp: Stamp,
    pub(crate) command: Command,
    pub(crate) outcome: Outcome,
    pub(crate) events: Range<usize>,
    pub(crate) texts: Range<usize>,
    pub(crate) reply: Option<Reply>,
    /// Whether it is in the journal: every command but one that changes nothing.
    pub(crate) is_journaled: bool,
}

/// Decided commands that share one sync.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) entries: Vec<Entry>,
    /// The entries' events.
    pub(crate) out: Outbox<Event>,
    /// The state's fingerprint after the last entry.
    pub(crate) fingerprint: u64,
    /// Whether it holds anything but refused calls and the nonces of reads that may wait.
    pub(crate) is_urgent: bool,
    /// Whether any of its commands goes to the journal.
    pub(crate) is_journaled: bool,
    /// Callers that wait for the batch but have no command in it: moves of the clock, with the time reached.
    pub(crate) moved: Vec<(Time, oneshot::Sender<Time>)>,
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.moved.is_empty()
    }

    /// Whether the batch may wait for more commands, to share a sync: it holds only refused calls, and few.
    pub(crate) fn may_wait(&self) -> bool {
        !self.is_urgent && self.moved.is_empty() && self.entries.len() < REFUSED_MAX
    }

    /// Whether the batch takes no further command.
    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= COMMANDS_MAX || self.out.events.len() >= EVENTS_MAX
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.out.clear();
        self.moved.clear();
        self.is_urgent = false;
        self.is_journaled = false;
    }

    pub(crate) fn events_of(&self, entry: &Entry) -> &[Event] {
        self.out.events.get(entry.events.clone()).unwrap_or_default()
    }

    pub(crate) fn texts_of(&self, entry: &Entry) -> &[u8] {
        self.out.texts.get(entry.texts.clone()).unwrap_or_default()
    }
}
