//! Events of orders: everything that happened to an order, derived once by the fold (EVT-003, EVT-006, EVT-007, EVT-011).
//!
//! An order has one [`Step::Accepted`], which comes first, and one [`Step::Closed`], which comes last. Between them:
//!
//! | order | events |
//! |---|---|
//! | rests | accepted, booked |
//! | takes and rests | accepted, filled…, booked |
//! | taken whole | accepted, filled…, closed |
//! | cancelled, or its rest is | accepted, filled…, cancelled, closed |
//! | waits for its stop price | accepted, booked; nothing when it is triggered, and no second booked if it rests then |
//! | trades in an auction | accepted, booked, filled…, closed once it is filled |
//! | trades off the book | accepted, filled…, closed, all in one command |
//!
//! A trade that is broken has no event: the figures of an order are those before any break ([`OrderState::with_broken`]).
//!
//! An order that a rule refuses has one event, a [`RefusedEvent`], and no other (D-147).

use crate::history::{Part, Position, TradeRow};
use buttonwood_engine::{OrderState, RefusedOrder};
use buttonwood_model::{AccountId, CancelReason, Claim, Seq, SessionId, SymbolId, Time, TradeId};
use buttonwood_num::{Money, Price, Qty};

/// The id of an order event: the number of its command, and its place among the order events of that command. Ids rise strictly, but for
/// those of a command with very many events ([`EventId::is_shared`]), stay below 2^53 up to command 2^36, and are the same after every replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u64);

/// The bits of an id that hold the place. Almost every command takes at most 10,000 steps with at most 8 order events each.
const PLACE_BITS: u32 = 17;
/// The last place. An operator's command that cancels more orders than there are places has several events here.
const LAST_PLACE: u64 = (1 << PLACE_BITS) - 1;

impl EventId {
    /// The id of the event at a place, counted from 0. All places from the last one on share its id.
    pub fn new(seq: Seq, place: u64) -> Self {
        Self(seq.0 << PLACE_BITS | place.min(LAST_PLACE))
    }

    /// Whether several events may have this id, so that nobody can go on after it.
    pub const fn is_shared(self) -> bool {
        self.0 & LAST_PLACE == LAST_PLACE
    }

    /// The command of the event.
    pub const fn seq(self) -> Seq {
        Seq(self.0 >> PLACE_BITS)
    }

    /// The id of the event after it in the same command.
    #[must_use]
    pub const fn next(self) -> Self {
        if self.is_shared() { self } else { Self(self.0 + 1) }
    }
}

/// An event of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderEvent {
    /// Its id.
    pub id: EventId,
    /// The time of its command.
    pub time: Time,
    /// Its kind, with the facts of its own.
    pub step: Step,
    /// The order as it stands after this event; in [`Step::Accepted`] it has executed nothing. Side, prices and notional are those of
    /// the book, also for an order about no. The reason is set in [`Step::Cancelled`] and in the [`Step::Closed`] after it.
    pub order: OrderState,
    /// The money that it names to spend; zero for all but a market order to buy of a build that journals it.
    pub spend: Money,
}

/// The event of an order that a rule refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedEvent {
    /// Its id.
    pub id: EventId,
    /// The time of its command.
    pub time: Time,
    /// The order as its client sent it, and the rule.
    pub order: RefusedOrder,
}

/// An event among those of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountEvent {
    /// Of an order that entered.
    Order(OrderEvent),
    /// Of an order that a rule refused.
    Refused(RefusedEvent),
}

impl AccountEvent {
    /// Its id.
    pub fn id(&self) -> EventId {
        match self {
            Self::Order(event) => event.id,
            Self::Refused(event) => event.id,
        }
    }

    /// The account of the order.
    pub fn account(&self) -> AccountId {
        match self {
            Self::Order(event) => event.order.account,
            Self::Refused(event) => event.order.account,
        }
    }

    /// The session that placed the order.
    pub fn session(&self) -> SessionId {
        match self {
            Self::Order(event) => event.order.session,
            Self::Refused(event) => event.order.session,
        }
    }

    /// The symbol of the order.
    pub fn symbol(&self) -> SymbolId {
        match self {
            Self::Order(event) => event.order.symbol,
            Self::Refused(event) => event.order.symbol,
        }
    }
}

/// A kind of event of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It entered.
    Accepted,
    /// It rests on the book, or waits for an auction or its stop price.
    Booked,
    /// It traded.
    Filled(OrderFill),
    /// Its rest was cancelled.
    Cancelled(CancelReason),
    /// A cancel was refused: it came too late before an auction, or the exchange itself placed the order. The order stays as it was.
    CancelRejected,
    /// It is no longer live: the last event of each order.
    Closed,
}

/// An order's part in a trade. For a contract the price is that of the order's own outcome, as in [`TradeRow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderFill {
    /// The trade.
    pub trade: TradeId,
    /// The price, of a contract that of the outcome.
    pub price: Price,
    /// The quantity.
    pub qty: Qty,
    /// The account's fee, in the quote currency.
    pub fee: Money,
    /// The part of the order in the trade.
    pub part: Part,
    /// The outcome that the order is about; [`Claim::Yes`] for products without outcomes.
    pub claim: Claim,
}

impl From<&TradeRow> for OrderFill {
    fn from(row: &TradeRow) -> Self {
        let TradeRow { trade, price, qty, fee, part, claim, .. } = *row;
        Self { trade, price, qty, fee, part, claim }
    }
}

impl OrderEvent {
    /// Whether the order is live after the event (ORD-007).
    pub fn is_live(&self) -> bool {
        match self.step {
            Step::Accepted | Step::Booked | Step::CancelRejected => true,
            Step::Filled(_) => self.order.is_live(),
            Step::Cancelled(_) | Step::Closed => false,
        }
    }
}

/// One change of an order: an event, or two that follow one another without a change between them. The history keeps it as one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderChange {
    /// The id of its first event.
    pub first: EventId,
    /// The time of its command.
    pub time: Time,
    /// Its first event.
    pub step: Step,
    /// Whether a second event follows: booked after accepted, closed after filled or cancelled.
    pub is_double: bool,
    /// The order after it.
    pub order: OrderState,
    /// As in [`OrderEvent`].
    pub spend: Money,
    /// The row of the trade, of a fill.
    pub trade: Option<Position>,
    /// The row of the closed order, if it is closed: in the file of closed orders, or of prediction markets for one of a contract.
    pub closed: Option<Position>,
}

impl OrderChange {
    /// Its events.
    pub fn events(&self) -> impl Iterator<Item = OrderEvent> {
        let Self { first, time, step, order, spend, .. } = *self;
        let second = self.second().map(|step| OrderEvent { id: first.next(), time, step, order, spend });
        [OrderEvent { id: first, time, step, order, spend }].into_iter().chain(second)
    }

    fn second(&self) -> Option<Step> {
        if !self.is_double {
            return None;
        }
        match self.step {
            Step::Accepted => Some(Step::Booked),
            Step::Filled(_) | Step::Cancelled(_) => Some(Step::Closed),
            Step::Booked | Step::CancelRejected | Step::Closed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The highest place of a command is below the first of the next one.
    #[test]
    fn ids_rise_and_name_their_command() {
        let last = EventId::new(Seq(7), 131_070);
        assert!(last < EventId::new(Seq(7), 131_071) && !last.is_shared());
        assert!(last < EventId::new(Seq(8), 0));
        assert_eq!((last.seq(), EventId::new(Seq(8), 0).seq()), (Seq(7), Seq(8)));
        assert_eq!(EventId::new(Seq(8), 0).next(), EventId::new(Seq(8), 1));
        assert!(EventId::new(Seq((1 << 36) - 1), 131_071).0 < 1 << 53);
    }

    /// The events of a command that has more of them than places share the last id, below that of the next command.
    #[test]
    fn the_last_places_are_one() {
        let last = EventId::new(Seq(7), 131_071);
        assert!(last.is_shared());
        for place in [131_072, 200_000, u64::MAX] {
            assert_eq!(EventId::new(Seq(7), place), last);
        }
        assert_eq!((last.next(), last.seq()), (last, Seq(7)));
        assert!(last < EventId::new(Seq(8), 0));
    }
}
