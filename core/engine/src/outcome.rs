//! What a command came to.

use buttonwood_access as access;
use buttonwood_auction::ScheduleError;
use buttonwood_model::{CancelReason, Stamp};
use buttonwood_spot::{self as spot, Decided, OrderState, place};

use crate::{Event, State};

/// The answer to a command; deciding only points at the order, and [`Outcome::told`] tells it in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<O = Decided> {
    /// An order as it now stands: placed, or cancelled.
    Order(O),
    /// The account has no such order alive; whether it is closed or unknown is the history's to say (ORD-057).
    NotLive,
    /// Done; what was cancelled stands in the command's events.
    Done,
    /// Refused; nothing changed but the nonce.
    Rejected(Reject),
}

impl Outcome {
    /// The answer with its order, told from the stamp, events and texts of the command and from the state before the
    /// events were applied. Not the writer's work, which all others wait for.
    ///
    /// # Panics
    /// When events or state are not the command's.
    pub fn told(self, stamp: Stamp, events: &[Event], texts: &[u8], before: &State) -> Answer {
        match self {
            Self::Order(Decided { kept: Some(slot), .. }) => Outcome::Order(OrderState {
                reason: cancelled(events).then_some(CancelReason::Requested),
                ..OrderState::live(before.orders(), slot)
            }),
            Self::Order(Decided { kept: None, .. }) => {
                let events = events.iter().filter_map(|event| match event {
                    Event::Spot(event) => Some(event),
                    Event::NonceUsed(..) | Event::Rare(_) => None,
                });
                let order = OrderState::told(events, texts, stamp.time, before.market(stamp.time));
                Outcome::Order(order.expect("a placed order is in its command's events"))
            }
            Self::NotLive => Outcome::NotLive,
            Self::Done => Outcome::Done,
            Self::Rejected(reject) => Outcome::Rejected(reject),
        }
    }
}

/// Whether an order of the command was cancelled; one that waits for an auction may have been kept (AUCT-003).
fn cancelled(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Spot(spot::Event::Cancelled { .. })))
}

/// An answer that has left the writer.
pub type Answer = Outcome<OrderState>;

/// Why a command was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The caller may not.
    Access(access::Reject),
    /// The order may not enter.
    Place(place::Reject),
    /// The exchange is short of room to journal and takes only what reduces risk.
    NoRoom,
    /// A credit is not positive, or larger than money can count.
    BadAmount,
    /// No such account, currency, symbol, group or session.
    Unknown,
    /// The name is taken.
    Taken,
    /// As many are listed as there may be.
    TooMany,
    /// The directory was made already, or was not yet; or a contract is to be traded, which none is yet.
    NotNow,
    /// A schedule of auctions makes no sense.
    Schedule(ScheduleError),
    /// Deciding it failed; the state is as it was.
    System,
}
