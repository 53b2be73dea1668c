//! Requests and their answers.

use buttonwood_engine::{Answer, Body, Command, Outcome, Reject, TradingCommand};
use buttonwood_model::{OrderId, Time};
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
