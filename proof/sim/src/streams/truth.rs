//! The order events of every account, from the journal alone.

use crate::check::Finding;
use crate::disk::Faulty;
use buttonwood_engine::decode_events;
use buttonwood_journal::{Mark, Reader, ReplayError};
use buttonwood_model::{Outbox, Seq, Stamp};
use buttonwood_sequencer::JOURNAL_DIR;
use buttonwood_views::history::{Position, PublicTrade, Row, RowKind};
use buttonwood_views::{AccountEvent, Counted, Fold, OrderChange, RefusedEvent, Sink};

/// A fold of the journal that keeps the order events.
pub(super) struct Truth {
    fold: Fold,
    events: Events,
    reader: Option<Reader>,
    mark: Option<Mark>,
    /// The last command that was read.
    seq: u64,
}

/// The events, in the order of their ids.
struct Events {
    counted: Counted,
    all: Vec<AccountEvent>,
    /// Public trades, each with its command.
    trades: Vec<(u64, PublicTrade)>,
    /// The command at hand.
    seq: u64,
}

impl Truth {
    /// Nothing was read yet.
    pub(super) fn new(key: u64) -> Self {
        let counted = Counted::new(buttonwood_views::history::Index::new(key));
        let events = Events { counted, all: Vec::new(), trades: Vec::new(), seq: 0 };
        Self { fold: Fold::default(), events, reader: None, mark: None, seq: 0 }
    }

    /// The last command that was read.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// All events so far.
    pub(super) fn events(&self) -> &[AccountEvent] {
        &self.events.all
    }

    /// All public trades so far, each with its command.
    pub(super) fn trades(&self) -> &[(u64, PublicTrade)] {
        &self.events.trades
    }

    /// A new process has the disk.
    pub(super) fn restarted(&mut self) {
        self.reader = None;
    }

    /// Reads the journal up to a command.
    pub(super) fn follow(&mut self, disk: &Faulty, until: u64) -> Result<(), Finding> {
        if until < self.seq {
            return Err(format!("recovered up to command {until}, but {} was durable", self.seq));
        }
        let reader = self.reader.take().map_or_else(|| Reader::open(disk.folder().folder(JOURNAL_DIR)), Ok);
        let wrong = |fault: &dyn std::fmt::Display| format!("the journal cannot be followed: {fault}");
        let mut reader = reader.map_err(|fault| wrong(&fault))?;
        let from = self.mark.take();
        let read = reader.replay(from.as_ref(), until, |batch| {
            batch.frames().try_for_each(|(seq, frame)| self.apply(seq, frame))
        });
        let mark = read.map_err(|error| match error {
            ReplayError::Fault(fault) => wrong(&fault),
            ReplayError::Refused(finding) => finding,
        })?;
        self.mark = Some(mark);
        self.reader = Some(reader);
        Ok(())
    }

    fn apply(&mut self, seq: u64, frame: &[u8]) -> Result<(), Finding> {
        let mut out = Outbox::default();
        let (time, _) = decode_events(frame, &mut out).map_err(|error| error.to_string())?;
        (self.seq, self.events.seq) = (seq, seq);
        self.fold.apply(Stamp { seq: Seq(seq), time }, &out.events, &out.texts, &mut self.events);
        Ok(())
    }
}

impl Sink for Events {
    fn row<R: RowKind>(&mut self, row: &R) -> Position {
        if let Row::Public(trade) = (*row).into() {
            self.trades.push((self.seq, trade));
        }
        self.counted.row(row)
    }

    fn order_event(&mut self, change: &OrderChange) {
        self.all.extend(change.events().map(AccountEvent::Order));
    }

    fn refused_order(&mut self, event: &RefusedEvent) {
        self.all.push(AccountEvent::Refused(*event));
    }
}
