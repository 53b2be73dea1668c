//! Everything that can happen.

use alloc::boxed::Box;
use alloc::string::String;
use buttonwood_access::{Account, NewSession};
use buttonwood_model::{AccountId, Currency, CurrencyId, Nonce, SessionId, Symbol, SymbolId, SymbolStatus};
use buttonwood_num::Money;
use buttonwood_spot as spot;
use serde::{Deserialize, Serialize};

use crate::Opening;

/// One thing that happened. The frequent ones fit a cache line; the rare ones are boxed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// To a spot order.
    Spot(spot::Event),
    /// A session used a nonce.
    NonceUsed(SessionId, Nonce),
    /// Anything that does not happen on the path of an order.
    Rare(Box<Rare>),
}

/// What does not happen on the path of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rare {
    /// A symbol's status changed.
    SymbolStatusChanged(SymbolId, SymbolStatus),
    /// The house issued money to an account.
    Credited(AccountId, CurrencyId, Money),
    /// The directory was made.
    Opened(Opening),
    /// A currency was listed.
    CurrencyListed(Currency),
    /// A symbol was listed.
    SymbolListed(Symbol),
    /// A group was added.
    GroupAdded(String),
    /// An account was opened.
    AccountOpened(Account),
    /// A session was made.
    SessionAdded(NewSession),
}

impl From<Rare> for Event {
    fn from(event: Rare) -> Self {
        Self::Rare(Box::new(event))
    }
}

impl From<spot::Event> for Event {
    fn from(event: spot::Event) -> Self {
        Self::Spot(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frequent_events_fit_a_cache_line() {
        assert!(size_of::<Event>() <= 64, "{} bytes", size_of::<Event>());
    }
}
