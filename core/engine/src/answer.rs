//! How a caller reads an answer: one accessor for each kind of command. No part outside the engine matches on the variants of [`Outcome`].

use crate::{
    Answer, ClearingAnswer, ConvertAnswer, ConvertQuote, Made, OrderState, Outcome, Reject, StakingAnswer,
    TradingAnswer, Wrapped,
};
use buttonwood_model::{ConnectionId, OrderId};

impl<O, C, S> Outcome<O, C, S> {
    /// That the command was carried out.
    ///
    /// # Errors
    /// Why it was refused.
    pub const fn done(&self) -> Result<(), Reject> {
        match self {
            Self::Rejected(reject) => Err(*reject),
            Self::Trading(_)
            | Self::Converted(_)
            | Self::Staking(_)
            | Self::Funds(_)
            | Self::Clearing(_)
            | Self::Done => Ok(()),
        }
    }

    /// What a command of funds or of an operator made or found; [`Made::Nothing`] if it has no id.
    ///
    /// # Errors
    /// Why the command was refused; [`Reject::System`] after a command that places an order or converts.
    pub const fn made(&self) -> Result<Made, Reject> {
        match self {
            Self::Funds(made) => Ok(*made),
            Self::Done => Ok(Made::Nothing),
            Self::Rejected(reject) => Err(*reject),
            Self::Trading(_) | Self::Converted(_) | Self::Staking(_) | Self::Clearing(_) => {
                Err(Reject::System)
            }
        }
    }

    /// What a command of OTC clearing did.
    ///
    /// # Errors
    /// Why the command was refused; [`Reject::System`] after a command of another kind.
    pub const fn cleared(&self) -> Result<ClearingAnswer, Reject> {
        if let Self::Clearing(answer) = self { Ok(*answer) } else { Err(self.unread()) }
    }

    /// Whether a cancel named an order that is not live: the history knows whether it is closed or unknown (ORD-057).
    pub const fn is_not_live(&self) -> bool {
        matches!(self, Self::Trading(TradingAnswer::NotLive))
    }

    /// The connection that was opened.
    ///
    /// # Errors
    /// Why none was; [`Reject::System`] after a command of another kind.
    pub const fn connection(&self) -> Result<ConnectionId, Reject> {
        if let Self::Trading(TradingAnswer::Connection(connection)) = self {
            Ok(*connection)
        } else {
            Err(self.unread())
        }
    }

    /// Why the command was refused, or the fault of a caller that reads an answer of another kind.
    const fn unread(&self) -> Reject {
        match self {
            Self::Rejected(reject) => *reject,
            Self::Trading(_)
            | Self::Converted(_)
            | Self::Staking(_)
            | Self::Funds(_)
            | Self::Clearing(_)
            | Self::Done => Reject::System,
        }
    }
}

/// Each accessor fails with the reason of a refused command, and with [`Reject::System`] after a command of another kind.
impl Answer {
    /// The order that was placed or cancelled.
    ///
    /// # Errors
    /// Why there is none, as above.
    pub const fn order(&self) -> Result<&OrderState, Reject> {
        if let Self::Trading(TradingAnswer::Order(order)) = self { Ok(order) } else { Err(self.unread()) }
    }

    /// An amount was wrapped or unwrapped.
    ///
    /// # Errors
    /// Why nothing was, as above.
    pub const fn wrapped(&self) -> Result<&Wrapped, Reject> {
        if let Self::Converted(ConvertAnswer::Wrapped(wrapped)) = self {
            Ok(wrapped)
        } else {
            Err(self.unread())
        }
    }

    /// The quote that was made.
    ///
    /// # Errors
    /// Why there is none, as above.
    pub const fn quoted(&self) -> Result<&ConvertQuote, Reject> {
        if let Self::Converted(ConvertAnswer::Quoted(quote)) = self { Ok(quote) } else { Err(self.unread()) }
    }

    /// The stake that was made, or the redemption.
    ///
    /// # Errors
    /// Why none was, as above.
    pub const fn staking(&self) -> Result<&StakingAnswer, Reject> {
        if let Self::Staking(answer) = self { Ok(answer) } else { Err(self.unread()) }
    }

    /// The quote that was executed, and the id of the execution.
    ///
    /// # Errors
    /// Why none was, as above.
    pub const fn executed(&self) -> Result<(OrderId, &ConvertQuote), Reject> {
        if let Self::Converted(ConvertAnswer::Executed(order, quote)) = self {
            Ok((*order, quote))
        } else {
            Err(self.unread())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A refusal reaches every accessor; an answer of another kind is a fault of the exchange, not a success.
    #[test]
    fn an_answer_is_read_as_what_it_is() {
        let refused = Answer::Rejected(Reject::Halted);
        assert_eq!(refused.done(), Err(Reject::Halted));
        assert_eq!(refused.made(), Err(Reject::Halted));
        assert_eq!(refused.order().err(), Some(Reject::Halted));
        assert_eq!(refused.wrapped().err(), Some(Reject::Halted));
        assert_eq!(refused.quoted().err(), Some(Reject::Halted));
        assert_eq!(refused.executed().err(), Some(Reject::Halted));
        assert_eq!(refused.staking().err(), Some(Reject::Halted));
        let other = Answer::Done;
        assert_eq!((other.done(), other.made()), (Ok(()), Ok(Made::Nothing)));
        assert_eq!(other.order().err(), Some(Reject::System));
        assert_eq!(other.wrapped().err(), Some(Reject::System));
        assert_eq!(other.quoted().err(), Some(Reject::System));
        assert_eq!(other.executed().err(), Some(Reject::System));
        assert_eq!(other.staking().err(), Some(Reject::System));
        let closed = Answer::Trading(TradingAnswer::NotLive);
        assert_eq!((closed.made(), closed.order().err()), (Err(Reject::System), Some(Reject::System)));
        let opened = Answer::Trading(TradingAnswer::Connection(ConnectionId(3)));
        assert_eq!((opened.connection(), other.connection()), (Ok(ConnectionId(3)), Err(Reject::System)));
        assert_eq!((refused.connection(), opened.order().err()), (Err(Reject::Halted), Some(Reject::System)));
        assert!(closed.is_not_live() && !other.is_not_live() && closed.done().is_ok());
    }
}
