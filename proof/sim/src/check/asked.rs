//! Requests and their answers.

use crate::check::Finding;
use buttonwood_engine::{
    AccessEvent, Answer, Body, Command, Event, Outcome, PredictionCommand, Reject, State, TradingCommand,
    Workspace, decide,
};
use buttonwood_model::{OrderId, Seq, Stamp, Time};
use buttonwood_oracle::Happening;
use buttonwood_sequencer::{Pending, Receipt, Stopped};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// A submitted command that is not in the journal yet.
pub(crate) struct Asked {
    pub(crate) command: Command,
    /// The time on the clock.
    pub(crate) at: Time,
    pending: Pending,
    pub(crate) answer: Option<Receipt>,
}

impl Asked {
    pub(crate) fn new(command: Command, at: Time, pending: Pending) -> Self {
        Self { command, at, pending, answer: None }
    }

    pub(crate) fn poll(&mut self) -> Poll<Result<Receipt, Stopped>> {
        Pin::new(&mut self.pending).poll(&mut Context::from_waker(Waker::noop()))
    }

    /// Whether it was refused for lack of room, so that it is in no journal.
    pub(super) fn is_turned_away(&self) -> bool {
        const NO_ROOM: Answer = Outcome::Rejected(Reject::NoRoom);
        self.answer.as_ref().is_some_and(|receipt| receipt.outcome == NO_ROOM)
    }
}

/// The trace of a command that is in no journal.
pub(crate) enum Trace {
    /// Nothing.
    Nothing,
    /// The nonce of a cancel of nothing, which is journaled with those of reads.
    Nonce,
}

impl Asked {
    /// Its trace if this state, that of the journal so far, is its place, and it is in no journal since it changes nothing. A request without
    /// an answer is one only if a later one is in the journal: the process ended between both.
    ///
    /// # Errors
    /// It was answered as one that is in no journal, and changes something, or has another answer.
    pub(crate) fn trace_at(&self, state: &State, is_overtaken: bool) -> Result<Option<Trace>, Finding> {
        match &self.answer {
            Some(told) if told.is_journaled || told.stamp.seq != state.stamp().seq => Ok(None),
            None if !is_overtaken => Ok(None),
            Some(_) | None => self.trace_in(state),
        }
    }

    /// It is decided once more: what no journal shows can be judged in no other way.
    fn trace_in(&self, state: &State) -> Result<Option<Trace>, Finding> {
        let Stamp { seq, time } = state.stamp();
        let stamp = Stamp { seq: Seq(seq.0 + 1), time: time.max(self.at) };
        let mut work = Workspace::default();
        let outcome = decide(state, &self.command, stamp, &mut work);
        let trace = match work.out.latest().0 {
            [] => Some(Trace::Nothing),
            [Event::Access(AccessEvent::NonceUsed(..))] => {
                let is_refused = matches!(outcome, Outcome::Rejected(_));
                (is_cancel(&self.command.body) && !is_refused).then_some(Trace::Nonce)
            }
            _ => None,
        };
        let Some(told) = self.answer.as_ref().filter(|told| !told.is_journaled) else { return Ok(trace) };
        if trace.is_none() {
            return Err(format!("{:?} is not in the journal, and changes something", self.command));
        }
        let (events, texts) = work.out.latest();
        let expected = (Stamp { seq, ..stamp }, outcome.with_order(stamp, events, texts, state));
        if (told.stamp, &told.outcome) != (expected.0, &expected.1) {
            return Err(format!("{:?} was answered {told:?}\nexpected {expected:?}", self.command));
        }
        Ok(trace)
    }

    /// Whether its answer says that it is in no journal, since it changes nothing.
    pub(crate) fn is_needless(&self) -> bool {
        self.answer.as_ref().is_some_and(|told| !told.is_journaled) && !self.is_turned_away()
    }
}

fn is_cancel(body: &Body) -> bool {
    matches!(
        body,
        Body::Trading(TradingCommand::Cancel(_) | TradingCommand::CancelSession | TradingCommand::CancelAll)
            | Body::Prediction(PredictionCommand::Cancel(_) | PredictionCommand::BatchCancel(_))
    )
}

/// The orders that the answer to a cancel of several must list, oldest first: those cancelled, and those that cannot
/// be.
pub(super) fn listed(body: &Body, happened: &[Happening]) -> [Vec<OrderId>; 2] {
    let mut listed = [Vec::new(), Vec::new()];
    let is_cancel = matches!(body, Body::Trading(TradingCommand::CancelSession | TradingCommand::CancelAll));
    let takes_orders = matches!(body, Body::Access(command) if command.cancels_orders_of().is_some());
    if !is_cancel && !takes_orders {
        return listed;
    }
    let [cancelled, kept] = &mut listed;
    for what in happened {
        match what {
            Happening::Cancelled(id, _) => cancelled.push(OrderId(*id)),
            Happening::CancelRejected(id) => kept.push(OrderId(*id)),
            Happening::Accepted(_)
            | Happening::Filled { .. }
            | Happening::Crossed { .. }
            | Happening::Booked(_)
            | Happening::Suspended(_)
            | Happening::Triggered(_)
            | Happening::Completed(_)
            | Happening::Scheduled(..)
            | Happening::Opened(..)
            | Happening::Refused(..)
            | Happening::Connected(..)
            | Happening::Tied(..)
            | Happening::Disconnected(_)
            | Happening::Indicated(..)
            | Happening::Cut(..)
            | Happening::Ended(..)
            | Happening::Status(..)
            | Happening::Broken(..)
            | Happening::Credited(..)
            | Happening::Converted(_) => {}
        }
    }
    for ids in &mut listed {
        ids.sort_unstable();
    }
    listed
}
