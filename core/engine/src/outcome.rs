//! How a caller reads the outcome of a command. The list of rooms composes the type.

use crate::{DeskReject, Event, Made, OrderState, Outcome, Reject, State, TradingAnswer};
use buttonwood_model::{ConnectionId, Stamp};
use buttonwood_trading as trading;

/// An outcome with the order in full.
pub type Answer = Outcome<OrderState>;

/// The answer of a room in an outcome.
pub trait RoomAnswer<O> {
    /// The answer, if the outcome has one of this room.
    fn of(outcome: &Outcome<O>) -> Option<&Self>;
}

impl<O> RoomAnswer<O> for TradingAnswer<O> {
    fn of(outcome: &Outcome<O>) -> Option<&Self> {
        if let Outcome::Trading(answer) = outcome { Some(answer) } else { None }
    }
}

impl Outcome {
    /// The same with the order in full, by the command's stamp, events and texts and by the state before these events. The thread that replies
    /// calls it, so that the writer need not.
    ///
    /// # Panics
    /// When the events or the state do not belong to the command.
    pub fn with_order(self, stamp: Stamp, events: &[Event], texts: &[u8], before: &State) -> Answer {
        let of_order = || events.iter().filter_map(Event::of_order);
        self.map_order(|order| OrderState::after(order, of_order, texts, stamp.time, before.floor()))
    }
}

/// Each accessor fails with the reason of a refused command, and with [`Reject::System`] after a command of another kind.
impl<O> Outcome<O> {
    /// That the command was carried out.
    ///
    /// # Errors
    /// Why it was refused.
    pub const fn done(&self) -> Result<(), Reject> {
        if let Self::Rejected(reject) = self { Err(*reject) } else { Ok(()) }
    }

    /// The answer of a room.
    ///
    /// # Errors
    /// As above.
    pub fn of<A: RoomAnswer<O>>(&self) -> Result<&A, Reject> {
        A::of(self).ok_or_else(|| self.done().err().unwrap_or(Reject::System))
    }

    /// A part of a room's answer.
    ///
    /// # Errors
    /// As above.
    pub fn part<'a, A: RoomAnswer<O> + 'a, T>(
        &'a self,
        pick: impl FnOnce(&'a A) -> Option<T>,
    ) -> Result<T, Reject> {
        pick(self.of()?).ok_or(Reject::System)
    }

    /// The thing that a command of funds or of an operator made or found; [`Made::Nothing`] if it has no id.
    ///
    /// # Errors
    /// As above.
    pub fn made(&self) -> Result<Made, Reject> {
        if matches!(self, Self::Done) { Ok(Made::Nothing) } else { self.of().copied() }
    }

    /// The order that was placed or cancelled.
    ///
    /// # Errors
    /// As above.
    pub fn order(&self) -> Result<&O, Reject> {
        self.part(TradingAnswer::order)
    }

    /// The connection that was opened.
    ///
    /// # Errors
    /// As above.
    pub fn connection(&self) -> Result<ConnectionId, Reject> {
        self.part(TradingAnswer::connection)
    }

    /// Whether a cancel named an order that is not live: the history knows whether it is closed or unknown (ORD-057).
    pub const fn is_not_live(&self) -> bool {
        matches!(self, Self::Trading(TradingAnswer::NotLive))
    }
}

/// Why an order is refused.
pub type PlaceReject = trading::place::Reject<DeskReject>;

/// Why a command of the trading floor was refused.
pub type TradingReject = trading::Reject<DeskReject>;

impl Reject {
    /// The refusal of an order.
    pub const fn place(reject: PlaceReject) -> Self {
        Self::Trading(trading::Reject::Place(reject))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClearingAnswer, ConvertAnswer, StakingAnswer};

    /// Every command returns one, and every entry of a batch holds one: the figures of a refusal must not make it large.
    #[test]
    fn an_outcome_is_small() {
        assert!(size_of::<Outcome>() <= 40, "{} bytes", size_of::<Outcome>());
    }

    /// A refusal reaches every accessor; an answer of another kind is a fault of the exchange, not a success.
    #[test]
    fn an_answer_is_read_as_what_it_is() {
        let refused = Answer::Rejected(Reject::Halted);
        assert_eq!((refused.done(), refused.made()), (Err(Reject::Halted), Err(Reject::Halted)));
        assert_eq!(refused.order().err(), Some(Reject::Halted));
        assert_eq!(refused.of::<ConvertAnswer>().err(), Some(Reject::Halted));
        assert_eq!(refused.part(ConvertAnswer::quoted).err(), Some(Reject::Halted));
        let other = Answer::Done;
        assert_eq!((other.done(), other.made()), (Ok(()), Ok(Made::Nothing)));
        assert_eq!(other.order().err(), Some(Reject::System));
        assert_eq!(other.of::<ClearingAnswer>().err(), Some(Reject::System));
        assert_eq!(other.of::<StakingAnswer>().err(), Some(Reject::System));
        let closed = Answer::Trading(TradingAnswer::NotLive);
        assert_eq!((closed.made(), closed.order().err()), (Err(Reject::System), Some(Reject::System)));
        let opened = Answer::Trading(TradingAnswer::Connection(ConnectionId(3)));
        assert_eq!((opened.connection(), other.connection()), (Ok(ConnectionId(3)), Err(Reject::System)));
        assert_eq!((refused.connection(), opened.order().err()), (Err(Reject::Halted), Some(Reject::System)));
        assert!(closed.is_not_live() && !other.is_not_live() && closed.done().is_ok());
        let made = Answer::Funds(Made::Bank(3));
        assert_eq!(
            (made.made(), made.of::<ClearingAnswer>().err()),
            (Ok(Made::Bank(3)), Some(Reject::System))
        );
    }
}
