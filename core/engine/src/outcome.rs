//! What a command came to: one variant for each room.

use crate::{Event, State};
use buttonwood_access as access;
use buttonwood_ledger as ledger;
use buttonwood_model::{CancelReason, Stamp};
use buttonwood_trading::{self as trading, Answer as TradingAnswer, Decided, OrderState};
use core::convert::Infallible;

/// The answer to a command; deciding only points at the order, and [`Outcome::in_full`] builds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<O = Decided> {
    /// Of the trading floor.
    Trading(TradingAnswer<O>),
    /// Done; what was cancelled stands in the command's events.
    Done,
    /// Refused; nothing changed but the nonce.
    Rejected(Reject),
}

impl Outcome {
    /// The answer with its order, built from the stamp, events and texts of the command and from the state before the events
    /// were applied: by the thread that replies, so that the writer has no part in it.
    ///
    /// # Panics
    /// When events or state are not the command's.
    pub fn in_full(self, stamp: Stamp, events: &[Event], texts: &[u8], before: &State) -> Answer {
        let order = match self {
            Self::Trading(TradingAnswer::Order(order)) => order,
            Self::Trading(TradingAnswer::NotLive) => return Outcome::Trading(TradingAnswer::NotLive),
            Self::Done => return Outcome::Done,
            Self::Rejected(reject) => return Outcome::Rejected(reject),
        };
        let state = match order.kept {
            Some(slot) => OrderState {
                reason: cancelled(events).then_some(CancelReason::Requested),
                ..OrderState::live(before.orders(), slot)
            },
            None => {
                let events = events.iter().filter_map(Event::of_order);
                let order = OrderState::of_events(events, texts, stamp.time, before.floor());
                order.expect("a placed order is in its command's events")
            }
        };
        Outcome::Trading(TradingAnswer::Order(state))
    }
}

/// Whether an order of the command was cancelled; one that waits for an auction may have been kept (AUCT-003).
fn cancelled(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Trading(trading::Event::Cancelled { .. })))
}

/// An answer that has left the writer.
pub type Answer = Outcome<OrderState>;

/// Why a desk refuses an order, beyond a want of funds: no desk of today does.
pub type DeskReject = Infallible;

/// Why an order may not enter.
pub type PlaceReject = trading::place::Reject<DeskReject>;

/// Why a command of the trading floor was refused.
pub type TradingReject = trading::Reject<DeskReject>;

/// Why a command was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// By the directory: the caller may not, or what is to be made may not be so.
    Access(access::Reject),
    /// By the trading floor.
    Trading(TradingReject),
    /// By the ledger.
    Ledger(ledger::Reject),
    /// The exchange is short of room to journal and takes only what reduces risk.
    NoRoom,
    /// No key may send it, or it needs an account and names none.
    Unknown,
    /// The directory was made already, or was not yet.
    NotNow,
    /// Deciding it failed; the state is as it was.
    System,
}

impl Reject {
    /// Of an order that may not enter.
    pub const fn place(reject: PlaceReject) -> Self {
        Self::Trading(trading::Reject::Place(reject))
    }
}
